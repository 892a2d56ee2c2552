"""One step of an agent as one message: its thoughts, its words and its calls, as far as they have come."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

type Envelope = Mapping[str, Any]

GIVEN_LENGTH = 120
ENDINGS: dict[str, tuple[str, str]] = {
    "ok": ("done", "ok"),
    "error": ("failed", "bad"),
    "denied": ("denied", "bad"),
    "cancelled": ("stopped", "irq"),
    "timed_out": ("timed out", "bad"),
    "unknown": ("outcome unknown", "warn"),
    "limit": ("limit reached", "warn"),
}
"""How a call ended: the word on its badge, and the badge's tone."""


@dataclass(slots=True)
class Decision:
    """A question about a call. `args` is the exact text for those who may decide; `verdict` is empty while open."""

    id: str
    why: str
    may_decide: bool
    args: str = ""
    expires_at: int = 0
    verdict: str = ""
    by: str = ""
    at: str = ""
    reason: str = ""

    @property
    def said(self) -> str:
        words = {"run_again": "run it again", "happened": "it happened", "skip": "skip it"}
        return words.get(self.verdict, self.verdict)


@dataclass(slots=True)
class CallCard:
    """One call. `args` and `result` are empty for who may not see them."""

    id: str
    rollout: str
    tool: str
    mode: str
    args: str = ""
    given: str = ""
    attempt: int = 0
    status: str = ""
    result: str = ""
    kept: int = 0
    ms: int = 0
    is_late: bool = False
    since: str = ""
    decisions: list[Decision] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"call-{self.rollout}-{self.id.replace('.', '-')}"

    @property
    def asked(self) -> Decision | None:
        """The question that is open."""
        return next((item for item in self.decisions if not item.verdict), None)

    @property
    def word(self) -> str:
        if self.asked is not None:
            return "needs a decision"
        if self.status:
            return ENDINGS[self.status][0]
        if self.attempt > 1:
            return f"try {self.attempt}"
        return "running" if self.attempt else "starting"

    @property
    def tone(self) -> str:
        if self.asked is not None or (self.attempt > 1 and not self.status):
            return "warn"
        return ENDINGS[self.status][1] if self.status else "accent" if self.attempt else ""

    @property
    def is_running(self) -> bool:
        return bool(self.attempt) and not self.status and self.asked is None

    @property
    def seconds(self) -> float | None:
        return self.ms / 1000 if self.status and self.status != "limit" else None

    @property
    def is_done(self) -> bool:
        """Ended well and nothing is asked: it may be folded away."""
        return self.status == "ok" and not self.decisions

    @property
    def has_body(self) -> bool:
        return bool(self.args or self.result or self.kept)


@dataclass(slots=True)
class Done:
    """Two or more calls in a row that ended well, folded into one line."""

    calls: list[CallCard]

    @property
    def key(self) -> str:
        return f"done-{self.calls[0].key}"

    @property
    def names(self) -> str:
        return ", ".join(call.tool for call in self.calls)

    @property
    def seconds(self) -> float:
        return sum(call.ms for call in self.calls) / 1000


@dataclass(slots=True)
class Words:
    """A text of the agent: `kind` output or thought."""

    kind: str
    text: str
    is_cut: bool = False
    key: str = ""


@dataclass(slots=True)
class StepMessage:
    """`state`: thinking (nothing yet), cut, or empty for a message that is finished. `fault`: why an attempt failed."""

    session: str
    rollout: str
    step: int
    agent: str
    at: str
    pos: int
    state: str = ""
    parts: list[Words | CallCard | Done] = field(default_factory=list)
    fault: str = ""
    retry_at: int = 0
    ending: str = ""

    @property
    def id(self) -> str:
        return f"step-{self.rollout}-{self.step}"


def step_message(envelopes: Sequence[Envelope]) -> StepMessage | None:
    """The message of the step whose events these are, in order; None if nothing of it is to be seen.

    A question that carries its arguments as `asked` is one that the viewer may decide.
    """
    first = envelopes[0]
    number = first["step"] if first["step"] is not None else int(first["payload"]["call_id"].partition(".")[0])
    message = StepMessage(first["session"], first["rollout"], number, first["agent"], first["at"], first["pos"])
    calls: dict[str, CallCard] = {}
    for event in envelopes:
        _take(message, calls, event)
    if not message.parts and not message.fault and message.state != "thinking":
        return None
    message.parts = _folded(message.parts)
    return message


def _take(message: StepMessage, calls: dict[str, CallCard], event: Envelope) -> None:
    payload, call = event["payload"], calls.get(event["payload"].get("call_id", ""))
    match event["type"]:
        case "step.started":
            message.state, message.fault, message.at = "thinking", "", event["at"]
        case "step.completed":
            message.state, message.ending = "", _ending(payload.get("finish_reason", ""))
        case "step.aborted":
            _abort(message, payload)
        case "agent.thought":
            message.parts.append(Words("thought", payload["content"], key=f"thought-{event['rollout']}-{event['seq']}"))
        case "agent.output":
            message.parts.append(Words("output", payload["content"], payload["interrupted"]))
            message.state = "cut" if payload["interrupted"] else message.state
        case "tool.request":
            calls[payload["call_id"]] = card = _card(event)
            message.parts.append(card)
        case "tool.started" if call is not None:
            call.attempt, call.status = payload["attempt"], ""
            call.since = event["at"]
        case "tool.result" if call is not None:
            _end(call, payload)
        case "approval.request" if call is not None:
            call.decisions.append(_decision(call, event))
        case "approval.decision" if call is not None:
            _decide(call, event)


def _abort(message: StepMessage, payload: Mapping[str, Any]) -> None:
    message.state = "cut" if message.state == "cut" else ""
    if payload["why"] == "error":
        message.fault, message.retry_at = payload["error"] or "The model gave no answer.", payload["retry_at"]
    elif payload["why"] == "restart":
        message.parts.clear()


def _card(event: Envelope) -> CallCard:
    payload = event["payload"]
    args = payload.get("args")
    shown = _written(args) or payload.get("args_raw", "")
    given = ", ".join(_short(value) for value in args.values()) if args else shown
    return CallCard(
        payload["call_id"], event["rollout"], payload["tool"], payload["mode"], shown, given[:GIVEN_LENGTH],
        since=event["at"],
    )  # fmt: skip


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text[:GIVEN_LENGTH].split())


def _end(call: CallCard, payload: Mapping[str, Any]) -> None:
    call.status, call.ms, call.is_late = payload["status"], payload["ms"], payload["late"]
    call.attempt = max(call.attempt, payload["attempts"])
    call.result = _pretty(payload.get("content", ""))
    artifact = payload.get("artifact")
    call.kept = artifact["characters"] if artifact else 0


def _pretty(text: str) -> str:
    """JSON in lines; anything else as it is."""
    if text[:1] not in "{[" or not text:
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _decision(call: CallCard, event: Envelope) -> Decision:
    payload = event["payload"]
    id_ = f"a_{event['rollout'].removeprefix('r_')}_{event['seq']}"
    return Decision(
        id_, payload["why"], "asked" in event, _written(event.get("asked")) or call.args, payload["expires_at"]
    )


def _written(args: Any) -> str:
    """Arguments as they are shown: exact and whole."""
    return args if isinstance(args, str) else json.dumps(args, indent=2, ensure_ascii=False) if args else ""


def _decide(call: CallCard, event: Envelope) -> None:
    payload, asked = event["payload"], call.asked
    if asked is not None:
        asked.verdict, asked.by, asked.at = payload["verdict"], payload["by"] or "A person", event["at"]
        asked.reason = payload["reason"]
    if payload["verdict"] == "run_again":
        call.status, call.attempt = "", 0


def _ending(finish_reason: str) -> str:
    match finish_reason:
        case "length":
            return "The answer stopped at the longest length that the model may give."
        case "content_filter" | "refusal":
            return "The model refused to answer."
        case _:
            return ""


def _folded(parts: list[Words | CallCard | Done]) -> list[Words | CallCard | Done]:
    """Two or more calls in a row that are done become one line."""
    folded: list[Words | CallCard | Done] = []
    for part in parts:
        last = folded[-1] if folded else None
        if isinstance(part, CallCard) and part.is_done and isinstance(last, Done):
            last.calls.append(part)
        elif isinstance(part, CallCard) and part.is_done and isinstance(last, CallCard) and last.is_done:
            folded[-1] = Done([last, part])
        else:
            folded.append(part)
    return folded
