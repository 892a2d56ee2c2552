"""B5: turn 200 against turn 20 of one session, and what a turn takes of the database."""

import asyncio
from statistics import median

from asgiref.sync import sync_to_async

from benchmarks.meter import Meter
from benchmarks.reading import Reading
from benchmarks.stage import Seat, Stage, author, database_bytes, seats, stage

EARLY, LATE, WIDTH = 20, 200, 10


def measure(*, quick: bool) -> list[Reading]:
    """Always at full length: it takes a second."""
    return asyncio.run(_studio(seats(author(), 2)))


async def _studio(seats: list[Seat]) -> list[Reading]:
    async with stage() as studio:
        await studio.turns([seats[0]], EARLY)
        before = await _bytes()
        cpu = await _turns(studio, seats[1])
        after = await _bytes()
    early = median(cpu[EARLY - WIDTH : EARLY + WIDTH])
    late = median(cpu[LATE - 2 * WIDTH : LATE])
    return [
        Reading("B5", "turn 200 against turn 20, CPU", late / early, "times", goal=1.3),
        Reading("B5", "turn 20", 1000 * early, "ms CPU"),
        Reading("B5", "turn 200", 1000 * late, "ms CPU"),
        Reading("B5", "stored on SQLite", (after - before) / LATE, "bytes a turn", goal=1_800),
    ]


async def _turns(studio: Stage, seat: Seat) -> list[float]:
    cpu = []
    for _ in range(LATE):
        with Meter() as meter:
            await studio.turn(seat)
        cpu.append(meter.cpu)
    return cpu


async def _bytes() -> int:
    return await sync_to_async(database_bytes)()
