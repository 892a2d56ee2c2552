"""One request and its answer over one connection, to addresses that were checked. Loads aiohttp."""

import socket
from collections.abc import Callable, Sequence

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from runtime.tools.outbound.answer import Answer
from runtime.tools.outbound.errors import OutboundFailed
from runtime.tools.outbound.request import Request

_HEADER_BYTES = 8190
_MOST_HEADERS = 128
_CONNECT_SECONDS = 10.0
_PIECE_BYTES = 1 << 14


async def exchange(
    request: Request, addresses: Sequence[str], *, max_bytes: int, sending: Callable[[], None]
) -> Answer:
    """Send and read; redirects are not followed. `sending`: called when a connection stands. Raises OutboundFailed."""
    connector = aiohttp.TCPConnector(resolver=_Checked(addresses), use_dns_cache=False, force_close=True)
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
        trust_env=False,
        max_line_size=_HEADER_BYTES,
        max_field_size=_HEADER_BYTES,
        max_headers=_MOST_HEADERS,
        trace_configs=[_calling(sending)],
    ) as session:
        try:
            return await _answer(session, request, max_bytes)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise OutboundFailed(_sentence(error, request)) from error


class _Checked(AbstractResolver):
    """Answers with the addresses that were checked, whatever a name server would say by now."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses

    async def resolve(self, host: str, port: int = 0, family: int = socket.AF_INET) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        """There is nothing to close."""


def _calling(sending: Callable[[], None]) -> aiohttp.TraceConfig:
    trace = aiohttp.TraceConfig()

    async def connected(*_: object) -> None:
        sending()

    trace.on_connection_create_end.append(connected)
    return trace


async def _answer(session: aiohttp.ClientSession, request: Request, max_bytes: int) -> Answer:
    url = URL(request.target.url, encoded=True)
    assert url.raw_host == request.target.host, "two readings of one URL"
    async with session.request(
        request.method,
        url,
        headers={"User-Agent": "Flux Studio", **request.headers},
        data=request.body,
        allow_redirects=False,
    ) as response:
        body, is_cut = await _body(response, max_bytes)
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status, request.target.url, headers, body, is_cut)


async def _body(response: aiohttp.ClientResponse, max_bytes: int) -> tuple[bytes, bool]:
    body = bytearray()
    async for piece in response.content.iter_chunked(_PIECE_BYTES):
        body += piece
        if len(body) > max_bytes:
            response.close()
            return bytes(body[:max_bytes]), True
    return bytes(body), False


def _sentence(error: Exception, request: Request) -> str:
    host = request.target.host
    match error:
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            return f"{host} does not prove with its certificate that it is {host}; nothing was sent"
        case aiohttp.ConnectionTimeoutError():
            return f"{host} did not take the connection within {_CONNECT_SECONDS:g} seconds; nothing was sent"
        case aiohttp.ClientConnectorError():
            return f"{request.target.authority} takes no connection now; nothing was sent"
        case aiohttp.ClientResponseError():
            return f"{host} answered with something that is no valid HTTP, or with headers that are too large"
        case aiohttp.ClientPayloadError():
            return f"the answer of {host} broke off before its end"
        case _:
            return f"{host} ended the connection before its answer came; whether it acted on the request is not known"
