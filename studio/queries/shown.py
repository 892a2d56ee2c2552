"""Who sees what: one table (type × seat) and one function, for pages, AMP, streams and exports.

Source: runtime.md, section 9, "Who sees what".
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from runtime.domain.events import TYPES, AgentOutput, AgentThought, ApprovalRequest, Called, Payload, UserInput
from runtime.domain.trajectory import Event, without_secrets
from studio.queries.approvers import is_asked
from studio.queries.instants import instant
from studio.queries.viewer import Seat, Viewer
from studio.wiring import running

log = logging.getLogger(__name__)


class Sight(StrEnum):
    """How much of an event is shown."""

    FULL = "full"
    REDUCED = "reduced"
    HIDDEN = "hidden"


F, R, H = Sight.FULL, Sight.REDUCED, Sight.HIDDEN

_ORDER = (Seat.PARTICIPANT, Seat.REVIEWER, Seat.OVERSEER)
_ROWS: dict[str, tuple[Sight, Sight, Sight]] = {
    #                            participant, reviewer, overseer
    "user.input": (F, F, F),
    "agent.input": (R, R, F),
    "tool.result": (R, R, F),
    "external.trigger": (R, R, F),
    "approval.decision": (R, R, F),
    "memory.recalled": (H, H, F),
    "supervisor.instruction": (H, H, F),
    "user.interrupt": (F, F, F),
    "agent.interrupt.received": (R, F, F),
    "timer.trigger": (F, F, F),
    "agent.thought": (H, F, F),
    "agent.output": (F, F, F),
    "tool.request": (R, R, F),
    "approval.request": (F, F, F),
    "state.update": (R, R, F),
    "agent.invocation": (R, R, F),
    "agent.response": (R, R, F),
    "agent.message": (H, F, F),
    "agent.interrupt": (H, F, F),
    "agent.escalation": (R, F, F),
    "timer.set": (F, F, F),
    "timer.cancel": (F, F, F),
    "rollout.started": (R, R, F),
    "rollout.paused": (F, F, F),
    "rollout.resumed": (F, F, F),
    "rollout.moved": (F, F, F),
    "rollout.completed": (F, F, F),
    "rollout.failed": (F, F, F),
    "rollout.cancelled": (F, F, F),
    "step.started": (F, F, F),
    "step.completed": (R, R, R),
    "step.aborted": (F, F, F),
    "tool.started": (R, R, F),
    "limit.reached": (F, F, F),
    "context.compacted": (F, F, F),
}
SIGHTS: dict[str, dict[Seat, Sight]] = {
    type_: dict(zip(_ORDER, sights, strict=True)) for type_, sights in _ROWS.items()
}

_READINGS = ("untrusted_by", "private_by")
_LEFT_OUT: dict[str, frozenset[str]] = {
    "agent.input": frozenset({"content", "context", "vars", "owner", "owner_name", "memory", "namespace", *_READINGS}),
    "tool.result": frozenset({"content", "artifact", "memory"}),
    "external.trigger": frozenset({"body", "key", "task", "artifact", "user", "user_name"}),
    "approval.decision": frozenset({"edited_args", "result", "args_sha256"}),
    "agent.interrupt.received": frozenset({"content", "owner", "owner_name", *_READINGS}),
    "tool.request": frozenset({"args", "args_raw"}),
    "state.update": frozenset({"set", "error", "reason"}),
    "agent.invocation": frozenset({"task", "context"}),
    "agent.response": frozenset({"content"}),
    "agent.escalation": frozenset({"reason", "question"}),
    "rollout.started": frozenset({"vars", *_READINGS}),
    "step.completed": frozenset({"opaque", "family"}),  # shown to nobody: a provider's own
    "tool.started": frozenset({"why"}),  # in whose place it runs is told, not how that one failed
}
"""What a reduced event is without."""

_OF_CALLS = frozenset({"args", "result"})
"""What every event that is itself a call is without for all but overseers: arguments as given, and what it was told."""

_PLAIN = frozenset({"call_id", "tool", "args", "result", "status", "waits", "form", "to_name"})
"""What a plain word or thought, which is no call, has nothing to say of."""

_DELTA_TYPES = {"output": "agent.output", "thought": "agent.thought", "args": "tool.request"}


@dataclass(frozen=True, slots=True)
class Placed:
    """An event with the session, rollout and agent that it belongs to, by their public names."""

    session: str
    rollout: str
    agent: str
    event: Event


def sight_of(type_: str, agent: str, viewer: Viewer) -> Sight:
    """How much of that type the viewer sees in a rollout of that agent. What is not in the table is hidden."""
    row = SIGHTS.get(type_)
    return Sight.HIDDEN if row is None else row[viewer.seat(agent)]


def shown_to(placed: Placed, viewer: Viewer) -> dict[str, Any]:
    """The envelope of amp.md as this viewer may have it; a hidden event is its numbers alone."""
    event = _harmless(placed)
    payload = shown_payload(event.payload, placed.agent, viewer, event.source)
    if payload is None:
        return {"seq": event.seq, "pos": event.pos, "rollout": placed.rollout, "hidden": True}
    return {
        "v": event.payload.version,
        "id": event.id or f"{placed.rollout}-{event.seq}",
        "session": placed.session,
        "rollout": placed.rollout,
        "agent": placed.agent,
        "seq": event.seq,
        "pos": event.pos,
        "type": event.type,
        "category": event.category.value,
        "urgent": event.payload.is_urgent,
        "source": event.source,
        "step": event.step,
        "cause": event.cause,
        "received_at": instant(event.received_at),
        "at": instant(event.at),
        "payload": payload,
    }


def _harmless(placed: Placed) -> Event:
    """The event without known secrets. None should be in it: they are taken out when an event is built."""
    event = without_secrets(placed.event, running().redactor)
    if event is not placed.event:
        log.error("a secret stands in event %s of rollout %s; it was not shown", event.seq, placed.rollout)
    return event


def shown_payload(payload: Payload, agent: str, viewer: Viewer, source: str = "") -> Mapping[str, Any] | None:
    """The payload as this viewer may have it; None if it is hidden. `source`: who sent it."""
    sight = _sight_of_event(payload, agent, viewer)
    if sight is Sight.HIDDEN or (sight is not Sight.FULL and payload.type not in _LEFT_OUT):
        return None
    if _is_for_another(payload, agent, viewer):
        return None
    left_out = _LEFT_OUT[payload.type] if sight is Sight.REDUCED else frozenset()
    return payload.model_dump(mode="json", exclude={"type", *left_out, *_private(payload, agent, viewer, source)})


def _sight_of_event(payload: Payload, agent: str, viewer: Viewer) -> Sight:
    """What the table says, but for thoughts of an agent that shows them."""
    shows = isinstance(payload, AgentThought) and payload.shown
    return Sight.FULL if shows else sight_of(payload.type, agent, viewer)


def _is_for_another(payload: Payload, agent: str, viewer: Viewer) -> bool:
    """Text to one participant, or to the agent that called, is not for the others."""
    to = payload.to if isinstance(payload, AgentOutput) else ""
    return bool(to) and to not in ("*", viewer.user) and viewer.seat(agent) is Seat.PARTICIPANT


def _private(payload: Payload, agent: str, viewer: Viewer, source: str) -> frozenset[str]:
    """What is left out besides: arguments, the hash that tells them, and what another person filled in."""
    seat = viewer.seat(agent)
    match payload:
        case AgentThought(call_id="") if seat is not Seat.OVERSEER:
            return _PLAIN | {"memory"}
        case AgentOutput(call_id="") | AgentThought(call_id=""):
            return _PLAIN
        case Called() if seat is not Seat.OVERSEER or not payload.call_id:
            return _OF_CALLS
        case ApprovalRequest(approvers=approvers) if seat is not Seat.OVERSEER and not is_asked(approvers, viewer):
            return frozenset({"args_sha256"})
        case UserInput(form=form) if form is not None and seat is Seat.PARTICIPANT and source != viewer.user:
            return frozenset({"form"})
        case _:
            return frozenset()


class Making(Protocol):
    """Of a half-made answer, what decides about its sight."""

    @property
    def is_called(self) -> bool: ...

    @property
    def shows_thoughts(self) -> bool: ...


def is_delta_shown(kind: str, agent: str, viewer: Viewer, making: Making) -> bool:
    """Whether a half-made block may be shown: as much as the event that it will become.

    What an agent says that another one called is for that one as long as nobody knows better.
    """
    if kind == "thought" and making.shows_thoughts:
        return True
    if making.is_called and viewer.seat(agent) is Seat.PARTICIPANT:
        return False
    return sight_of(_DELTA_TYPES[kind], agent, viewer) is Sight.FULL


assert SIGHTS.keys() == TYPES.keys(), "every event type has its line"
