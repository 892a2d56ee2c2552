"""The marks of one row of the waterfall: points, bars of model calls and tools, waits, cuts and failed attempts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from studio.queries.instants import microseconds_of
from studio.queries.trajectory import Envelope, Kind, Node
from studio.web.waterfall import Interval, TimeScale

LEAST_WIDTH, LEAST_WAIT = 0.5, 3.0  # per cent; a wait is seen even where its time is collapsed
POINTS = {"input": "input", "interrupt": "interrupt", "thinking": "thought", "action": "action"}


@dataclass(frozen=True, slots=True)
class Shape:
    """`kind`: input, interrupt, thought, action, record (points); model, tool, failed, wait, cut, running (bars).
    `x` and `width` in per cent."""

    kind: str
    x: float
    width: float = 0.0

    @property
    def is_bar(self) -> bool:
        return self.kind in ("model", "tool", "failed", "wait", "cut", "running")


Bar = tuple[str, int, int]
"""Kind, start and end in microseconds."""


def at_of(event: Envelope) -> int:
    """When it was recorded, in microseconds."""
    return microseconds_of(datetime.fromisoformat(event["at"]))


def bars_of(node: Node, now: int) -> list[Bar]:
    """What the node did over time; a bar that has not ended reaches to `now`."""
    match node.kind:
        case Kind.STEP:
            return _attempts(node, now)
        case Kind.CALL:
            return _call(node, now)
        case _:
            return []


def busy_of(nodes: Iterable[Node], now: int) -> list[Interval]:
    """When the rollout was at work, and the moments of its other events. Waiting for a person is no work."""
    found: list[Interval] = []
    for top in nodes:
        for node in top.walk():
            found += [(start, end) for kind, start, end in bars_of(node, now) if kind != "wait"]
            found += [(at, at) for event in node.events if not event.get("hidden") for at in (at_of(event),)]
    return found


def shapes_of(node: Node, scale: TimeScale, now: int) -> list[Shape]:
    """The marks of the node's row."""
    if node.kind is Kind.HIDDEN:
        return []
    bars = bars_of(node, now)
    if not bars:
        return [Shape(POINTS.get(node.head["category"], "record"), scale.x(at_of(node.head)))]
    shapes = []
    for kind, start, end in bars:
        least = LEAST_WAIT if kind == "wait" else LEAST_WIDTH
        x = min(scale.x(start), 100 - least)
        shapes.append(Shape(kind, x, max(least, round(scale.x(end) - x, 2))))
    return shapes


def seconds_of(bars: Iterable[Bar]) -> float:
    """How long all of it took, waits included."""
    return sum(end - start for _, start, end in bars) / 1_000_000


def _attempts(node: Node, now: int) -> list[Bar]:
    bars: list[Bar] = []
    start: int | None = None
    for event in node.events:
        if event["type"] == "step.started":
            start = at_of(event)
        elif start is not None:
            bars.append((_attempt_kind(event), start, at_of(event)))
            start = None
    return bars if start is None else [*bars, ("running", start, max(start, now))]


def _attempt_kind(ended: Envelope) -> str:
    if ended["type"] == "step.completed":
        return "model"
    return "cut" if ended["payload"].get("why") == "urgent" else "failed"


def _call(node: Node, now: int) -> list[Bar]:
    """Attempts that were followed by another one failed; between a question and its decision it waits."""
    bars: list[Bar] = []
    kind, start, is_begun = "tool", at_of(node.head), False
    for event in node.events[1:]:
        at = at_of(event)
        match event["type"]:
            case "tool.started":
                if event["payload"].get("attempt", 1) > 1:
                    bars.append(("failed", start, at))
                kind, start, is_begun = "tool", at, True
            case "approval.request" if kind != "wait":
                if is_begun:
                    bars.append(("cut", start, at))
                kind, start = "wait", at
            case "approval.decision":
                bars.append((kind, start, at))
                kind, start = "tool", at
            case "agent.input" if event["payload"].get("final"):
                return [*bars, (_result_kind(event), start, at)]
            case "tool.result" if not event["payload"].get("late") and event["payload"].get("role") != "rollback":
                return [*bars, (_result_kind(event), start, at)]
    return [*bars, ("wait" if kind == "wait" else "running", start, max(start, now))]


def _result_kind(result: Envelope) -> str:
    match result["payload"].get("status"):
        case "ok":
            return "tool"
        case "cancelled":
            return "cut"
        case _:
            return "failed"
