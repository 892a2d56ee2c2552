"""Business states: which moves are allowed, what they set, and what the model is told."""

from typing import Any

import pytest

from runtime.domain import machine as machines
from runtime.domain.agent_file import read_agent_file
from runtime.domain.definition import StateMachine
from runtime.domain.machine import Move, forced, initial, judge
from runtime.domain.machine_words import tail_words, words

STATES = """
  initial: needs_clarification
  variables:
    order_id: {type: string}
    amount: {type: number, default: 0}
    count: {type: integer}
  needs_clarification:
    description: The order is not clear yet
    instructions: Ask one question at a time.
    tools: [get_order, parts-finder]
    transitions:
      - to: processing
        when: the order is known
        guard: vars.order_id != ""
        set: {opened_at: now, count: "=vars.amount * 2"}
  processing:
    transitions:
      - {to: waiting, when: money over the limit, approval: vars.amount > 100}
      - {to: done, guard: vars.amount < 50}
      - {to: done, guard: "result.ok"}
    max_stay: {after: 48h, to: done}
  waiting:
    transitions: [{to: done, when: approved, approval: always}]
  done: {final: true}
"""
AT = 1_700_000_000_000_000


def machine(extra: str = "", text: str = STATES) -> StateMachine:
    file = read_agent_file(f"name: desk\nmodel: playbook/echo\nstates:\n{extra}{text}")
    assert file.definition is not None, file.problems
    assert file.definition.states is not None
    return file.definition.states


def moved(state: str, to: str, vars: dict[str, Any] | None = None, *, extra: str = "", **given: Any) -> Move:
    result = given.pop("result", None)
    return judge(
        machine(extra), state, vars or {}, to=to, set=given, args={"to": to, "set": given}, result=result, at=AT
    )


def test_a_rollout_begins_with_the_defaults_and_nothing_else():
    assert initial(machine()) == ("needs_clarification", {"amount": 0})


def test_a_move_sets_what_was_given_and_what_its_transition_sets():
    move = moved("needs_clarification", "processing", {"amount": 20.5}, order_id="R-1")

    assert move.accepted
    assert move.error == ""
    assert move.set == {"order_id": "R-1", "opened_at": "2023-11-14T22:13:20Z", "count": 41}


def test_a_move_that_no_transition_makes_names_those_that_are_possible():
    move = moved("needs_clarification", "done")

    assert not move.accepted
    assert move.set == {}
    assert move.error == (
        "The state stays needs_clarification: no transition leads from needs_clarification to done. "
        "Possible moves: processing (the order is known)."
    )


@pytest.mark.parametrize(
    ("vars", "why"),
    [
        ({"order_id": ""}, 'its guard `vars.order_id != ""` does not hold (vars.order_id is "")'),
        ({}, 'its guard `vars.order_id != ""` cannot be judged: `vars.order_id` has no value'),
    ],
)
def test_a_guard_that_does_not_hold_or_cannot_be_judged_refuses_and_says_why(vars, why):
    move = moved("needs_clarification", "processing", vars)

    assert not move.accepted
    assert why in move.error


def test_of_two_ways_to_one_state_the_first_open_one_is_taken():
    assert moved("processing", "done", {"amount": 20}).accepted
    assert moved("processing", "done", {"amount": 60}, result={"ok": True}).accepted
    assert not moved("processing", "done", {"amount": 60}, result={"ok": False}).accepted
    assert not moved("processing", "done", {"amount": 60}, result="no mapping").accepted


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"order_idd": "x"}, "there is no variable order_idd. Did you mean `order_id`?"),
        ({"order_id": 5}, "the variable order_id must be a text"),
        ({"amount": "5"}, "the variable amount must be a number"),
        ({"amount": True}, "the variable amount must be a number"),
        ({"count": 1.5}, "the variable count must be a whole number"),
        ({"order_id": "x" * 4000}, "at most 4,000 characters"),
    ],
)
def test_a_value_that_does_not_fit_refuses_the_move(given, why):
    move = moved("needs_clarification", "processing", **given)

    assert not move.accepted
    assert why in move.error


def test_staying_sets_variables_only():
    move = moved("processing", "", amount=7, count=2.0)

    assert (move.accepted, move.to, move.set, move.transition) == (True, "processing", {"amount": 7, "count": 2}, None)
    assert not moved("processing", "processing").accepted


def test_nothing_follows_a_final_state():
    assert "is final" in moved("done", "processing").error
    assert "is final" in moved("done", "", amount=1).error


def test_a_state_that_does_not_exist_is_refused_even_where_moves_are_not_enforced():
    assert "Did you mean `processing`?" in moved("waiting", "procesing", extra="  enforce: false\n").error


def test_without_enforcement_a_move_outside_the_list_is_made_with_a_note_and_a_guard_still_holds():
    outside = moved("needs_clarification", "done", extra="  enforce: false\n")
    guarded = moved("needs_clarification", "processing", extra="  enforce: false\n")

    assert (outside.accepted, outside.error) == (True, "")
    assert outside.note.startswith("No transition leads")
    assert not guarded.accepted


@pytest.mark.parametrize(
    ("state", "to", "vars", "asks"),
    [
        ("waiting", "done", {}, True),
        ("processing", "waiting", {"amount": 200}, True),
        ("processing", "waiting", {"amount": 20}, False),
        ("processing", "waiting", {}, True),
        ("processing", "done", {"amount": 20}, False),
    ],
)
def test_a_person_is_asked_where_the_transition_says_so_or_cannot_be_judged(state, to, vars, asks):
    move = moved(state, to, vars)

    assert (move.accepted, move.needs_approval) == (True, asks)


def test_a_person_moves_to_any_state_but_only_with_values_that_fit():
    assert forced(machine(), "done", {}, to="waiting", set={"amount": 5}).accepted
    assert not forced(machine(), "done", {}, to="waiting", set={"amount": "x"}).accepted
    assert not forced(machine(), "done", {}, to="nowhere", set={}).accepted


def test_a_state_names_its_tools_its_longest_stay_and_whether_it_is_final():
    found = machine()

    assert machines.max_stay(found, "processing") == (172_800, "done")
    assert machines.max_stay(found, "done") is None
    assert machines.is_final(found, "done")
    assert machines.allowed_tools(found, "processing") is None
    assert machines.is_allowed(found, "needs_clarification", "get_order")
    assert machines.is_allowed(found, "needs_clarification", "invoke_parts_finder")
    assert machines.is_allowed(found, "needs_clarification", "update_rollout_state")
    assert not machines.is_allowed(found, "needs_clarification", "send_refund")
    assert not machines.is_allowed(found, "needs_clarification", "invoke_reviewer")


def test_the_model_reads_the_whole_machine_once():
    assert words(machine()).splitlines()[2:] == [
        "Only the listed moves are possible.",
        "- needs_clarification (initial): The order is not clear yet",
        '  - to processing, when the order is known, only if `vars.order_id != ""`',
        "- processing",
        "  - to waiting, when money over the limit, a person may have to agree",
        "  - to done, only if `vars.amount < 50`",
        "  - to done, only if `result.ok`",
        "  - at the latest after 2 days to done, by itself",
        "- waiting",
        "  - to done, when approved, a person has to agree",
        "- done (final)",
        "Variables:",
        "- order_id (string)",
        "- amount (number, 0 at first)",
        "- count (integer)",
    ]


def test_the_model_reads_where_it_stands_at_each_step():
    tail = tail_words(machine(), "needs_clarification", {"amount": 0, "opened_at": "x"}, ("send_refund",))

    assert tail.splitlines() == [
        "State: needs_clarification. The order is not clear yet",
        "Ask one question at a time.",
        'Variables: order_id = not set; amount = 0; count = not set; opened_at = "x".',
        "Moves from here:",
        '- to processing, when the order is known, only if `vars.order_id != ""`',
        "Closed in this state, so do not call: send_refund.",
    ]
