"""All files below a folder of the workspace, links not followed."""

import os
from collections.abc import Iterator

from runtime.tools.workspace.blocking import Halt
from runtime.tools.workspace.errors import FileRefused, in_words
from runtime.tools.workspace.folder import Place
from runtime.tools.workspace.replacing import is_temporary

SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
_DEEPEST = 48  # each level holds a folder open
_MOST_FILES = 200_000


def files_below(place: Place, halt: Halt) -> Iterator[tuple[Place, str]]:
    """Each file with its path below the place, sorted within each folder."""
    with place.opened_folder() as folder, in_words(place.shown):
        seen = 0
        for base, folders, names, descriptor in os.fwalk(".", dir_fd=folder, follow_symlinks=False):
            inside = "" if base == "." else base.removeprefix("./") + "/"
            folders[:] = sorted(set(folders) - SKIPPED_FOLDERS) if inside.count("/") < _DEEPEST else []
            for name in sorted(names):
                halt.check()
                seen += 1
                if seen > _MOST_FILES:
                    raise FileRefused(f"{place.shown} has more than {_MOST_FILES} files; choose a folder inside it")
                if not is_temporary(name):
                    yield Place(descriptor, name, _joined(place.shown, inside + name)), inside + name


def _joined(shown: str, path: str) -> str:
    return path if shown == "." else f"{shown}/{path}"
