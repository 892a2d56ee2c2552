"""B1, B4, B13: what a durable turn costs when 100 sessions talk at once, and how many there are in a second."""

import asyncio
from collections.abc import Sequence

from benchmarks.bare_loops import all_loops
from benchmarks.meter import Meter
from benchmarks.model_server import model_server
from benchmarks.reading import Reading
from benchmarks.stage import Seat, author, counts, seats, stage, writer_cpu_seconds

SESSIONS, TURNS = 100, 10
QUICK_SESSIONS, QUICK_TURNS = 10, 2


def measure(*, quick: bool) -> list[Reading]:
    sessions, turns = (QUICK_SESSIONS, QUICK_TURNS) if quick else (SESSIONS, TURNS)
    with model_server() as server:
        bare = asyncio.run(all_loops(server, sessions, turns, with_litellm=not quick))
    readings = asyncio.run(_studio(seats(author(), sessions), turns))
    for name, meter in bare.items():
        readings.append(Reading("B1", name, _per_turn(meter.cpu, sessions * turns), "ms CPU a turn", bare=True))
        readings.append(Reading("B4", name, sessions * turns / meter.wall, "turns/s", bare=True))
    return readings


async def _studio(seats: Sequence[Seat], turns: int) -> list[Reading]:
    async with stage() as studio:
        await studio.turns(seats, 1)
        before, writer_before = counts(), writer_cpu_seconds()
        with Meter() as meter:
            await studio.turns(seats, turns)
        after, writer_cpu = counts(), writer_cpu_seconds() - writer_before
    total = len(seats) * turns
    return [
        Reading("B1", "studio, SQLite FULL", _per_turn(meter.cpu, total), "ms CPU a turn", goal=1.2),
        Reading("B1", "of which the writer's thread", _per_turn(writer_cpu, total), "ms CPU a turn"),
        Reading("B4", "studio, SQLite FULL", total / meter.wall, "turns/s", goal=600, at_least=True),
        Reading("B13", "statements, 100 at once", (after.statements - before.statements) / total, "a turn", goal=1.0),
        Reading("B13", "commits, 100 at once", (after.commits - before.commits) / total, "a turn", goal=0.3),
    ]


def _per_turn(seconds: float, turns: int) -> float:
    return 1000 * seconds / turns
