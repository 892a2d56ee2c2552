"""The folder that file tools work in and never leave, whatever paths and links say.

A path is walked name by name from a folder that is held open, links by hand: what was checked is what is used,
also when somebody swaps a folder for a link in between.
"""

import contextlib
import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from runtime.tools.workspace.errors import FileRefused, in_words

_MOST_LINKS = 40
_LONGEST_PATH = 4096
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class WorkspaceSettings(BaseModel):
    """What an agent file sets for tools that work on files."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    workspace: Annotated[str, Field(description="The folder, inside the studio's workspaces.")] = "."
    max_output_chars: Annotated[int, Field(ge=1000, description="Longer results are cut.")] = 200_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: `name` in an open folder. `shown` is the path as people write it; nothing need be there.

    `name` is `.` for the workspace itself.
    """

    folder: int
    name: str
    shown: str

    def stat(self) -> os.stat_result | None:
        """What is there, links not followed; None if nothing is."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def is_folder(self) -> bool:
        """Whether a folder is here."""
        found = self.stat()
        return found is not None and stat.S_ISDIR(found.st_mode)

    @contextlib.contextmanager
    def opened_folder(self) -> Iterator[int]:
        """A descriptor of the folder that is here. Raises FileRefused."""
        found = self.stat()
        if found is None:
            raise self.missing("folder")
        if not stat.S_ISDIR(found.st_mode):
            raise FileRefused(f"{self.shown} is a file, not a folder")
        with in_words(self.shown):
            descriptor = os.open(self.name, _FOLDER_FLAGS, dir_fd=self.folder)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def missing(self, noun: str = "file") -> FileRefused:
        """That nothing is here, with what the folder has instead."""
        return _nothing_there(noun, self.shown, self.folder)


class Workspace:
    """An open folder. Use `opened_workspace`, which closes it."""

    def __init__(self, folder: int, path: str) -> None:
        self._folder, self._path = folder, path

    @property
    def descriptor(self) -> int:
        """The open folder."""
        return self._folder

    @property
    def path(self) -> str:
        """Where it was when it was opened, without links."""
        return self._path

    @contextlib.contextmanager
    def place(self, path: str, *, follow: bool = True, make_folders: bool = False) -> Iterator[Place]:
        """Where a path leads. `follow` a link that stands last; `make_folders` on the way that are missing.

        Raises FileRefused for a path that leads outside or through what is no folder.
        """
        parts = path_parts(path)
        walk = _Walk(self._folder, self._path, "/".join(parts) or ".")
        try:
            name = walk.follow(parts, follow_last=follow, make_folders=make_folders)
            yield Place(walk.folder, name, "/".join(parts) or ".")
        finally:
            walk.close()


@contextlib.contextmanager
def opened_workspace(settings: Mapping[str, Any]) -> Iterator[Workspace]:
    """The workspace of a tool's settings: `workspace` inside `root`, the absolute path that the studio put there."""
    root = str(settings.get("root") or "")
    if not os.path.isabs(root):
        raise FileRefused("this agent has no workspace folder; an administrator sets one for the studio")
    name = str(settings.get("workspace") or ".")
    with in_words("the workspace folder"):
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        outer = Workspace(folder, os.path.realpath(root))
        with outer.place(name) as place:
            if place.stat() is None:
                raise FileRefused(f"there is no workspace folder {place.shown}; `workspace` in the agent file names it")
            with place.opened_folder() as inner:
                yield Workspace(inner, os.path.realpath(os.path.join(root, name)))
    finally:
        os.close(folder)


def path_parts(path: str) -> list[str]:
    """The names on a path inside the workspace. Raises FileRefused for one that cannot be inside."""
    if len(path) > _LONGEST_PATH:
        raise FileRefused(f"the path is longer than {_LONGEST_PATH} characters")
    if any(ord(character) < 32 or "\ud800" <= character <= "\udfff" for character in path):
        raise FileRefused("the path has characters that no file name has")
    if path.startswith(("/", "~", "\\")) or path[1:3] in (":\\", ":/"):
        raise FileRefused(f"{path} is not inside the workspace; paths begin there, such as notes/plan.md")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise outside(path)
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def outside(path: str) -> FileRefused:
    """That a path leads out of the workspace."""
    return FileRefused(f"{path} leads outside the workspace, where this agent may not go")


class _Walk:
    """One way from the workspace's folder downwards: the folders on it, each held open."""

    def __init__(self, start: int, start_path: str, shown: str) -> None:
        self._folders, self._names = [os.dup(start)], [""]
        self._start_path, self._shown, self._links = start_path, shown, 0

    @property
    def folder(self) -> int:
        return self._folders[-1]

    def close(self) -> None:
        while self._folders:
            os.close(self._folders.pop())

    def follow(self, parts: list[str], *, follow_last: bool, make_folders: bool) -> str:
        """Go along the names; the last one, in `folder`, is returned and need not exist."""
        todo = deque(parts)
        while todo:
            name = todo.popleft()
            if name == "..":
                self._leave()
                continue
            with in_words(self._shown):
                is_link, exists = self._look(name)
                if is_link and (todo or follow_last):
                    todo.extendleft(reversed(self._linked(name)))
                elif not todo:
                    return name
                else:
                    self._enter(name, exists=exists, make=make_folders)
        return "."

    def _look(self, name: str) -> tuple[bool, bool]:
        try:
            found = os.stat(name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return False, False
        return stat.S_ISLNK(found.st_mode), True

    def _enter(self, name: str, *, exists: bool, make: bool) -> None:
        if not exists:
            if not make:
                raise _nothing_there("folder", "/".join([*self._names[1:], name]), self.folder)
            os.mkdir(name, dir_fd=self.folder)
        self._folders.append(os.open(name, _FOLDER_FLAGS, dir_fd=self.folder))
        self._names.append(name)

    def _leave(self) -> None:
        if len(self._folders) == 1:
            raise outside(self._shown)
        os.close(self._folders.pop())
        self._names.pop()

    def _linked(self, name: str) -> list[str]:
        """The names that a link stands for; an absolute one must begin with the workspace's own path."""
        self._links += 1
        if self._links > _MOST_LINKS:
            raise FileRefused(f"{self._shown} goes through links in a circle")
        target = os.readlink(name, dir_fd=self.folder)
        if os.path.isabs(target):
            if target != self._start_path and not target.startswith(self._start_path.rstrip("/") + "/"):
                raise outside(self._shown)
            target = target[len(self._start_path) :]
            while len(self._folders) > 1:
                self._leave()
        return [part for part in target.split("/") if part not in ("", ".")]


def _nothing_there(noun: str, shown: str, folder: int) -> FileRefused:
    parent = shown.rpartition("/")[0]
    names = sorted(name for name in os.listdir(folder) if not name.startswith(".studio-"))
    listed = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    where = f"the folder {parent}" if parent else "the workspace"
    return FileRefused(f"there is no {noun} {shown}; {where} {f'has: {listed}' if names else 'is empty'}")
