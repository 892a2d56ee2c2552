"""The attack list on the real sandbox. It needs bubblewrap, and fails where that is not there."""

import asyncio
import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from tests.sandbox.attacks import ATTACKS, SECRET
from tests.sandbox.rig import Rig
from tests.server import ROOT
from tests.tools.web import Site, serving

FIRST = 1_200_000
"""Accounts from this number on are nobody's; each process of the tests has one."""


@pytest.fixture(scope="module", autouse=True)
def bubblewrap() -> None:
    assert shutil.which("bwrap"), (
        "bubblewrap is not installed, and without it the sandbox is not tested: sh .ci/bubblewrap"
    )


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


@contextlib.contextmanager
def things_outside(rig: Rig, server: Site) -> Iterator[dict[str, str]]:
    """What attacks look for, by name; two sockets listen meanwhile."""
    name = f"sandbox-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as hidden, socket.socket(socket.AF_UNIX) as abstract:
        hidden.bind(str(rig.data / "socket"))
        abstract.bind(f"\0{name}")
        for one in (hidden, abstract):
            one.listen()
        yield {
            "data": str(rig.data),
            "home": str(rig.home),
            "port": str(server.port),
            "pid": str(os.getpid()),
            "abstract": name,
        }


async def nothing_came_of_it(rig: Rig, server: Site) -> None:
    """Nothing runs, nothing was written or asked outside, and the server answers."""
    assert rig.left_running == []
    assert {path.name for path in rig.data.iterdir()} == {"secret.key", "socket"}
    assert server.seen == []
    await answers(server)


async def answers(server: Site) -> None:
    async with aiohttp.ClientSession() as client, client.get(f"http://127.0.0.1:{server.port}/") as response:
        assert await response.text() == "here"


@pytest.mark.parametrize("name", ATTACKS)
async def test_an_attack_gets_nowhere(name: str, rig: Rig, server: Site):
    attack = ATTACKS[name]
    with things_outside(rig, server) as things:
        told = await rig.told(attack.tool, attack.filled(things))

    assert attack.faults(told) == [], told
    assert len(told) < 6000
    await nothing_came_of_it(rig, server)


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests above ran as such an account already")
async def test_no_attack_gets_anywhere_where_the_studio_is_not_root(rig: Rig, server: Site):
    account = FIRST + os.getpid()
    for folder in (rig.home, rig.sessions, rig.root, rig.data):
        os.chown(folder, account, account)
    with things_outside(rig, server) as things:
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.sandbox.as_another", str(account), str(rig.home), json.dumps(things)),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await program.communicate()

    found = json.loads(said)
    assert len(found) > len(ATTACKS) / 2
    wrong = {name: (faults, told) for name, (told, _) in found.items() if (faults := ATTACKS[name].faults(told))}
    assert wrong == {}
    assert {name: left for name, (_, left) in found.items() if left} == {}
    await nothing_came_of_it(rig, server)


async def test_a_link_out_of_the_workspace_leads_nowhere_for_the_file_tools(rig: Rig):
    (rig.root / "shop").mkdir()
    await rig.told("shell", f"ln -s {rig.data} out; ln -s / top", workspace="shop")
    desk = rig.desk(workspace="shop")

    assert "outside the workspace" in await desk.refusal("read_file", path="out/secret.key")
    assert "outside the workspace" in await desk.refusal("list_directory", path="top")


async def test_an_attack_of_several_at_once_holds_up_nobody(rig: Rig, server: Site):
    texts = [
        "while :; do :; done",
        "bomb() { bomb | bomb & }; bomb; wait",
        "sleep 60",
        "yes",
        "cat /dev/urandom",
        "wait",
    ]

    told = await asyncio.gather(*(rig.told("shell", text) for text in texts))

    assert len(told) == len(texts)
    assert rig.left_running == []
    await answers(server)
