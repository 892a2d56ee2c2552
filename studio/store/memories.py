"""Memories are read, changed by people's own hands, and erased."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from django.db.models import Q

from runtime.domain.memory import Memory, MemoryRef, MemoryScope, MemoryWrite, Values
from runtime.domain.memory_search import WORDS_AT_MOST, search_words, searched
from studio.models import MemoryVersion, User
from studio.store.auditing import Entry
from studio.store.batch import Batch, Needs
from studio.store.memory_rows import hold_memory
from studio.store.sql import Sql, values

_MEMORY = ("m.key", "m.version", "m.value", "m.sha256", "m.at", "m.is_tainted")
_OF_SCOPE = (
    "FROM studio_memoryversion m JOIN studio_project p ON p.id = m.project_id JOIN studio_user u ON u.id = m.owner_id "
    "WHERE m.is_current AND p.public_id = %s AND u.public_id = %s AND m.namespace = %s"
)
_SQLITE_HITS = " AND m.id IN (SELECT rowid FROM studio_memoryindex WHERE studio_memoryindex MATCH %s)"
_POSTGRESQL_HITS = " AND array_to_tsvector(string_to_array(m.words, ' ')) @@ CAST(%s AS tsquery)"
REFS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class ReadMemories:
    """The newest versions of a scope, by key; with a `text`, those that it finds, the best first."""

    only_reads: ClassVar[bool] = True

    scope: MemoryScope
    text: str | None = None

    def needs(self, needs: Needs) -> None:
        """Nothing."""

    def apply(self, _batch: Batch) -> None:
        return None

    def finish(self, batch: Batch, _applied: None) -> Sequence[Memory]:
        parameters = [self.scope.project, self.scope.owner, self.scope.namespace]
        if self.text is None:
            return sorted(_memories(batch.sql, _OF_SCOPE, parameters), key=lambda memory: memory.key)
        wanted = search_words(self.text)[:WORDS_AT_MOST]
        if not wanted:
            return []
        is_sqlite = batch.sql.is_sqlite
        hits = _SQLITE_HITS if is_sqlite else _POSTGRESQL_HITS
        query = " OR ".join(f'"{word}"*' for word in wanted) if is_sqlite else " | ".join(f"'{w}':*" for w in wanted)
        return searched(_memories(batch.sql, _OF_SCOPE + hits, [*parameters, query]), self.text)


def _memories(sql: Sql, rest: str, parameters: Sequence[str]) -> list[Memory]:
    rows = sql.rows(_MEMORY, rest, parameters)
    return [
        Memory(key, version, value, sha256, at, bool(is_tainted))
        for key, version, value, sha256, at, is_tainted in rows
    ]


@dataclass(frozen=True, slots=True)
class ReadMemoryValues:
    """The values behind names, as far as they were not erased."""

    only_reads: ClassVar[bool] = True

    project: str
    refs: Collection[MemoryRef]

    def needs(self, needs: Needs) -> None:
        """Nothing."""

    def apply(self, _batch: Batch) -> None:
        return None

    def finish(self, batch: Batch, _applied: None) -> Values:
        return memory_values(batch.sql, self.project, self.refs)


def memory_values(sql: Sql, project: str, refs: Collection[MemoryRef]) -> Values:
    """What stands behind these names; erased ones are left out."""
    columns = ("u.public_id", "m.namespace", "m.key", "m.version", "m.sha256", "m.value")
    found: dict[MemoryRef, str] = {}
    wanted = list(refs)
    for start in range(0, len(wanted), REFS_AT_ONCE):
        part = wanted[start : start + REFS_AT_ONCE]
        rest = (
            "FROM studio_memoryversion m JOIN studio_project p ON p.id = m.project_id "
            "JOIN studio_user u ON u.id = m.owner_id WHERE p.public_id = %s AND m.value IS NOT NULL "
            f"AND (u.public_id, m.namespace, m.key, m.version, m.sha256) IN (VALUES {values(len(part), 5)})"
        )
        for *name, value in sql.rows(columns, rest, [project, *(one for ref in part for one in ref)]):
            found[MemoryRef(*name)] = value
    return found


@dataclass(frozen=True, slots=True)
class ChangeMemory:
    """A version by a person's own hand, with an entry of the audit log; False if the newest is another by now.

    Raises NotThere.
    """

    only_reads: ClassVar[bool] = False

    write: MemoryWrite
    entry: Entry | None = None

    def needs(self, needs: Needs) -> None:
        needs.memories.add((self.write.scope, self.write.key))
        if self.write.by:
            needs.writers.add(self.write.by)

    def apply(self, batch: Batch) -> bool:
        write = self.write if self.write.at else replace(self.write, at=batch.now)
        if not batch.memory.follows([write]):
            return False
        batch.memory.write([write])
        if self.entry is not None:
            batch.record(self.entry)
        return True

    def finish(self, _batch: Batch, applied: bool) -> bool:
        return applied


@dataclass(frozen=True, slots=True)
class EraseMemories:
    """Takes every version of these keys (namespace, key), or of all of a person's in a project, away for good.

    The audit log gets the entry. How many keys there were.
    """

    project: str
    owner: str
    keys: Collection[tuple[str, str]] | None = None
    entry: Entry | None = None

    def run(self, batch: Batch) -> int:
        owner_pk = User.objects.using(batch.alias).filter(public_id=self.owner).values_list("pk", flat=True).first()
        if owner_pk is not None and not batch.sql.is_sqlite:
            hold_memory(batch.sql, owner_pk)
        mine = MemoryVersion.objects.using(batch.alias).filter(project__public_id=self.project, owner_id=owner_pk)
        if self.keys is not None:
            meant = Q(pk__in=[])
            for namespace, key in self.keys:
                meant |= Q(namespace=namespace, key=key)
            mine = mine.filter(meant)
        erased = mine.filter(is_current=True).count()
        mine.update(value=None, sha256="", words="", is_tainted=False, erased_at=batch.now)
        if batch.sql.is_sqlite:  # else what was indexed stays in the index's older segments
            batch.sql.execute("INSERT INTO studio_memoryindex (studio_memoryindex) VALUES ('optimize')")
        if self.entry is not None:
            batch.record(self.entry)
        return erased
