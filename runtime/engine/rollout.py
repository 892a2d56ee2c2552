"""Event Processor: the actor of one rollout. Keeps what runs equal to what `decide` wants, and records what happens."""

import asyncio
from collections.abc import Callable, Collection, Sequence

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.deadlines import next_deadline, overdue
from runtime.domain.decide import decide, is_read
from runtime.domain.effects import CallModel, RunTool
from runtime.domain.errors import RuntimeFault
from runtime.domain.events import ToolResult
from runtime.domain.pending import Pending
from runtime.domain.state import State
from runtime.domain.trajectory import Draft
from runtime.domain.urgency import (
    Boundary,
    BreakingIn,
    Cut,
    Immediate,
    Withdraw,
    cut,
    immediately,
    next_taking,
    recover,
    withdrawal,
    withdrawn,
)
from runtime.engine.alarm import ring
from runtime.engine.budget import has_budget, over
from runtime.engine.change import Change, project
from runtime.engine.children import new_children
from runtime.engine.recollection import Recollection
from runtime.engine.settle import Settler
from runtime.engine.shell import Shell
from runtime.engine.starter import Starter
from runtime.engine.stopper import Stopper
from runtime.engine.work import Work
from runtime.ports import Append, Appended, Claimed, Lost, OverBudget

FRESH_SECONDS = 4.0  # two missed renewals: the lease of 6 s may be another's soon
SOON_SECONDS = 0.02
LOOK_SECONDS = 1.0  # a nudge may be lost: the database is looked at this often while something runs


Tell = Callable[[Collection[str]], None]


class Fenced(RuntimeFault):
    """Another owner has claimed the rollout; this one stops, and writes nothing more."""

    def __init__(self, rollout: str) -> None:
        self.rollout = rollout

    def __str__(self) -> str:
        return f"rollout {self.rollout} was claimed by another worker"


class Rollout:
    """One running instance of an agent. `run` returns when there is nothing to do for a while.

    `tell`: events were put into the queues of these rollouts. `renewed_at`: when its lease was asked for
    last, by the loop's clock.
    """

    def __init__(self, claimed: Claimed, agent: Agent, shell: Shell, tell: Tell, *, renewed_at: float) -> None:
        self.info, self.agent, self.shell = claimed.info, agent, shell
        self._tell = tell
        self.epoch, self.urgent = claimed.epoch, claimed.urgent
        self.state: State = fold(claimed.events)
        self.pending: Sequence[Pending] = claimed.pending
        self._signal = asyncio.Event()
        self.work = Work(self._signal.set)
        self.renewed_at = renewed_at
        self.is_waiting = False
        self._recollection = Recollection(self.info, agent, shell)
        self._settler = Settler(self.info.rollout, agent, shell, self.work, self._recollection)
        self._starter = Starter(self.info, agent, shell, self.work, self._settler, self.is_fresh)
        self._stopper = Stopper(agent, self.work, self._settler)
        self._must_look = False
        self._stopping = False

    # ------------------------------------------------------------------------------------ from outside

    def nudge(self) -> None:
        """Look at the queue, and at what has ended."""
        self._must_look = True
        self._signal.set()

    def is_fresh(self) -> bool:
        """Whether the lease was renewed in time; an owner that has not begins nothing and hands nothing out."""
        return asyncio.get_running_loop().time() - self.renewed_at < FRESH_SECONDS

    @property
    def is_lingering(self) -> bool:
        """Whether nothing runs, so that it looks at the queue only when it is nudged."""
        return self.is_waiting and not self.work.running

    @property
    def was_nudged(self) -> bool:
        return self._signal.is_set()

    def stop(self) -> None:
        """Begin nothing new; `run` returns as soon as what must not be cut has ended."""
        self._stopping = True
        self._signal.set()

    async def run(self) -> None:
        """Go on from what is recorded. Raises Fenced when another owner has it."""
        try:
            if has_budget(self.state, self.agent):
                self._starter.prices = await self.shell.prices(self.info.project, self.agent.models)
            await self._record(recover(self.state, self.agent))
            while not self._stopping and not self._has_ended():
                if await self._advance():
                    continue
                if not await self._wait() and self._is_idle():
                    return
            if self._stopping:
                await self._shut_down()
        finally:
            await self.work.halt(list(self.work.running))
            self._starter.spans.close()

    # ------------------------------------------------------------------------------------ the loop

    async def _advance(self) -> bool:
        """One round; whether there is to be another at once: something was recorded, and nothing begun."""
        self._signal.clear()
        if await ring(self.shell, self.info.rollout, self.state, self.pending):
            self._must_look = True
        if self._must_look:
            await self._look()
        taking = next_taking(self.state, self.agent, self.pending)
        breaking_in = taking if isinstance(taking, Cut | Immediate) else withdrawal(self.state)
        if breaking_in is not None:
            return await self._break_in(breaking_in)
        if self._settler.wants_facts(self.state):
            names = [grant.name for grant in self.agent.agents]
            self._settler.facts = await self.shell.store.facts(self.info.rollout, names)
        if self._settler.has_reply:
            await self._recollection.look_up(self.state, self.work.reply)
        change = self._change()
        change.add(overdue(self.state, self.agent, change.at))
        settled = self._settler.settle(change)
        self._move_queue(change)
        await self._recollection.recall(change)
        plan = self._starter.plan(change, self._recollection.values)
        if change.events:
            if not await self._append(change, waiting=len(self.pending)):
                return True
            self._settler.done(settled)
        self._starter.start(plan, self.state)
        return bool(change.events) and not plan.is_whole

    def _change(self) -> Change:
        return Change(self.state, self.shell.clock.now(), self.shell.redactor, self.agent, self.info.rollout)

    def _has_ended(self) -> bool:
        return (
            bool(self.state.ended)
            and not self.pending
            and self.work.is_idle
            and not next_deadline(self.state, self.agent)
        )

    async def _look(self) -> None:
        self._must_look = False
        queue = await self.shell.store.queue(self.info.rollout)
        if queue.epoch != self.epoch:
            raise Fenced(self.info.rollout)
        self.urgent, self.pending = queue.urgent, queue.pending

    def _move_queue(self, change: Change) -> None:
        taking = next_taking(change.state, self.agent, self.pending)
        if isinstance(taking, Boundary) and not self._backs_off(change.state):
            change.take(taking.pending)

    def _backs_off(self, state: State) -> bool:
        """Whether the next attempt waits; what arrives meanwhile joins it."""
        now = self.shell.clock.now()
        return any(isinstance(effect, CallModel) and effect.not_before > now for effect in decide(state, self.agent))

    # ------------------------------------------------------------------------------------ breaking in

    async def _break_in(self, taking: BreakingIn) -> bool:
        halted = await self._stopper.halt(self.state, taking)
        change = self._change()
        match taking:
            case Cut():
                change.add(cut(self.state, self.agent, taking, halted))
            case Withdraw():
                change.add(withdrawn(self.state, self.agent, taking, halted))
            case Immediate():
                change.add(immediately(self.state, self.agent, taking, halted, change.at))
        change.taken.extend(item.id for item in taking.pending)
        self._settler.keep_artifacts(change, halted.results)
        if await self._append(change):
            self._stopper.recorded(halted, self.state)
        return True

    # ------------------------------------------------------------------------------------ recording

    async def _record(self, drafts: Sequence[Draft]) -> None:
        change = self._change()
        change.add(drafts)
        if change.events and not await self._append(change):
            await self._record(recover(self.state, self.agent))

    async def _append(self, change: Change, *, waiting: int | None = None) -> bool:
        """Behind the fence; False if the row had moved on, which is then looked at.

        At a boundary `waiting` stands in for a look at the queue: most often nothing came.
        """
        append = Append(
            rollout=self.info.rollout,
            epoch=self.epoch,
            urgent=self.urgent,
            events=change.events,
            taken=change.taken,
            projection=change.projection(),
            artifacts=change.artifacts,
            waiting=waiting,
            children=await new_children(self.shell, self.info, change, self._settler.facts),
            sends=change.sends,
            within_budget=change.reserves,
            writes=change.writes,
        )
        answer = await self.shell.store.append(append)
        match answer:
            case Lost():
                await self._reload(answer)
                return False
            case OverBudget():
                self._starter.forget()
                await self._record(over(answer))
                return False
            case Appended(first_pos=first):
                self._tell(list(dict.fromkeys(arrival.rollout for arrival in change.sends)))
                self.state = change.state
                taken = set(change.taken)
                self.pending = [item for item in self.pending if item.id not in taken]
                placed = [event.at_pos(first + offset) for offset, event in enumerate(change.events)]
                self.shell.hub.recorded(self.info, placed, append.projection)
                return True

    async def _reload(self, lost: Lost) -> None:
        if lost.epoch != self.epoch:
            raise Fenced(self.info.rollout)
        self._starter.forget()
        if lost.next_seq != self.state.seq + 1:  # a COMMIT whose answer was lost
            events = await self.shell.store.events(self.info.rollout, self.state.seq)
            self.state = fold(events, self.state)
            results = (event.payload for event in events if isinstance(event.payload, ToolResult))
            self._settler.done(f"tool:{result.call_id}" for result in results)
            self.shell.hub.recorded(self.info, events, project(self.state, self.agent))
        await self._look()

    # ------------------------------------------------------------------------------------ waiting

    def _is_idle(self) -> bool:
        is_done = self.work.is_idle and not self._settler.holds(self.state)
        return is_done and not self._due_in() and self._deadline_in() != 0

    def _deadline_in(self) -> float | None:
        """Seconds until time alone makes something happen; None = it does not. Nothing is kept in memory for it."""
        at = 0 if self.state.paused else next_deadline(self.state, self.agent)
        return max(0.0, (at - self.shell.clock.now()) / 1e6) if at else None

    def _due_in(self) -> float:
        """Seconds until a backoff ends; 0 = there is none."""
        now = self.shell.clock.now()
        times = [effect.not_before for effect in decide(self.state, self.agent) if isinstance(effect, CallModel)]
        if not self.state.paused:
            times += self._settler.retries_due(self.state)
        return min((max(SOON_SECONDS, (time - now) / 1e6) for time in times if time > 0), default=0.0)

    async def _wait(self) -> bool:
        """Until something ends, the queue grows, or it is time to look; whether it was more than time."""
        seconds = self._due_in()
        is_busy = bool(self.work.running)
        limit = min(seconds or LOOK_SECONDS, LOOK_SECONDS) if is_busy or seconds else self.shell.linger_seconds
        deadline = self._deadline_in()
        limit = min(limit, deadline) if deadline else limit
        self.is_waiting = True
        try:
            async with asyncio.timeout(limit):
                await self._signal.wait()
        except TimeoutError:
            self._must_look = is_busy or bool(seconds)
            return False
        finally:
            self.is_waiting = False
        return True

    async def _shut_down(self) -> None:
        """Model calls and reads are cut; other calls get their time, and are recorded."""
        calls = (*self.state.batch, *self.state.detached)
        writes = [RunTool(call).key for call in calls if not is_read(call, self.agent)]
        await self.work.halt([key for key in self.work.running if key not in writes])
        if self.work.running:
            await asyncio.wait(self.work.running.values(), timeout=self.shell.grace_seconds)
            await asyncio.sleep(0)
        self.work.forget_model()
        while not await self._record_rest():
            pass

    async def _record_rest(self) -> bool:
        """What has ended, and what is left open; False if the row had moved on: a Stop was accepted meanwhile."""
        change = self._change()
        settled = self._settler.settle(change)
        change.add(recover(change.state, self.agent))
        if change.events and not await self._append(change):
            return False
        self._settler.done(settled)
        return True
