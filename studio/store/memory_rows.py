"""The versions of memories that one transaction of the writer writes."""

from collections.abc import Collection, Sequence

from runtime.domain.memory import MemoryScope, MemoryWrite
from runtime.domain.memory_search import words_of
from studio.store.absent import NotThere
from studio.store.sql import Sql, values

ADVISORY_LOCK = 0x6D656D6F  # "memo"; any number that nothing else of the studio uses
Place = tuple[MemoryScope, str]
_COLUMNS = (
    "project_id",
    "owner_id",
    "namespace",
    "key",
    "version",
    "value",
    "sha256",
    "words",
    "is_current",
    "is_tainted",
    "at",
    "rollout",
    "seq",
    "by_id",
)


class MemoryRows:
    """What was read of the keys that are to be written, and what was written so far."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql
        self._newest: dict[Place, int] = {}
        self._people: dict[tuple[str, str], tuple[int, int]] = {}
        self._writes: list[MemoryWrite] = []

    def read(self, places: Collection[Place], writers: Collection[str], *, locks: bool) -> None:
        """Reads the newest versions of these keys; on PostgreSQL nobody else writes to these memories until the end.

        `writers`: public ids of the people who write with their own hand.
        """
        self._read_people(places, writers)
        if locks:
            for owner in sorted({owner for _, owner in self._people.values()}):
                hold_memory(self._sql, owner)
        known = {self._keyed(place): place for place in places if _person(place[0]) in self._people}
        if not known:
            return
        columns = ("project_id", "owner_id", "namespace", "key", "version")
        rest = (
            "FROM studio_memoryversion WHERE is_current AND (project_id, owner_id, namespace, key) IN "
            f"(VALUES {values(len(known), 4)})"
        )
        parameters = [part for keyed in known for part in keyed]
        for project, owner, namespace, key, version in self._sql.rows(columns, rest, parameters):
            self._newest[known[project, owner, namespace, key]] = version

    def _read_people(self, places: Collection[Place], writers: Collection[str]) -> None:
        projects = sorted({scope.project for scope, _ in places})
        people = sorted({*(scope.owner for scope, _ in places), *writers})
        marks_of = values(1, len(projects)), values(1, len(people))
        rest = (
            "FROM studio_project p CROSS JOIN studio_user u "
            f"WHERE p.public_id IN {marks_of[0]} AND u.public_id IN {marks_of[1]}"
        )
        columns = ("p.public_id", "u.public_id", "p.id", "u.id")
        for project, person, project_pk, person_pk in self._sql.rows(columns, rest, [*projects, *people]):
            self._people[project, person] = project_pk, person_pk

    def _keyed(self, place: Place) -> tuple[int, int, str, str]:
        scope, key = place
        return (*self._people[_person(scope)], scope.namespace, key)

    def follows(self, writes: Sequence[MemoryWrite]) -> bool:
        """Whether each is the version after the newest. Raises NotThere for a person who is not there."""
        newest = dict(self._newest)
        for write in writes:
            if _person(write.scope) not in self._people:
                raise NotThere(f"person {write.scope.owner}")
            if write.version != newest.get((write.scope, write.key), 0) + 1:
                return False
            newest[write.scope, write.key] = write.version
        return True

    def write(self, writes: Sequence[MemoryWrite]) -> None:
        for write in writes:
            self._newest[write.scope, write.key] = write.version
        self._writes.extend(writes)

    def flush(self) -> None:
        """What was newest is so no more, and loses the words by which it is found; then the new versions."""
        if not self._writes:
            return
        places = dict.fromkeys((write.scope, write.key) for write in self._writes)
        self._sql.update(
            "studio_memoryversion",
            ["is_current = %s", "words = ''"],
            "t.is_current AND t.project_id = v.column1 AND t.owner_id = v.column2 AND t.namespace = v.column3 "
            "AND t.key = v.column4",
            [self._keyed(place) for place in places],
            [False],
        )
        self._sql.insert("studio_memoryversion", _COLUMNS, [self._row(write) for write in self._writes])

    def _row(self, write: MemoryWrite) -> tuple[object, ...]:
        is_current = self._newest[write.scope, write.key] == write.version
        by = self._people[write.scope.project, write.by][1] if write.by else None
        return (
            *self._keyed((write.scope, write.key)),
            write.version,
            write.value,
            write.sha256,
            words_of(write.key, write.value) if is_current and write.value is not None else "",
            is_current,
            write.is_tainted,
            write.at,
            write.rollout,
            write.seq,
            by,
        )


def hold_memory(sql: Sql, owner_pk: int) -> None:
    """On PostgreSQL: nobody else writes to the memories of this person until the transaction ends."""
    sql.execute("SELECT pg_advisory_xact_lock(%s, %s)", [ADVISORY_LOCK, owner_pk])


def _person(scope: MemoryScope) -> tuple[str, str]:
    return scope.project, scope.owner
