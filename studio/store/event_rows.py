"""Events and pending events as rows of their tables, and back."""

from collections.abc import Collection, Sequence
from typing import Any

from runtime.domain.events.versions import dump, load
from runtime.domain.pending import Pending
from runtime.domain.trajectory import Event, restore
from runtime.ports import Arrival
from studio.store.codes import TYPE_CODES, TYPE_OF_CODE, source_code, source_of_code
from studio.store.sql import Sql, marks

EVENT_COLUMNS = (
    "rollout_id",
    "seq",
    "pos",
    "type",
    "v",
    "payload",
    "at",
    "received_at",
    "source",
    "step",
    "cause",
    "id",
    "previous",
)
PENDING_COLUMNS = ("id", "rollout_id", "type", "v", "payload", "source", "received_at", "is_pressing", "key")


def event_row(rollout_pk: int, event: Event, pos: int) -> tuple[Any, ...]:
    """The values of `EVENT_COLUMNS`."""
    payload = event.payload
    return (
        rollout_pk,
        event.seq,
        pos,
        TYPE_CODES[payload.type],
        payload.version,
        event.text,
        event.at,
        None if event.received_at == event.at else event.received_at,
        source_code(event.source),
        event.step,
        event.cause,
        event.id or None,
        event.previous,
    )


def event_columns(sql: Sql) -> Sequence[str]:
    """What `event_of` wants to be read: `EVENT_COLUMNS` without the rollout, of `studio_event e`."""
    return (*(f"e.{column}" for column in EVENT_COLUMNS[1:-1]), sql.hex("e.previous"))


def event_of(row: Sequence[Any]) -> Event:
    """The event from `event_columns`. Raises UnknownEventType."""
    seq, pos, type_, v, payload, at, received_at, source, step, cause, id_, previous = row
    return restore(
        type=TYPE_OF_CODE.get(type_, str(type_)),
        v=v,
        text=payload,
        seq=seq,
        pos=pos,
        source=source_of_code(source),
        at=at,
        received_at=at if received_at is None else received_at,
        step=step,
        cause=cause,
        id=id_ or "",
        previous=bytes.fromhex(previous),
    )


def pending_row(arrival: Arrival, rollout_pk: int, received_at: int, key: bytes) -> tuple[Any, ...]:
    """The values of `PENDING_COLUMNS`."""
    payload = arrival.payload
    return (
        arrival.id,
        rollout_pk,
        TYPE_CODES[payload.type],
        payload.version,
        dump(payload),
        source_code(arrival.source),
        received_at,
        payload.is_pressing,
        key or None,
    )


def pending_of_rollouts(sql: Sql, rollout_pks: Collection[int]) -> dict[int, list[Pending]]:
    """The pending queues of these rollouts, each in order of arrival. Raises UnknownEventType."""
    queues: dict[int, list[Pending]] = {pk: [] for pk in rollout_pks}
    if not queues:
        return queues
    columns = ("rollout_id", '"order"', "id", "type", "v", "payload", "source", "received_at")
    rest = f'FROM studio_pendingevent WHERE rollout_id IN ({marks(len(queues))}) ORDER BY "order"'
    for rollout_pk, order, id_, type_, v, payload, source, received_at in sql.rows(columns, rest, list(queues)):
        pending = Pending(
            id=id_,
            payload=load(TYPE_OF_CODE.get(type_, str(type_)), v, payload),
            source=source_of_code(source),
            received_at=received_at,
            order=order,
        )
        queues[rollout_pk].append(pending)
    return queues
