"""Agent Skills of a project: texts that its agents may read, never programs."""

from typing import Self

from django.db import models
from django.utils import timezone

from studio.models.accounts import Project, User
from studio.public_id import new_skill_id


class SkillQuerySet(models.QuerySet["Skill"]):
    def visible_to(self, user: User) -> Self:
        """The skills of the user's projects."""
        return self.filter(project__in=Project.objects.visible_to(user))


class Skill(models.Model):
    """One skill as it is now, all of its files in `packed`. A rollout keeps those that it started with, by hash."""

    public_id = models.CharField(max_length=32, unique=True, default=new_skill_id, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="skills")
    name = models.CharField(max_length=64)
    description = models.CharField(max_length=1024)
    packed = models.TextField()
    sha256 = models.CharField(max_length=64)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    objects = SkillQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="skill_name_once_per_project"),
        ]

    def __str__(self) -> str:
        return self.name
