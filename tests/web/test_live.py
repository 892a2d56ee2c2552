"""The live page: what goes on, nested, and each act of a supervisor."""

import pytest
from django.urls import reverse

from studio.models import Rollout
from studio.store import pending_events
from studio.web.live_rows import Counts, live_rows
from tests.people import browser_of, everybody
from tests.sessions import asked_for_leave, published_agent, session_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people():
    return everybody()


@pytest.fixture
def rollout(people) -> Rollout:
    session = session_of(people["member"], published_agent(people["author"]), "A bench")
    return asked_for_leave(session)


@pytest.fixture
def sue(people):
    return browser_of(people["supervisor"])


def text_of(response) -> str:
    return response.content.decode()


def act(browser, rollout: Rollout, action: str, **posted: str):
    return browser.post(reverse("live-act", args=[rollout.public_id]), {"action": action, **posted})


def accepted(rollout: Rollout) -> list:
    return [item.payload for item in pending_events(rollout.pk)]


def test_what_waits_for_leave_stands_in_the_list(sue, rollout):
    page = text_of(sue.get(reverse("live")))

    assert "A bench" in page
    assert "needs a decision" in page
    assert f"live-{rollout.public_id}" in page


def test_who_merely_waits_for_a_message_is_not_live(sue, people, rollout):
    Rollout.objects.filter(pk=rollout.pk).update(waiting_for="input")

    assert "Nothing runs." in text_of(sue.get(reverse("live")))


def test_members_are_told_whom_to_ask(people, rollout):
    response = browser_of(people["member"]).get(reverse("live"))

    assert response.status_code == 403
    assert "Ask a supervisor." in text_of(response)


def test_the_panel_offers_what_makes_sense_now(sue, rollout):
    page = text_of(sue.get(reverse("live"), {"r": rollout.public_id}))

    assert 'value="pause"' in page
    assert 'value="cancel"' in page
    assert 'value="resume"' not in page
    assert "Model calls in a turn, now 25" in page


@pytest.mark.parametrize(("when", "queued"), [("now", False), ("later", True)])
def test_an_instruction_goes_now_or_when_the_step_ends(sue, rollout, when, queued):
    response = act(sue, rollout, "instruct", content="Leave that out", when=when)

    assert response.status_code == 302
    assert [(one.content, one.queued) for one in accepted(rollout)] == [("Leave that out", queued)]


def test_an_instruction_to_the_session_reaches_all_of_it(sue, rollout):
    act(sue, rollout, "instruct_all", content="Be brief")

    assert [one.content for one in accepted(rollout)] == ["Be brief"]


def test_a_pause_keeps_its_reason(sue, rollout):
    act(sue, rollout, "pause", reason="Wait for Tom")

    assert [(one.type, one.reason) for one in accepted(rollout)] == [("rollout.paused", "Wait for Tom")]


def test_a_limit_is_raised(sue, rollout):
    act(sue, rollout, "raise_limit", limit="max_steps", value="40")

    assert accepted(rollout)[0].limits == {"max_steps": 40}


@pytest.mark.parametrize(
    ("action", "posted", "sentence"),
    [
        ("raise_limit", {"limit": "max_steps", "value": "many"}, "Write the new limit as a number."),
        ("raise_limit", {"limit": "max_steps", "value": "3"}, "must be over what it is now"),
        ("set_state", {"state": "done"}, "has no states"),
        ("resume", {}, "is not paused"),
        ("dance", {}, "There is no action"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words_beside_the_list(sue, rollout, action, posted, sentence):
    response = act(sue, rollout, action, **posted)

    assert 400 <= response.status_code < 500
    assert sentence in text_of(response)
    assert accepted(rollout) == []


def test_an_agent_that_was_called_stands_under_its_caller(rollout):
    child = Rollout(pk=rollout.pk + 1, public_id="r_2", agent=rollout.agent, session=rollout.session, parent=rollout)
    child.lifecycle, child.created_at = "running", rollout.created_at + 1

    rows = live_rows([child, rollout])

    assert [(row.rollout.public_id, row.depth) for row in rows] == [(rollout.public_id, 0), ("r_2", 1)]
    assert Counts.of(rows) == Counts(all=2, running=1, waiting=1, paused=0, failed=0, needs=1)


def test_a_budget_is_shown_as_its_share(rollout):
    rollout.budget_tokens, rollout.tree_tokens = 1000, 900

    row = live_rows([rollout])[0]

    assert (row.share, row.level) == (90, "near")
