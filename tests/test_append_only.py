"""The database itself keeps the audit log."""

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from studio.models import AuditEntry

TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'studio_auditentry'"


@pytest.fixture
def entry():
    return AuditEntry.objects.create(
        at=timezone.now(), who="priya", origin="terminal", action="test", previous="0" * 64, sha256="1" * 64
    )


@pytest.mark.django_db
def test_a_changed_audit_entry_is_refused(entry):
    with pytest.raises(DatabaseError, match="append-only: update refused"):
        AuditEntry.objects.filter(pk=entry.pk).update(who="somebody else")


@pytest.mark.django_db
def test_a_deleted_audit_entry_is_refused(entry):
    with pytest.raises(DatabaseError, match="append-only: delete refused"):
        AuditEntry.objects.all().delete()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", [1, 2])
def test_the_triggers_are_there_again_after_tables_were_emptied(entry, round_):
    assert AuditEntry.objects.count() == 1

    with connection.cursor() as cursor:
        assert len(cursor.execute(TRIGGERS).fetchall()) == 2
