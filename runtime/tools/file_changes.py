"""Changing the workspace: write, edit, move and delete files, make folders."""

import errno
import os
import stat

from runtime.domain.tool import Access
from runtime.ports import ToolContext
from runtime.tools.declaration import tool
from runtime.tools.workspace.blocking import Halt, write_in_thread
from runtime.tools.workspace.errors import FileRefused, in_words
from runtime.tools.workspace.folder import Place, WorkspaceSettings, opened_workspace
from runtime.tools.workspace.replacing import replace_file
from runtime.tools.workspace.text_file import encoding_of, opened_file, size_in_words

_LARGEST_FILE = 1 << 20
_ONE_NAME_ONLY = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK})


@tool(
    group="files",
    access=Access.WRITE,
    idempotent=True,
    settings=WorkspaceSettings,
    title="Write a file",
    question="Write {path}?",
)
async def write_file(context: ToolContext, path: str, content: str) -> str:
    """Write a text file of the workspace, whole; a file of that name is replaced, missing folders are made.

    Args:
        path: Path from the workspace on, such as notes/plan.md.
        content: The whole new content.
    """
    data = _encoded(content, path)

    def work(halt: Halt) -> str:
        with (
            opened_workspace(context.spec.settings) as workspace,
            workspace.place(path, make_folders=True) as place,
        ):
            existed = replace_file(_a_file(place), data, key=context.key, halt=halt)
            return f"{'replaced' if existed else 'wrote'} {place.shown}, {size_in_words(len(data))}"

    return await write_in_thread(work)


@tool(
    group="files",
    access=Access.WRITE,
    settings=WorkspaceSettings,
    title="Edit a file",
    question="Edit {path}?",
)
async def edit_file(context: ToolContext, path: str, old: str, new: str) -> str:
    """Replace one passage of a text file; the passage must stand in it exactly once.

    Args:
        path: Path from the workspace on.
        old: The passage as it stands in the file, with enough around it to be the only one.
        new: What stands there afterwards.
    """

    def work(halt: Halt) -> str:
        with opened_workspace(context.spec.settings) as workspace, workspace.place(path) as place:
            before = _content(place)
            after = _edited(before, old, new, place.shown)
            replace_file(place, _encoded(after, path), key=context.key, halt=halt)
            return f"edited {place.shown}, line {before[: before.find(_as_in(before, old))].count(chr(10)) + 1}"

    return await write_in_thread(work)


@tool(
    group="files",
    access=Access.WRITE,
    idempotent=True,
    settings=WorkspaceSettings,
    title="Make a folder",
    question="Make the folder {path}?",
)
async def make_directory(context: ToolContext, path: str) -> str:
    """Make a folder in the workspace, with those above it; one that is there already is left as it is.

    Args:
        path: Path of the folder from the workspace on.
    """

    def work(halt: Halt) -> str:
        with (
            opened_workspace(context.spec.settings) as workspace,
            workspace.place(path, make_folders=True) as place,
        ):
            found = place.stat()
            if found is not None and not stat.S_ISDIR(found.st_mode):
                raise FileRefused(f"{place.shown} is a file; choose another name for the folder")
            halt.check()
            if found is None:
                with in_words(place.shown):
                    os.mkdir(place.name, dir_fd=place.folder)
            return f"the folder {place.shown} {'is made' if found is None else 'was there already'}"

    return await write_in_thread(work)


@tool(
    group="files",
    access=Access.WRITE,
    settings=WorkspaceSettings,
    title="Move a file",
    question="Move {path} to {to}?",
)
async def move_file(context: ToolContext, path: str, to: str) -> str:
    """Move or rename a file or folder of the workspace; nothing is ever written over.

    Args:
        path: Path of what is moved.
        to: The new path, with the new name.
    """

    def work(halt: Halt) -> str:
        with (
            opened_workspace(context.spec.settings) as workspace,
            workspace.place(path, follow=False) as source,
            workspace.place(to, follow=False) as target,
        ):
            _move(_a_file(source), _a_file(target), halt)
            return f"moved {source.shown} to {target.shown}"

    return await write_in_thread(work)


@tool(
    group="files",
    access=Access.WRITE,
    idempotent=True,
    settings=WorkspaceSettings,
    title="Delete a file",
    question="Delete {path}?",
)
async def delete_file(context: ToolContext, path: str) -> str:
    """Delete a file, or an empty folder, of the workspace.

    Args:
        path: Path from the workspace on.
    """

    def work(halt: Halt) -> str:
        with opened_workspace(context.spec.settings) as workspace, workspace.place(path, follow=False) as place:
            found = _a_file(place).stat()
            if found is None and context.attempt > 1:
                return f"{place.shown} is deleted"
            if found is None:
                raise place.missing()
            halt.check()
            with in_words(place.shown):
                remove = os.rmdir if stat.S_ISDIR(found.st_mode) else os.unlink
                remove(place.name, dir_fd=place.folder)
            return f"{place.shown} is deleted"

    return await write_in_thread(work)


def _move(source: Place, target: Place, halt: Halt) -> None:
    found = source.stat()
    if found is None:
        raise source.missing()
    if target.stat() is not None:
        raise FileRefused(f"{target.shown} exists already; choose another name, or delete it first")
    halt.check()
    with in_words(f"{source.shown} to {target.shown}"):
        if stat.S_ISDIR(found.st_mode) or not _has_second_name(source, target):
            os.rename(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)
            return
        try:
            os.unlink(source.name, dir_fd=source.folder)
        except OSError:
            os.unlink(target.name, dir_fd=target.folder)
            raise


def _has_second_name(source: Place, target: Place) -> bool:
    """Give the file its new name beside the old one; False on a disk where a file has one name only.

    Unlike a rename, this fails if another process put something there meanwhile.
    """
    try:
        os.link(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in _ONE_NAME_ONLY:
            return False
        raise
    return True


def _a_file(place: Place) -> Place:
    if place.name == ".":
        raise FileRefused("this names the workspace folder itself; name a file in it")
    return place


def _encoded(content: str, path: str) -> bytes:
    data = content.encode("utf-8", "replace")
    if len(data) > _LARGEST_FILE:
        raise FileRefused(f"the content of {path} has {size_in_words(len(data))}, at most 1 MiB can be written at once")
    return data


def _content(place: Place) -> str:
    """The file as exact text: what is not UTF-8 cannot be edited without harm."""
    with opened_file(place) as file:
        data = file.read(_LARGEST_FILE + 1)
    if len(data) > _LARGEST_FILE:
        raise FileRefused(f"{place.shown} is larger than 1 MiB and cannot be edited")
    if encoding_of(data) not in ("utf-8", "utf-8-sig"):
        raise FileRefused(f"{place.shown} is not UTF-8 text and cannot be edited")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileRefused(f"{place.shown} is not UTF-8 text and cannot be edited") from error


def _edited(before: str, old: str, new: str, shown: str) -> str:
    if not old:
        raise FileRefused("`old` is empty; give the passage that is to be replaced")
    passage = _as_in(before, old)
    count = before.count(passage)
    if count == 0:
        raise FileRefused(f"the passage does not stand in {shown}; read the file and copy it exactly")
    if count > 1:
        raise FileRefused(f"the passage stands {count} times in {shown}; give more of what is around it")
    return before.replace(passage, _with_line_ends(new) if passage != old else new)


def _as_in(before: str, old: str) -> str:
    """The passage with the line ends of the file, for reading shows all of them as plain ones."""
    return old if old in before or "\r\n" not in before else _with_line_ends(old)


def _with_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
