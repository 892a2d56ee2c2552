"""People and agents join a session, and leave it."""

import pytest

from studio.models import AuditEntry, Rollout
from studio.services.sessions import archive_session
from studio.store import pending_events
from tests.api.door import Door
from tests.sessions import child_of, published_agent, rollout_of


@pytest.fixture
def mia(people, session):
    return Door(people["member"])


@pytest.fixture
def finder(people):
    return published_agent(people["author"], "finder")


def join(door, session, **who) -> tuple[int, dict]:
    return door("POST", f"/sessions/{session.public_id}/participants", who)


def leave(door, session, who) -> tuple[int, dict]:
    return door("DELETE", f"/sessions/{session.public_id}/participants/{who}")


def say(door, session, **more) -> tuple[int, dict]:
    body = {"type": "user.input", "content": "Hello"} | more
    return door("POST", f"/sessions/{session.public_id}/events", body)


def names(door, session) -> list[str]:
    return [shown["name"] for shown in door("GET", f"/sessions/{session.public_id}")[1]["participants"]]


@pytest.mark.parametrize("by", ["public_id", "username"])
def test_a_person_joins_and_writes_and_leaves(people, session, mia, by):
    otto = people["other member"]
    door = Door(otto)
    before = say(door, session)[0]

    status, joined = join(mia, session, user=getattr(otto, by))
    during = say(door, session)[0]
    left = leave(door, session, otto.public_id)[0]
    after = say(door, session)[0]

    assert (status, joined) == (201, {"id": otto.public_id, "kind": "user", "name": "otto"})
    assert (before, during, left, after) == (404, 202, 204, 404)
    assert [entry.action for entry in AuditEntry.objects.filter(subject=session.public_id).order_by("pk")] == [
        "session.joined",
        "session.left",
    ]


def test_an_agent_joins_and_hears_its_name(people, session, mia, finder):
    join(mia, session, agent="finder")
    accepted = say(mia, session, content="@finder where is it?")[1]

    assert names(mia, session) == ["mia", "echo", "finder"]
    assert Rollout.objects.get(public_id=accepted["rollout"]).agent == finder


def test_an_agent_that_leaves_is_cancelled_and_not_spoken_to(people, session, mia, finder):
    join(mia, session, agent="finder")
    accepted = say(mia, session, to="finder")[1]

    leave(mia, session, "finder")

    rollout = Rollout.objects.get(public_id=accepted["rollout"])
    assert [item.payload.type for item in pending_events(rollout.pk)] == ["user.input", "rollout.cancelled"]
    Rollout.objects.filter(pk=rollout.pk).update(lifecycle="cancelled")
    assert say(mia, session, to="finder")[0] == 400
    assert names(mia, session) == ["mia", "echo"]


def test_to_join_twice_is_to_join_once(people, session, mia, finder):
    assert [join(mia, session, agent="finder")[0] for _ in range(2)] == [201, 201]
    assert names(mia, session) == ["mia", "echo", "finder"]


@pytest.mark.parametrize(
    ("who", "status", "words"),
    [
        ({"user": "nobody"}, 400, "There is nobody called 'nobody' in this project."),
        ({"user": "stan"}, 400, "There is nobody called 'stan' in this project."),
        ({"agent": "nobody"}, 400, "There is no agent 'nobody'"),
        ({}, 422, "Name either a user or an agent."),
        ({"user": "otto", "agent": "finder"}, 422, "Name either a user or an agent."),
    ],
)
def test_those_who_cannot_join_are_refused_in_words(people, session, mia, who, status, words):
    answered, problem = join(mia, session, **who)

    assert (answered, words in problem["detail"]) == (status, True), problem


@pytest.mark.parametrize(
    ("who", "words"), [("mia", "The owner of a session cannot leave it."), ("echo", "The session's first agent cannot")]
)
def test_owner_and_entry_agent_stay(people, session, mia, who, words):
    id_ = people["member"].public_id if who == "mia" else who

    status, problem = leave(mia, session, id_)

    assert (status, words in problem["detail"]) == (400, True), problem


def test_a_participant_lets_nobody_else_in_or_out(people, session, mia, finder):
    join(mia, session, user="otto")
    join(mia, session, agent="finder")
    otto = Door(people["other member"])

    assert join(otto, session, user="rita")[0] == 403
    assert leave(otto, session, "finder")[0] == 403


def test_nobody_joins_what_is_archived(people, session, mia):
    archive_session(people["member"], session)

    assert join(mia, session, user="otto")[0] == 409


def test_a_name_means_the_agent_that_people_speak_to_and_not_the_one_that_was_called(people, session, mia):
    rollout = rollout_of(session)
    child = child_of(rollout)

    assert say(mia, session, to="echo")[1]["rollout"] == rollout.public_id
    assert say(mia, session, to=child.public_id)[1]["rollout"] == child.public_id

    Rollout.objects.filter(pk=child.pk).update(lifecycle="completed")
    status, problem = say(mia, session, to=child.public_id)
    assert (status, problem["detail"]) == (
        409,
        "That agent was called by another one and is completed. Ask that one.",
    )
