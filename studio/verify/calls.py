"""Promise 5: each call has one result, and what changes the world does not run twice behind anyone's back."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from studio.verify.finding import Finding
from studio.verify.stored import StoredEvent, StoredRollout

CALL_TYPES = frozenset({"tool.request", "agent.invocation"})


@dataclass(slots=True)
class _Call:
    """A call as the trajectory so far has it. `released` counts decisions to run it again."""

    tool: str
    started: int = 0
    results: int = 0
    late: int = 0
    is_asked: bool = False
    may_restart: bool = False


def check_calls(rollout: StoredRollout, once: Collection[str]) -> Iterator[Finding]:
    """`once`: names of tools that are neither `read` nor idempotent, and have no retries."""
    calls: dict[str, _Call] = {}
    for event in rollout.events:
        if sentence := _wrong(calls, event, once):
            yield Finding("calls", f"rollout {rollout.public_id} event {event.seq}", sentence)
            return


def _wrong(calls: dict[str, _Call], event: StoredEvent, once: Collection[str]) -> str:
    id_ = event.call_id
    if event.type in CALL_TYPES:
        if id_ in calls:
            return f"call {id_} is requested for the second time"
        calls[id_] = _Call(str(event.get("tool", event.get("agent", ""))))
        return _misplaced(event)
    call = calls.get(id_)
    match event.type:
        case "tool.result":
            return _resulted(call, event)
        case "tool.started":
            return _started(call, event, once)
        case "approval.request" if event.get("why") == "unknown_outcome":
            if call is None or not call.started:
                return f"a person is asked about call {id_}, which was never begun"
            call.is_asked = True
        case "approval.decision" if call is not None:
            call.may_restart = event.get("verdict") == "run_again"
            call.is_asked = False
    return ""


def _misplaced(event: StoredEvent) -> str:
    step = event.call_id.partition(".")[0]
    return "" if step == str(event.step) else f"call {event.call_id} stands in step {event.step}"


def _resulted(call: _Call | None, event: StoredEvent) -> str:
    id_ = event.call_id
    if call is None:
        return f"a result of call {id_}, which was never requested"
    if event.get("late"):
        call.late += 1
        return "" if call.results else f"a late result of call {id_}, which has none in time"
    call.results += 1
    return "" if call.results == 1 else f"call {id_} has a second result"


def _started(call: _Call | None, event: StoredEvent, once: Collection[str]) -> str:
    id_, attempt = event.call_id, event.get("attempt", 1)
    if call is None:
        return f"call {id_} is begun but was never requested"
    if call.is_asked:
        return f"call {id_} is begun again while a person is asked about it"
    if call.results and not call.may_restart:
        return f"call {id_} is begun after it had its result"
    if attempt != call.started + 1:
        return f"attempt {attempt} of call {id_} follows attempt {call.started}"
    if call.started and call.tool in once and not call.may_restart:
        return f"call {id_} ({call.tool}) is begun for the second time, and nobody was asked"
    call.started, call.may_restart = attempt, False
    return ""


def check_open_calls(rollout: StoredRollout) -> Iterator[Finding]:
    """A rollout that waits for input has a result for each of its calls."""
    if (rollout.projection["lifecycle"], rollout.projection["waiting_for"]) != ("waiting", "input"):
        return
    in_time = Counter(e.call_id for e in rollout.events if e.type == "tool.result" and not e.get("late"))
    for event in rollout.events:
        if event.type in CALL_TYPES and not in_time[event.call_id]:
            where = f"rollout {rollout.public_id} event {event.seq}"
            yield Finding("calls", where, f"call {event.call_id} has no result, and the rollout is idle")
            return
