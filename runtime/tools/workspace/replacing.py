"""Writing a file whole: beside its place first, then moved over it, so that nobody ever sees a half."""

import contextlib
import hashlib
import os
import stat

from runtime.tools.workspace.blocking import Halt
from runtime.tools.workspace.errors import FileRefused, in_words
from runtime.tools.workspace.folder import Place

_TEMPORARY = ".studio-"
_PLAIN_MODE = 0o666  # what the process's umask leaves of it


def is_temporary(name: str) -> bool:
    """Whether this is a half-written file of a tool that was killed; the same call run again takes it away."""
    return name.startswith(_TEMPORARY)


def replace_file(place: Place, content: bytes, *, key: str, halt: Halt) -> bool:
    """Put the content at the place, on disk before this returns; True if a file was there before.

    `key` is the call's: a second attempt uses the same temporary name. Raises ToolFailed, without an effect.
    """
    before = place.stat()
    if before is not None and not stat.S_ISREG(before.st_mode):
        raise FileRefused(f"{place.shown} is a {_kind(before.st_mode)}, and is not written over")
    temporary = _TEMPORARY + hashlib.sha256(f"{key} {place.name}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
    with in_words(place.shown):
        try:
            _write(temporary, place.folder, content, mode=before.st_mode & 0o777 if before else None)
            halt.check()
            os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=place.folder)
            raise
    with contextlib.suppress(OSError):  # it is done by now; not every disk can flush a folder
        os.fsync(place.folder)
    return before is not None


def _write(name: str, folder: int, content: bytes, *, mode: int | None) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, _PLAIN_MODE, dir_fd=folder), "wb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _kind(mode: int) -> str:
    return "folder" if stat.S_ISDIR(mode) else "device or a pipe"
