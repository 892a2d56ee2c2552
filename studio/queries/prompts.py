"""The exact request of a step: the trajectory before it, folded and rendered again, against the recorded hash."""

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


def prompt_of_step(rollout: Rollout, viewer: Viewer, step: int, attempt: int | None = None) -> dict[str, Any] | None:
    """The request of that step (of its last attempt, unless one is named); None if there is none.

    Raises NotAllowed, CannotRender.
    """
    if viewer.seat(rollout.agent.name) is not Seat.OVERSEER:
        raise NotAllowed("read prompts", "a supervisor of the project")
    started = _started(rollout, step, attempt)
    if started is None or not isinstance(started.payload, StepStarted):
        return None
    prompt = _rendered(rollout, started, started.payload)
    recorded = started.payload.prompt_sha256
    return {
        "rollout": rollout.public_id,
        "step": step,
        "attempt": started.payload.attempt,
        "seq": started.seq,
        "seen": started.payload.seen,
        "model": prompt.model,
        "messages": list(prompt.messages),
        "tools": list(prompt.tools),
        "settings": dict(prompt.settings),
        "withhold_tools": prompt.withhold_tools,
        "sha256": prompt.sha256,
        "recorded_sha256": recorded,
        "matches": prompt.sha256 == recorded,
        "renderer": started.payload.renderer,
    }


def _started(rollout: Rollout, step: int, attempt: int | None) -> Event | None:
    """The `step.started` of that attempt."""
    rows = rollout.trajectory.filter(type=TYPE_CODES["step.started"], step=step).order_by("seq")
    for seq in reversed(rows.values_list("seq", flat=True)[:1000]) if 0 <= step < 2**31 else ():
        event = trajectory(rollout.pk, seq, seq)[0]
        if isinstance(event.payload, StepStarted) and attempt in (None, event.payload.attempt):
            return event
    return None


def _rendered(rollout: Rollout, started: Event, payload: StepStarted) -> Prompt:
    if payload.renderer != RENDERER:
        raise CannotRender(f"it was made by version {payload.renderer} of the renderer, and this is {RENDERER}.")
    before = trajectory(rollout.pk, 1, started.seq - 1)
    first = before[0].payload
    assert isinstance(first, RolloutStarted), "seq 1 is rollout.started"
    pinned = Pin.objects.filter(sha256=first.tools_sha256).values_list("text", flat=True).first()
    text = rollout.version.text if rollout.version else rollout.draft_text or ""
    version = rollout.version.number if rollout.version else 0
    try:
        agent = running().bind_text(text, version, pinned)
    except CannotBind as error:
        raise CannotRender(f"{error}.") from error
    state = fold(before)
    return render(state, agent, model=payload.model, withhold=payload.withheld)
