"""`runtime.md`, section 6: tools, their calls, and what follows when they fail."""

import asyncio
from itertools import pairwise

import pytest

from runtime.domain.agent import is_framework_call
from runtime.domain.artifact import RESULT_BYTES
from runtime.domain.events import ResultStatus, UserInput, UserInterrupt
from runtime.domain.tool import Access
from runtime.ports import ToolFailed
from tests.builders import ScriptedModel, start_rollout, tool
from tests.simulation.virtual_time import VirtualClock, run_in_virtual_time

ELSEWHERE = {
    "A tool has a name, a description, a JSON Schema, and properties": (
        "tests/tools/test_declaration.py::test_the_properties_are_as_declared"
    ),
    "`access`, `idempotent`, `mode`, `timeout`, `retries`, `approval`, `fallback`, `rollback`, `on_interrupt`": (
        "tests/engine/test_binding.py::test_the_policy_of_a_tool_is_that_of_its_grant"
    ),
    "bad ones give a result that names the field": (
        "tests/engine/test_calls.py::test_a_call_that_cannot_run_gets_a_result_in_words"
    ),
    "`read` first and together, `write` one after another, in order": (
        "tests/engine/test_calls.py::test_reads_run_first_and_together_then_writes_in_order"
    ),
    "results are recorded as they come, rendered in call order": (
        "tests/engine/test_calls.py::test_results_are_recorded_as_they_come_and_rendered_in_call_order"
    ),
    "the model is told 'accepted, runs as CALL' at once and goes on": (
        "tests/engine/test_async_calls.py::test_the_model_is_told_that_it_runs_and_goes_on"
    ),
    "cancellable by the agent": "tests/engine/test_async_calls.py::test_the_agent_cancels_a_call_of_its_own",
    "Listed and cancellable by people": (
        "tests/web/test_playground.py::test_a_call_that_runs_on_the_side_is_listed_and_is_stopped_alone"
    ),
    "`retries` more attempts on error": (
        "tests/engine/test_calls.py::test_a_failing_tool_is_tried_again_and_then_told_in_words"
    ),
    "The model is told what really happened, in words": (
        "tests/engine/test_failure_chain.py::"
        "test_retries_with_recorded_attempts_then_the_fallback_and_the_model_is_told_in_words"
    ),
    "text inputs over 64 KiB become artifacts": (
        "tests/api/test_messages.py::test_a_long_text_is_kept_whole_beside_its_event"
    ),
    "one `invoke_NAME` per listed sub-agent": (
        "tests/domain/test_framework.py::test_sub_agents_bring_their_invocation_and_ways_to_reach_them"
    ),
    "`send_message` (to one participant; `wait` for the answer)": (
        "tests/engine/test_supervision.py::test_a_question_waits_for_that_persons_answer"
    ),
    "`note` (an `agent.thought` of kind note)": "tests/engine/test_supervision.py::test_a_note_is_kept_and_done_with",
    "A version whose file uses a field that guards cannot be published while that field does not act": (
        "tests/domain/test_agent_file.py::"
        "test_a_field_that_guards_and_does_not_act_yet_keeps_a_draft_from_being_published"
    ),
}

CALLS_OF_THE_PAGE = [
    "update_rollout_state",
    "set_timer",
    "cancel_timer",
    "escalate",
    "invoke_helper",
    "message_agent",
    "interrupt_agent",
    "send_message",
    "pause",
    "cancel_call",
    "note",
    "read_artifact",
]


async def test_arguments_are_validated_before_anything_runs(start, model):
    """Arguments are validated before anything runs"""
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    model.calls(("pay", {"y": "1"}))

    await rollout.receive(UserInput(content="pay"))

    assert pay.ledger == []
    assert rollout.payloads("tool.started") == []


# ------------------------------------------------------------------------------------------------ sync and async


async def test_while_a_synchronous_call_runs_the_model_waits(start, model):
    """**sync**: the model waits."""
    look = tool("look")
    look.gate = asyncio.Event()
    rollout = await start(look)
    model.calls(("look", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    await rollout.until(lambda: rollout.actor.is_waiting)

    assert len(model.requests) == 1

    look.gate.set()
    await rollout.rest()
    assert len(model.requests) == 2


async def test_the_model_is_called_when_the_last_result_of_the_batch_is_there(start, model):
    """the model is called when the last is there"""
    slow, quick = tool("slow"), tool("quick")
    slow.gate = asyncio.Event()
    rollout = await start(slow, quick)
    model.calls(("slow", {}), ("quick", {}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: bool(rollout.payloads("tool.result")) and rollout.actor.is_waiting)

    assert len(model.requests) == 1

    slow.gate.set()
    await rollout.rest()
    assert [result.call_id for result in rollout.payloads("tool.result")] == ["0.1", "0.0"]
    assert len(model.requests) == 2


async def test_the_result_of_an_asynchronous_call_arrives_later_as_its_own_event(start, model):
    """the result arrives later as its own event"""
    slow = tool("slow", runs_async=True)
    slow.gate = asyncio.Event()
    rollout = await start(slow)
    model.calls(("slow", {"x": "1"}))
    model.says("It runs.")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: rollout.types().count("step.completed") == 2)
    assert rollout.payloads("tool.result") == []

    slow.gate.set()
    await rollout.rest()

    assert [(result.call_id, result.content) for result in rollout.payloads("tool.result")] == [("0.0", "done 1")]
    assert '<late-result call="0.0" status="ok">done 1</late-result>' in model.requests[2].messages[-1]["content"]


async def test_an_agent_that_names_a_call_that_does_not_run_is_told_those_that_do(start, model):
    """Listed and cancellable by the agent"""
    slow = tool("slow", runs_async=True)
    slow.gate = asyncio.Event()
    rollout = await start(slow, framework=True)
    model.calls(("slow", {}))
    model.calls(("cancel_call", {"call_id": "7.7"}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(model.requests) == 3)

    refusal = next(result for result in rollout.payloads("tool.result") if result.call_id == "1.0")
    assert "there is no call 7.7 that still runs. What runs: 0.0" in refusal.content


async def test_a_person_cancels_an_asynchronous_call(start, model):
    """cancellable by the agent and by people"""
    slow = tool("slow", runs_async=True)
    slow.gate = asyncio.Event()
    rollout = await start(slow)
    model.calls(("slow", {}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: rollout.types().count("step.completed") == 2)

    await rollout.receive(UserInterrupt(call_id="0.0"))

    [result] = rollout.payloads("tool.result")
    assert (result.call_id, result.status) == ("0.0", ResultStatus.CANCELLED)


# ------------------------------------------------------------------------------------------------ failure


def attempts_in_virtual_time(**properties) -> tuple[list[float], list]:
    """When a tool that hangs (with a timeout) or fails was tried, in seconds, and the results that were recorded."""

    async def play(loop):
        began: list[float] = []
        look = tool("look", **properties)

        async def body(args, context):
            began.append(loop.time())
            if "timeout_seconds" in properties:
                await asyncio.Event().wait()
            raise ToolFailed("the shelf is locked")

        look.body = body
        model = ScriptedModel()
        rollout = await start_rollout(model, look, clock=VirtualClock(loop))
        model.calls(("look", {}))
        await rollout.post(UserInput(content="go"))
        while len(model.requests) < 2:
            await asyncio.sleep(0.1)
        return began, rollout.payloads("tool.result")

    return run_in_virtual_time(play)


def test_a_call_that_runs_out_of_time_is_tried_again():
    """`retries` more attempts on error or timeout"""
    began, [result] = attempts_in_virtual_time(retries=1, timeout_seconds=30)

    assert len(began) == 2
    assert (result.status, result.attempts) == (ResultStatus.TIMED_OUT, 2)


def test_each_further_attempt_waits_longer():
    """with backoff"""
    began, _ = attempts_in_virtual_time(retries=3)

    first, second, third = (later - earlier for earlier, later in pairwise(began))
    assert first >= 0.5
    assert second >= 1
    assert third >= 2


async def test_the_fallback_is_given_the_same_arguments(start, model):
    """then `fallback` (another tool, same arguments)"""
    pay, queue = tool("pay", access=Access.WRITE, fallback="queue"), tool("queue", access=Access.WRITE)
    pay.answer = lambda args, context: ToolFailed("the bank is closed", retryable=False)
    given = []
    queue.answer = lambda args, context: given.append(dict(args)) or "queued"
    rollout = await start(pay, hidden=[queue])
    model.calls(("pay", {"x": "60"}))

    await rollout.receive(UserInput(content="pay"))

    assert given == [{"x": "60"}]


# ------------------------------------------------------------------------------------------------ large results


async def with_result(start, model, text: str):
    look = tool("look")
    look.answer = lambda args, context: text
    rollout = await start(look)
    model.calls(("look", {}))
    await rollout.receive(UserInput(content="go"))
    return rollout, rollout.payloads("tool.result")[0]


async def test_a_result_of_32_kib_stays_whole(start, model):
    """Results over 32 KiB … become artifacts"""
    _, result = await with_result(start, model, "a" * RESULT_BYTES)

    assert RESULT_BYTES == 32 * 1024
    assert (result.artifact, len(result.content)) == (None, RESULT_BYTES)


async def test_of_a_larger_result_the_model_gets_the_head_the_size_and_a_way_to_read_on(start, model):
    """the model gets the head, the size and a way to read on"""
    rollout, result = await with_result(start, model, "b" + "a" * RESULT_BYTES)

    shown = model.requests[-1].messages[-1]["content"]
    assert shown.startswith("baaa")
    assert len(shown) < RESULT_BYTES
    assert f"of {RESULT_BYTES + 1} characters" in shown
    assert f'Read on with read_artifact, id "{result.artifact.id}"' in shown
    assert await rollout.store.artifact("r_1", result.artifact.id) == "b" + "a" * RESULT_BYTES


@pytest.mark.parametrize("call", CALLS_OF_THE_PAGE)
def test_each_framework_call_of_the_page_is_answered_by_the_framework(call):
    """Framework calls: `update_rollout_state`, …"""
    assert is_framework_call(call)
