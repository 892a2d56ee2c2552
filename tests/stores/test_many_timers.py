"""Timers on the database, with a clock that is moved: each goes off once, whatever was down meanwhile (promise 7)."""

import asyncio

from asgiref.sync import sync_to_async
from django.db import connection

from runtime.domain.events import StepCompleted, TimerSet, UserInput
from runtime.domain.trajectory import AGENT as AGENT_SOURCE
from runtime.domain.trajectory import Draft
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from studio.models import Rollout
from studio.verify import verify
from tests.builders import RecordingHub, ScriptedModel, accept_all
from tests.stores.builders import AGENT, arrival, new_rollout, owned

ROLLOUTS, TIMERS_OF_EACH = 20, 50
MINUTE_US = 60_000_000


class Workers:
    """Managers over one store, one after another."""

    def __init__(self, store, clock) -> None:
        self.store, self.clock, self.model, self.number = store, clock, ScriptedModel(), 0

    async def work_until(self, waiting_for: str) -> None:
        """A new worker, until every rollout waits for that; then it is gone."""
        self.number += 1
        executor = Executor({}.get, self.store, self.clock)
        shell = Shell(self.store, RecordingHub(), self.clock, self.model, executor, accept_all, linger_seconds=0.01)
        manager = Manager(shell, self._bind, f"worker {self.number}")
        await manager.start()
        async with asyncio.timeout(60):
            while await sync_to_async(_at_rest)(waiting_for) < ROLLOUTS or manager.running:
                await asyncio.sleep(0.02)
        await manager.stop()

    async def _bind(self, claimed):
        return AGENT

    async def set_timers(self, rollout: str) -> None:
        """A rollout whose first step has set all its timers, a minute apart."""
        await self.store.create(new_rollout(rollout))
        await self.store.accept(arrival(UserInput(content="remind me"), rollout))
        owner = await owned(self.store, self.clock, rollout)
        await owner.take(begin=0)
        now = self.clock.now()
        timers = [
            TimerSet(
                call_id=f"0.{number}",
                tool="set_timer",
                args={},
                result="It is set.",
                timer_id=f"0.{number}",
                due_at=now + (number + 1) * MINUTE_US,
            )
            for number in range(TIMERS_OF_EACH)
        ]
        await owner.record(*(Draft(timer, AGENT_SOURCE, 0) for timer in timers), Draft(StepCompleted(), step=0))
        await self.store.release(rollout, owner.epoch)

    async def rung(self, rollout: str) -> list[str]:
        events = await self.store.events(rollout, 0)
        return [event.payload.timer_id for event in events if event.type == "timer.trigger"]


def _at_rest(waiting_for: str) -> int:
    return Rollout.objects.filter(waiting_for=waiting_for, pending=0).count()


def test_a_thousand_timers_that_were_due_while_all_was_down_go_off_once_each_and_in_order(store, clock):
    workers = Workers(store, clock)
    names = [f"r_{number}" for number in range(ROLLOUTS)]

    async def story() -> None:
        for name in names:
            await workers.set_timers(name)
        await workers.work_until("timer")
        clock.move(60 * (TIMERS_OF_EACH + 10))
        asked = len(workers.model.requests)
        for _ in range(2):
            await workers.work_until("input")
        assert len(workers.model.requests) == asked + ROLLOUTS, "all timers of a rollout cost one call"
        for name in names:
            assert await workers.rung(name) == [f"0.{number}" for number in range(TIMERS_OF_EACH)]

    asyncio.run(story())

    assert not Rollout.objects.filter(due_at__isnull=False).exists()
    assert verify(connection) == []
