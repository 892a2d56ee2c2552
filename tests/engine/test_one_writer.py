"""Promise 4: one writer per rollout, also when a worker stands still past its lease."""

import asyncio
import itertools

import pytest

from runtime.domain.events import UserInput
from runtime.domain.tool import Access
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.ports import Append, Appended, Lost
from tests.builders import RecordingHub, ScriptedModel, accept_all, start_rollout, tool


async def second_manager(rollout, model, *tools) -> Manager:
    """Another worker over the same store."""
    executor = Executor({held.spec.name: held for held in tools}.get, rollout.store, rollout.clock)
    shell = Shell(rollout.store, RecordingHub(), rollout.clock, model, executor, accept_all, linger_seconds=0.05)

    async def bind(claimed):
        return rollout.agent

    manager = Manager(shell, bind, "other")
    await manager.start()
    return manager


async def held_at_append(rollout, number: int) -> tuple[asyncio.Event, asyncio.Event]:
    """The first worker stands still before its n-th append; events: it stands, it may go."""
    stands, may_go, counter, append = asyncio.Event(), asyncio.Event(), itertools.count(1), rollout.store.append

    async def stand_still(change: Append) -> Appended | Lost:
        if change.epoch == 1 and next(counter) == number:
            stands.set()
            await may_go.wait()
        return await append(change)

    rollout.store.append = stand_still  # the store is a real one; only its caller stands still
    return stands, may_go


@pytest.mark.parametrize("number", range(1, 5))
async def test_a_worker_held_past_its_lease_appends_nothing_and_starts_nothing(number):
    first_pay, pay = tool("pay", access=Access.WRITE), tool("pay", access=Access.WRITE)
    first_model, model = ScriptedModel(), ScriptedModel()
    for each in (first_model, model):
        each.calls(("pay", {"x": "1"}))
        each.says("done")
    if number >= 3:
        model.parts.pop(0)  # the first step is recorded by then
    rollout = await start_rollout(first_model, first_pay)
    stands, may_go = await held_at_append(rollout, number)
    await rollout.post(UserInput(content="go"))
    async with asyncio.timeout(5):
        await stands.wait()
    rollout.clock.pass_(7)
    other = await second_manager(rollout, model, pay)
    other.nudge("r_1")
    await _until(lambda: "user.input" in rollout.types() and rollout.lifecycle.startswith("waiting"))
    before, ran = rollout.types(), len(first_pay.ledger)

    may_go.set()
    await _until(lambda: not rollout.manager.running)

    assert rollout.types() == before
    assert len(first_pay.ledger) == ran
    assert len(first_pay.ledger) + len(pay.ledger) <= 1
    await other.stop()
    await rollout.manager.stop()


async def _until(condition) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.001)


async def test_a_worker_that_was_not_renewed_in_time_begins_nothing(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    model.calls(("pay", {}), text="one two")
    model.parts[0].hold_after = 1
    await rollout.receive(UserInput(content="go"))
    await model.holding()
    actor = rollout.manager._owned["r_1"].rollout
    actor.renewed_at -= 5

    model.go()
    await _until(lambda: "step.completed" in rollout.types())

    assert pay.ledger == []
    assert "tool.started" not in rollout.types()
    assert [text for _, _, _, text in rollout.hub.deltas] == ["one"]


async def test_a_call_whose_beginning_was_recorded_by_a_worker_in_doubt_begins_once_it_is_renewed(model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start_rollout(model, pay, linger=60)
    append = rollout.store.append

    async def stand_still_after(change: Append) -> Appended | Lost:
        answer = await append(change)
        if any(event.payload.type == "tool.started" for event in change.events):
            rollout.actor.renewed_at -= 5
        return answer

    rollout.store.append = stand_still_after  # the store is a real one; the process stands still behind it
    model.calls(("pay", {}))
    await rollout.post(UserInput(content="go"))

    await _until(lambda: "tool.result" in rollout.types())

    assert len(pay.ledger) == 1
    assert rollout.types().count("tool.started") == 1
    await rollout.manager.stop()


@pytest.mark.parametrize("number", range(1, 7))
async def test_what_was_committed_though_its_answer_was_lost_is_recorded_once(start, model, number):
    look, pay = tool("look"), tool("pay", access=Access.WRITE)
    rollout = await start(look, pay)
    append, counter = rollout.store.append, itertools.count(1)

    async def lose_the_answer(change: Append) -> Appended | Lost:
        answer = await append(change)
        return await append(change) if next(counter) == number else answer

    rollout.store.append = lose_the_answer  # the writer tries again what it does not know to be committed
    model.calls(("look", {}), ("pay", {}))
    model.says("done")

    await rollout.receive(UserInput(content="go"))

    assert [result.late for result in rollout.payloads("tool.result")] == [False, False]
    assert rollout.payloads("agent.output")[-1].content == "done"
    assert len(pay.ledger) == 1


async def test_a_worker_whose_lease_was_in_doubt_goes_on_as_soon_as_it_is_renewed(model):
    rollout = await start_rollout(model, linger=60)
    await rollout.receive(UserInput(content="first"))
    rollout.actor.renewed_at -= 5
    await rollout.post(UserInput(content="second"))
    await _until(lambda: not rollout.actor.was_nudged and rollout.actor.is_waiting)

    await _until(lambda: len(model.requests) == 2)

    await rollout.manager.stop()


async def test_a_rollout_that_broke_is_taken_up_again_after_a_rest(model, caplog):
    rollout = await start_rollout(model)
    claim, claims = rollout.store.claim, itertools.count(1)

    async def break_at_first(rollout_id, owner):
        if next(claims) == 1:
            raise OSError("disk full")
        return await claim(rollout_id, owner)

    rollout.store.claim = break_at_first
    await rollout.post(UserInput(content="go"))
    await rollout.post(UserInput(content="once more"))

    await _until(lambda: len(model.requests) == 1)

    assert "is looked at again in" in caplog.text
    await rollout.manager.stop()
