"""The processes of a sandbox as they are seen from outside."""

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Running:
    """One process: who started it, and how much memory it holds."""

    pid: int
    parent: int
    memory_bytes: int


def below(root: int) -> list[Running]:
    """The process and all that came from it. Orphans stay below, for the sandbox has a first process of its own."""
    by_parent: dict[int, list[Running]] = defaultdict(list)
    for one in _all():
        if one.pid == root:
            by_parent[-1].append(one)
        by_parent[one.parent].append(one)
    found, todo = [], list(by_parent[-1])
    while todo:
        one = todo.pop()
        found.append(one)
        todo += by_parent.get(one.pid, ())
    return found


def _all() -> Iterator[Running]:
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    words = file.read().rpartition(b")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            yield Running(int(name), int(words[1]), int(words[21]) * _PAGE_BYTES)
