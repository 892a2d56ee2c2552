"""Builders of what tests need: a rollout on the reference store, a scripted model, tools that can be held."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.agent import FRAMEWORK_CALLS, Agent, invoke_name
from runtime.domain.apply import fold
from runtime.domain.definition import AgentGrant
from runtime.domain.events import Payload, RolloutStarted
from runtime.domain.facts import Published
from runtime.domain.machine import initial
from runtime.domain.state import State
from runtime.domain.tool import Access, ToolSpec
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, Event, place
from runtime.engine.change import project
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.rollout import Rollout
from runtime.engine.shell import Price, Shell
from runtime.ports import (
    Arrival,
    CallDelta,
    Chunk,
    Claimed,
    Finished,
    Model,
    ModelError,
    ModelRequest,
    NewRollout,
    OutputDelta,
    Projection,
    RolloutInfo,
    Store,
    ToolContext,
)
from runtime.providers.playbook import pieces
from runtime.stores.in_process import InProcessStore

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"x": {"type": "string"}},
    "additionalProperties": False,
}


class TestClock:
    """A clock that stands unless it is moved."""

    __test__ = False

    def __init__(self) -> None:
        self.time = 1_700_000_000_000_000

    def now(self) -> int:
        self.time += 1000
        return self.time

    def pass_(self, seconds: float) -> None:
        self.time += int(seconds * 1e6)

    async def sleep(self, seconds: float) -> None:
        self.pass_(seconds)


@dataclass(slots=True)
class Part:
    """One scripted answer of the model; `hold_after` words it waits until it is let go (or cancelled)."""

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    hold_after: int | None = None
    error: ModelError | None = None
    finish_reason: str = ""


class ScriptedModel:
    """A Model that answers what it was told to, keeps the requests, and can be held in mid-sentence."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.requests: list[ModelRequest] = []
        self.cancelled = 0
        self.is_deaf = False
        self._holding = asyncio.Event()
        self._go = asyncio.Event()

    def says(self, text: str, *, hold_after: int | None = None, finish_reason: str = "") -> None:
        self.parts.append(Part(text, hold_after=hold_after, finish_reason=finish_reason))

    def calls(self, *calls: tuple[str, Any], text: str = "") -> None:
        self.parts.append(Part(text, calls))

    def fails(self, error: ModelError) -> None:
        self.parts.append(Part(error=error))

    @property
    def is_holding(self) -> bool:
        return self._holding.is_set()

    async def holding(self) -> None:
        async with asyncio.timeout(5):
            await self._holding.wait()

    def go(self) -> None:
        self._go.set()

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        part = self.parts.pop(0) if self.parts else Part("ok")
        if part.error is not None:
            raise part.error
        try:
            for count, word in enumerate(pieces(part.text)):
                yield OutputDelta(word)
                if part.hold_after == count + 1:
                    await self._hold()
            for index, (tool, args) in enumerate(part.calls):
                yield CallDelta(index, tool, args if isinstance(args, str) else _json(args))
            yield Finished(part.finish_reason or ("tool_calls" if part.calls else "stop"), 10, 5, cost_usd=0.001)
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise

    async def _hold(self) -> None:
        self._holding.set()
        try:
            while not self._go.is_set():
                try:
                    await self._go.wait()
                except asyncio.CancelledError:
                    if not self.is_deaf:
                        raise
        finally:
            self._holding.clear()
            self._go.clear()


def _json(args: Mapping[str, Any]) -> str:
    return json.dumps(args)


@dataclass(slots=True)
class HeldTool:
    """A tool that keeps a ledger, and that can be held, failed or slow."""

    spec: ToolSpec
    ledger: list[str] = field(default_factory=list)
    answer: Callable[[Mapping[str, Any], ToolContext], Any] = lambda args, context: f"done {args.get('x', '')}"
    body: Callable[[Mapping[str, Any], ToolContext], Awaitable[str]] | None = None
    gate: asyncio.Event | None = None
    began: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, args: Mapping[str, Any], context: ToolContext) -> str:
        self.ledger.append(context.key)
        self.began.set()
        if self.body is not None:
            return await self.body(args, context)
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answer(args, context)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)


def tool(name: str, *, access: Access = Access.READ, **properties: Any) -> HeldTool:
    return HeldTool(ToolSpec(name, f"The tool {name}.", SCHEMA, access=access, **properties))


@dataclass(slots=True)
class RecordingHub:
    """A hub that keeps what it was given."""

    events: list[Event] = field(default_factory=list)
    deltas: list[tuple[int, int, str, str]] = field(default_factory=list)

    def recorded(self, info: RolloutInfo, events: Sequence[Event], projection: Projection) -> None:
        self.events.extend(events)

    def delta(self, info: RolloutInfo, step: int, attempt: int, block: int, offset: int, kind: str, text: str) -> None:
        self.deltas.append((step, attempt, kind, text))

    def progress(self, info: RolloutInfo, call_id: str, done: int | None, total: int | None, note: str) -> None: ...

    def queued(self, rollout: str) -> None: ...


def framework_tools(agent: Mapping[str, Any], others: Sequence[Agent]) -> tuple[ToolSpec, ...]:
    """The calls that the framework answers, as the tests' models know them."""
    names = [] if agent.get("machine") is None and not agent.pop("framework", False) and not others else CALLS
    names = [*names, *(invoke_name(other.name) for other in others)]
    return tuple(ToolSpec(name, f"The call {name}.", FREE, framework=True) for name in names)


CALLS = sorted(FRAMEWORK_CALLS - {"read_artifact"})
FREE: dict[str, Any] = {"type": "object"}


def accept_all(schema: Mapping[str, Any], args: dict[str, Any]) -> str | None:
    """Checks only what the tests' one schema asks for."""
    if schema is FREE:
        return None
    unknown = [name for name in args if name != "x"]
    return f"`{unknown[0]}` is not known" if unknown else None


def started_event(agent: Agent, at: int, started: RolloutStarted | None = None) -> Event:
    started = started or RolloutStarted(agent=agent.name, agent_version=agent.version)
    if agent.machine is not None:
        name, values = initial(agent.machine)
        started = started.model_copy(update={"business_state": name, "vars": values})
    return place(Draft(started), 1, at, NO_PREDECESSOR)


class RunningRollout:
    """One rollout with its manager, as tests speak to it."""

    def __init__(
        self, store: Store, manager: Manager, model: ScriptedModel, agent: Agent, hub: RecordingHub, clock: TestClock
    ) -> None:
        self.store, self.manager, self.model, self.agent, self.hub = store, manager, model, agent, hub
        self.clock = clock
        self.time_passes = True
        self.id = "r_1"
        self._ids = itertools.count(1)

    def other(self, rollout: str) -> "RunningRollout":
        """Another rollout of the same session."""
        it = RunningRollout(self.store, self.manager, self.model, self.agent, self.hub, self.clock)
        it.id, it._ids = rollout, itertools.count(1000 * (1 + len(rollout)))
        return it

    async def post(self, payload: Payload, *, source: str = "user:maya") -> str:
        """Accept, nudge, and do not wait."""
        event_id = f"e_{next(self._ids)}"
        await self.store.accept(Arrival(self.id, payload, source, event_id))
        self.manager.nudge(self.id)
        return event_id

    async def receive(self, payload: Payload) -> None:
        """Accept it, and wait until the rollout is at rest, or the model is held."""
        await self.post(payload)
        await self.rest()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():
                await asyncio.sleep(0.001)

    async def rest(self) -> None:
        async with asyncio.timeout(10):
            while True:
                await asyncio.sleep(0)
                queue = await self.store.queue(self.id)
                owned = self.manager._owned.get(self.id)
                rollout = owned.rollout if owned else None
                is_held = self.model.is_holding and not self._urgent_waits(queue.pending)
                at_rest = owned is None or self._rests(rollout)
                due = rollout._due_in() if at_rest and rollout is not None else 0.0
                if due and self.time_passes:
                    self.clock.pass_(due)
                    rollout.nudge()
                elif is_held or (at_rest and (due or not self._takes(queue.pending))):
                    return
                await asyncio.sleep(0.001)

    def _urgent_waits(self, pending: Any) -> bool:
        return any(item.payload.is_pressing for item in pending)

    def _takes(self, pending: Any) -> bool:
        return bool(pending) and not self.paused

    @property
    def paused(self) -> bool:
        return fold(self.trajectory()).paused

    def _rests(self, rollout: Any) -> bool:
        return (
            rollout is not None
            and not rollout.was_nudged
            and not rollout.work.ended
            and not rollout.work.running
            and rollout.is_waiting
        )

    @property
    def actor(self) -> Rollout | None:
        """The rollout in memory, if it is there."""
        owned = self.manager._owned.get(self.id)
        return owned.rollout if owned else None

    def trajectory(self) -> list[Event]:
        assert isinstance(self.store, InProcessStore)
        return self.store.rows[self.id].events

    def types(self) -> list[str]:
        return [event.type for event in self.trajectory()]

    def payloads(self, type_: str) -> list[Any]:
        return [event.payload for event in self.trajectory() if event.type == type_]

    @property
    def state(self) -> State:
        return fold(self.trajectory())

    @property
    def lifecycle(self) -> str:
        assert isinstance(self.store, InProcessStore)
        shown = self.store.rows[self.id].projection
        return f"{shown.lifecycle} ({shown.waiting_for})" if shown.waiting_for else shown.lifecycle


async def start_rollout(
    model: Model,
    *tools: HeldTool,
    clock: TestClock | None = None,
    linger: float = 0.05,
    grace: float = 25.0,
    prices: Mapping[str, Price] | None = None,
    others: Sequence[Agent] = (),
    hidden: Sequence[HeldTool] = (),
    **agent: Any,
) -> RunningRollout:
    """`others`: agents that it may invoke; `hidden`: tools that are only run for others."""
    clock = clock or TestClock()
    specs = tuple(held.spec for held in tools) + framework_tools(agent, others)
    agent.setdefault("agents", tuple(AgentGrant(name=other.name) for other in others))
    bound = Agent(
        name="tester", model="scripted", tools=specs, hidden_tools=tuple(held.spec for held in hidden), **agent
    )
    by_name = {bound.name: bound} | {other.name: other for other in others}
    store, hub = InProcessStore(clock.now), RecordingHub()
    store.published = {other.name: Published(other.name, other.version, other.name) for other in others}
    executor = Executor({held.spec.name: held for held in (*tools, *hidden)}.get, store, clock)

    async def child(parent: RolloutInfo, rollout: str, start: RolloutStarted, text: str) -> NewRollout:
        info = RolloutInfo(rollout, parent.session, parent.project, text, 1, text, start.root, start.parent)
        first = started_event(by_name[text], clock.now(), start)
        return NewRollout(info, first, project(fold([first]), by_name[text]))

    async def known_prices(project: str, models: Sequence[str]) -> Mapping[str, Price]:
        return prices or {}

    ids = itertools.count(2)
    shell = Shell(
        store,
        hub,
        clock,
        model,
        executor,
        accept_all,
        new_rollout_id=lambda: f"r_{next(ids)}",
        new_child=child,
        linger_seconds=linger,
        grace_seconds=grace,
        prices=known_prices,
    )

    async def bind(claimed: Claimed) -> Agent:
        return by_name[claimed.info.agent]

    manager = Manager(shell, bind, "worker")
    started = started_event(bound, clock.now())
    info = RolloutInfo("r_1", "s_1", "p_1", bound.name, bound.version, "")
    await store.create(NewRollout(info, started, project(fold([started]), bound)))
    await manager.start()
    return RunningRollout(store, manager, model, bound, hub, clock)
