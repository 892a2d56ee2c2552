"""Memories: each version is there once, says what its hash says, and was written with the event that names it."""

from collections.abc import Iterator
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from runtime.domain.memory import value_sha256
from studio.verify.finding import Finding
from studio.verify.stored import StoredEvent, StoredRollout, rows

_KEYS = (
    "SELECT u.username, m.namespace, m.key, count(*), max(m.version), "
    "sum(CASE WHEN m.is_current THEN 1 ELSE 0 END), max(CASE WHEN m.is_current THEN m.version ELSE 0 END) "
    "FROM studio_memoryversion m JOIN studio_user u ON u.id = m.owner_id "
    "GROUP BY m.project_id, m.owner_id, u.username, m.namespace, m.key ORDER BY 1, 2, 3"
)
_VALUES = (
    "SELECT u.username, m.key, m.version, m.value, m.sha256 FROM studio_memoryversion m "
    "JOIN studio_user u ON u.id = m.owner_id WHERE m.value IS NOT NULL ORDER BY m.id"
)
_OF_ROLLOUT = (
    "SELECT m.seq, u.public_id, m.namespace, m.key, m.version, m.sha256, m.erased_at FROM studio_memoryversion m "
    "JOIN studio_user u ON u.id = m.owner_id WHERE m.rollout = %s ORDER BY m.seq, m.key, m.version"
)
Named = tuple[int, str, str, str, int]
"""Seq of the event, owner, namespace, key, version."""


def check_memories(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """Versions from 1 without a gap, the last one current; no value that is another than its hash says."""
    for owner, namespace, key, count, newest, currents, current in rows(connection, _KEYS):
        if (count, currents, current) != (newest, 1, newest):
            words = f"{count} versions up to {newest}, of which {currents} are current"
            yield Finding("memory", f"{key} of {owner} ({namespace})", words)
    for owner, key, version, value, sha256 in rows(connection, _VALUES):
        if value_sha256(value) != sha256:
            yield Finding("memory", f"version {version} of {key} of {owner}", "it was changed: its hash is another")


def check_remembered(connection: BaseDatabaseWrapper, rollout: StoredRollout) -> Iterator[Finding]:
    """What the events say was written is there, and nothing else of this rollout."""
    told = dict(entry for event in rollout.events for entry in _told(event))
    written = {
        (seq, owner, namespace, key, version): (sha256, erased_at)
        for seq, owner, namespace, key, version, sha256, erased_at in rows(connection, _OF_ROLLOUT, rollout.public_id)
    }
    for named in sorted(told.keys() ^ written.keys()):
        words = "was told of and is not there" if named in told else "is there, and no event tells of it"
        yield Finding("memory", _where(rollout, named), f"version {named[4]} of {named[3]} {words}")
        return
    for named, (sha256, erased_at) in written.items():
        if erased_at is None and sha256 != told[named]:
            yield Finding("memory", _where(rollout, named), f"version {named[4]} of {named[3]} has another hash there")
            return


def _told(event: StoredEvent) -> Iterator[tuple[Named, str]]:
    memory: Any = event.get("memory")
    if isinstance(memory, dict) and memory.get("wrote"):
        for entry in memory.get("entries", ()):
            namespace = entry.get("namespace", "user")
            yield (event.seq, memory["owner"], namespace, entry["key"], entry["version"]), entry["sha256"]


def _where(rollout: StoredRollout, named: Named) -> str:
    return f"rollout {rollout.public_id} event {named[0]}"
