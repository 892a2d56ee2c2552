"""Prompts are read by those who may. What they show of another person's memory is recorded."""

from datetime import timedelta

from django.utils import timezone

from studio.models import AuditEntry, Rollout, User
from studio.queries.prompts import StepPrompt, step_prompt
from studio.queries.viewer import Viewer
from studio.services.audit import Actor, record

READ = "memory.read"
_ONCE_IN = timedelta(minutes=10)


def read_prompt(
    actor: Actor, rollout: Rollout, viewer: Viewer, step: int, attempt: int | None = None
) -> StepPrompt | None:
    """The request of that step (of its last attempt, unless one is named); None if there is none.

    Raises NotAllowed, CannotRender.
    """
    found = step_prompt(rollout, viewer, step, attempt, with_others=True)
    for owner in User.objects.filter(public_id__in=found.memory.others if found else ()):
        note_reading(actor, owner, f"in a prompt of {rollout.public_id}")
    return found


def note_reading(actor: Actor, owner: User, where: str) -> None:
    """Put it into the audit log that somebody read a person's memory; the same within minutes is one reading."""
    said = {"action": READ, "subject": owner.username, "after": {"where": where}}
    before = AuditEntry.objects.filter(user=actor.user, at__gte=timezone.now() - _ONCE_IN, **said)
    if not before.exists():
        record(actor, READ, owner.username, after=said["after"])
