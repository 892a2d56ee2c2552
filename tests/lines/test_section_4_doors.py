"""`runtime.md`, section 4: what the doors answer, and the keys of senders and triggers."""

import pytest

from runtime.domain.trajectory import Draft
from studio.models import PendingEvent
from studio.store import pending_events
from tests.api.door import Door
from tests.sessions import record, rollout_of

ELSEWHERE = {
    "only then is the sender told": "tests/api/test_messages.py::test_a_message_is_accepted_and_waits",
}

SHIPPED = {"type": "external.trigger", "payload": {"trigger": "order.shipped", "key": "o-17", "body": {"order": 17}}}


@pytest.fixture
def door(people):
    return Door(people["member"])


def send(door: Door, session, body: dict, **headers: str) -> tuple[int, dict]:
    return door("POST", f"/sessions/{session.public_id}/events", body, **headers)


def test_a_key_used_again_gives_the_same_id_and_todays_state(door, session):
    """again with the same body, the same ids and today's state"""
    hello = {"type": "user.input", "content": "Hello"}
    first = send(door, session, hello, Idempotency_Key="k-1")[1]
    rollout = rollout_of(session)
    [waiting] = pending_events(rollout.pk)
    record(rollout, [Draft(waiting.payload, waiting.source, id=waiting.id, received_at=waiting.received_at)])
    PendingEvent.objects.all().delete()

    again = send(door, session, hello, Idempotency_Key="k-1")[1]

    assert (first["state"], again["state"]) == ("pending", "recorded")
    assert (again["id"], again["rollout"]) == (first["id"], first["rollout"])


def test_the_key_of_a_trigger_is_good_once_whoever_sends_it(people, session, door):
    """Triggers have their own keys, unique per trigger."""
    first = send(door, session, SHIPPED)[1]

    again = send(door, session, SHIPPED, Idempotency_Key="another-delivery")[1]

    assert again["id"] == first["id"]
    assert len(pending_events(rollout_of(session).pk)) == 1


def test_the_same_key_of_another_trigger_is_another_key(door, session):
    """Triggers have their own keys, unique per trigger."""
    first = send(door, session, SHIPPED)[1]

    other = send(door, session, SHIPPED | {"payload": SHIPPED["payload"] | {"trigger": "order.paid"}})[1]

    assert other["id"] != first["id"]
    assert len(pending_events(rollout_of(session).pk)) == 2
