"""What is known of one event beside its texts: figures, times, what caused it and what it led to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from studio.queries.trajectory import Envelope, Kind, Node
from studio.templatetags.quantities import usd
from studio.web.event_words import ABORT_WORDS, STATUS_WORDS, VERDICT_WORDS, took, words_of
from studio.web.trajectory_page import TrajectoryPage
from studio.web.waterfall_shapes import at_of, bars_of, seconds_of

MOST_LINKS = 12


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the overview. `at`: an RFC 3339 time; `seq`: a link to that event; `exact`: monospaced."""

    label: str
    text: str = ""
    at: str = ""
    links: tuple["Link", ...] = ()
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    seq: int
    words: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a model call or a tool."""

    number: int
    at: str
    outcome: str
    tone: str
    took: str
    error: str = ""


def facts_of(page: TrajectoryPage, node: Node, event: Envelope) -> list[Fact]:
    """The lines of the overview, for the event at which one stands and the node that it belongs to."""
    if event.get("hidden"):
        return [Fact("Why", "Your role may see that this event happened, and its number, but not what it says.")]
    facts = [Fact("What", event["type"], exact=True)]
    if node.kind is Kind.STEP:
        facts += _step_facts(node)
    elif node.kind is Kind.CALL:
        facts += _call_facts(node)
    if event["received_at"] != event["at"]:
        facts.append(Fact("Accepted", at=event["received_at"]))
    facts.append(Fact("Recorded", at=event["at"]))
    bars = bars_of(node, page.now)
    if bars:
        facts.append(Fact("Took", took(seconds_of(bars))))
    facts.append(Fact("Source", _source(event), exact=event["source"] not in ("system", "agent")))
    if event["urgent"]:
        facts.append(Fact("Urgent", "It cancelled the work in progress."))
    return facts + _relations(page, node, event)


def attempts_of(node: Node) -> list[Attempt]:
    """The tries of a model call, if there was more than one or one failed."""
    if node.kind is not Kind.STEP:
        return []
    found = []
    for event in node.events:
        if event["type"] == "step.started":
            found.append(Attempt(event["payload"].get("attempt", 1), event["at"], "running", "accent", ""))
            began = at_of(event)
        elif found:
            payload = event["payload"]
            is_done = event["type"] == "step.completed"
            outcome = "worked" if is_done else ABORT_WORDS.get(str(payload.get("why")), "failed")
            tone = "ok" if is_done else "irq" if payload.get("why") == "urgent" else "bad"
            seconds = (at_of(event) - began) / 1_000_000
            found[-1] = Attempt(
                found[-1].number, found[-1].at, outcome, tone, took(seconds), str(payload.get("error") or "")
            )
    return found if len(found) > 1 or any(attempt.error for attempt in found) else []


def _source(event: Envelope) -> str:
    known = {"system": "the studio", "agent": "the agent"}
    name = event["payload"].get("name") or event["payload"].get("by")
    return known.get(event["source"]) or str(name or event["source"])


def _step_facts(node: Node) -> list[Fact]:
    started, ended = node.all("step.started")[-1]["payload"], node.last("step.completed") or node.last("step.aborted")
    facts = [Fact("Model", str(started.get("model", "")), exact=True)]
    if started.get("withheld"):
        facts.append(Fact("Tools", "Withheld, so that the model had to answer in words."))
    if ended is None:
        return facts
    payload = ended["payload"]
    cost = payload.get("cost_usd")
    if ended["type"] == "step.aborted":
        facts += [Fact("Ended", ABORT_WORDS.get(str(payload.get("why")), "")), *_given(payload, _ABORT_FACTS)]
        return facts if cost is None else [*facts, Fact("Cost, about", usd(cost))]
    facts += [*_given(payload, _STEP_FACTS), Fact("Cost", "unknown" if cost is None else usd(cost))]
    return facts


_STEP_FACTS = (
    ("tokens_in", "Tokens in"),
    ("tokens_cached", "of them cached"),
    ("tokens_out", "Tokens out"),
    ("tokens_reasoning", "of them thinking"),
    ("ms_to_first_token", "To the first word"),
    ("finish_reason", "Ended with"),
)
_ABORT_FACTS = (("error", "Why"), ("tokens_in", "Tokens in, about"), ("tokens_out", "Tokens out, about"))


def _given(payload: Any, wanted: Sequence[tuple[str, str]]) -> list[Fact]:
    found = [(label, key, payload.get(key)) for key, label in wanted]
    return [Fact(label, _said(key, value)) for label, key, value in found if value not in (None, "")]


def _said(key: str, value: Any) -> str:
    if key.startswith("ms"):
        return f"{value} ms"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _call_facts(node: Node) -> list[Fact]:
    facts = [Fact("Call", str(node.head["payload"].get("call_id", "")), exact=True)]
    result = node.last("tool.result")
    if result is not None:
        facts.append(Fact("Result", STATUS_WORDS.get(str(result["payload"].get("status")), "")))
        facts.append(Fact("Answered", at=result["at"]))
        facts.append(Fact("Tries", str(result["payload"].get("attempts", 1))))
    for decision in node.all("approval.decision"):
        verdict = VERDICT_WORDS.get(str(decision["payload"].get("verdict")), "")
        facts.append(Fact("Decided", f"{decision['payload'].get('by', '')}: {verdict}", at=decision["at"]))
    return facts


def _relations(page: TrajectoryPage, node: Node, event: Envelope) -> list[Fact]:
    by_seq = {item["seq"]: item for item in page.envelopes}
    causes = [item for item in _causes(page, node, event, by_seq) if item is not None]
    covers = set(node.covers)
    effects = [item for item in page.envelopes if item.get("cause") in covers and item["seq"] not in covers]
    effects += [child.head for child in node.children] + _answering(page, event)
    facts = []
    if causes:
        facts.append(Fact("Caused by", links=_links(causes)))
    if effects:
        facts.append(Fact("Led to", links=_links(effects)))
    return facts


def _causes(page: TrajectoryPage, node: Node, event: Envelope, by_seq: dict[int, Envelope]) -> list[Envelope | None]:
    """What it answers: its recorded cause, or, of a model call, the newest events that it was shown."""
    if event.get("cause"):
        return [by_seq.get(event["cause"])]
    if node.kind is Kind.STEP:
        seen = node.head["payload"].get("seen", 0)
        since = max((n.head["payload"].get("seen", 0) for n in _steps(page) if n.seq < node.seq), default=0)
        return [
            item
            for item in page.envelopes[since:seen]
            if item.get("category") in ("input", "interrupt") or item.get("hidden")
        ]
    if event.get("step") is not None:
        started = next((n for n in _steps(page) if n.head["step"] == event["step"]), None)
        return [started.head if started is not None else None]
    return []


def _answering(page: TrajectoryPage, event: Envelope) -> list[Envelope]:
    """The first model call that was shown this input."""
    if event.get("category") not in ("input", "interrupt"):
        return []
    for node in _steps(page):
        if node.head["payload"].get("seen", 0) >= event["seq"]:
            return [node.head]
    return []


def _steps(page: TrajectoryPage) -> list[Node]:
    return [node for node in page.tree if node.kind is Kind.STEP]


def _links(events: Sequence[Envelope]) -> tuple[Link, ...]:
    return tuple(Link(event["seq"], _link_words(event)) for event in events[:MOST_LINKS])


def _link_words(event: Envelope) -> str:
    if event.get("type") == "step.started":
        return f"llm_{event['step']}"
    words = words_of(event)
    return words.title if words.title != words.name else words.name
