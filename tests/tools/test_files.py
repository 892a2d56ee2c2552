"""File tools do what they say, inside the workspace, and say in words why not."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.domain.definition import ToolGrant
from runtime.ports import NothingDone
from runtime.tools.registry import Registry
from runtime.tools.workspace.blocking import Halt, write_in_thread
from tests.tools.calling import Desk, seconds_to_stop, texts_in


async def test_a_file_is_read(desk: Desk, folder: Path):
    (folder / "plan.md").write_text("one\ntwo\n")

    assert await desk.call("read_file", path="plan.md") == "one\ntwo\n"


async def test_some_lines_of_a_file_are_read_with_the_way_to_read_on(desk: Desk, folder: Path):
    (folder / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 11)))

    part = await desk.call("read_file", path="long.txt", offset=3, limit=2)

    assert part == "line 3\nline 4\n[there is more in long.txt: read on with offset 5]"
    assert await desk.call("read_file", path="long.txt", offset=10, limit=5) == "line 10\n"
    assert await desk.call("read_file", path="long.txt", offset=20) == "[long.txt has only 10 lines]"


@pytest.mark.parametrize("name", ["주문 48213.txt", "🪑 bench.txt", "عقد.txt", "a b\u0301.txt", "x" * 200 + ".txt"])
async def test_any_name_and_text_survives(desk: Desk, folder: Path, name: str):
    await desk.call("write_file", path=f"묶음/{name}", content="다리 🪵 ساق\r\nend")

    assert (folder / "묶음" / name).read_bytes() == "다리 🪵 ساق\r\nend".encode()
    assert name in await desk.call("list_directory", path="묶음")
    assert await desk.call("read_file", path=f"묶음/{name}") == "다리 🪵 ساق\nend"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
async def test_other_encodings_with_a_mark_are_read(desk: Desk, folder: Path, encoding: str):
    (folder / "a.txt").write_bytes("다리\nzwei\n".encode(encoding))

    assert await desk.call("read_file", path="a.txt") == "다리\nzwei\n"


async def test_bytes_that_are_no_text_are_replaced(desk: Desk, folder: Path):
    (folder / "latin.txt").write_bytes(b"caf\xe9\n")

    assert await desk.call("read_file", path="latin.txt") == "caf\ufffd\n"


async def test_a_binary_file_is_said_to_be_one(desk: Desk, folder: Path):
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\x00\x01" * 500)

    assert await desk.refusal("read_file", path="photo.jpg") == (
        "photo.jpg is a binary file of 2.0 kB; only text can be read"
    )


async def test_a_huge_file_is_cut_and_says_where(registry: Registry, folder: Path):
    with (folder / "huge.log").open("wb") as file:
        for _ in range(80):
            file.write(b"0123456789abcde\n" * 65536)
    desk = Desk(registry.grant(_grants(registry, folder, max_output_chars=10_000_000), root=str(folder.parent)))

    text = await desk.call("read_file", path="huge.log", limit=20_000)

    assert len(text) < 400_000
    assert text.endswith("[there is more in huge.log: read on with offset 20001]")
    far = await desk.call("read_file", path="huge.log", offset=5_000_000, limit=1)
    assert far.startswith("0123456789abcde\n")


async def test_one_endless_line_is_cut(registry: Registry, folder: Path):
    (folder / "line.txt").write_text("x" * (3 << 20))
    desk = Desk(registry.grant(_grants(registry, folder, max_output_chars=10_000_000), root=str(folder.parent)))

    text = await desk.call("read_file", path="line.txt")

    assert text.startswith("x" * (1 << 20) + "\n[cut after 1048576 characters, in line 1")


async def test_a_missing_file_says_what_is_there_instead(desk: Desk, folder: Path):
    (folder / "notes").mkdir()
    (folder / "notes" / "plans.md").write_text("")

    assert await desk.refusal("read_file", path="notes/plan.md") == (
        "there is no file notes/plan.md; the folder notes has: plans.md"
    )
    assert await desk.refusal("read_file", path="note/plan.md") == ("there is no folder note; the workspace has: notes")


async def test_a_folder_is_listed_with_sizes(desk: Desk, folder: Path):
    (folder / "docs").mkdir()
    (folder / "b.txt").write_text("x" * 1234)
    (folder / "a.txt").write_text("x")
    (folder / "link").symlink_to("a.txt")
    os.mkfifo(folder / "pipe")

    assert await desk.call("list_directory") == (
        "docs/\na.txt  1 byte\nb.txt  1.2 kB\nlink  (link)\npipe  (not a file)"
    )
    assert await desk.call("list_directory", path="docs") == "[the folder docs is empty]"
    assert await desk.refusal("list_directory", path="a.txt") == "a.txt is a file, not a folder"


async def test_a_folder_of_thousands_is_cut(desk: Desk, folder: Path):
    for number in range(1500):
        (folder / f"{number:04}.txt").touch()

    listing = await desk.call("list_directory")

    assert len(listing) < 33_000
    assert listing.splitlines()[-1] == "[and 500 more; find_files finds them by a pattern]"


async def test_writing_replaces_the_file_whole_and_keeps_its_mode(desk: Desk, folder: Path):
    (folder / "run.sh").write_text("old, longer")
    (folder / "run.sh").chmod(0o750)

    said = await desk.call("write_file", path="run.sh", content="new")

    assert said == "replaced run.sh, 3 bytes"
    assert (folder / "run.sh").read_text() == "new"
    assert (folder / "run.sh").stat().st_mode & 0o777 == 0o750
    assert os.listdir(folder) == ["run.sh"]


async def test_a_write_killed_in_its_last_moment_is_whole_after_the_next_attempt(desk: Desk, folder: Path):
    (folder / "a.txt").write_text("old")
    killed = await asyncio.to_thread(_write_and_die, folder, "a.txt", "new", "ro_1:4.0")
    assert killed == -signal.SIGKILL
    assert (folder / "a.txt").read_text() == "old"
    assert len(os.listdir(folder)) == 2
    assert await desk.call("list_directory") == "a.txt  3 bytes"

    await desk.call("write_file", path="a.txt", content="new", key="ro_1:4.0", attempt=2)

    assert texts_in(folder) == {"a.txt": "new"}


async def test_too_large_a_content_is_refused(desk: Desk):
    assert "at most 1 MiB" in await desk.refusal("write_file", path="a.txt", content="x" * ((1 << 20) + 1))


async def test_an_edit_replaces_the_one_passage(desk: Desk, folder: Path):
    (folder / "a.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")

    assert await desk.call("edit_file", path="a.txt", old="two\nthree", new="2\n3") == "edited a.txt, line 2"
    assert (folder / "a.txt").read_bytes() == b"one\r\n2\r\n3\r\n"


async def test_an_edit_that_is_not_clear_changes_nothing(desk: Desk, folder: Path):
    (folder / "a.txt").write_text("leg leg")

    assert await desk.refusal("edit_file", path="a.txt", old="leg", new="top") == (
        "the passage stands 2 times in a.txt; give more of what is around it"
    )
    assert "does not stand in a.txt" in await desk.refusal("edit_file", path="a.txt", old="arm", new="top")
    assert "`old` is empty" in await desk.refusal("edit_file", path="a.txt", old="", new="top")
    assert (folder / "a.txt").read_text() == "leg leg"


async def test_text_in_another_encoding_is_not_edited(desk: Desk, folder: Path):
    (folder / "latin.txt").write_bytes(b"caf\xe9 leg")

    assert "not UTF-8" in await desk.refusal("edit_file", path="latin.txt", old="leg", new="top")


async def test_folders_are_made_moved_and_deleted(desk: Desk, folder: Path):
    await desk.call("make_directory", path="a/b/c")
    assert await desk.call("make_directory", path="a/b/c") == "the folder a/b/c was there already"
    await desk.call("move_file", path="a/b", to="a/d")
    assert (folder / "a" / "d" / "c").is_dir()
    assert "not empty" in await desk.refusal("delete_file", path="a/d")
    await desk.call("delete_file", path="a/d/c")

    assert os.listdir(folder / "a" / "d") == []


async def test_moving_never_writes_over_something(desk: Desk, folder: Path):
    (folder / "a.txt").write_text("a")
    (folder / "b.txt").write_text("b")

    assert "b.txt exists already" in await desk.refusal("move_file", path="a.txt", to="b.txt")
    assert await desk.call("move_file", path="a.txt", to="c.txt") == "moved a.txt to c.txt"
    assert texts_in(folder) == {"b.txt": "b", "c.txt": "a"}


async def test_deleting_again_after_a_kill_is_no_error(desk: Desk, folder: Path):
    (folder / "a.txt").write_text("a")

    await desk.call("delete_file", path="a.txt")

    assert await desk.call("delete_file", path="a.txt", attempt=2) == "a.txt is deleted"
    assert "there is no file a.txt" in await desk.refusal("delete_file", path="a.txt")


async def test_the_workspace_itself_is_neither_moved_nor_deleted(desk: Desk, folder: Path):
    for path in (".", "a/..", "./"):
        assert "the workspace folder itself" in await desk.refusal("delete_file", path=path)
        assert "the workspace folder itself" in await desk.refusal("move_file", path=path, to="x")
    assert os.listdir(folder) == []


async def test_a_write_cancelled_before_its_last_moment_did_nothing(folder: Path):
    target = folder / "a.txt"

    def work(halt: Halt) -> None:
        while True:
            halt.check()

    task = asyncio.create_task(write_in_thread(work))
    await asyncio.sleep(0)

    assert await seconds_to_stop(task) < 1
    with pytest.raises(NothingDone):
        task.result()
    assert not target.exists()


async def test_a_write_cancelled_after_its_last_moment_tells_what_it_did():
    began, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work(halt: Halt) -> str:
        halt.check()
        loop.call_soon_threadsafe(began.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        return "done"

    task = asyncio.create_task(write_in_thread(work))
    await began.wait()
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()

    assert await task == "done"


def _grants(registry: Registry, folder: Path, **settings: object):
    return [ToolGrant(name="files", settings={"workspace": folder.name, **settings})]


def _write_and_die(folder: Path, name: str, content: str, key: str) -> int:
    """Write in a process that is killed between the whole temporary file and its rename; how it ended."""
    program = """
import os, signal, sys
from runtime.tools.workspace.blocking import Halt
from runtime.tools.workspace.folder import opened_workspace
from runtime.tools.workspace.replacing import replace_file

class Death(Halt):
    def check(self):
        os.kill(os.getpid(), signal.SIGKILL)

root, name, content, key = sys.argv[1:]
with opened_workspace({"root": root}) as workspace, workspace.place(name) as place:
    replace_file(place, content.encode(), key=key, halt=Death())
"""
    return subprocess.run([sys.executable, "-c", program, str(folder), name, content, key]).returncode
