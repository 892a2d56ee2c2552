"""A write that is not idempotent: a kill between `tool.started` and its result asks exactly one question, and "it
happened" leads to an equal trajectory (promise 5)."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.acceptance.playing import check_equal, played
from tests.acceptance.stage import Run, Stage, set_stage

pytestmark = pytest.mark.acceptance

WRITES = {"1.0": "/act/one", "2.1": "/act/two", "4.0": "/act/three"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> Iterator[Stage]:
    with set_stage(tmp_path_factory.mktemp("stage") / "seed", idempotent=False) as stage:
        yield stage


@pytest.fixture(scope="module")
def whole(stage, tmp_path_factory) -> Run:
    return played(stage, tmp_path_factory.mktemp("whole") / "data", "")


def test_each_kill_around_an_effect_asks_at_most_once_and_repeats_nothing(stage, whole, tmp_path):
    questions = 0
    for number in count(1):
        kill_at = f"effect-after:{number}"
        run = played(stage, tmp_path / str(number), kill_at, whole.given)
        if not run.died:
            break
        check_equal(run, whole, kill_at)
        assert len(run.acts) == len(set(run.acts)), f"{kill_at}: an effect was repeated"
        assert len(run.asked) <= 1
        questions += len(run.asked)
    assert questions == len(WRITES)


def test_a_kill_before_the_effect_asks_too_since_nobody_can_know(stage, whole, tmp_path):
    run = played(stage, tmp_path / "data", "effect-before:4", whole.given)

    assert run.asked == ["1.0"]
    assert "/act/one" not in run.acts


def test_nobody_is_asked_about_a_call_that_was_not_started(stage, whole, tmp_path):
    for number in (2, 5):
        run = played(stage, tmp_path / str(number), f"append-before:{number}", whole.given)

        started = {fact[3] for fact in run.facts if fact[0] == "tool.started"}
        assert all(any(call_id in fact for fact in started) for call_id in run.asked)
        assert len(run.acts) == len(set(run.acts))
