"""The Model port over model connections: each is spoken to by the client that it names."""

from collections.abc import AsyncIterator
from contextlib import aclosing

from runtime.ports import Chunk, ModelRequest
from runtime.providers.connections import Client, Connection, Connections
from runtime.providers.litellm import LiteLLMModel
from runtime.providers.native import NativeModel


class ConnectedModel:
    """Finds the connection of a request once, and lets its client answer."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._litellm, self._native = LiteLLMModel(connections), NativeModel(connections)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The answer piece by piece; see the port."""
        connection = await self._connections.resolve(request.model, request.project)
        async with aclosing(self._client(connection).answer(request, connection)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def close(self) -> None:
        """Drops the open connections of the running loop, as far as they are ours."""
        await self._native.close()

    def _client(self, connection: Connection) -> LiteLLMModel | NativeModel:
        return self._native if connection.client is Client.NATIVE else self._litellm
