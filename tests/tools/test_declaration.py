"""A tool is an async function; all that the model is told comes from its hints and its docstring."""

import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from pydantic import Field

from runtime.domain.definition import ToolGrant
from runtime.domain.tool import Access
from runtime.ports import ToolContext
from runtime.tools.declaration import tool
from runtime.tools.registry import DuplicateTool, Registry, UnknownTool
from runtime.tools.services import ToolServices
from tests.tools.calling import Desk


class Colour(StrEnum):
    OAK = "oak"
    WALNUT = "walnut"


@dataclass
class Size:
    width: int
    depth: float = 1.0


@tool(group="workshop", access=Access.WRITE, retries=2, timeout_seconds=5)
async def saw(
    context: ToolContext,
    services: ToolServices,
    schema: str,
    size: Size,
    colour: Colour = Colour.OAK,
    tags: list[str] | None = None,
    grain: Literal["along", "across"] = "along",
    count: Annotated[int, Field(ge=1, le=9)] = 1,
) -> dict[str, object]:
    """Saw a board
    to size.

    More that the model is not told.

    Args:
        schema: The drawing to follow,
            as a file name.
        count (int): How many boards.

    Returns:
        what was sawn: nothing of this is a parameter.
    """
    return {"schema": schema, "width": size.width, "colour": colour, "tags": tags, "grain": grain, "count": count}


def test_the_schema_comes_from_the_type_hints():
    properties = saw.spec.schema["properties"]

    assert list(properties) == ["schema", "size", "colour", "tags", "grain", "count"]
    assert properties["count"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "default": 1,
        "description": "How many boards.",
    }
    assert properties["grain"]["enum"] == ["along", "across"]
    assert saw.spec.schema["required"] == ["schema", "size"]
    assert saw.spec.schema["additionalProperties"] is False


def test_the_words_come_from_the_docstring():
    assert saw.spec.description == "Saw a board to size."
    assert saw.spec.schema["properties"]["schema"]["description"] == "The drawing to follow, as a file name."


def test_the_properties_are_as_declared():
    assert (saw.spec.access, saw.spec.idempotent, saw.spec.retries, saw.spec.timeout_seconds) == ("write", False, 2, 5)


async def test_the_function_gets_its_own_types():
    desk = Desk({"saw": Registry([saw], ToolServices()).tool("saw")})

    result = await desk.call("saw", schema="a.dxf", size={"width": 40}, colour="walnut", count=2)

    assert result == (
        '{"schema": "a.dxf", "width": 40, "colour": "walnut", "tags": null, "grain": "along", "count": 2}'
    )


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(DuplicateTool, match="'saw' is declared in"):
        Registry([saw, saw], ToolServices())


def test_a_tool_and_a_group_of_one_name_are_refused():
    @tool(group="saw")
    async def plane(context: ToolContext) -> str:
        """Plane a board."""
        return ""

    with pytest.raises(DuplicateTool, match="a group of tools"):
        Registry([saw, plane], ToolServices())


def test_an_unknown_tool_names_those_that_are_known(registry: Registry):
    with pytest.raises(UnknownTool, match=r"known tools: .*read_file"):
        registry.tool("raed_file")


def test_system_tools_are_files_and_search_without_a_shell(registry: Registry):
    assert set(registry.groups["system_tools"]) == {*registry.groups["files"], *registry.groups["search"]}
    assert "shell" not in registry.groups


def test_every_tool_is_described_for_the_editor(registry: Registry):
    cards = {card.name: card for card in registry.describe()}

    assert set(cards) == set(registry.names)
    assert cards["read_file"].group == "files"
    assert cards["read_file"].settings is not None
    assert "workspace" in cards["read_file"].settings["properties"]
    assert all(card.description for card in cards.values())
    assert all(
        "description" in schema or "default" in schema for card in cards.values() for schema in _properties(card.schema)
    )


def test_the_policy_of_an_agent_file_is_laid_over_the_declaration(registry: Registry):
    grants = [
        ToolGrant(name="files", settings={"workspace": "docs"}),
        ToolGrant.model_validate({"name": "write_file", "timeout": "5s", "retries": 3, "idempotent": False}),
    ]

    granted = registry.grant(grants, root="/srv/work")

    write, read = granted["write_file"].spec, granted["read_file"].spec
    assert (write.timeout_seconds, write.retries, write.idempotent) == (5, 3, False)
    assert write.settings == {"workspace": "docs", "root": "/srv/work"}
    assert (read.timeout_seconds, read.retries, read.settings["workspace"]) == (60, 0, "docs")
    assert set(granted) == set(registry.groups["files"])


def test_the_registry_does_not_load_the_http_library():
    program = "import sys; from runtime.tools.registry import discover; discover(); print('aiohttp' in sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "False"


def _properties(schema):
    return schema["properties"].values()
