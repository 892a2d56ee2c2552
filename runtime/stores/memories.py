"""The reference of the memory port: people's memories inside one process."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from runtime.domain.memory import Memory, MemoryRef, MemoryScope, MemoryWrite, Values
from runtime.domain.memory_search import searched

Place = tuple[MemoryScope, str]


class InProcessMemories:
    """Every version of every key, in order."""

    def __init__(self) -> None:
        self.versions: dict[Place, list[Memory]] = {}

    async def memories(self, scope: MemoryScope) -> Sequence[Memory]:
        return self._newest(scope)

    async def search_memories(self, scope: MemoryScope, text: str) -> Sequence[Memory]:
        return searched(self._newest(scope), text)

    async def memory_values(self, project: str, refs: Collection[MemoryRef]) -> Values:
        found = {}
        for ref in refs:
            versions = self.versions.get((MemoryScope(project, ref.owner, ref.namespace), ref.key), ())
            for one in versions:
                if one.version == ref.version and one.sha256 == ref.sha256 and one.value is not None:
                    found[ref] = one.value
        return found

    async def change_memory(self, write: MemoryWrite) -> bool:
        if not self.follows([write]):
            return False
        self.write([write])
        return True

    async def erase_memories(self, project: str, owner: str, keys: Collection[tuple[str, str]] | None = None) -> int:
        erased = 0
        for (scope, key), versions in self.versions.items():
            is_meant = keys is None or (scope.namespace, key) in keys
            if (scope.project, scope.owner) == (project, owner) and is_meant:
                versions[:] = [replace(one, value=None, sha256="", is_tainted=False) for one in versions]
                erased += 1
        return erased

    def follows(self, writes: Sequence[MemoryWrite]) -> bool:
        """Whether each write is the version after the newest."""
        newest = {place: versions[-1].version for place, versions in self.versions.items()}
        for write in writes:
            if write.version != newest.get((write.scope, write.key), 0) + 1:
                return False
            newest[write.scope, write.key] = write.version
        return True

    def write(self, writes: Sequence[MemoryWrite]) -> None:
        for one in writes:
            self.versions.setdefault((one.scope, one.key), []).append(one.memory)

    def _newest(self, scope: MemoryScope) -> list[Memory]:
        return sorted(
            (versions[-1] for (place, _), versions in self.versions.items() if place == scope),
            key=lambda memory: memory.key,
        )
