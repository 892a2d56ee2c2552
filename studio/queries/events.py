"""Events as their readers get them."""

from collections.abc import Sequence
from typing import Any

from runtime.domain.pending import Pending
from runtime.domain.trajectory import Event
from studio.models import AmpSession, Rollout
from studio.queries.instants import instant
from studio.queries.shown import Placed, shown_payload, shown_to
from studio.queries.viewer import Viewer
from studio.store import events_after, pending_events, trajectory

PAGE = 500
MOST = 1_000


def placed_after(session: AmpSession, pos: int, limit: int = PAGE) -> list[Placed]:
    """The next events of the session by pos, over all its rollouts."""
    rows = events_after(session.pk, pos, limit)
    names = _names({rollout_pk for rollout_pk, _ in rows})
    return [Placed(session.public_id, *names[rollout_pk], event) for rollout_pk, event in rows]


def envelopes_after(
    session: AmpSession, viewer: Viewer, *, after: int = 0, limit: int = PAGE, types: frozenset[str] = frozenset()
) -> tuple[list[dict[str, Any]], int]:
    """Envelopes by pos, of these types only if any are named, and the cursor behind the last event looked at."""
    placed = placed_after(session, after, min(limit, MOST))
    chosen = [item for item in placed if not types or item.event.type in types]
    return [shown_to(item, viewer) for item in chosen], placed[-1].event.pos if placed else after


def envelopes_of(rollout: Rollout, viewer: Viewer, first: int = 1, last: int | None = None) -> list[dict[str, Any]]:
    """The rollout's trajectory from seq `first` to `last`, both included."""
    session, agent = rollout.session.public_id, rollout.agent.name
    events: Sequence[Event] = trajectory(rollout.pk, first, last)
    return [shown_to(Placed(session, rollout.public_id, agent, event), viewer) for event in events]


def pending_of(rollout: Rollout, viewer: Viewer) -> list[dict[str, Any]]:
    """The rollout's queue in order of arrival; what the viewer may not see is left out."""
    shown = (pending_shown(item, rollout.public_id, rollout.agent.name, viewer) for item in pending_events(rollout.pk))
    return [item for item in shown if item is not None]


def pending_shown(item: Pending, rollout: str, agent: str, viewer: Viewer) -> dict[str, Any] | None:
    """A pending event as the event that it will become; None if that is hidden."""
    payload = shown_payload(item.payload, agent, viewer, item.source)
    if payload is None:
        return None
    return {
        "id": item.id,
        "rollout": rollout,
        "agent": agent,
        "type": item.payload.type,
        "category": item.payload.category.value,
        "urgent": item.payload.is_urgent,
        "source": item.source,
        "received_at": instant(item.received_at),
        "payload": payload,
    }


def _names(pks: set[int]) -> dict[int, tuple[str, str]]:
    rows = Rollout.objects.filter(pk__in=pks).values_list("pk", "public_id", "agent__name")
    return {pk: (public_id, agent) for pk, public_id, agent in rows}
