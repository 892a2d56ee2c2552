"""B2, B13: what a durable turn costs when there is one at a time."""

import asyncio
from collections.abc import Sequence

from benchmarks.bare_loops import all_loops
from benchmarks.meter import Meter
from benchmarks.model_server import model_server
from benchmarks.reading import Reading
from benchmarks.stage import Seat, author, counts, seats, stage, writer_cpu_seconds

SESSIONS, TURNS = 10, 20
QUICK_SESSIONS, QUICK_TURNS = 2, 2


def measure(*, quick: bool) -> list[Reading]:
    sessions, turns = (QUICK_SESSIONS, QUICK_TURNS) if quick else (SESSIONS, TURNS)
    with model_server() as server:
        bare = asyncio.run(all_loops(server, 1, turns, with_litellm=not quick))
    readings = asyncio.run(_studio(seats(author(), sessions), turns))
    for name, meter in bare.items():
        readings.append(Reading("B2", name, 1000 * meter.cpu / turns, "ms CPU a turn", bare=True))
    return readings


async def _studio(seats: Sequence[Seat], turns: int) -> list[Reading]:
    async with stage() as studio:
        await studio.turns(seats, 1)
        before, writer_before = counts(), writer_cpu_seconds()
        with Meter() as meter:
            for seat in seats:
                await studio.turns([seat], turns)
        after, writer_cpu = counts(), writer_cpu_seconds() - writer_before
    total = len(seats) * turns
    return [
        Reading("B2", "studio, SQLite FULL", 1000 * meter.cpu / total, "ms CPU a turn", goal=3.5),
        Reading("B2", "of which the writer's thread", 1000 * writer_cpu / total, "ms CPU a turn"),
        Reading("B2", "wall time", 1000 * meter.wall / total, "ms a turn"),
        Reading("B13", "statements, one by one", (after.statements - before.statements) / total, "a turn", goal=12),
        Reading("B13", "commits, one by one", (after.commits - before.commits) / total, "a turn", goal=6),
    ]
