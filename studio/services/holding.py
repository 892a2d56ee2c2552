"""Rollouts of people who may not go on: paused, so that no further call of theirs begins."""

from django.db.models import QuerySet

from runtime.domain.events import RolloutPaused
from runtime.ports import Arrival, NoSuchRollout, QueueFull, RolloutEnded
from studio.models import Project, Rollout, User
from studio.public_id import new_event_id
from studio.store import Accept
from studio.wiring import running


def hold_rollouts(user: User, reason: str, *, project: Project | None = None, drafts_only: bool = False) -> None:
    """Pauses what works in the person's own sessions; a supervisor may resume it.

    Call it after the change of rights is committed: the writer has a connection of its own.
    """
    for rollout in _at_work(user, project, drafts_only):
        payload = RolloutPaused(by="Studio", reason=reason)
        arrival = Arrival(rollout=rollout, payload=payload, source="system", id=new_event_id())
        try:
            running().store.writer.call(Accept(arrival))
        except (NoSuchRollout, RolloutEnded, QueueFull):
            continue
        running().nudge(rollout)


def _at_work(user: User, project: Project | None, drafts_only: bool) -> QuerySet[Rollout, str]:
    """Those that run, or that go on by themselves; what waits for a message cannot be sent one."""
    found = Rollout.objects.filter(session__owner=user, lifecycle__in=("queued", "running", "waiting"))
    found = found.exclude(lifecycle="waiting", waiting_for="input", pending=0)
    if project is not None:
        found = found.filter(session__project=project)
    if drafts_only:
        found = found.filter(version=None)
    return found.values_list("public_id", flat=True)
