"""B10: what a session that waits for a person costs: tasks, objects in memory, bytes, and time at the next start."""

import asyncio
import gc
from collections.abc import Sequence

from benchmarks.meter import Meter
from benchmarks.reading import Reading
from benchmarks.stage import Seat, Stage, author, database_bytes, seats, stage
from runtime.engine.rollout import Rollout
from studio.wiring import running

SESSIONS, MANY = 100, 500
QUICK_SESSIONS, QUICK_MANY = 10, 50
LINGER_SECONDS = 0.05
SECONDS = 30


def measure(*, quick: bool) -> list[Reading]:
    sessions, many = (QUICK_SESSIONS, QUICK_MANY) if quick else (SESSIONS, MANY)
    user = author()
    talking = seats(user, sessions)
    readings = asyncio.run(_rested(talking))
    few = asyncio.run(_looking())
    before = database_bytes()
    seats(user, many)
    per_session = (database_bytes() - before) / many
    more = asyncio.run(_looking())
    return [
        *readings,
        Reading("B10", "database for a waiting session, its first event included", per_session, "bytes", goal=1_024),
        Reading("B10", f"looking for work at the start, {sessions} wait", few, "ms CPU"),
        Reading("B10", f"looking for work at the start, {sessions + many:,} wait", more, "ms CPU"),
    ]


async def _rested(talking: Sequence[Seat]) -> list[Reading]:
    async with stage(linger_seconds=LINGER_SECONDS) as studio:
        tasks = len(asyncio.all_tasks())
        await studio.turns(talking, 1)
        await asyncio.wait_for(_all_rest(studio), SECONDS)
        gc.collect()
        left = sum(isinstance(thing, Rollout) for thing in gc.get_objects())
        return [
            Reading("B10", "tasks for sessions that wait", len(asyncio.all_tasks()) - tasks, "tasks", goal=0),
            Reading("B10", "rollouts in memory for sessions that wait", left, "objects", goal=0),
        ]


async def _all_rest(studio: Stage) -> None:
    while studio.manager.running:  # noqa: ASYNC110  # nobody but a benchmark waits for this
        await asyncio.sleep(LINGER_SECONDS)


async def _looking() -> float:
    """What a starting process does to find its work, in milliseconds of CPU; the first look warms up."""
    store = running().store
    await store.runnable("benchmark")
    with Meter() as meter:
        await store.claim_all_stale()
        found = await store.runnable("benchmark")
    assert not found, "nothing has something to do"
    return 1000 * meter.cpu
