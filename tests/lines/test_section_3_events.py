"""`runtime.md`, section 3: the envelope of an event."""

import json
from dataclasses import fields

import pytest

from runtime.domain.events import TYPES, UserInput
from runtime.domain.events.versions import dump, load
from runtime.domain.redaction import REDACTED
from runtime.domain.tool import Access
from runtime.domain.trajectory import Event
from tests.builders import RunningRollout, tool
from tests.payloads import built

ELSEWHERE = {
    "`received_at` (accepted) and `at` (recorded)": (
        "tests/engine/test_queue.py::test_an_accepted_event_keeps_its_id_and_its_times"
    ),
    "`seq` 1, 2, 3 … without a gap in the rollout, `pos` likewise in the session": (
        "tests/stores/suite.py::StoreSuite::test_pos_has_no_gap_when_two_rollouts_of_a_session_record_at_once"
    ),
    "what comes from tools … is cleaned when an event is built (they become U+FFFD)": (
        "tests/acceptance/test_bad_weather_words.py::test_nul_and_half_characters_of_a_tool_are_cleaned"
    ),
    "what comes from … models is cleaned when an event is built (they become U+FFFD)": (
        "tests/acceptance/test_bad_weather.py::test_half_characters_and_nul_of_a_model_are_cleaned"
    ),
    "a character that is merely cut between two chunks is put together": (
        "tests/domain/test_text.py::test_a_pair_that_is_cut_between_two_pieces_is_put_together"
    ),
    "Each event carries the SHA-256 of its predecessor": (
        "tests/domain/test_fold.py::test_each_event_carries_the_hash_of_its_predecessor"
    ),
}


def first(rollout: RunningRollout, type_: str) -> Event:
    return next(event for event in rollout.trajectory() if event.type == type_)


async def test_an_event_has_its_envelope(rollout):
    """Envelope: `id`, `seq`, `pos`, `type`, `received_at` … `at` …, `source` …, `step`, `cause` …, `v` …, `payload`."""
    await rollout.receive(UserInput(content="hi"))

    said = first(rollout, "user.input")
    stored = {field.name for field in fields(Event)}
    assert {"id", "seq", "pos", "received_at", "at", "source", "step", "cause", "payload"} <= stored
    assert (said.id, said.seq, said.pos, said.type, said.step, said.payload.version) == (
        "e_1", 2, 2, "user.input", None, 1,
    )  # fmt: skip


async def test_at_is_never_earlier_than_the_event_before(rollout):
    """`at` (recorded; from the shell's clock, never earlier than the event before)"""
    await rollout.receive(UserInput(content="hi"))
    rollout.clock.pass_(-3600)

    await rollout.receive(UserInput(content="the clock was put back"))

    times = [event.at for event in rollout.trajectory()]
    assert times == sorted(times)


async def test_the_source_is_a_participant_the_agent_or_the_system(start, model):
    """`source` (a participant, `agent`, `system`)"""
    rollout = await start(tool("look"))
    model.calls(("look", {}), text="I look")

    await rollout.receive(UserInput(content="go"))

    sources = {event.type: event.source for event in rollout.trajectory()}
    assert sources == {
        "rollout.started": "system", "user.input": "user:maya", "step.started": "system", "agent.output": "agent",
        "tool.request": "agent", "step.completed": "system", "tool.result": "system",
    }  # fmt: skip


async def test_the_events_of_a_step_have_its_number(start, model):
    """`step`"""
    rollout = await start(tool("look"))
    model.calls(("look", {}))

    await rollout.receive(UserInput(content="go"))

    steps = [(event.type, event.step) for event in rollout.trajectory()[2:]]
    assert steps == [
        ("step.started", 0), ("tool.request", 0), ("step.completed", 0), ("tool.result", 0),
        ("step.started", 1), ("agent.output", 1), ("step.completed", 1),
    ]  # fmt: skip


async def test_the_cause_is_the_seq_of_what_it_answers(start, model):
    """`cause` (seq of what it answers)"""
    rollout = await start(tool("pay", access=Access.WRITE))
    model.calls(("pay", {}))

    await rollout.receive(UserInput(content="go"))

    request = first(rollout, "tool.request").seq
    assert first(rollout, "tool.started").cause == first(rollout, "tool.result").cause == request


@pytest.mark.parametrize("type_", TYPES)
def test_v_is_the_version_of_the_payloads_shape(type_):
    """`v` (version of the payload's shape)"""
    payload = built(type_)

    assert load(type_, TYPES[type_].version, dump(payload)) == payload


@pytest.mark.parametrize("secret", ["sk-4f9d2c7b1a", 'pa"ss\\word-1', "-----BEGIN KEY-----\nMIIB\n", "ключ\tсекрет"])
@pytest.mark.parametrize("written", [str, json.dumps], ids=["as it is", "inside JSON"])
async def test_known_secrets_are_redacted_whatever_characters_they_have(start, model, secret, written):
    """Known secrets are redacted there."""
    look = tool("look")
    look.answer = lambda args, context: f"key={written(secret)}"
    rollout = await start(look)
    rollout.manager._shell.redactor.learn(secret)
    model.calls(("look", {"x": secret}))

    await rollout.receive(UserInput(content="go"))

    [request], [result] = rollout.payloads("tool.request"), rollout.payloads("tool.result")
    assert request.args == {"x": REDACTED}
    assert result.content in (f"key={REDACTED}", f'key="{REDACTED}"')
