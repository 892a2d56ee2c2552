"""The audit log: append-only (a trigger refuses changes) and hash-chained."""

from django.db import models

from studio.models.accounts import User


class AuditEntry(models.Model):
    """Who did what, when, from where, with what before and after. Row 1 follows 64 zeros."""

    at = models.DateTimeField()
    user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    who = models.CharField(max_length=100)
    origin = models.CharField(max_length=64)
    action = models.CharField(max_length=64)
    subject = models.CharField(max_length=200, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    previous = models.CharField(max_length=64, unique=True)
    sha256 = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.who}: {self.action} {self.subject}"
