"""Web servers on loopback for the guarded client, and name servers that say what a test wants."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from runtime.tools.outbound.client import GuardedClient
from runtime.tools.outbound.policy import OutboundPolicy

type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Site:
    """A running server and what it was asked: method, path with query, headers in lower case, body."""

    port: int
    seen: list[tuple[str, str, dict[str, str], str]] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [path for _, path, _, _ in self.seen]


@contextlib.asynccontextmanager
async def serving(handler: Handler, *, host: str = "127.0.0.1", port: int = 0, ssl=None) -> AsyncIterator[Site]:
    """Serve every path and method with one handler."""
    site = Site(0)

    async def handle(request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        site.seen.append((request.method, request.path_qs, headers, await request.text()))
        return await handler(request)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, host, port, ssl_context=ssl).start()
    site.port = runner.addresses[0][1]
    try:
        yield site
    finally:
        await runner.cleanup()


@contextlib.asynccontextmanager
async def answering(raw: bytes) -> AsyncIterator[int]:
    """A server that answers every connection with these bytes, and closes it; its port."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


class Names:
    """A name server: each host has answers, given one after another, the last one again and again."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.answers.get(host, [[host]])
        return answers.pop(0) if len(answers) > 1 else answers[0]


def client_for(*allowed: str, names: Names | None = None, **limits) -> GuardedClient:
    """A guarded client that may reach these `host:port` although they are on loopback."""
    return GuardedClient(OutboundPolicy(frozenset(allowed)), resolve=names or Names(), **limits)
