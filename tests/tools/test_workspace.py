"""No path, link or swap leads a file tool out of its workspace."""

import os
import threading
from pathlib import Path

import pytest

from runtime.domain.definition import ToolGrant
from runtime.ports import ToolFailed
from runtime.tools.registry import Registry
from runtime.tools.workspace.folder import opened_workspace
from runtime.tools.workspace.text_file import opened_text
from tests.tools.calling import Desk, text_of


@pytest.fixture
def secret(folder: Path) -> Path:
    """A file beside the workspace, under the same root, and one outside of the root."""
    (folder.parent / "other").mkdir()
    path = folder.parent / "other" / "secret.txt"
    path.write_text("secret")
    (folder.parent.parent / "secret.txt").write_text("secret")
    return path


@pytest.mark.parametrize(
    "path",
    [
        "../other/secret.txt",
        "a/../../other/secret.txt",
        "..",
        "/etc/passwd",
        "//etc/passwd",
        "~/secret.txt",
        "C:\\secret.txt",
        "\\\\host\\share",
        "a\0b",
        "a\nb",
        "\ud800",
        "x/" * 3000,
    ],
)
async def test_a_path_that_leads_elsewhere_is_refused(desk: Desk, folder: Path, secret: Path, path: str):
    for name, more in {
        "read_file": {},
        "list_directory": {},
        "delete_file": {},
        "make_directory": {},
        "write_file": {"content": "mine"},
        "edit_file": {"old": "secret", "new": "mine"},
        "search_text": {"query": "secret"},
    }.items():
        arguments = {"query": "secret", "path": path} if name == "search_text" else {"path": path, **more}
        assert await desk.refusal(name, **arguments)

    assert await desk.refusal("move_file", path=path, to="stolen.txt")
    assert await desk.refusal("find_files", pattern="*", path=path)
    assert text_of(secret) == "secret"
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    "target", ["../other/secret.txt", "../../secret.txt", "/etc/passwd", "{secret}", "sub/../../other/secret.txt"]
)
async def test_a_link_that_leads_outside_is_refused(desk: Desk, folder: Path, secret: Path, target: str):
    (folder / "sub").mkdir()
    (folder / "link").symlink_to(target.format(secret=secret))

    assert "leads outside the workspace" in await desk.refusal("read_file", path="link")
    assert "leads outside the workspace" in await desk.refusal("write_file", path="link", content="mine")
    assert "leads outside the workspace" in await desk.refusal("edit_file", path="link", old="secret", new="mine")
    assert text_of(secret) == "secret"


async def test_a_link_to_an_outside_folder_is_refused_by_every_tool(desk: Desk, folder: Path, secret: Path):
    (folder / "out").symlink_to(secret.parent)

    for name in ("read_file", "delete_file", "make_directory"):
        assert "leads outside" in await desk.refusal(name, path="out/secret.txt")
    assert "leads outside" in await desk.refusal("write_file", path="out/new.txt", content="mine")
    assert "leads outside" in await desk.refusal("list_directory", path="out")
    assert "leads outside" in await desk.refusal("move_file", path="out/secret.txt", to="stolen.txt")
    assert "leads outside" in await desk.refusal("find_files", pattern="*", path="out")
    assert "leads outside" in await desk.refusal("search_text", query="secret", path="out")
    assert os.listdir(secret.parent) == ["secret.txt"]


async def test_searches_do_not_follow_links(desk: Desk, folder: Path, secret: Path):
    (folder / "out").symlink_to(secret.parent)
    (folder / "link.txt").symlink_to(secret)

    assert "is not found" in await desk.call("search_text", query="secret")


async def test_links_inside_the_workspace_work(desk: Desk, folder: Path):
    (folder / "docs" / "deep").mkdir(parents=True)
    (folder / "docs" / "plan.md").write_text("plan")
    (folder / "relative").symlink_to("docs/deep/../plan.md")
    (folder / "absolute").symlink_to(folder / "docs")
    (folder / "docs" / "deep" / "up").symlink_to("../..")

    assert await desk.call("read_file", path="relative") == "plan"
    assert await desk.call("read_file", path="absolute/plan.md") == "plan"
    assert await desk.call("read_file", path="docs/deep/up/docs/plan.md") == "plan"
    await desk.call("write_file", path="relative", content="new plan")
    assert (folder / "relative").is_symlink()
    assert (folder / "docs" / "plan.md").read_text() == "new plan"


async def test_deleting_a_link_deletes_the_link(desk: Desk, folder: Path, secret: Path):
    (folder / "link").symlink_to(secret)

    await desk.call("delete_file", path="link")

    assert not (folder / "link").is_symlink()
    assert text_of(secret) == "secret"


async def test_links_in_a_circle_end(desk: Desk, folder: Path):
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")

    assert await desk.refusal("read_file", path="a") == "a goes through links in a circle"


async def test_pipes_and_devices_are_not_read(desk: Desk, folder: Path):
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")

    assert "not a file that can be read" in await desk.refusal("read_file", path="pipe")
    assert "leads outside" in await desk.refusal("read_file", path="zero")
    assert "is not written over" in await desk.refusal("write_file", path="pipe", content="x")
    assert "is not found" in await desk.call("search_text", query="x")


@pytest.mark.parametrize("workspace", ["..", "../..", "/etc", "other/../../x", "link", "a\0b"])
async def test_a_workspace_outside_the_root_is_refused(registry: Registry, folder: Path, workspace: str):
    (folder.parent / "link").symlink_to("/etc")
    tools = registry.grant([ToolGrant(name="files", settings={"workspace": workspace})], root=str(folder.parent))

    assert await Desk(tools).refusal("list_directory")


async def test_a_missing_workspace_is_named(registry: Registry, folder: Path):
    tools = registry.grant([ToolGrant(name="files", settings={"workspace": "docs"})], root=str(folder.parent))

    assert await Desk(tools).refusal("list_directory") == (
        "there is no workspace folder docs; `workspace` in the agent file names it"
    )


async def test_without_a_root_no_file_is_touched(registry: Registry):
    tools = registry.grant([ToolGrant(name="files")], root="")

    assert "no workspace folder" in await Desk(tools).refusal("list_directory")


def test_swapping_a_folder_for_a_link_never_leads_outside(folder: Path, secret: Path):
    """Someone exchanges `docs` and a link to the outside as fast as they can while it is read."""
    (folder / "docs").mkdir()
    (folder / "docs" / "secret.txt").write_text("inside")
    (folder / "link").symlink_to(secret.parent)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            os.rename(folder / "docs", folder / "aside")
            os.rename(folder / "link", folder / "docs")
            os.rename(folder / "docs", folder / "link")
            os.rename(folder / "aside", folder / "docs")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        read = {_read_once(folder) for _ in range(3000)}
    finally:
        done.set()
        swapper.join()

    assert "inside" in read
    assert "secret" not in read


def _read_once(folder: Path) -> str:
    settings = {"root": str(folder.parent), "workspace": folder.name}
    try:
        with (
            opened_workspace(settings) as workspace,
            workspace.place("docs/secret.txt") as place,
            opened_text(place) as text,
        ):
            return text.read()
    except ToolFailed:
        return "refused"


def test_no_descriptor_is_left_open(folder: Path):
    (folder / "a" / "b").mkdir(parents=True)
    settings = {"root": str(folder.parent), "workspace": folder.name}
    before = len(os.listdir("/proc/self/fd"))

    for path in ("a/b/c", "missing/c", "../x", "a/b"):
        try:
            with opened_workspace(settings) as workspace, workspace.place(path):
                pass
        except ToolFailed:
            continue

    assert len(os.listdir("/proc/self/fd")) == before
