"""Rollout Manager: owns the rollouts that run in this process."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.events import RolloutFailed
from runtime.domain.trajectory import Draft
from runtime.engine.backoff import delay_seconds
from runtime.engine.binding import CannotBind
from runtime.engine.change import Change
from runtime.engine.rollout import Fenced, Rollout
from runtime.engine.shell import Shell
from runtime.ports import Append, Appended, Claimed, NoSuchRollout

log = logging.getLogger(__name__)

RENEW_SECONDS = 2.0
LOOK_SECONDS = 1.0

Bind = Callable[[Claimed], Awaitable[Agent]]
"""The agent of a rollout, bound to the tools that exist here. Raises CannotBind."""


@dataclass(slots=True)
class Owned:
    """A rollout of this process; `rollout` is None until it is claimed."""

    task: asyncio.Task[None]
    rollout: Rollout | None = None
    nudged: bool = False


class Manager:
    """Wakes rollouts, keeps their leases, and lets them rest."""

    def __init__(self, shell: Shell, bind: Bind, owner: str) -> None:
        self._shell = shell
        self._bind, self._owner = bind, owner
        self._owned: dict[str, Owned] = {}
        self._breaks: dict[str, int] = {}  # in a row: what breaks every time is not to fill the log
        self._renewed_at = 0.0
        self._chores: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Pick up what was left running, and look after it from now on."""
        self._loop = asyncio.get_running_loop()
        self._renewed_at = self._loop.time()
        self._chores = asyncio.create_task(self._look_after(), name="manager")

    async def stop(self) -> None:
        """Nothing new; returns when all that must not be cut has ended."""
        if self._chores is not None:
            self._chores.cancel()
        for owned in self._owned.values():
            if owned.rollout is not None:
                owned.rollout.stop()
            else:
                owned.task.cancel()
        tasks = [owned.task for owned in self._owned.values()]
        if tasks:
            await asyncio.wait(tasks)

    @property
    def running(self) -> int:
        """How many rollouts are in memory."""
        return len(self._owned)

    def nudge(self, rollout: str) -> None:
        """Look at that rollout's queue. From any thread; may be called for one that runs elsewhere."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake, rollout)

    def _tell(self, rollouts: Collection[str]) -> None:
        """Something was put into the queues of these."""
        for rollout in rollouts:
            self._shell.hub.queued(rollout)
            self._wake(rollout)

    def _wake(self, rollout: str) -> None:
        owned = self._owned.get(rollout)
        if owned is None:
            if self._is_stopping:
                return
            task = asyncio.create_task(self._own(rollout), name=f"rollout {rollout}")
            self._owned[rollout] = Owned(task)
            return
        owned.nudged = True
        if owned.rollout is not None:
            owned.rollout.nudge()

    async def _own(self, rollout_id: str) -> None:
        try:
            await self._run(rollout_id)
        except Fenced as fenced:
            log.warning("%s", fenced)
        except NoSuchRollout:
            log.info("rollout %s is gone", rollout_id)
            self._breaks.pop(rollout_id, None)
        except Exception:
            self._breaks[rollout_id] = self._breaks.get(rollout_id, 0) + 1
            seconds = delay_seconds(self._breaks[rollout_id])
            log.exception("rollout %s broke; it is looked at again in %.0f s", rollout_id, seconds)
            await asyncio.sleep(seconds)
        else:
            self._breaks.pop(rollout_id, None)
        finally:
            self._owned.pop(rollout_id, None)

    async def _run(self, rollout_id: str) -> None:
        again = True
        while again:
            claimed_at = asyncio.get_running_loop().time()
            claimed = await self._shell.store.claim(rollout_id, self._owner)
            if claimed is None:
                return
            owned = self._owned[rollout_id]
            owned.nudged = False
            try:
                agent = await self._bind(claimed)
            except CannotBind as error:
                await self._fail(claimed, error.sentence)
                return
            owned.rollout = Rollout(claimed, agent, self._shell, self._tell, renewed_at=claimed_at)
            try:
                await owned.rollout.run()
            finally:
                again = owned.rollout.was_nudged and not self._is_stopping
                owned.rollout = None
                await self._shell.store.release(rollout_id, claimed.epoch)
            again = again or (owned.nudged and not self._is_stopping)

    @property
    def _is_stopping(self) -> bool:
        return self._chores is None or self._chores.cancelled() or self._chores.cancelling() > 0

    async def _fail(self, claimed: Claimed, error: str) -> None:
        """Record that it cannot go on, with what was asked of it."""
        state = fold(claimed.events)
        agent = Agent(name=claimed.info.agent)
        change = Change(state, self._shell.clock.now(), self._shell.redactor, agent, claimed.info.rollout)
        change.take(claimed.pending)
        if change.events or not state.failed:
            change.add([Draft(RolloutFailed(error=error))])
            projection = change.projection()
            rollout, epoch, urgent = claimed.info.rollout, claimed.epoch, claimed.urgent
            append = Append(rollout, epoch, urgent, change.events, change.taken, projection, sends=change.sends)
            answer = await self._shell.store.append(append)
            if isinstance(answer, Appended):
                placed = [event.at_pos(answer.first_pos + n) for n, event in enumerate(change.events)]
                self._shell.hub.recorded(claimed.info, placed, projection)
                self._tell(list(dict.fromkeys(sent.rollout for sent in change.sends)))
        await self._shell.store.release(claimed.info.rollout, claimed.epoch)

    async def _renew(self) -> None:
        """Prolong all leases at once; who has lost one looks at its row, and stops.

        Who could not begin anything for a while, since its lease was in doubt, looks at what there is to do.
        """
        assert self._loop is not None
        self._renewed_at = self._loop.time()
        owned = {rollout_id: it.rollout for rollout_id, it in self._owned.items() if it.rollout is not None}
        if not owned:
            return
        kept = await self._shell.store.renew(self._owner, list(owned))
        for rollout_id, rollout in owned.items():
            if rollout_id not in kept or not rollout.is_fresh():
                rollout.nudge()
            if rollout_id in kept:
                rollout.renewed_at = self._renewed_at

    async def _look_after(self) -> None:
        """Renew the leases, and find what has something to do and no owner, or one that lingers and was not told."""
        assert self._loop is not None
        while True:
            try:
                if self._loop.time() - self._renewed_at >= RENEW_SECONDS:
                    await self._renew()
                for rollout in await self._shell.store.runnable(self._owner):
                    owned = self._owned.get(rollout)
                    if owned is None or (owned.rollout is not None and owned.rollout.is_lingering):
                        self._wake(rollout)
            except Exception:
                log.exception("the manager could not look at the database; it tries again in a second")
            await asyncio.sleep(LOOK_SECONDS)
