"""Which rollouts have asked people something: found by an index over what asks, never by reading trajectories."""

from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, OuterRef, Q, QuerySet, Subquery

from studio.models import AmpSession, Event, Project, Rollout, User
from studio.queries.rollouts import ENDED, visible_rollouts
from studio.store.codes import TYPE_CODES

ASKED, ESCALATED = TYPE_CODES["approval.request"], TYPE_CODES["agent.escalation"]
SAID = TYPE_CODES["agent.output"]
_HAS_ASKED = f"studio_rollout.id IN (SELECT a.rollout_id FROM studio_event a WHERE a.type = {ASKED})"
_HAS_ESCALATED = f"studio_rollout.id IN (SELECT a.rollout_id FROM studio_event a WHERE a.type = {ESCALATED})"
"""The codes stand in the text, since the indexes are partial ones: a planner must see them."""
_WAITS = f"""type = {SAID} AND payload LIKE '%%"waits":true%%'"""
"""A stored output that is a question; inside a text its quotes would be escaped."""


def rollouts_that_asked(user: User, *, is_open: bool | None = None) -> QuerySet[Rollout]:
    """Those with a question about a call that the person may see; if `is_open` only those that may still wait for one.

    A person who is named as an approver sees the question, not the session around it: then `is_seen` is false.
    """
    seen = Q(pk__in=visible_rollouts(user).values("pk"))
    rollouts = _of_kept_sessions().filter(seen | Q(pk__in=_naming(user))).extra(where=[_HAS_ASKED])
    if is_open:
        rollouts = _may_wait(rollouts)
    return rollouts.annotate(is_seen=ExpressionWrapper(seen, BooleanField()))


def asked_last(rollouts: QuerySet[Rollout]) -> QuerySet[Rollout]:
    """The same, whoever asked last first."""
    asked = Event.objects.filter(rollout=OuterRef("pk"), type=ASKED).order_by("-seq").values("at")[:1]
    return rollouts.order_by(Subquery(asked).desc())


def rollouts_that_escalated(user: User) -> QuerySet[Rollout]:
    """Those that have not ended, with a question to supervisors, that the person may see."""
    return visible_rollouts(user).exclude(lifecycle__in=ENDED).extra(where=[_HAS_ESCALATED])


def waiting_outputs(rollouts: QuerySet[Rollout]) -> QuerySet[Event]:
    """The outputs of these rollouts that are questions to one person."""
    return Event.objects.filter(rollout__in=rollouts.values("pk")).extra(where=[_WAITS])


def _may_wait(rollouts: QuerySet[Rollout]) -> QuerySet[Rollout]:
    """A rollout that waits for something else asks nothing: a question comes first in what it waits for."""
    resting = Q(lifecycle="waiting") & ~Q(waiting_for__in=("approval", "model"))
    return rollouts.exclude(Q(lifecycle__in=ENDED) | resting)


def _of_kept_sessions() -> QuerySet[Rollout]:
    kept = Rollout.objects.filter(session__in=AmpSession.objects.kept())
    return kept.select_related("session", "session__project", "agent", "version", "root")


def _naming(user: User) -> QuerySet[Event, Any]:
    """Rollouts of the person's projects in which a question names the person."""
    projects = Project.objects.visible_to(user)
    asks = Event.objects.filter(rollout__session__project__in=projects).extra(where=[f"type = {ASKED}"])
    named = Q(payload__contains=f'"{user.username}"') | Q(payload__contains=f'"{user.public_id}"')
    return asks.filter(named & Q(payload__contains='"approvers":[')).values("rollout")
