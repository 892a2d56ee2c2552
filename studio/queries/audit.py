"""Reads of the audit log."""

from django.db.models import QuerySet

from studio.audit_chain import FIRST, entry_sha256
from studio.models import AuditEntry, User


def audit_entries(viewer: User) -> QuerySet[AuditEntry]:
    """All entries, newest first, for an administrator; none for others."""
    entries = AuditEntry.objects.select_related("user").order_by("-pk")
    return entries if viewer.is_superuser else entries.none()


def first_broken_entry() -> AuditEntry | None:
    """The first entry that does not follow from the one before it, or says something else than was recorded."""
    previous = FIRST
    for entry in AuditEntry.objects.order_by("pk").iterator():
        sha256 = entry_sha256(
            at=entry.at,
            user=entry.user_id,
            who=entry.who,
            origin=entry.origin,
            action=entry.action,
            subject=entry.subject,
            before=entry.before,
            after=entry.after,
            previous=previous,
        )
        if entry.previous != previous or entry.sha256 != sha256:
            return entry
        previous = entry.sha256
    return None
