"""Business states drawn as a diagram: one row a step away from the start, ways between them as lines with words."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from studio.web.state_routes import NODE_HEIGHT, ROW_STEP, Node, Route, Router

GAP, TOP = 22, 34
CHARACTER, PADDING, WORD_CHARACTER = 7.3, 24, 6.2
WORDS_AT_MOST = 22


@dataclass(frozen=True, slots=True)
class Way:
    """One move between two states; `when` is told to the model. `part` is its place in its state: `transitions:0`."""

    start: str
    to: str
    when: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """One way as drawn: an SVG path, and its words with their place. `parts`: the moves that it stands for."""

    start: str
    to: str
    parts: tuple[str, ...]
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
    """A whole diagram in pixels, from `left` on; `sentence` says it in words."""

    left: int
    width: int
    height: int
    nodes: list[Node]
    edges: list[Edge]
    start: Node | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Joined:
    """All moves between two states: what is told of them, and their places."""

    start: str
    to: str
    when: str
    parts: tuple[str, ...]


def diagram(
    names: Sequence[str],
    ways: Iterable[Way],
    *,
    initial: str,
    final: Collection[str] = (),
    now: str = "",
    taken: Collection[tuple[str, str]] = (),
    counts: Mapping[str, int] | None = None,
) -> Diagram:
    """The states laid out by their distance from the initial one; what no state leads to stands in the last row.

    `counts`: how many rollouts are in each state.
    """
    joined = _joined(ways)
    past = {start for start, _ in taken} | {to for _, to in taken}
    rows = _rows(names, joined, initial)
    room = max((_row_width(row) for row in rows), default=160)
    nodes = {
        name: Node(name, x, TOP + level * ROW_STEP, _width(name), kind, name == now, name in past, count)
        for level, row in enumerate(rows)
        for name, x in _places(row, room)
        for kind, count in [(_kind(name, names, initial, final), (counts or {}).get(name, 0))]
    }
    routes = _routes(joined, Router(nodes, rows, room))
    edges = [_edge(way, route, nodes, taken) for way, route in zip(joined, routes, strict=True)]
    left, right = _sides(edges, routes, room)
    lowest = max([TOP + (len(rows) - 1) * ROW_STEP + NODE_HEIGHT, *(route.bottom for route in routes)])
    return Diagram(
        left=round(left),
        width=round(right - left),
        height=round(lowest + 12),
        nodes=list(nodes.values()),
        edges=edges,
        start=nodes.get(initial),
        sentence=_sentence(joined, initial, now),
    )


def _joined(ways: Iterable[Way]) -> list[Joined]:
    """Moves between the same two states as one, with the words of all."""
    found: dict[tuple[str, str], list[Way]] = {}
    for way in ways:
        found.setdefault((way.start, way.to), []).append(way)
    return [
        Joined(
            start,
            to,
            ", or ".join(dict.fromkeys(way.when for way in those if way.when)),
            tuple(way.part for way in those if way.part),
        )
        for (start, to), those in found.items()
    ]


def _rows(names: Sequence[str], ways: Sequence[Joined], initial: str) -> list[list[str]]:
    """The states by their distance; in a row, those that lines lead around the side to stand nearer to that side."""
    known = list(dict.fromkeys([*names, *(way.to for way in ways)]))
    rows: list[list[str]] = []
    placed: set[str] = set()
    row = [initial] if initial in known else []
    while row:
        rows.append(row)
        placed |= set(row)
        row = list(dict.fromkeys(way.to for name in row for way in ways if way.start == name and way.to not in placed))
    rest = [name for name in known if name not in placed]
    rows += [rest[at : at + 2] for at in range(0, len(rest), 2)]
    level = {name: number for number, row in enumerate(rows) for name in row}
    around = [way for way in ways if level[way.to] - level[way.start] not in (0, 1)]
    return [sorted(row, key=lambda name: sum(name in (way.start, way.to) for way in around)) for row in rows]


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


def _routes(ways: Sequence[Joined], router: Router) -> list[Route]:
    """The line of each way; those between the states of a row come first, because their words have but one place."""
    order = sorted(range(len(ways)), key=lambda at: router.nodes[ways[at].start].y != router.nodes[ways[at].to].y)
    found = {at: router.route(ways[at].start, ways[at].to, width=_words_width(ways[at])) for at in order}
    return [found[at] for at in range(len(ways))]


def _words_width(way: Joined) -> float:
    return len(_cut(way.when)) * WORD_CHARACTER


def _edge(way: Joined, route: Route, nodes: Mapping[str, Node], taken: Collection[tuple[str, str]]) -> Edge:
    return Edge(
        start=way.start,
        to=way.to,
        parts=way.parts,
        path=route.path,
        words=_cut(way.when),
        title=f"{way.start} to {way.to}" + (f": {way.when}" if way.when else ""),
        x=route.places[0][0],
        y=route.places[0][1],
        anchor=route.anchor,
        is_taken=(way.start, way.to) in taken,
        is_missing=nodes[way.to].kind == "missing",
    )


def _sides(edges: Sequence[Edge], routes: Sequence[Route], room: float) -> tuple[float, float]:
    """How far lines and words reach to the left and to the right."""
    left, right = 0.0, max([room + 8, *(route.right for route in routes)])
    for edge in edges:
        width = len(edge.words) * WORD_CHARACTER
        begin = edge.x - (width / 2 if edge.anchor == "middle" else 0)
        left, right = min(left, begin), max(right, begin + width)
    return left - (4 if left else 0), right + 8


def _cut(words: str) -> str:
    return words if len(words) <= WORDS_AT_MOST else words[: WORDS_AT_MOST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _sentence(ways: Sequence[Joined], initial: str, now: str) -> str:
    moves = "; ".join(f"{way.start} to {way.to}" + (f" when {way.when}" if way.when else "") for way in ways)
    here = f" Now in {now}." if now else ""
    return f"Starts in {initial}.{here} Moves: {moves or 'none'}."
