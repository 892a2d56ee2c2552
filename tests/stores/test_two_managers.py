"""Promise 4 on the database: two workers, each with a writer of its own; the first stands still past its lease."""

import asyncio
import itertools
from dataclasses import replace

import pytest
from asgiref.sync import sync_to_async

from runtime.domain.events import UserInput
from runtime.domain.tool import Access
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.ports import Append, Appended, Lost
from studio.models import Rollout
from studio.store import DjangoStore, Writer, trajectory
from tests.builders import HeldTool, RecordingHub, ScriptedModel, accept_all, tool
from tests.stores.builders import AGENT, HandClock, arrival, new_rollout

LEASE_AND_MORE = 7


class PayOnce(ScriptedModel):
    """Asks for one payment; once it has seen a result, it is done. The same for whoever asks."""

    async def stream(self, request):
        if any(message["role"] == "tool" for message in request.messages):
            self.says("done")
        else:
            self.calls(("pay", {"x": "1"}))
        async for chunk in super().stream(request):
            yield chunk


def worker(store: DjangoStore, clock: HandClock, name: str, pay: HeldTool) -> Manager:
    agent = replace(AGENT, tools=(pay.spec,))

    async def bind(claimed):
        return agent

    executor = Executor({"pay": pay}.get, store, clock)
    shell = Shell(store, RecordingHub(), clock, PayOnce(), executor, accept_all, linger_seconds=0.05)
    return Manager(shell, bind, name)


async def until(condition) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.005)


def stands_still(store: DjangoStore, number: int) -> tuple[asyncio.Event, asyncio.Event]:
    """Before its n-th append the worker stands still; the events: it stands, it may go."""
    stands, may_go, counter, append = asyncio.Event(), asyncio.Event(), itertools.count(1), store.append

    async def append_later(change: Append) -> Appended | Lost:
        if next(counter) == number:
            stands.set()
            await may_go.wait()
        return await append(change)

    store.append = append_later  # the store is a real one; only its caller stands still
    return stands, may_go


@pytest.mark.parametrize("number", [1, 2, 3, 4])
async def test_a_worker_held_past_its_lease_appends_nothing_and_starts_no_write(store, clock, writer, number):
    second_writer = Writer(now=clock.now, lease_clock=clock.now)
    second_store = DjangoStore(second_writer)
    first_pay, second_pay = tool("pay", access=Access.WRITE), tool("pay", access=Access.WRITE)
    first, second = worker(store, clock, "first", first_pay), worker(second_store, clock, "second", second_pay)
    await store.create(new_rollout())
    stands, may_go = stands_still(store, number)
    await first.start()
    await store.accept(arrival(UserInput(content="pay once")))
    first.nudge("r_1")
    async with asyncio.timeout(20):
        await stands.wait()

    clock.move(LEASE_AND_MORE)
    await second.start()
    second.nudge("r_1")
    await until_rest(second_store)
    before = await types()
    paid = len(first_pay.ledger)
    may_go.set()
    await until(lambda: not first.running)

    assert await types() == before
    assert len(first_pay.ledger) == paid
    assert paid + len(second_pay.ledger) <= 1
    await first.stop()
    await second.stop()
    second_writer.close()


async def until_rest(store: DjangoStore) -> None:
    """The rollout waits for a person: it has answered, or it asks what became of the payment."""
    async with asyncio.timeout(20):
        while True:
            found = await types()
            if found[-1] == "approval.request" or found[-2:] == ["agent.output", "step.completed"]:
                return
            await asyncio.sleep(0.01)


@sync_to_async
def types() -> list[str]:
    return [event.type for event in trajectory(Rollout.objects.get().pk, 1, 100)]
