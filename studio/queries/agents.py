"""Reads of agents, their drafts and their versions."""

from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery

from studio.models import Agent, AgentVersion, Project, User
from studio.rights import Right


def agents_for(viewer: User) -> QuerySet[Agent]:
    """The agents that the viewer may know of, with `live_number` and `live_text` of the version that runs.

    Who may not write agents sees published ones only.
    """
    latest = AgentVersion.objects.filter(agent=OuterRef("pk")).order_by("-number")
    agents = (
        Agent.objects.visible_to(viewer)
        .select_related("project", "draft_by")
        .annotate(live_number=Subquery(latest.values("number")[:1]), live_text=Subquery(latest.values("text")[:1]))
        .order_by("project", "name")
    )
    written = Project.objects.with_right(viewer, Right.WRITE_AGENTS)
    return agents.filter(project__in=written) | agents.filter(live_number__isnull=False)


def agent_named(viewer: User, name: str) -> Agent | None:
    """The agent of that name that the viewer may know of; of several projects', the oldest one's."""
    return agents_for(viewer).filter(name=name).first()


def project_for_new_agents(viewer: User) -> Project | None:
    """The project in which the viewer's new agents are made: the oldest one that they may write in."""
    return Project.objects.with_right(viewer, Right.WRITE_AGENTS).order_by("pk").first()


def versions_of(agent: Agent) -> QuerySet[AgentVersion]:
    """All versions of an agent that the viewer was given, newest first."""
    return agent.versions.select_related("by").order_by("-number")


@dataclass(frozen=True, slots=True)
class DraftState:
    """How the draft stands to the version that runs."""

    live_number: int | None
    is_edited: bool
    live_text: str = ""

    @property
    def live_word(self) -> str:
        return str(self.live_number or "")

    @property
    def next_number(self) -> int:
        return (self.live_number or 0) + 1


def draft_state(agent: Agent, text: str) -> DraftState:
    """How a text of the agent, saved or not, stands to the version that runs."""
    last = agent.versions.order_by("-number").values_list("number", "text").first()
    return (
        DraftState(last[0], last[1].replace("\r\n", "\n") != text.replace("\r\n", "\n"), last[1])
        if last
        else DraftState(None, True)
    )
