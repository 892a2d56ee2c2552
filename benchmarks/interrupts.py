"""Promise 6: 300 interrupts at random moments of a 100 tokens/s stream, from the commit to the last byte handed out."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from benchmarks.reading import Reading
from benchmarks.stage import Seat, Stage, author, seats, stage
from runtime.domain.events import StepAborted, UserInput, UserInterrupt
from runtime.ports import Chunk, ModelRequest, OutputDelta
from runtime.providers.playbook import Finished
from studio.hub import Delta, Reader, Recorded

SESSIONS, INTERRUPTS = 10, 300
QUICK_INTERRUPTS = 20
TOKENS, TOKEN_SECONDS = 1_000, 0.01
EARLIEST, LATEST = 0.05, 0.5
SECONDS = 30


@dataclass(slots=True)
class Moments:
    """When what happened to one interrupted answer, by the monotonic clock."""

    committed: float = 0.0
    last_delta: float = 0.0
    closed: float = 0.0
    recorded: float = 0.0


@dataclass(slots=True)
class EndlessModel:
    """Speaks 100 tokens a second until it is stopped, and notes when."""

    closed_at: dict[str, float] = field(default_factory=dict)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        text = next(str(message["content"]) for message in reversed(request.messages) if message["role"] == "user")
        try:
            for number in range(TOKENS):
                yield OutputDelta(f"word{number} ")
                await asyncio.sleep(TOKEN_SECONDS)
            yield Finished("stop", 1, TOKENS, cost_usd=0.0)
        finally:
            self.closed_at[text] = time.monotonic()


def measure(*, quick: bool) -> list[Reading]:
    count = QUICK_INTERRUPTS if quick else INTERRUPTS
    moments = asyncio.run(_studio(seats(author(), SESSIONS), count // SESSIONS))
    return [
        *_figures("commit to the last byte", [max(0.0, it.last_delta - it.committed) for it in moments]),
        *_figures("commit to the model's connection closed", [it.closed - it.committed for it in moments]),
        *_figures("commit to the cut recorded", [it.recorded - it.committed for it in moments]),
        Reading(
            "interrupts",
            "bytes after the cut was recorded",
            sum(it.last_delta > it.recorded for it in moments),
            "answers",
            goal=0,
        ),
    ]


def _figures(what: str, seconds: Sequence[float]) -> list[Reading]:
    return [
        Reading("interrupts", f"{what}, p50", 1000 * median(seconds), "ms"),
        Reading("interrupts", f"{what}, p99", 1000 * quantiles(seconds, n=100)[-1], "ms"),
    ]


async def _studio(seats: Sequence[Seat], each: int) -> list[Moments]:
    chance, model = random.Random(4), EndlessModel()
    async with stage(model) as studio:
        found = await asyncio.gather(*(_session(studio, model, seat, each, chance) for seat in seats))
    return [moments for session in found for moments in session]


async def _session(studio: Stage, model: EndlessModel, seat: Seat, each: int, chance: random.Random) -> list[Moments]:
    found = []
    for number in range(each):
        found.append(await _interrupted(studio, model, seat, f"story {number} of {seat.session}", chance))
    return found


async def _interrupted(studio: Stage, model: EndlessModel, seat: Seat, text: str, chance: random.Random) -> Moments:
    """One answer, cut at a random moment by a bare stop that wants no account."""
    moments, reader = Moments(), studio.hub.join(seat.session)
    watching = asyncio.create_task(_watch(reader, moments))
    await studio.send(seat, UserInput(content=text, name="Maya"))
    await asyncio.sleep(chance.uniform(EARLIEST, LATEST))
    await studio.send(seat, UserInterrupt(name="Maya", respond=False))
    moments.committed = time.monotonic()
    await asyncio.wait_for(watching, SECONDS)
    studio.hub.leave(seat.session, reader)
    moments.closed = next(at for words, at in model.closed_at.items() if text in words)
    return moments


async def _watch(reader: Reader, moments: Moments) -> None:
    """Until a little after the cut, so that a piece that came too late would be seen."""
    while not moments.recorded:
        for frame in await reader.take():
            match frame:
                case Delta():
                    moments.last_delta = time.monotonic()
                case Recorded(events=events) if any(isinstance(event.payload, StepAborted) for event in events):
                    moments.recorded = time.monotonic()
    await asyncio.sleep(3 * TOKEN_SECONDS)
    if any(isinstance(frame, Delta) for frame in reader.waiting()):
        moments.last_delta = time.monotonic()
