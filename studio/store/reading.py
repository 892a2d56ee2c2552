"""What pages and protocols read of trajectories, on their own connections, never through the writer."""

from collections.abc import Sequence
from heapq import merge
from itertools import islice

from django.db import connections

from runtime.domain.pending import Pending
from runtime.domain.trajectory import Event
from runtime.ports import Accepted, KeyReused
from studio.models import AcceptedKey
from studio.store.event_rows import event_columns, event_of, pending_of_rollouts
from studio.store.keys import KeyUse
from studio.store.sql import Sql


def events_after(session_pk: int, pos: int, limit: int, *, alias: str = "default") -> list[tuple[int, Event]]:
    """The next events of a session by pos, over all its rollouts: (primary key of the rollout, event)."""
    sql = _sql(alias)
    rollouts = sql.rows(("id",), "FROM studio_rollout WHERE session_id = %s", [session_pk])
    rest = "FROM studio_event e WHERE e.rollout_id = %s AND e.pos > %s ORDER BY e.pos LIMIT %s"
    streams = [
        [(rollout_pk, row) for row in sql.rows(event_columns(sql), rest, [rollout_pk, pos, limit])]
        for (rollout_pk,) in rollouts
    ]
    by_pos = merge(*streams, key=lambda item: item[1][1])
    return [(rollout_pk, event_of(row)) for rollout_pk, row in islice(by_pos, limit)]


def trajectory(rollout_pk: int, first: int = 1, last: int | None = None, *, alias: str = "default") -> Sequence[Event]:
    """The events from seq `first` to `last`, both included."""
    sql = _sql(alias)
    bound, parameters = ("", [rollout_pk, first]) if last is None else (" AND e.seq <= %s", [rollout_pk, first, last])
    rest = f"FROM studio_event e WHERE e.rollout_id = %s AND e.seq >= %s{bound} ORDER BY e.seq"
    return [event_of(row) for row in sql.rows(event_columns(sql), rest, parameters)]


def pending_events(rollout_pk: int, *, alias: str = "default") -> Sequence[Pending]:
    """The pending queue in order of arrival."""
    return pending_of_rollouts(_sql(alias), [rollout_pk])[rollout_pk]


def accepted_before(use: KeyUse) -> Accepted | None:
    """What was accepted under that key before; None if nothing was. Raises KeyReused if its body was another."""
    if not use.key:
        return None
    found = AcceptedKey.objects.filter(digest=use.digest).values_list("body", "event_id", "rollout__public_id").first()
    if found is None:
        return None
    body, event_id, rollout = found
    if bytes(body) != use.body:
        raise KeyReused
    return Accepted(id=event_id, rollout=rollout, repeated=True)


def _sql(alias: str) -> Sql:
    return Sql(connections[alias])
