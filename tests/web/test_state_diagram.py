"""The diagram of business states as it is drawn: no line runs behind a box, and all of it lies inside the picture."""

import random
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from runtime.domain.agent_file import read_agent_file
from studio.web.editor_states import states_form
from studio.web.state_diagram import Diagram, Edge, Node, Way, diagram

type Point = tuple[float, float]

STEPS = 40
NAMES = ("open", "needs_clarification", "processing_request", "waiting_for_approval", "done", "escalated", "x", "paid")
WORDS = ("", "it is done", "the customer wants something else altogether")


def random_machine(seed: int) -> Diagram:
    """A machine of up to 8 states with any moves between them, some to a state that is missing."""
    chance = random.Random(seed)
    names = chance.sample(NAMES, chance.randint(1, 8))
    targets = [*names, "missing"] if chance.random() < 0.2 else names
    ways = [
        Way(chance.choice(names), chance.choice(targets), chance.choice(WORDS)) for _ in range(chance.randint(0, 16))
    ]
    return diagram(names, ways, initial=names[0], final=names[-1:])


def points(path: str) -> Iterator[Point]:
    """Points all along an SVG path of M, L, C and Q."""
    here: Point = (0, 0)
    for command, numbers in re.findall(r"([MLCQ])([^MLCQ]+)", path):
        values = [float(number) for number in numbers.split()]
        ends = [here, *zip(values[::2], values[1::2], strict=True)]
        yield from [] if command == "M" else (_between(ends, step / STEPS) for step in range(STEPS + 1))
        here = ends[-1]


def _between(ends: list[Point], share: float) -> Point:
    """De Casteljau: a point of the curve that has these ends and handles."""
    while len(ends) > 1:
        ends = [
            (one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share)
            for one, other in pairwise(ends)
        ]
    return ends[0]


def is_inside(point: Point, node: Node) -> bool:
    """Whether a point is behind a box; paths are written in tenths of a pixel."""
    x, y = point
    return node.x + 0.1 < x < node.right - 0.1 and node.y + 0.1 < y < node.bottom - 0.1


def crossed(drawn: Diagram) -> list[tuple[Edge, Node]]:
    """Each line with each box that it runs behind; at its own ends it only touches the edge."""
    return [
        (edge, node)
        for edge in drawn.edges
        for node in drawn.nodes
        if any(is_inside(point, node) for point in points(edge.path))
    ]


@pytest.mark.parametrize("seed", range(0, 200, 50))
def test_no_line_of_200_machines_runs_behind_a_box_and_all_of_it_lies_inside_the_picture(seed):
    for drawn in map(random_machine, range(seed, seed + 50)):
        assert crossed(drawn) == []
        check_inside(drawn)


def check_inside(drawn: Diagram) -> None:
    """Asserts that lines and words lie in the picture, and that boxes stand beside each other."""
    for edge in drawn.edges:
        assert all(drawn.left <= x <= drawn.left + drawn.width and 0 <= y <= drawn.height for x, y in points(edge.path))
        assert drawn.left <= edge.x <= drawn.left + drawn.width
        assert 0 <= edge.y <= drawn.height
    boxes = sorted((node.y, node.x, node.right) for node in drawn.nodes)
    assert all(one[2] < other[1] for one, other in pairwise(boxes) if one[0] == other[0])


def test_a_line_begins_and_ends_at_the_boxes_that_it_joins():
    for seed in range(50):
        drawn = random_machine(seed)
        nodes = {node.name: node for node in drawn.nodes}
        for edge in drawn.edges:
            first, *_, last = points(edge.path)
            assert is_near(first, nodes[edge.start])
            assert is_near(last, nodes[edge.to])


def is_near(point: Point, node: Node) -> bool:
    """Whether a point is no further from a box than the head of an arrow."""
    return node.x - 3 <= point[0] <= node.right + 3 and node.y - 3 <= point[1] <= node.bottom + 3


def test_the_way_back_of_the_refund_desk_goes_around():
    form = states_form(read_agent_file(REFUND_DESK))

    assert form is not None
    back = next(edge for edge in form.diagram.edges if edge.start == "waiting_for_approval" and "process" in edge.to)
    assert crossed(form.diagram) == []
    assert back.parts == ("transitions:1",)


def test_words_of_lines_that_share_a_gap_do_not_stand_on_each_other():
    ways = [
        Way("open", "done", "nothing has to be paid"),
        Way("open", "waiting", "money is to be paid"),
        Way("waiting", "done", "the payment was decided"),
        Way("waiting", "closed", "the card is closed"),
        Way("waiting", "open", "it changed"),
        Way("closed", "open", "it changed again"),
    ]

    edges = diagram(["open", "done", "waiting", "closed"], ways, initial="open").edges

    words = [(edge.y, edge.x, len(edge.words) * 6.2, edge.anchor) for edge in edges]
    boxes = [(y, x - width / 2 if anchor == "middle" else x, width) for y, x, width, anchor in words]
    assert [
        (one, other)
        for one in boxes
        for other in boxes
        if one < other and abs(one[0] - other[0]) < 12 and one[1] < other[1] + other[2] and other[1] < one[1] + one[2]
    ] == []


def test_moves_between_the_same_two_states_are_one_line_that_knows_them_all():
    ways = [
        Way("open", "done", "paid", "transitions:0"),
        Way("open", "done", "closed", "transitions:2"),
        Way("open", "done", "after 2h", "max_stay"),
    ]

    (edge,) = diagram(["open", "done"], ways, initial="open").edges

    assert edge.parts == ("transitions:0", "transitions:2", "max_stay")
    assert edge.title == "open to done: paid, or closed, or after 2h"


REFUND_DESK = """name: desk
model: playbook/echo
states:
  initial: needs_clarification
  needs_clarification: {transitions: [{to: processing_request}]}
  processing_request: {transitions: [{to: waiting_for_approval}, {to: request_completed}]}
  waiting_for_approval: {transitions: [{to: request_completed}, {to: processing_request}]}
  request_completed: {final: true}
"""
