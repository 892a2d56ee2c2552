"""The rows of the trajectory page: nodes of the tree, or events of the log, with words and figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio.queries.trajectory import Envelope, Kind, Node
from studio.templatetags.quantities import usd
from studio.web.event_words import VERDICT_WORDS, one_line, took, words_of
from studio.web.trajectory_lines import Line, step_name
from studio.web.waterfall import TimeScale
from studio.web.waterfall_shapes import Shape, bars_of, seconds_of, shapes_of

if TYPE_CHECKING:
    from studio.web.trajectory_nested import Nested

Badge = tuple[str, str]
"""Words and tone."""

_CALL_BADGES: dict[str, Badge] = {
    "error": ("failed", "bad"),
    "denied": ("denied", "bad"),
    "cancelled": ("stopped", "irq"),
    "timed_out": ("out of time", "bad"),
    "unknown": ("outcome unknown", "warn"),
    "limit": ("not run", "warn"),
}
_FINISH_BADGES: dict[str, Badge] = {
    "length": ("ends early", "warn"),
    "content_filter": ("refused", "warn"),
    "refusal": ("refused", "warn"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `open`: None has no rows under it. `parent`: seq of the row that folds it away, 0 at the top.

    `child`: the rollout of the agent that was called; `nested`: what stands under its call.
    """

    node: Node
    seq: int
    parent: int
    category: str
    icon: str
    title: str
    words: str
    badge: Badge | None
    time: str
    tokens: str
    cost: str
    shapes: Sequence[Shape]
    open: bool | None
    is_folded: bool = False
    child: str = ""
    nested: "Nested | None" = None

    @property
    def depth(self) -> int:
        return 1 if self.parent else 0

    @property
    def level(self) -> int:
        return self.depth + 1

    @property
    def covers(self) -> str:
        return " ".join(map(str, self.node.covers))


def rows_of(lines: Iterable[Line], scale: TimeScale, now: int, *, is_log: bool) -> list[Row]:
    """The rows of these lines; in the log by their exact types."""
    return [_log_row(line, scale, now) if is_log else _row(line, scale, now) for line in lines]


def _log_row(line: Line, scale: TimeScale, now: int) -> Row:
    words = words_of(line.node.head)
    said = words.line or (words.title if words.title != words.name else words.name)
    return _plain(line, scale, now, line.node.head.get("type", "hidden"), said)


def _row(line: Line, scale: TimeScale, now: int) -> Row:
    match line.node.kind:
        case Kind.STEP:
            return _step_row(line, scale, now)
        case Kind.CALL:
            return _call_row(line, scale, now)
        case _:
            words = words_of(line.node.head)
            return _plain(line, scale, now, words.title, " · ".join(part for part in (line.note, words.line) if part))


def _plain(line: Line, scale: TimeScale, now: int, title: str, said: str) -> Row:
    event = line.node.head
    figures = _figures(event) if event.get("type") in ("step.completed", "step.aborted") else ("", "")
    milliseconds = event["payload"].get("ms") if event.get("type") in ("step.completed", "tool.result") else None
    return Row(
        node=line.node,
        seq=line.seq,
        parent=line.parent,
        category=event.get("category", "hidden"),
        icon=words_of(event).icon,
        title=title,
        words=said,
        badge=_event_badge(event),
        time=took(milliseconds / 1000) if milliseconds is not None else "",
        tokens=figures[0],
        cost=figures[1],
        shapes=shapes_of(line.node, scale, now),
        open=None,
        is_folded=line.is_folded,
    )


def _step_row(line: Line, scale: TimeScale, now: int) -> Row:
    node = line.node
    bars = bars_of(node, now)
    tokens, cost = _step_figures(node)
    return Row(
        node=node,
        seq=node.seq,
        parent=0,
        category="thinking",
        icon="sparkles",
        title=step_name(node.head),
        words=_step_words(node),
        badge=_step_badge(node),
        time=took(seconds_of(bars)),
        tokens=tokens,
        cost=cost,
        shapes=shapes_of(node, scale, now),
        open=line.open,
    )


def _call_row(line: Line, scale: TimeScale, now: int) -> Row:
    node, payload = line.node, line.node.head["payload"]
    result = _result_of(node)
    return Row(
        node=node,
        seq=node.seq,
        parent=line.parent,
        category="action",
        icon="git-fork" if payload.get("child_rollout") else "wrench",
        title=str(payload.get("agent") or payload.get("tool", "")),
        words=_call_words(node, result),
        badge=_call_badge(node, result),
        time=took(seconds_of(bars_of(node, now))) if result else "",
        tokens="",
        cost="",
        shapes=shapes_of(node, scale, now),
        open=None,
        is_folded=line.is_folded,
        child=str(payload.get("child_rollout", "")),
    )


def _result_of(node: Node) -> Envelope | None:
    """What ended the call: its own result, or the last answer of the agent that was called."""
    own = (
        event
        for event in node.all("tool.result")
        if not event["payload"].get("late") and event["payload"].get("role") != "rollback"
    )
    return next(own, None) or next((event for event in node.all("agent.input") if event["payload"].get("final")), None)


def _step_words(node: Node) -> str:
    calls = [child.head["payload"] for child in node.children if child.kind is Kind.CALL]
    agents = sum(bool(call.get("child_rollout")) for call in calls)
    said = [child.head for child in node.children if child.head.get("type") == "agent.output"]
    parts = []
    for count, word in ((len(calls) - agents, "tool"), (agents, "agent")):
        if count:
            parts.append(f"1 {word}" if count == 1 else f"{count} {word}s")
    if said:
        content = one_line(str(said[-1]["payload"].get("content") or ""))
        parts.append(f"“{content}{'…' if said[-1]['payload'].get('interrupted') else ''}”")
    aborted = node.last("step.aborted")
    if not parts and aborted is not None and not node.all("step.completed"):
        parts.append(one_line(str(aborted["payload"].get("error") or "")))
    return " · ".join(parts)


def _step_badge(node: Node) -> Badge | None:
    ended = next((event for event in reversed(node.events) if event["type"] != "step.started"), None)
    attempts = len(node.all("step.started"))
    if node.events[-1]["type"] == "step.started":
        return ("running", "accent") if attempts == 1 else (f"try {attempts}", "warn")
    if ended is not None and ended["type"] == "step.aborted":
        why = ended["payload"].get("why")
        return {"urgent": ("cut off", "irq"), "restart": ("restarted", "warn")}.get(str(why), ("failed", "bad"))
    finish = _FINISH_BADGES.get(str(ended["payload"].get("finish_reason"))) if ended is not None else None
    return finish or (("retried", "warn") if attempts > 1 else None)


def _step_figures(node: Node) -> tuple[str, str]:
    ended = node.last("step.completed") or node.last("step.aborted")
    return _figures(ended) if ended is not None else ("", "")


def _figures(ended: Envelope) -> tuple[str, str]:
    """Tokens in and out, and cost; of a call that was given up the tokens are estimates and the cost unknown."""
    payload: Any = ended["payload"]
    into, out = payload.get("tokens_in"), payload.get("tokens_out")
    known = into is not None or out is not None
    if ended["type"] == "step.aborted":
        return (f"{_count(into, '~')} → {_count(out, '~')}" if known else "", "")
    cost = payload.get("cost_usd")
    return f"{_count(into)} → {_count(out)}" if known else "unknown", "unknown" if cost is None else usd(cost)


def _count(tokens: int | None, about: str = "") -> str:
    return "?" if tokens is None else f"{about}{tokens:,}"


def _call_words(node: Node, result: Envelope | None) -> str:
    decision = node.last("approval.decision")
    verdict = VERDICT_WORDS.get(decision["payload"].get("verdict", ""), "") if decision else ""
    by = f"{decision['payload'].get('by')}: {verdict}" if decision else ""
    answer = words_of(result).line if result is not None else words_of(node.head).line
    return " · ".join(part for part in (by, answer) if part)


def _call_badge(node: Node, result: Envelope | None) -> Badge | None:
    asked, decided = len(node.all("approval.request")), len(node.all("approval.decision"))
    needed = max((event["payload"].get("needed", 1) for event in node.all("approval.request")), default=1)
    is_half = needed > 1 and result is None and 0 < decided < needed and not node.all("tool.started")
    if is_half and all(event["payload"].get("verdict") == "approve" for event in node.all("approval.decision")):
        return (f"{decided} of {needed} approved", "warn")
    if asked > decided:
        return ("needs a decision", "warn")
    if result is None:
        return ("running", "accent")
    badge = _CALL_BADGES.get(str(result["payload"].get("status")))
    return badge or (("retried", "warn") if result["payload"].get("attempts", 1) > 1 else None)


def _event_badge(event: Envelope) -> Badge | None:
    payload = event.get("payload", {})
    match event.get("type"):
        case "agent.output" if payload.get("interrupted"):
            return ("cut off", "irq")
        case "user.input" if payload.get("now"):
            return ("sent now", "irq")
        case "tool.result":
            return _CALL_BADGES.get(str(payload.get("status")))
        case "step.aborted":
            return {"urgent": ("cut off", "irq"), "restart": ("restarted", "warn")}.get(
                str(payload.get("why")), ("failed", "bad")
            )
        case "step.completed":
            return _FINISH_BADGES.get(str(payload.get("finish_reason")))
    return None
