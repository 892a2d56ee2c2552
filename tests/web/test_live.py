"""The live page: what goes on, nested, and each act of a supervisor."""

import pytest
from django.urls import reverse

from studio.models import Rollout
from studio.store import pending_events
from studio.web.live_rows import Counts, live_rows
from tests.people import browser_of, everybody
from tests.sessions import asked_for_leave, child_of, published_agent, session_of

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


@pytest.fixture
def another(people) -> Rollout:
    return asked_for_leave(session_of(people["member"], published_agent(people["author"], "clerk"), "Opening hours"))


def text_of(response) -> str:
    return response.content.decode()


def act(browser, rollout: Rollout, action: str, **posted: str):
    return browser.post(reverse("live-act", args=[rollout.public_id]), {"action": action, **posted})


def act_on(browser, action: str, *rollouts: Rollout, **posted: str):
    chosen = [rollout.public_id for rollout in rollouts]
    return browser.post(reverse("live-several"), {"action": action, "chosen": chosen, **posted})


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
    page = text_of(sue.get(reverse("live"), {"r": rollout.public_id})).partition('aria-label="What you may do"')[2]

    assert 'value="pause"' in page
    assert 'value="cancel"' in page
    assert 'value="resume"' not in page
    assert "Model calls in a turn, now 25" in page


def test_the_panel_asks_once_more_before_it_cancels(sue, rollout):
    page = text_of(sue.get(reverse("live"), {"r": rollout.public_id}))
    asked = text_of(act_on(sue, "cancel", rollout))

    assert 'form="live-cancel" name="action" value="cancel"' in page
    assert "It ends, with the agents that it called." in asked
    assert not accepted(rollout)


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


def test_several_are_asked_about_once_with_their_count(sue, rollout, another):
    page = text_of(act_on(sue, "pause", rollout, another))

    assert "Pause 2 rollouts?" in page
    assert "clerk, Opening hours" in page
    assert accepted(rollout) == accepted(another) == []


@pytest.mark.parametrize(
    ("action", "posted", "recorded"),
    [
        ("pause", {"reason": "Lunch"}, ("rollout.paused", "reason", "Lunch")),
        ("cancel", {}, ("rollout.cancelled", "reason", "")),
        ("instruct", {"content": "Be brief", "when": "later"}, ("supervisor.instruction", "content", "Be brief")),
    ],
)
def test_what_is_done_to_several_is_done_to_each(sue, rollout, another, action, posted, recorded):
    type_, field, words = recorded

    act_on(sue, action, rollout, another, sure="1", **posted)

    for one in (rollout, another):
        assert [(payload.type, getattr(payload, field)) for payload in accepted(one)] == [(type_, words)]


def test_what_could_not_be_done_is_said_for_each(sue, rollout, another):
    Rollout.objects.filter(pk=another.pk).update(lifecycle="paused")

    page = text_of(sue.get(act_on(sue, "pause", rollout, another, sure="1").url))

    assert "Paused 1 rollout." in page
    assert "clerk, Opening hours: This rollout is paused already." in page
    assert "Paused 1 rollout." not in text_of(sue.get(reverse("live")))


def test_the_same_form_sent_twice_counts_once(sue, rollout):
    for _ in range(2):
        act_on(sue, "pause", rollout, sure="1", key="one-key")

    assert len(accepted(rollout)) == 1


def test_what_has_ended_meanwhile_is_told(sue, rollout, another):
    Rollout.objects.filter(pk=another.pk).update(lifecycle="completed")

    page = text_of(sue.get(act_on(sue, "pause", rollout, another, sure="1").url))

    assert "1 rollout ended before that." in page
    assert "None of the chosen still goes on." in text_of(act_on(sue, "pause", another))


def test_a_sub_agent_follows_its_caller(sue, rollout):
    child = child_of(rollout)
    Rollout.objects.filter(pk=child.pk).update(lifecycle="running")

    page = text_of(sue.get(act_on(sue, "pause", rollout, child, sure="1").url))

    assert "Paused 2 rollouts." in page
    assert (len(accepted(rollout)), accepted(child)) == (1, [])


def test_a_sub_agent_does_not_follow_a_caller_to_whom_nothing_could_be_done(sue, rollout):
    child = child_of(rollout)
    Rollout.objects.filter(pk=child.pk).update(lifecycle="running")
    Rollout.objects.filter(pk=rollout.pk).update(lifecycle="paused")

    page = text_of(sue.get(act_on(sue, "pause", rollout, child, sure="1").url))

    assert "Paused 1 rollout." in page
    assert (accepted(rollout), len(accepted(child))) == ([], 1)


def test_everything_is_paused_after_one_question_that_states_the_count(sue, rollout, another):
    asked = text_of(act_on(sue, "pause", everything="1"))
    act_on(sue, "pause", everything="1", sure="1")

    assert "Pause 2 rollouts?" in asked
    assert [len(accepted(one)) for one in (rollout, another)] == [1, 1]


def test_who_supervises_nothing_may_do_nothing_to_several(people, rollout):
    assert act_on(browser_of(people["member"]), "cancel", rollout, sure="1").status_code == 403
    assert accepted(rollout) == []


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


def test_who_called_an_agent_that_needs_somebody_stands_first(rollout):
    calling = Rollout(pk=rollout.pk + 1, public_id="r_2", agent=rollout.agent, session=rollout.session)
    calling.lifecycle, calling.created_at = "running", rollout.created_at - 1
    asking = Rollout(pk=rollout.pk + 2, public_id="r_3", agent=rollout.agent, session=rollout.session, parent=calling)
    asking.lifecycle, asking.created_at = "failed", rollout.created_at - 1
    busy = Rollout(pk=rollout.pk + 3, public_id="r_4", agent=rollout.agent, session=rollout.session)
    busy.lifecycle, busy.created_at = "running", rollout.created_at

    needs_first = [row.rollout.public_id for row in live_rows([busy, calling, asking])]
    newest_first = [row.rollout.public_id for row in live_rows([calling, asking, busy], needs_first=False)]

    assert (needs_first, newest_first) == (["r_2", "r_3", "r_4"], ["r_4", "r_2", "r_3"])


def test_a_budget_is_shown_as_its_share(rollout):
    rollout.budget_tokens, rollout.tree_tokens = 1000, 900

    row = live_rows([rollout])[0]

    assert (row.share, row.level) == (90, "near")
