"""The audit log is chained like a trajectory."""

from collections.abc import Iterator

from studio.audit_chain import FIRST, entry_sha256
from studio.models import AuditEntry
from studio.verify.finding import Finding


def check_audit(alias: str) -> Iterator[Finding]:
    """Each entry follows the one before, and says what it said."""
    previous = FIRST
    for entry in AuditEntry.objects.using(alias).order_by("pk").iterator():
        said = entry_sha256(
            at=entry.at,
            user=entry.user_id,
            who=entry.who,
            origin=entry.origin,
            action=entry.action,
            subject=entry.subject,
            before=entry.before,
            after=entry.after,
            previous=entry.previous,
        )
        if entry.previous != previous or entry.sha256 != said:
            yield Finding("audit", f"audit entry {entry.pk}", "it, or the entry before it, was changed or removed")
            return
        previous = entry.sha256
