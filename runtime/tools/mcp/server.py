"""Where a server of the Model Context Protocol is: at an address, or a program of this machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """A server over streamable HTTP. `auth`: `{secret: NAME, header: Authorization, prefix: Bearer}`, or empty."""

    name: str
    url: str
    auth: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProgramServer:
    """A program that speaks over its input and output; only an administrator says which one is started."""

    name: str
    command: str
    args: tuple[str, ...] = ()


type McpServer = RemoteServer | ProgramServer
