"""How a move is drawn between two boxes of a state diagram: through the gaps between rows, or around the right side.

A line never runs behind a box: it leaves and enters sideways only where no other box stands in the way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

NODE_HEIGHT, ROW_STEP = 34, 92
LANE_STEP, CORNER = 18, 8
HEAD = 2  # what the arrow's head leaves free
LABEL_STEP, LABEL_HEIGHT = 14, 12
LABELS_AT = (0.58, 0.34, 0.82)  # shares of the way to the next row

type Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Node:
    """One state as drawn, in pixels; `kind` is start, end, missing or empty. `is_now`: the rollout is here.

    `count`: how many rollouts are there.
    """

    name: str
    x: float
    y: float
    width: float
    kind: str
    is_now: bool
    is_past: bool
    count: int = 0

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width

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
    def count_y(self) -> float:
        return self.y + 4

    @property
    def count_word(self) -> str:
        return str(self.count) if self.count < 100 else "99+"

    @property
    def text_y(self) -> float:
        return self.y + NODE_HEIGHT / 2 + 4


@dataclass(frozen=True, slots=True)
class Route:
    """A line as an SVG path of M, L, C and Q, and how far it reaches down and right.

    `places`: where its words may stand, the best place first.
    """

    path: str
    places: tuple[Point, ...]
    anchor: str
    bottom: float
    right: float = 0


@dataclass(slots=True)
class Router:
    """Draws one line after the other; each keeps to places that those before it left free, as far as there are any."""

    nodes: Mapping[str, Node]
    rows: Sequence[Sequence[str]]
    room: float
    _drawn: dict[tuple[str, int], int] = field(default_factory=dict)
    _lanes: list[list[tuple[float, float]]] = field(default_factory=list)
    _labels: list[tuple[float, float, float]] = field(default_factory=list)

    def route(self, start: str, to: str, *, width: float) -> Route:
        """The line of a move, with words of this width beside it."""
        one, other = self.nodes[start], self.nodes[to]
        level = {name: number for number, row in enumerate(self.rows) for name in row}
        if one is other:
            route = _loop(one)
        elif level[to] == level[start] + 1:
            route = _down(one, other)
        elif level[to] == level[start]:
            route = _under(one, other, self._next("under", level[start]))
        else:
            route = self._aside(one, other, level)
        return self._labelled(route, width) if width else route

    def _labelled(self, route: Route, width: float) -> Route:
        """The same line with its words at the first of their places where no others stand, if there is one."""
        half = width / 2 if route.anchor == "middle" else 0
        boxes = [(x - half, x - half + width, y) for x, y in route.places]
        free = (at for at, box in enumerate(boxes) if not any(_overlap(box, other) for other in self._labels))
        at = next(free, 0)
        self._labels.append(boxes[at])
        return replace(route, places=(route.places[at],))

    def _aside(self, start: Node, to: Node, level: Mapping[str, int]) -> Route:
        """Around the right side: back, or further down than one row."""
        leave = self._leave(start, level[start.name])
        enter = self._enter(to, level[to.name], from_above=start.y < to.y)
        lane = self._lane(leave[-1][1], enter[-1][1])
        points = [*leave, (lane, leave[-1][1]), (lane, enter[-1][1]), *reversed(enter)]
        low, high = sorted((leave[-1][1], enter[-1][1]))
        steps = sorted(range(-8, 9), key=abs)
        heights = [
            (low + high) / 2 + 4 + step * LABEL_STEP for step in steps if abs(step) * LABEL_STEP < (high - low) / 2
        ]
        places = tuple((lane + 5, y) for y in heights)
        return Route(_rounded(points), places, "start", max(y for _, y in points), lane)

    def _leave(self, node: Node, row: int) -> list[Point]:
        if self._stands_last(node, row):
            return [(node.right, node.y + 11 + self._next("out", row) % 3 * 5)]
        number = self._next("below", row)
        x = node.right - 12 - number % 3 * 9
        return [(x, node.bottom), (x, node.bottom + 10 + number % 6 * 5)]

    def _enter(self, node: Node, row: int, *, from_above: bool) -> list[Point]:
        """The end of the line, backwards: its last point first."""
        if self._stands_last(node, row):
            return [(node.right + HEAD, node.y + 24 - self._next("in", row) % 3 * 5)]
        if from_above:
            number = self._next("above", row)
            x = node.right - 12 - number % 3 * 9
            return [(x, node.y - HEAD), (x, node.y - 14 - number % 5 * 5)]
        number = self._next("below", row)
        x = node.x + 12 + number % 3 * 9
        return [(x, node.bottom + HEAD), (x, node.bottom + 12 + number % 6 * 5)]

    def _stands_last(self, node: Node, row: int) -> bool:
        return self.rows[row][-1] == node.name

    def _lane(self, one: float, other: float) -> float:
        """The x of the innermost lane that is free between two heights."""
        low, high = min(one, other) - CORNER, max(one, other) + CORNER
        free = (n for n, taken in enumerate(self._lanes) if all(end < low or start > high for start, end in taken))
        number = next(free, len(self._lanes))
        if number == len(self._lanes):
            self._lanes.append([])
        self._lanes[number].append((low, high))
        return self.room + 16 + LANE_STEP * number

    def _next(self, what: str, row: int) -> int:
        number = self._drawn.get((what, row), 0)
        self._drawn[what, row] = number + 1
        return number


def _overlap(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and abs(one[2] - other[2]) < LABEL_HEIGHT


def _down(start: Node, to: Node) -> Route:
    """Straight to the next row."""
    y, end = start.bottom, to.y - HEAD
    half = (y + end) / 2
    one, other = start.middle, to.middle
    path = f"M{one:.1f} {y:.1f} C{one:.1f} {half:.1f} {other:.1f} {half:.1f} {other:.1f} {end:.1f}"
    places = [(one + (other - one) * (at * at * (3 - 2 * at)), y + (end - y) * at + 4) for at in LABELS_AT]
    return Route(path, tuple(places), "middle", end)


def _under(start: Node, to: Node, number: int) -> Route:
    """Below the row to another state of it."""
    aim = 14 if start.x < to.x else -14
    left, right, y = start.middle + aim, to.middle - aim, start.bottom
    reach = y + 36 + number % 3 * 8
    path = f"M{left:.1f} {y:.1f} C{left:.1f} {reach:.1f} {right:.1f} {reach:.1f} {right:.1f} {y + HEAD:.1f}"
    lowest = y + (reach - y) * 0.75
    return Route(path, (((left + right) / 2, lowest + 4),), "middle", lowest + 6)


def _loop(node: Node) -> Route:
    """Back into the same state, below its right end."""
    left, right, y = node.right - 34, node.right - 12, node.bottom
    path = f"M{left:.1f} {y:.1f} C{left:.1f} {y + 28:.1f} {right:.1f} {y + 28:.1f} {right:.1f} {y + HEAD:.1f}"
    return Route(path, ((right + 4, y + 18),), "start", y + 24)


def _rounded(points: Sequence[Point]) -> str:
    """A line through the points with its corners rounded off."""
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for before, corner, behind in zip(points, points[1:], points[2:], strict=False):
        begin, end = _towards(corner, before), _towards(corner, behind)
        path += f" L{begin[0]:.1f} {begin[1]:.1f} Q{corner[0]:.1f} {corner[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    return f"{path} L{points[-1][0]:.1f} {points[-1][1]:.1f}"


def _towards(corner: Point, other: Point) -> Point:
    """The point at which a rounded corner begins, on the way to the other point."""
    far = abs(other[0] - corner[0]) + abs(other[1] - corner[1])
    share = min(CORNER, far / 2) / far if far else 0
    return corner[0] + (other[0] - corner[0]) * share, corner[1] + (other[1] - corner[1]) * share
