"""How the two tools work where they may, and how they refuse where they may not."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from runtime.domain.tool import Access
from runtime.ports import NothingDone, Stopped
from runtime.tools.sandbox.output import Output
from runtime.tools.sandbox.sandbox import Sandbox
from tests.sandbox.rig import Rig
from tests.server import ROOT
from tests.tools.calling import seconds_to_stop


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


async def test_files_stay_between_calls_for_both_tools(rig: Rig):
    assert await rig.told("shell", "echo 41 > number") == "[it wrote nothing]"
    assert await rig.told("python", "print(int(open('number').read()) + 1)") == "42"
    assert (rig.session / "number").read_text() == "41\n"


async def test_a_workspace_of_the_agent_file_is_that_of_the_file_tools(rig: Rig):
    (rig.root / "shop").mkdir()
    desk = rig.desk(workspace="shop")

    await desk.call("write_file", path="lib/legs.py", content="LEGS = 4\n")
    told = await desk.call("python", code="from lib.legs import LEGS\nprint(LEGS)\nopen('lib/legs.py', 'a').write('#')")

    assert told == "4"
    assert await desk.call("read_file", path="lib/legs.py") == "LEGS = 4\n#"


@pytest.mark.parametrize("workspace", ["..", "/etc", "link", "missing"])
async def test_a_workspace_stays_inside_the_workspaces(rig: Rig, workspace: str):
    (rig.root / "link").symlink_to("/etc")

    told = await rig.told("shell", "ls", workspace=workspace)

    assert "workspace" in told
    assert "passwd" not in told


async def test_no_program_runs_in_a_folder_that_holds_the_data_folder(rig: Rig):
    rig.root = rig.home

    assert "holds the studio's own data" in await rig.told("shell", "ls", workspace=".")


async def test_a_program_that_fails_says_so_by_its_exit_code(rig: Rig):
    assert await rig.told("shell", "echo no leg >&2; exit 3") == "no leg\n[exit code 3]"
    assert await rig.told("shell", "kill -9 $$") == "[exit code 137]"
    assert "ZeroDivisionError" in await rig.told("python", "1 / 0")


async def test_without_a_grant_nothing_runs_and_taking_it_back_counts_at_once(rig: Rig):
    desk = rig.desk()
    await desk.call("shell", command="touch first")
    rig.grants.is_given = False

    assert "an administrator can allow it" in (await desk.refusal("shell", command="touch second")).lower()
    assert os.listdir(rig.session) == ["first"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (None, "bwrap is not installed; an administrator installs the package bubblewrap"),
        ("echo 'bwrap: No permissions to create new namespace'; exit 1", "No permissions to create new namespace"),
        ("exit 0", "it ended with 0"),
    ],
)
async def test_where_there_is_no_sandbox_nothing_is_run_and_the_reason_is_told(
    rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str | None, reason: str
):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("prlimit", "setpriv"):
        (programs / name).symlink_to(f"/usr/bin/{name}")
    if program is not None:
        (programs / "bwrap").write_text(f"#!/bin/sh\n{program}\n")
        (programs / "bwrap").chmod(0o755)
    monkeypatch.setattr(os, "defpath", str(programs))

    told = await rig.told("shell", "touch ran")

    assert told.startswith("nothing was run, for the sandbox cannot be had here")
    assert reason in told
    assert not (rig.session / "ran").exists()
    assert reason.lower() in (await Sandbox().fault()).lower()


async def test_that_there_is_a_sandbox_is_found_by_trying():
    assert await Sandbox().fault() == ""


async def test_a_cancelled_program_is_gone_within_a_second_and_proven_so(rig: Rig):
    rig.seconds = 60
    task = asyncio.create_task(rig.desk().call("shell", command="trap '' TERM; touch begun; sleep 60 & sleep 60"))
    while not (rig.session / "begun").exists():
        await asyncio.sleep(0.01)

    assert await seconds_to_stop(task) < 1
    assert isinstance(task.exception(), Stopped)
    assert rig.left_running == []


async def test_one_that_is_cancelled_at_any_moment_leaves_nothing(rig: Rig):
    for milliseconds in range(1, 100, 9):
        task = asyncio.create_task(rig.desk().call("shell", command="sleep 60"))
        await asyncio.wait({task}, timeout=milliseconds / 1000)
        await seconds_to_stop(task)

        assert isinstance(task.exception(), NothingDone | Stopped)
        assert rig.left_running == []


async def test_a_studio_that_is_killed_takes_its_programs_along(rig: Rig):
    studio = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.sandbox.until_killed", str(rig.home), cwd=ROOT
    )
    while not (rig.session / "begun").exists():
        await asyncio.sleep(0.02)
    assert rig.left_running

    studio.kill()
    await studio.wait()

    async with asyncio.timeout(10):
        while rig.left_running:
            await asyncio.sleep(0.01)


async def test_only_so_many_run_at_once_and_the_others_wait(rig: Rig):
    desk = rig.desk()

    told = await asyncio.gather(*(desk.call("shell", command="sleep 0.1; echo done") for _ in range(6)))

    assert told == ["done"] * 6


async def test_the_folder_of_an_erased_session_goes_with_it(rig: Rig):
    await rig.told("shell", "mkdir a; ln -s / a/root; chmod 000 a")

    Sandbox(sessions=str(rig.sessions)).forget("se_1")

    assert not rig.session.exists()


async def test_a_file_that_has_a_second_name_outside_is_not_handed_over(rig: Rig):
    (rig.root / "shop").mkdir()
    (rig.data / "kept").write_text("kept")
    os.link(rig.data / "kept", rig.root / "shop" / "second")

    told = await rig.told("shell", "echo changed > second", workspace="shop")

    if os.geteuid() == 0:
        assert "Permission denied" in told
        assert (rig.data / "kept").read_text() == "kept"


def test_output_keeps_its_beginning_and_its_end():
    output = Output(10)
    for piece in (b"abc", b"defghij", b"x" * 100, b"uvwxyz"):
        output.add(piece)

    assert output.text == "abcde\n[106 bytes left out]\nvwxyz"
    assert Output(10).text == ""


def test_both_write_are_not_safe_to_repeat_and_ask_a_person(rig: Rig):
    for name in ("shell", "python"):
        spec = rig.desk().tools[name].spec
        assert (spec.access, spec.may_run_again, spec.approval.when) == (Access.WRITE, False, "always")
