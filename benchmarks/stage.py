"""A studio in this process: a database file, an agent, sessions, and the manager that runs them."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from django.core.management import call_command
from django.db import connection

from benchmarks.story import AGENT, PLAYBOOK, QUESTION, script
from runtime.domain.events import Payload, UserInput
from runtime.domain.trajectory import Event
from runtime.engine.clock import SystemClock
from runtime.engine.executor import Executor
from runtime.engine.garbage import collect_seldom
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.ports import Arrival, Model, Projection, RolloutInfo
from runtime.providers.playbook import Playbook
from runtime.tools.arguments import problem_with
from studio.hub import InProcessHub
from studio.models import Rollout, User
from studio.public_id import new_event_id
from studio.rights import Role
from studio.services.accounts import add_user, default_project
from studio.services.agents import create_agent, publish
from studio.services.audit import Actor
from studio.services.sessions import start_session
from studio.store.writer import Counts
from studio.wiring import running

RESTING = frozenset({"waiting", "paused", "failed", "completed", "cancelled"})


class TurnEnds(InProcessHub):
    """The hub, which also tells those who wait for it that a rollout has come to rest."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[str, asyncio.Future[str]] = {}

    def recorded(self, info: RolloutInfo, events: Sequence[Event], projection: Projection) -> None:
        super().recorded(info, events, projection)
        if projection.lifecycle in RESTING and (future := self.waiting.pop(info.rollout, None)):
            future.set_result(projection.lifecycle)


@dataclass(frozen=True, slots=True)
class Seat:
    """One session with its one rollout."""

    session: str
    rollout: str


@dataclass(slots=True)
class Stage:
    """The running studio; made by `stage`."""

    hub: TurnEnds
    manager: Manager

    async def send(self, seat: Seat, payload: Payload) -> None:
        """Accept it with a key, as a page's POST does, and nudge. Committed when this returns."""
        event_id = new_event_id()
        arrival = Arrival(
            rollout=seat.rollout,
            payload=payload,
            source="u_0123456789abcdefghijkl",
            id=event_id,
            sender="u_0123456789abcdefghijkl",
            route=f"events {seat.session} bench",
            key=event_id,
            body_sha256="0" * 64,
        )
        await running().store.accept(arrival)
        self.manager.nudge(seat.rollout)

    async def turn(self, seat: Seat, text: str = QUESTION) -> None:
        """One whole turn: from the message until the rollout rests."""
        future = asyncio.get_running_loop().create_future()
        self.hub.waiting[seat.rollout] = future
        await self.send(seat, UserInput(content=text, name="Maya"))
        lifecycle = await future
        assert lifecycle == "waiting", f"the rollout is {lifecycle}"

    async def turns(self, seats: Sequence[Seat], count: int) -> None:
        """So many turns in each of the seats, all seats at once."""

        async def several(seat: Seat) -> None:
            for _ in range(count):
                await self.turn(seat)

        await asyncio.gather(*(several(seat) for seat in seats))


def author() -> User:
    """Tables, a person and the published agent. Once in a process."""
    call_command("migrate", interactive=False, verbosity=0)
    user = add_user(Actor.terminal(), "maya", role=Role.AUTHOR, project=default_project())
    publish_agent(user, AGENT)
    return user


def publish_agent(user: User, text: str) -> None:
    actor = Actor(user, "benchmark")
    publish(actor, create_agent(actor, default_project(), text))


def seats(user: User, count: int, agent: str = "bench") -> list[Seat]:
    """New sessions of that agent, in which nothing was said yet."""
    made = [start_session(user, agent) for _ in range(count)]
    return [Seat(created.session, created.rollout) for created in made]


@asynccontextmanager
async def stage(model: Model | None = None, *, linger_seconds: float = 60.0) -> AsyncIterator[Stage]:
    """The manager on the running loop, with everything as `studio.wiring` puts it together but for the model."""
    here, hub, clock = running(), TurnEnds(), SystemClock()
    executor = Executor(here.tool_named, here.store, clock)
    model = model or Playbook({PLAYBOOK: script})
    shell = Shell(here.store, hub, clock, model, executor, problem_with, linger_seconds=linger_seconds)
    manager = Manager(shell, here.bind, owner="benchmark")
    await manager.start()
    collect_seldom()
    try:
        yield Stage(hub, manager)
    finally:
        await manager.stop()


def counts() -> Counts:
    """What the writer has done so far."""
    return replace(running().store.writer.counts)


def writer_cpu_seconds() -> float:
    """CPU of the writer's thread so far."""
    thread = running().store.writer._thread
    assert thread is not None, "something was written before"
    assert thread.ident is not None
    return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))


def database_bytes() -> int:
    """Pages in use, without what the write-ahead log holds twice."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        pages = cursor.fetchone()[0]
        cursor.execute("PRAGMA freelist_count")
        free = cursor.fetchone()[0]
        cursor.execute("PRAGMA page_size")
        return int((pages - free) * cursor.fetchone()[0])


def event_count(seat: Seat) -> int:
    return Rollout.objects.get(public_id=seat.rollout).next_seq - 1
