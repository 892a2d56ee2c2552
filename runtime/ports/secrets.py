"""The port for secrets: what is named in a tool's settings, and put in at the moment of sending."""

from typing import Protocol


class Secrets(Protocol):
    """The secret values of an installation, by project and name."""

    async def value(self, name: str, project: str, authority: str) -> str:
        """The value, for sending to `authority` (`host:port`) alone.

        Raises ToolFailed, in words that never hold a value, if there is none or it is bound to other hosts.
        """
        ...
