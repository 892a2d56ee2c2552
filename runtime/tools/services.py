"""What tools need from the installation, given once when the registry is made."""

from dataclasses import dataclass, field

from runtime.tools.outbound.client import GuardedClient


@dataclass(frozen=True, slots=True)
class ToolServices:
    """`client` is the one way out to the network. A tool gets these by a parameter `services: ToolServices`."""

    client: GuardedClient = field(default_factory=GuardedClient)
