"""`runtime.md`, section 9: when an agent's rollout begins and ends, and to which agent an event goes."""

import pytest

from runtime.domain.events import AgentOutput
from runtime.domain.trajectory import AGENT, Draft
from studio.models import PendingEvent, Rollout
from tests.api.door import Door
from tests.sessions import published_agent, record, rollout_of, session_of_agents, step

ELSEWHERE = {
    "The entry agent's rollout is made with the session": (
        "tests/api/test_addressing.py::test_a_session_of_several_agents_begins_with_the_entry_agents_rollout"
    ),
    "another's with its first event": (
        "tests/api/test_addressing.py::test_messages_at_once_to_an_agent_without_a_rollout_make_one"
    ),
    "A rollout without final states ends when it is cancelled": (
        "tests/engine/test_control.py::test_cancel_cuts_like_a_stop_and_calls_no_model"
    ),
    "or its session is archived (`completed`)": "tests/api/test_control.py::test_what_is_archived_ends",
    "or deleted": ("tests/stores/test_one_writer.py::test_an_erased_session_keeps_no_word_and_stops_who_runs_it"),
    "`to` wins; then `@name` at the start; … then the session's entry agent": (
        "tests/api/test_addressing.py::test_to_wins_then_the_name_at_the_start_then_the_entry_agent"
    ),
    "then the agent whose question to this person is open; then the session's entry agent": (
        "tests/api/test_addressing.py::test_an_answer_goes_to_the_agent_that_asked"
    ),
}


@pytest.fixture
def asked(people):
    """A session of three agents, of which the entry agent asks the member something."""
    agents = [published_agent(people["author"], name) for name in ("asker", "finder", "silent")]
    session = session_of_agents(people["member"], agents)
    question = AgentOutput(content="?", to=people["member"].public_id, waits=True, call_id="0.0", tool="send_message")
    record(rollout_of(session), step(Draft(question, AGENT, step=0)))
    return session


def agent_of(people, session, **body) -> str:
    """The agent to which that goes."""
    door, body = Door(people["member"]), {"type": "user.input", "content": "Hello"} | body
    accepted = door("POST", f"/sessions/{session.public_id}/events", body)[1]
    return Rollout.objects.get(public_id=accepted["rollout"]).agent.name


@pytest.mark.parametrize(("body", "agent"), [({"to": "silent"}, "silent"), ({"content": "@finder hello"}, "finder")])
def test_to_and_a_name_at_the_start_win_over_an_open_question(people, asked, body, agent):
    """Addressing: `to` wins; then `@name` at the start; then the agent whose question to this person is open"""
    assert agent_of(people, asked, **body) == agent


@pytest.mark.parametrize("body", [{}, {"to": "silent"}, {"content": "@finder hello"}, {"content": "@all hello"}])
def test_a_message_never_goes_to_all_agents(people, asked, body):
    """Never to all agents."""
    agent_of(people, asked, **body)

    assert PendingEvent.objects.count() == 1


def test_a_message_cannot_be_addressed_to_all_agents(people, asked):
    """Never to all agents."""
    body = {"type": "user.input", "content": "Hello", "to": "*"}

    status, problem = Door(people["member"])("POST", f"/sessions/{asked.public_id}/events", body)

    assert (status, PendingEvent.objects.count()) == (400, 0)
    assert problem["detail"].startswith("Only an instruction can go to all agents")
