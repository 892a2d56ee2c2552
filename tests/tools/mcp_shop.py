"""A real MCP server of the official SDK: `python -m tests.tools.mcp_shop stdio` or `… http PORT`.

`MCP_SHOP_WORDS` are added to what it says of a tool; `MCP_SHOP_KEY` is the Bearer token that it wants over HTTP.
"""

import asyncio
import os
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp, Receive, Scope, Send

server = MCPServer("shop")
WORDS = os.environ.get("MCP_SHOP_WORDS", "")


@server.tool(description=f"Say where an order is.{WORDS}")
def find_order(order: str) -> str:
    return f"order {order} is with the carrier"


@server.tool()
async def wait_for_ever() -> str:
    """Wait."""
    await asyncio.Event().wait()
    return ""


@server.tool()
def break_down() -> str:
    """Fail."""
    raise ToolError("the shop is closed")


@server.tool()
def environment() -> str:
    """List the names of the environment."""
    return " ".join(sorted(os.environ))


class Keyed:
    """Lets nobody in without the token."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app, self._key = app, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"").decode()
        if scope["type"] == "http" and given != f"Bearer {self._key}":
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"no"})
            return
        await self._app(scope, receive, send)


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        app: ASGIApp = server.streamable_http_app()
        if key := os.environ.get("MCP_SHOP_KEY"):
            app = Keyed(app, key)
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
