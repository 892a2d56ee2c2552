"""Each event in plain words: an icon, a title and one line. Made of envelopes, of which parts may be left out."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from studio.templatetags import events
from studio.templatetags.quantities import duration

Payload = Mapping[str, Any]
LINE_LENGTH = 200
SHORTEST = 0.05  # seconds; less would read as nothing


@dataclass(frozen=True, slots=True)
class Words:
    """`name`: what kind of thing it is. `title`: who or what. `line`: one line of what it says."""

    icon: str
    name: str
    title: str
    line: str


def words_of(event: Mapping[str, Any]) -> Words:
    """The words of one envelope."""
    if event.get("hidden"):
        return Words("eye-off", "Hidden event", "hidden", "You may not see this event.")
    entry = _WORDS.get(event["type"])
    if entry is None:
        return Words("circle", event["type"], event["type"], "")
    icon, name, title, line = entry
    payload = event["payload"]
    return Words(icon, name, one_line(title(payload)) or name, one_line(line(payload)))


def one_line(text: str) -> str:
    """The text on one line; of a long one its beginning."""
    return events.one_line(text, LINE_LENGTH)


def took(seconds: float) -> str:
    """How long something took; what is too short to be said is said to be."""
    return duration(seconds) if seconds >= SHORTEST else "<0.1s"


def _text(key: str) -> Callable[[Payload], str]:
    return lambda payload: str(payload.get(key) or "")


def _fixed(text: str) -> Callable[[Payload], str]:
    return lambda payload: text


def _begun(payload: Payload) -> str:
    return "asked what to keep of the turn" if payload.get("captures") else "model call began"


def _recalled(payload: Payload) -> str:
    keys = [str(entry["key"]) for entry in payload.get("entries") or ()]
    left = payload.get("left_out")
    return f"{', '.join(keys) or 'nothing'}{f', and {left} without room' if left else ''}"


def _stop_title(payload: Payload) -> str:
    name = payload.get("name") or "A person"
    if payload.get("call_id"):
        return f"{name} stopped one call"
    return f"{name} interrupted" if payload.get("content") else f"{name} pressed Stop"


def _request_line(payload: Payload) -> str:
    args = payload.get("args")
    if args is None:
        return str(payload.get("args_raw") or "")
    return ", ".join(f"{key}: {_short(value)}" for key, value in args.items())


STATUS_WORDS = {
    "ok": "done",
    "error": "failed",
    "denied": "denied",
    "cancelled": "stopped",
    "timed_out": "ran out of time",
    "unknown": "nobody knows how it ended",
    "limit": "not run, the limit was reached",
}
VERDICT_WORDS = {
    "approve": "approved",
    "deny": "denied",
    "run_again": "run it again",
    "happened": "it happened",
    "skip": "skip it",
}
ABORT_WORDS = {"urgent": "cut off", "error": "failed", "restart": "cut off by a restart"}


def _result_line(payload: Payload) -> str:
    content = _facts(str(payload.get("content") or ""))
    return content or STATUS_WORDS.get(payload.get("status", ""), "")


def _facts(text: str) -> str:
    """A JSON object as its values by name; any other text as it is."""
    try:
        value = json.loads(text) if text.startswith("{") else None
    except ValueError:
        return text
    return ", ".join(f"{key}: {_short(each)}" for key, each in value.items()) if isinstance(value, dict) else text


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _decision_line(payload: Payload) -> str:
    verdict = VERDICT_WORDS.get(payload.get("verdict", ""), "")
    return " · ".join(part for part in (verdict, str(payload.get("reason") or "")) if part)


def _asked_line(payload: Payload) -> str:
    if payload.get("why") == "unknown_outcome":
        return "The server stopped while this ran. Nobody knows whether it happened."
    if payload.get("why") == "transition":
        return f"May it move to {payload.get('to_state', '')}?"
    if payload.get("reason"):
        return f"May {payload['tool']} run? {payload['reason']}"
    return f"May {payload['tool']} run?" if payload.get("tool") else "A person has to decide first."


def _aborted_line(payload: Payload) -> str:
    why = ABORT_WORDS.get(payload.get("why", ""), "")
    return ": ".join(part for part in (why, str(payload.get("error") or "")) if part)


def _limit_line(payload: Payload) -> str:
    what = {
        "max_steps": "model calls in one turn",
        "max_tool_calls": "tool calls in one turn",
        "repeated_call": "times the same call in a row",
        "budget.tokens": "tokens for it and the agents that it calls",
        "budget.usd": "US dollars for it and the agents that it calls",
    }
    return f"{payload.get('limit', '')} {what.get(payload.get('what', ''), '')}"


def _by(action: str) -> Callable[[Payload], str]:
    return lambda payload: f"{action} by {payload['by']}" if payload.get("by") else action


def _state_title(payload: Payload) -> str:
    to = str(payload.get("to_state") or "")
    return to if payload.get("accepted", True) else f"{to}, not allowed"


def _started_title(payload: Payload) -> str:
    version = payload.get("agent_version")
    return (
        f"{payload.get('agent', '')} v{version} started"
        if version
        else f"A draft of {payload.get('agent', '')} started"
    )


def _resumed_title(payload: Payload) -> str:
    word = {"retry": "Tried again", "fork": "Forked", "limit": "Limit raised"}.get(payload.get("reason", ""), "Resumed")
    return f"{word} by {payload['by']}" if payload.get("by") else word


def _to_agent(payload: Payload) -> str:
    args = payload.get("args")
    return str((args.get("to") if isinstance(args, dict) else "") or payload.get("to_rollout") or "")


def _began_line(payload: Payload) -> str:
    instead = {"fallback": "in its place", "rollback": "to undo it"}.get(payload.get("role", ""), "")
    if instead:
        return f"{payload.get('tool', '')} {instead}"
    return f"try {payload.get('attempt', 1)}"


def _output_title(payload: Payload) -> str:
    if not payload.get("to_name"):
        return "reply"
    return f"question to {payload['to_name']}" if payload.get("waits") else f"to {payload['to_name']}"


_content, _reason, _name = _text("content"), _text("reason"), _text("name")
_WORDS: dict[str, tuple[str, str, Callable[[Payload], str], Callable[[Payload], str]]] = {
    "user.input": ("message-square", "Message from a person", _name, _content),
    "agent.input": ("bot-message-square", "Message from an agent", _name, _content),
    "tool.result": ("corner-down-left", "Tool answered", _fixed("answer"), _result_line),
    "external.trigger": ("webhook", "Outside event", _text("trigger"), lambda payload: str(payload.get("body") or "")),
    "approval.decision": ("circle-check", "Decision", _text("by"), _decision_line),
    "memory.recalled": ("book-user", "Memory was read", _fixed("memory"), _recalled),
    "supervisor.instruction": ("megaphone", "Supervisor instruction", _text("by"), _content),
    "user.interrupt": ("octagon-x", "Stopped by a person", _stop_title, _content),
    "agent.interrupt.received": ("octagon-x", "Interrupted by an agent", _name, _content),
    "timer.trigger": ("alarm-clock", "Timer went off", _fixed("timer went off"), _text("note")),
    "agent.thought": ("brain", "Thought", _fixed("thought"), _content),
    "agent.output": ("message-square-reply", "Reply to a person", _output_title, _content),
    "tool.request": ("wrench", "Tool call", _text("tool"), _request_line),
    "approval.request": ("circle-question-mark", "Question to a person", _fixed("question"), _asked_line),
    "state.update": ("flag", "State changed", _state_title, _reason),
    "agent.invocation": ("git-fork", "Called another agent", _text("agent"), _text("task")),
    "agent.response": ("reply", "Answered the calling agent", _fixed("answer"), _content),
    "agent.message": ("bot-message-square", "Message to an agent", _to_agent, _content),
    "agent.interrupt": ("octagon-pause", "Interrupted another agent", _to_agent, _content),
    "agent.escalation": ("life-buoy", "Asked a supervisor", _reason, _text("question")),
    "timer.set": ("timer", "Timer set", _fixed("timer set"), _text("note")),
    "timer.cancel": ("alarm-clock-off", "Timer cancelled", _fixed("timer cancelled"), _text("note")),
    "rollout.started": ("rocket", "Rollout started", _started_title, _text("by")),
    "rollout.paused": ("pause", "Paused", _by("Paused"), _reason),
    "rollout.resumed": ("play", "Resumed", _resumed_title, _text("why")),
    "rollout.moved": (
        "arrow-up-down",
        "Moved to another version",
        _by("Moved"),
        lambda p: f"v{p.get('agent_version')}",
    ),
    "rollout.completed": ("circle-check", "Finished", _by("Finished"), _reason),
    "rollout.failed": ("circle-x", "Failed", _fixed("Failed"), _text("error")),
    "rollout.cancelled": ("ban", "Cancelled", _by("Cancelled"), _reason),
    "step.started": ("sparkles", "Model call", _begun, _text("model")),
    "step.completed": ("sparkles", "Model call ended", _fixed("model call ended"), _text("finish_reason")),
    "step.aborted": ("sparkles", "Model call given up", _fixed("model call given up"), _aborted_line),
    "tool.started": ("play", "Tool began", _fixed("tool began"), _began_line),
    "limit.reached": ("gauge", "Limit reached", _fixed("Limit reached"), _limit_line),
    "context.compacted": ("chevrons-up-down", "Older turns were summarised", _fixed("summarised"), _fixed("")),
}
