"""The steps of the first-run page, each ticked when the viewer really did it."""

from dataclasses import dataclass

from studio.models import Agent, AgentVersion, AmpSession, Event, Rollout, User
from studio.queries.agents import agents_for, project_for_new_agents
from studio.store.codes import TYPE_CODES


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `agent` is the name of the agent to try, `edits` the one to edit, for its button."""

    what: str
    how: str
    is_done: bool
    button: str = ""
    agent: str = ""
    edits: str = ""


@dataclass(frozen=True, slots=True)
class Welcome:
    """`current` is the number, from 1, of the first step that is not done; 0 when all are."""

    steps: tuple[Step, ...]
    current: int
    shown: Agent | None
    may_write: bool


def first_steps(viewer: User) -> Welcome:
    """What the viewer did already, and what comes next."""
    demonstration = list(agents_for(viewer).filter(archived_at=None).order_by("-is_demonstration", "pk"))
    names = [agent.name for agent in demonstration]
    main = "refund-desk" if "refund-desk" in names else next(iter(names), "")
    reader = "clerk" if "clerk" in names else main
    may_write = project_for_new_agents(viewer) is not None
    steps = [
        Step("Start Studio and sign in", "", True),
        Step(
            "Say hello to the demo agent",
            "Choose one of the suggested messages.",
            _has_event(viewer, "user.input"),
            "Open chat",
            main,
        ),
        Step(
            "Press Stop in the middle",
            "See how it drops its plan and listens.",
            _has_event(viewer, "user.interrupt"),
            "Open chat",
            main,
        ),
        Step(
            "Watch it use a tool",
            "The filing clerk looks the answer up in a folder.",
            _has_event(viewer, "tool.request"),
            "Ask the clerk",
            reader,
        ),
    ]
    if may_write:
        published = AgentVersion.objects.filter(by=viewer).exists()
        how = "In the form or in YAML, they stay in step."
        steps.append(Step("Change one line and publish", how, published, "Open the editor", edits=main))
    current = next((number for number, step in enumerate(steps, 1) if not step.is_done), 0)
    shown = next((agent for agent in demonstration if agent.name == main), None)
    return Welcome(tuple(steps), current, shown, may_write)


def has_talked(viewer: User) -> bool:
    """Whether the viewer ever started a session; who did not is offered the first steps."""
    return AmpSession.objects.filter(owner=viewer).exists()


def _has_event(viewer: User, type_: str) -> bool:
    own = Rollout.objects.filter(session__in=AmpSession.objects.filter(owner=viewer))
    return Event.objects.filter(rollout__in=own, type=TYPE_CODES[type_]).exists()
