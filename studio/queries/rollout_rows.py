"""The rollouts list: those that the viewer may see, newest first, by agent, status, period and words."""

from collections.abc import Mapping
from datetime import timedelta

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from studio.models import Event, Rollout, User
from studio.queries.instants import microseconds_of
from studio.queries.rollouts import visible_rollouts

STATUSES: Mapping[str, tuple[str, Q]] = {
    "running": ("Running", Q(lifecycle__in=("queued", "running"))),
    "waiting": ("Waiting", Q(lifecycle="waiting")),
    "approval": ("Needs a decision", Q(lifecycle="waiting", waiting_for="approval")),
    "paused": ("Paused", Q(lifecycle="paused")),
    "failed": ("Failed", Q(lifecycle="failed")),
    "cancelled": ("Cancelled", Q(lifecycle="cancelled")),
    "completed": ("Finished", Q(lifecycle="completed")),
}
PERIODS: Mapping[str, tuple[str, timedelta]] = {
    "day": ("Last 24 hours", timedelta(days=1)),
    "week": ("Last 7 days", timedelta(days=7)),
    "month": ("Last 30 days", timedelta(days=30)),
}
MOST_WORDS = 10


def found_rollouts(
    viewer: User, *, agent: str = "", status: str = "", period: str = "", words: str = ""
) -> QuerySet[Rollout]:
    """With `last_at`, when the newest event was recorded, in microseconds."""
    last = Event.objects.filter(rollout=OuterRef("pk"), seq=OuterRef("next_seq") - 1).values("at")[:1]
    found = visible_rollouts(viewer).select_related("session__owner").annotate(last_at=Subquery(last))
    if agent:
        found = found.filter(agent__name=agent)
    if status in STATUSES:
        found = found.filter(STATUSES[status][1])
    if period in PERIODS:
        found = found.filter(created_at__gte=microseconds_of(timezone.now() - PERIODS[period][1]))
    for word in words.split()[:MOST_WORDS]:
        found = found.filter(_said(word))
    return found.order_by("-created_at", "-pk")


def agent_names(viewer: User) -> list[str]:
    """The agents that have a rollout which the viewer may see."""
    return list(visible_rollouts(viewer).order_by("agent__name").values_list("agent__name", flat=True).distinct())


def _said(word: str) -> Q:
    people = Q(session__owner__username__icontains=word) | Q(session__owner__display_name__icontains=word)
    words = Q(session__title__icontains=word) | Q(agent__name__icontains=word) | Q(public_id__icontains=word)
    return people | words | Q(last_text__icontains=word) | Q(error__icontains=word)
