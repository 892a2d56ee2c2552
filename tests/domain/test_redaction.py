"""Known secrets never get into an event."""

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.events import ToolRequest, ToolResult, UserInput
from runtime.domain.redaction import REDACTED, Redactor
from runtime.domain.state import State
from runtime.domain.trajectory import Draft, harmless
from runtime.engine.change import Change
from tests.builders import started_event

SECRET = "canary-4f9d2c7b1a"


def redactor() -> Redactor:
    redactor = Redactor()
    redactor.learn(SECRET)
    return redactor


def test_a_secret_in_a_tool_result_is_taken_out_of_text_and_payload():
    change = Change(State(), 1, redactor(), Agent(name="tester"), "r_1")

    change.add([Draft(ToolResult(call_id="0.0", content=f"key={SECRET};"))])

    event = change.events[0]
    assert SECRET not in event.text
    assert event.payload.content == f"key={REDACTED};"


def test_a_secret_that_a_person_pastes_is_taken_out():
    assert harmless(UserInput(content=f"use {SECRET}"), redactor()).content == f"use {REDACTED}"


def test_what_only_looks_like_a_secret_in_the_stored_text_stays_as_it_is():
    redactor = Redactor()
    redactor.learn("12345678")
    redactor.learn("nothing-else")
    request = ToolRequest(call_id="0.0", tool="pay", args={"account": 12345678, "why": "first\nothing-else"})

    assert harmless(request, redactor) == request


def test_a_secret_in_the_name_of_an_argument_is_taken_out():
    request = ToolRequest(call_id="0.0", tool="pay", args={"header": {SECRET: [f"x {SECRET}"]}})

    assert harmless(request, redactor()).args == {"header": {REDACTED: [f"x {REDACTED}"]}}


def test_what_holds_no_secret_stays_the_same_object():
    payload = UserInput(content="hello")

    assert harmless(payload, redactor()) is payload


def test_longer_secrets_go_first_and_short_ones_are_not_learned():
    redactor = Redactor()
    redactor.learn("abcdefgh")
    redactor.learn("abcdefgh-long")
    redactor.learn("abc")

    assert redactor.redact("abcdefgh-long abc") == f"{REDACTED} abc"


def test_the_chain_covers_what_was_recorded():
    started = started_event(Agent(name="a"), 1)
    change = Change(fold([started]), 2, redactor(), Agent(name="tester"), "r_1")

    change.add([Draft(UserInput(content=SECRET)), Draft(UserInput(content="next"))])

    assert change.events[1].previous == change.events[0].sha256
