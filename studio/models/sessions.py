"""Sessions and who takes part in them. Written by the writer alone (`studio/store`)."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from studio.models.accounts import Project, User
from studio.models.agents import Agent
from studio.public_id import new_session_id
from studio.rights import Right


class SessionState(models.TextChoices):
    """An erased session is a tombstone: its row, without its words."""

    OPEN = "open"
    ARCHIVED = "archived"
    ERASED = "erased"


class AmpSessionQuerySet(models.QuerySet["AmpSession"]):
    def visible_to(self, user: User) -> Self:
        """One's own, those one takes part in, those shared with one as an author, and those of projects in which one
        may read others' sessions."""
        if not user.is_active:
            return self.none()
        joined = Participant.objects.filter(user=user, left_at=None).values("session")
        supervised = Project.objects.with_right(user, Right.READ_OTHERS)
        shared = SessionShare.objects.filter(user=user).values("session")
        writing = Project.objects.with_right(user, Right.WRITE_AGENTS)
        mine = Q(owner=user) | Q(pk__in=joined) | Q(pk__in=shared, project__in=writing)
        return self.filter(project__in=Project.objects.visible_to(user)).filter(mine | Q(project__in=supervised))

    def kept(self) -> Self:
        """Without the tombstones."""
        return self.exclude(state=SessionState.ERASED)


class AmpSession(models.Model):
    """A conversation with participants. `next_pos` is the pos that its next event will have."""

    public_id = models.CharField(max_length=32, unique=True, default=new_session_id, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="sessions")
    owner = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="sessions")
    title = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=8, choices=SessionState.choices, default=SessionState.OPEN)
    entry_agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="+")
    metadata = models.JSONField(default=dict, blank=True)
    next_pos = models.PositiveBigIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_at = models.DateTimeField(default=timezone.now)

    objects = AmpSessionQuerySet.as_manager()

    class Meta:
        verbose_name = "session"
        constraints = [
            models.CheckConstraint(condition=Q(state__in=SessionState.values), name="session_state_is_known"),
            models.CheckConstraint(condition=Q(next_pos__gte=1), name="session_pos_from_1"),
        ]
        indexes = [models.Index(fields=["owner", "state", "-last_at"], name="session_of_owner")]

    def __str__(self) -> str:
        return self.title or self.public_id


class ParticipantQuerySet(models.QuerySet["Participant"]):
    def visible_to(self, user: User) -> Self:
        """Those of the sessions that the user may see."""
        return self.filter(session__in=AmpSession.objects.visible_to(user))


class Participant(models.Model):
    """A user or an agent in a session, until they leave."""

    session = models.ForeignKey(AmpSession, on_delete=models.CASCADE, related_name="participants")
    user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="participations")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="participations")
    joined_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)

    objects = ParticipantQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(user=None, agent__isnull=False) | Q(user__isnull=False, agent=None),
                name="participant_is_a_user_or_an_agent",
            ),
            models.UniqueConstraint(fields=["session", "user"], condition=Q(left_at=None), name="user_joins_once"),
            models.UniqueConstraint(fields=["session", "agent"], condition=Q(left_at=None), name="agent_joins_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user or self.agent} in {self.session}"


class SessionShareQuerySet(models.QuerySet["SessionShare"]):
    def visible_to(self, user: User) -> Self:
        """Those of the sessions that the user may see."""
        return self.filter(session__in=AmpSession.objects.visible_to(user))


class SessionShare(models.Model):
    """An author of agents whom a session is shown whole; it counts while they are an author of its project."""

    session = models.ForeignKey(AmpSession, on_delete=models.CASCADE, related_name="shares")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="shared_sessions")
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    objects = SessionShareQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "user"], name="session_shared_once_with_each")]

    def __str__(self) -> str:
        return f"{self.session} for {self.user}"
