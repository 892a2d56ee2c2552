"""Entries of the audit log, written in the transaction of the act that they tell of."""

from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.utils import timezone

from studio.audit_chain import FIRST, entry_sha256
from studio.models import AuditEntry

ADVISORY_LOCK = 0x61756469  # "audi"; any number that nothing else of the studio uses
MAX_SUBJECT = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """Who does what from where. `user_pk` None: the operator at the terminal; `before` and `after`: without secrets."""

    user_pk: int | None
    who: str
    origin: str
    action: str
    subject: str = ""
    before: Any = None
    after: Any = None


def append_entry(entry: Entry, alias: str = "default") -> AuditEntry:
    """Chains the entry to the one before it, in the transaction that is open on the database `alias`."""
    _one_at_a_time(alias)
    last = AuditEntry.objects.using(alias).order_by("-pk").first()
    said = {
        "at": timezone.now(),
        "who": entry.who,
        "origin": entry.origin,
        "action": entry.action,
        "subject": entry.subject[:MAX_SUBJECT],
        "before": entry.before,
        "after": entry.after,
        "previous": last.sha256 if last else FIRST,
    }
    sha256 = entry_sha256(user=entry.user_pk, **said)
    return AuditEntry.objects.using(alias).create(user_id=entry.user_pk, sha256=sha256, **said)


def _one_at_a_time(alias: str) -> None:
    """Two entries must not follow the same one. SQLite has one writer anyway; PostgreSQL waits for the lock here."""
    connection = connections[alias]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
