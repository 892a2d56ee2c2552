"""Webhooks: what is signed is accepted once, in the session that it belongs to; the rest is refused in words."""

import json
import time

import pytest
from asgiref.sync import async_to_sync

from studio.models import AmpSession, AuditEntry, Delivery, Event, PendingEvent, Rollout, SessionState, Trigger
from studio.services.agents import publish, save_draft
from studio.services.audit import Actor
from studio.services.housekeeping import keep_house
from studio.services.sessions import archive_session
from studio.services.webhook_signature import sign
from studio.services.webhooks import sample_body, send_sample
from studio.store.delivering import MOST_REFUSED
from tests.people import browser_of
from tests.triggers.outside import SECRET, WEBHOOK, Sender, agent_with_triggers, trigger_of, waiting

ORDER = {"event_id": "e-1", "customer": {"id": 17}, "total": 60}


@pytest.fixture
def trigger(people, secret):
    return trigger_of(agent_with_triggers(people["author"], WEBHOOK))


@pytest.fixture
def send(trigger):
    return Sender(trigger)


def last_delivery() -> Delivery:
    return Delivery.objects.order_by("-pk")[0]


def test_a_signed_delivery_begins_a_session_of_the_agent(send):
    status, said = send(ORDER)

    session = AmpSession.objects.get()
    assert (status, said["state"], said["session"]) == (202, "accepted", session.public_id)
    assert session.entry_agent.name == "clerk"
    assert session.owner is None
    [payload] = waiting()
    assert (payload.trigger, payload.body, payload.key) == ("orders", ORDER, "event:e-1")
    assert (payload.user, payload.urgent) == ("", False)
    assert PendingEvent.objects.get().id == said["id"]


def test_a_delivery_is_kept_with_its_outcome_and_without_its_body_or_the_secret(send):
    _, said = send(ORDER, "d-9")

    kept = last_delivery()
    assert (kept.outcome, kept.session.public_id, kept.event_id) == ("accepted", said["session"], said["id"])
    assert (kept.sender_id, kept.size) == ("d-9", len(json.dumps(ORDER)))
    every = str([*Delivery.objects.values(), *Trigger.objects.values()])
    assert SECRET not in every
    assert "total" not in every


def test_the_same_delivery_again_is_accepted_once_and_answers_the_same(send):
    first = send(ORDER, "d-1")[1]
    status, again = send(ORDER, "d-1")

    assert (status, again) == (202, first | {"state": "repeated"})
    assert len(waiting()) == 1
    assert last_delivery().outcome == "repeated"


def test_the_same_event_under_another_delivery_is_accepted_once(send):
    first = send(ORDER)[1]

    assert send(ORDER | {"total": 61})[1] == first | {"state": "repeated"}
    assert len(waiting()) == 1


def test_an_event_of_the_same_name_at_another_webhook_is_another_event(people, send):
    other = trigger_of(agent_with_triggers(people["author"], WEBHOOK, "second"))

    assert send(ORDER)[1]["state"] == Sender(other)(ORDER)[1]["state"] == "accepted"


def test_the_same_value_of_session_by_leads_to_the_same_session(send):
    first, second = send(ORDER)[1], send(ORDER | {"event_id": "e-2"})[1]
    other = send({"event_id": "e-3", "customer": {"id": 18}})[1]

    assert first["session"] == second["session"] != other["session"]
    assert Rollout.objects.filter(session__public_id=first["session"]).count() == 1
    assert len(waiting()) == 3


def test_without_a_value_each_delivery_has_a_session_of_its_own(send):
    assert send({"event_id": "e-1"})[1]["session"] != send({"event_id": "e-2"})[1]["session"]


def test_a_session_that_was_archived_takes_nothing_more_and_a_new_one_begins(people, send):
    first = send(ORDER)[1]
    archive_session(people["supervisor"], AmpSession.objects.get())
    second = send(ORDER | {"event_id": "e-2"})[1]
    third = send(ORDER | {"event_id": "e-3"})[1]

    assert first["session"] != second["session"] == third["session"]
    assert AmpSession.objects.get(public_id=first["session"]).state == SessionState.ARCHIVED


def test_a_rollout_that_has_ended_is_followed_by_another_in_the_same_session(send):
    first = send(ORDER)[1]
    Rollout.objects.update(lifecycle="completed")
    second = send(ORDER | {"event_id": "e-2"})[1]

    assert first["session"] == second["session"]
    assert Rollout.objects.count() == 2


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"Webhook_Signature": "v1,AAAA"}, "signature"),
        ({"Webhook_Signature": ""}, "signature"),
        ({"Webhook_Timestamp": "1"}, "signature"),
        ({"Webhook_Timestamp": "soon"}, "Timestamp"),
        ({"Webhook_Id": ""}, "Webhook-Id"),
        ({"Webhook_Id": "another"}, "signature"),
        ({"Webhook_Id": "ü"}, "Webhook-Id"),
    ],
)
def test_what_is_not_signed_is_refused_and_noted(send, changed, word):
    status, said = send(ORDER, **changed)

    assert status == 403
    assert word in said["detail"]
    assert (last_delivery().outcome, last_delivery().reason) == ("refused", said["detail"])
    assert AmpSession.objects.count() == 0


@pytest.mark.parametrize(("late", "status"), [(290, 202), (-290, 202), (310, 403), (-310, 403)])
def test_a_delivery_is_good_for_five_minutes_each_way(send, late, status):
    assert send(ORDER, late=late)[0] == status


def test_a_signature_with_another_secret_does_not_fit(trigger):
    assert Sender(trigger, "another-secret")(ORDER)[0] == 403


def test_one_of_several_signatures_may_fit(send):
    now = int(time.time())
    right = sign(SECRET, "d-1", now, json.dumps(ORDER).encode()).signature

    assert send(ORDER, "d-1", Webhook_Signature=f"v1,AAAA v2,x {right}", Webhook_Timestamp=str(now))[0] == 202


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        (b'{"a": 1, "a": 2}', 400, "twice"),
        (b'{"a": NaN}', 400, "NaN"),
        (b'{"a": "\\u0000"}', 400, "NUL"),
        (b'{"a": "\\ud800"}', 400, "character pair"),
        (b'{"a": 123456789012345678901234567890}', 400, "number"),
        (b"[1]", 400, "object"),
        (b"\xff", 400, "UTF-8"),
        (b"", 400, "JSON"),
        (b'{"a": "' + b"x" * 256 * 1024 + b'"}', 413, "256 KiB"),
        (b'{"a": "' + b"x" * 3 * 1024 * 1024 + b'"}', 413, "256 KiB"),
    ],
)
def test_a_body_that_cannot_be_kept_is_refused_in_words(send, body, status, word):
    answer = send(body)

    assert answer[0] == status
    assert word in answer[1]["detail"]
    assert last_delivery().outcome == "refused"


def test_of_refused_deliveries_the_last_hundred_are_kept(trigger, send):
    many = [Delivery(trigger=trigger, at=at, outcome="refused") for at in range(MOST_REFUSED + 5)]
    Delivery.objects.bulk_create(many)
    send(ORDER)
    for _ in range(3):
        send(ORDER, Webhook_Signature="")

    assert Delivery.objects.filter(outcome="refused").count() == MOST_REFUSED
    assert Delivery.objects.filter(outcome="accepted").count() == 1


def test_after_ninety_days_a_delivery_is_forgotten_and_its_key_is_not(send):
    send(ORDER)
    Delivery.objects.update(at=1)
    async_to_sync(keep_house)()

    assert Delivery.objects.count() == 0
    assert send(ORDER)[1]["state"] == "repeated"


def test_an_address_that_is_not_there_is_a_404_that_says_nothing(send, trigger):
    for path in (f"/hooks/{trigger.public_id}/other", "/hooks/tg_1/orders"):
        send.path = path

        assert send(ORDER)[0] == 404
    assert Delivery.objects.count() == 0


def test_only_post_and_no_cookie_counts(people, trigger, send):
    browser = browser_of(people["admin"])

    assert browser.get(send.path).status_code == 405
    assert browser.post(send.path, {}).status_code == 403


def test_a_bearer_token_in_the_request_is_the_senders_affair(send):
    assert send(ORDER, Authorization="Bearer of-another-system")[0] == 202


def test_without_its_secret_a_webhook_takes_nothing_and_tells_its_author_why(send, secret):
    secret.delete()
    status, said = send(ORDER)

    assert status == 503
    assert "ORDERS_HOOK" not in said["detail"]
    assert "There is no secret named ORDERS_HOOK" in last_delivery().reason


def test_a_trigger_that_is_off_refuses(trigger, send):
    Trigger.objects.update(is_on=False)

    assert send(ORDER)[0] == 409
    assert "switched off" in last_delivery().reason


def test_a_webhook_that_the_newest_version_has_not_is_gone_and_has_its_old_address_when_it_is_back(
    people, trigger, send
):
    agent, actor = trigger.agent, Actor(people["author"], "test")
    with_it = agent.draft
    agent = save_draft(actor, agent, with_it.partition("triggers:")[0], base=agent.draft_number)
    publish(actor, agent)

    assert send(ORDER)[0] == 404
    publish(actor, save_draft(actor, agent, with_it, base=agent.draft_number))
    assert send(ORDER)[0] == 202


def test_an_urgent_webhook_is_urgent(people, secret):
    line = "  - webhook: {name: alarm, secret: ORDERS_HOOK, urgent: true}\n"
    Sender(trigger_of(agent_with_triggers(people["author"], line)))(ORDER)

    assert waiting()[0].urgent


def test_a_large_body_is_kept_whole_beside_its_head(send):
    send(ORDER | {"text": "word " * 20_000})

    [payload] = waiting()
    assert payload.artifact.characters > 100_000
    assert len(payload.body) < 20_000


@pytest.mark.parametrize(
    ("named", "who"),
    [("mia", "member"), ("MIA@shop.example", "member"), ("stan", None), ("nobody", None), (17, None), (None, None)],
)
def test_user_by_is_a_person_of_the_project_by_name_or_address(people, secret, named, who):
    mia = people["member"]
    mia.email = "mia@shop.example"
    mia.save()
    line = "  - webhook: {name: orders, secret: ORDERS_HOOK, user_by: body.user}\n"
    said = Sender(trigger_of(agent_with_triggers(people["author"], line)))({"user": named})[1]

    [payload] = waiting()
    session = AmpSession.objects.get(public_id=said["session"])
    assert payload.user == (people[who].public_id if who else "")
    assert session.owner == (people[who] if who else None)


def test_in_a_session_of_somebody_else_a_named_person_brings_no_memory(people, secret):
    line = "  - webhook: {name: orders, secret: ORDERS_HOOK, user_by: body.user, session_by: body.room}\n"
    send = Sender(trigger_of(agent_with_triggers(people["author"], line)))
    for user in ("mia", "otto", ""):
        send({"user": user, "room": "a"})

    assert [payload.user for payload in waiting()] == [people["member"].public_id, "", people["member"].public_id]


def test_a_sample_goes_into_a_new_session_of_the_tester_and_uses_up_no_key(people, trigger, send):
    send(json.loads(sample_body(trigger)))
    tried = send_sample(trigger, people["author"], sample_body(trigger).encode())

    session = AmpSession.objects.get(public_id=tried.session)
    assert (tried.outcome, session.owner) == ("accepted", people["author"])
    assert AmpSession.objects.count() == 2
    assert last_delivery().is_test


def test_nothing_of_it_is_an_event_yet_and_the_audit_log_has_no_body(send):
    send(ORDER)

    assert Event.objects.count() == 1
    assert not any("e-1" in str(entry.after) for entry in AuditEntry.objects.all())
