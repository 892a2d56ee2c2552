"""People's long-term memories. Written by the writer alone (`studio/store`); the only place where values stand."""

from typing import Self

from django.db import models
from django.db.models import Q

from studio.models.accounts import Project, User
from studio.rights import Right


class MemoryVersionQuerySet(models.QuerySet["MemoryVersion"]):
    def visible_to(self, user: User) -> Self:
        """One's own, and those of the projects in which one may read others' memory."""
        reading = Project.objects.with_right(user, Right.READ_OTHERS_MEMORY)
        return self.filter(project__in=Project.objects.visible_to(user)).filter(Q(owner=user) | Q(project__in=reading))

    def shown(self) -> Self:
        """The newest versions that have a value."""
        return self.filter(is_current=True, value__isnull=False)


class MemoryVersion(models.Model):
    """One version of one key of a person's memory in a project.

    `namespace`: `user` for all agents, or `agent:NAME`. `value` is empty (NULL) in a version that forgets the key, and
    once it was erased. `words` of the current version are what a search looks at. Microseconds in `at` and `erased_at`.
    Where it came from: the event `seq` of `rollout` (a public id), or the person `by`.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memories")
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memories")
    namespace = models.CharField(max_length=80)
    key = models.CharField(max_length=100)
    version = models.PositiveIntegerField()
    value = models.TextField(null=True)  # noqa: DJ001  # no value is not an empty one
    sha256 = models.CharField(max_length=64, blank=True)
    words = models.TextField(blank=True)
    is_current = models.BooleanField(default=True)
    is_tainted = models.BooleanField(default=False)
    at = models.BigIntegerField()
    erased_at = models.BigIntegerField(null=True)
    rollout = models.CharField(max_length=32, blank=True)
    seq = models.PositiveIntegerField(default=0)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, db_index=False, related_name="+")

    objects = MemoryVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "owner", "namespace", "key", "version"], name="memory_version_once"
            ),
            models.UniqueConstraint(
                fields=["project", "owner", "namespace", "key"],
                condition=Q(is_current=True),
                name="memory_current_once",
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="memory_version_from_1"),
            models.CheckConstraint(
                condition=Q(erased_at=None) | Q(value=None, sha256="", words=""), name="memory_erased_is_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.version}"
