"""To whom something said in a session goes, and what a form's answer must look like."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from runtime.domain.events import AgentOutput, ResultStatus, ToolResult, UserInput
from runtime.domain.trajectory import AGENT, Draft
from studio.models import PendingEvent, Rollout
from studio.services.client_event import ClientEvent
from studio.services.messages import post_event
from studio.store import pending_events
from tests.api.door import Door
from tests.sessions import published_agent, record, rollout_of, session_of_agents, step

FORM = {
    "type": "object",
    "properties": {"amount": {"type": "number", "maximum": 100}},
    "required": ["amount"],
    "additionalProperties": False,
}


@pytest.fixture
def session(people):
    agents = [published_agent(people["author"], name) for name in ("front", "parts-finder", "silent")]
    return session_of_agents(people["member"], agents)


@pytest.fixture
def door(people):
    return Door(people["member"])


def say(door, session, content="Hello", **more) -> tuple[int, dict]:
    body = {"type": "user.input", "content": content} | more
    return door("POST", f"/sessions/{session.public_id}/events", body)


def agent_of(accepted) -> str:
    return Rollout.objects.get(public_id=accepted["rollout"]).agent.name


def asks(session, person, **more) -> Rollout:
    """The session's first rollout asks the person something, and waits."""
    rollout = rollout_of(session)
    question = AgentOutput(
        content="How much?", to=person.public_id, waits=True, call_id="0.0", tool="send_message", **more
    )
    record(rollout, step(Draft(question, AGENT, step=0)))
    return rollout


def test_a_session_of_several_agents_begins_with_the_entry_agents_rollout(people, session):
    detail = Door(people["member"])("GET", f"/sessions/{session.public_id}")[1]

    assert detail["entry"] == "front"
    assert [person["id"] for person in detail["participants"]][1:] == ["front", "parts-finder", "silent"]
    assert [rollout["agent"] for rollout in detail["rollouts"]] == ["front"]


def test_another_agent_may_be_the_entry(people, door, session):
    made = door("POST", "/sessions", {"agents": ["front", "silent"], "entry": "silent"})[1]

    assert (made["entry"], [rollout["agent"] for rollout in made["rollouts"]]) == ("silent", ["silent"])


@pytest.mark.parametrize(
    ("body", "agent"),
    [
        ({}, "front"),
        ({"to": "parts-finder"}, "parts-finder"),
        ({"to": "@parts-finder"}, "parts-finder"),
        ({"content": "@parts-finder, is it there?"}, "parts-finder"),
        ({"content": "  @Parts-Finder"}, "parts-finder"),
        ({"content": "@parts-finder is it there?", "to": "front"}, "front"),
        ({"content": "@parts is no agent"}, "front"),
        ({"content": "@parts-finder-x is no agent"}, "front"),
        ({"content": "ask @parts-finder"}, "front"),
        ({"type": "user.interrupt", "content": "@parts-finder stop that"}, "parts-finder"),
    ],
)
def test_to_wins_then_the_name_at_the_start_then_the_entry_agent(door, session, body, agent):
    status, accepted = say(door, session, **body)

    assert (status, agent_of(accepted)) == (202, agent)
    (event,) = pending_events(Rollout.objects.get(public_id=accepted["rollout"]).pk)
    assert event.payload.content == body.get("content", "Hello"), "the name stays in the text"


def test_a_rollout_can_be_named_by_its_id(door, session):
    first = say(door, session, to="silent")[1]

    assert say(door, session, to=first["rollout"])[1]["rollout"] == first["rollout"]


def test_an_unknown_agent_is_refused_in_words(door, session):
    status, problem = say(door, session, to="nobody")

    assert (status, problem["detail"]) == (
        400,
        "There is no agent 'nobody' in this session. Leave out \"to\" for its first agent.",
    )


def test_messages_at_once_to_an_agent_without_a_rollout_make_one(people, session):
    def send(number: int) -> str:
        try:
            return post_event(people["member"], session, ClientEvent("user.input", str(number), to="silent")).rollout
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        rollouts = set(pool.map(send, range(8)))

    assert len(rollouts) == 1
    assert PendingEvent.objects.filter(rollout__public_id__in=rollouts).count() == 8


def test_the_key_of_a_first_message_is_good_once(people, session):
    event = ClientEvent("user.input", "Hello", to="silent")

    first, again = (post_event(people["member"], session, event, "k-1") for _ in range(2))

    assert (again.id, again.rollout, again.repeated) == (first.id, first.rollout, True)
    assert Rollout.objects.filter(session=session, agent__name="silent").count() == 1


def test_there_is_nothing_to_stop_in_an_agent_that_has_not_begun(door, session):
    status, problem = door("POST", f"/sessions/{session.public_id}/events", {"type": "user.interrupt", "to": "silent"})

    assert (status, problem["detail"]) == (409, "The agent silent has not begun, so there is nothing to stop.")
    assert Rollout.objects.filter(session=session).count() == 1


def test_an_answer_goes_to_the_agent_that_asked(people, door):
    agents = [published_agent(people["author"], name) for name in ("front", "asker")]
    session = session_of_agents(people["member"], agents)
    post_event(people["supervisor"], session, ClientEvent("supervisor.instruction", "Begin", to="asker"))
    asking = Rollout.objects.select_related("version").get(session=session, agent__name="asker")
    question = AgentOutput(content="Which?", to=people["member"].public_id, waits=True, call_id="0.0")
    record(asking, step(Draft(question, AGENT, step=0)))

    assert agent_of(say(door, session, "The red one")[1]) == "asker"
    assert agent_of(say(door, session, "And now?")[1]) == "front", "the question is answered"


def test_what_others_are_asked_is_not_answered_by_me(people, door, session):
    asks(session, people["supervisor"])
    say(door, session, to="parts-finder")

    assert agent_of(say(door, session, "Hello")[1]) == "front"


def test_a_form_is_answered_once_by_whom_it_asks(people, door, session):
    rollout = asks(session, people["member"], form=FORM)
    answer = {"form": {"name": "0.0", "values": {"amount": 60}}}

    status, accepted = say(door, session, "", payload=answer)
    late, problem = say(door, session, "", payload=answer)

    (event,) = pending_events(rollout.pk)
    assert (status, accepted["rollout"], event.payload.form.values) == (202, rollout.public_id, {"amount": 60})
    assert (late, problem["detail"]) == (
        409,
        "This question is not open any more: it was answered, or the agent was stopped.",
    )


def test_a_form_answered_twice_under_one_key_gives_the_first_answer(people, session):
    asks(session, people["member"], form=FORM)
    event = ClientEvent("user.input", payload={"form": {"name": "0.0", "values": {"amount": 60}}})

    first, again = (post_event(people["member"], session, event, "k-1") for _ in range(2))

    assert (again.id, again.repeated) == (first.id, True)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"amount": 101}, "`amount` must be 100 or less, it is 101"),
        ({"amount": "x"}, "`amount` must be a number"),
        ({}, "`amount` is missing"),
        ({"amount": 1, "more": 1}, "`more` is not known here"),
    ],
)
def test_a_form_that_is_not_right_is_refused_by_its_field(people, door, session, values, words):
    rollout = asks(session, people["member"], form=FORM)

    status, problem = say(door, session, "", payload={"form": {"name": "0.0", "values": values}})

    assert (status, words in problem["detail"]) == (422, True), problem
    assert pending_events(rollout.pk) == []


@pytest.mark.parametrize("to", ["front", "silent"])
def test_a_form_that_nobody_asked_for_is_refused(people, door, session, to):
    status, problem = say(door, session, "", payload={"form": {"name": "0.0", "values": {}}}, to=to)

    assert (status, problem["detail"]) == (
        400,
        "Nobody asks for the form '0.0' here. Send your answer as a message.",
    )


def test_a_question_closed_by_a_stop_is_not_open(people, door, session):
    rollout = asks(session, people["member"], form=FORM)
    stopped = ToolResult(call_id="0.0", status=ResultStatus.CANCELLED)
    record(rollout, [Draft(UserInput(content="later"), people["supervisor"].public_id), Draft(stopped, step=0)])

    assert say(door, session, "", payload={"form": {"name": "0.0", "values": {"amount": 1}}})[0] == 409


def test_the_input_of_a_new_session_goes_to_the_agent_that_it_names_once(people, session):
    door = Door(people["member"])
    body = {"agents": ["front", "parts-finder"], "input": "@parts-finder Is the leg there?"}

    first = door("POST", "/sessions", body, Idempotency_Key="once")[1]
    again = door("POST", "/sessions", body, Idempotency_Key="once")[1]

    assert again["id"] == first["id"]
    waiting = PendingEvent.objects.filter(rollout__session__public_id=first["id"])
    assert [event.rollout.agent.name for event in waiting] == ["parts-finder"]
