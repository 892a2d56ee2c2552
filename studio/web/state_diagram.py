"""Business states drawn as a diagram: one row a step away from the start, ways between them as lines with words."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

NODE_HEIGHT, ROW_STEP, GAP, TOP = 34, 92, 22, 34
CHARACTER, PADDING = 7.3, 24
LANE_STEP, LANE_WORDS = 18, 140
ARC = 40
WORDS_AT_MOST = 22


@dataclass(frozen=True, slots=True)
class Way:
    """One move between two states; `when` is told to the model."""

    start: str
    to: str
    when: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One state as drawn, in pixels; `kind` is start, end, missing or empty. `is_now`: the rollout is here."""

    name: str
    x: float
    y: float
    width: float
    kind: str
    is_now: bool
    is_past: bool

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def inner_x(self) -> float:
        return self.x + 3

    @property
    def inner_y(self) -> float:
        return self.y + 3

    @property
    def inner_width(self) -> float:
        return self.width - 6

    @property
    def bottom(self) -> float:
        return self.y + NODE_HEIGHT

    @property
    def text_y(self) -> float:
        return self.y + NODE_HEIGHT / 2 + 4


@dataclass(frozen=True, slots=True)
class Edge:
    """One way as drawn: an SVG path, and its words with their place."""

    path: str
    words: str
    title: str
    x: float
    y: float
    anchor: str
    is_taken: bool
    is_missing: bool


@dataclass(frozen=True, slots=True)
class Diagram:
    """A whole diagram in pixels; `sentence` says it in words."""

    width: int
    height: int
    nodes: list[Node]
    edges: list[Edge]
    start: Node | None
    sentence: str


def diagram(
    names: Sequence[str],
    ways: Iterable[Way],
    *,
    initial: str,
    final: Collection[str] = (),
    now: str = "",
    taken: Collection[tuple[str, str]] = (),
) -> Diagram:
    """The states laid out by their distance from the initial one; what no state leads to stands in the last row."""
    ways = _together(ways)
    past = {start for start, _ in taken} | {to for _, to in taken}
    rows = _rows(names, ways, initial)
    room = max((_row_width(row) for row in rows), default=160)
    nodes = {
        name: Node(name, x, TOP + level * ROW_STEP, _width(name), kind, name == now, name in past)
        for level, row in enumerate(rows)
        for name, x in _places(row, room)
        for kind in [_kind(name, names, initial, final)]
    }
    edges, lanes = _edges(ways, nodes, rows, room, taken)
    width = room + 8 + (lanes * LANE_STEP + LANE_WORDS if lanes else 8)
    return Diagram(
        width=round(width),
        height=TOP + len(rows) * ROW_STEP - (ROW_STEP - NODE_HEIGHT) + (ARC if _has_arc(ways, rows) else 12),
        nodes=list(nodes.values()),
        edges=edges,
        start=nodes.get(initial),
        sentence=_sentence(ways, initial, now),
    )


def _together(ways: Iterable[Way]) -> list[Way]:
    """Moves between the same two states as one, with the words of all."""
    words: dict[tuple[str, str], list[str]] = {}
    for way in ways:
        words.setdefault((way.start, way.to), []).extend([way.when] if way.when else [])
    return [Way(start, to, ", or ".join(dict.fromkeys(when))) for (start, to), when in words.items()]


def _rows(names: Sequence[str], ways: Sequence[Way], initial: str) -> list[list[str]]:
    known = list(dict.fromkeys([*names, *(way.to for way in ways)]))
    rows: list[list[str]] = []
    placed: set[str] = set()
    row = [initial] if initial in known else []
    while row:
        rows.append(row)
        placed |= set(row)
        row = list(dict.fromkeys(way.to for name in row for way in ways if way.start == name and way.to not in placed))
    rest = [name for name in known if name not in placed]
    return rows + [rest[at : at + 2] for at in range(0, len(rest), 2)]


def _has_arc(ways: Sequence[Way], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a move along the last row is drawn below it."""
    last = rows[-1] if rows else ()
    return any(way.start in last and way.to in last and way.start != way.to for way in ways)


def _kind(name: str, names: Collection[str], initial: str, final: Collection[str]) -> str:
    if name not in names:
        return "missing"
    return "end" if name in final else "start" if name == initial else ""


def _width(name: str) -> float:
    return len(name) * CHARACTER + PADDING


def _row_width(row: Sequence[str]) -> float:
    return sum(_width(name) for name in row) + GAP * (len(row) - 1) + 16


def _places(row: Sequence[str], room: float) -> Iterable[tuple[str, float]]:
    x = 8 + (room - _row_width(row)) / 2
    for name in row:
        yield name, x
        x += _width(name) + GAP


def _edges(
    ways: Sequence[Way],
    nodes: Mapping[str, Node],
    rows: Sequence[Sequence[str]],
    room: float,
    taken: Collection[tuple[str, str]],
) -> tuple[list[Edge], int]:
    level = {name: number for number, row in enumerate(rows) for name in row}
    edges, lanes, drawn = [], 0, dict.fromkeys(range(len(rows)), 0)
    for way in ways:
        start, to = nodes[way.start], nodes[way.to]
        row, number = level[way.start], drawn[level[way.start]]
        if level[way.to] == row + 1:
            path, x, y, anchor = _down(start, to, number)
            drawn[row] += 1
        elif level[way.to] == row and start is not to:
            path, x, y, anchor = _under(start, to)
        else:
            path, x, y, anchor = _aside(start, to, room + 8 + LANE_STEP * lanes, lanes)
            lanes += 1
        words = _cut(way.when)
        title = f"{way.start} to {way.to}" + (f": {way.when}" if way.when else "")
        edges.append(
            Edge(path, words, title, x, y, anchor, (way.start, way.to) in taken, is_missing=to.kind == "missing")
        )
    return edges, lanes


def _down(start: Node, to: Node, number: int) -> tuple[str, float, float, str]:
    """Straight to the next row; the words of neighbours stand at different heights."""
    y, end = start.bottom, to.y - 2
    half = (y + end) / 2
    one, other = start.middle, to.middle
    path = f"M{one:.1f} {y:.1f} C{one:.1f} {half:.1f} {other:.1f} {half:.1f} {other:.1f} {end:.1f}"
    share = (0.58, 0.34, 0.8)[number % 3]
    x = start.middle + (to.middle - start.middle) * (share * share * (3 - 2 * share))
    return path, x, y + (end - y) * share + 4, "middle"


def _under(start: Node, to: Node) -> tuple[str, float, float, str]:
    """Below the row to another state of it."""
    aim = 14 if start.x < to.x else -14
    left, right, y = start.middle + aim, to.middle - aim, start.bottom
    path = f"M{left:.1f} {y} C{left:.1f} {y + 36} {right:.1f} {y + 36} {right:.1f} {y + 2}"
    return path, (left + right) / 2, y + 31, "middle"


def _aside(start: Node, to: Node, lane: float, number: int) -> tuple[str, float, float, str]:
    """Around the right side: back, or further down than one row."""
    y, end, x = start.y + 11 + number % 3 * 5, to.y + 23 - number % 3 * 5, lane + LANE_STEP / 2
    if start is to:
        end = y + 14
    right, left = start.x + start.width, to.x + to.width + 2
    half = (y + end) / 2
    out = f"M{right:.1f} {y:.1f} C{x:.1f} {y:.1f} {x:.1f} {y:.1f} {x:.1f} {half:.1f}"
    path = f"{out} S{x:.1f} {end:.1f} {left:.1f} {end:.1f}"
    return path, x + 5, half + 4, "start"


def _cut(words: str) -> str:
    return words if len(words) <= WORDS_AT_MOST else words[: WORDS_AT_MOST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _sentence(ways: Sequence[Way], initial: str, now: str) -> str:
    moves = "; ".join(f"{way.start} to {way.to}" + (f" when {way.when}" if way.when else "") for way in ways)
    here = f" Now in {now}." if now else ""
    return f"Starts in {initial}.{here} Moves: {moves or 'none'}."
