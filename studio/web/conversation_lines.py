"""What happened between messages, in one line each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from studio.queries.instants import instant
from studio.web.event_words import one_line

type Envelope = Mapping[str, Any]
type Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """`tone`: "interrupt" (a rule in that colour), "warn" or "bad" (a note), else a plain rule.

    `title` is the bold start of a note. `state`: the business state that it is about.
    `due_at`: when it will happen. `action`: what a button of the line asks for, shown while it makes sense.
    """

    icon: str
    words: str
    tone: str = ""
    title: str = ""
    action: str = ""
    state: str = ""
    due_at: str = ""
    href: str = ""


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
    return Line(
        "octagon-pause", f"{payload['name'] or 'Another agent'}: {payload.get('content') or 'stop'}", "interrupt"
    )


def _trigger(payload: Payload, event: Envelope) -> Line:
    return Line("webhook", f"{payload['trigger']} arrived")


def _state(payload: Payload, event: Envelope) -> Line | None:
    to, by = payload["to_state"], f", set by {payload['by']}" if payload.get("by") else ""
    if not payload["accepted"]:
        return Line("flag", f"The move to {to} was not allowed")
    if to and to != payload["from_state"]:
        return Line("flag", f"State{by}", state=to)
    return Line("flag", f"Variables changed{by}") if payload.get("set") or by else None


def _started(payload: Payload, event: Envelope) -> Line | None:
    if event["seq"] != 1 or event["pos"] == 1:
        return None
    return Line("play", f"{event['agent']} started anew. It was shown the last answer from before.")


def _paused(payload: Payload, event: Envelope) -> Line:
    words = f"Paused by {payload['by']}" if payload["by"] else f"Paused. {payload['reason']}".strip()
    return Line("pause", words, action="resume")


def _resumed(payload: Payload, event: Envelope) -> Line:
    who = payload["by"] or "a person"
    if payload["reason"] == "limit":
        raised = ", ".join(f"{name} to {value:g}" for name, value in (payload.get("limits") or {}).items())
        return Line("gauge", f"{who} raised a limit: {raised}")
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
        case "budget.tokens" | "budget.usd":
            unit = "tokens" if payload["what"] == "budget.tokens" else "US dollars"
            title, words = (
                f"The budget of {limit:g} {unit} is used up.",
                "It pauses until a supervisor raises the limit.",
            )
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
    words = payload.get("question") or payload.get("reason") or ""
    id_ = f"x_{event['rollout'].removeprefix('r_')}_{event['seq']}"
    return Line("life-buoy", words, "warn", f"{event['agent']} asks a supervisor.", href=f"/escalations/{id_}")


def _message(payload: Payload, event: Envelope) -> Line | None:
    to = (payload.get("args") or {}).get("to") or "another agent"
    if payload.get("status", "ok") != "ok":
        return Line("bot-message-square", f"A message to {to} could not be sent")
    return Line("bot-message-square", f"{event['agent']} to {to}: {one_line(payload['content'])}")


def _agent_stop(payload: Payload, event: Envelope) -> Line | None:
    to = (payload.get("args") or {}).get("to") or "another agent"
    return Line("octagon-pause", f"{event['agent']} interrupted {to}: {one_line(payload['content']) or 'stop'}")


def _timer_cancel(payload: Payload, event: Envelope) -> Line | None:
    if payload.get("status", "ok") != "ok":
        return None
    note = one_line(payload.get("note", ""))
    return Line("alarm-clock-off", f"Timer cancelled: {note}" if note else "Timer cancelled")


def _compacted(payload: Payload, event: Envelope) -> Line:
    return Line("scroll-text", "The oldest turns were summarised for the model. The events stay.")


def _timer_set(payload: Payload, event: Envelope) -> Line | None:
    if payload.get("status", "ok") != "ok":
        return None
    words = f"Timer set: {payload['note']}" if payload["note"] else "Timer set"
    return Line("timer", words, due_at=instant(payload["due_at"]) if payload.get("due_at") else "")


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
    "timer.cancel": _timer_cancel,
    "agent.message": _message,
    "agent.interrupt": _agent_stop,
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
