"""The rows of an agent that was called, under the call in its caller's trajectory."""

import pytest
from django.urls import reverse

from runtime.domain.events import AgentInvocation, AgentOutput
from runtime.domain.trajectory import AGENT, Draft
from studio.models import Rollout
from tests.people import browser_of, everybody
from tests.sessions import child_of, published_agent, record, rollout_of, session_of, step

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people():
    return everybody()


@pytest.fixture
def caller(people) -> Rollout:
    """A rollout whose call at seq 3 is of an agent that has said one thing."""
    caller = rollout_of(session_of(people["member"], published_agent(people["author"]), "The bench"))
    child = child_of(caller)
    record(child, step(Draft(AgentOutput(content="Clause 4.2"), AGENT, 0)))
    call = AgentInvocation(call_id="0.0", agent="echo", agent_version=1, task="Look", child_rollout=child.public_id)
    record(caller, step(Draft(call, AGENT, 0)))
    return caller


@pytest.fixture
def child(caller) -> Rollout:
    return Rollout.objects.get(parent=caller)


@pytest.fixture
def sue(people):
    return browser_of(people["supervisor"])


def page(browser, rollout: Rollout, **query: object) -> str:
    return browser.get(reverse("rollout", args=[rollout.public_id]), query).content.decode()


def nested(browser, rollout: Rollout, seq: int):
    return browser.get(reverse("rollout-nested", args=[rollout.public_id, seq]))


def test_a_few_events_stand_unfolded_under_their_call_by_numbers_of_both(sue, caller, child):
    shown = page(sue, caller)

    assert 'id="row-3.2"' in shown
    assert "Clause 4.2" in shown
    assert f'href="{reverse("rollout", args=[child.public_id])}?e=2"' in shown
    assert 'id="nested-3" data-parent="3"' in shown
    assert "data-loaded" in shown


def test_more_than_twelve_events_are_fetched_when_their_call_is_unfolded(sue, caller, child):
    Rollout.objects.filter(pk=child.pk).update(events=13)

    shown = page(sue, caller)

    assert "Show 13 events" in shown
    assert 'id="row-3.2"' not in shown
    assert "Clause 4.2" not in shown
    assert f'hx-get="{reverse("rollout-nested", args=[caller.public_id, 3])}?gap=' in shown
    assert 'id="row-3.2"' in nested(sue, caller, 3).content.decode()


def test_what_has_hundreds_of_rows_is_shown_as_far_as_it_can_be_read_here(sue, caller, child):
    says = [Draft(AgentOutput(content=f"word {number}"), AGENT, 1) for number in range(250)]
    record(child, step(*says, number=1))

    shown = nested(sue, caller, 3).content.decode()

    assert shown.count("data-row ") == 200
    assert "54 more in its trajectory" in shown


def test_a_search_leaves_them_out_and_the_log_knows_no_nesting(sue, caller):
    assert 'id="row-3.2"' not in page(sue, caller, q="Look")
    assert 'id="row-3.2"' not in page(sue, caller, **{"as": "log"})


def test_the_detail_beside_the_caller_leads_to_the_page_of_the_agent(sue, caller, child):
    address = reverse("rollout", args=[child.public_id])
    headers = {"HX-Request": "true", "HX-Target": "detail"}

    shown = sue.get(address, {"e": 3, "beside": 1}, headers=headers).content.decode()

    assert "event 3 of echo" in shown
    assert f'href="{address}?e=3&amp;tab=json"' in shown
    assert "data-choose" not in shown
    assert "hx-replace-url" not in shown


def test_where_no_agent_was_called_there_is_nothing_to_unfold(sue, people, caller):
    assert nested(sue, caller, 2).status_code == 404
    assert nested(browser_of(people["member"]), caller, 3).status_code == 200
    assert nested(browser_of(people["other member"]), caller, 3).status_code == 404
