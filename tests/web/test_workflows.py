"""The workflow pages: a file is written, refused in words, started from with what its agents are to know, deleted."""

import pytest
from django.urls import reverse

from studio.models import AmpSession, Workflow
from tests.people import browser_of, everybody
from tests.sessions import published_agent, rollout_of

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = """# ours
workflow: support
title: Support
agents: [desk, finder]
entry: desk
shared_context: {order_id: string}
"""


@pytest.fixture
def people():
    return everybody()


@pytest.fixture
def aron(people):
    for name in ("desk", "finder"):
        published_agent(people["author"], name)
    return browser_of(people["author"])


def save(browser, text: str = TEXT):
    return browser.post(reverse("workflow-new"), {"text": text})


def test_the_text_that_a_new_workflow_begins_with_can_be_saved_as_it_is(aron):
    text = aron.get(reverse("workflow-new")).context["text"]

    assert save(aron, text).url == reverse("workflow", args=["support"])
    assert "No problems" in aron.get(reverse("workflow", args=["support"])).content.decode()


def test_what_is_wrong_is_said_at_its_line_and_what_was_typed_stays(aron):
    wrong = TEXT.replace("finder", "fnder")

    refused = save(aron, wrong)
    checked = aron.post(reverse("workflow-check"), {"text": wrong}).json()["problems"]

    assert refused.status_code == 422
    assert "Line 4" in refused.content.decode()
    assert "fnder" in refused.content.decode()
    assert [problem["line"] for problem in checked] == [4]
    assert not Workflow.objects.exists()


def test_a_member_starts_a_session_by_it_with_what_all_agents_are_to_know(people, aron):
    save(aron)
    mia, start = browser_of(people["member"]), reverse("workflow-start", args=["support"])
    assert "Support" in mia.get(reverse("session-new")).content.decode()
    assert 'name="value:order_id"' in mia.get(start).content.decode()

    response = mia.post(start, {"value:order_id": "48213", "content": "Where is it?"})

    session = AmpSession.objects.get()
    assert response.url == reverse("session", args=[session.public_id])
    assert session.metadata["workflow"]["shared"] == {"order_id": "48213"}
    assert rollout_of(session).agent.name == "desk"
    assert session.participants.count() == 3


def test_a_deleted_workflow_starts_nothing_and_its_sessions_stay(people, aron):
    save(aron)
    mia, start = browser_of(people["member"]), reverse("workflow-start", args=["support"])
    mia.post(start, {"value:order_id": "48213"})

    aron.post(reverse("workflow-delete", args=["support"]))

    assert mia.get(start).status_code == 404
    assert AmpSession.objects.count() == 1
