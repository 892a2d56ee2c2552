"""The fields of the form that are about asking, delegating and states: each edit changes its own lines only."""

import pytest

from runtime.domain.agent_file import read_agent_file
from runtime.domain.file_edit import EditRefused
from runtime.domain.yaml_node import plain_value
from studio.queries.known import tool_registry
from studio.web.editor_agents import agent_rows
from studio.web.editor_fields import edited_text
from studio.web.editor_form import NotPairs
from studio.web.editor_states import states_form
from studio.web.editor_tools import tool_rows
from studio.web.state_edits import NotAName

TEXT = """name: desk
model: playbook/echo
tools:
  - issue_refund       # moves money
  - files: {workspace: .}
agents: [clerk, {name: reviewer, context: {last: 4}}]   # two of them
states:                # where a request can be
  initial: open
  open:
    transitions:
      - {to: done, when: it is done}
  done: {final: true}
"""


def edited(*posted: tuple[str, str], text: str = TEXT) -> dict:
    comments = [comment for comment in ("# moves money", "# two of them") if comment in text]
    for key, typed in posted:
        text = edited_text(text, {key: typed})
    assert [comment for comment in comments if comment not in text] == []
    file = read_agent_file(text)
    assert file.document is not None
    return plain_value(file.document)


@pytest.mark.parametrize(
    ("posted", "entry"),
    [
        ([("tool:0:approval", "always")], {"name": "issue_refund", "approval": "always"}),
        ([("tool:0:approval", "once")], {"name": "issue_refund", "approval": "once"}),
        ([("tool:0:approval", "when")], {"name": "issue_refund", "approval": "args.amount > 0"}),
        ([("tool:0:condition", "args.amount > 50")], {"name": "issue_refund", "approval": "args.amount > 50"}),
        ([("tool:0:approvers", "supervisors, Tom")], {"name": "issue_refund", "approvers": ["supervisors", "Tom"]}),
        ([("tool:0:approvals_needed", "2")], {"name": "issue_refund", "approvals_needed": 2}),
        ([("tool:0:self_approval", "false")], {"name": "issue_refund", "self_approval": False}),
        (
            [("tool:0:approval_expires.after", "24h"), ("tool:0:approval_expires.then", "escalate")],
            {"name": "issue_refund", "approval_expires": {"after": "24h", "then": "escalate"}},
        ),
        ([("tool:0:mode", "async")], {"name": "issue_refund", "mode": "async"}),
        ([("tool:0:fallback", "queue_refund")], {"name": "issue_refund", "fallback": "queue_refund"}),
        ([("tool:0:rollback", "reverse_refund")], {"name": "issue_refund", "rollback": "reverse_refund"}),
        ([("tool:0:on_interrupt", "finish")], {"name": "issue_refund", "on_interrupt": "finish"}),
        ([("tool:0:idempotent", "true")], {"name": "issue_refund", "idempotent": True}),
    ],
)
def test_each_rule_of_a_tool_is_written_where_it_belongs(posted, entry):
    assert edited(*posted)["tools"][0] == entry


def test_a_group_keeps_its_settings_beside_the_rule():
    assert edited(("tool:1:approval", "always"))["tools"][1] == {"files": {"workspace": ".", "approval": "always"}}


def test_a_default_that_is_written_out_is_shown_in_words():
    text = TEXT.replace("- issue_refund ", "- {name: issue_refund, approval: always, approval_expires: {then: deny}} ")

    then = tool_rows(read_agent_file(text), tool_registry())[0].asking[-1]

    assert (then.value, then.other_word) == ("deny", "It is denied")
    assert edited_text(text, {then.posted: then.value}) == text


def test_never_takes_the_question_away_and_hides_what_belongs_to_it():
    text = edited_text(TEXT, {"tool:0:approval": "always"})

    shown = tool_rows(read_agent_file(text), tool_registry())[0].asking
    hidden = tool_rows(read_agent_file(TEXT), tool_registry())[0].asking

    assert [field.is_hidden for field in shown] == [False, True, False, False, False, False, False]
    assert [field.is_hidden for field in hidden] == [False, True, True, True, True, True, True]
    assert edited(("tool:0:approval", ""), text=text)["tools"][0] == {"name": "issue_refund"}


def test_a_bare_time_to_decide_gains_what_comes_then():
    text = TEXT.replace("  - issue_refund ", "  - {name: issue_refund, approval_expires: 24h} ")

    found = edited(("tool:0:approval_expires.then", "escalate"), text=text)

    assert found["tools"][0]["approval_expires"] == {"after": "24h", "then": "escalate"}


@pytest.mark.parametrize(
    ("posted", "entry"),
    [
        ([("agent:0:context", "summary")], {"name": "clerk", "context": "summary"}),
        ([("agent:0:context", "last")], {"name": "clerk", "context": {"last": 4}}),
        ([("agent:0:context", "last"), ("agent:0:last", "9")], {"name": "clerk", "context": {"last": 9}}),
        (
            [("agent:0:variables", "order_id, amount")],
            {"name": "clerk", "context": {"variables": ["order_id", "amount"]}},
        ),
        ([("agent:0:mode", "background")], {"name": "clerk", "mode": "background"}),
        ([("agent:0:mode", "background"), ("agent:0:mode", "")], "clerk"),
    ],
)
def test_what_a_sub_agent_is_shown_and_whether_it_is_waited_for(posted, entry):
    assert edited(*posted)["agents"][0] == entry


def test_agents_come_and_go():
    assert edited(("add_agent", "echo"))["agents"][2] == "echo"
    assert edited(("remove_agent", "0"))["agents"] == [{"name": "reviewer", "context": {"last": 4}}]
    assert edited(("add_agent", "clerk"), text="name: a\nmodel: playbook/echo\n")["agents"] == ["clerk"]


def test_the_rows_of_agents_say_what_they_are_shown():
    rows = agent_rows(read_agent_file(TEXT))

    assert [(row.name, [field.value for field in row.fields]) for row in rows] == [
        ("clerk", ["", "", "", "", ""]),
        ("reviewer", ["last", "4", "", "", ""]),
    ]


def test_states_are_switched_on_and_off():
    bare = "name: a\nmodel: playbook/echo\n"

    assert set(edited(("add_states", "1"), text=bare)["states"]) == {"initial", "open", "done"}
    assert "states" not in edited(("remove_states", "1"))


def test_states_moves_and_variables_come_and_go():
    found = edited(("new_state", "waiting"), ("add_move", "waiting"), ("new_variable", "amount"))["states"]

    assert found["waiting"]["transitions"] == [{"to": "open"}]
    assert found["variables"] == {"amount": {"type": "string"}}
    assert "waiting_for_boss" in edited(("new_state", " waiting for  boss "))["states"]
    assert edited(("remove_state_part", "open:transitions:0"))["states"]["open"] == {}
    assert "done" not in edited(("remove_state_part", "done"))["states"]


@pytest.mark.parametrize(
    ("path", "typed", "at", "value"),
    [
        ("states.enforce", "false", ("enforce",), False),
        ("states.initial", "done", ("initial",), "done"),
        ("states.open.description", "Just begun", ("open", "description"), "Just begun"),
        ("states.open.tools", "issue_refund", ("open", "tools"), ["issue_refund"]),
        ("states.open.max_stay.after", "48h", ("open", "max_stay", "after"), "48h"),
        ("states.open.final", "true", ("open", "final"), True),
        (
            "states.open.transitions.0.guard",
            "vars.amount < 50",
            ("open", "transitions", 0, "guard"),
            "vars.amount < 50",
        ),
        ("states.open.transitions.0.approval", "always", ("open", "transitions", 0, "approval"), "always"),
        (
            "states.open.transitions.0.set",
            "opened_at: now, tries: 0",
            ("open", "transitions", 0, "set"),
            {"opened_at": "now", "tries": 0},
        ),
    ],
)
def test_each_field_of_a_state_is_written_where_it_belongs(path, typed, at, value):
    found = edited((f"field:{path}", typed))["states"]

    for step in at:
        found = found[step]
    assert found == value


def test_nonsense_is_refused_in_words():
    with pytest.raises(NotAName, match="Use letters, digits and _"):
        edited_text(TEXT, {"new_state": "two, words"})
    with pytest.raises(NotAName):
        edited_text(TEXT, {"new_variable": "initial"})
    with pytest.raises(NotPairs, match="names with values"):
        edited_text(TEXT, {"field:states.open.transitions.0.set": "{"})


def test_a_move_is_added_between_two_states_that_are_there():
    found = edited(
        ("add_move:done", "open"), ("add_move:open", "open"), ("add_move:open", "gone"), ("add_move:x", "open")
    )

    assert found["states"]["done"]["transitions"] == [{"to": "open"}]
    assert found["states"]["open"]["transitions"] == [{"to": "done", "when": "it is done"}, {"to": "open"}]
    assert set(found["states"]) == {"initial", "open", "done"}


def test_a_state_is_renamed_after_the_fields_that_were_posted_beside_it():
    posted = {"rename_state:open": " fresh ", "field:states.open.description": "Just begun"}

    assert edited_text(TEXT, posted) == TEXT.replace("initial: open\n  open:", "initial: fresh\n  fresh:").replace(
        "when: it is done}\n", "when: it is done}\n    description: Just begun\n"
    )


def test_a_variable_is_renamed_in_the_form():
    text = TEXT.replace("  initial: open\n", "  initial: open\n  variables: {amount: {type: number}}\n")

    after = edited_text(text, {"rename_variable:amount": "sum"})

    assert after == text.replace("amount", "sum")


@pytest.mark.parametrize(
    "posted",
    [
        {"rename_state:open": "done"},
        {"new_state": "open"},
        {"new_state": " done "},
        {"rename_state:open": "initial"},
        {"rename_state:gone": "here"},
    ],
)
def test_a_name_that_is_taken_or_impossible_changes_nothing(posted):
    with pytest.raises((EditRefused, NotAName)):
        edited_text(TEXT, posted)


def test_a_field_of_a_state_that_was_renamed_meanwhile_makes_no_state():
    assert edited_text(TEXT, {"field:states.gone.description": "Just begun"}) == TEXT
    assert edited_text(TEXT, {"field:states.variables.gone.type": "number"}) == TEXT


def test_a_missing_state_is_made_or_replaced_by_the_one_that_was_meant():
    text = TEXT.replace("to: done", "to: dne")
    form = states_form(read_agent_file(text))

    assert form is not None
    assert [(one.name, one.meant) for one in form.missing] == [("dne", "done")]
    assert edited_text(text, {"redirect_state:dne": "done"}) == TEXT
    assert "dne" in edited(("new_state", "dne"), text=text)["states"]


def test_the_diagram_draws_a_state_that_is_missing():
    form = states_form(read_agent_file(TEXT.replace("to: done", "to: dun")))

    assert form is not None
    assert {node.name: node.kind for node in form.diagram.nodes} == {"open": "start", "done": "end", "dun": "missing"}
    assert [edge.is_missing for edge in form.diagram.edges] == [True]
    assert form.diagram.sentence == "Starts in open. Moves: open to dun when it is done."


def test_what_the_form_shows_can_be_posted_back_and_changes_nothing():
    form = states_form(read_agent_file(TEXT))
    assert form is not None
    shown = [field for state in form.states for field in state.fields]
    shown += [field for state in form.states for move in state.moves for field in (*move.fields, *move.more)]

    assert edited_text(TEXT, {field.name: field.value for field in shown}) == TEXT


def test_a_state_stays_when_its_last_field_is_cleared():
    text = TEXT.replace("  done: {final: true}", "  done: {description: All is well}")

    assert edited(("field:states.done.description", ""), text=text)["states"]["done"] == {}
    assert edited(("field:states.open.transitions.0.when", ""))["states"]["open"] == {"transitions": [{"to": "done"}]}
    assert edited(("field:states.open.enforce", "false"))["states"]["open"] == {
        "transitions": [{"to": "done", "when": "it is done"}]
    }
