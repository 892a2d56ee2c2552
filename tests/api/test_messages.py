"""What people send is accepted once, or refused in words."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from studio.models import Artifact, PendingEvent, Rollout
from studio.services.control import control_rollout
from studio.services.messages import ClientEvent, interrupt_with_pending, post_event, withdraw_pending
from studio.services.sessions import archive_session, delete_session
from studio.store import pending_events
from tests.api.door import Door


@pytest.fixture
def door(people, session):
    return Door(people["member"])


def events_of(session) -> str:
    return f"/sessions/{session.public_id}/events"


def hello(**more) -> dict:
    return {"type": "user.input", "content": "Hello"} | more


def waiting(rollout) -> list:
    return [item.payload for item in pending_events(rollout.pk)]


def test_a_message_is_accepted_and_waits(door, session, rollout):
    status, accepted = door("POST", events_of(session), hello())

    assert (status, accepted["state"], accepted["rollout"]) == (202, "pending", rollout.public_id)
    assert [(item.content, item.name) for item in waiting(rollout)] == [("Hello", "mia")]


def test_the_same_key_with_the_same_body_gives_the_same_id(door, session, rollout):
    first = door("POST", events_of(session), hello(), Idempotency_Key="k-1")
    again = door("POST", events_of(session), hello(), Idempotency_Key="k-1")

    assert again == first
    assert len(waiting(rollout)) == 1


def test_the_same_key_with_another_body_is_refused(door, session):
    door("POST", events_of(session), hello(), Idempotency_Key="k-1")

    status, problem = door("POST", events_of(session), hello(content="Other"), Idempotency_Key="k-1")

    assert status == 422
    assert problem["detail"].startswith("This Idempotency-Key was used before with another body")


def test_another_persons_key_is_another_key(people, session, rollout):
    event = ClientEvent("user.interrupt", "stop")

    first = post_event(people["member"], session, event, "k-1")
    second = post_event(people["supervisor"], session, event, "k-1")

    assert first.id != second.id


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b'{"type": "user.input", "content": "a\\u0000b"}', "$.content"),
        (b'{"type": "user.input", "content": "\\ud83d"}', "$.content"),
        (b'{"type": "user.input", "payload": {"form": [{"x": "\\udc00"}]}}', "$.payload.form[0].x"),
        (b'{"type": "user.input", "content": NaN}', "NaN"),
        (b'{"type": "a", "type": "b"}', '"type" is given twice'),
        (b'{"type": "user.input", "payload": {"n": 1e999}}', "too large"),
        (b'{"type": "user.input", "payload": {"n": ' + b"9" * 5000 + b"}}", "too long"),
        (b'{"type": "user.input", "payload": ' + b'{"a":' * 90 + b"1" + b"}" * 90 + b"}", "nested"),
        (b"[" * 100_000, "JSON"),
        (b"[1]", "not a JSON object"),
        (b"\xff{}", "not UTF-8"),
    ],
)
def test_bodies_that_could_not_be_kept_are_refused_in_words(door, session, rollout, body, word):
    status, problem = door("POST", events_of(session), body)

    assert status == 400
    assert word in problem["detail"] or word == "JSON"
    assert waiting(rollout) == []


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        (hello(source="system"), 422, "$.source: There is no such field"),
        ({"content": "x"}, 422, "$.type: This field is required"),
        (hello(type="tool.result"), 400, "cannot be sent"),
        (hello(type="approval.decision"), 400, "cannot be sent"),
        (hello(content="  "), 400, "empty"),
        (hello(to="nobody"), 400, "There is no agent 'nobody'"),
        (hello(to="*"), 400, "Only an instruction"),
        (hello(payload={"now": True}), 400, "has no field 'now'"),
        (hello(payload={"form": {"name": 3}}), 400, "not right at name"),
        (hello(type="supervisor.instruction"), 403, "Ask a supervisor"),
        (hello(payload={"owner": "u_x"}), 400, "has no field 'owner'"),
        (hello(type="external.trigger", payload={"trigger": "t", "user": "u_x"}), 400, "has no field 'user'"),
        (hello(type="external.trigger", payload={"body": "x" * 70_000}), 413, "64 KiB"),
        (hello(content="x" * 201, type="external.trigger"), 400, "The trigger's name is over 200 characters."),
        (hello(type="external.trigger", payload={"key": "x" * 201}), 400, "The trigger's key is over 200 characters."),
        (hello(type="user.interrupt", payload={"call_id": "x" * 201}), 400, "The call_id is over 200 characters."),
        (hello(payload={"form": {"name": "0.0", "values": {"note": "x" * 70_000}}}), 413, "64 KiB"),
    ],
)
def test_events_that_make_no_sense_are_refused_in_words(door, session, rollout, body, status, word):
    answered, problem = door("POST", events_of(session), body)

    assert (answered, word in problem["detail"]) == (status, True), problem
    assert waiting(rollout) == []


def test_a_body_over_two_mebibytes_is_refused(door, session):
    status, problem = door("POST", events_of(session), hello(content="x" * (2 * 1024 * 1024)))

    assert (status, problem["detail"]) == (413, "The body is over 2 MiB. Shorten it, or send it in parts.")


def test_a_long_text_is_kept_whole_beside_its_event(door, session, rollout):
    paste = "가나다 " * 60_000

    status, _ = door("POST", events_of(session), hello(content=paste))

    (payload,) = waiting(rollout)
    assert status == 202
    assert len(payload.content) < 20_000
    assert payload.artifact.characters == len(paste)
    assert Artifact.objects.get(rollout=rollout, id=payload.artifact.id).text == paste


def test_a_full_queue_answers_with_a_sentence(people, door, session):
    for number in range(200):
        post_event(people["member"], session, ClientEvent("user.input", str(number)))

    status, problem = door("POST", events_of(session), hello())

    assert status == 429
    assert problem["detail"].startswith("200 messages wait for this agent already.")


def test_twenty_messages_at_once_are_all_accepted(people, session, rollout):
    def send(number: int) -> str:
        try:
            return post_event(people["member"], session, ClientEvent("user.input", str(number))).id
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(send, range(20)))

    assert len(set(ids)) == 20
    assert sorted(int(item.content) for item in waiting(rollout)) == list(range(20))


def test_ones_own_waiting_message_can_be_taken_back(people, session, rollout):
    accepted = post_event(people["member"], session, ClientEvent("user.input", "Hello"))

    withdraw_pending(people["member"], session, accepted.id)

    assert waiting(rollout) == []


def test_a_waiting_message_becomes_an_interrupt_with_the_same_words(people, session, rollout):
    first = post_event(people["member"], session, ClientEvent("user.input", "Stop, that is wrong"))

    interrupt_with_pending(people["member"], session, first.id)

    assert [(item.type, item.content) for item in waiting(rollout)] == [("user.interrupt", "Stop, that is wrong")]
    assert Rollout.objects.get(pk=rollout.pk).urgent == 1


def test_a_message_to_a_cancelled_rollout_starts_a_new_one(people, session, rollout):
    Rollout.objects.filter(pk=rollout.pk).update(lifecycle="cancelled")

    accepted = post_event(people["member"], session, ClientEvent("user.input", "again"), "k-1")
    repeated = post_event(people["member"], session, ClientEvent("user.input", "again"), "k-1")

    assert accepted.rollout != rollout.public_id
    assert (repeated.id, repeated.rollout, repeated.repeated) == (accepted.id, accepted.rollout, True)
    assert Rollout.objects.filter(session=session).count() == 2


def test_a_bare_stop_to_a_cancelled_rollout_starts_nothing(door, session, rollout):
    Rollout.objects.filter(pk=rollout.pk).update(lifecycle="cancelled")

    status, _ = door("POST", events_of(session), {"type": "user.interrupt"})

    assert status == 409
    assert Rollout.objects.filter(session=session).count() == 1


def test_messages_at_once_to_an_ended_rollout_make_one_new_rollout(people, session, rollout):
    Rollout.objects.filter(pk=rollout.pk).update(lifecycle="completed")

    def send(number: int) -> str:
        try:
            return post_event(people["member"], session, ClientEvent("user.input", str(number))).rollout
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        rollouts = set(pool.map(send, range(8)))

    assert len(rollouts) == 1
    assert PendingEvent.objects.filter(rollout__public_id__in=rollouts).count() == 8


def test_an_archived_session_takes_no_messages(people, door, session):
    archive_session(people["member"], session)

    status, problem = door("POST", events_of(session), hello())

    assert (status, problem["detail"]) == (
        409,
        "This session is archived. Take it out of the archive to go on with it.",
    )


def test_a_deleted_session_is_gone(people, door, session):
    delete_session(people["member"], session)

    assert door("GET", f"/sessions/{session.public_id}")[0] == 404
    assert door("POST", events_of(session), hello())[0] == 404


def test_control_says_what_makes_no_sense(people, session, rollout):
    door = Door(people["supervisor"])
    path = f"/rollouts/{rollout.public_id}/control"

    answers = [door("POST", path, {"action": action}) for action in ("resume", "retry", "explode", "pause")]

    assert [status for status, _ in answers] == [409, 409, 400, 200]
    assert [item.type for item in waiting(rollout)] == ["rollout.paused"]


def test_an_owner_may_cancel_and_not_pause(people, rollout):
    control_rollout(people["member"], rollout, "cancel", "not needed")

    assert Door(people["member"])("POST", f"/rollouts/{rollout.public_id}/control", {"action": "pause"})[0] == 403
    assert [item.reason for item in waiting(rollout)] == ["not needed"]
