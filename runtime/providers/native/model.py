"""The Model port over OpenAI-compatible `/chat/completions`."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from io import BytesIO
from typing import Any

from runtime.ports import Chunk, ModelError, ModelRequest
from runtime.providers.connections import Connection, Connections
from runtime.providers.fault import cut_off
from runtime.providers.native.answer import Answer
from runtime.providers.native.body import Bodies
from runtime.providers.native.errors import ERROR_BYTES, as_model_error, refused, told_in_the_answer
from runtime.providers.native.pieces import AnswerLimits, pieces, read_at_most
from runtime.providers.native.sessions import Sessions
from runtime.providers.wire import silence_seconds

CONNECT_SECONDS = 10.0
LARGE_BODY_BYTES = 1 << 20  # above it aiohttp wants a file, which it sends in parts


class NativeModel:
    """Speaks to servers that have OpenAI's protocol, without a library between."""

    def __init__(self, connections: Connections, *, limits: AnswerLimits | None = None) -> None:
        self._connections, self._limits = connections, limits or AnswerLimits()
        self._sessions, self._bodies = Sessions(), Bodies()

    async def prepare(self) -> None:
        """Imports the HTTP client, so that the first call does not wait for it."""
        await self._sessions.session()

    async def close(self) -> None:
        """Drops the open connections of the running loop."""
        await self._sessions.close()

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The answer piece by piece; see the port."""
        connection = await self._connections.resolve(request.model, request.project)
        async with aclosing(self.answer(request, connection)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def answer(self, request: ModelRequest, connection: Connection) -> AsyncGenerator[Chunk]:
        """The answer over a connection that is known already."""
        session, response = await self._sessions.session(), None
        try:
            response = await session.post(**await self._arguments(request, connection))
            if response.status != 200:
                body = await read_at_most(response, ERROR_BYTES)
                raise refused(response.status, response.headers, body, connection, request.tools)
            answer = Answer()
            async for piece in pieces(response, request.stream, self._limits):
                if error := piece.get("error"):
                    raise told_in_the_answer(error, connection, request.tools)
                for chunk in answer.read(piece):
                    yield chunk
            if not answer.is_complete:
                raise cut_off(connection)
            yield answer.finished(connection)
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - an edge: whatever breaks on the way becomes a sentence
            raise as_model_error(error, connection, has_begun=response is not None) from None
        finally:
            if response is not None:
                response.close()  # at once, unless the answer came whole: then it is free for the next call

    async def _arguments(self, request: ModelRequest, connection: Connection) -> dict[str, Any]:
        from aiohttp import ClientTimeout  # slow, and there since the session is

        silence = silence_seconds(request.settings)
        body = self._bodies.of(request, connection)
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "flux-studio"}
        if connection.api_key:
            headers["Authorization"] = f"Bearer {connection.api_key}"
        return {
            "url": connection.api_base.rstrip("/") + "/chat/completions",
            "data": BytesIO(body) if len(body) > LARGE_BODY_BYTES else body,
            "headers": headers,
            "allow_redirects": False,  # the key goes nowhere but to its address
            "timeout": ClientTimeout(total=None, connect=min(CONNECT_SECONDS, silence), sock_read=silence),
        }
