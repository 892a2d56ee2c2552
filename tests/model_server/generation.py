"""One answer on its way to one client, and what became of it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from aiohttp import web

from tests.model_server import sse
from tests.model_server.reply import Reply


@dataclass
class Generation:
    """`ended`: empty while it runs, then done, refused, cut or closed_early (by the client). Times: `time.time()`."""

    number: int
    started_at: float
    pieces_sent: int = 0
    is_holding: bool = False
    ended: str = ""
    ended_at: float | None = None

    def told(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    def end(self, how: str) -> None:
        """Note the end, once."""
        if not self.ended:
            self.ended, self.ended_at, self.is_holding = how, time.time(), False


class Sending:
    """Sends one reply; `changed` is called whenever the generation has a new fact to tell."""

    def __init__(self, generation: Generation, release: asyncio.Event, changed: Callable[[], None]) -> None:
        self._generation, self._release, self._changed = generation, release, changed

    async def send(self, request: web.Request, body: Mapping[str, Any], reply: Reply) -> web.StreamResponse:
        """Answer the request; a client that leaves is noticed at once, since aiohttp cancels this."""
        try:
            return await self._send(request, body, reply)
        except (asyncio.CancelledError, ConnectionError):
            self._generation.end("closed_early")
            raise
        finally:
            self._changed()

    async def _send(self, request: web.Request, body: Mapping[str, Any], reply: Reply) -> web.StreamResponse:
        await asyncio.sleep(reply.first_byte_after_seconds)
        if reply.is_silent:
            await asyncio.Event().wait()
        if reply.status != 200:
            self._generation.end("refused")
            return _refusal(reply)
        if reply.raw:
            self._generation.end("done")
            return web.Response(text=reply.raw, content_type=reply.raw_type)
        if not body.get("stream"):
            answer = sse.whole(self._generation.number, str(body.get("model")), reply, body)
            self._generation.end("done")
            return web.json_response(answer)
        return await self._stream(request, body, reply)

    async def _stream(self, request: web.Request, body: Mapping[str, Any], reply: Reply) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        model, number = str(body.get("model")), self._generation.number
        for delta in sse.deltas(reply):
            if reply.hold_after is not None and self._generation.pieces_sent > reply.hold_after:
                await self._hold()
            await self._write(response, sse.line(sse.chunk(number, model, delta)), reply)
            self._generation.pieces_sent += 1
            if reply.tokens_per_second:
                await asyncio.sleep(1 / reply.tokens_per_second)
        if reply.cut:
            return await self._break_off(request, response, reply)
        await self._write(response, sse.line(sse.chunk(number, model, {}, reply.ends_with)), reply)
        if reply.tells_usage and (body.get("stream_options") or {}).get("include_usage"):
            last = sse.chunk(number, model, None) | {"usage": sse.usage(reply, body)}
            await self._write(response, sse.line(last), reply)
        await response.write(b"data: [DONE]\n\n")
        self._generation.end("done")
        return response

    async def _break_off(self, request: web.Request, response: web.StreamResponse, reply: Reply) -> web.StreamResponse:
        self._generation.end("cut")
        if reply.cut == "end":
            return response
        if reply.cut == "character":
            await response.write('data: {"choices": [{"delta": {"content": "한'.encode()[:-1])
        if request.transport is not None:
            request.transport.close()
        return response

    async def _write(self, response: web.StreamResponse, data: bytes, reply: Reply) -> None:
        size = reply.split_bytes or len(data)
        for start in range(0, len(data), size):
            await response.write(data[start : start + size])
            if reply.split_bytes:
                await asyncio.sleep(0)

    async def _hold(self) -> None:
        if self._release.is_set():
            return
        self._generation.is_holding = True
        self._changed()
        await self._release.wait()
        self._generation.is_holding = False


def _refusal(reply: Reply) -> web.Response:
    headers = {"Retry-After": reply.retry_after} if reply.retry_after else {}
    error = {"message": reply.error, "type": "scripted", "param": None, "code": reply.error_code or None}
    return web.json_response({"error": error}, status=reply.status, headers=headers)
