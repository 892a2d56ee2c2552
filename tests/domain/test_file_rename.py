"""A state or a variable gets another name where it is meant and nowhere else; and back again, byte for byte."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.domain.agent_file import read_agent_file
from runtime.domain.file_edit import EditRefused
from runtime.domain.file_rename import redirect_state, rename_state, rename_variable
from runtime.domain.yaml_node import MappingNode, child
from tests.fixtures import FIXTURES

DESK = """\
# open is a word here, too
name: desk
model: playbook/echo
user_prompt_template: |   # open
  {% if state == "open" and vars.amount %}It is open: {{ vars.amount }} {{ memory.amount }}{% endif %}
  {% for amount in vars.amount.parts %}{{ amount }}{% endfor %} {% if "open" != state %}{{ state }}{% endif %}
tools:
  - issue_refund: {approval: vars.amount > 50 && args.amount > 1}   # amount
  - name: clock
    approval: 'vars["amount"] > 1'
agents: [clerk, {name: reviewer, context: {variables: [amount, order]}}]
states:   # open
  initial: open   # the first
  variables:
    amount: {type: number}   # in EUR
    order: {type: string, default: open}
  "open":   # quoted
    description: It is open
    transitions:
      - to: 'done'
        guard: >-
          vars.order != "open" && args.to == "done"
          && args.to in ["open", "done"] && vars.amount > args.set.amount
        set: {amount: "=vars.amount * 2 + args.set.amount", order: open}
      - {to: open, when: open, approval: "\\"open\\" == args.to"}
    max_stay: {after: 2h, to: done}
  done: {final: true}
"""
DEMONSTRATION = Path(__file__).parents[2] / "studio" / "demonstration"
FILES = [
    DEMONSTRATION / "refund-desk.yaml",
    FIXTURES / "everything.yaml",
    FIXTURES / "hostile" / "norway.yaml",
    FIXTURES / "hostile" / "unknown-keys.yaml",
]


def changed(before: str, after: str) -> list[int]:
    """The numbers of the lines that differ."""
    lines = zip(before.splitlines(), after.splitlines(), strict=True)
    return [number for number, (one, other) in enumerate(lines, 1) if one != other]


def names(text: str) -> tuple[list[str], list[str]]:
    """The states and the variables of a text."""
    document = read_agent_file(text).document
    machine = document.get("states") if document else None
    variables = child(machine, "variables") if machine else None
    states = machine.names() if isinstance(machine, MappingNode) else ()
    return (
        [name for name in states if name not in ("initial", "enforce", "variables") and not name.startswith("x-")],
        list(variables.names()) if isinstance(variables, MappingNode) else [],
    )


def test_a_state_is_renamed_where_it_is_meant_and_prose_stays():
    after = rename_state(DESK, "open", "fresh")

    assert changed(DESK, after) == [5, 6, 13, 17, 23, 25]
    assert '{% if state == "fresh" and vars.amount %}It is open' in after
    assert '{% if "fresh" != state %}' in after
    assert "  initial: fresh   # the first" in after
    assert '  "fresh":   # quoted\n    description: It is open' in after
    assert 'vars.order != "open" && args.to == "done"\n          && args.to in ["fresh", "done"]' in after
    assert '- {to: fresh, when: open, approval: "\\"fresh\\" == args.to"}' in after


def test_a_target_is_renamed_in_its_quotes():
    after = rename_state(DESK, "done", "settled")

    assert changed(DESK, after) == [20, 22, 23, 26, 27]
    assert "- to: 'settled'" in after
    assert "max_stay: {after: 2h, to: settled}" in after


def test_a_variable_is_renamed_where_it_is_meant():
    after = rename_variable(DESK, "amount", "sum")

    assert changed(DESK, after) == [5, 6, 8, 10, 11, 15, 23, 24]
    assert "{{ vars.sum }} {{ memory.amount }}" in after
    assert "{% for amount in vars.sum.parts %}{{ amount }}{% endfor %}" in after
    assert "approval: vars.sum > 50 && args.amount > 1}   # amount" in after
    assert "approval: 'vars[\"sum\"] > 1'" in after
    assert "variables: [sum, order]" in after
    assert 'set: {sum: "=vars.sum * 2 + args.set.sum", order: open}' in after


@pytest.mark.parametrize("path", [None, *FILES], ids=lambda path: path.name if path else "desk")
@given(new=st.from_regex(r"[a-z][a-z0-9_]{5,30}", fullmatch=True))
@settings(max_examples=4, deadline=None)
def test_a_name_that_comes_back_gives_the_same_text_byte_for_byte(path, new):
    text = path.read_bytes().decode() if path else DESK
    states, variables = names(text)
    for rename, known in ((rename_state, states), (rename_variable, variables)):
        for old in known:
            if new in known:
                continue
            there = rename(text, old, new)
            assert new in names(there)[rename is rename_variable]
            assert len(read_agent_file(there).errors) == len(read_agent_file(text).errors)
            assert rename(there, new, old) == text


def test_what_leads_to_a_state_can_be_led_to_another():
    after = redirect_state(DESK.replace("'done'", "'dun'"), "dun", "done")

    assert after == DESK


@pytest.mark.parametrize(("old", "new", "words"), [("open", "done", "already"), ("gone", "here", "any more")])
def test_a_name_that_is_taken_or_gone_is_refused_in_words(old, new, words):
    with pytest.raises(EditRefused, match=words):
        rename_state(DESK, old, new)


def test_a_name_that_an_alias_shares_is_not_renamed_behind_its_back():
    text = "name: &name open\nstates:\n  initial: *name\n  open: {final: true}\n"

    with pytest.raises(EditRefused, match="shared"):
        rename_state(text, "open", "fresh")


def test_an_alias_of_a_name_follows_it():
    text = "states:\n  initial: &first open\n  open: {transitions: [{to: *first}]}\n"

    assert rename_state(text, "open", "fresh") == text.replace("open", "fresh")
