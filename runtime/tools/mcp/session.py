"""One conversation with a server: opened for a listing or a call, and closed again. Loads the official SDK."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from runtime.ports import ToolFailed
from runtime.tools.http_form.template import filled
from runtime.tools.http_form.tool import auth_header
from runtime.tools.mcp.guarded_transport import guarded_http_client
from runtime.tools.mcp.listing import MOST_TOOLS, ListedTool, checked
from runtime.tools.mcp.server import McpServer, ProgramServer, RemoteServer
from runtime.tools.outbound.target import read_url
from runtime.tools.services import ToolServices

_SHOWN_CHARACTERS = 300
_NOWHERE = open(os.devnull, "w")  # noqa: SIM115  # open for the process; what a program complains of may be secret


class McpSession:
    """An open conversation with a server."""

    def __init__(self, server: McpServer, client: Client) -> None:
        self._server, self._client = server, client

    async def tools(self) -> list[ListedTool]:
        """What the server says of its tools. Raises ToolFailed."""
        found: list[ListedTool] = []
        cursor: str | None = None
        while True:
            page = await self._client.list_tools(cursor=cursor)
            for tool in page.tools:
                hints = tool.annotations
                reads_only = bool(hints and hints.read_only_hint)
                listed = ListedTool(
                    tool.name, tool.title or "", tool.description or "", dict(tool.input_schema), reads_only
                )
                found.append(checked(self._server.name, listed))
            if len(found) > MOST_TOOLS:
                raise ToolFailed(f"{self._server.name} has more than {MOST_TOOLS} tools", retryable=False)
            cursor = page.next_cursor
            if not cursor:
                return found

    async def call(self, name: str, args: Mapping[str, Any]) -> CallToolResult:
        """What the tool answered, an error of its own included. Raises ToolFailed."""
        return await self._client.call_tool(name, dict(args))


@asynccontextmanager
async def opened(server: McpServer, services: ToolServices, project: str) -> AsyncIterator[McpSession]:
    """A conversation with the server. Whatever goes wrong in it is raised as ToolFailed."""
    try:
        async with _connected(server, services, project) as client:
            yield McpSession(server, client)
    except ToolFailed:
        raise
    except (MCPError, OSError, ValueError, httpx2.HTTPError) as error:
        raise _failed(server, error) from error
    except ExceptionGroup as group:
        raise _failed(server, _first(group)) from group


@asynccontextmanager
async def _connected(server: McpServer, services: ToolServices, project: str) -> AsyncIterator[Client]:
    match server:
        case RemoteServer():
            headers = await _headers(server, services, project)
            url = read_url(server.url).url
            async with (
                guarded_http_client(services.client, headers) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                yield client
        case ProgramServer():
            started = StdioServerParameters(command=server.command, args=list(server.args))
            async with Client(stdio_client(started, errlog=_NOWHERE)) as client:
                yield client


async def _headers(server: RemoteServer, services: ToolServices, project: str) -> dict[str, str]:
    name = server.auth.get("secret")
    if not isinstance(name, str) or not name:
        return {}
    value = await services.secrets.value(name, project, read_url(server.url).authority)
    return {header: filled(text, {}, {name: value}) for header, text in auth_header(server.auth).items()}


def said_by(result: CallToolResult) -> str:
    """The text of an answer; what is not text is named."""
    parts = [part.text if isinstance(part, TextContent) else f"[{part.type}, not shown]" for part in result.content]
    return "\n".join(parts)


def _first(group: ExceptionGroup[Exception]) -> Exception:
    first: Exception = group
    while isinstance(first, ExceptionGroup):
        first = next((one for one in first.exceptions if isinstance(one, ToolFailed)), first.exceptions[0])
    return first


def _failed(server: McpServer, error: Exception) -> ToolFailed:
    if isinstance(error, ToolFailed):
        return error
    said = str(error).strip().split("\n", 1)[0][:_SHOWN_CHARACTERS] or type(error).__name__
    return ToolFailed(f"{server.name} cannot be used now: {said}")
