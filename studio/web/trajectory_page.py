"""What the trajectory page shows for one query string: rows in windows, the tape to scrub on, counts and links."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils import timezone

from studio.models import Rollout
from studio.queries.instants import instant, microseconds_of
from studio.queries.trajectory import Envelope, Kind, Node, log_of, tree_of
from studio.web.scrubber import Scrubber, scrubber_of
from studio.web.trajectory_rows import Row, log_rows, rows_of
from studio.web.waterfall import TimeScale
from studio.web.waterfall_shapes import at_of, busy_of

WINDOW = 200
CATEGORIES = ("input", "interrupt", "thinking", "action", "lifecycle")
TABS = ("overview", "prompt", "answer", "changes", "json")
LIVE = ("queued", "running")


@dataclass(frozen=True, slots=True)
class Asked:
    """The query string: `e` (the seq at which one stands; 0 = now), `as`, `show`, `q` and `tab`."""

    e: int = 0
    is_log: bool = False
    shown: tuple[str, ...] = CATEGORIES
    q: str = ""
    tab: str = "overview"

    @classmethod
    def of(cls, query: QueryDict) -> "Asked":
        """What is not a choice is left out; no `show` at all, without `f`, means everything."""
        e, tab = query.get("e", ""), query.get("tab", "")
        chosen = tuple(category for category in CATEGORIES if category in query.getlist("show"))
        return cls(
            e=int(e) if e.isdecimal() and len(e) < 10 else 0,
            is_log=query.get("as") == "log",
            shown=chosen if chosen or "f" in query else CATEGORIES,
            q=query.get("q", "").strip()[:200],
            tab=tab if tab in TABS else "overview",
        )

    @property
    def is_filtered(self) -> bool:
        return self.shown != CATEGORIES or bool(self.q)

    @property
    def tree(self) -> str:
        """The same view as a tree."""
        return self.query(is_log=False, **({"e": self.e} if self.e else {}))

    @property
    def log(self) -> str:
        """The same view as a log."""
        return self.query(is_log=True, **({"e": self.e} if self.e else {}))

    def query(self, **changes: Any) -> str:
        """A query string with the same view, changed; without `e` and `tab` unless they are given."""
        parts: list[tuple[str, Any]] = [("as", "log")] if changes.pop("is_log", self.is_log) else []
        if self.shown != CATEGORIES:
            parts += [("f", 1), *(("show", category) for category in self.shown)]
        if self.q:
            parts.append(("q", self.q))
        return urlencode([*parts, *changes.items()])


@dataclass(frozen=True, slots=True)
class Window:
    """Up to 200 rows; without `rows` only their place is kept until it comes into view."""

    number: int
    first: int
    last: int
    count: int
    rows: Sequence[Row]

    @property
    def height(self) -> int:
        return 29 * self.count


class TrajectoryPage:
    """The rollout's envelopes, arranged as the query asks for."""

    def __init__(self, rollout: Rollout, envelopes: Sequence[Envelope], asked: Asked, gap: int | None = None) -> None:
        self.rollout, self.envelopes, self.asked = rollout, envelopes, asked
        self.tree = tree_of(envelopes)
        self.last_seq = int(envelopes[-1]["seq"]) if envelopes else 0
        self.head = min(asked.e, self.last_seq) or self.last_seq
        self.is_now = not 0 < asked.e < self.last_seq
        self.is_live = rollout.lifecycle in LIVE
        self.now = self._now()
        self.scale = TimeScale(busy_of(self.tree, self.now), gap)

    @cached_property
    def rows(self) -> list[Row]:
        """All rows that the filter lets through."""
        if self.asked.is_log:
            rows = log_rows(log_of(self.envelopes), self.scale, self.now)
        else:
            rows = rows_of(self.tree, self.scale, self.now, folds=not self.asked.is_filtered)
        return _filtered(rows, self.asked) if self.asked.is_filtered else rows

    def window(self, number: int) -> Window | None:
        rows = self.rows[number * WINDOW : (number + 1) * WINDOW]
        return _window(number, rows, rows) if rows else None

    def windows(self) -> list[Window]:
        """All windows; the first one and the one in which one stands come with their rows."""
        numbers = range((len(self.rows) + WINDOW - 1) // WINDOW)
        current = self._number_of(self.head) if self.asked.e else 0
        found = []
        for number in numbers:
            rows = self.rows[number * WINDOW : (number + 1) * WINDOW]
            found.append(_window(number, rows, rows if number in (0, current) else ()))
        return found

    def scrubber(self) -> Scrubber:
        return scrubber_of(self.envelopes, self.head)

    def counts(self) -> Mapping[str, int]:
        """Events by category, `hidden` among them."""
        return Counter(event.get("category", "hidden") for event in self.envelopes)

    def changed_since(self, seq: int) -> list[tuple[Row, int]]:
        """Rows that hold an event after `seq`, each with the seq of the row before it (0 = it is the first)."""
        pairs = zip(self.rows, [0, *(row.seq for row in self.rows)], strict=False)
        return [(row, before) for row, before in pairs if row.node.last_seq > seq or self._is_open(row)]

    def interrupts(self) -> list[float]:
        """Where the lines of urgent interrupts stand."""
        urgent = [event for event in self.envelopes if event.get("urgent") and event.get("type") != "rollout.cancelled"]
        return [self.scale.x(at_of(event)) for event in urgent[-100:]]

    def axis(self) -> list[Mapping[str, Any]]:
        """Where the axis names the time: `x` in per cent, `at` as RFC 3339."""
        return [{"x": label.x, "at": instant(label.at)} for label in self.scale.labels()]

    @property
    def started_at(self) -> str:
        return instant(self.rollout.created_at)

    @property
    def working_seconds(self) -> float:
        """How long a model call or a tool was at work."""
        return TimeScale(interval for interval in busy_of(self.tree, self.now) if interval[0] < interval[1]).busy / 1e6

    @property
    def tokens(self) -> str:
        return f"{self.rollout.tokens_in + self.rollout.tokens_out:,}"

    @property
    def seconds(self) -> float:
        shown = [event for event in self.envelopes if not event.get("hidden")]
        return (at_of(shown[-1]) - at_of(shown[0])) / 1_000_000 if shown else 0.0

    def _is_open(self, row: Row) -> bool:
        return self.is_live and any(shape.kind == "running" for shape in row.shapes)

    def _number_of(self, seq: int) -> int:
        for index, row in enumerate(self.rows):
            if row.seq > seq:
                return max(0, index - 1) // WINDOW
        return max(0, len(self.rows) - 1) // WINDOW

    def _now(self) -> int:
        shown = [event for event in self.envelopes if not event.get("hidden")]
        last = at_of(shown[-1]) if shown else 0
        return max(last, microseconds_of(timezone.now())) if self.is_live else last


def _window(number: int, all_rows: Sequence[Row], rows: Sequence[Row]) -> Window:
    shown = sum(not row.is_folded for row in all_rows)
    return Window(number, all_rows[0].seq, max(row.node.last_seq for row in all_rows), shown, rows)


def _filtered(rows: Sequence[Row], asked: Asked) -> list[Row]:
    """The rows that match; a step stays as the heading of what matches under it."""
    words = asked.q.lower().split()
    matching = {row.seq for row in rows if _is_shown(row, asked) and _has_words(row.node, words)}
    parents = {row.parent for row in rows if row.seq in matching}
    return [row for row in rows if row.seq in matching or row.seq in parents]


def _is_shown(row: Row, asked: Asked) -> bool:
    if row.node.kind is Kind.HIDDEN:
        return asked.shown == CATEGORIES
    if row.node.kind is Kind.STEP:
        return "thinking" in asked.shown
    return any(event["category"] in asked.shown for event in row.node.events)


def _has_words(node: Node, words: Sequence[str]) -> bool:
    if not words:
        return True
    said = " ".join(str(event.get("payload", "")) + str(event.get("type", "")) for event in node.events).lower()
    return all(word in said for word in words)
