"""B8: from the model's chunk to a browser's socket: how long, how much CPU, and whether readers get every token."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import median, quantiles

import aiohttp
from aiohttp import web

from benchmarks.meter import Meter, cpu_of
from benchmarks.reading import Reading
from benchmarks.served import TOKENS_PER_SECOND
from benchmarks.server import Served, served
from tests.amp import Amp

SESSIONS, READERS, TOKENS = 4, 3, 300
QUICK_TOKENS = 60
SECONDS = 60


@dataclass(slots=True)
class Received:
    """What one reader got: the tokens in order, and the nanoseconds that each took."""

    tokens: list[str] = field(default_factory=list)
    took_ns: list[int] = field(default_factory=list)

    def take(self, text: str) -> None:
        now = time.monotonic_ns()
        for token in text.split():
            self.tokens.append(token)
            self.took_ns.append(now - int(token))


def measure(*, quick: bool) -> list[Reading]:
    tokens = QUICK_TOKENS if quick else TOKENS
    with served() as (server, amp):
        received, cpu, rows = asyncio.run(_streams(server, amp, tokens))
    bare, bare_cpu = asyncio.run(_bare(tokens))
    everything = len({tuple(reader.tokens) for reader in received}) == SESSIONS
    complete = sum(len(reader.tokens) == tokens for reader in received) if everything else 0
    return [
        *_times("studio", received, goals=(1.5, 5.0)),
        Reading("B8", "CPU for a token and its reader", cpu / _count(received) * 1e6, "µs CPU", goal=70),
        Reading("B8", "readers that got every token, in order", complete, "readers", SESSIONS * READERS, at_least=True),
        Reading("B8", "rows for a delta", rows, "rows", goal=0),
        *_times("bare aiohttp socket", bare, goals=None),
        Reading("B8", "bare aiohttp socket: CPU for a token", bare_cpu / _count(bare) * 1e6, "µs CPU", bare=True),
    ]


def _times(name: str, received: list[Received], *, goals: tuple[float, float] | None) -> list[Reading]:
    took = [ns / 1e6 for reader in received for ns in reader.took_ns]
    p50, p95 = goals or (None, None)
    is_bare = goals is None
    return [
        Reading("B8", f"{name}: chunk to socket, p50", median(took), "ms", p50, bare=is_bare),
        Reading("B8", f"{name}: chunk to socket, p95", quantiles(took, n=20)[-1], "ms", p95, bare=is_bare),
    ]


def _count(received: list[Received]) -> int:
    return sum(len(reader.tokens) for reader in received)


async def _streams(server: Served, amp: Amp, tokens: int) -> tuple[list[Received], float, int]:
    """All sessions stream at once to all their readers: what these got, the server's CPU, and the rows of it."""
    sessions = [(await asyncio.to_thread(amp.start, "bench"))["id"] for _ in range(SESSIONS)]
    received = [Received() for _ in range(SESSIONS * READERS)]
    async with aiohttp.ClientSession(headers=amp.headers) as client, asyncio.TaskGroup() as group:
        ready = [asyncio.Event() for _ in received]
        readers = [
            group.create_task(_read(client, server, sessions[number // READERS], reader, ready[number]))
            for number, reader in enumerate(received)
        ]
        await asyncio.gather(*(event.wait() for event in ready))
        before = cpu_of(server.pid)
        await asyncio.gather(*(asyncio.to_thread(amp.say, name, f"stream {tokens}") for name in sessions))
        await asyncio.wait_for(asyncio.gather(*readers), SECONDS)
        cpu = cpu_of(server.pid) - before
    events = [len(await asyncio.to_thread(amp.events, name)) for name in sessions]
    quiet = 5  # rollout.started, user.input, step.started, agent.output, step.completed
    return received, cpu, sum(events) - quiet * SESSIONS


async def _read(
    client: aiohttp.ClientSession, server: Served, session: str, received: Received, ready: asyncio.Event
) -> None:
    async with client.ws_connect(f"{server.url}/ws/sessions/{session}") as socket:
        async for message in socket:
            frame = json.loads(message.data)
            match frame["event"]:
                case "snapshot":
                    ready.set()
                case "delta":
                    received.take(frame["data"]["text"])
                case "event" if frame["data"]["type"] == "step.completed":
                    return


async def _bare(tokens: int) -> tuple[list[Received], float]:
    """The same number of sockets and tokens from a server that does nothing else; CPU of both ends together."""
    app = web.Application()
    app.router.add_get("/", _socket(tokens))
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    received = [Received() for _ in range(SESSIONS * READERS)]
    async with aiohttp.ClientSession() as client:
        with Meter() as meter:
            await asyncio.gather(*(_read_bare(client, port, reader) for reader in received))
    await runner.cleanup()
    return received, meter.cpu


def _socket(tokens: int) -> Callable[[web.Request], Awaitable[web.WebSocketResponse]]:
    async def socket(request: web.Request) -> web.WebSocketResponse:
        answer = web.WebSocketResponse()
        await answer.prepare(request)
        began = time.monotonic()
        for number in range(tokens):
            await asyncio.sleep(began + number / TOKENS_PER_SECOND - time.monotonic())
            await answer.send_str(json.dumps({"event": "delta", "data": {"text": f"{time.monotonic_ns()} "}}))
        await answer.close()
        return answer

    return socket


async def _read_bare(client: aiohttp.ClientSession, port: int, received: Received) -> None:
    async with client.ws_connect(f"http://127.0.0.1:{port}/") as socket:
        async for message in socket:
            received.take(json.loads(message.data)["data"]["text"])
