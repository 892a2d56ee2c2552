"""Which agents may run programs in the sandbox."""

from django.db import models
from django.utils import timezone

from studio.models.accounts import User
from studio.models.agents import Agent


class SandboxGrant(models.Model):
    """An administrator lets this agent use the tools that run programs; without a row it may not."""

    agent = models.OneToOneField(Agent, on_delete=models.CASCADE, related_name="sandbox_grant")
    given_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    given_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"{self.agent.name} may run programs"
