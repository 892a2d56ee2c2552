"""An author is shown a session by its owner, whole, until the owner takes that back."""

import pytest

from runtime.domain.events import AgentThought, ToolRequest
from runtime.domain.trajectory import AGENT, Draft
from studio.models import AmpSession, AuditEntry, SessionShare
from studio.queries.sessions import visible_sessions
from studio.rights import Role
from studio.services.accounts import set_role
from studio.services.audit import Actor
from studio.services.sessions import delete_session
from tests.api.door import Door
from tests.sessions import asked_about_pay, record, rollout_of, step


@pytest.fixture
def mia(people, session):
    return Door(people["member"])


@pytest.fixture
def aron(people):
    return Door(people["author"])


def share(door, session, who) -> tuple[int, dict]:
    return door("POST", f"/sessions/{session.public_id}/shares", {"user": who})


def test_an_author_reads_what_was_shown_to_them_whole_and_writes_nothing(people, session, mia, aron):
    asked_about_pay(session)
    before = aron("GET", f"/sessions/{session.public_id}")[0]

    status, shown = share(mia, session, "aron")
    again = share(mia, session, people["author"].public_id)

    assert (before, status, again[0]) == (404, 201, 201)
    assert shown["user"] == people["author"].public_id
    events = aron("GET", f"/sessions/{session.public_id}/events")[1]["events"]
    request = next(event for event in events if event.get("type") == "tool.request")
    assert request["payload"]["args"] == {"amount": 60}
    for body in ({"type": "user.input", "content": "x"}, {"type": "user.interrupt"}):
        assert aron("POST", f"/sessions/{session.public_id}/events", body)[0] == 403
    assert aron("PATCH", f"/sessions/{session.public_id}", {"title": "Mine"})[0] == 403
    assert share(aron, session, "sue")[0] == 403


def test_what_was_taken_back_is_seen_no_more_and_both_are_in_the_audit_log(people, session, mia, aron):
    share(mia, session, "aron")

    taken = mia("DELETE", f"/sessions/{session.public_id}/shares/{people['author'].public_id}")[0]

    assert (taken, aron("GET", f"/sessions/{session.public_id}")[0]) == (204, 404)
    assert mia("DELETE", f"/sessions/{session.public_id}/shares/{people['author'].public_id}")[0] == 409
    acts = AuditEntry.objects.filter(subject=session.public_id).order_by("pk").values_list("action", flat=True)
    assert list(acts) == ["session.shared", "session.unshared"]


@pytest.mark.parametrize("who", ["other member", "reviewer", "stranger"])
def test_only_authors_of_the_project_can_be_shown_a_session(people, session, mia, who):
    status, problem = share(mia, session, people[who].username)

    assert status == 400
    assert "authors only" in problem["detail"]


@pytest.mark.parametrize("who", ["supervisor", "admin", "reviewer"])
def test_only_the_owner_shows_a_session_and_sees_to_whom(people, session, who):
    door = Door(people[who])

    assert share(door, session, "aron")[0] == 403
    assert door("GET", f"/sessions/{session.public_id}/shares")[0] == 404


def test_whoever_is_no_author_any_more_sees_nothing_of_what_was_shown(people, session, mia, aron):
    share(mia, session, "aron")

    set_role(Actor.terminal(), people["author"], session.project, Role.MEMBER)

    assert not visible_sessions(people["author"]).exists()


def test_an_erased_session_is_shown_to_nobody(people, session, mia):
    share(mia, session, "aron")

    delete_session(people["member"], session)

    assert not SessionShare.objects.exists()
    assert AmpSession.objects.visible_to(people["author"]).count() == 0


def test_an_author_who_was_shown_it_sees_thoughts_and_arguments_as_they_were(people, session, mia, aron):
    call = ToolRequest(call_id="0.0", tool="clock", args={"zone": "UTC"})
    record(rollout_of(session), step(Draft(AgentThought(content="hm"), AGENT, step=0), Draft(call, AGENT, step=0)))
    share(mia, session, "aron")

    events = aron("GET", f"/rollouts/{rollout_of(session).public_id}/events")[1]["events"]

    assert not any(event.get("hidden") for event in events)
