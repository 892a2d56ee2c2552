"""The one door to the audit log."""

from dataclasses import dataclass
from typing import Any, Self

from django.db import transaction
from django.http import HttpRequest

from studio.client_address import address_of
from studio.errors import NotAllowed
from studio.models import AuditEntry, User
from studio.store.auditing import Entry, append_entry

TERMINAL = "terminal"


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


def entry(actor: Actor, action: str, subject: str = "", *, before: Any = None, after: Any = None) -> Entry:
    """For the writer's jobs, which append it in their own transaction.

    `action` is dotted (`user.disabled`); `before` and `after` are JSON without secrets.
    """
    user_pk, who = (actor.user.pk, actor.user.username) if actor.user else (None, TERMINAL)
    return Entry(user_pk, who, actor.origin, action, subject, before, after)


@transaction.atomic
def record(actor: Actor, action: str, subject: str = "", *, before: Any = None, after: Any = None) -> AuditEntry:
    """Appends an entry, in the caller's transaction: what was refused or rolled back leaves none."""
    return append_entry(entry(actor, action, subject, before=before, after=after))
