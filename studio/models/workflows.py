"""Workflows: ways to start sessions of several agents."""

from typing import Self

from django.db import models
from django.utils import timezone

from studio.models.accounts import Project, User


class WorkflowQuerySet(models.QuerySet["Workflow"]):
    def visible_to(self, user: User) -> Self:
        """The workflows of the user's projects."""
        return self.filter(project__in=Project.objects.visible_to(user))


class Workflow(models.Model):
    """The text of one workflow, as written. A session keeps what it was started with, whatever becomes of the text."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="workflows")
    name = models.CharField(max_length=64)
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    text = models.TextField()
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    objects = WorkflowQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="workflow_name_once_per_project"),
        ]

    def __str__(self) -> str:
        return self.title or self.name
