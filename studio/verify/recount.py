"""Promise 12: what lists show of a rollout equals what its trajectory says."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from studio.verify.finding import Finding
from studio.verify.steps import is_message
from studio.verify.stored import StoredEvent, StoredRollout

RECORDS = ("rollout.", "step.")
OTHER_RECORDS = frozenset({"tool.started", "limit.reached", "context.compacted"})
INPUTS = frozenset(
    {"user.input", "agent.input", "tool.result", "external.trigger", "approval.decision", "memory.recalled"}
)
INTERRUPTS = frozenset({"supervisor.instruction", "user.interrupt", "agent.interrupt.received", "timer.trigger"})
STUDIO = "Studio"
TAPE_LENGTH = 60
LAST_TEXT_LENGTH = 120


def check_projection(rollout: StoredRollout) -> Iterator[Finding]:
    """Counts, tokens, cost, tape and last text are counted again; the lifecycle is derived again."""
    where = f"rollout {rollout.public_id}"
    for name, expected in _recounted(rollout.events).items():
        shown = rollout.projection[name]
        is_equal = math.isclose(shown, expected, abs_tol=1e-9) if isinstance(expected, float) else shown == expected
        if not is_equal:
            yield Finding("projection", where, f"{name} is shown as {shown!r}, but its trajectory gives {expected!r}")
            return
    possible = _lifecycles(rollout.events)
    if rollout.projection["lifecycle"] not in possible:
        shown, allowed = rollout.projection["lifecycle"], " or ".join(sorted(possible))
        yield Finding("projection", where, f"it is shown as {shown}, but its trajectory makes it {allowed}")


def _recounted(events: Sequence[StoredEvent]) -> dict[str, Any]:
    records = [event for event in events if _is_record(event)]
    shown = [event for event in events if not _is_record(event)]
    spent = [event for event in events if event.type in ("step.completed", "step.aborted")]
    completed = [event for event in events if event.type == "step.completed"]
    cost = 0.0
    for event in spent:
        cost += event.get("cost_usd") or 0.0
    return {
        "events": len(shown),
        "records": len(records),
        "steps": sum(event.type == "step.started" and event.get("attempt", 1) == 1 for event in events),
        "tool_calls": sum(event.type == "tool.request" for event in events),
        "tokens_in": sum(event.get("tokens_in") or 0 for event in spent),
        "tokens_out": sum(event.get("tokens_out") or 0 for event in spent),
        "cost_usd": cost,
        "cost_known": all(event.get("cost_usd") is not None for event in completed),
        "tape": "".join(_tick(event.type) for event in shown)[-TAPE_LENGTH:],
        "last_text": _last_text(events),
        "business_state": _business_state(events),
        **_set_aside(events),
    }


def _business_state(events: Sequence[StoredEvent]) -> str:
    state = ""
    for event in events:
        if event.type == "rollout.started":
            state = event.get("business_state", "")
        elif event.type == "state.update" and event.get("accepted", True):
            state = event.get("to_state") or state
    return state


def _set_aside(events: Sequence[StoredEvent]) -> dict[str, Any]:
    """What is reserved for the model call in flight."""
    steps = [event for event in events if event.type in ("step.started", "step.completed", "step.aborted")]
    is_open = bool(steps) and steps[-1].type == "step.started"
    return {
        "reserved_tokens": steps[-1].get("reserved_tokens", 0) if is_open else 0,
        "reserved_usd": float(steps[-1].get("reserved_usd", 0.0)) if is_open else 0.0,
    }


def _is_record(event: StoredEvent) -> bool:
    return event.type.startswith(RECORDS) or event.type in OTHER_RECORDS


def _tick(type_: str) -> str:
    if type_ in INPUTS:
        return "i"
    if type_ in INTERRUPTS:
        return "x"
    return "t" if type_ == "agent.thought" else "a"


def _last_text(events: Sequence[StoredEvent]) -> str:
    for event in reversed(events):
        if event.type in ("user.input", "agent.output"):
            name = event.get("name", "") if event.type == "user.input" else ""
            text = " ".join(str(event.get("content", ""))[: 2 * LAST_TEXT_LENGTH].split())
            return (f"{name}: {text}" if name else text)[:LAST_TEXT_LENGTH]
    return ""


def _lifecycles(events: Sequence[StoredEvent]) -> frozenset[str]:
    """What the lifecycle may be. Where it depends on the agent's limits, more than one is allowed."""
    is_failed = is_speaking = may_have_recovered = False
    paused_by: str | None = None
    for event in events:
        match event.type:
            case "rollout.completed" | "rollout.cancelled":
                return frozenset({event.type.removeprefix("rollout.")})
            case "rollout.failed":
                is_failed, may_have_recovered = True, False
            case "rollout.paused":
                paused_by = event.get("by", "")
            case "rollout.resumed" if event.get("reason") == "limit" and paused_by not in (None, STUDIO):
                continue  # a person's pause is not lifted by a number
            case "rollout.resumed":
                paused_by = None
                is_failed = is_failed and event.get("reason") != "retry"
            case "step.started":
                is_speaking, is_failed = True, False  # something woke it: it goes on at its step
            case "step.completed" | "step.aborted":
                is_speaking = False
            case "agent.input" | "state.update" | "agent.thought" | "tool.result" if event.call_id or event.get(
                "wakes_model"
            ):
                may_have_recovered = True  # as the result of a call it wakes nobody who has failed
            case _ if is_message(event):
                is_failed = False
    if is_failed:
        return frozenset({"failed", "running", "waiting"} if may_have_recovered else {"failed"})
    if is_speaking:
        return frozenset({"running"})
    return frozenset({"paused"}) if paused_by is not None else frozenset({"running", "waiting"})
