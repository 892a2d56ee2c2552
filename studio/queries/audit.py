"""Reads of the audit log."""

from django.db.models import QuerySet

from studio.models import AuditEntry, User


def audit_entries(viewer: User) -> QuerySet[AuditEntry]:
    """All entries, newest first, for an administrator; none for others."""
    entries = AuditEntry.objects.select_related("user").order_by("-pk")
    return entries if viewer.is_superuser else entries.none()
