"""Reads of who may run programs."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from runtime.domain.sandboxed import SANDBOXED
from studio.models import Agent, AgentVersion, Project, SandboxGrant, User
from studio.queries.agent_facts import facts_of


@dataclass(frozen=True, slots=True)
class SandboxRow:
    """An agent, the tools that run programs which its draft or newest version names, and its grant if it has one."""

    agent: Agent
    tools: Sequence[str]
    grant: SandboxGrant | None


def sandbox_rows(viewer: User) -> list[SandboxRow]:
    """The agents that may run programs, or ask for it in their text, by name; none for who is no administrator."""
    if not viewer.is_administrator:
        return []
    newest = AgentVersion.objects.filter(agent=OuterRef("pk")).order_by("-number").values("text")[:1]
    agents = Agent.objects.visible_to(viewer).open().annotate(newest=Subquery(newest)).order_by("name")
    grants = {grant.agent_id: grant for grant in SandboxGrant.objects.select_related("given_by")}
    rows = [SandboxRow(agent, _named(agent.draft, agent.newest or ""), grants.get(agent.pk)) for agent in agents]
    return [row for row in rows if row.tools or row.grant]


def sandboxed_agents(project: Project) -> frozenset[str]:
    """The names of the project's agents that may run programs."""
    granted = SandboxGrant.objects.filter(agent__project=project, agent__archived_at=None)
    return frozenset(granted.values_list("agent__name", flat=True))


def _named(*texts: str) -> list[str]:
    likely = [text for text in texts if any(tool in text for tool in SANDBOXED)]
    grants = [grant for text in likely for grant in facts_of(text).grants]
    named = {name for grant in grants for name in (grant.name, grant.fallback, grant.rollback)}
    return sorted(SANDBOXED & named)
