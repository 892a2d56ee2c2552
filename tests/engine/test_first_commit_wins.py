"""Accepting an urgent event raises `urgent` on the row, and every append compares it: the first commit wins."""

from collections.abc import Callable

import pytest

from runtime.domain.apply import fold
from runtime.domain.context import render
from runtime.domain.events import Payload, ResultStatus, SupervisorInstruction, UserInput, UserInterrupt
from runtime.domain.tool import Access
from runtime.ports import Append, Appended, Arrival, Lost
from tests.builders import RunningRollout, tool


def accept_just_before(rollout: RunningRollout, payload: Payload, is_it: Callable[[Append], bool]) -> list[int]:
    """Commits the event right before the first append that is meant; how many events the trajectory had then."""
    append, lengths = rollout.store.append, []

    async def append_after_it(change: Append) -> Appended | Lost:
        if not lengths and is_it(change):
            lengths.append(len(rollout.trajectory()))
            await rollout.store.accept(Arrival(rollout.id, payload, "user:maya", "e_stop"))
            rollout.manager.nudge(rollout.id)
        return await append(change)

    rollout.store.append = append_after_it  # the store is a real one; somebody else is quicker
    return lengths


def has(type_: str) -> Callable[[Append], bool]:
    return lambda change: any(event.type == type_ for event in change.events)


async def test_after_a_stop_no_step_is_recorded(rollout, model):
    model.says("a finished answer")
    lengths = accept_just_before(rollout, UserInterrupt(respond=False), has("step.completed"))

    await rollout.receive(UserInput(content="go"))

    assert rollout.types()[lengths[0] :] == ["agent.output", "step.aborted", "user.interrupt"]
    assert rollout.payloads("agent.output")[0].interrupted


async def test_after_a_stop_the_calls_of_the_unrecorded_step_never_run(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    model.calls(("pay", {}), text="I will pay")
    accept_just_before(rollout, UserInterrupt(respond=False), has("step.completed"))

    await rollout.receive(UserInput(content="go"))

    assert pay.ledger == []
    assert "tool.request" not in rollout.types()


async def test_after_a_stop_no_call_that_is_not_read_starts(start, model):
    first, second = tool("first", access=Access.WRITE), tool("second", access=Access.WRITE)
    rollout = await start(first, second)
    model.calls(("first", {}), ("second", {}))
    accept_just_before(rollout, UserInterrupt(respond=False), _starts("0.1"))

    await rollout.receive(UserInput(content="go"))

    assert (first.ledger, second.ledger) == (["r_1:0.0"], [])
    statuses = [result.status for result in rollout.payloads("tool.result")]
    assert statuses == [ResultStatus.OK, ResultStatus.CANCELLED]


def _starts(call_id: str) -> Callable[[Append], bool]:
    return lambda change: any(e.type == "tool.started" and e.payload.call_id == call_id for e in change.events)


async def test_a_result_in_hand_is_recorded_in_the_transaction_of_the_cut(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    model.calls(("pay", {"x": "7"}))
    accept_just_before(rollout, UserInterrupt(respond=False), has("tool.result"))

    await rollout.receive(UserInput(content="go"))

    results = rollout.payloads("tool.result")
    assert [(result.status, result.content) for result in results] == [("ok", "done 7")]
    assert rollout.payloads("approval.request") == []


async def test_an_answer_that_was_recorded_before_stays_an_answer(rollout, model):
    model.says("a finished answer")
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(UserInterrupt())

    assert not rollout.payloads("agent.output")[0].interrupted


@pytest.mark.parametrize("urgent", [SupervisorInstruction(content="wait"), UserInput(content="now", now=True)])
async def test_every_urgent_event_wins_over_an_unrecorded_step(rollout, model, urgent):
    model.says("a finished answer")
    accept_just_before(rollout, urgent, has("step.completed"))

    await rollout.receive(UserInput(content="go"))

    assert rollout.types().count("step.aborted") == 1
    assert len(model.requests) == 2


async def test_an_answer_that_was_not_recorded_is_not_in_the_next_prompt(rollout, model):
    model.says("never recorded as such", hold_after=4)
    await rollout.receive(UserInput(content="go"))
    await model.holding()
    await rollout.post(UserInput(content="queued"))
    await rollout.until(lambda: rollout.actor is not None and len(rollout.actor.pending) == 1)
    accept_just_before(rollout, UserInterrupt(content="stop that"), has("step.completed"))

    model.go()
    await rollout.rest()

    asked = model.requests[-1].messages
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "user"]
    for event in rollout.trajectory():
        if event.type == "step.started":
            state = fold(rollout.trajectory()[: event.seq - 1])
            again = render(state, rollout.agent, model="scripted", withhold=event.payload.withheld)
            assert again.sha256 == event.payload.prompt_sha256


async def test_a_commit_whose_answer_was_lost_is_not_repeated(rollout, model):
    append, lost = rollout.store.append, []

    async def lose_the_answer(change: Append) -> Appended | Lost:
        answer = await append(change)
        if has("step.completed")(change) and not lost:
            lost.append(True)
            queue = await rollout.store.queue(rollout.id)
            return Lost(queue.epoch, queue.urgent, queue.next_seq)
        return answer

    rollout.store.append = lose_the_answer  # the store is a real one; its answer gets lost
    model.says("once")

    await rollout.receive(UserInput(content="go"))

    assert [output.content for output in rollout.payloads("agent.output")] == ["once"]
    assert len(model.requests) == 1
