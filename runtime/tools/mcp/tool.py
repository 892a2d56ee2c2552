"""A tool of a server: what the server says of its tools is compared with what was accepted, then it is called."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from runtime.domain.tool import ToolSpec
from runtime.ports import NothingDone, ToolContext, ToolFailed
from runtime.tools.mcp.listing import ListedTool, sha256_of
from runtime.tools.mcp.server import McpServer
from runtime.tools.services import ToolServices

type OnChange = Callable[[Sequence[ListedTool]], Awaitable[None]]

SESSION = "runtime.tools.mcp.session"
"""Loaded when it is first used, in a thread: the SDK takes seconds."""
STOP_SECONDS = 0.8  # a cancelled tool has a second; its connection is closed behind its back after that
LONGEST_ANSWER = 1 << 20


@dataclass(frozen=True, slots=True)
class McpTool:
    """Fulfils `runtime.ports.Tool`. `accepted_sha256` pins the listing; empty = closed. `changed` keeps another one."""

    spec: ToolSpec
    server: McpServer
    original: str
    accepted_sha256: str
    services: ToolServices
    changed: OnChange
    group: str = ""
    source: tuple[str, str] = ("", "")
    module: str = "the tools of the project"
    settings: None = None

    def under(self, spec: ToolSpec) -> "McpTool":
        """This tool with another spec: the policy of an agent file laid over its own."""
        return replace(self, spec=spec)

    async def run(self, args: Mapping[str, Any], context: ToolContext) -> str:
        """The server's answer as text. Raises ToolFailed."""
        if not self.accepted_sha256:
            raise self._closed()
        sent = asyncio.Event()
        task = asyncio.create_task(self._call(args, context.project, sent))
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task}, timeout=STOP_SECONDS)
            if not sent.is_set():
                raise NothingDone("it was cancelled before it was sent") from None
            raise
        return task.result()

    async def _call(self, args: Mapping[str, Any], project: str, sent: asyncio.Event) -> str:
        library = await asyncio.to_thread(import_module, SESSION)
        try:
            async with library.opened(self.server, self.services, project) as session:
                tools = await session.tools()
                if sha256_of(tools) != self.accepted_sha256:
                    await self.changed(tools)
                    raise self._closed()
                sent.set()
                result = await session.call(self.original, args)
        except ToolFailed as failed:
            again = failed.retryable and (self.spec.may_run_again or not sent.is_set())
            raise ToolFailed(failed.sentence, retryable=again) from failed
        said = library.said_by(result)
        if not said and result.structured_content is not None:
            said = json.dumps(result.structured_content, ensure_ascii=False)
        if result.is_error:
            raise ToolFailed(said[:LONGEST_ANSWER] or "the server says that it failed", retryable=False)
        return said[:LONGEST_ANSWER]

    def _closed(self) -> ToolFailed:
        return ToolFailed(
            f"{self.server.name} describes its tools in other words than those that were accepted, so they are closed; "
            "an author can look at the change and accept it on the Tools page",
            retryable=False,
        )
