"""Cancel and retry, what could not be stopped, and what comes late."""

import asyncio

from runtime.domain.events import (
    ApprovalDecision,
    ResultStatus,
    RolloutCancelled,
    UserInput,
    UserInterrupt,
    Verdict,
)
from runtime.domain.tool import Access
from runtime.ports import NothingDone, ToolFailed
from tests.builders import tool


def deaf_until(going: asyncio.Event, answer: str):
    """The work of a tool that does not hear that it is cancelled, and ends when it may."""

    async def body(args, context):
        while not going.is_set():
            try:
                await going.wait()
            except asyncio.CancelledError:
                continue
        return answer

    return body


async def test_cancel_cuts_like_a_stop_and_calls_no_model(rollout, model):
    model.says("one two three", hold_after=2)
    await rollout.receive(UserInput(content="count"))
    await model.holding()

    await rollout.receive(RolloutCancelled(by="Priya"))

    assert rollout.types()[-3:] == ["agent.output", "step.aborted", "rollout.cancelled"]
    assert rollout.lifecycle == "cancelled"
    assert len(model.requests) == 1


async def test_cancel_gives_every_open_call_its_result(start, model):
    look, pay = tool("look"), tool("pay", access=Access.WRITE)
    look.gate = asyncio.Event()
    rollout = await start(look, pay)
    model.calls(("look", {}), ("pay", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()

    await rollout.receive(RolloutCancelled(by="Priya"))

    assert [result.status for result in rollout.payloads("tool.result")] == [ResultStatus.CANCELLED] * 2


async def test_what_waited_when_it_was_cancelled_is_not_lost(rollout, model):
    model.says("one two three", hold_after=2)
    await rollout.receive(UserInput(content="count"))
    await model.holding()
    await rollout.post(UserInput(content="and this"))

    await rollout.receive(RolloutCancelled(by="Priya"))

    assert rollout.types()[-2:] == ["user.input", "rollout.cancelled"]
    assert (await rollout.store.queue("r_1")).pending == []


async def test_a_write_that_proves_that_it_did_nothing_is_cancelled_without_a_question(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)

    async def wait_in_line(args, context):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise NothingDone("it stood in line") from None

    pay.body = wait_in_line
    model.calls(("pay", {}))
    await rollout.post(UserInput(content="go"))
    await pay.began.wait()

    await rollout.receive(UserInterrupt())

    assert rollout.payloads("tool.result")[0].status is ResultStatus.CANCELLED
    assert rollout.payloads("approval.request") == []


async def test_a_write_that_ended_while_it_was_stopped_keeps_its_result(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)

    async def finish_first(args, context):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "paid after all"

    pay.body = finish_first
    model.calls(("pay", {}))
    await rollout.post(UserInput(content="go"))
    await pay.began.wait()

    await rollout.receive(UserInterrupt())

    result = rollout.payloads("tool.result")[0]
    assert (result.status, result.content) == (ResultStatus.OK, "paid after all")
    assert rollout.payloads("approval.request") == []


async def test_a_stop_between_two_attempts_asks_nobody(start, model):
    pay = tool("pay", access=Access.WRITE, retries=3)
    pay.answer = lambda args, context: ToolFailed("the till is closed.")
    rollout = await start(pay)
    rollout.time_passes = False
    model.calls(("pay", {}))
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(UserInterrupt())

    assert rollout.payloads("tool.result")[0].status is ResultStatus.CANCELLED
    assert rollout.payloads("approval.request") == []
    assert rollout.lifecycle == "waiting (input)"


async def test_a_tool_that_gives_up_on_its_own_is_a_failure_and_does_not_run_again(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)

    async def give_up(args, context):
        raise asyncio.CancelledError

    pay.body = give_up
    model.calls(("pay", {}))

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("tool.result")[0].content == "the tool gave up in the middle."
    assert pay.ledger == ["r_1:0.0"]


async def test_a_result_that_comes_after_the_stop_is_recorded_as_late(start, model):
    slow = tool("slow", access=Access.WRITE)
    rollout = await start(slow)
    going = asyncio.Event()

    slow.body = deaf_until(going, "done in the end")
    model.calls(("slow", {}))
    await rollout.post(UserInput(content="go"))
    await slow.began.wait()
    await rollout.receive(UserInterrupt())
    requests = len(model.requests)

    going.set()
    await rollout.rest()

    results = rollout.payloads("tool.result")
    assert [(result.status, result.late) for result in results] == [("unknown", False), ("ok", True)]
    assert len(model.requests) == requests

    await rollout.receive(UserInput(content="and?"))
    assert "done in the end" in model.requests[-1].messages[-1]["content"]


async def test_a_large_late_result_can_be_read_on(start, model):
    slow = tool("slow")
    rollout = await start(slow)
    going = asyncio.Event()

    slow.body = deaf_until(going, "é" * 40_000)
    model.calls(("slow", {}))
    await rollout.post(UserInput(content="go"))
    await slow.began.wait()
    await rollout.receive(UserInterrupt())

    going.set()
    await rollout.rest()

    late = rollout.payloads("tool.result")[-1]
    assert late.late
    assert await rollout.store.artifact("r_1", late.artifact.id) == "é" * 40_000


async def test_a_result_that_comes_after_the_rollout_was_cancelled_is_recorded(start, model):
    slow = tool("slow", access=Access.WRITE)
    rollout = await start(slow)
    going = asyncio.Event()

    slow.body = deaf_until(going, "done in the end")
    model.calls(("slow", {}))
    await rollout.post(UserInput(content="go"))
    await slow.began.wait()
    await rollout.post(RolloutCancelled(by="Priya"))
    await rollout.until(lambda: "rollout.cancelled" in rollout.types())

    going.set()
    await rollout.until(lambda: len(rollout.payloads("tool.result")) == 2)

    assert rollout.payloads("tool.result")[-1].late


async def test_a_decision_about_a_call_that_nobody_asked_about_changes_nothing(start, model):
    pay = tool("pay", access=Access.WRITE)
    pay.gate = asyncio.Event()
    rollout = await start(pay)
    model.calls(("pay", {}))
    await rollout.post(UserInput(content="go"))
    await pay.began.wait()
    await rollout.post(ApprovalDecision(call_id="0.0", verdict=Verdict.RUN_AGAIN))
    await rollout.until(lambda: "approval.decision" in rollout.types())

    assert rollout.state.call("0.0").is_started

    pay.gate.set()
    await rollout.rest()
    assert pay.ledger == ["r_1:0.0"]
