"""Patterns for paths, such as `*.md` or `notes/**/2024-*.txt`."""

from collections.abc import Sequence
from fnmatch import fnmatchcase


class PathPattern:
    """`*`, `?` and `[…]` within a name, `**` for any number of folders. Without a `/` only the last name counts."""

    def __init__(self, text: str) -> None:
        parts = [part for part in text.split("/") if part not in ("", ".")]
        self._parts = parts if len(parts) > 1 else ["**", *parts]

    def fits(self, path: str) -> bool:
        """Whether the whole path fits."""
        return _fits(path.split("/"), self._parts)


def _fits(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Every prefix of the parts against every prefix of the names: never slower than their product."""
    reached = [True] + [False] * len(names)
    for part in parts:
        if part == "**":
            first = reached.index(True) if True in reached else len(reached)
            reached = [index >= first for index in range(len(reached))]
        else:
            steps = zip(reached, names, strict=False)
            reached = [False] + [before and fnmatchcase(name, part) for before, name in steps]
    return reached[-1]
