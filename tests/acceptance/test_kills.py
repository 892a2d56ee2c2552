"""kill -9 between any two appends: the finished trajectory, the prompts and the tool ledger are those of an
uninterrupted rollout (promises 1 to 5)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.stage import Run, Stage, set_stage
from tests.acceptance.story import Story


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> Iterator[Stage]:
    with set_stage(tmp_path_factory.mktemp("stage") / "seed", idempotent=True) as stage:
        yield stage


@pytest.fixture(scope="module")
def whole(stage, tmp_path_factory) -> Run:
    """The run that nobody killed."""
    return played(stage, tmp_path_factory.mktemp("whole") / "data", "")


def played(stage: Stage, folder: Path, kill_at: str) -> Run:
    Story(stage.ledger).tell(stage.model)
    run = Run(stage, folder)
    run.play(kill_at)
    run.remember()
    return run


def test_uninterrupted(whole):
    assert whole.acts == ["/act/one", "/act/two", "/act/three"]
    assert len(whole.shown) == 6


@pytest.mark.parametrize("point", ["append-before", "append-after"])
def test_every_kill_leads_to_an_equal_rollout(stage, whole, point, tmp_path):
    number, died = 1, True
    while died:
        run = played(stage, tmp_path / str(number), f"{point}:{number}")

        assert run.facts == whole.facts, f"{point}:{number}"
        assert run.shown == whole.shown, f"{point}:{number}"
        assert set(run.acts) == set(whole.acts), f"{point}:{number}"
        died, number = run.died, number + 1
    assert number > 10
