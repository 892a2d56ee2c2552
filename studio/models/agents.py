"""Agents: the draft that their author works on, and the numbered versions that rollouts run."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from studio.models.accounts import Project, User


class AgentQuerySet(models.QuerySet["Agent"]):
    def visible_to(self, user: User) -> Self:
        """The agents of the user's projects."""
        return self.filter(project__in=Project.objects.visible_to(user))

    def open(self) -> Self:
        return self.filter(archived_at=None)


class Agent(models.Model):
    """A named blueprint. `name`, `title`, `description` and `tags` are those of the newest text that could be read.

    `draft_number` is raised by each change of the draft: a save that names another one is a conflict.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="agents")
    name = models.CharField(max_length=64)
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    tags = models.JSONField(default=list, blank=True)
    draft = models.TextField(blank=True)
    draft_number = models.PositiveIntegerField(default=1)
    draft_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    draft_at = models.DateTimeField(default=timezone.now)
    is_demonstration = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="agents")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = AgentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="agent_name_once_per_project"),
            models.CheckConstraint(condition=Q(draft_number__gte=1), name="agent_draft_number_from_1"),
        ]

    def __str__(self) -> str:
        return self.title or self.name


class AgentVersionQuerySet(models.QuerySet["AgentVersion"]):
    def visible_to(self, user: User) -> Self:
        """The versions of the agents of the user's projects."""
        return self.filter(agent__project__in=Project.objects.visible_to(user))


class AgentVersion(models.Model):
    """One immutable snapshot of an agent's text; a trigger refuses changes."""

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    note = models.CharField(max_length=500, blank=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    objects = AgentVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "number"], name="version_number_once_per_agent"),
            models.CheckConstraint(condition=Q(number__gte=1), name="version_number_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.agent.name} v{self.number}"
