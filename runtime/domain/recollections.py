"""What of a person's memory stands in the prompts of a rollout, by name."""

from typing import NamedTuple

from runtime.domain.events import MemoryNamed, MemoryRecalled
from runtime.domain.memory import MemoryRef


class Recollections(NamedTuple):
    """What the owner since `since` has been shown in results of `recall` and `search_memory`."""

    since: int = 0
    refs: frozenset[MemoryRef] = frozenset()

    def plus(self, named: MemoryNamed, since: int) -> "Recollections":
        refs = (MemoryRef(named.owner, one.namespace, one.key, one.version, one.sha256) for one in named.entries)
        return Recollections(since, (self.refs if since == self.since else frozenset()).union(refs))


class Recalled(NamedTuple):
    """The memory that the prompts of a turn have; `turn` = where that turn began."""

    memory: MemoryRecalled
    turn: int
    since: int


class Granted(NamedTuple):
    """Keys of the owner's memory that the agent which gave the task shares with it."""

    namespace: str = ""
    keys: tuple[str, ...] = ()
