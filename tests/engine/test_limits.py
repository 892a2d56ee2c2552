"""Bounds of a turn, and the answers that they force."""

import pytest

from runtime.domain.agent import Limits
from runtime.domain.events import LimitKind, ResultStatus, ResumeReason, RolloutPaused, RolloutResumed, UserInput
from runtime.domain.tool import Access
from tests.builders import tool


async def test_calls_over_the_limit_are_not_started_and_an_answer_is_forced(start, model):
    look = tool("look")
    rollout = await start(look, limits=Limits(max_tool_calls=2))
    model.calls(*(("look", {"x": str(number)}) for number in range(3)))

    await rollout.receive(UserInput(content="go"))

    statuses = {result.call_id: result.status for result in rollout.payloads("tool.result")}
    assert statuses == {"0.0": ResultStatus.OK, "0.1": ResultStatus.OK, "0.2": ResultStatus.LIMIT}
    assert len(look.ledger) == 2
    assert model.requests[-1].withhold_tools
    assert rollout.payloads("limit.reached")[0].what is LimitKind.TOOL_CALLS


async def test_the_forced_answer_is_never_empty(start, model):
    rollout = await start(tool("look"), limits=Limits(max_tool_calls=0))
    model.calls(("look", {}))
    model.says("")
    model.says("")

    await rollout.receive(UserInput(content="go"))

    assert "tool calls that it may make" in rollout.payloads("agent.output")[-1].content
    assert rollout.lifecycle == "waiting (input)"


async def test_calls_in_a_forced_answer_are_not_run_and_end_the_turn(start, model):
    look = tool("look")
    rollout = await start(look, limits=Limits(max_tool_calls=1))
    model.calls(("look", {}), ("look", {"x": "2"}))
    model.calls(("look", {"x": "3"}), text="enough")

    await rollout.receive(UserInput(content="go"))

    assert len(look.ledger) == 1
    assert rollout.payloads("tool.result")[-1].status is ResultStatus.LIMIT
    assert rollout.lifecycle == "waiting (input)"


async def test_steps_have_a_limit(start, model):
    look = tool("look")
    rollout = await start(look, limits=Limits(max_steps=3, max_tool_calls=100))
    for number in range(10):
        model.calls(("look", {"x": str(number)}))

    await rollout.receive(UserInput(content="go"))

    assert [request.withhold_tools for request in model.requests] == [False, False, False, True]
    assert rollout.payloads("limit.reached")[0].what is LimitKind.STEPS


async def test_new_input_resets_the_counts(start, model):
    look = tool("look")
    rollout = await start(look, limits=Limits(max_tool_calls=1))
    for _ in range(2):
        model.calls(("look", {}))
        model.says("done")
        await rollout.receive(UserInput(content="go"))

    assert len(look.ledger) == 2
    assert rollout.payloads("limit.reached") == []


async def test_the_third_same_call_is_told_and_the_fifth_pauses(start, model):
    look = tool("look")
    rollout = await start(look)
    for _ in range(6):
        model.calls(("look", {"x": "same"}))

    await rollout.receive(UserInput(content="go"))

    told = [("3 times in a row" in result.content) for result in rollout.payloads("tool.result")]
    assert told == [False, False, True, False]
    assert "4 times in a row" in rollout.payloads("tool.result")[3].content
    assert rollout.lifecycle == "paused"
    assert len(look.ledger) == 4


async def test_the_same_call_in_another_turn_is_not_in_a_row(start, model):
    look = tool("look")
    rollout = await start(look)
    for _ in range(6):
        model.calls(("look", {"x": "same"}))
        model.says("done")
        await rollout.receive(UserInput(content="again"))

    assert len(look.ledger) == 6
    assert rollout.lifecycle == "waiting (input)"


async def test_an_empty_answer_is_asked_once_more_then_reported(rollout, model):
    model.says("")
    model.says(" ")

    await rollout.receive(UserInput(content="go"))

    assert len(model.requests) == 2
    assert rollout.payloads("agent.output")[0].content.startswith("The model gave no answer.")
    assert [done.finish_reason for done in rollout.payloads("step.completed")] == ["empty", "empty"]


async def test_an_empty_answer_that_was_cut_off_at_its_length_says_what_to_raise(rollout, model):
    model.says("", finish_reason="length")
    model.says("", finish_reason="length")

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("agent.output")[0].content == (
        "The model's answer was cut off at its length limit before it said anything. Raise max_tokens."
    )


@pytest.mark.parametrize("reason", ["length", "refusal"])
async def test_length_and_refusals_are_recorded_as_such(rollout, model, reason):
    model.says("half a sen", finish_reason=reason)

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("step.completed")[0].finish_reason == reason


async def test_pause_lets_what_runs_end_and_starts_nothing(rollout, model):
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()
    await rollout.post(RolloutPaused(by="Priya"))
    await rollout.post(UserInput(content="more"))

    model.go()
    await rollout.rest()

    assert rollout.types()[-1] == "step.completed"
    assert rollout.lifecycle == "paused"
    assert len((await rollout.store.queue("r_1")).pending) == 1

    await rollout.receive(RolloutResumed(by="Priya"))

    assert len(model.requests) == 2
    assert rollout.lifecycle == "waiting (input)"


async def test_a_paused_rollout_starts_no_call(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    model.calls(("pay", {}), text="one two")
    model.parts[0].hold_after = 1
    await rollout.receive(UserInput(content="go"))
    await model.holding()
    await rollout.post(RolloutPaused())

    model.go()
    await rollout.rest()
    assert pay.ledger == []

    await rollout.receive(RolloutResumed(reason=ResumeReason.RESUME))
    assert len(pay.ledger) == 1
