"""kill -9 between any two appends: the finished trajectory, the prompts and the tool ledger are those of an
uninterrupted rollout (promises 1 to 5)."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.acceptance.playing import check_equal, played
from tests.acceptance.stage import Run, Stage, set_stage

pytestmark = pytest.mark.acceptance

FEWEST_APPENDS = 12


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> Iterator[Stage]:
    with set_stage(tmp_path_factory.mktemp("stage") / "seed", idempotent=True) as stage:
        yield stage


@pytest.fixture(scope="module")
def whole(stage, tmp_path_factory) -> Run:
    """The run that nobody killed."""
    return played(stage, tmp_path_factory.mktemp("whole") / "data", "")


def test_uninterrupted(whole):
    assert whole.acts == ["/act/one", "/act/two", "/act/three"]
    assert len(whole.shown) == 6


def kill_at_each(stage: Stage, whole: Run, point: str, folder: Path) -> int:
    """A run for each passage of the point; their number."""
    for number in count(1):
        kill_at = f"{point}:{number}"
        run = played(stage, folder / str(number), kill_at)
        check_equal(run, whole, kill_at)
        assert run.asked == []
        if not run.died:
            return number - 1
    raise AssertionError("count does not end")


def test_a_kill_before_each_append(stage, whole, tmp_path):
    assert kill_at_each(stage, whole, "append-before", tmp_path) >= FEWEST_APPENDS


@pytest.mark.chaos
def test_a_kill_after_each_append(stage, whole, tmp_path):
    assert kill_at_each(stage, whole, "append-after", tmp_path) >= FEWEST_APPENDS


@pytest.mark.parametrize(
    "kill_at",
    [
        "accept-before:1",
        "accept-after:2",
        "claim-after:1",
        "append-inside:3",
        "append-after:2",
        "append-after:9",
        "delta:2",
    ],
)
def test_a_kill_elsewhere(stage, whole, tmp_path, kill_at):
    run = played(stage, tmp_path / "data", kill_at)

    assert run.died
    check_equal(run, whole, kill_at)


@pytest.mark.chaos
@pytest.mark.parametrize(
    "point", ["append-inside", "claim-after", "model-before", "model-after", "effect-before", "effect-after", "delta"]
)
def test_a_kill_at_each_passage_of_every_other_point(stage, whole, tmp_path, point):
    assert kill_at_each(stage, whole, point, tmp_path) >= 1
