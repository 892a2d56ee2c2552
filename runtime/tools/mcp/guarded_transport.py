"""The guarded client's checks for the SDK's HTTP client: each connection goes to an address that was checked."""

import ssl
from collections.abc import AsyncIterator, Iterable
from functools import cache
from typing import Any

import httpcore2
import httpx2

from runtime.tools.outbound.client import GuardedClient
from runtime.tools.outbound.errors import OutboundFailed, OutboundRefused
from runtime.tools.outbound.target import read_url

CONNECT_SECONDS = 10.0
READ_SECONDS = 120.0
MOST_BYTES = 4 << 20


def guarded_http_client(guard: GuardedClient, headers: dict[str, str]) -> httpx2.AsyncClient:
    """A client without proxies and redirects; an answer with more than 4 MiB, or a compressed one, breaks off."""
    return httpx2.AsyncClient(
        transport=_GuardedTransport(guard),
        headers={"Accept-Encoding": "identity", "User-Agent": "Flux Studio", **headers},
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=READ_SECONDS),
        follow_redirects=False,
        trust_env=False,
    )


@cache
def _certificates() -> ssl.SSLContext:
    return httpx2.create_ssl_context(trust_env=False)


class _GuardedTransport(httpx2.AsyncHTTPTransport):
    def __init__(self, guard: GuardedClient) -> None:
        super().__init__(verify=_certificates(), trust_env=False)
        self._pool = httpcore2.AsyncConnectionPool(ssl_context=_certificates(), network_backend=_GuardedBackend(guard))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise httpx2.RemoteProtocolError("the server compresses its answer, although it was asked not to")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Capped(response.stream)
        return response


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for piece in self._stream:
            count += len(piece)
            if count > MOST_BYTES:
                raise httpx2.ReadError(f"the answer is longer than {MOST_BYTES >> 20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class _GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Resolves once, checks every address, and connects to these."""

    def __init__(self, guard: GuardedClient) -> None:
        self._guard, self._network = guard, httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        name = f"[{host}]" if ":" in host else host
        try:
            addresses = await self._guard.addresses(read_url(f"https://{name}:{port}/"))
        except (OutboundRefused, OutboundFailed) as refused:
            raise httpcore2.ConnectError(refused.sentence) from refused
        fault: Exception | None = None
        for address in addresses:
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                fault = error
        assert fault is not None, "there is always an address"
        raise fault

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)
