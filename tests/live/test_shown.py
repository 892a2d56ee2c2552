"""Who sees what: the table covers every type and seat, and nothing slips past it."""

import pytest

from runtime.domain.events import (
    TYPES,
    AgentOutput,
    AgentThought,
    ApprovalRequest,
    FormAnswer,
    StepCompleted,
    SupervisorInstruction,
    ToolRequest,
    ToolResult,
    UserInput,
)
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, place
from studio.hub import OpenStep
from studio.queries.shown import SIGHTS, Placed, Sight, is_delta_shown, shown_to
from studio.queries.viewer import Seat, Viewer

PARTICIPANT = Viewer("u_mia", "Mia", is_participant=True, reads_others=False, supervises=False)
REVIEWER = Viewer("u_rita", "Rita", is_participant=False, reads_others=True, supervises=False)
SUPERVISOR = Viewer("u_sue", "Sue", is_participant=False, reads_others=True, supervises=True)
AUTHOR = Viewer("u_aron", "Aron", True, reads_others=False, supervises=False, own_agents=frozenset({"tutor"}))
SEATS = {Seat.PARTICIPANT: PARTICIPANT, Seat.REVIEWER: REVIEWER, Seat.OVERSEER: SUPERVISOR}


def half_made(**sight: bool) -> OpenStep:
    return OpenStep("s_1", "tutor", since=1, step=0, attempt=1, **sight)


def placed(payload, agent: str = "tutor", source: str = "system") -> Placed:
    return Placed("s_1", "r_1", agent, place(Draft(payload, source), 7, 1_700_000_000_000_000, NO_PREDECESSOR))


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("type_", TYPES)
def test_every_type_has_a_sight_for_every_seat(type_, seat):
    assert SIGHTS[type_][seat] in Sight


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("type_", TYPES)
def test_a_seat_above_sees_no_less(type_, seat):
    order = [Sight.HIDDEN, Sight.REDUCED, Sight.FULL]
    seats = list(SEATS)
    above = seats[min(seats.index(seat) + 1, len(seats) - 1)]

    assert order.index(SIGHTS[type_][above]) >= order.index(SIGHTS[type_][seat])


def test_a_hidden_event_is_its_numbers_alone():
    envelope = shown_to(placed(SupervisorInstruction(content="be brief", by="Sue")), PARTICIPANT)

    assert envelope == {"seq": 7, "pos": 0, "rollout": "r_1", "hidden": True}


@pytest.mark.parametrize("viewer", [PARTICIPANT, REVIEWER])
def test_arguments_and_results_are_for_supervisors(viewer):
    request = shown_to(placed(ToolRequest(call_id="0.0", tool="pay", args={"amount": 60})), viewer)["payload"]
    result = shown_to(placed(ToolResult(call_id="0.0", content="paid 60")), viewer)["payload"]

    assert (request["tool"], result["status"]) == ("pay", "ok")
    assert "args" not in request
    assert "content" not in result


@pytest.mark.parametrize("viewer", [SUPERVISOR, AUTHOR])
def test_supervisors_and_authors_of_their_own_sessions_see_arguments(viewer):
    request = shown_to(placed(ToolRequest(call_id="0.0", tool="pay", args={"amount": 60})), viewer)

    assert request["payload"]["args"] == {"amount": 60}


def test_an_author_sees_no_more_of_another_authors_agent():
    request = shown_to(placed(ToolRequest(call_id="0.0", tool="pay", args={"amount": 60}), agent="other"), AUTHOR)

    assert "args" not in request["payload"]


@pytest.mark.parametrize("viewer", [PARTICIPANT, REVIEWER, SUPERVISOR, AUTHOR])
def test_what_a_provider_wants_back_never_leaves(viewer):
    completed = shown_to(placed(StepCompleted(tokens_in=3, opaque={"signature": "x"}, family="claude")), viewer)

    assert completed["payload"]["tokens_in"] == 3
    assert {"opaque", "family"}.isdisjoint(completed["payload"])


def test_text_to_one_participant_is_hidden_from_the_others():
    to_otto = placed(AgentOutput(content="only you", to="u_otto"))
    to_mia = placed(AgentOutput(content="only you", to="u_mia"))

    assert shown_to(to_otto, PARTICIPANT)["hidden"]
    assert shown_to(to_mia, PARTICIPANT)["payload"]["content"] == "only you"


def test_text_to_the_agent_that_called_is_hidden_from_participants():
    to_caller = placed(AgentOutput(content="found it", to="caller"))

    assert shown_to(to_caller, PARTICIPANT)["hidden"]
    assert shown_to(to_caller, REVIEWER)["payload"]["content"] == "found it"
    assert not is_delta_shown("output", "tutor", PARTICIPANT, half_made(is_called=True))
    assert is_delta_shown("output", "tutor", SUPERVISOR, half_made(is_called=True))


def test_what_a_person_fills_in_is_for_that_person_and_not_for_the_other_participants():
    answer = UserInput(form=FormAnswer(name="0.0", values={"iban": "DE1"}), name="Mia")
    mine, others = placed(answer, source="u_mia"), placed(answer, source="u_otto")

    assert shown_to(mine, PARTICIPANT)["payload"]["form"]["values"] == {"iban": "DE1"}
    assert "form" not in shown_to(others, PARTICIPANT)["payload"]
    assert "form" in shown_to(others, SUPERVISOR)["payload"]


def test_the_hash_of_arguments_is_for_those_who_are_asked():
    asked = placed(ApprovalRequest(call_id="0.0", why="policy", approvers=("owner",), args_sha256="0" * 64))

    assert "args_sha256" not in shown_to(asked, PARTICIPANT)["payload"]
    assert shown_to(asked, SUPERVISOR)["payload"]["args_sha256"] == "0" * 64


def test_messages_are_shown_whole():
    envelope = shown_to(placed(UserInput(content="안녕 👋", name="Mia")), PARTICIPANT)

    assert envelope["payload"]["content"] == "안녕 👋"
    assert envelope["at"] == "2023-11-14T22:13:20.000000Z"


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("output", AgentOutput(content="x")),
        ("thought", AgentThought(content="x")),
        ("args", ToolRequest(call_id="0.0", tool="t")),
    ],
)
@pytest.mark.parametrize("viewer", list(SEATS.values()))
def test_a_piece_is_shown_to_whom_its_event_is_shown_whole(kind, payload, viewer):
    expected = SIGHTS[payload.type][viewer.seat("tutor")] is Sight.FULL

    assert is_delta_shown(kind, "tutor", viewer, half_made()) is expected


def test_thoughts_of_an_agent_that_shows_them_are_shown_to_participants_without_the_call():
    note = AgentThought(content="Ask Ina", kind="note", call_id="0.0", tool="note", args={"content": "Ask Ina"})
    hidden, shown = placed(note), placed(note.model_copy(update={"shown": True}))

    assert shown_to(hidden, PARTICIPANT)["hidden"]
    assert shown_to(shown, PARTICIPANT)["payload"]["content"] == "Ask Ina"
    assert "args" not in shown_to(shown, PARTICIPANT)["payload"]
    assert not is_delta_shown("thought", "tutor", PARTICIPANT, half_made())
    assert is_delta_shown("thought", "tutor", PARTICIPANT, half_made(shows_thoughts=True))
    assert not is_delta_shown("args", "tutor", PARTICIPANT, half_made(shows_thoughts=True))
