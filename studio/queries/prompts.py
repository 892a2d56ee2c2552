"""The exact request of a step: the trajectory before it, folded and rendered again, against the recorded hash."""

from dataclasses import dataclass, replace
from typing import Any

from runtime.domain.apply import fold
from runtime.domain.context import RENDERER, Prompt, render
from runtime.domain.events import RolloutStarted, StepStarted
from runtime.domain.trajectory import Event
from runtime.engine.binding import CannotBind
from studio.errors import NotAllowed, StudioError
from studio.models import Pin, Rollout
from studio.queries.viewer import Seat, Viewer
from studio.store import trajectory
from studio.store.codes import TYPE_CODES
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
    """The request of one attempt of a step. The last `tail` messages come from the author's prompt template."""

    step: int
    seq: int
    started: StepStarted
    prompt: Prompt
    tail: int

    @property
    def matches(self) -> bool:
        """Whether it is, to the word, what was sent then."""
        return self.prompt.sha256 == self.started.prompt_sha256

    @property
    def messages(self) -> list[dict[str, Any]]:
        """As they are shown: without what a provider needs back for itself."""
        return [
            {key: value for key, value in message.items() if key not in _OPAQUE} for message in self.prompt.messages
        ]


_OPAQUE = ("opaque", "family")


def prompt_of_step(rollout: Rollout, viewer: Viewer, step: int, attempt: int | None = None) -> dict[str, Any] | None:
    """The request of that step as AMP tells of it; see `step_prompt`."""
    found = step_prompt(rollout, viewer, step, attempt)
    if found is None:
        return None
    prompt = found.prompt
    return {
        "rollout": rollout.public_id,
        "step": step,
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
        "renderer": found.started.renderer,
    }


def step_prompt(rollout: Rollout, viewer: Viewer, step: int, attempt: int | None = None) -> StepPrompt | None:
    """The request of that step (of its last attempt, unless one is named); None if there is none.

    Raises NotAllowed, CannotRender.
    """
    if viewer.seat(rollout.agent.name) is not Seat.OVERSEER:
        raise NotAllowed("read prompts", "a supervisor of the project")
    started = _started(rollout, step, attempt)
    if started is None or not isinstance(started.payload, StepStarted):
        return None
    prompt, tail = _rendered(rollout, started, started.payload)
    return StepPrompt(step, started.seq, started.payload, prompt, tail)


def _started(rollout: Rollout, step: int, attempt: int | None) -> Event | None:
    """The `step.started` of that attempt."""
    rows = rollout.trajectory.filter(type=TYPE_CODES["step.started"], step=step).order_by("seq")
    for seq in reversed(rows.values_list("seq", flat=True)[:1000]) if 0 <= step < 2**31 else ():
        event = trajectory(rollout.pk, seq, seq)[0]
        if isinstance(event.payload, StepStarted) and attempt in (None, event.payload.attempt):
            return event
    return None


def _rendered(rollout: Rollout, started: Event, payload: StepStarted) -> tuple[Prompt, int]:
    """The request, and how many of its messages are its tail: made anew from the template and the business state."""
    if payload.renderer != RENDERER:
        raise CannotRender(f"it was made by version {payload.renderer} of the renderer, and this is {RENDERER}.")
    before = trajectory(rollout.pk, 1, started.seq - 1)
    first = before[0].payload
    assert isinstance(first, RolloutStarted), "seq 1 is rollout.started"
    pinned = Pin.objects.filter(sha256=first.tools_sha256).values_list("text", flat=True).first()
    text = rollout.version.text if rollout.version else rollout.draft_text or ""
    version = rollout.version.number if rollout.version else 0
    try:
        agent = running().bind_text(text, version, rollout.session.project.public_id, pinned)
    except CannotBind as error:
        raise CannotRender(f"{error}.") from error
    state = fold(before)
    prompt = render(state, agent, model=payload.model, withhold=payload.withheld)
    without = replace(agent, user_prompt_template="", machine=None)  # what makes the last message of a request
    bare = render(state, without, model=payload.model, withhold=payload.withheld)
    return prompt, len(prompt.messages) - len(bare.messages)
