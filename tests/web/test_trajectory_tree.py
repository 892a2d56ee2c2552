"""Envelopes folded into what people read: steps with their calls, words, and marks on the line of time."""

from itertools import pairwise
from typing import Any

from studio.models import Rollout
from studio.queries.trajectory import Kind, log_of, node_of, tree_of
from studio.web.event_words import words_of
from studio.web.scrubber import MOST_TICKS, scrubber_of
from studio.web.trajectory_lines import is_trouble, lines_of
from studio.web.trajectory_page import Asked, TrajectoryPage
from studio.web.trajectory_rows import rows_of
from studio.web.waterfall import TimeScale
from studio.web.waterfall_shapes import busy_of
from tests.web.told import SUE

NOW = 1_700_000_100_000_000


def event(seq: int, type_: str, *, step: int | None = None, second: float = 0, **payload: Any) -> dict[str, Any]:
    category = {"user": "input", "tool.result": "input", "agent": "action", "tool.request": "action"}
    found = category.get(type_) or category.get(type_.partition(".")[0]) or "lifecycle"
    at = f"2023-11-14T22:13:{second:09.6f}Z"
    common = {"seq": seq, "type": type_, "category": found, "urgent": False, "step": step, "cause": None}
    return common | {"source": "system", "at": at, "received_at": at, "payload": payload}


def hidden(seq: int) -> dict[str, Any]:
    return {"seq": seq, "pos": seq, "rollout": "r_1", "hidden": True}


STORY = [
    event(1, "user.input", content="How much?\nTell me", name="Maya"),
    event(2, "step.started", step=0, second=0, attempt=1, model="m", seen=1),
    event(3, "tool.request", step=0, second=1, call_id="0.0", tool="look", args={"order": 7}),
    event(4, "tool.request", step=0, second=1, call_id="0.1", tool="pay", args=None, args_raw="{broken"),
    event(5, "step.completed", step=0, second=1, tokens_in=1200, tokens_out=7, cost_usd=None),
    event(6, "tool.result", step=0, second=3, call_id="0.0", status="ok", content='{"total": 9}', attempts=2),
    event(7, "tool.result", step=0, second=2, call_id="0.1", status="error", content="no such account"),
    event(8, "step.started", step=1, second=30, attempt=1, seen=7),
    event(9, "agent.output", step=1, second=31, content="It is", interrupted=True),
    event(10, "step.aborted", step=1, second=31, why="urgent"),
]


def rows(events: list[dict[str, Any]]):
    tree = tree_of(events)
    scale = TimeScale(busy_of(tree, 0))
    return rows_of(lines_of(tree, folds=True), scale, 0, is_log=False)


def test_a_step_holds_its_calls_and_a_call_its_result():
    tree = tree_of(STORY)

    assert [(node.kind, node.covers) for node in tree] == [
        (Kind.EVENT, [1]),
        (Kind.STEP, [2, 5]),
        (Kind.STEP, [8, 10]),
    ]
    assert [node.covers for node in tree[1].children] == [[3, 6], [4, 7]]


def test_every_event_is_found_in_exactly_one_node():
    tree = tree_of(STORY)

    found = [node_of(tree, item["seq"]) for item in STORY]
    covered = sorted(seq for top in tree for node in top.walk() for seq in node.covers)

    assert None not in found
    assert covered == [item["seq"] for item in STORY]


def test_the_log_keeps_every_event_apart():
    assert [node.covers for node in log_of(STORY)] == [[item["seq"]] for item in STORY]


def test_another_attempt_joins_its_step_and_says_so():
    tries = [
        event(1, "step.started", step=0, attempt=1, seen=0),
        event(2, "step.aborted", step=0, second=1, why="error", error="Too many requests."),
        event(3, "step.started", step=0, second=3, attempt=2, seen=0),
        event(4, "step.completed", step=0, second=4),
    ]

    [row] = rows(tries)

    assert row.badge == ("retried", "warn")
    assert [shape.kind for shape in row.shapes] == ["failed", "model"]


def test_rows_tell_what_failed_what_was_cut_off_and_what_it_cost():
    by_seq = {row.seq: row for row in rows(STORY)}

    assert (by_seq[2].tokens, by_seq[2].cost) == ("1,200 → 7", "unknown")
    assert (by_seq[3].badge, by_seq[3].words) == (("retried", "warn"), "total: 9")
    assert by_seq[4].badge == ("failed", "bad")
    assert by_seq[8].badge == ("cut off", "irq")
    assert [shape.kind for shape in by_seq[8].shapes] == ["cut"]
    assert [node.seq for top in tree_of(STORY) for node in top.walk() if is_trouble(node)] == [4, 8]


def test_an_interrupt_says_what_it_cut_off_and_what_came_with_it():
    stopped = [
        *STORY,
        event(11, "user.input", second=32, content="And more", name="Maya"),
        event(12, "user.interrupt", second=32, name="Maya") | {"urgent": True, "category": "interrupt"},
    ]

    last = rows(stopped)[-1]

    assert (last.title, last.words) == ("Maya pressed Stop", "cut off llm_1, 1 queued event delivered with it")


def test_a_step_that_only_speaks_begins_folded():
    by_seq = {row.seq: row for row in rows(STORY)}

    assert by_seq[2].open
    assert by_seq[8].open is False
    assert by_seq[9].is_folded


def test_a_call_that_waits_for_a_person_is_drawn_as_waiting():
    asked = [
        *STORY[:5],
        event(6, "tool.started", step=0, second=1, call_id="0.0", attempt=1),
        event(7, "approval.request", step=0, second=4, call_id="0.0", why="unknown_outcome"),
    ]

    row = next(row for row in rows(asked) if row.seq == 3)

    assert row.badge == ("needs a decision", "warn")
    assert [shape.kind for shape in row.shapes][-1] == "wait"


def test_a_hidden_event_keeps_its_place_and_tells_nothing():
    tree = tree_of([STORY[0], STORY[1], hidden(3), event(4, "step.completed", step=0)])

    assert [child.covers for child in tree[1].children] == [[3]]
    assert words_of(hidden(3)).line == "You may not see this event."


def test_long_idle_stretches_are_collapsed_and_short_ones_are_not():
    second = 1_000_000
    scale = TimeScale([(0, 2 * second), (4 * second, 5 * second), (600 * second, 601 * second)])

    assert len(scale.gaps()) == 1
    assert scale.x(0) == 0
    assert scale.x(601 * second) == 100
    assert scale.x(5 * second) > 70
    assert scale.x(300 * second) == scale.x(5 * second)


def test_times_on_the_axis_never_run_into_each_other_or_over_the_edge():
    second = 1_000_000
    scale = TimeScale([(start * second, (start + 1) * second) for start in (0, 100, 200, 300, 400, 500, 599, 700)])

    places = [(label.x - 24, label.x) if label.ends else (label.x, label.x + 24) for label in scale.labels()]

    assert len(places) >= 3
    assert all(end <= start for (_, end), (start, _) in pairwise(places))
    assert places[-1][1] <= 100


def test_a_rollout_that_grew_keeps_old_places_proportional():
    second = 1_000_000
    before = TimeScale([(0, 2 * second)])
    after = TimeScale([(0, 2 * second), (60 * second, 66 * second)], gap=before.gap)

    for at in (0, second, 2 * second):
        assert abs(after.x(at) - before.x(at) * before.length / after.length) < 0.02


def test_the_tape_of_a_long_trajectory_is_drawn_from_bins():
    many = [event(seq, "user.input", content="x") for seq in range(1, 5001)]

    scrubber = scrubber_of(many, 2500)

    assert len(scrubber.ticks) <= MOST_TICKS
    assert sum(tick.is_after for tick in scrubber.ticks) in range(
        len(scrubber.ticks) // 2 - 2, len(scrubber.ticks) // 2 + 2
    )
    assert scrubber.sentence == "Event 2500 of 5000"


def test_of_a_long_trajectory_only_what_is_looked_at_is_made():
    many = [event(seq, "user.input", content="x") for seq in range(1, 5001)]

    page = TrajectoryPage(Rollout(lifecycle="waiting"), many, Asked(e=4100), SUE)

    windows = page.windows()
    assert [len(window.rows) for window in windows if window.rows] == [200, 200]
    assert sum(window.count for window in windows) == 5000
    assert windows[20].rows[99].seq == 4100
    assert page.window(24).rows[-1].seq == 5000
    assert page.window(25) is None
