"""`runtime.md`, section 4: what an urgent event covers, and what is taken alone at once."""

import asyncio

import pytest

from runtime.domain.events import (
    AgentInterruptReceived,
    ApprovalDecision,
    ExternalTrigger,
    Payload,
    ResumeReason,
    RolloutCancelled,
    RolloutPaused,
    RolloutResumed,
    StateUpdate,
    SupervisorInstruction,
    TimerTrigger,
    UserInput,
    UserInterrupt,
)
from runtime.domain.tool import Access, ApprovalPolicy
from tests.builders import tool
from tests.engine.test_children import held

ELSEWHERE = {
    "a stop by the user covers the turn: the step": (
        "tests/engine/test_stop.py::test_urgent_event_stops_the_reply_and_is_answered"
    ),
    "awaited sub-agents": "tests/engine/test_children.py::test_a_stop_covers_awaited_sub_agents",
    "waiting approvals": "tests/engine/test_approvals.py::test_a_stop_of_the_turn_withdraws_the_question",
    "and asynchronous calls marked `on_interrupt: cancel`": (
        "tests/engine/test_async_calls.py::test_a_stop_leaves_it_running_unless_it_is_marked"
    ),
    "With a `call_id` it covers that call": "tests/engine/test_stop.py::test_stopping_one_call_leaves_the_others",
    "retry … let a model call follow": ("tests/engine/test_model_failures.py::test_retry_goes_on_at_exactly_that_step"),
    "resume let a model call follow": "tests/engine/test_limits.py::test_pause_lets_what_runs_end_and_starts_nothing",
    "cancel of the rollout cuts like a Stop … and records `rollout.cancelled` without a model call": (
        "tests/engine/test_control.py::test_cancel_cuts_like_a_stop_and_calls_no_model"
    ),
    "cancels the children": "tests/engine/test_children.py::test_cancelling_cancels_the_children",
}

OTHERS: list[Payload] = [
    SupervisorInstruction(content="go ahead"),
    UserInput(content="now", now=True),
    AgentInterruptReceived(content="hurry"),
    TimerTrigger(timer_id="0.9", urgent=True),
    ExternalTrigger(trigger="order.lost", urgent=True),
]
MOVED = StateUpdate(by="Priya", to_state="done")
RAISED = RolloutResumed(by="Priya", reason=ResumeReason.LIMIT, limits={"max_steps": 50})
DECIDED = ApprovalDecision(call_id="0.0", verdict="approve")
CALL_CANCELLED = UserInterrupt(call_id="0.0")
IMMEDIATE: list[Payload] = [
    DECIDED,
    CALL_CANCELLED,
    RolloutPaused(by="Priya"),
    RolloutResumed(by="Priya"),
    MOVED,
    RAISED,
]
WAKING_NOBODY: list[Payload] = [DECIDED, CALL_CANCELLED, RolloutPaused(by="Priya"), MOVED, RAISED]


def by_type(payload: Payload) -> str:
    return payload.type


@pytest.mark.parametrize("urgent", OTHERS, ids=by_type)
async def test_other_urgent_events_do_not_withdraw_an_approval(start, model, urgent):
    """Other urgent events cover the current step only: a supervisor's "go ahead" does not withdraw an approval."""
    pay = tool("pay", access=Access.WRITE, approval=ApprovalPolicy("always"))
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))

    await rollout.receive(urgent)
    await rollout.receive(ApprovalDecision(call_id="0.0", verdict="approve", by="Priya"))

    assert pay.ledger == ["r_1:0.0"]
    assert [result.status for result in rollout.payloads("tool.result")] == ["ok"]


@pytest.mark.parametrize("urgent", OTHERS, ids=by_type)
async def test_other_urgent_events_leave_awaited_sub_agents_at_work(start_many, urgent):
    """Other urgent events cover the current step only"""
    models, rollout, child = await held(start_many)

    await rollout.post(urgent)
    await rollout.until(lambda: len(models.scripted.requests) == 2)

    assert "the agent helper works on it as 0.0" in str(models.scripted.requests[1].messages)
    assert "rollout.cancelled" not in child.types()


@pytest.mark.parametrize("urgent", OTHERS, ids=by_type)
async def test_other_urgent_events_leave_asynchronous_calls_running(start, model, urgent):
    """Other urgent events cover the current step only"""
    marked = tool("marked", runs_async=True, on_interrupt="cancel")
    marked.gate = asyncio.Event()
    rollout = await start(marked)
    model.calls(("marked", {}))
    model.says("one two three", hold_after=1)
    await rollout.post(UserInput(content="go"))
    await model.holding()

    await rollout.post(urgent)
    await rollout.until(lambda: "step.aborted" in rollout.types())

    assert rollout.payloads("tool.result") == []
    marked.gate.set()
    await rollout.until(lambda: "tool.result" in rollout.types())


@pytest.mark.parametrize("payload", IMMEDIATE, ids=by_type)
async def test_immediate_events_are_taken_alone_at_once(rollout, model, payload):
    """Immediate (approval decisions, cancel of one call, pause, resume, cancel, retry, set_state, raised limits).
    Taken alone at once"""
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await rollout.post(UserInput(content="more"))

    await rollout.post(payload)
    await rollout.until(lambda: payload.type in rollout.types())

    assert rollout.types()[-2:] == ["step.started", payload.type]
    assert [item.payload.content for item in (await rollout.store.queue(rollout.id)).pending] == ["more"]
    assert (model.is_holding, model.cancelled) == (True, 0)


@pytest.mark.parametrize("payload", WAKING_NOBODY, ids=by_type)
async def test_only_retry_and_resume_let_a_model_call_follow(rollout, model, payload):
    """only retry and resume let a model call follow"""
    await rollout.receive(UserInput(content="hello"))

    await rollout.receive(payload)

    assert rollout.types()[-1] == payload.type
    assert len(model.requests) == 1


@pytest.mark.parametrize("payload", [RolloutCancelled(by="Priya"), UserInterrupt(call_id="0.0")], ids=by_type)
async def test_cancel_of_the_rollout_or_of_one_call_raises_urgent_too(rollout, payload):
    """Cancel, of the rollout or of one call, raises `urgent` too"""
    await rollout.post(payload)

    assert rollout.store.rows[rollout.id].urgent == 1
