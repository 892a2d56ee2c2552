"""Which hosts an administrator allows beyond the public internet."""

from dataclasses import dataclass

from runtime.domain.errors import RuntimeFault


class BadAllowance(RuntimeFault):
    """An entry of the allow-list that is no `host:port`."""

    def __init__(self, entry: str) -> None:
        self.entry = entry

    def __str__(self) -> str:
        return f"{self.entry!r} is no host and port; write entries such as localhost:8080, separated by commas"


@dataclass(frozen=True, slots=True)
class OutboundPolicy:
    """`allowed` are `host:port` in lower case, an IPv6 address in brackets; these may be at any address."""

    allowed: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> "OutboundPolicy":
        """Read `host:port,host:port`, as in STUDIO_OUTBOUND_ALLOW. Raises BadAllowance."""
        entries = [entry.strip().lower() for entry in text.split(",") if entry.strip()]
        for entry in entries:
            host, colon, port = entry.rpartition(":")
            if not (colon and host and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
                raise BadAllowance(entry)
            if any(character in host for character in "/@ ") or (":" in host and not host.startswith("[")):
                raise BadAllowance(entry)
        return cls(frozenset(entries))

    def allows(self, authority: str) -> bool:
        """Whether an administrator named this `host:port`."""
        return authority in self.allowed
