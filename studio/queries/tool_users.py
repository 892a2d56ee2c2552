"""Which agents use which tools of a project."""

from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from runtime.domain.definition import ToolGrant
from runtime.tools.registry import Registry, UnknownTool
from studio.models import Agent, AgentVersion, Project
from studio.queries.agent_facts import facts_of


@dataclass(frozen=True, slots=True)
class ToolUser:
    """An agent that names a tool. `is_published`: in the version that runs, not in its draft alone."""

    name: str
    title: str
    is_published: bool


def tool_users(project: Project, registry: Registry) -> dict[str, list[ToolUser]]:
    """For each tool, the agents that use it in their draft or in the version that runs, by name."""
    latest = AgentVersion.objects.filter(agent=OuterRef("pk")).order_by("-number")
    agents = Agent.objects.filter(project=project).open().annotate(live_text=Subquery(latest.values("text")[:1]))
    users: dict[str, list[ToolUser]] = {}
    for agent in agents.order_by("name"):
        published = _used(agent.live_text or "", registry)
        for tool in published | _used(agent.draft, registry):
            users.setdefault(tool, []).append(ToolUser(agent.name, str(agent), tool in published))
    return users


def published_users(project: Project, registry: Registry, tool: str) -> list[str]:
    """The names of the agents whose running version uses the tool."""
    return [user.name for user in tool_users(project, registry).get(tool, ()) if user.is_published]


def _used(text: str, registry: Registry) -> set[str]:
    found: set[str] = set()
    for grant in facts_of(text).grants:
        found |= {name for name in (grant.fallback, grant.rollback) if name}
        found |= _members(grant, registry)
    return found


def _members(grant: ToolGrant, registry: Registry) -> set[str]:
    try:
        return {tool.spec.name for tool in registry.members(grant)}
    except UnknownTool:
        return set()
