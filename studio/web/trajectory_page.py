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
from studio.queries.playground import status_of
from studio.queries.trajectory import Envelope, Kind, Node, log_of, tree_of
from studio.queries.viewer import Viewer
from studio.web.scrubber import Scrubber, scrubber_of
from studio.web.session_view import RolloutRow
from studio.web.trajectory_lines import Line, is_trouble, lines_of
from studio.web.trajectory_nested import Nested, NestedRollouts
from studio.web.trajectory_rows import Row, rows_of
from studio.web.waterfall import TimeScale, merged
from studio.web.waterfall_shapes import at_of, bars_of, busy_of

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

    def __init__(
        self, rollout: Rollout, envelopes: Sequence[Envelope], asked: Asked, viewer: Viewer, gap: int | None = None
    ) -> None:
        self.rollout, self.envelopes, self.asked, self.viewer = rollout, envelopes, asked, viewer
        self.tree = tree_of(envelopes)
        self.last_seq = int(envelopes[-1]["seq"]) if envelopes else 0
        self.head = min(asked.e, self.last_seq) or self.last_seq
        self.is_now = not 0 < asked.e < self.last_seq
        self.is_live = rollout.lifecycle in LIVE
        self.now = self._now()
        self._busy = busy_of(self.tree, self.now)
        self.scale = TimeScale(self._busy, gap)

    @cached_property
    def lines(self) -> list[Line]:
        """All lines that the filter lets through."""
        if self.asked.is_log:
            lines = [Line(node) for node in log_of(self.envelopes)]
        else:
            lines = lines_of(self.tree, folds=not self.asked.is_filtered)
        return _filtered(lines, self.asked) if self.asked.is_filtered else lines

    def window(self, number: int) -> Window | None:
        """One window with its rows."""
        lines = self.lines[number * WINDOW : (number + 1) * WINDOW]
        return _window(number, lines, self._rows(lines)) if lines else None

    def windows(self) -> list[Window]:
        """All windows; the first one and the one in which one stands come with their rows."""
        current = self._number_of(self.head) if self.asked.e else 0
        found = []
        for number in range((len(self.lines) + WINDOW - 1) // WINDOW):
            lines = self.lines[number * WINDOW : (number + 1) * WINDOW]
            found.append(_window(number, lines, self._rows(lines) if number in (0, current) else ()))
        return found

    def troubles(self) -> list[int]:
        """The seqs of interrupts and errors among the lines."""
        return [line.seq for line in self.lines if is_trouble(line.node)]

    def scrubber(self) -> Scrubber:
        return scrubber_of(self.envelopes, self.head)

    def counts(self) -> Mapping[str, int]:
        """Events by category, `hidden` among them."""
        return dict(Counter(event.get("category", "hidden") for event in self.envelopes))

    def changed_since(self, seq: int) -> list[tuple[Row, int]]:
        """Rows that hold an event after `seq`, each with the seq of the row before it (0 = it is the first)."""
        pairs = zip(self.lines, [0, *(line.seq for line in self.lines)], strict=False)
        changed = [(line, before) for line, before in pairs if line.node.last_seq > seq or self._is_open(line.node)]
        rows = self._rows([line for line, _ in changed])
        return list(zip(rows, [before for _, before in changed], strict=True))

    def interrupts(self) -> list[float]:
        """Where the lines of urgent interrupts stand."""
        urgent = [event for event in self.envelopes if event.get("urgent") and event.get("type") != "rollout.cancelled"]
        return [self.scale.x(at_of(event)) for event in urgent[-100:]]

    def axis(self) -> list[Mapping[str, Any]]:
        """Where the axis names the time: `x` in per cent, `at` as RFC 3339; `ends`: the text ends there."""
        return [{"x": label.x, "at": instant(label.at), "ends": label.ends} for label in self.scale.labels()]

    @cached_property
    def parent(self) -> Rollout | None:
        """The rollout that called it."""
        return self.rollout.parent

    @cached_property
    def children(self) -> list[RolloutRow]:
        """The rollouts that it called."""
        found = Rollout.objects.filter(parent=self.rollout).select_related("agent").order_by("pk")
        return [RolloutRow(one, status_of(one.lifecycle, one.waiting_for), one.lifecycle in LIVE) for one in found]

    @property
    def started_at(self) -> str:
        return instant(self.rollout.created_at)

    @property
    def working_seconds(self) -> float:
        """How long a model call or a tool was at work."""
        return sum(end - start for start, end in merged(self._busy, apart=0)) / 1_000_000

    @property
    def tokens(self) -> str:
        return f"{self.rollout.tokens_in + self.rollout.tokens_out:,}"

    @property
    def seconds(self) -> float:
        shown = [event for event in self.envelopes if not event.get("hidden")]
        return (self.now - at_of(shown[0])) / 1_000_000 if shown else 0.0

    def nested(self, seq: int) -> Nested | None:
        """What stands under the call of an agent at that seq."""
        called = next((row for row in self._rows([line for line in self.lines if line.seq == seq]) if row.child), None)
        child = self._nested.by_id.get(called.child) if called is not None else None
        return self._nested.under(seq, child, self.scale, self.now) if child is not None else None

    @cached_property
    def _nested(self) -> NestedRollouts:
        return NestedRollouts(self.rollout, self.viewer)

    def _rows(self, lines: Sequence[Line]) -> list[Row]:
        rows = rows_of(lines, self.scale, self.now, is_log=self.asked.is_log)
        has_calls = any(row.child for row in rows) and not self.asked.is_filtered
        return self._nested.placed(rows, self.scale, self.now) if has_calls else rows

    def _is_open(self, node: Node) -> bool:
        return self.is_live and any(kind == "running" for kind, _, _ in bars_of(node, self.now))

    def _number_of(self, seq: int) -> int:
        for index, line in enumerate(self.lines):
            if line.seq > seq:
                return max(0, index - 1) // WINDOW
        return max(0, len(self.lines) - 1) // WINDOW

    def _now(self) -> int:
        shown = [event for event in self.envelopes if not event.get("hidden")]
        last = at_of(shown[-1]) if shown else 0
        return max(last, microseconds_of(timezone.now())) if self.is_live else last


def _window(number: int, lines: Sequence[Line], rows: Sequence[Row]) -> Window:
    shown = sum(not line.is_folded for line in lines)
    return Window(number, lines[0].seq, max(line.node.last_seq for line in lines), shown, rows)


def _filtered(lines: Sequence[Line], asked: Asked) -> list[Line]:
    """The lines that match; a step stays as the heading of what matches under it."""
    words = asked.q.lower().split()
    matching = {line.seq for line in lines if _is_shown(line.node, asked) and _has_words(line.node, words)}
    parents = {line.parent for line in lines if line.seq in matching}
    return [line for line in lines if line.seq in matching or line.seq in parents]


def _is_shown(node: Node, asked: Asked) -> bool:
    if node.kind is Kind.HIDDEN:
        return asked.shown == CATEGORIES
    if node.kind is Kind.STEP:
        return "thinking" in asked.shown
    return any(event["category"] in asked.shown for event in node.events)


def _has_words(node: Node, words: Sequence[str]) -> bool:
    if not words:
        return True
    said = " ".join(str(event.get("payload", "")) + str(event.get("type", "")) for event in node.events).lower()
    return all(word in said for word in words)
