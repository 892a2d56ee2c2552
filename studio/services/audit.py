"""The one door to the audit log."""

from dataclasses import dataclass
from typing import Any, Self

from django.db import connection, transaction
from django.http import HttpRequest
from django.utils import timezone

from studio.audit_chain import FIRST, entry_sha256
from studio.client_address import address_of
from studio.errors import NotAllowed
from studio.models import AuditEntry, User

TERMINAL = "terminal"
ADVISORY_LOCK = 0x61756469  # "audi"; any number that nothing else of the studio uses


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts and from where. Without a user: the operator at the terminal, who owns the data folder anyway."""

    user: User | None
    origin: str

    @classmethod
    def terminal(cls) -> Self:
        return cls(None, TERMINAL)

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        """The signed-in person of a request."""
        assert isinstance(request.user, User), "the doors let nobody else in"
        return cls(request.user, address_of(request))

    @property
    def is_administrator(self) -> bool:
        return self.user is None or (self.user.is_active and self.user.is_administrator)

    def must_administer(self, action: str) -> None:
        """Raises NotAllowed unless the actor is an administrator or at the terminal."""
        if not self.is_administrator:
            raise NotAllowed(action)


@transaction.atomic
def record(actor: Actor, action: str, subject: str = "", *, before: Any = None, after: Any = None) -> AuditEntry:
    """Appends an entry, in the caller's transaction: what was refused or rolled back leaves none.

    `action` is dotted (`user.disabled`); `before` and `after` are JSON without secrets.
    """
    _one_at_a_time()
    last = AuditEntry.objects.order_by("-pk").first()
    said = {
        "at": timezone.now(),
        "who": actor.user.username if actor.user else TERMINAL,
        "origin": actor.origin,
        "action": action,
        "subject": subject[:200],
        "before": before,
        "after": after,
        "previous": last.sha256 if last else FIRST,
    }
    sha256 = entry_sha256(user=actor.user.pk if actor.user else None, **said)
    return AuditEntry.objects.create(user=actor.user, sha256=sha256, **said)


def _one_at_a_time() -> None:
    """Two entries must not follow the same one. SQLite has one writer anyway; PostgreSQL waits for the lock here."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
