"""Promise 5: each call has one result, and what changes the world does not run twice behind anyone's back."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from studio.verify.finding import Finding
from studio.verify.stored import StoredEvent, StoredRollout

MADE_TYPES = frozenset(
    {
        "state.update",
        "agent.invocation",
        "agent.output",
        "agent.response",
        "agent.message",
        "agent.interrupt",
        "agent.escalation",
        "agent.thought",
        "timer.set",
        "timer.cancel",
    }
)
"""What a call of the model may be recorded as, if not as a request for a tool."""


@dataclass(slots=True)
class _Call:
    """A call as the trajectory so far has it. `started`: the newest attempt of each role.

    `waits_for`: the person whose answer closes it. `may_restart`: a person decided to run it again, and
    `was_restarted` so; then it may be begun anew with each owner, if it may run twice at all.
    """

    tool: str
    started: dict[str, int] = field(default_factory=dict)
    results: int = 0
    undone: int = 0
    waits_for: str = ""
    is_asked: bool = False
    may_restart: bool = False
    was_restarted: bool = False
    is_request: bool = True


def check_calls(rollout: StoredRollout, once: Collection[str]) -> Iterator[Finding]:
    """`once`: names of tools that are neither `read` nor idempotent, and have no retries."""
    walk = _Walk(once)
    for event in rollout.events:
        if sentence := walk.wrong(event):
            yield Finding("calls", f"rollout {rollout.public_id} event {event.seq}", sentence)
            return


def check_open_calls(rollout: StoredRollout) -> Iterator[Finding]:
    """A rollout that waits for input has a result for each tool that was called."""
    if (rollout.projection["lifecycle"], rollout.projection["waiting_for"]) != ("waiting", "input"):
        return
    walk = _Walk(())
    for event in rollout.events:
        walk.wrong(event)
    for id_, call in walk.calls.items():
        if call.is_request and not call.results:
            sentence = f"call {id_} has no result, and the rollout is idle"
            yield Finding("calls", f"rollout {rollout.public_id}", sentence)
            return


class _Walk:
    """Goes through one trajectory, event by event."""

    def __init__(self, once: Collection[str]) -> None:
        self.calls: dict[str, _Call] = {}
        self._once = once
        self._is_cancelled = False

    def wrong(self, event: StoredEvent) -> str:
        """What is wrong with the next event; empty if nothing is."""
        call = self.calls.get(event.call_id)
        match event.type:
            case "tool.request":
                return self._requested(event)
            case "state.update" | "agent.thought" if call is not None:
                return _resulted(call, event)
            case type_ if type_ in MADE_TYPES and event.call_id and call is None:
                return self._made(event)
            case "tool.result":
                return _resulted(call, event)
            case "tool.started":
                return self._started(call, event)
            case "agent.input" if call is not None:
                call.results = call.results or 1
            case "user.input":
                self._answered(event)
            case "approval.request" if event.get("why") == "unknown_outcome":
                return _asked(call, event)
            case "approval.decision" if call is not None:
                call.may_restart = event.get("verdict") == "run_again"
                call.was_restarted = call.was_restarted or call.may_restart
                call.is_asked = False
            case "rollout.cancelled":
                self._is_cancelled = True
        return ""

    def _requested(self, event: StoredEvent) -> str:
        id_ = event.call_id
        if id_ in self.calls:
            return f"call {id_} is requested for the second time"
        self.calls[id_] = _Call(str(event.get("tool", "")))
        return "" if id_.partition(".")[0] == str(event.step) else f"call {id_} stands in step {event.step}"

    def _made(self, event: StoredEvent) -> str:
        sentence = self._requested(event)
        call = self.calls[event.call_id]
        call.is_request = False
        call.results = int(bool(event.get("result")) or event.get("status", "ok") != "ok")
        call.waits_for = event.get("to", "") if event.get("waits") else ""
        return sentence

    def _answered(self, event: StoredEvent) -> None:
        """A message closes the question that its form names, or else the oldest that this person was asked."""
        name = (event.get("form") or {}).get("name")
        for id_, call in self.calls.items():
            is_open = call.waits_for == event.source and not call.results
            if is_open and name in (None, id_):
                call.results = 1
                return

    def _started(self, call: _Call | None, event: StoredEvent) -> str:
        id_, attempt, role = event.call_id, event.get("attempt", 1), event.get("role", "call")
        if call is None:
            return f"call {id_} is begun but was never requested"
        before = call.started.get(role, 0)
        if attempt != before + 1:
            return f"attempt {attempt} of call {id_} follows attempt {before}"
        if role == "rollback":
            call.started[role] = attempt
            return self._undone(call, event)
        if call.is_asked:
            return f"call {id_} is begun again while a person is asked about it"
        may_go_on = call.may_restart or (call.was_restarted and event.get("tool", call.tool) not in self._once)
        if call.results and not may_go_on:
            return f"call {id_} is begun after it had its result"
        if before and event.get("tool", call.tool) in self._once and not call.may_restart:
            return f"call {id_} ({call.tool}) is begun for the second time, and nobody was asked"
        call.started[role], call.may_restart = attempt, False
        return ""

    def _undone(self, call: _Call, event: StoredEvent) -> str:
        if not self._is_cancelled:
            return f"call {event.call_id} is undone while the rollout goes on"
        return f"call {event.call_id} is undone for the second time" if call.undone else ""


def _asked(call: _Call | None, event: StoredEvent) -> str:
    if call is None or not call.started:
        return f"a person is asked about call {event.call_id}, which was never begun"
    call.is_asked = True
    return ""


def _resulted(call: _Call | None, event: StoredEvent) -> str:
    id_ = event.call_id
    if call is None:
        return f"a result of call {id_}, which was never requested"
    if event.get("role") == "rollback":
        call.undone += 1
        return "" if call.undone == 1 else f"call {id_} was undone twice"
    if event.get("late"):
        return "" if call.results else f"a late result of call {id_}, which has none in time"
    call.results += 1
    return "" if call.results == 1 else f"call {id_} has a second result"
