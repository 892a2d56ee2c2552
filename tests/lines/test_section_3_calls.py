"""`runtime.md`, section 3: what is recorded of the calls of the model."""

import pytest

from runtime.domain.events import UserInput
from runtime.domain.facts import Person
from tests.builders import RunningRollout, tool
from tests.engine.test_children import helper

ELSEWHERE = {
    "a valid history can always be rendered": (
        "tests/domain/test_fold.py::test_every_prefix_renders_to_a_valid_history"
    ),
}

CALLS = [
    ("set_timer", {"after_seconds": 60}, "timer.set"),
    ("note", {"content": "in a hurry"}, "agent.thought"),
    ("escalate", {"reason": "unsure"}, "agent.escalation"),
    ("send_message", {"to": "Tom", "content": "hello"}, "agent.output"),
    ("invoke_helper", {"task": "look"}, "agent.invocation"),
    ("pause", {"reason": "unsure"}, "tool.request"),
    ("look", {"x": "1"}, "tool.request"),
]
IN_THE_STEP = [case for case in CALLS if case[0] in ("set_timer", "note", "escalate", "send_message")]


async def called(start, model, call: str, args: dict) -> RunningRollout:
    rollout = await start(tool("look"), others=[helper("helper")])
    rollout.store.people.append(Person("user:tom", "Tom"))
    model.calls((call, args))
    await rollout.receive(UserInput(content="go"))
    await rollout.until(lambda: not rollout.lifecycle.startswith(("running", "waiting (child)")))
    return rollout


@pytest.mark.parametrize(("call", "args", "type_"), CALLS)
async def test_every_call_of_the_model_has_a_call_id_and_its_arguments_as_given(start, model, call, args, type_):
    """Every call of the model has a `call_id` and its arguments as given, whatever its event type"""
    rollout = await called(start, model, call, args)

    [recorded] = [event.payload for event in rollout.trajectory() if getattr(event.payload, "tool", "") == call]
    assert (recorded.type, recorded.call_id, recorded.tool, recorded.args) == (type_, "0.0", call, args)


async def test_arguments_that_are_no_json_object_are_kept_as_they_came(start, model):
    """Every call of the model has … its arguments as given"""
    rollout = await start(tool("look"))
    model.calls(("look", '{"x": '))

    await rollout.receive(UserInput(content="go"))

    [request] = rollout.payloads("tool.request")
    assert (request.args, request.args_raw) == (None, '{"x": ')


@pytest.mark.parametrize(("call", "args", "type_"), IN_THE_STEP)
async def test_calls_decided_in_the_steps_own_transaction_carry_their_result(start, model, call, args, type_):
    """calls that are decided in the step's own transaction (state, timers, messages, escalation) carry their result
    in the same event"""
    rollout = await called(start, model, call, args)

    assert [recorded.status for recorded in rollout.payloads(type_) if recorded.result] == ["ok"]
    assert "tool.result" not in rollout.types()


@pytest.mark.parametrize(("call", "args", "type_"), CALLS)
async def test_each_call_has_exactly_one_result(start, model, call, args, type_):
    """So each call has exactly one result"""
    rollout = await called(start, model, call, args)

    own = [event for event in rollout.trajectory() if getattr(event.payload, "result", "")]
    came = [event for event in rollout.trajectory() if event.type == "tool.result"]
    answered = [event for event in rollout.trajectory() if event.type == "agent.input"]
    assert len(own) + len(came) + len(answered) == 1
