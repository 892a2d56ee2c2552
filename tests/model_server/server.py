"""The HTTP side: the model's endpoints, and the ones that script and watch it."""

import asyncio
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.model_server.generation import Generation, Sending
from tests.model_server.reply import Reply
from tests.model_server.script import Answer, Rule, Script

MAX_BODY_BYTES = 64 * 1024 * 1024


class ModelServer:
    """A model server in this event loop: `async with ModelServer() as server`.

    `server.url` is the `api_base`; `requests` are the bodies it saw, in order; `generations` what became of each.
    """

    def __init__(self, port: int = 0) -> None:
        self.port, self.script, self.requests = port, Script(), list[dict[str, Any]]()
        self.generations: list[Generation] = []
        self._answer: Answer = self.script.answer
        self._client_ports: set[int] = set()
        self._changed = asyncio.Condition()
        self._release = asyncio.Event()
        self._notices: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The base address of the API, as a model connection has it."""
        return f"http://127.0.0.1:{self.port}/v1"

    def says(self, *replies: Reply) -> None:
        """Answer the next requests with these, in order."""
        self.script.queue.extend(replies)

    def rules(self, *rules: Rule) -> None:
        """Answer by what the request holds."""
        self.script.rules.extend(rules)

    def answers(self, answer: Answer) -> None:
        """Answer with a function of the request's body."""
        self._answer = answer

    def release(self) -> None:
        """Let everything that holds go on, now and later."""
        self._release.set()

    async def requested(self, number: int = 1) -> Generation:
        """Wait until the request of this number has arrived."""
        return await self._first(lambda generation: generation.number == number)

    async def holding(self) -> Generation:
        """Wait until a generation holds in the middle of its answer."""
        return await self._first(lambda generation: generation.is_holding)

    async def closed_early(self, number: int = 1) -> Generation:
        """Wait until the client has left the generation of this number."""
        return await self._first(lambda it: it.number == number and it.ended == "closed_early")

    @property
    def connections(self) -> int:
        """How many connections requests have come over."""
        return len(self._client_ports)

    async def all_left(self) -> None:
        """Wait until no client has a connection open."""
        async with asyncio.timeout(10):
            while self._runner.server is not None and self._runner.server.connections:
                await asyncio.sleep(0.005)

    async def __aenter__(self) -> Self:
        self._runner = web.AppRunner(self._app(), handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        await self._runner.cleanup()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.add_routes(
            [
                web.post("/v1/chat/completions", self._complete),
                web.get("/v1/models", self._models),
                web.post("/script", self._take_script),
                web.post("/release", self._take_release),
                web.get("/requests", self._tell_requests),
                web.get("/connections", self._tell_connections),
                web.post("/wait", self._wait),
                web.post("/{path:.*}", self._complete),
            ]
        )
        return app

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        generation = Generation(number=len(self.requests) + 1, started_at=time.time())
        self.requests.append({"path": request.path, "headers": dict(request.headers), "body": body})
        self.generations.append(generation)
        if request.transport is not None:
            self._client_ports.add(request.transport.get_extra_info("peername")[1])
        self._notify()
        return await Sending(generation, self._release, self._notify).send(request, body, self._answer(body))

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    async def _take_script(self, request: web.Request) -> web.Response:
        """Body: a Script. It takes the place of the one before; what was seen is kept, and holding works anew."""
        self.script = Script.model_validate(await request.json())
        self._answer = self.script.answer
        self._release.clear()
        return web.json_response({})

    async def _take_release(self, request: web.Request) -> web.Response:
        self.release()
        return web.json_response({})

    async def _tell_requests(self, request: web.Request) -> web.Response:
        return web.json_response(self.requests)

    async def _tell_connections(self, request: web.Request) -> web.Response:
        told = [generation.told() for generation in self.generations]
        return web.json_response({"open": sum(not one["ended"] for one in told), "generations": told})

    async def _wait(self, request: web.Request) -> web.Response:
        """Body: {"for": "requests" | "holding" | "closed_early" | "done", "count": 1, "timeout_seconds": 10}."""
        wanted = await request.json()
        reached = {
            "requests": lambda: len(self.requests),
            "holding": lambda: sum(it.is_holding for it in self.generations),
        }.get(wanted["for"], lambda: sum(it.ended == wanted["for"] for it in self.generations))
        try:
            async with asyncio.timeout(wanted.get("timeout_seconds", 10)), self._changed:
                await self._changed.wait_for(lambda: reached() >= wanted.get("count", 1))
        except TimeoutError:
            return web.json_response({"reached": reached()}, status=408)
        return web.json_response({"reached": reached()})

    async def _first(self, fits: Callable[[Generation], bool]) -> Generation:
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: any(fits(it) for it in self.generations))
            return next(it for it in self.generations if fits(it))

    def _notify(self) -> None:
        task = asyncio.get_running_loop().create_task(self._tell())
        self._notices.add(task)
        task.add_done_callback(self._notices.discard)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()
