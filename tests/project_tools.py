"""Tools of a project as tests of pages and rights need them."""

from typing import Any

from studio.models import Tool, ToolSource, User
from studio.services.audit import Actor
from studio.services.tool_facts import ToolFacts
from studio.services.tool_sources import add_server
from studio.services.tools import add_tool

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order": {"type": "string", "description": "Five digits.", "pattern": "^[0-9]{5}$"},
        "amount": {"type": "number", "exclusiveMinimum": 0},
    },
    "required": ["order", "amount"],
    "additionalProperties": False,
}


def tool_of(author: User, name: str = "pay_back", url: str = "https://shop.example", **facts: Any) -> Tool:
    """A tool of the author's project that pays an order back."""
    form = {"method": "POST", "url": f"{url}/orders/{{order}}/refunds", "body": {"amount": "{amount}"}}
    said = ToolFacts("Pay an order back", "Pays an order back.", SCHEMA, form, **facts)
    return add_tool(Actor(author, "test"), author.memberships.get().project, name, said)


def server_of(author: User, name: str = "shop") -> ToolSource:
    """An MCP server of the author's project that nobody can reach."""
    return add_server(Actor(author, "test"), author.memberships.get().project, name, "http://127.0.0.1:9/mcp", {})
