"""The State tab of the inspector: where one rollout stands."""

from dataclasses import dataclass, field

from studio.errors import StudioError
from studio.models import Rollout
from studio.queries.instants import instant
from studio.queries.shown import Sight, sight_of
from studio.queries.standing import Standing, standing_of
from studio.queries.viewer import Seat, Viewer
from studio.services.rollout_agent import agent_of
from studio.web.decision_card import Given, given_of
from studio.web.state_diagram import Diagram, Way, diagram


@dataclass(frozen=True, slots=True)
class TimerRow:
    """A timer that has not gone off."""

    id: str
    due_at: str
    note: str
    every: str


@dataclass(frozen=True, slots=True)
class SideCall:
    """A call that runs beside the conversation."""

    id: str
    tool: str
    is_running: bool


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One step of the plan. `after`: what it waits for."""

    id: str
    title: str
    status: str
    after: str

    @property
    def icon(self) -> str:
        return {"done": "circle-check", "in_progress": "loader-circle", "skipped": "circle-x"}.get(
            self.status, "circle"
        )


@dataclass(frozen=True, slots=True)
class StatePane:
    """`diagram` is None for an agent without states, `variables` for those who may not see them."""

    rollout: Rollout
    state: str
    since: str
    diagram: Diagram | None
    variables: list[Given] | None
    timers: list[TimerRow]
    calls: list[SideCall]
    children: list[tuple[str, str]]
    plan: list[PlanRow] = field(default_factory=list)

    @property
    def plan_done(self) -> int:
        """How many steps of the plan need nothing any more."""
        return sum(row.status in ("done", "skipped") for row in self.plan)

    @property
    def is_empty(self) -> bool:
        return not (self.state or self.plan or self.timers or self.calls or self.children)


def pane_of(rollout: Rollout, viewer: Viewer) -> StatePane:
    """The rollout as the viewer may see it: variables, and words of moves, only for who oversees it.

    The plan is shown to whoever may read the agent's thoughts.
    """
    standing = standing_of(rollout)
    oversees = viewer.seat(rollout.agent.name) is Seat.OVERSEER
    business = standing.business
    return StatePane(
        rollout=rollout,
        state=business.name,
        since=instant(business.since) if business.since else "",
        diagram=_diagram(rollout, standing, with_words=oversees),
        variables=given_of(dict(business.vars)) if oversees else None,
        timers=[TimerRow(timer.id, instant(timer.due_at), timer.note, timer.every) for timer in standing.timers],
        calls=[SideCall(call.id, call.tool, call.is_started) for call in standing.calls],
        plan=[PlanRow(step.id, step.title, step.status, ", ".join(step.after)) for step in standing.plan]
        if _shows_plan(rollout, viewer)
        else [],
        children=[(child.agent.name, child.public_id) for child in standing.children],
    )


def _shows_plan(rollout: Rollout, viewer: Viewer) -> bool:
    if sight_of("agent.thought", rollout.agent.name, viewer) is Sight.FULL:
        return True
    try:
        return agent_of(rollout).show_thoughts
    except StudioError:
        return False


def _diagram(rollout: Rollout, standing: Standing, *, with_words: bool) -> Diagram | None:
    try:
        machine = agent_of(rollout).machine
    except StudioError:
        return None  # it cannot run here any more; its state is still said
    if machine is None:
        return None
    ways = [
        Way(name, move.to, move.when if with_words else "")
        for name, state in machine.states.items()
        for move in state.transitions
    ]
    ways += [Way(name, state.max_stay.to) for name, state in machine.states.items() if state.max_stay is not None]
    return diagram(
        list(machine.states),
        ways,
        initial=machine.initial,
        final=[name for name, state in machine.states.items() if state.final],
        now=standing.business.name,
        taken=set(standing.way),
    )
