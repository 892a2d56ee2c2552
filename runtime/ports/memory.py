"""The port for people's long-term memories. What agents write goes with the events that record it: see `Append`."""

from collections.abc import Collection, Sequence
from typing import Protocol

from runtime.domain.memory import Memory, MemoryRef, MemoryScope, MemoryWrite, Values


class MemoryStore(Protocol):
    """Values by key, each in numbered versions, for each person and namespace of a project. Every method is one
    transaction.
    """

    async def memories(self, scope: MemoryScope) -> Sequence[Memory]:
        """The newest version of every key, by key; those that are forgotten or erased have no value."""
        ...

    async def search_memories(self, scope: MemoryScope, text: str) -> Sequence[Memory]:
        """The newest versions in which a word begins like a word of the text, the best first, at most 20."""
        ...

    async def memory_values(self, project: str, refs: Collection[MemoryRef]) -> Values:
        """The values behind these names, as far as they were not erased."""
        ...

    async def change_memory(self, write: MemoryWrite) -> bool:
        """A person's own change; False if the version before it is not the newest any more."""
        ...

    async def erase_memories(self, project: str, owner: str, keys: Collection[tuple[str, str]] | None = None) -> int:
        """Takes every version of these keys (namespace, key), or of all, out of the memory for good; how many keys.

        Only their names and numbers stay, so that a version never comes twice.
        """
        ...
