"""Sessions, rollouts and agents over the API."""

import pytest

from studio.models import Agent, AgentVersion, AmpSession, AuditEntry, Event
from studio.services.audit import Actor
from studio.services.messages import ClientEvent, post_event
from studio.services.tokens import create_token
from studio.wiring import running
from tests.api.door import Door
from tests.sessions import TEXT, asked_about_pay, rollout_of, session_of


@pytest.fixture
def door(people, agent):
    return Door(people["member"])


def test_a_session_is_made_with_its_first_message(door, people):
    status, made = door("POST", "/sessions", {"agents": ["echo"], "input": "Order 48213 is late"})

    (rollout,) = made["rollouts"]
    assert (status, made["title"], made["entry"]) == (201, "Order 48213 is late", "echo")
    assert (rollout["lifecycle"], rollout["pending"], rollout["agent_version"]) == ("waiting", 1, 1)
    assert {person["id"] for person in made["participants"]} == {people["member"].public_id, "echo"}


@pytest.mark.parametrize("words", [{"title": "Use sk-canary-48213"}, {"input": "Use sk-canary-48213"}])
def test_a_title_has_no_secret_that_the_studio_knows(door, words):
    running().redactor.learn("sk-canary-48213")

    made = door("POST", "/sessions", {"agents": ["echo"], **words})[1]

    assert made["title"] == "Use [secret removed]"


def test_the_audit_log_has_no_secret_that_the_studio_knows(people, door, session):
    running().redactor.learn("sk-canary-48213")

    door(
        "POST", f"/rollouts/{rollout_of(session).public_id}/control", {"action": "cancel", "reason": "sk-canary-48213"}
    )

    assert AuditEntry.objects.get(action="rollout.cancel").after["reason"] == "[secret removed]"


def test_the_same_key_makes_one_session(door):
    body = {"agents": ["echo"], "input": "Hello"}

    first = door("POST", "/sessions", body, Idempotency_Key="k")
    again = door("POST", "/sessions", body, Idempotency_Key="k")
    other = door("POST", "/sessions", body | {"input": "Other"}, Idempotency_Key="k")

    assert again == first
    assert other[0] == 422
    assert AmpSession.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"agents": ["nobody"]}, "There is no agent 'nobody'"),
        ({"agents": ["echo", "other"]}, "There is no agent 'other'"),
        ({"agents": ["echo", "echo"]}, "named twice"),
        ({"agents": ["echo"], "entry": "other"}, "is not among the agents"),
        ({"agents": ["echo"], "metadata": {"workflow": {}}}, "is Studio's own"),
        ({"agents": ["echo"], "title": "x" * 201}, "over 200 characters"),
        ({"agents": ["echo"], "draft": True}, "Ask an administrator to make you an author"),
        ({"agents": ["echo"], "metadata": {"x": "y" * 20_000}}, "metadata is over 16 KiB"),
        ({"agents": []}, "$.agents"),
        ({"agents": ["echo"], "owner": "u_1"}, "There is no such field"),
        ({}, "Name the agents of the session, or a workflow."),
    ],
)
def test_sessions_that_make_no_sense_are_refused_in_words(door, body, word):
    status, problem = door("POST", "/sessions", body)

    assert status in (400, 403, 422)
    assert word in problem["detail"]
    assert AmpSession.objects.count() == 0


def test_an_author_may_try_a_draft_and_it_runs_the_drafts_text(people, agent):
    Agent.objects.filter(pk=agent.pk).update(draft=TEXT.format(name="echo") + "description: newer\n")

    status, made = Door(people["author"])("POST", "/sessions", {"agents": ["echo"], "draft": True})

    assert (status, made["rollouts"][0]["is_draft"]) == (201, True)


def test_the_list_goes_page_by_page_and_can_be_searched(door, people, agent):
    for number in range(5):
        session_of(people["member"], agent, f"Order {number}")

    _, first = door("GET", "/sessions?limit=3")
    _, second = door("GET", f"/sessions?limit=3&cursor={first['next']}")
    _, found = door("GET", "/sessions?q=order+3")

    titles = [session["title"] for session in first["sessions"] + second["sessions"]]
    assert titles == [f"Order {number}" for number in (4, 3, 2, 1, 0)]
    assert second["next"] is None
    assert [session["title"] for session in found["sessions"]] == ["Order 3"]


@pytest.mark.parametrize("query", ["cursor=x", "limit=x", "state=erased", "cursor=9-", "q=%00"])
def test_queries_that_make_no_sense_are_refused(door, query):
    assert door("GET", f"/sessions?{query}")[0] in (400, 422)


@pytest.mark.parametrize(
    "path",
    ["/sessions/%00", "/sessions/s_1", "/rollouts/" + "9" * 400, "/approvals/a_x_y", "/approvals/x", "/nowhere"],
)
def test_what_is_not_there_is_a_404_with_a_sentence(door, path):
    status, problem = door("GET", path)

    assert status == 404
    assert "Traceback" not in str(problem)


def test_renaming_archiving_and_deleting(door, people, agent):
    path = f"/sessions/{session_of(people['member'], agent).public_id}"

    assert door("PATCH", path, {"title": "Other"})[1]["title"] == "Other"
    assert door("PATCH", path, {"archived": True})[1]["state"] == "archived"
    assert door("PATCH", path, {"archived": False})[1]["state"] == "open"
    assert door("DELETE", path)[0] == 204
    assert door("GET", path)[0] == 404
    assert Event.objects.count() == 0
    assert AuditEntry.objects.filter(action="session.deleted").count() == 1


def test_the_trajectory_is_read_by_seq_and_by_pos(door, people, session):
    rollout = asked_about_pay(session)

    _, by_seq = door("GET", f"/rollouts/{rollout.public_id}/events?from=2&to=4")
    _, by_pos = door("GET", f"/sessions/{session.public_id}/events?after=4&types=tool.started,approval.request")

    assert [event["seq"] for event in by_seq["events"]] == [2, 3, 4]
    assert by_seq["next"] is None
    assert [(event["pos"], event["type"]) for event in by_pos["events"]] == [
        (5, "tool.started"),
        (6, "approval.request"),
    ]
    assert by_pos["next"] is None


def test_a_hidden_event_is_its_numbers_alone(people, session):
    post_event(people["supervisor"], session, ClientEvent("supervisor.instruction", "be brief"))

    assert "be brief" not in str(Door(people["member"])("GET", f"/sessions/{session.public_id}"))


@pytest.mark.parametrize("query", ["from=x", "from=-5&to=99999999999999999999", "from=0", "from=9&to=1"])
def test_odd_ranges_are_no_fault_of_the_server(door, session, query):
    rollout = asked_about_pay(session)

    assert door("GET", f"/rollouts/{rollout.public_id}/events?{query}")[0] in (200, 422)


@pytest.mark.parametrize("step", ["0", "1", "-1", "99999999999999999999", "x"])
def test_the_prompt_of_a_step_is_there_or_is_not(people, session, step):
    rollout = asked_about_pay(session)

    status, answer = Door(people["supervisor"])("GET", f"/rollouts/{rollout.public_id}/steps/{step}/prompt")

    assert status == {"0": 200, "x": 422}.get(step, 404)
    if status == 200:
        assert answer["messages"][0]["content"].startswith("You are helpful.")
        assert (answer["recorded_sha256"], answer["matches"]) == ("0" * 64, False)


def test_an_agents_file_is_checked_written_and_published(people):
    door = Door(people["author"])
    text = "name: clerk\nmodel: playbook/echo\nsystem_prompt: Help.\n"

    assert door("POST", "/agents/check", {"text": text})[1] == {"publishable": True, "problems": []}
    assert door("PUT", "/agents/clerk", {"text": text})[0] == 201
    assert door("POST", "/agents/clerk/publish", {"note": "first"}, Idempotency_Key="k")[1]["version"] == 1
    assert door("POST", "/agents/clerk/publish", {"note": "first"}, Idempotency_Key="k")[1]["version"] == 1
    assert door("GET", "/agents/clerk?version=1")[1] == text
    assert AgentVersion.objects.count() == 1


def test_problems_of_a_file_have_a_line_and_a_sentence(people):
    status, answer = Door(people["author"])("POST", "/agents/check", {"text": "name: clerk\nmodle: x\n"})

    assert (status, answer["publishable"]) == (200, False)
    assert 2 in [problem["line"] for problem in answer["problems"]]


def test_a_draft_that_moved_on_is_not_overwritten(people, agent):
    door = Door(people["author"])
    text = TEXT.format(name="echo")

    door("PUT", "/agents/echo", {"text": text + "description: a\n"}, If_Match='"1"')
    status, _ = door("PUT", "/agents/echo", {"text": text + "description: b\n"}, If_Match='"1"')

    assert status == 409
    assert Agent.objects.get(pk=agent.pk).draft == text + "description: a\n"


def test_a_cookie_needs_the_csrf_token_and_a_bearer_token_does_not(people, agent):
    _, text = create_token(Actor(people["member"], "test"), people["member"], "script")
    strict = Door(people["member"])
    strict.client.handler.enforce_csrf_checks = True

    refused, problem = strict("POST", "/sessions", {"agents": ["echo"]})
    strict.client.cookies.clear()
    accepted, _ = strict("POST", "/sessions", {"agents": ["echo"]}, Authorization=f"Bearer {text}")

    assert (refused, accepted) == (403, 201)
    assert "X-CSRFToken" in problem["detail"]


def test_keys_that_are_none_are_refused(door):
    assert door("POST", "/sessions", {"agents": ["echo"]}, Idempotency_Key="two words")[0] == 400
