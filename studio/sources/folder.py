"""A watched folder of the workspace: each new file, and each that was written anew."""

import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.ports import Happening, Look, ToolFailed
from runtime.tools.workspace.blocking import Halt, read_in_thread
from runtime.tools.workspace.folder import opened_workspace
from runtime.tools.workspace.path_pattern import PathPattern
from runtime.tools.workspace.walking import files_below
from studio.sources.seen import cursor_of, digest, seen_in

EVERY_SECONDS = 5.0
SETTLED_NANOSECONDS = 2_000_000_000
"""A file that was written to a moment ago may not be whole yet."""
MOST_AT_ONCE = 20
MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class _Found:
    digest: str
    path: str
    size: int
    written_at: int

    @property
    def body(self) -> dict[str, Any]:
        return {"path": self.path, "name": self.path.rpartition("/")[2], "size": self.size}


class WatchedFolder:
    """`path` below `root`, the folder of all workspaces; `pattern` as in `find_files`. `now` in nanoseconds."""

    every_seconds = EVERY_SECONDS

    def __init__(self, root: Path, path: str, pattern: str, *, now: Callable[[], int] = time.time_ns) -> None:
        self._root, self._path, self._pattern, self._now = root, path, PathPattern(pattern), now

    async def look(self, cursor: str) -> Look:
        return await read_in_thread(lambda halt: self._look(cursor, halt))

    def _look(self, cursor: str, halt: Halt) -> Look:
        files = list(self._files(halt))
        if not cursor:
            return Look((), cursor_of(file.digest for file in files))
        known, now = set(seen_in(cursor)), self._now()
        new = [
            file for file in files if file.digest not in known and not 0 <= now - file.written_at < SETTLED_NANOSECONDS
        ]
        new = sorted(new, key=lambda file: (file.written_at, file.path))[:MOST_AT_ONCE]
        seen = known | {file.digest for file in new}
        happenings = [Happening(f"file:{file.digest}", file.body) for file in new]
        return Look(happenings, cursor_of(file.digest for file in files if file.digest in seen))

    def _files(self, halt: Halt) -> Iterator[_Found]:
        count = 0
        with opened_workspace({"root": str(self._root)}) as workspace, workspace.place(self._path) as place:
            for file, below in files_below(place, halt):
                found = file.stat()
                if found is None or not stat.S_ISREG(found.st_mode) or not self._pattern.fits(below):
                    continue
                count += 1
                if count > MOST_FILES:
                    raise ToolFailed(f"{place.shown} has more than {MOST_FILES} files; move what is done elsewhere")
                name = digest(file.shown, str(found.st_size), str(found.st_mtime_ns))
                yield _Found(name, file.shown, found.st_size, found.st_mtime_ns)
