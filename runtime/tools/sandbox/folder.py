"""The folder that a sandboxed program works in: all that stays of it."""

import contextlib
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.tools.sandbox.limits import Limits
from runtime.tools.workspace.blocking import Halt
from runtime.tools.workspace.errors import FileRefused, in_words
from runtime.tools.workspace.folder import opened_workspace
from runtime.tools.workspace.text_file import size_in_words

FIRST_ACCOUNT = 1_879_048_192  # numbers from here on are used by no system, and none is a person's
_ACCOUNTS = 65_536
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Filling:
    """How much is in a folder: bytes on disk, entries, and how many folders in it cannot be looked into."""

    size_bytes: int = 0
    entries: int = 0
    closed: int = 0


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder. `path` may be renamed at any time; `identity` (device and number) tells what was opened."""

    descriptor: int
    path: str
    identity: str

    @property
    def account(self) -> int | None:
        """The number of the account that programs run under here; None if the studio may not choose one."""
        return FIRST_ACCOUNT + zlib.crc32(self.identity.encode()) % _ACCOUNTS if os.geteuid() == 0 else None

    def hand_over(self, halt: Halt) -> None:
        """Give what is in it to the account that programs run under, links not followed."""
        if self.account is None:
            return
        os.fchown(self.descriptor, self.account, self.account)
        for _, folders, names, descriptor in os.fwalk(".", dir_fd=self.descriptor, follow_symlinks=False):
            halt.check()
            for name in (*folders, *names):
                with contextlib.suppress(FileNotFoundError):
                    found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                    # a file with a second name may have it outside
                    if found.st_uid != self.account and (stat.S_ISDIR(found.st_mode) or found.st_nlink == 1):
                        os.chown(name, self.account, self.account, dir_fd=descriptor, follow_symlinks=False)

    def measure(self, halt: Halt) -> Filling:
        """What is in it, now."""
        size = entries = 0
        closed: list[OSError] = []
        walk = os.fwalk(".", onerror=closed.append, dir_fd=self.descriptor, follow_symlinks=False)
        for _, folders, names, descriptor in walk:
            halt.check()
            for name in (*folders, *names):
                with contextlib.suppress(OSError):
                    size += os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_blocks * 512
                entries += 1
        return Filling(size, entries, sum(isinstance(error, PermissionError) for error in closed))


@contextlib.contextmanager
def opened_folder(
    settings: Mapping[str, Any], session: str, sessions: str, kept_out: Sequence[str]
) -> Iterator[Folder]:
    """The `workspace` that the agent file names; without one the session's own folder inside `sessions`.

    Raises FileRefused, also for a folder with one of the `kept_out` paths inside.
    """
    if settings.get("workspace"):
        with opened_workspace(settings) as workspace:
            yield _folder(workspace.descriptor, workspace.path, kept_out)
        return
    if not _SESSION.fullmatch(session) or not os.path.isabs(sessions):
        raise FileRefused("there is no folder for this session; name a `workspace` in the agent file")
    path = os.path.join(sessions, session)
    with in_words("the session's folder"):
        os.makedirs(path, mode=0o700, exist_ok=True)
    with opened_path(path) as folder:
        yield folder


@contextlib.contextmanager
def opened_path(path: str) -> Iterator[Folder]:
    """A folder of the studio's own. Raises ToolFailed."""
    with in_words("the session's folder"):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield _folder(descriptor, os.path.realpath(path), ())
    finally:
        os.close(descriptor)


def overfull(now: Filling, before: Filling, limits: Limits) -> str:
    """Why nothing more may be written there, in words; empty if more may. One that was too full may only shrink."""
    if now.size_bytes > max(limits.folder_bytes, before.size_bytes):
        holds, most = size_in_words(now.size_bytes), size_in_words(limits.folder_bytes)
        return f"the workspace holds {holds}; at most {most} are allowed"
    if now.entries > max(limits.folder_entries, before.entries):
        return f"the workspace has {now.entries:,} files and folders; at most {limits.folder_entries:,} are allowed"
    if now.closed > before.closed:
        return "the workspace has a folder that the studio cannot look into"
    return ""


def _folder(descriptor: int, path: str, kept_out: Sequence[str]) -> Folder:
    if any(os.path.commonpath([path, kept]) == path for kept in kept_out):
        raise FileRefused("the workspace folder holds the studio's own data, so no program may run in it")
    found = os.fstat(descriptor)
    return Folder(descriptor, path, f"{found.st_dev}:{found.st_ino}")
