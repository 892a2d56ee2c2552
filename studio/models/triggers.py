"""Triggers: what starts or wakes an agent from outside, and what came through them. Times in microseconds, UTC."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from studio.models.accounts import Project, User
from studio.models.agents import Agent
from studio.models.sessions import AmpSession
from studio.public_id import new_trigger_id


class TriggerQuerySet(models.QuerySet["Trigger"]):
    def visible_to(self, user: User) -> Self:
        """The triggers of agents of the user's projects."""
        return self.filter(agent__project__in=Project.objects.visible_to(user))

    def listed(self) -> Self:
        """Those that the newest published version of their agent has."""
        return self.filter(is_listed=True)

    def acting(self) -> Self:
        """Those of them that are switched on, of agents that are not archived."""
        return self.listed().filter(is_on=True, agent__archived_at=None)


class Trigger(models.Model):
    """One trigger of an agent. Its row outlives the versions that name it, with what came through it.

    `name` tells it from the others of its kind in the file; `settings` are those of the newest published version.
    `due_at`: when a schedule fires or a source is looked at next; empty = never. `cursor` is the source's own.
    `failures` in a row of looking at the source, the last of which is `problem`. `last_session`: where it led to last.
    """

    class Kind:
        """Those that come by themselves; the others are sources (`studio/sources/table.py`)."""

        WEBHOOK = "webhook"
        SCHEDULE = "schedule"

    public_id = models.CharField(max_length=32, unique=True, default=new_trigger_id, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="triggers")
    kind = models.CharField(max_length=20)
    name = models.CharField(max_length=450)
    settings = models.JSONField(default=dict)
    is_listed = models.BooleanField(default=True)
    is_on = models.BooleanField(default=True)
    due_at = models.BigIntegerField(null=True, blank=True)
    cursor = models.TextField(blank=True)
    failures = models.PositiveIntegerField(default=0)
    problem = models.CharField(max_length=500, blank=True)
    last_session = models.ForeignKey(AmpSession, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = TriggerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "kind", "name"], name="trigger_name_once_per_kind_and_agent"),
        ]
        indexes = [models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="trigger_due")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Delivery(models.Model):
    """One thing that came through a trigger, and what became of it. Never its body, and never a secret.

    `sender_id` is the id that the sender gave it; `size` counts bytes. `event_id` is that of the event it became.
    """

    class Outcome(models.TextChoices):
        ACCEPTED = "accepted"
        REPEATED = "repeated"
        SKIPPED = "skipped"
        REFUSED = "refused"

    trigger = models.ForeignKey(Trigger, on_delete=models.CASCADE, related_name="deliveries")
    at = models.BigIntegerField()
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    reason = models.CharField(max_length=500, blank=True)
    size = models.PositiveIntegerField(default=0)
    sender_id = models.CharField(max_length=200, blank=True)
    session = models.ForeignKey(AmpSession, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    event_id = models.CharField(max_length=64, blank=True)
    is_test = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [models.Index(fields=["trigger", "-at"], name="delivery_of_trigger")]

    def __str__(self) -> str:
        return f"{self.trigger}: {self.outcome}"


class TriggerKey(models.Model):
    """A key under which something was accepted, for ever. `digest` is that of the trigger and the key."""

    digest = models.BinaryField(primary_key=True, max_length=16)
    session = models.ForeignKey(AmpSession, on_delete=models.PROTECT, db_index=False, related_name="+")
    event_id = models.CharField(max_length=64)

    def __str__(self) -> str:
        return bytes(self.digest).hex()


class TriggerSession(models.Model):
    """The session that all of one value of `session_by` goes to. `digest` is that of the trigger and the value."""

    digest = models.BinaryField(primary_key=True, max_length=16)
    session = models.ForeignKey(AmpSession, on_delete=models.PROTECT, db_index=False, related_name="+")

    def __str__(self) -> str:
        return bytes(self.digest).hex()
