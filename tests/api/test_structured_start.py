"""`input_schema`: what a session begins with is checked, over the API and in the playground's form."""

import pytest
from django.test import Client

from studio.models import AmpSession
from studio.services.agents import create_agent, publish
from studio.services.audit import Actor
from studio.store import pending_events
from tests.api.door import Door
from tests.sessions import rollout_of

TEXT = """\
name: refunds
model: playbook/echo
system_prompt: You look after refunds.
input_schema:
  type: object
  properties:
    order_id: {type: string, title: Order, minLength: 5}
    amount: {type: number}
  required: [order_id]
"""


@pytest.fixture
def refunds(people, agent):
    actor = Actor(people["author"], "test")
    publish(actor, create_agent(actor, agent.project, TEXT))


@pytest.fixture
def door(people, refunds):
    return Door(people["member"])


def first_message(session: AmpSession):
    [waiting] = pending_events(rollout_of(session).pk)
    return waiting.payload


def test_an_object_that_fits_begins_the_session(door):
    status, made = door("POST", "/sessions", {"agents": ["refunds"], "input": {"order_id": "48213", "amount": 60}})

    said = first_message(AmpSession.objects.get(public_id=made["id"]))
    assert (status, said.form.name, said.form.values) == (201, "start", {"order_id": "48213", "amount": 60})
    assert said.content == "order_id: 48213, amount: 60"


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"amount": 60}, "`order_id` is missing"),
        ({"order_id": "1"}, "`order_id` must have at least 5 characters"),
        ("my bench is broken", "begins with a form"),
        ("", "`order_id` is missing"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_name_of_the_field(door, given, word):
    status, told = door("POST", "/sessions", {"agents": ["refunds"], "input": given})

    assert status == 422
    assert word in str(told)
    assert not AmpSession.objects.exists()


def test_an_agent_without_a_form_takes_no_object(door):
    status, told = door("POST", "/sessions", {"agents": ["echo"], "input": {"a": 1}})

    assert (status, "as a text" in str(told)) == (422, True)


def test_the_playground_asks_with_a_form_and_keeps_what_was_typed(people, refunds):
    browser = Client()
    browser.force_login(people["member"])

    page = browser.get("/chat/new?agent=refunds").content.decode()
    refused = browser.post("/chat/new", {"agent": "refunds", "value:order_id": "1", "value:amount": "60"})
    begun = browser.post("/chat/new", {"agent": "refunds", "value:order_id": "48213"})

    assert 'name="value:order_id"' in page
    assert "c-composer" not in page
    assert refused.status_code == 422
    assert 'value="60"' in refused.content.decode()
    assert begun.status_code == 302
    assert first_message(AmpSession.objects.get()).form.values == {"order_id": "48213"}


def test_trying_such_an_agent_leads_to_its_form(people, refunds):
    browser = Client()
    browser.force_login(people["author"])

    led = browser.post("/agents/refunds/try", {})

    assert led.url == "/chat/new?agent=refunds"
