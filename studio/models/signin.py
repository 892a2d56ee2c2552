"""How a person gets in: one-time links, signed-in browsers, and the delay after wrong passwords."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from studio.models.accounts import User


class SignInLink(models.Model):
    """A one-time link. The secret is in the link only; its SHA-256 is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_in_links")
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"Sign-in link for {self.user}"


class BrowserQuerySet(models.QuerySet["Browser"]):
    def visible_to(self, user: User) -> Self:
        """One's own only."""
        return self.filter(user=user) if user.is_active else self.none()


class Browser(models.Model):
    """A browser in which a person is signed in: the row behind "sign out there"."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="browsers")
    session_key = models.CharField(max_length=40, unique=True)
    address = models.CharField(max_length=45, blank=True)
    agent_name = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = BrowserQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.user} at {self.address}"


class SignInDelay(models.Model):
    """Wrong passwords in a row for an account or from an address, and until when the next try waits."""

    class Kind(models.TextChoices):
        ACCOUNT = "account"
        ADDRESS = "address"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    subject = models.CharField(max_length=64)
    failures = models.PositiveIntegerField(default=0)
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "subject"], name="one_delay_per_subject"),
            models.CheckConstraint(condition=Q(kind__in=["account", "address"]), name="delay_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {self.failures}"
