"""The exact request of a step: the trajectory before it, folded and rendered again, against the recorded hash."""

from dataclasses import dataclass, field, replace
from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.context import RENDERER, Prompt, render
from runtime.domain.events import StepStarted
from runtime.domain.state import State
from runtime.domain.trajectory import Event
from runtime.engine.binding import CannotBind
from studio.errors import NotAllowed, StudioError
from studio.models import Pin, Rollout
from studio.queries.harmless import harmless_messages
from studio.queries.memory_in_prompts import MemoryShown, memory_shown
from studio.queries.viewer import Seat, Viewer
from studio.store import trajectory
from studio.store.codes import TYPE_CODES
from studio.store.skills import kept_skills
from studio.wiring import running


class CannotRender(StudioError):
    """The prompt cannot be made again here."""

    status = 409

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __str__(self) -> str:
        return f"The prompt cannot be shown: {self.reason}"


@dataclass(frozen=True, slots=True)
class StepPrompt:
    """The request of one attempt of a step. The last `tail` messages come from the author's prompt template.

    `memory`: what of people's memories was put in, and what is left out for this viewer.
    """

    step: int
    seq: int
    started: StepStarted
    prompt: Prompt
    tail: int
    memory: MemoryShown = field(default_factory=MemoryShown)

    @property
    def matches(self) -> bool:
        """Whether it is, to the word, what was sent then."""
        return self.prompt.sha256 == self.started.prompt_sha256

    @property
    def messages(self) -> list[dict[str, Any]]:
        """As they are shown: without what a provider needs back for itself."""
        shown = [
            {key: value for key, value in message.items() if key not in _OPAQUE} for message in self.prompt.messages
        ]
        return harmless_messages(shown, f"the prompt of step {self.step}")


_OPAQUE = ("opaque", "family")


def told(rollout: Rollout, found: StepPrompt) -> dict[str, Any]:
    """The request as AMP tells of it."""
    prompt = found.prompt
    return {
        "rollout": rollout.public_id,
        "step": found.step,
        "attempt": found.started.attempt,
        "seq": found.seq,
        "seen": found.started.seen,
        "model": prompt.model,
        "messages": found.messages,
        "tools": list(prompt.tools),
        "settings": dict(prompt.settings),
        "withhold_tools": prompt.withhold_tools,
        "sha256": prompt.sha256,
        "recorded_sha256": found.started.prompt_sha256,
        "matches": found.matches,
        "memory_erased": found.memory.erased,
        "memory_withheld": found.memory.withheld,
        "renderer": found.started.renderer,
    }


def step_prompt(
    rollout: Rollout, viewer: Viewer, step: int, attempt: int | None = None, *, with_others: bool = False
) -> StepPrompt | None:
    """The request of that step (of its last attempt, unless one is named); None if there is none.

    `with_others`: with the memory of other people, if the viewer may read it; then that must be recorded.
    Raises NotAllowed, CannotRender.
    """
    if viewer.seat(rollout.agent.name) is not Seat.OVERSEER:
        raise NotAllowed("read prompts", "a supervisor of the project")
    started = _started(rollout, step, attempt)
    if started is None or not isinstance(started.payload, StepStarted):
        return None
    state = _state_before(rollout, started)
    memory = memory_shown(rollout, state, viewer, with_others=with_others)
    prompt, tail = _rendered(_agent(rollout, state), state, started.payload, memory)
    return StepPrompt(step, started.seq, started.payload, prompt, tail, memory)


def _started(rollout: Rollout, step: int, attempt: int | None) -> Event | None:
    """The `step.started` of that attempt."""
    rows = rollout.trajectory.filter(type=TYPE_CODES["step.started"], step=step).order_by("seq")
    for seq in reversed(rows.values_list("seq", flat=True)[:1000]) if 0 <= step < 2**31 else ():
        event = trajectory(rollout.pk, seq, seq)[0]
        if isinstance(event.payload, StepStarted) and attempt in (None, event.payload.attempt):
            return event
    return None


def _state_before(rollout: Rollout, started: Event) -> State:
    """The state that the step began in."""
    return fold(trajectory(rollout.pk, 1, started.seq - 1))


def _agent(rollout: Rollout, state: State) -> Agent:
    """The agent with the tools of its start. Raises CannotRender."""
    assert state.started is not None, "seq 1 is rollout.started"
    pinned = Pin.objects.filter(sha256=state.started.tools_sha256).values_list("text", flat=True).first()
    text = rollout.version.text if rollout.version else rollout.draft_text or ""
    version = rollout.version.number if rollout.version else 0
    try:
        project = rollout.session.project.public_id
        return running().bind_text(text, version, project, pinned, kept_skills(state.started.skills))
    except CannotBind as error:
        raise CannotRender(f"{error}.") from error


def _rendered(agent: Agent, state: State, payload: StepStarted, memory: MemoryShown) -> tuple[Prompt, int]:
    """The request, and how many of its messages are its tail: made anew from template, state, plan and memory."""
    if payload.renderer != RENDERER:
        raise CannotRender(f"it was made by version {payload.renderer} of the renderer, and this is {RENDERER}.")
    asked: Any = {"model": payload.model, "withhold": payload.withheld, "values": memory.values}
    if payload.captures:
        return render(state, agent, captures=True, **asked), 1
    asked["compacts_to"] = payload.compacts_to
    prompt = render(state, agent, **asked)
    without = replace(agent, user_prompt_template="", machine=None)  # what makes the last message of a request
    bare = render(_with_nothing_to_say(state), without, **asked)
    return prompt, len(prompt.messages) - len(bare.messages)


def _with_nothing_to_say(state: State) -> State:
    """The state without what stands in a tail: what is shared, recalled and planned."""
    started = state.started.model_copy(update={"shared": {}}) if state.started else None
    return state._replace(started=started, recalled=None).dealing(plan=())
