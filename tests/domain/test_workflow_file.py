"""A workflow file says how sessions of several agents start, and what is wrong with it, at the right place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.domain.known import Known
from runtime.domain.problem import Severity
from runtime.domain.workflow_file import WorkflowFile, is_workflow_text, read_workflow_file

WHOLE = """workflow: support
title: Support
agents: [refund-desk, policy-researcher, parts-finder]
entry: {chat: refund-desk, webhook: parts-finder}
may_interrupt: {policy-researcher: [parts-finder]}
shared_context: {order_id: string, amount: {type: number, default: 0}}
"""


def read(extra: str, known: Known | None = None) -> WorkflowFile:
    return read_workflow_file(f"workflow: support\nagents: [desk, finder]\n{extra}", known)


def said(file: WorkflowFile, severity: Severity = Severity.ERROR) -> list[tuple[str, str]]:
    return [(problem.path, problem.message) for problem in file.problems if problem.severity is severity]


def test_a_whole_workflow_is_read():
    file = read_workflow_file(WHOLE)

    assert file.is_usable
    workflow = file.workflow
    assert workflow is not None
    assert (workflow.name, workflow.title) == ("support", "Support")
    assert workflow.agents == ("refund-desk", "policy-researcher", "parts-finder")
    assert (workflow.entry_for("chat"), workflow.entry_for("webhook")) == ("refund-desk", "parts-finder")
    assert workflow.entry_for("schedule") == ""
    assert workflow.may_interrupt == {"policy-researcher": ("parts-finder",)}
    assert {name: one.type for name, one in workflow.shared_context.items()} == {
        "order_id": "string",
        "amount": "number",
    }
    assert said(file, Severity.HINT) == []


def test_one_entry_agent_stands_for_every_kind_of_start():
    workflow = read("entry: desk\n").workflow

    assert workflow is not None
    assert {workflow.entry_for(kind) for kind in ("chat", "webhook", "schedule", "folder", "feed")} == {"desk"}


@pytest.mark.parametrize(
    ("text", "path", "sentence"),
    [
        ("entry: dsek\n", "entry", "is not among the agents of this workflow. Did you mean `desk`?"),
        ("entry: {chat: desk, webhook: other}\n", "entry.webhook", "Add it to `agents`."),
        ("entry: {chta: desk}\n", "entry.chta", "Did you mean `chat`?"),
        ("entry: desk\nmay_interrupt: {desk: [findr]}\n", "may_interrupt.desk.0", "Did you mean `finder`?"),
        ("entry: desk\nshared_context: {order: text}\n", "shared_context.order", "must be `string` or"),
        ("entry: desk\nmay_interupt: {}\n", "may_interupt", "Did you mean `may_interrupt`?"),
        ("entry: Big Desk\n", "entry", "may hold only a-z, 0-9 and -"),
        ("", "entry", "`entry` is missing"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(text, path, sentence):
    file = read(text)

    assert not file.is_usable
    assert any(place == path and sentence in message for place, message in said(file)), file.problems


def test_agents_are_listed_once_exist_and_are_published():
    known = Known(agents=("desk", "fresh"), unpublished=("fresh",), complete=True)
    file = read_workflow_file("workflow: w\nagents: [desk, desk, fresh, finder]\nentry: desk\n", known)

    assert [path for path, _ in said(file)] == ["agents.1", "agents.3"]
    assert said(file, Severity.WARNING)[0][0] == "agents.2"


def test_a_workflow_without_agents_is_refused():
    assert "a list with at least one item" in said(read_workflow_file("workflow: w\nagents: []\nentry: desk\n"))[0][1]


def test_a_workflow_that_no_chat_starts_is_a_warning_and_so_is_an_agent_that_interrupts_itself():
    file = read("entry: {webhook: desk}\nmay_interrupt: {desk: [desk]}\n")

    assert [path for path, _ in said(file, Severity.WARNING)] == ["entry", "may_interrupt.desk.0"]


@pytest.mark.parametrize(
    ("text", "is_workflow"), [(WHOLE, True), ("workflow: x", True), ("name: a\nmodel: b/c\n", False), ("- a", False)]
)
def test_a_workflow_is_told_from_an_agent(text, is_workflow):
    assert is_workflow_text(text) is is_workflow


@pytest.mark.parametrize("text", ["", "- a", "name: a", "workflow: [", "workflow: sk-test-000000000000000"])
def test_a_text_that_is_no_workflow_says_so(text):
    file = read_workflow_file(text)

    assert file.workflow is None
    assert file.errors


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#\n \t,?%@`\\~0<x", max_size=120))
def test_no_text_makes_the_reader_raise(text):
    file = read_workflow_file("workflow: a\nagents: [b]\nentry: b\n" + text)

    assert file.workflow is not None or file.errors
