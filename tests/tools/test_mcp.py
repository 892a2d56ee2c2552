"""Tools of real MCP servers of the official SDK, over HTTP and as a program."""

import asyncio
import sys
from collections.abc import Iterator, Sequence

import pytest

from runtime.domain.tool import Access, ToolSpec
from runtime.ports import NothingDone, ToolFailed
from runtime.tools.mcp.listing import ListedTool, checked, sha256_of
from runtime.tools.mcp.server import McpServer, ProgramServer, RemoteServer
from runtime.tools.mcp.session import opened
from runtime.tools.mcp.tool import McpTool
from runtime.tools.outbound.client import GuardedClient
from runtime.tools.services import ToolServices
from tests.tools.calling import Desk, seconds_to_stop
from tests.tools.forms import BoundSecrets
from tests.tools.mcp_servers import ROOT, http_shop
from tests.tools.web import client_for

PROGRAM = ProgramServer("shop", "sh", ("-c", f"cd {ROOT} && exec {sys.executable} -m tests.tools.mcp_shop stdio"))
KEY = "sk-shop-1234567890"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with http_shop(MCP_SHOP_KEY=KEY) as port:
        yield port


@pytest.fixture
def services(port: int) -> ToolServices:
    authority = f"127.0.0.1:{port}"
    return ToolServices(client_for(authority), BoundSecrets(SHOP=(KEY, authority), OTHER=("x", "elsewhere:443")))


@pytest.fixture(params=["http", "program"])
def server(request: pytest.FixtureRequest, port: int) -> McpServer:
    return remote(port) if request.param == "http" else PROGRAM


def remote(port: int, secret: str = "SHOP") -> RemoteServer:
    return RemoteServer("shop", f"http://127.0.0.1:{port}/mcp", {"secret": secret})


class Desks:
    """Agents with one tool of a server; `changes` are the listings that were not those accepted."""

    def __init__(self, services: ToolServices) -> None:
        self.services = services
        self.changes: list[Sequence[ListedTool]] = []

    async def listed(self, server: McpServer) -> list[ListedTool]:
        async with opened(server, self.services, "pr_1") as session:
            return await session.tools()

    async def of(self, server: McpServer, name: str, *, access: Access = Access.READ, pin: str | None = None) -> Desk:
        accepted = sha256_of(await self.listed(server)) if pin is None else pin
        spec = ToolSpec(name, "", {"type": "object"}, access=access)
        return Desk({name: McpTool(spec, server, name, accepted, self.services, self._changed)})

    async def _changed(self, tools: Sequence[ListedTool]) -> None:
        self.changes.append(tools)


@pytest.fixture
def desks(services: ToolServices) -> Desks:
    return Desks(services)


async def test_a_server_lists_and_answers(desks: Desks, server: McpServer):
    listed = {tool.name: tool for tool in await desks.listed(server)}
    desk = await desks.of(server, "find_order")

    answer = await desk.call("find_order", order="48213")

    assert listed.keys() == {"find_order", "wait_for_ever", "break_down", "environment"}
    assert listed["find_order"].schema["required"] == ["order"]
    assert answer == "order 48213 is with the carrier"


async def test_what_a_tool_says_of_its_failure_is_told(desks: Desks, port: int):
    desk = await desks.of(remote(port), "break_down")

    assert "the shop is closed" in await desk.refusal("break_down")


async def test_a_cancelled_call_ends_within_a_second(desks: Desks, server: McpServer):
    desk = await desks.of(server, "wait_for_ever", access=Access.WRITE)
    task = asyncio.create_task(desk.call("wait_for_ever"))
    await asyncio.sleep(0.01)

    assert await seconds_to_stop(task) < 1
    assert task.cancelled() or isinstance(task.exception(), NothingDone)


async def test_a_server_that_changes_its_words_is_closed_and_reported(desks: Desks, port: int):
    server = remote(port)
    accepted = [
        ListedTool(tool.name, tool.title, tool.description.replace("Say", "Tell"), tool.schema, tool.reads_only)
        for tool in await desks.listed(server)
    ]
    desk = await desks.of(server, "find_order", pin=sha256_of(accepted))

    refusal = await desk.refusal("find_order", order="1")

    assert "so they are closed; an author can look at the change and accept it on the Tools page" in refusal
    assert [tool.name for tool in desks.changes[0]][:1] == ["find_order"]


async def test_nothing_is_asked_of_a_server_whose_tools_nobody_accepted(desks: Desks):
    desk = await desks.of(RemoteServer("shop", "http://127.0.0.1:1/mcp"), "find_order", pin="")

    assert "are closed" in await desk.refusal("find_order", order="1")


async def test_a_secret_goes_to_its_host_alone_and_stands_in_no_sentence(desks: Desks, port: int):
    assert await desks.listed(remote(port))
    with pytest.raises(ToolFailed, match="may not be sent to"):
        await desks.listed(remote(port, "OTHER"))
    with pytest.raises(ToolFailed, match="shop cannot be used now") as failed:
        await desks.listed(RemoteServer("shop", f"http://127.0.0.1:{port}/mcp"))

    assert KEY not in failed.value.sentence


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "169.254.169.254"])
async def test_a_server_inside_is_refused_unless_allowed(host: str, port: int):
    services = ToolServices(GuardedClient())

    with pytest.raises(ToolFailed, match="is not on the public internet; an administrator can allow"):
        await Desks(services).listed(RemoteServer("shop", f"http://{host}:{port}/mcp"))


async def test_a_program_gets_nothing_of_the_studios_environment(desks: Desks, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUDIO_MODEL_KEY", "sk-studio-key")
    desk = await desks.of(PROGRAM, "environment")

    assert "STUDIO" not in await desk.call("environment")


async def test_a_program_that_is_not_there_is_said_in_words(desks: Desks):
    with pytest.raises(ToolFailed, match="shop cannot be used now"):
        await desks.listed(ProgramServer("shop", "/nowhere/at-all"))


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [
        (ListedTool("a b", "", "", {"type": "object"}), "whose name cannot be used"),
        (ListedTool("a", "", "", {"type": "string"}), "is not of the type object"),
        (ListedTool("a", "", "", {"type": "object", "properties": 1}), "is broken"),
        (ListedTool("a", "", "", {"type": "object", "description": "x" * 70_000}), "longer than 64 KiB"),
    ],
)
def test_a_tool_that_cannot_be_offered_is_refused(tool: ListedTool, sentence: str):
    with pytest.raises(ToolFailed, match=sentence):
        checked("shop", tool)


def test_words_are_capped_and_the_order_does_not_count():
    long = checked("shop", ListedTool("a", "t" * 999, "d" * 99_999, {"type": "object"}))
    other = ListedTool("b", "", "", {"type": "object"})

    assert (len(long.title), len(long.description)) == (200, 4000)
    assert sha256_of([long, other]) == sha256_of([other, long]) != sha256_of([long])
