"""kill -9 anywhere in the work of three agents and two people: leave, a timer, sub-agents, what goes on behind, a
fallback, moves of the state, and the undoing of it all. Trajectories, prompts and ledger are those of the run that
nobody killed (promises 1 to 5 and 7).

None of the writes is idempotent, so that what a kill has cut off is asked about, and about nothing else.
"""

from collections.abc import Iterator
from itertools import count, zip_longest
from pathlib import Path

import pytest

from tests.acceptance.people_stage import AGENTS, PeopleRun, set_people_stage
from tests.acceptance.people_story import PeopleStory
from tests.acceptance.stage import Stage

pytestmark = pytest.mark.acceptance

ACTS = ["/act/finder", "/act/one", "/act/paid/75", "/act/scout"]
OF_DESK = ["/act/paid/75", "/act/one"]
FEWEST_APPENDS = 40


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> Iterator[Stage]:
    with set_people_stage(tmp_path_factory.mktemp("stage") / "seed") as stage:
        yield stage


@pytest.fixture(scope="module")
def whole(stage, tmp_path_factory) -> PeopleRun:
    """The run that nobody killed."""
    return played(stage, tmp_path_factory.mktemp("whole") / "data", "", {})


def played(stage: Stage, folder: Path, kill_at: str, given: dict[str, dict[str, str]]) -> PeopleRun:
    """Play it to its end. `given`: what each agent's calls gave in the run that nobody killed."""
    PeopleStory(stage.ledger).tell(stage.model)
    run = PeopleRun(stage, folder, given)
    try:
        run.play(kill_at)
        run.remember()
    finally:
        run.server.kill()
    return run


def check_equal(run: PeopleRun, whole: PeopleRun, kill_at: str) -> None:
    """What was recorded, asked of the models, done, undone and asked of people."""
    for agent in whole.told:
        for fact, expected in zip_longest(run.told[agent], whole.told[agent]):
            assert fact == expected, f"{kill_at}: {agent}"
    assert run.shown_to == whole.shown_to, kill_at
    assert sorted(run.acts) == ACTS, kill_at
    assert sorted(set(run.undone)) == ACTS, kill_at
    assert [act for act in dict.fromkeys(run.undone) if act in OF_DESK] == OF_DESK, kill_at
    one_of_each = len(AGENTS)  # the three undo at the same time, each one after another
    assert len(run.undone) <= len(ACTS) + one_of_each, f"{kill_at}: more was undone again than one kill can cut off"
    assert len(run.asked_about) == len(set(run.asked_about)), kill_at


def kill_at_each(stage: Stage, whole: PeopleRun, point: str, folder: Path) -> int:
    """A run for each passage of the point; their number."""
    for number in count(1):
        kill_at = f"{point}:{number}"
        run = played(stage, folder / str(number), kill_at, whole.given_by)
        check_equal(run, whole, kill_at)
        if not run.died:
            return number - 1
    raise AssertionError("count does not end")


def test_uninterrupted(whole):
    assert sorted(whole.acts) == ACTS
    assert whole.asked_about == []
    assert len(whole.shown_to) == 7 + 3 + 3
    for happened in ("timer.trigger", "agent.response", "rollout.cancelled"):
        assert any(fact[0] == happened for fact in whole.told["finder"])


@pytest.mark.parametrize(
    "kill_at",
    [
        "append-after agent.invocation:1",
        "timer-before:1",
        "append-before timer.trigger:1",
        "append-before agent.response:1",
        "append-after agent.response:2",
        "append-after approval.request:1",
        "decide-after:1",
        "append-after approval.decision:1",
        "append-after tool.started fallback:1",
        "append-after tool.started rollback:1",
    ],
)
def test_a_kill_where_people_and_agents_are_waited_for(stage, whole, tmp_path, kill_at):
    run = played(stage, tmp_path / "data", kill_at, whole.given_by)

    assert run.died
    check_equal(run, whole, kill_at)


@pytest.mark.chaos
@pytest.mark.parametrize("point", ["append-before", "append-inside", "append-after"])
def test_a_kill_at_each_append_of_the_whole_tree(stage, whole, tmp_path, point):
    assert kill_at_each(stage, whole, point, tmp_path) >= FEWEST_APPENDS


@pytest.mark.chaos
@pytest.mark.parametrize(
    ("point", "fewest"),
    [
        ("effect-before", 12),
        ("effect-after", 12),
        ("accept-before", 2),
        ("accept-after", 2),
        ("decide-before", 2),
        ("decide-after", 2),
        ("timer-before", 1),
        ("timer-after", 1),
        ("claim-after", 3),
    ],
)
def test_a_kill_at_each_passage_of_every_other_point(stage, whole, tmp_path, point, fewest):
    assert kill_at_each(stage, whole, point, tmp_path) >= fewest
