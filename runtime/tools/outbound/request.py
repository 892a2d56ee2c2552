"""A request on its way out, and what a redirect makes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from runtime.tools.outbound.errors import OutboundRefused
from runtime.tools.outbound.headers import without_credentials
from runtime.tools.outbound.target import Target

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(slots=True)
class Request:
    """One request on its way. `is_sent` turns true when a connection stands and its bytes may have left."""

    method: str
    target: Target
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    is_sent: bool = False

    @property
    def may_repeat(self) -> bool:
        """Whether sending it again does no harm."""
        return not self.is_sent or self.method in _SAFE_METHODS

    def redirected(self, status: int, location: str) -> "Request":
        """The request that a redirect asks for. Raises OutboundRefused."""
        target = self.target.joined(location)
        keeps_body = status in (307, 308) or self.method in _SAFE_METHODS
        headers = self.headers
        if target.origin != self.target.origin:
            if keeps_body and self.method not in _SAFE_METHODS:
                raise OutboundRefused(
                    f"{self.target.host} took the request and redirects it to {target.host}; it was not sent on there"
                )
            headers = without_credentials(headers)
        if keeps_body:
            return Request(self.method, target, headers, self.body)
        return Request("GET", target, headers)
