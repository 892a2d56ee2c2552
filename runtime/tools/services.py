"""What tools need from the installation, given once when the registry is made."""

from dataclasses import dataclass, field

from runtime.ports import Secrets, ToolFailed
from runtime.tools.outbound.client import GuardedClient
from runtime.tools.sandbox.sandbox import Sandbox


class NoSecrets:
    """The secrets of an installation that has none; fulfils `runtime.ports.Secrets`."""

    async def value(self, name: str, project: str, authority: str) -> str:
        raise ToolFailed(f"there is no secret named {name}; an administrator can store it", retryable=False)


@dataclass(frozen=True, slots=True)
class ToolServices:
    """`client` is the one way out to the network; `secrets` are put in when something is sent.

    `sandbox` is the one place in which a program runs.

    A tool gets these by a parameter `services: ToolServices`.
    """

    client: GuardedClient = field(default_factory=GuardedClient)
    secrets: Secrets = field(default_factory=NoSecrets)
    sandbox: Sandbox = field(default_factory=Sandbox)
