"""Rollouts, their events and their pending queues. Written by the writer alone (`studio/store`).

Times are microseconds since 1970, UTC, as in `runtime.ports`.
"""

from typing import Self

from django.db import models
from django.db.models import Q

from studio.models.accounts import User
from studio.models.agents import Agent, AgentVersion
from studio.models.sessions import AmpSession
from studio.public_id import new_rollout_id

ASKED, ESCALATED = 52, 58  # codes of event types, as in studio/store/codes.py
LIFECYCLES = ("queued", "running", "waiting", "paused", "completed", "failed", "cancelled")


class RolloutQuerySet(models.QuerySet["Rollout"]):
    def visible_to(self, user: User) -> Self:
        """Those of the sessions that the user may see."""
        return self.filter(session__in=AmpSession.objects.visible_to(user))


class Rollout(models.Model):
    """One running instance of one agent version. The fence is (`next_seq`, `epoch`, `urgent`).

    `draft_text` is the agent's text if an unpublished draft is tried; then `version` is empty.
    `pressing` of the `pending` events are taken also while it is paused.
    `due_at`: when it has something to do; 0 = now, empty = nothing. `lease_until` is by the database's clock.
    A sub-agent has a `parent`, and the `root` above it. `tree_*` of a root: what the tree has spent and set aside.
    From `lifecycle` on: the projection, equal to the fold of what is stored.
    """

    public_id = models.CharField(max_length=32, unique=True, default=new_rollout_id, editable=False)
    session = models.ForeignKey(AmpSession, on_delete=models.PROTECT, related_name="rollouts")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="rollouts")
    version = models.ForeignKey(AgentVersion, on_delete=models.PROTECT, null=True, related_name="rollouts")
    draft_text = models.TextField(null=True, blank=True)  # noqa: DJ001  # an empty draft is a draft
    root = models.ForeignKey("self", on_delete=models.PROTECT, null=True, db_index=False, related_name="tree")
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, db_index=False, related_name="children")
    created_at = models.BigIntegerField()

    next_seq = models.PositiveBigIntegerField(default=1)
    epoch = models.PositiveBigIntegerField(default=0)
    urgent = models.PositiveBigIntegerField(default=0)
    pending = models.PositiveIntegerField(default=0)
    pressing = models.PositiveIntegerField(default=0)
    lease_owner = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001  # only leased rows are in the index
    lease_until = models.BigIntegerField(default=0)
    due_at = models.BigIntegerField(null=True, blank=True)
    last_sha256 = models.BinaryField(max_length=32)
    tree_tokens = models.BigIntegerField(default=0)
    tree_usd = models.FloatField(default=0.0)

    lifecycle = models.CharField(max_length=10)
    waiting_for = models.CharField(max_length=20, blank=True)
    waiting_until = models.BigIntegerField(default=0)
    events = models.PositiveIntegerField(default=0)
    records = models.PositiveIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0)
    tool_calls = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    cost_usd = models.FloatField(default=0.0)
    cost_known = models.BooleanField(default=True)
    last_text = models.TextField(blank=True)
    tape = models.CharField(max_length=60, blank=True)
    business_state = models.TextField(blank=True)
    error = models.TextField(blank=True)
    wake_at = models.BigIntegerField(default=0)
    reserved_tokens = models.PositiveBigIntegerField(default=0)
    reserved_usd = models.FloatField(default=0.0)
    budget_tokens = models.PositiveBigIntegerField(default=0)
    budget_usd = models.FloatField(default=0.0)

    objects = RolloutQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(lifecycle__in=LIFECYCLES), name="rollout_lifecycle_is_known"),
            models.CheckConstraint(condition=Q(next_seq__gte=1), name="rollout_seq_from_1"),
            models.CheckConstraint(
                condition=Q(version=None) | Q(draft_text=None), name="rollout_runs_a_version_or_a_draft"
            ),
            models.CheckConstraint(
                condition=Q(root=None, parent=None) | Q(root__isnull=False, parent__isnull=False),
                name="rollout_has_a_root_and_a_parent_or_none",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="rollout_due"),
            models.Index(fields=["lease_owner"], condition=Q(lease_owner__isnull=False), name="rollout_leased"),
            models.Index(fields=["root"], condition=Q(root__isnull=False), name="rollout_of_tree"),
            models.Index(fields=["parent"], condition=Q(parent__isnull=False), name="rollout_of_parent"),
        ]

    def __str__(self) -> str:
        return self.public_id


class Event(models.Model):
    """One immutable fact; a trigger refuses updates always, and deletes outside erasure.

    A narrow row: `type` and `source` are codes (`studio/store/codes.py`); `received_at` is empty if equal to `at`,
    `id` if the event was never pending. `payload` is the text that the hash chain covers.
    """

    pk = models.CompositePrimaryKey("rollout", "seq")
    rollout = models.ForeignKey(Rollout, on_delete=models.PROTECT, db_index=False, related_name="trajectory")
    seq = models.PositiveIntegerField()
    pos = models.PositiveIntegerField()
    type = models.PositiveSmallIntegerField()
    v = models.PositiveSmallIntegerField()
    payload = models.TextField()
    at = models.BigIntegerField()
    received_at = models.BigIntegerField(null=True)
    source = models.TextField(null=True)  # noqa: DJ001  # a NULL takes no room
    step = models.PositiveIntegerField(null=True)
    cause = models.PositiveIntegerField(null=True)
    id = models.TextField(null=True)  # noqa: DJ001  # a NULL takes no room
    previous = models.BinaryField(max_length=32)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(seq__gte=1, pos__gte=1), name="event_seq_and_pos_from_1"),
            models.UniqueConstraint(fields=["rollout", "pos"], name="event_pos_once"),
        ]
        indexes = [
            models.Index(
                fields=["rollout"],
                condition=Q(type=ASKED) | Q(type=ESCALATED),
                name="event_that_asks",  # so that what waits for people is found without reading trajectories
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rollout_id} {self.seq}"


class PendingEvent(models.Model):
    """Accepted, not yet in the trajectory. `order` is the order of arrival; `key` is that of its AcceptedKey."""

    order = models.BigAutoField(primary_key=True)
    id = models.CharField(max_length=64, unique=True)
    rollout = models.ForeignKey(Rollout, on_delete=models.PROTECT, related_name="queue")
    type = models.PositiveSmallIntegerField()
    v = models.PositiveSmallIntegerField()
    payload = models.TextField()
    source = models.TextField(null=True)  # noqa: DJ001  # a NULL takes no room
    received_at = models.BigIntegerField()
    is_pressing = models.BooleanField(default=False)
    key = models.BinaryField(null=True, max_length=16)

    def __str__(self) -> str:
        return self.id


class AcceptedKey(models.Model):
    """An idempotency key that was used. `digest` is that of sender, route and key; `body` that of the body's hash.

    `event_id` is empty for a session made without a first event, and cleared when the event is withdrawn.
    """

    digest = models.BinaryField(primary_key=True, max_length=16)
    body = models.BinaryField(max_length=16)
    rollout = models.ForeignKey(Rollout, on_delete=models.PROTECT, db_index=False, related_name="+")
    event_id = models.CharField(max_length=64, blank=True)
    is_withdrawn = models.BooleanField(default=False)
    at = models.BigIntegerField()

    def __str__(self) -> str:
        return bytes(self.digest).hex()


class Artifact(models.Model):
    """A large text kept beside a rollout."""

    pk = models.CompositePrimaryKey("rollout", "id")
    rollout = models.ForeignKey(Rollout, on_delete=models.PROTECT, db_index=False, related_name="artifacts")
    id = models.CharField(max_length=64)
    text = models.TextField()

    def __str__(self) -> str:
        return self.id


class Erasure(models.Model):
    """The switch that lets events be deleted: a row stands here inside an erasing transaction, and only there."""

    session = models.ForeignKey(AmpSession, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"erasing {self.session_id}"
