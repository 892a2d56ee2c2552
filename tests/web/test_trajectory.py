"""The trajectory page, as people in every role meet it."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from studio.models import AuditEntry, PendingEvent
from studio.web.fresh import FRESH_KEY
from tests.people import browser_of, everybody
from tests.sessions import asked_about_pay, published_agent, session_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people():
    return everybody()


@pytest.fixture
def rollout(people):
    """Of the member: `pay` was running when the server stopped, and a person is asked at seq 6."""
    return asked_about_pay(session_of(people["member"], published_agent(people["author"]), "The bench"))


@pytest.fixture
def mia(people) -> Client:
    return browser_of(people["member"])


@pytest.fixture
def sue(people) -> Client:
    return browser_of(people["supervisor"])


def page(browser: Client, rollout, route: str = "rollout", *, target: str = "", **query: object) -> str:
    headers = {"HX-Request": "true", "HX-Target": target} if target else {}
    response = browser.get(reverse(route, args=[rollout.public_id]), query, headers=headers)
    assert response.status_code == 200, response.content
    return response.content.decode()


def test_the_page_shows_steps_with_calls_folded_into_them(sue, rollout):
    shown = page(sue, rollout)

    assert 'id="row-2"' in shown
    assert 'data-covers="3 5 6"' in shown
    assert "needs a decision" in shown
    assert f"{rollout.events} events, {rollout.records} records" in shown
    assert shown.count("<h1") == 1


def test_the_log_shows_every_event_by_its_exact_type(sue, rollout):
    shown = page(sue, rollout, **{"as": "log"})

    for seq, type_ in enumerate(("rollout.started", "step.started", "tool.request", "step.completed"), 1):
        assert f'id="row-{seq}"' in shown
        assert type_ in shown


def test_the_filter_and_the_search_stand_in_the_address(sue, rollout):
    inputs = page(sue, rollout, target="trajectory-list", f=1, show="input")
    found = page(sue, rollout, target="trajectory-list", q="amount")

    assert "Nothing matches in this rollout" in inputs
    assert 'id="row-3"' in found
    assert 'id="row-1"' not in found


def test_the_detail_tells_what_caused_an_event_and_what_came_of_it(sue, rollout):
    shown = page(sue, rollout, target="detail", e=3)

    assert "tool.request" in shown
    assert "amount" in shown
    assert 'data-choose="2"' in shown
    assert "<html" not in shown


def test_a_prompt_that_is_not_the_recorded_one_is_said_loudly(sue, rollout):
    shown = page(sue, rollout, target="detail", e=2, tab="prompt")

    assert "You are helpful." in shown
    assert "This is not the request that was sent." in shown
    assert "Does not match the recorded hash" in shown


def test_a_member_is_told_why_prompts_and_arguments_are_not_shown(mia, rollout):
    prompt = page(mia, rollout, target="detail", e=2, tab="prompt")
    call = page(mia, rollout, target="detail", e=3)

    assert "Prompts are shown to supervisors" in prompt
    assert "You are helpful." not in prompt
    assert "Not shown to your role." in call
    assert "amount" not in call + page(mia, rollout, target="detail", e=3, tab="json")


def test_what_is_not_ones_own_and_what_does_not_exist_look_the_same(people, rollout):
    otto = browser_of(people["other member"])

    theirs = otto.get(reverse("rollout", args=[rollout.public_id]))
    none = otto.get(reverse("rollout", args=["r_x"]))

    assert (theirs.status_code, none.status_code) == (404, 404)
    assert "There is no rollout r_x, or you may not see it." in none.content.decode()


def test_growth_gives_the_rows_that_changed_and_nothing_when_nothing_did(sue, rollout):
    grown = page(sue, rollout, "rollout-growth", after=4)
    nothing = sue.get(reverse("rollout-growth", args=[rollout.public_id]), {"after": 6, "lifecycle": rollout.lifecycle})

    assert 'id="row-3"' in grown
    assert 'id="row-1"' not in grown
    assert 'id="totals"' in grown
    assert nothing.status_code == 204


@pytest.mark.parametrize("query", [{"e": "9" * 30}, {"e": "-1"}, {"show": "x", "tab": "y", "as": "z"}, {"gap": "0"}])
def test_an_odd_address_still_shows_the_page(sue, rollout, query):
    page(sue, rollout, **query)


def test_rows_that_do_not_exist_are_not_found(sue, rollout):
    address = reverse("rollout-rows", args=[rollout.public_id])

    assert [sue.get(address, {"window": number}).status_code for number in ("0", "1", "", "x")] == [200, 404, 404, 404]


def test_an_export_holds_what_the_person_may_see_and_is_recorded(mia, rollout):
    response = mia.post(reverse("rollout-export", args=[rollout.public_id]))

    events = [json.loads(line) for line in response.content.decode().splitlines()]
    assert [item["seq"] for item in events] == [1, 2, 3, 4, 5, 6]
    assert "args" not in events[2]["payload"]
    assert response.headers["Content-Disposition"] == f'attachment; filename="{rollout.public_id}.jsonl"'
    assert AuditEntry.objects.filter(action="rollout.exported", subject=rollout.public_id).exists()


def test_an_export_wants_a_fresh_sign_in(mia, rollout):
    session = mia.session
    session[FRESH_KEY] = 0
    session.save()

    response = mia.post(reverse("rollout-export", args=[rollout.public_id]))

    assert response.headers["Location"].startswith("/sign-in/again?next=%2Frollouts%2F")


def test_the_buttons_are_those_that_the_person_may_press(mia, sue, rollout):
    members, supervisors = page(mia, rollout), page(sue, rollout)

    assert 'value="pause"' not in members
    assert 'data-opens="cancel-rollout"' in members
    assert 'value="pause"' in supervisors


def test_a_supervisor_pauses_a_rollout_from_its_page(sue, mia, rollout):
    control = reverse("rollout-control", args=[rollout.public_id])

    refused = mia.post(control, {"action": "pause"})
    accepted = sue.post(control, {"action": "pause"})

    assert (refused.status_code, accepted.status_code) == (403, 302)
    assert PendingEvent.objects.filter(rollout=rollout).count() == 1
