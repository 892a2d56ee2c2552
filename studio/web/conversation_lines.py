"""What happened between messages, in one line each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

type Envelope = Mapping[str, Any]
type Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """`tone`: "interrupt" (a rule in that colour), "warn" or "bad" (a note), else a plain rule.

    `title` is the bold start of a note. `action`: what a button of the line asks for, shown while it makes sense.
    """

    icon: str
    words: str
    tone: str = ""
    title: str = ""
    action: str = ""


def line_of(event: Envelope) -> Line | None:
    """The line of the event; None if there is nothing to say about it."""
    make = _LINES.get(event["type"])
    return None if make is None else make(event["payload"], event)


def _interrupt(payload: Payload, event: Envelope) -> Line:
    who = payload["name"] or "A person"
    if payload["call_id"]:
        return Line("octagon-x", f"{who} stopped one call", "interrupt")
    if payload["content"].strip():
        return Line("octagon-x", f"{who} interrupted", "interrupt")
    return Line("octagon-x", f"{who} pressed Stop", "interrupt")


def _instruction(payload: Payload, event: Envelope) -> Line:
    return Line("megaphone", f"{payload['by'] or 'A supervisor'}: {payload['content']}", "interrupt")


def _timer(payload: Payload, event: Envelope) -> Line:
    return Line("alarm-clock", payload["note"] or "A timer went off", "interrupt")


def _agent_interrupt(payload: Payload, event: Envelope) -> Line:
    return Line("octagon-pause", f"{payload['name'] or 'Another agent'}: {payload['content'] or 'stop'}", "interrupt")


def _trigger(payload: Payload, event: Envelope) -> Line:
    return Line("webhook", f"{payload['trigger']} arrived")


def _state(payload: Payload, event: Envelope) -> Line:
    if not payload["accepted"]:
        return Line("flag", f"The move to {payload['to_state']} was not allowed")
    return Line("flag", f"State {payload['from_state']} → {payload['to_state']}")


def _started(payload: Payload, event: Envelope) -> Line | None:
    if event["seq"] != 1 or event["pos"] == 1:
        return None
    return Line("play", f"{event['agent']} started anew. It was shown the last answer from before.")


def _paused(payload: Payload, event: Envelope) -> Line:
    words = f"Paused by {payload['by']}" if payload["by"] else f"Paused. {payload['reason']}".strip()
    return Line("pause", words, action="resume")


def _resumed(payload: Payload, event: Envelope) -> Line:
    who = payload["by"] or "a person"
    return Line("play", f"Tried again by {who}" if payload["reason"] == "retry" else f"Resumed by {who}")


def _completed(payload: Payload, event: Envelope) -> Line:
    return Line("check", "Finished. A new message starts it anew.")


def _cancelled(payload: Payload, event: Envelope) -> Line:
    return Line("square", f"Cancelled by {payload['by'] or 'a person'}. A new message starts it anew.", "interrupt")


def _failed(payload: Payload, event: Envelope) -> Line:
    return Line(
        "circle-x", f"{_sentence(payload['error'])} Nothing is lost.", "bad", "The agent could not go on.", "retry"
    )


def _moved(payload: Payload, event: Envelope) -> Line:
    return Line("git-branch", f"Moved to version {payload['agent_version']} by {payload['by'] or 'a person'}")


def _limit(payload: Payload, event: Envelope) -> Line:
    limit = payload["limit"]
    match payload["what"]:
        case "max_tool_calls":
            title, words = f"{limit} of {limit} tool calls used.", "It was asked to answer with what it has."
        case "max_steps":
            title, words = f"{limit} of {limit} steps used.", "It was asked to answer with what it has."
        case _:
            title, words = "The same call, again and again.", f"It was made {limit} times with the same arguments."
    return Line("gauge", words, "warn", title)


def _restarted(payload: Payload, event: Envelope) -> Line | None:
    if payload["why"] != "restart":
        return None
    steps = event["step"] or 0
    if not steps:
        return Line("rotate-ccw", "Server restarted. Nothing is lost, nothing runs twice.")
    counted = f"{steps} step" if steps == 1 else f"{steps} steps"
    return Line("rotate-ccw", f"Server restarted. {counted} read from the log, none run twice.")


def _escalation(payload: Payload, event: Envelope) -> Line:
    return Line("life-buoy", payload.get("question") or "Asked a supervisor", "warn", "Asked a supervisor.")


def _compacted(payload: Payload, event: Envelope) -> Line:
    return Line("scroll-text", "The oldest turns were summarised for the model. The events stay.")


def _timer_set(payload: Payload, event: Envelope) -> Line:
    return Line("timer", f"Timer set: {payload['note']}" if payload["note"] else "Timer set")


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "?")) else f"{text}."


_LINES: dict[str, Callable[[Payload, Envelope], Line | None]] = {
    "user.interrupt": _interrupt,
    "supervisor.instruction": _instruction,
    "timer.trigger": _timer,
    "agent.interrupt.received": _agent_interrupt,
    "external.trigger": _trigger,
    "state.update": _state,
    "timer.set": _timer_set,
    "agent.escalation": _escalation,
    "rollout.started": _started,
    "rollout.paused": _paused,
    "rollout.resumed": _resumed,
    "rollout.completed": _completed,
    "rollout.cancelled": _cancelled,
    "rollout.failed": _failed,
    "rollout.moved": _moved,
    "limit.reached": _limit,
    "step.aborted": _restarted,
    "context.compacted": _compacted,
}
