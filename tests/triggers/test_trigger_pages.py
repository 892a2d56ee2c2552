"""The pages: where a trigger is reached, what came through it, trying it, switching it off, and editing it."""

import json
import re

import pytest

from studio.models import AmpSession, AuditEntry, Trigger
from studio.services.agents import create_agent
from studio.services.audit import Actor
from studio.web.editor_fields import edited_text
from tests.people import browser_of
from tests.triggers.outside import SECRET, WEBHOOK, Sender, agent_with_triggers, trigger_of

DAILY = '  - schedule: {cron: "0 9 * * 1-5", timezone: Europe/Berlin, input: Daily report}\n'
HEAD = "name: desk\nmodel: playbook/echo\n"


@pytest.fixture
def author(people, secret):
    return browser_of(people["author"])


@pytest.fixture
def trigger(people, secret):
    return trigger_of(agent_with_triggers(people["author"], WEBHOOK))


def page(browser) -> str:
    return browser.get("/agents/clerk/triggers").content.decode()


def test_a_webhook_shows_its_address_and_the_name_of_its_secret(author, trigger):
    shown = page(author)

    assert f"/hooks/{trigger.public_id}/orders" in shown
    assert "ORDERS_HOOK" in shown
    assert SECRET not in shown
    assert "Nothing came yet." in shown


def test_a_schedule_shows_its_next_times_by_its_own_clocks(people, author):
    agent_with_triggers(people["author"], DAILY)

    times = re.findall(r"\w{3} \d{1,2} \w{3} \d{4}, 09:00 CES?T", page(author))
    assert len(times) == 3
    assert not any(time.startswith(("Sat", "Sun")) for time in times)


def test_deliveries_say_what_became_of_them_with_a_link_to_the_session(author, trigger):
    send = Sender(trigger)
    session = send({"event_id": "e-1"})[1]["session"]
    send({"event_id": "e-1"})
    send({}, Webhook_Signature="")

    shown = page(author)
    assert f"/chat/{session}" not in shown, "an author does not see a session that is nobody's"
    assert [word in shown for word in ("accepted", "repeated", "refused", "The signature does not fit")] == [True] * 4


def test_a_supervisor_can_open_the_session_that_it_led_to(people, trigger):
    session = Sender(trigger)({"event_id": "e-1"})[1]["session"]
    supervisor = browser_of(people["supervisor"])

    assert f"/chat/{session}" in page(supervisor)
    assert supervisor.get(f"/chat/{session}").status_code == 200


def test_trying_a_webhook_opens_the_session_that_it_led_to(author, people, trigger):
    answer = author.post(f"/agents/clerk/triggers/{trigger.public_id}/test", {"body": '{"event_id": "x"}'})

    session = AmpSession.objects.get()
    assert answer.headers["Location"] == f"/chat/{session.public_id}"
    assert session.owner == people["author"]
    assert author.get(answer.headers["Location"]).status_code == 200
    assert ">test<" in page(author)


def test_a_body_that_cannot_be_sent_stays_in_the_form_with_the_reason(author, trigger):
    answer = author.post(f"/agents/clerk/triggers/{trigger.public_id}/test", {"body": '{"a": 1, "a": 2}'})

    assert answer.status_code == 400
    shown = answer.content.decode()
    assert "is given twice" in shown
    assert "{&quot;a&quot;: 1, &quot;a&quot;: 2}" in shown


@pytest.mark.parametrize("line", [DAILY, "  - folder: {path: inbox}\n", "  - feed: {url: https://news.example/rss}\n"])
def test_every_kind_can_be_tried(people, author, line):
    trigger = trigger_of(agent_with_triggers(people["author"], line))
    page(author)
    answer = author.post(f"/agents/clerk/triggers/{trigger.public_id}/test")

    assert answer.headers["Location"] == f"/chat/{AmpSession.objects.get().public_id}"


def test_switching_off_and_on_is_in_the_audit_log_and_can_be_tried_meanwhile(author, people, trigger):
    path = f"/agents/clerk/triggers/{trigger.public_id}"
    author.post(f"{path}/switch", {"on": "false"})
    assert Sender(trigger)({})[0] == 409
    assert author.post(f"{path}/test", {"body": "{}"}).status_code == 302
    author.post(f"{path}/switch", {"on": "false"})
    author.post(f"{path}/switch", {"on": "true"})

    assert Sender(trigger)({})[0] == 202
    said = AuditEntry.objects.filter(action__startswith="trigger.").order_by("pk")
    assert [(entry.action, entry.user, entry.after) for entry in said] == [
        ("trigger.switched_off", people["author"], {"trigger": "webhook orders"}),
        ("trigger.switched_on", people["author"], {"trigger": "webhook orders"}),
    ]


def test_a_schedule_that_was_off_makes_nothing_up_for(people, author):
    trigger = trigger_of(agent_with_triggers(people["author"], DAILY))
    Trigger.objects.update(is_on=False, due_at=1)
    author.post(f"/agents/clerk/triggers/{trigger.public_id}/switch", {"on": "true"})

    trigger.refresh_from_db()
    assert trigger.due_at > 1_000_000


def test_an_agent_without_triggers_says_how_to_add_one(people, author):
    create_agent(Actor(people["author"], "test"), people["author"].memberships.get().project, "name: clerk\n")

    assert "Nothing starts it from outside" in page(author)


def test_the_editor_shows_each_trigger_with_what_acts(author, trigger):
    shown = author.get("/agents/clerk/edit").content.decode()

    section = shown.partition('id="section-triggers"')[2].partition("</form>")[0]
    assert f"/hooks/{trigger.public_id}/orders" in section
    assert 'value="body.event_id"' in section
    assert "Deliveries, tests and switching off" in section


def test_a_trigger_is_added_filled_in_and_removed_in_the_form():
    text = edited_text(HEAD, {"add_trigger": "schedule"})
    text = edited_text(text, {"trigger:0:timezone": "Europe/Berlin", "trigger:0:overlap": "queue"})
    assert "timezone: Europe/Berlin" in text
    assert "overlap: queue" in text

    text = edited_text(text, {"add_trigger": "webhook"})
    text = edited_text(text, {"trigger:1:urgent": "true", "trigger:1:dedupe": "body.id"})
    assert "urgent: true" in text

    assert edited_text(edited_text(text, {"remove_trigger": "1"}), {"remove_trigger": "0"}).strip() == HEAD.strip()


def test_what_is_shown_and_sent_back_changes_nothing(author, people, secret):
    text = f"{HEAD}triggers:\n{WEBHOOK}{DAILY}"
    posted = {"trigger:0:name": "orders", "trigger:0:urgent": "false", "trigger:0:dedupe": "body.event_id"}
    posted |= {"trigger:1:cron": "0 9 * * 1-5", "trigger:1:overlap": "", "trigger:1:input": "Daily report"}

    assert edited_text(text, posted) == text


def test_a_problem_stands_at_its_field(author, people):
    create_agent(Actor(people["author"], "test"), people["author"].memberships.get().project, HEAD)
    text = f"{HEAD}triggers:\n  - schedule: {{cron: every day}}\n"
    answer = author.post("/agents/desk/check", {"text": text})

    assert "no cron line" in json.dumps(answer.json()) or "parts and not 5" in json.dumps(answer.json())
