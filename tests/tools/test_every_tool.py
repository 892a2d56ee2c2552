"""What every tool of the registry owes its callers. A new tool needs a line of arguments here."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from runtime.domain.agent_file import read_agent_file
from runtime.domain.definition import ToolGrant
from runtime.domain.tool import Access
from runtime.ports import NothingDone, Stopped
from runtime.tools.arguments import problem_with
from runtime.tools.registry import Registry, discover
from runtime.tools.sandbox.sandbox import Sandbox
from runtime.tools.services import ToolServices
from tests.fixtures import AGENTS
from tests.sandbox.rig import Allowed
from tests.tools.calling import Desk, seconds_to_stop
from tests.tools.web import client_for, serving

CALLS: Mapping[str, Mapping[str, Any]] = {
    "calculate": {"expression": "1 + 1"},
    "current_time": {},
    "delete_file": {"path": "a.txt"},
    "edit_file": {"path": "a.txt", "old": "leg", "new": "top"},
    "find_files": {"pattern": "**/*"},
    "http_get": {"url": "http://127.0.0.1:{port}/"},
    "http_request": {"method": "POST", "url": "http://127.0.0.1:{port}/"},
    "inspect_photo": {"order_id": "48213"},
    "issue_refund": {"order_id": "48213", "amount": 1, "reason": "x"},
    "list_directory": {},
    "lookup_order": {"order_id": "48213"},
    "make_directory": {"path": "b/c"},
    "move_file": {"path": "a.txt", "to": "b.txt"},
    "python": {"code": "while True: pass"},
    "read_file": {"path": "a.txt"},
    "search_parts": {"query": "leg"},
    "search_policies": {"query": "refund"},
    "shell": {"command": "sleep 60"},
    "search_text": {"query": "(l+)+eg$", "regex": True},
    "write_file": {"path": "a.txt", "content": "new"},
}


def test_every_tool_has_a_line_here(registry: Registry):
    assert set(CALLS) == set(registry.names)


@pytest.mark.parametrize("name", CALLS)
async def test_a_cancelled_call_ends_within_a_second(name: str, folder: Path):
    async def never(request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    (folder / "a.txt").write_text("l" * 60 + "\nleg\n" + "oak\n" * 20_000)
    async with serving(never) as site:
        services = ToolServices(client_for(f"127.0.0.1:{site.port}"), sandbox=Sandbox(Allowed()))
        desk = Desk({name: discover(services).grant(_grants(name), root=str(folder.parent))[name]})
        args = {
            key: value.replace("{port}", str(site.port)) if isinstance(value, str) else value
            for key, value in CALLS[name].items()
        }
        task = asyncio.create_task(desk.call(name, **args))
        await asyncio.wait({task}, timeout=0.01)

        assert await seconds_to_stop(task) < 1

    reading = desk.tools[name].spec.access is Access.READ
    assert (
        task.cancelled()
        or task.exception() is None
        or (isinstance(task.exception(), NothingDone | Stopped) and not reading)
    )


@pytest.mark.parametrize("name", CALLS)
def test_every_schema_is_closed_and_refuses_what_it_does_not_know(registry: Registry, name: str):
    schema = registry.tool(name).spec.schema

    assert schema["type"] == "object"
    assert "`zzz` is not known here" in (problem_with(schema, {**CALLS[name], "zzz": 1}) or "")


async def test_the_file_tools_of_the_flux_coder_run(registry: Registry, folder: Path):
    definition = read_agent_file((AGENTS / "flux-coder.yaml").read_text()).definition
    assert definition is not None
    desk = Desk(registry.grant(definition.tools, root=str(folder)))

    await desk.call("write_file", path="src/main.py", content="print('leg')\n")
    await desk.call("edit_file", path="src/main.py", old="leg", new="bench")

    assert set(desk.tools) == set(registry.groups["system_tools"])
    assert await desk.call("list_directory") == "src/"
    assert await desk.call("search_text", query="bench") == "src/main.py:1: print('bench')"
    assert await desk.call("find_files", pattern="*.py") == "src/main.py  15 bytes"
    assert await desk.call("read_file", path="src/main.py") == "print('bench')\n"


def _grants(name: str) -> list[ToolGrant]:
    return [ToolGrant(name=name, settings={"workspace": "maya"})]
