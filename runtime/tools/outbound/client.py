"""The one guarded HTTP client: whatever leaves the studio goes through `GuardedClient.fetch`.

Source: security.md, "What goes out".
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence

from runtime.tools.outbound.address import is_public
from runtime.tools.outbound.answer import Answer
from runtime.tools.outbound.errors import OutboundFailed, OutboundRefused
from runtime.tools.outbound.headers import checked_headers
from runtime.tools.outbound.policy import OutboundPolicy
from runtime.tools.outbound.request import Request
from runtime.tools.outbound.target import Target, read_url

type Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a host, by the system's resolver. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GuardedClient:
    """Sends requests to the public internet, and to the hosts that the policy allows.

    Each hop: read the URL once, resolve once, check every address, connect to the checked ones. No proxies, cookies
    or .netrc of the environment.
    """

    def __init__(
        self,
        policy: OutboundPolicy | None = None,
        *,
        resolve: Resolve = system_resolve,
        timeout_seconds: float = 30.0,
        max_bytes: int = 1 << 20,
    ) -> None:
        """`timeout_seconds` for a fetch with all its redirects; `max_bytes` of decoded body."""
        self._policy, self._resolve = policy or OutboundPolicy(), resolve
        self._timeout_seconds, self._max_bytes = timeout_seconds, max_bytes

    def request(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Request:
        """A request that is found fit to be sent. Raises OutboundRefused."""
        return Request(method, read_url(url), checked_headers(headers or {}), body)

    async def fetch(self, request: Request) -> Answer:
        """Send a request, follow at most 3 redirects. Raises OutboundRefused, OutboundFailed.

        When cancelled, `request.is_sent` says whether anything can have happened.
        """
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._followed(request)
        except TimeoutError:
            seconds = f"{self._timeout_seconds:g} seconds"
            sentence = f"{request.target.host} did not answer within {seconds}"
            raise OutboundFailed(sentence, retryable=request.may_repeat) from None
        except OutboundFailed as failed:
            raise OutboundFailed(failed.sentence, retryable=request.may_repeat) from failed

    async def addresses(self, target: Target) -> Sequence[str]:
        """Every address of the host, checked; connect to these. Raises OutboundRefused, OutboundFailed."""
        try:
            addresses = await self._resolve(target.host, target.port)
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise OutboundFailed(f"there is no host {target.host}, or its name cannot be looked up now")
        if self._policy.allows(target.authority) or all(is_public(address) for address in addresses):
            return addresses
        raise OutboundRefused(
            f"{target.host} is not on the public internet; an administrator can allow {target.authority}"
        )

    async def _followed(self, request: Request) -> Answer:
        def sending() -> None:
            request.is_sent = True

        hop = request
        for _ in range(_MOST_REDIRECTS + 1):
            answer = await self._exchange(hop, sending)
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or location is None:
                return answer
            hop = hop.redirected(answer.status, location)
        raise OutboundRefused(f"{request.target.host} redirects more than {_MOST_REDIRECTS} times; it was given up")

    async def _exchange(self, request: Request, sending: Callable[[], None]) -> Answer:
        from runtime.tools.outbound.exchange import exchange  # aiohttp takes long to load

        addresses = await self.addresses(request.target)
        return await exchange(request, addresses, max_bytes=self._max_bytes, sending=sending)
