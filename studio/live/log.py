"""What a watch reads of the database: in threads, each call short."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async

from studio.models import AmpSession, Rollout
from studio.queries.events import PAGE, pending_shown, placed_after
from studio.queries.rollouts import ENDED, rollouts_of, status_of_row
from studio.queries.shown import Placed
from studio.queries.viewer import Viewer
from studio.store import pending_events


@dataclass(frozen=True, slots=True)
class Standing:
    """A rollout as it stands: its status, and its queue as the viewer may see it, by id."""

    rollout: str
    agent: str
    is_live: bool
    status: dict[str, Any]
    pending: dict[str, dict[str, Any]]


def in_thread[**P, T](function: Callable[P, T]) -> Callable[P, Any]:
    """The function as a coroutine function that does not wait for other connections' queries."""
    return database_sync_to_async(function, thread_sensitive=False)


@in_thread
def last_pos(session_pk: int) -> int | None:
    """None if the session was erased."""
    found = AmpSession.objects.kept().filter(pk=session_pk).values_list("next_pos", flat=True).first()
    return None if found is None else found - 1


@in_thread
def log_after(session: AmpSession, pos: int) -> list[Placed]:
    """The next page of the session's events; empty at the end."""
    return placed_after(session, pos, PAGE)


@in_thread
def standings(session: AmpSession, viewer: Viewer) -> list[Standing]:
    """All rollouts of the session."""
    return [_standing(rollout, viewer) for rollout in rollouts_of(session)]


@in_thread
def waiting(rollout: str, viewer: Viewer) -> dict[str, dict[str, Any]]:
    """The rollout's queue as the viewer may see it, by id."""
    found = Rollout.objects.filter(public_id=rollout).select_related("agent").first()
    return {} if found is None else _waiting(found, viewer)


def _standing(rollout: Rollout, viewer: Viewer) -> Standing:
    pending = _waiting(rollout, viewer) if rollout.pending else {}
    is_live = rollout.lifecycle not in ENDED
    return Standing(rollout.public_id, rollout.agent.name, is_live, status_of_row(rollout), pending)


def _waiting(rollout: Rollout, viewer: Viewer) -> dict[str, dict[str, Any]]:
    agent = rollout.agent.name
    shown = (pending_shown(item, rollout.public_id, agent, viewer) for item in pending_events(rollout.pk))
    return {item["id"]: item for item in shown if item is not None}
