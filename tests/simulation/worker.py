"""A worker of a run: a manager, with ports that stand still when it is frozen and for ever when it is killed."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.events import RolloutStarted
from runtime.domain.machine import initial
from runtime.domain.tool import ToolSpec
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, Event, place
from runtime.engine.change import project
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.ports import Chunk, Claimed, ModelRequest, NewRollout, Projection, RolloutInfo, ToolContext
from runtime.tools.arguments import problem_with
from tests.simulation.cast import Cast
from tests.simulation.tools import run_tool

if TYPE_CHECKING:
    from tests.simulation.world import World


class Worker:
    """`is_dead`: nothing that it does from then on has any effect; what it had sent off may still arrive."""

    def __init__(self, world: "World", name: str) -> None:
        self.world, self.name = world, name
        self.is_dead = False
        self._runs = asyncio.Event()
        self._runs.set()
        self.manager = Manager(self._shell(), self._bind, name)

    async def start(self) -> None:
        await self.manager.start()

    @property
    def is_frozen(self) -> bool:
        return not self._runs.is_set()

    def freeze(self) -> None:
        self._runs.clear()

    def thaw(self) -> None:
        self._runs.set()

    def kill(self) -> None:
        """As `kill -9` would: no task is told."""
        self.is_dead = True
        self._runs.clear()

    async def runs(self) -> None:
        """Goes on when the process does; never, once it is dead."""
        self._must_not_be_over()
        chance = self.world.chance
        if chance.random() < 0.1:
            await asyncio.sleep(chance.choice((0, 0.001, 0.05)))
        await self._runs.wait()
        self._must_not_be_over()

    def let_end(self) -> None:
        """The run is over: what still waits here is to unwind, without doing anything."""
        self._runs.set()

    def _must_not_be_over(self) -> None:
        if self.world.is_over:
            raise asyncio.CancelledError

    def _shell(self) -> Shell:
        store: Any = Port(self, self.world.store)
        executor = Executor(lambda name: SimulatedTool(self, name), store, self.world.clock)
        return Shell(
            store,
            Hub(self),
            self.world.clock,
            Model(self),
            executor,
            problem_with,
            new_rollout_id=self.world.new_rollout_id,
            new_child=self._child,
            linger_seconds=self.world.linger_seconds,
        )

    async def _bind(self, claimed: Claimed) -> Agent:
        return self.world.cast.agents[claimed.info.agent]

    async def _child(self, parent: RolloutInfo, rollout: str, start: RolloutStarted, text: str) -> NewRollout:
        info = RolloutInfo(rollout, parent.session, parent.project, text, 1, text, start.root, start.parent)
        return new_rollout(self.world.cast, info, start, self.world.clock.now())


def new_rollout(cast: Cast, info: RolloutInfo, started: RolloutStarted, at: int) -> NewRollout:
    """It begins in its agent's first business state, with what the session shares."""
    agent = cast.agents[info.agent]
    started = started.model_copy(update={"shared": dict(cast.shared)})
    if agent.machine is not None:
        name, values = initial(agent.machine)
        started = started.model_copy(update={"business_state": name, "vars": values})
    first = place(Draft(started), 1, at, NO_PREDECESSOR)
    return NewRollout(info, first, project(fold([first]), agent))


@dataclass(frozen=True, slots=True)
class Port:
    """The store as this worker reaches it: an answer may be lost with the worker, what was sent off may not."""

    worker: Worker
    store: Any

    def __getattr__(self, name: str) -> Any:
        ask = getattr(self.store, name)

        async def asked(*args: Any) -> Any:
            await self.worker.runs()
            answer = await ask(*args)
            await self.worker.runs()
            return answer

        return asked


@dataclass(frozen=True, slots=True)
class Model:
    """The provider as this worker reaches it."""

    worker: Worker

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        await self.worker.runs()
        async for chunk in self.worker.world.model.stream(request):
            yield chunk
            await self.worker.runs()


@dataclass(frozen=True, slots=True)
class SimulatedTool:
    """A tool that this worker runs."""

    worker: Worker
    name: str

    @property
    def spec(self) -> ToolSpec:
        raise NotImplementedError("the executor has the agent's own")

    async def run(self, args: Mapping[str, Any], context: ToolContext) -> str:
        return await run_tool(self.worker, context)


@dataclass(frozen=True, slots=True)
class Hub:
    """What this worker tells readers."""

    worker: Worker

    def recorded(self, info: RolloutInfo, events: Sequence[Event], projection: Projection) -> None: ...

    def delta(self, info: RolloutInfo, step: int, attempt: int, block: int, offset: int, kind: str, text: str) -> None:
        self.worker.world.handed_out(self.worker, info.rollout, step, attempt)

    def progress(self, info: RolloutInfo, call_id: str, done: int | None, total: int | None, note: str) -> None: ...

    def queued(self, rollout: str) -> None: ...
