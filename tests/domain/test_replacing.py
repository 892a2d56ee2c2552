"""The quick copy equals the standard one."""

import dataclasses

import pytest

from runtime.domain.replacing import replace
from runtime.domain.state import State, Turn
from runtime.domain.totals import Totals


@pytest.mark.parametrize(
    ("item", "changes"),
    [(State(), {"seen": 3, "turn": Turn(start=2)}), (Totals(events=1), {"events": 2}), (Turn(), {})],
)
def test_a_copy_has_the_changes_and_all_else_of_its_original(item, changes):
    assert replace(item, **changes) == dataclasses.replace(item, **changes)


def test_the_original_stays_as_it_was():
    state = State()

    replace(state, seen=3)

    assert state == State()


def test_a_field_that_is_not_there_is_a_slip():
    with pytest.raises(KeyError):
        replace(Totals(), seen=3)
