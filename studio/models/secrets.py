"""Secrets: values that agents' files and tools name, and that only leave towards the hosts they are bound to."""

from typing import Self

from django.db import models
from django.utils import timezone

from studio.models.accounts import Project, User
from studio.public_id import new_secret_id


class SecretQuerySet(models.QuerySet["Secret"]):
    def visible_to(self, user: User) -> Self:
        """The secrets of the user's projects; none of them gives its value."""
        return self.filter(project__in=Project.objects.visible_to(user))


class Secret(models.Model):
    """A value under a name of the project, encrypted (Fernet) and never shown again.

    `hosts` are `host` or `host:port`; without one the value is never sent, and only checks what comes in.
    """

    public_id = models.CharField(max_length=32, unique=True, default=new_secret_id, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="secrets")
    name = models.CharField(max_length=64)
    encrypted_value = models.BinaryField()
    hosts = models.JSONField(default=list, blank=True)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    objects = SecretQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="secret_name_once_per_project")]

    def __str__(self) -> str:
        return self.name
