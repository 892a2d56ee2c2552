"""`runtime.md`, section 5: pauses."""

import asyncio

import pytest

from runtime.domain.events import (
    ApprovalDecision,
    ResultStatus,
    RolloutPaused,
    RolloutResumed,
    UserInput,
    UserInterrupt,
    Verdict,
)
from runtime.domain.tool import Access, ApprovalPolicy
from runtime.ports import ToolFailed
from tests.builders import RunningRollout, ScriptedModel, tool
from tests.lines.virtual import played, until

ELSEWHERE = {
    "Pause acts at the next boundary; inputs are accepted, none answered until resume": (
        "tests/engine/test_limits.py::test_pause_lets_what_runs_end_and_starts_nothing"
    ),
    "nothing new starts": "tests/engine/test_limits.py::test_a_paused_rollout_starts_no_call",
}


@pytest.mark.parametrize("access", [Access.READ, Access.WRITE])
async def test_a_call_that_runs_ends_and_is_recorded_while_paused_and_the_next_waits(start, model, access):
    """*Pause* acts at the next boundary: what runs ends and is recorded, nothing new starts"""
    look, pay = tool("look", access=access), tool("pay", access=Access.WRITE)
    look.gate = asyncio.Event()
    rollout = await start(look, pay)
    model.calls(("look", {}), ("pay", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    await rollout.post(RolloutPaused(by="Priya"))
    await rollout.until(lambda: rollout.paused)

    look.gate.set()
    await rollout.rest()

    assert [result.call_id for result in rollout.payloads("tool.result")] == ["0.0"]
    assert pay.ledger == []
    assert len(model.requests) == 1
    assert rollout.lifecycle == "paused"


async def test_an_approval_is_decided_while_paused_and_its_call_starts_at_resume(start, model):
    """approvals may be decided, their calls start at resume"""
    pay = tool("pay", access=Access.WRITE, approval=ApprovalPolicy("always"))
    rollout = await start(pay)
    model.calls(("pay", {}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.receive(RolloutPaused(by="Priya"))

    await rollout.receive(ApprovalDecision(call_id="0.0", verdict=Verdict.APPROVE, by="Priya"))
    assert rollout.types()[-1] == "approval.decision"
    assert pay.ledger == []

    await rollout.receive(RolloutResumed(by="Priya"))
    assert pay.ledger == ["r_1:0.0"]


def paused_in_a_call(then=None, **properties) -> tuple[RunningRollout, list[str], list[str]]:
    """A rollout that was paused for ten minutes while a payment failed, and went on; what was paid, what was queued.

    `then` is posted in the last of the minutes.
    """
    pay = tool("pay", access=Access.WRITE, fallback="queue", **properties)
    queue, model = tool("queue", access=Access.WRITE), ScriptedModel()
    model.calls(("pay", {}))

    async def play(loop, rollout):
        async def body(args, context):
            await asyncio.sleep(1)
            raise ToolFailed("the bank is closed")

        pay.body = body
        await rollout.post(UserInput(content="pay"))
        await pay.began.wait()
        await rollout.post(RolloutPaused(by="Priya"))
        await asyncio.sleep(600)
        assert (len(rollout.payloads("tool.started")), rollout.payloads("tool.result")) == (1, [])
        if then is not None:
            await rollout.post(then)
            await asyncio.sleep(60)
        await rollout.post(RolloutResumed(by="Priya"))
        await until(lambda: rollout.payloads("tool.result"))
        return rollout

    return played(play, model, pay, hidden=[queue], linger=5), pay.ledger, queue.ledger


def test_a_call_that_failed_gets_its_fallback_at_resume():
    """nothing new starts"""
    rollout, paid, queued = paused_in_a_call()

    assert (paid, queued) == (["r_1:0.0"], ["r_1:0.0:fallback"])
    assert rollout.payloads("approval.request") == []
    assert rollout.payloads("tool.result")[0].status is ResultStatus.OK


def test_a_call_that_failed_gets_its_next_attempt_at_resume():
    """nothing new starts"""
    rollout, paid, queued = paused_in_a_call(retries=1)

    assert (paid, queued) == (["r_1:0.0"] * 2, ["r_1:0.0:fallback"])
    assert rollout.payloads("approval.request") == []


def test_a_call_that_failed_and_was_stopped_before_its_fallback_keeps_its_own_result():
    """what runs ends and is recorded, nothing new starts"""
    rollout, _, queued = paused_in_a_call(UserInterrupt(respond=False))

    [result] = rollout.payloads("tool.result")
    assert (result.status, result.content) == (ResultStatus.ERROR, "the bank is closed")
    assert queued == []
    assert rollout.payloads("approval.request") == []
