"""The worker is told to end: nothing new begins, and what must not be cut is recorded."""

import asyncio

from runtime.domain.events import ApprovalDecision, ResultStatus, UserInput, UserInterrupt, Verdict
from runtime.domain.tool import Access
from tests.builders import tool


async def test_nothing_begins_once_the_manager_was_told_to_stop(rollout, model):
    stopping = asyncio.create_task(rollout.manager.stop())
    await asyncio.sleep(0)

    await rollout.post(UserInput(content="hello"))
    await stopping
    await asyncio.sleep(0)

    assert rollout.manager.running == 0
    assert model.requests == []


async def test_the_result_of_a_write_is_recorded_though_a_stop_came_in_meanwhile(start, model):
    pay = tool("pay", access=Access.WRITE)
    pay.gate = asyncio.Event()
    rollout = await start(pay)
    model.calls(("pay", {"x": "1"}))
    await rollout.post(UserInput(content="go"))
    await pay.began.wait()

    stopping = asyncio.create_task(rollout.manager.stop())
    await asyncio.sleep(0)
    await rollout.post(UserInterrupt())
    pay.gate.set()
    await stopping

    assert [result.status for result in rollout.payloads("tool.result")] == [ResultStatus.OK]
    assert "approval.request" not in rollout.types()


async def test_a_write_that_runs_behind_a_receipt_gets_its_time(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    pay.gate = asyncio.Event()
    model.calls(("pay", {"x": "1"}))
    await rollout.post(UserInput(content="go"))
    await pay.began.wait()
    await rollout.receive(UserInterrupt())  # whether it took effect is not known
    pay.began.clear()
    await rollout.post(ApprovalDecision(call_id="0.0", verdict=Verdict.RUN_AGAIN, by="Maya"))
    await pay.began.wait()

    stopping = asyncio.create_task(rollout.manager.stop())
    await asyncio.sleep(0)
    pay.gate.set()
    await stopping

    assert [result.status for result in rollout.payloads("tool.result")] == [ResultStatus.UNKNOWN, ResultStatus.OK]
    assert len(rollout.payloads("approval.request")) == 1
