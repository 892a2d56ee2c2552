"""`runtime.md`, section 9: who sees what."""

import pytest
from asgiref.sync import sync_to_async

from runtime.domain.events import (
    TYPES,
    AgentOutput,
    AgentThought,
    MemoryRecalled,
    SupervisorInstruction,
    ToolRequest,
    ToolResult,
    UserInput,
)
from studio.queries.shown import shown_to
from studio.services.client_event import ClientEvent
from studio.services.messages import post_event
from tests.live.test_shown import AUTHOR, PARTICIPANT, REVIEWER, SUPERVISOR, placed
from tests.live.test_watch import listening, was_told
from tests.payloads import built

ELSEWHERE = {
    "is one table (type × role)": "tests/live/test_sights.py::test_each_role_sees_these_fields_of_each_type",
    "one function … for pages": (
        "tests/web/test_playground_conversation.py::test_what_a_participant_may_not_see_is_not_in_the_conversation"
    ),
    "one function … for … AMP": "tests/api/test_sessions.py::test_a_hidden_event_is_its_numbers_alone",
    "one function … for … exports": (
        "tests/web/test_trajectory.py::test_an_export_holds_what_the_person_may_see_and_is_recorded"
    ),
    "output addressed to them": "tests/live/test_shown.py::test_text_to_one_participant_is_hidden_from_the_others",
    "tool names and states": "tests/live/test_shown.py::test_arguments_and_results_are_for_supervisors",
    "approvals they may decide": "tests/api/test_decisions.py::test_the_owner_is_asked_with_the_exact_arguments",
    "prompts … only supervisors": "tests/web/test_playground.py::test_prompts_are_for_those_who_may_read_them",
    "and authors to whom it was shared": (
        "tests/api/test_sharing.py::test_an_author_reads_what_was_shown_to_them_whole_and_writes_nothing"
    ),
    "thoughts if the agent shows them": (
        "tests/live/test_shown.py::test_thoughts_of_an_agent_that_shows_them_are_shown_to_participants_without_the_call"
    ),
    "Hidden events are sent as `hidden` with their seq": (
        "tests/live/test_shown.py::test_a_hidden_event_is_its_numbers_alone"
    ),
    "Deltas … pass through the same function, as the event that they will become": (
        "tests/live/test_shown.py::test_a_piece_is_shown_to_whom_its_event_is_shown_whole"
    ),
}


@pytest.mark.parametrize(
    "payload", [UserInput(content="hello"), AgentOutput(content="hello"), AgentOutput(content="hello", to="u_mia")]
)
def test_participants_see_input_and_output_addressed_to_them_or_to_all(payload):
    """participants see input and output addressed to them or to all"""
    assert shown_to(placed(payload, source="u_otto"), PARTICIPANT)["payload"]["content"] == "hello"


def test_participants_do_not_see_output_addressed_to_another():
    """participants see input and output addressed to them or to all"""
    assert shown_to(placed(AgentOutput(content="hello", to="u_otto")), PARTICIPANT)["hidden"]


def test_thoughts_are_hidden_from_participants_where_the_agent_does_not_show_them():
    """thoughts if the agent shows them"""
    assert shown_to(placed(AgentThought(content="hm")), PARTICIPANT)["hidden"]


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        (ToolRequest(call_id="0.0", tool="pay", args={"amount": 60}), "args"),
        (ToolResult(call_id="0.0", content="paid"), "content"),
        (SupervisorInstruction(content="be brief"), "content"),
        (MemoryRecalled(owner="u_mia"), "entries"),
    ],
    ids=["arguments", "results", "instructions", "recalled memory"],
)
def test_these_are_for_supervisors_only(payload, field):
    """prompts, arguments, results, instructions and recalled memory only supervisors"""
    seen = {who.name: field in shown_to(placed(payload), who).get("payload", {}) for who in (PARTICIPANT, REVIEWER)}

    assert seen == {"Mia": False, "Rita": False}
    assert field in shown_to(placed(payload), SUPERVISOR)["payload"]


@pytest.mark.parametrize("type_", TYPES)
def test_an_author_sees_everything_of_a_session_of_their_own_with_an_agent_of_their_own(type_):
    """An author sees everything of a session of their own with an agent of their own."""
    assert shown_to(placed(built(type_)), AUTHOR) == shown_to(placed(built(type_)), SUPERVISOR)


@pytest.mark.parametrize(("who", "contents"), [("member", ["Hello"]), ("supervisor", ["be brief", "Hello"])])
async def test_pending_frames_pass_through_the_same_function(people, session, who, contents):
    """… pending … frames pass through the same function, as the event that they will become."""
    async with listening(session, people[who]) as listener:
        await listener.until(was_told("snapshot"))
        await send(people, session, "supervisor", "supervisor.instruction", "be brief")
        await send(people, session, "member", "user.input", "Hello")
        await listener.until(lambda it: len(pending(it)) == len(contents))

    assert pending(listener) == contents


@pytest.mark.parametrize(("who", "count"), [("member", 1), ("supervisor", 2)])
async def test_status_frames_pass_through_the_same_function(people, session, who, count):
    """… status frames pass through the same function, as the event that they will become."""
    async with listening(session, people[who]) as listener:
        await listener.until(was_told("snapshot"))
        await send(people, session, "supervisor", "supervisor.instruction", "be brief")
        await send(people, session, "member", "user.input", "Hello")
        await listener.until(lambda it: statuses(it)[-1:] == [count])

    assert max(statuses(listener)) == count


@pytest.mark.parametrize(("who", "contents"), [("member", ["Hello"]), ("supervisor", ["be brief", "Hello"])])
async def test_snapshots_pass_through_the_same_function(people, session, who, contents):
    """… snapshot … frames pass through the same function, as the event that they will become."""
    await send(people, session, "supervisor", "supervisor.instruction", "be brief")
    await send(people, session, "member", "user.input", "Hello")

    async with listening(session, people[who]) as listener:
        await listener.until(was_told("snapshot"))

    [shown] = [frame["data"] for frame in listener.frames if frame["event"] == "snapshot"]
    assert [item["payload"]["content"] for item in shown["pending"]] == contents
    assert shown["status"]["pending"] == len(contents)


async def send(people, session, who: str, type_: str, content: str) -> None:
    await sync_to_async(post_event)(people[who], session, ClientEvent(type_, content))


def pending(listener) -> list[str]:
    return [frame["data"]["payload"]["content"] for frame in listener.frames if frame["event"] == "pending"]


def statuses(listener) -> list[int]:
    """How many events wait, as the reader was told again and again."""
    return [frame["data"]["pending"] for frame in listener.frames if frame["event"] == "status"]
