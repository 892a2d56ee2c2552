"""Rollouts as lists and the API show them."""

from typing import Any

from django.db.models import QuerySet

from runtime.domain.totals import TICKS
from runtime.ports import Projection
from studio.models import AmpSession, Rollout, User
from studio.queries.instants import instant

ENDED = ("completed", "cancelled")
_CATEGORIES = {letter: category.value for category, letter in TICKS.items()}


def visible_rollouts(user: User) -> QuerySet[Rollout]:
    """Those that the person may see, of sessions that are kept, with session, agent and version."""
    kept = Rollout.objects.visible_to(user).filter(session__in=AmpSession.objects.kept())
    return kept.select_related("session", "session__project", "agent", "version")


def rollouts_of(session: AmpSession) -> QuerySet[Rollout]:
    """The session's rollouts, oldest first."""
    return Rollout.objects.filter(session=session).select_related("agent", "version").order_by("pk")


def ticks_of(rollout: Rollout) -> list[str]:
    """The categories of its last events, oldest first, as its tape tells them."""
    return [_CATEGORIES[letter] for letter in rollout.tape]


def rollout_summary(rollout: Rollout) -> dict[str, Any]:
    """One rollout as AMP tells of it."""
    return {
        "id": rollout.public_id,
        "session": rollout.session.public_id,
        "agent": rollout.agent.name,
        "agent_version": rollout.version.number if rollout.version else None,
        "is_draft": rollout.version is None,
        "created_at": instant(rollout.created_at),
        "last_seq": rollout.next_seq - 1,
        "events": rollout.events,
        "records": rollout.records,
        "steps": rollout.steps,
        "tool_calls": rollout.tool_calls,
        **_status(rollout, rollout.pending),
    }


def status_of_row(rollout: Rollout) -> dict[str, Any]:
    """The data of a `status` frame, from the rollout's row."""
    return {"rollout": rollout.public_id, **_status(rollout, rollout.pending)}


def status_of_projection(rollout: str, projection: Projection, pending: int) -> dict[str, Any]:
    """The data of a `status` frame, from what was just recorded."""
    return {"rollout": rollout, **_status(projection, pending)}


def _status(shown: Rollout | Projection, pending: int) -> dict[str, Any]:
    return {
        "lifecycle": shown.lifecycle,
        "waiting_for": shown.waiting_for,
        "waiting_until": instant(shown.waiting_until) if shown.waiting_until else None,
        "business_state": shown.business_state,
        "pending": pending,
        "tokens": {"in": shown.tokens_in, "out": shown.tokens_out},
        "cost": shown.cost_usd if shown.cost_known else None,
        "error": shown.error,
    }
