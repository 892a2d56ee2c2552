"""Every event type has its case in `apply`, its words for the model, and a place in the totals."""

import pytest

from runtime.domain.apply import apply, fold
from runtime.domain.errors import BrokenTrajectory
from runtime.domain.events import TYPES, Category, RolloutStarted, StepStarted, UserInput
from runtime.domain.phrases import words
from runtime.domain.state import State
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, Event, place
from tests.payloads import built


def in_a_step() -> State:
    """A rollout in the middle of a step."""
    payloads = [
        RolloutStarted(agent="tester", agent_version=1),
        UserInput(content="go"),
        StepStarted(model="m", seen=2, prompt_sha256="0" * 64),
    ]
    return fold(placed(payload, seq) for seq, payload in enumerate(payloads, 1))


def placed(payload, seq: int) -> Event:
    return place(Draft(payload, step=0), seq, 1, NO_PREDECESSOR)


@pytest.mark.parametrize("type_", TYPES)
def test_every_type_has_its_case(type_):
    state = apply(in_a_step(), placed(built(type_), 4))

    assert state.seq == 4
    assert state.totals.events + state.totals.records == 4


@pytest.mark.parametrize("type_", TYPES)
def test_every_type_can_be_said_to_the_model(type_):
    assert words(placed(built(type_), 4)).startswith("<")


@pytest.mark.parametrize("type_", TYPES)
def test_lifecycle_events_are_records_and_the_others_are_ticks(type_):
    before = in_a_step()

    after = apply(before, placed(built(type_), 4))

    is_record = TYPES[type_].category is Category.LIFECYCLE
    assert after.totals.records - before.totals.records == is_record
    assert len(after.totals.tape) - len(before.totals.tape) == (not is_record)


def test_an_event_out_of_order_is_refused():
    with pytest.raises(BrokenTrajectory, match="event 7 does not fit"):
        apply(in_a_step(), placed(UserInput(content="late"), 7))


@pytest.mark.parametrize("type_", ["step.completed", "step.aborted"])
def test_a_step_cannot_end_before_it_began(type_):
    begun = fold([placed(RolloutStarted(agent="tester", agent_version=1), 1)])

    with pytest.raises(BrokenTrajectory):
        apply(begun, placed(built(type_), 2))
