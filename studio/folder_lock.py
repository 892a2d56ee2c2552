"""The lock of the data folder: who holds it runs its rollouts. It dies with the process."""

import fcntl
import os
from pathlib import Path

from studio.errors import StudioError

LOCK_NAME = "studio.lock"


class FolderInUse(StudioError):
    """Another process runs the rollouts of this data folder."""

    def __init__(self, folder: Path, holder: str) -> None:
        self.folder, self.holder = folder, holder

    def __str__(self) -> str:
        who = f" (process {self.holder})" if self.holder else ""
        return f"Another Studio{who} uses {self.folder}. Stop it first, or set STUDIO_DATA to another folder."


class FolderLock:
    """Held from `take` until the process ends or `free`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handle: int | None = None

    def take(self) -> None:
        """Raises FolderInUse."""
        handle = os.open(self._folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 32).decode(errors="replace").strip()
            os.close(handle)
            raise FolderInUse(self._folder, holder) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        self._handle = handle

    def free(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
