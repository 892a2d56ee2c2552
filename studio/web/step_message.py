"""One step of an agent as one message: its thoughts, its words and its calls, as far as they have come."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.web.answer_rows import answer_rows
from studio.web.call_card import AgentCard, CallCard, Done, agent_card
from studio.web.decision_card import decision_card, pretty, take_decision
from studio.web.question_card import QuestionCard, close_question, question_card

type Envelope = Mapping[str, Any]

GIVEN_LENGTH = 120


@dataclass(slots=True)
class Words:
    """A text of the agent: `kind` output or thought. `to` is the name of the one person that it is for.

    `rows`: an answer that is a JSON object, as names and values; `problem`: why an answer was not taken.
    """

    kind: str
    text: str
    is_cut: bool = False
    key: str = ""
    to: str = ""
    problem: str = ""
    rows: Sequence[tuple[str, str]] = ()


type Part = Words | CallCard | AgentCard | QuestionCard | Done


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
    parts: list[Part] = field(default_factory=list)
    fault: str = ""
    retry_at: int = 0
    ending: str = ""

    @property
    def id(self) -> str:
        return f"step-{self.rollout}-{self.step}"

    def keep_for_people(self) -> bool:
        """Leaves only what a sub-agent says to people or asks them; whether there is anything."""
        self.parts = [part for part in self.parts if _is_for_people(part)]
        self.state = self.fault = ""
        return bool(self.parts)


def step_message(envelopes: Sequence[Envelope]) -> StepMessage | None:
    """The message of the step whose events these are, in order; None if nothing of it is to be seen.

    A question that carries its arguments as `asked` is one that the viewer may decide.
    """
    first = envelopes[0]
    number = first["step"] if first["step"] is not None else int(first["payload"]["call_id"].partition(".")[0])
    message = StepMessage(first["session"], first["rollout"], number, first["agent"], first["at"], first["pos"])
    calls: dict[str, CallCard | AgentCard | QuestionCard] = {}
    for event in envelopes:
        _take(message, calls, event)
    for call in calls.values():
        if isinstance(call, CallCard) and (asked := call.asked) is not None:
            asked.end()
    if not message.parts and not message.fault and message.state != "thinking":
        return None
    message.parts = _folded(message.parts)
    return message


def _is_for_people(part: Part) -> bool:
    match part:
        case Words(kind="output", to=to):
            return bool(to)
        case CallCard(decisions=decisions):
            return bool(decisions)
        case _:
            return isinstance(part, QuestionCard)


def _take(message: StepMessage, calls: dict[str, CallCard | AgentCard | QuestionCard], event: Envelope) -> None:
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
        case "agent.output" if payload.get("waits"):
            calls[payload["call_id"]] = question = question_card(event)
            message.parts.append(question)
        case "agent.output":
            to = payload.get("to_name", "") if payload.get("to") else ""
            message.parts.append(_words(event, to))
            message.state = "cut" if payload["interrupted"] else message.state
        case "agent.invocation":
            calls[payload["call_id"]] = agent = agent_card(event)
            message.parts.append(agent)
        case "tool.request":
            calls[payload["call_id"]] = card = _card(event)
            message.parts.append(card)
        case _ if call is not None:
            _take_of_call(call, event)


def _words(event: Envelope, to: str) -> Words:
    payload = event["payload"]
    rows = answer_rows(payload["content"]) if payload.get("structured") else ()
    key = f"output-{event['rollout']}-{event['seq']}"
    return Words("output", payload["content"], payload["interrupted"], key, to, payload.get("problem", ""), rows)


def _take_of_call(call: CallCard | AgentCard | QuestionCard, event: Envelope) -> None:
    """What happened to a call after it was made."""
    match call:
        case CallCard():
            _take_of_tool(call, event)
        case AgentCard() if event["type"] in ("agent.input", "tool.result"):
            payload = event["payload"]
            if event["type"] == "tool.result" or payload.get("final"):
                call.is_over, call.status, call.until = True, payload.get("status", "ok"), event["at"]
            call.answer = payload.get("content", "") or call.answer
        case QuestionCard() if event["type"] == "tool.result":
            close_question(call, event)


def _take_of_tool(call: CallCard, event: Envelope) -> None:
    payload = event["payload"]
    match event["type"]:
        case "tool.started" if payload.get("role") == "rollback":
            call.undone = payload.get("tool", "")
        case "tool.started":
            call.attempt, call.status, call.since = payload["attempt"], "", event["at"]
            call.instead = payload.get("tool", "") if payload.get("role") == "fallback" else call.instead
        case "tool.result" if payload.get("role") != "rollback":
            _end(call, payload)
        case "approval.request":
            _ask(call, event)
        case "approval.decision":
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
    shown = pretty(args) or payload.get("args_raw", "")
    given = ", ".join(_short(value) for value in args.values()) if args else shown
    return CallCard(
        payload["call_id"], event["rollout"], payload["tool"], payload["mode"], shown, given[:GIVEN_LENGTH],
        since=event["at"], session=event["session"],
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
    if (asked := call.asked) is not None and payload["status"] != "unknown":
        asked.verdict = "withdrawn"


def _pretty(text: str) -> str:
    """JSON in lines; anything else as it is."""
    if text[:1] not in "{[" or not text:
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _ask(call: CallCard, event: Envelope) -> None:
    """Another question about the call; one that supervisors are asked takes the place of the one before."""
    if (before := call.asked) is not None:
        before.verdict, before.at = "escalated", event["at"]
    call.decisions.append(decision_card(event, tool=call.tool, args=call.args))


def _decide(call: CallCard, event: Envelope) -> None:
    payload, asked = event["payload"], call.asked
    if asked is not None:
        take_decision(asked, event)
        if asked.why == "transition" and asked.verdict:
            call.status = "ok" if asked.verdict == "approve" else "denied"
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


def _folded(parts: list[Part]) -> list[Part]:
    """Two or more calls in a row that are done become one line."""
    folded: list[Part] = []
    for part in parts:
        last = folded[-1] if folded else None
        if isinstance(part, CallCard) and part.is_done and isinstance(last, Done):
            last.calls.append(part)
        elif isinstance(part, CallCard) and part.is_done and isinstance(last, CallCard) and last.is_done:
            folded[-1] = Done([last, part])
        else:
            folded.append(part)
    return folded
