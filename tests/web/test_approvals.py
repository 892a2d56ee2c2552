"""The approvals page: what waits, a decision with changes or a reason, standing leave, and escalations."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from runtime.domain.events import AgentEscalation, ApprovalWhy, RolloutCancelled, ToolRequest
from runtime.domain.trajectory import AGENT, Draft
from studio.models import PendingEvent, StandingGrant
from studio.queries.questions import questions_of
from studio.services.agents import create_agent, publish
from studio.services.audit import Actor
from studio.store import pending_events
from tests.people import browser_of, everybody
from tests.sessions import asked_for_leave, record, rollout_of, session_of, step

REFUND = ToolRequest(
    call_id="0.0", tool="issue_refund", args={"order_id": "48213", "amount": 60, "reason": "A cracked leg."}
)

EDITED = {"verdict": "edit", "arg:order_id": "48213", "arg:amount": "75", "arg:reason": "A cracked leg."}

DESK = "name: desk\nmodel: playbook/echo\ntools: [issue_refund]\n"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people():
    return everybody()


@pytest.fixture
def session(people):
    author = people["author"]
    agent = create_agent(Actor(author, "test"), author.memberships.get().project, DESK)
    publish(Actor(author, "test"), agent)
    return session_of(people["member"], agent, "A bench")


@pytest.fixture
def question(session):
    return questions_of(asked_for_leave(session, REFUND))[0]


@pytest.fixture
def mia(people):
    return browser_of(people["member"])


def text_of(response) -> str:
    return response.content.decode()


def decide(browser, question, **posted: str):
    shown = {"args_sha256": question.args_sha256}
    return browser.post(reverse("approval-decide", args=[question.id]), shown | posted)


def decisions(question) -> list:
    return [item.payload for item in pending_events(question.rollout.pk)]


def test_an_open_question_shows_the_call_and_what_has_not_happened(mia, question):
    page = text_of(mia.get(reverse("approval", args=[question.id])))

    assert "Pay 60 EUR back?" in page
    assert "Approve: pay 60 EUR back" in page
    assert "A cracked leg." in page
    assert "Nothing has been done yet." in page
    assert 'name="arg:amount"' in page


def test_the_list_filters_what_is_mine(people, session):
    asked_for_leave(session, REFUND, approvers=("supervisors",))
    mia, sue = browser_of(people["member"]), browser_of(people["supervisor"])
    mine = reverse("approvals") + "?mine=1"

    assert "Pay money back?" in text_of(mia.get(reverse("approvals")))
    assert "60 EUR" not in text_of(mia.get(reverse("approvals")))
    assert "Nothing waits for you." in text_of(mia.get(mine))
    assert "Pay 60 EUR back?" in text_of(sue.get(mine))


def test_approving_accepts_exactly_what_was_shown(mia, question):
    response = decide(mia, question, verdict="approve")

    assert response.status_code == 302
    decision = decisions(question)[0]
    assert (decision.verdict, decision.args_sha256, decision.edited_args) == ("approve", question.args_sha256, None)


def test_edited_arguments_are_read_from_the_form_by_their_kind(mia, question):
    fields = {"arg:order_id": "48213", "arg:amount": "75", "arg:reason": "A cracked leg."}

    decide(mia, question, verdict="edit", **fields)

    assert decisions(question)[0].edited_args == {"order_id": "48213", "amount": 75, "reason": "A cracked leg."}


@pytest.mark.parametrize(("amount", "sentence"), [("much", "amount: write a number."), ("-5", "must be more than 0")])
def test_arguments_that_do_not_fit_are_refused_at_their_field(mia, question, amount, sentence):
    fields = {"arg:order_id": "48213", "arg:amount": amount, "arg:reason": "A cracked leg."}

    response = decide(mia, question, verdict="edit", **fields)

    assert response.status_code == 422
    assert sentence in text_of(response)
    assert decisions(question) == []


def test_arguments_that_cannot_be_kept_are_refused(mia, question):
    response = decide(mia, question, **EDITED | {"arg:reason": "A cracked\x00 leg."})

    assert response.status_code == 400
    assert "One of the arguments has a NUL character" in text_of(response)
    assert decisions(question) == []


def test_denying_takes_a_reason_along(mia, question):
    decide(mia, question, verdict="deny", reason="outside 60 days")

    assert (decisions(question)[0].verdict, decisions(question)[0].reason) == ("deny", "outside 60 days")


@pytest.mark.parametrize(
    ("posted", "words"),
    [
        ({"verdict": "approve"}, "sue got here first and approved it"),
        ({"verdict": "deny", "reason": "outside 60 days"}, "sue got here first and denied it"),
        (EDITED, "sue got here first and approved it with changes"),
    ],
)
def test_who_comes_second_reads_in_place_who_was_first(people, question, posted, words):
    decide(browser_of(people["supervisor"]), question, **posted)

    response = decide(browser_of(people["member"]), question, verdict="approve")

    assert response.status_code == 409
    assert words in text_of(response)
    assert len(decisions(question)) == 1


def test_the_card_in_the_conversation_is_sent_who_was_first_and_with_what(people, question):
    decide(browser_of(people["supervisor"]), question, **EDITED)
    url = reverse("session-decision", args=[question.id])
    posted = {"verdict": "approve", "args_sha256": question.args_sha256}

    response = browser_of(people["member"]).post(url, posted, headers={"Accept": "application/json"})

    assert response.status_code == 409
    assert f'id="decision-{question.id}"' in response.json()["late"]
    assert "got here first and approved it with changes" in response.json()["late"]
    assert "<s>60</s> 75" in response.json()["late"]


def test_who_decides_otherwise_in_another_tab_reads_what_they_have_decided(mia, question):
    decide(mia, question, verdict="deny")

    assert "You were here before and denied it" in text_of(decide(mia, question, verdict="approve"))


def test_leave_for_the_session_is_listed_and_can_be_taken_back(mia, question):
    decide(mia, question, grant="session")
    grant = StandingGrant.objects.get()
    listed = text_of(mia.get(reverse("approvals") + "?state=grants"))

    mia.post(reverse("grant-revoke", args=[grant.public_id]))

    assert "issue_refund" in listed
    assert "A bench" in listed
    assert "Nothing is permitted once for all" in text_of(mia.get(reverse("approvals") + "?state=grants"))


def test_a_call_that_may_leak_says_what_was_read_and_what_always_means(mia, session):
    reason = "mail sends to the outside, and the agent has read what nobody vouches for (fetch in call 0.0)."
    asked_for_leave(session, REFUND, why=ApprovalWhy.TAINT, reason=reason)
    (question,) = questions_of(rollout_of(session))
    page = text_of(mia.get(reverse("approval", args=[question.id])))

    decide(mia, question, grant="session")

    assert f"Asks because {reason} What it read may have told it to pass the data on." in page
    assert "do not ask again, also after it has read what nobody vouches for and private data" in page
    assert reason in text_of(mia.get(reverse("session", args=[session.public_id])))
    assert "also after untrusted reading and private data" in text_of(mia.get(reverse("approvals") + "?state=grants"))


def test_an_escalation_is_answered_with_an_instruction(people, session):
    asks = AgentEscalation(call_id="0.0", reason="The customer waits", question="May I promise Thursday?")
    record(rollout_of(session), step(Draft(asks, AGENT, 0)))
    sue = browser_of(people["supervisor"])
    page = reverse("escalation", args=[f"x_{rollout_of(session).public_id.removeprefix('r_')}_3"])

    assert "May I promise Thursday?" in text_of(sue.get(reverse("approvals")))
    assert "The customer waits" in text_of(sue.get(page))
    assert browser_of(people["member"]).get(page).status_code == 404
    assert sue.post(page + "/answer", {"content": "Yes", "when": "later"}).status_code == 302
    assert [item.payload.content for item in pending_events(rollout_of(session).pk)] == ["Yes"]
    assert PendingEvent.objects.count() == 1


def test_an_unknown_outcome_of_a_rollout_that_has_ended_is_said_in_words_without_buttons(mia, session):
    rollout = asked_for_leave(session, REFUND, why="unknown_outcome")
    open_ = text_of(mia.get(reverse("session", args=[session.public_id])))
    record(rollout, [Draft(RolloutCancelled(by="Mia"), session.owner.public_id)])
    (question,) = questions_of(rollout_of(session))

    pages = [reverse("session", args=[session.public_id]), reverse("approval", args=[question.id])]
    shown = [text_of(mia.get(page)) for page in pages]

    assert 'value="run_again"' in open_
    assert ["Nobody knows whether it happened, and the rollout has ended" in text for text in shown] == [True, True]
    assert ['value="run_again"' in text for text in shown] == [False, False]


def test_the_card_in_the_conversation_posts_to_the_same_decision(mia, question):
    url = reverse("session-decision", args=[question.id])
    headers = {"Accept": "application/json"}

    refused = mia.post(
        url, {"verdict": "edit", "args_sha256": question.args_sha256, "arg:amount": "x"}, headers=headers
    )
    accepted = mia.post(url, {"verdict": "approve", "args_sha256": question.args_sha256}, headers=headers)

    assert (refused.status_code, refused.json()["field"]) == (422, "amount")
    assert accepted.status_code == 202
    assert decisions(question)[0].verdict == "approve"


@pytest.mark.parametrize("path", ["/approvals", "/approvals?state=decided", "/counts"])
def test_many_questions_cost_as_many_statements_as_few(people, session, path):
    sue = browser_of(people["supervisor"])

    few = statements_after(sue, path, session, 2)
    many = statements_after(sue, path, session, 8)

    assert many == few


def statements_after(browser, path: str, session, more: int) -> int:
    """How many statements the page takes once so many more sessions ask for leave; half of them are answered."""
    for number in range(more):
        rollout = asked_for_leave(session_of(session.owner, session.entry_agent), REFUND)
        if number % 2:
            decide(browser, questions_of(rollout)[0], verdict="deny", reason="")
    browser.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert browser.get(path).status_code == 200
    return len(captured)
