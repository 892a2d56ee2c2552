"""The card of a question about a call: what it shows while it is open, and what became of it."""

from typing import Any

import pytest

from runtime.domain.events import (
    AgentInput,
    AgentInvocation,
    AgentOutput,
    ApprovalDecision,
    ApprovalRequest,
    ApprovalWhy,
    ToolResult,
    ToolStarted,
    Verdict,
)
from runtime.domain.trajectory import AGENT, Draft
from studio.web.conversation import conversation
from studio.web.decision_card import Decision, decision_card, take_decision
from tests.web.told import MIA, SUE, began, called, ended, said, told

ARGS = {"order_id": "48213", "amount": 60}
SCHEMA = {"properties": {"order_id": {"type": "string"}, "amount": {"type": "integer"}}, "required": ["order_id"]}
ASKED = {"args": ARGS, "about": "Pays back.", "schema": SCHEMA, "viewer": "u_sue", "may": True}


def asking(**fields: Any) -> Draft:
    return Draft(ApprovalRequest(call_id="0.0", why=ApprovalWhy.POLICY, tool="pay", **fields), AGENT, 0)


def decided(verdict: Verdict = Verdict.APPROVE, by: str = "u_tom", **fields: Any) -> Draft:
    return Draft(ApprovalDecision(call_id="0.0", verdict=verdict, by=by.removeprefix("u_").title(), **fields), by)


def card(*happened: Draft, asked: dict[str, Any] | None = None, **fields: Any) -> Decision:
    """The card of the question with what was decided after it."""
    envelopes = told(asking(**fields), *happened)[1:]
    found = decision_card({**envelopes[0], "asked": asked or ASKED}, tool="pay")
    for event in envelopes[1:]:
        take_decision(found, event)
    return found


def test_an_open_card_shows_the_question_the_arguments_and_what_has_not_happened():
    found = card(expires_at=1_700_000_000_000_000)

    assert found.title == "May pay run?"
    assert [(one.name, one.text) for one in found.given] == [("order_id", "48213"), ("amount", "60")]
    assert [(field.name, field.kind, field.value) for field in found.fields] == [
        ("order_id", "text", "48213"),
        ("amount", "integer", "60"),
    ]
    assert "Nothing has been done yet." in found.not_yet
    assert found.expires == "2023-11-14T22:13:20Z"
    assert found.outcome == ""


def test_who_may_not_decide_is_told_who_may():
    envelope = told(asking(approvers=("supervisors", "owner")))[1]

    found = decision_card(envelope, tool="pay")

    assert not found.may_decide
    assert found.who == "a supervisor or the owner of the session"
    assert (found.given, found.fields) == ([], [])


@pytest.mark.parametrize(
    ("decision", "outcome", "words"),
    [
        (decided(), "approved", "Tom approved"),
        (decided(edited_args=ARGS | {"amount": 75}), "edited", "Tom approved with changes"),
        (decided(Verdict.DENY, reason="too late"), "denied", "Tom denied"),
        (decided(Verdict.DENY, "u_studio"), "expired", "Nobody decided in time. It was denied"),
        (decided(grant="g_1"), "granted", "Approved by a standing permission of Tom"),
    ],
)
def test_what_became_of_it_is_said_in_one_line(decision, outcome, words):
    found = card(decision)

    assert (found.outcome, found.said) == (outcome, words)


def test_changes_say_what_was_and_what_is():
    changes = card(decided(edited_args={"amount": 75})).changes

    assert [(one.name, one.was, one.text) for one in changes] == [
        ("amount", "60", "75"),
        ("order_id", "48213", "left out"),
    ]


def test_the_button_names_what_is_approved_after_an_edit_of_another_person():
    refund = dict(ARGS, reason="A cracked leg")
    question = Draft(ApprovalRequest(call_id="0.0", why=ApprovalWhy.POLICY, tool="issue_refund", needed=2), AGENT, 0)
    asked, edit = told(question, decided(edited_args=refund | {"amount": 75}))[1:]

    found = decision_card({**asked, "asked": ASKED | {"args": refund}}, tool="issue_refund")
    before = (found.title, found.approve_words)
    take_decision(found, edit)

    assert before == ("Pay 60 EUR back?", "Approve: pay 60 EUR back")
    assert (found.title, found.approve_words) == ("Pay 75 EUR back?", "Approve: pay 75 EUR back")


def test_one_of_two_approvals_leaves_it_open_and_draws_it_anew():
    one = card(decided(), needed=2)
    both = card(decided(), decided(by="u_ann"), needed=2)

    assert (one.outcome, one.is_half, one.revision) == ("", True, 1)
    assert both.said == "Tom and Ann approved"


def test_who_has_approved_is_not_asked_again():
    assert card(decided(by="u_sue"), needed=2).has_approved
    assert not card(decided(), needed=2).has_approved


def test_supervisors_are_asked_after_nobody_decided():
    message = message_of(called("0.0"), asking(), asking(escalated=True))

    first, second = message.parts[0].decisions
    assert (first.outcome, second.outcome) == ("escalated", "")
    assert second.why_words == "Nobody decided in time, so supervisors are asked."


def test_a_stop_withdraws_the_question():
    stopped = Draft(ToolResult(call_id="0.0", status="cancelled", content="stopped"), step=0)

    message = message_of(called("0.0"), asking(), stopped)

    assert message.parts[0].decisions[0].said == "Withdrawn before anybody decided"
    assert message.parts[0].word == "stopped"


def unknown(*happened: Draft) -> Decision:
    """The card of a question about an unknown outcome in a rollout that has ended since."""
    asked = Draft(ApprovalRequest(call_id="0.0", why=ApprovalWhy.UNKNOWN_OUTCOME), step=0)
    envelopes = told(said("hi"), began(0), called("0.0", "pay"), ended(0), asked, *happened)
    late = [one | {"asked": ASKED, "too_late": one["type"] == "approval.request"} for one in envelopes]
    return conversation(late, SUE)[-1].shown.parts[0].decisions[0]


def test_what_nobody_can_say_any_more_is_said_to_be_unknown():
    unanswered, told_in_time = unknown(), unknown(decided(Verdict.SKIP))

    assert unanswered.said == "Nobody knows whether it happened, and the rollout has ended"
    assert (unanswered.outcome, told_in_time.said) == ("lapsed", "Tom decided: skip it")


def test_a_result_that_came_after_all_is_no_unknown_outcome():
    result = Draft(ToolResult(call_id="0.0", content="paid", late=True), step=0)

    assert unknown(result).outcome == "withdrawn"


def test_a_fallback_and_an_undoing_are_said_on_the_card():
    begun = Draft(ToolStarted(call_id="0.0", role="fallback", tool="queue_refund", why="timeout"), step=0)
    undone = Draft(ToolStarted(call_id="0.0", role="rollback", tool="reverse_refund"), step=0)
    after = Draft(ToolResult(call_id="0.0", content="undone", role="rollback"), step=0)

    found = message_of(called("0.0"), begun, Draft(ToolResult(call_id="0.0", content="queued"), step=0), undone, after)

    assert (found.parts[0].instead, found.parts[0].undone, found.parts[0].word) == (
        "queue_refund",
        "reverse_refund",
        "undone",
    )
    assert found.parts[0].result == "queued"


def test_an_agent_that_was_called_is_a_card_until_it_answers():
    invoked = Draft(
        AgentInvocation(call_id="0.0", agent="clerk", agent_version=1, task="Look", child_rollout="r_2"), AGENT, 0
    )
    answer = Draft(AgentInput(content="Clause 4.2", from_rollout="r_2", call_id="0.0", final=True), "r_2")

    assert message_of(invoked).parts[0].word == "working"
    assert [message_of(invoked, answer).parts[0].word, message_of(invoked, answer).parts[0].answer] == [
        "answered",
        "Clause 4.2",
    ]


def test_a_sub_agent_speaks_only_where_it_speaks_to_people():
    events = told(said("hi"), began(0), Draft(AgentOutput(content="to my caller"), AGENT, 0), ended(0))
    to_mia = told(
        began(0), Draft(AgentOutput(call_id="0.0", content="hello Mia", to="u_mia", to_name="Mia"), AGENT, 0), ended(0)
    )

    assert [item.part for item in conversation(events, SUE, {"r_1"})] == ["playground/_said.html"]
    assert conversation(to_mia, SUE, {"r_1"})[0].shown.parts[0].to == "Mia"


def test_a_question_to_a_person_is_open_until_that_person_speaks():
    asks = Draft(AgentOutput(call_id="0.0", content="Where to?", to="u_mia", to_name="Mia", waits=True), AGENT, 0)

    found = message_of(asks)

    assert (found.parts[0].to_name, found.parts[0].is_open, found.parts[0].is_mine) == ("Mia", True, False)


def message_of(*drafts: Draft) -> Any:
    return next(
        item.shown for item in conversation(told(began(0), *drafts, ended(0), viewer=SUE), MIA) if "step" in item.id
    )
