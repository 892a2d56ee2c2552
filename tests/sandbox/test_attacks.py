"""The attack list on the real sandbox. It needs bubblewrap, and fails where that is not there."""

import asyncio
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from tests.sandbox.attacks import ATTACKS, SECRET
from tests.sandbox.rig import Rig, left_running
from tests.tools.web import Site, serving


@pytest.fixture(scope="module", autouse=True)
def bubblewrap() -> None:
    assert shutil.which("bwrap"), "bubblewrap is not installed, and without it the sandbox is not tested: sh .ci/bubblewrap"


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    """Outside lie a secret in the data folder and in the environment, and a socket in each of the two ways."""
    with tempfile.TemporaryDirectory(prefix="sb-") as folder:
        rig = Rig(Path(folder))
        (rig.data / "secret.key").write_text(SECRET)
        monkeypatch.setenv("STUDIO_TOKEN", SECRET)
        yield rig


@pytest.fixture
async def server() -> AsyncIterator[Site]:
    """Lives in the loop from which programs are started, as the studio does."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text="here")

    async with serving(answer) as site:
        yield site


@pytest.mark.parametrize("name", ATTACKS)
async def test_an_attack_gets_nowhere(name: str, rig: Rig, server: Site):
    attack = ATTACKS[name]
    with socket.socket(socket.AF_UNIX) as hidden, socket.socket(socket.AF_UNIX) as abstract:
        hidden.bind(str(rig.data / "socket"))
        hidden.listen()
        abstract.bind(f"\0sandbox-test-{os.getpid()}")
        abstract.listen()
        things = {
            "{data}": str(rig.data),
            "{home}": str(rig.home),
            "{port}": str(server.port),
            "{pid}": str(os.getpid()),
            "{abstract}": f"sandbox-test-{os.getpid()}",
        }
        text = attack.text
        for word, thing in things.items():
            text = text.replace(word, thing)

        told = await rig.told(attack.tool, text.replace("{{", "{").replace("}}", "}"))

    for part in attack.told:
        assert part in told
    for part in attack.never:
        assert part not in told
    assert len(told) < 6000
    assert left_running() == []
    assert [path.name for path in rig.data.iterdir()] in (["secret.key", "socket"], ["socket", "secret.key"])
    assert server.seen == []
    async with aiohttp.ClientSession() as client, client.get(f"http://127.0.0.1:{server.port}/") as response:
        assert await response.text() == "here"


async def test_a_link_out_of_the_workspace_leads_nowhere_for_the_file_tools(rig: Rig):
    (rig.root / "shop").mkdir()
    await rig.told("shell", f"ln -s {rig.data} out; ln -s / top", workspace="shop")
    desk = rig.desk(workspace="shop")

    assert "outside the workspace" in await desk.refusal("read_file", path="out/secret.key")
    assert "outside the workspace" in await desk.refusal("list_directory", path="top")


async def test_an_attack_of_several_at_once_holds_up_nobody(rig: Rig, server: Site):
    texts = ["while :; do :; done", "bomb() { bomb | bomb & }; bomb; wait", "sleep 60", "yes", "cat /dev/urandom", "wait"]

    answers = await asyncio.gather(*(rig.told("shell", text) for text in texts))

    assert len(answers) == len(texts)
    assert left_running() == []
    async with aiohttp.ClientSession() as client, client.get(f"http://127.0.0.1:{server.port}/") as response:
        assert await response.text() == "here"
