"""Leaves that were given once for all, so that nobody is asked again."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from studio.models.accounts import Project, User
from studio.models.agents import Agent
from studio.models.sessions import AmpSession
from studio.public_id import new_grant_id
from studio.rights import Right


class StandingGrantQuerySet(models.QuerySet["StandingGrant"]):
    def visible_to(self, user: User) -> Self:
        """Those of sessions that the user may see; of the others one's own, or all for who may decide anything."""
        deciding = Project.objects.with_right(user, Right.DECIDE_ANY)
        wide = Q(session=None) & (Q(given_by=user) | Q(project__in=deciding))
        in_sessions = Q(session__in=AmpSession.objects.visible_to(user))
        return self.filter(project__in=Project.objects.visible_to(user)).filter(in_sessions | wide)

    def standing(self) -> Self:
        """Those that were not revoked."""
        return self.filter(revoked_at=None)


class StandingGrant(models.Model):
    """Calls of `tool` need no further leave: in one session, or of one agent in every session.

    `argument` is empty where every value is meant; else only calls whose argument has exactly this `value`.
    `covers_taint`: also for calls that send out after untrusted content and private data were read.
    """

    public_id = models.CharField(max_length=32, unique=True, default=new_grant_id, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="grants")
    session = models.ForeignKey(AmpSession, on_delete=models.PROTECT, null=True, blank=True, related_name="grants")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, blank=True, related_name="grants")
    tool = models.CharField(max_length=200)
    argument = models.CharField(max_length=200, blank=True)
    value = models.JSONField(null=True, blank=True)
    given_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="grants")
    covers_taint = models.BooleanField(default=False)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    objects = StandingGrantQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(session__isnull=False) | Q(agent__isnull=False), name="grant_is_of_a_session_or_an_agent"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "tool"], condition=Q(revoked_at=None), name="grant_standing"),
        ]

    def __str__(self) -> str:
        return self.public_id
