"""One run: workers over one store, people, and time that passes at once; all of it drawn from one seed."""

import asyncio
import itertools
import logging
import random

from runtime.domain.events import Payload, RolloutStarted
from runtime.domain.facts import Person, Published
from runtime.domain.memory import MemoryScope, MemoryWrite
from runtime.domain.state import State
from runtime.ports import Arrival, QueueFull, RolloutEnded, RolloutInfo
from tests.simulation.cast import PEOPLE, draw_cast
from tests.simulation.chance_model import ChanceModel, secret_of
from tests.simulation.record import Faults, RecordingStore
from tests.simulation.tools import Ledger
from tests.simulation.virtual_time import VirtualClock, VirtualLoop
from tests.simulation.worker import Worker, new_rollout

ROOT, BESIDE = "r_1", "r_beside"


class World:
    """`chance` decides everything; `faults` is what was broken; `is_calm`: nothing goes wrong any more."""

    def __init__(self, loop: VirtualLoop, seed: int) -> None:
        random.seed(seed)  # the engine's backoff draws from this one
        self.chance = random.Random(seed)
        self.faults: Faults = []
        self.clock = VirtualClock(loop)
        self.cast = draw_cast(self.chance)
        self.store = RecordingStore(self.clock.now, self.cast.agents, self.faults)
        self.store.published = {name: Published(name, 1, name) for name in self.cast.agents}
        self.store.people = [Person(id, id.removeprefix("u_").capitalize()) for id in PEOPLE]
        self.store.interruptible = set(self.cast.peers)
        self.model = ChanceModel(self.chance, self.faults)
        self.ledger = Ledger()
        self.linger_seconds = self.chance.choice((0.05, 5.0))
        self.workers: list[Worker] = []
        self.is_calm = self.is_over = False
        self._rollouts, self._events = itertools.count(2), itertools.count(1)
        self._errors = _Errors(self.faults)

    def new_rollout_id(self) -> str:
        return f"r_{next(self._rollouts)}"

    async def begin(self) -> None:
        """One session with one or two rollouts that people speak to, and one worker."""
        self._errors.listen()
        for person, namespace in itertools.product(PEOPLE, ("user", *(f"agent:{name}" for name in self.cast.agents))):
            scope = MemoryScope("p_1", person, namespace)
            await self.store.change_memory(MemoryWrite(scope, "secret", 1, secret_of(person)))
        for rollout, agent in ((ROOT, self.cast.root), (BESIDE, self.cast.beside)):
            if agent is not None:
                info = RolloutInfo(rollout, "s_1", "p_1", agent.name, 1, agent.name)
                started = RolloutStarted(agent=agent.name, agent_version=1)
                await self.store.create(new_rollout(self.cast, info, started, self.clock.now()))
        await self.add_worker()

    def end(self) -> None:
        self._errors.stop()
        self.is_over = True
        for worker in self.workers:
            worker.let_end()

    async def add_worker(self) -> None:
        """Another process; it may take what a dead one has left at once, or only when the lease is over."""
        worker = Worker(self, f"w{len(self.workers) + 1}")
        if self.chance.random() < 0.5:
            dead = {other.name for other in self.workers if other.is_dead}
            for row in self.store.rows.values():
                row.lease_until = 0 if row.owner in dead else row.lease_until
        self.workers.append(worker)
        await worker.start()

    @property
    def living(self) -> list[Worker]:
        return [worker for worker in self.workers if not worker.is_dead]

    def state(self, rollout: str) -> State:
        return self.store.states[rollout]

    def any_rollout(self) -> str:
        return self.chance.choice([*self.store.rows, ROOT])

    async def post(self, rollout: str, payload: Payload, source: str, *, key: str = "") -> str:
        """Accept it, and tell a worker, most often; the event's id, empty if it was refused."""
        event_id = f"e_{next(self._events)}"
        route = f"{rollout}/events"
        arrival = Arrival(rollout, payload, source, event_id, source, route, key, body_sha256=payload.model_dump_json())
        try:
            accepted = await self.store.accept(arrival)
        except (RolloutEnded, QueueFull):
            return ""
        if self.chance.random() < 0.85:
            self.nudge(rollout)
        return accepted.id

    def nudge(self, rollout: str) -> None:
        workers = [worker for worker in self.living if not worker.is_frozen]
        if workers:
            self.chance.choice(workers).manager.nudge(rollout)

    def handed_out(self, worker: Worker, rollout: str, step: int, attempt: int) -> None:
        """Promise 6: nothing of an answer that was cut off is handed out, by who owns the rollout."""
        state, row = self.state(rollout), self.store.rows[rollout]
        if row.owner != worker.name or worker.is_frozen:
            return
        now = state.step
        if now is None or not now.in_flight or (now.number, now.attempt) != (step, attempt):
            self.faults.append(f"{rollout}: a piece of step {step}, attempt {attempt} after its end")

    async def let_pass(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Errors(logging.Handler):
    """The engine breaks nowhere; what tools do is their own affair."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(logging.ERROR)
        self._faults = faults
        self._engine = logging.getLogger("runtime.engine")

    def listen(self) -> None:
        self._engine.addHandler(self)
        self._engine.propagate = False

    def stop(self) -> None:
        self._engine.removeHandler(self)
        self._engine.propagate = True

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != "runtime.engine.executor":
            text = logging.Formatter().format(record)
            self._faults.append(text)
