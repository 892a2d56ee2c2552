"""Rows as they are stored, read with plain SQL: nothing of the runtime is trusted here."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from studio.store.codes import TYPE_OF_CODE, source_of_code

PROJECTED = (
    "lifecycle",
    "waiting_for",
    "waiting_until",
    "events",
    "records",
    "steps",
    "tool_calls",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "cost_known",
    "last_text",
    "tape",
    "business_state",
    "wake_at",
    "reserved_tokens",
    "reserved_usd",
)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session's row."""

    pk: int
    public_id: str
    state: str
    next_pos: int


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event's row; `payload` is the parsed `text`, or None if that is no JSON object."""

    seq: int
    pos: int
    type: str
    v: int
    text: str
    at: int
    received_at: int
    source: str
    step: int | None
    cause: int | None
    id: str
    previous: bytes
    payload: dict[str, Any]

    def get(self, name: str, default: Any = None) -> Any:
        return self.payload.get(name, default)

    @property
    def call_id(self) -> str:
        return str(self.payload.get("call_id", ""))


@dataclass(frozen=True, slots=True)
class StoredRollout:
    """A rollout's row with its trajectory, queue and artifacts. `projection` has the columns of `PROJECTED`."""

    pk: int
    public_id: str
    session_pk: int
    next_seq: int
    last_sha256: bytes
    pending: int
    pressing: int
    due_at: int | None
    root_pk: int | None
    parent_pk: int | None
    tree_tokens: int
    tree_usd: float
    agent_text: str
    projection: dict[str, Any]
    events: Sequence[StoredEvent]
    artifacts: frozenset[str]


def sessions(connection: BaseDatabaseWrapper) -> list[StoredSession]:
    sql = "SELECT id, public_id, state, next_pos FROM studio_ampsession ORDER BY id"
    return [StoredSession(*row) for row in rows(connection, sql)]


def rollouts(connection: BaseDatabaseWrapper, session_pk: int) -> Iterator[StoredRollout]:
    """The rollouts of a session, with all that hangs on them."""
    columns = ", ".join(f"r.{name}" for name in PROJECTED)
    sql = (
        "SELECT r.id, r.public_id, r.session_id, r.next_seq, r.last_sha256, r.pending, r.pressing, r.due_at, "
        "r.root_id, r.parent_id, r.tree_tokens, r.tree_usd, "
        f"coalesce(v.text, r.draft_text, ''), {columns} FROM studio_rollout r "
        "LEFT JOIN studio_agentversion v ON v.id = r.version_id WHERE r.session_id = %s ORDER BY r.id"
    )
    for row in rows(connection, sql, session_pk):
        pk, public_id, session, next_seq, last, pending, pressing, due_at, *others = row
        root, parent, tree_tokens, tree_usd, text, *shown = others
        kept = rows(connection, "SELECT id FROM studio_artifact WHERE rollout_id = %s", pk)
        yield StoredRollout(
            pk=pk,
            public_id=public_id,
            session_pk=session,
            next_seq=next_seq,
            last_sha256=bytes(last),
            pending=pending,
            pressing=pressing,
            due_at=due_at,
            root_pk=root,
            parent_pk=parent,
            tree_tokens=tree_tokens,
            tree_usd=tree_usd,
            agent_text=text,
            projection=dict(zip(PROJECTED, shown, strict=True)),
            events=_events(connection, pk),
            artifacts=frozenset(id_ for (id_,) in kept),
        )


def _events(connection: BaseDatabaseWrapper, rollout_pk: int) -> list[StoredEvent]:
    sql = (
        "SELECT seq, pos, type, v, payload, at, received_at, source, step, cause, id, previous "
        "FROM studio_event WHERE rollout_id = %s ORDER BY seq"
    )
    return [
        StoredEvent(
            seq=seq,
            pos=pos,
            type=TYPE_OF_CODE.get(code, f"unknown type {code}"),
            v=v,
            text=text,
            at=at,
            received_at=at if received_at is None else received_at,
            source=source_of_code(source),
            step=step,
            cause=cause,
            id=id_ or "",
            previous=bytes(previous),
            payload=_object(text),
        )
        for seq, pos, code, v, text, at, received_at, source, step, cause, id_, previous in rows(
            connection, sql, rollout_pk
        )
    ]


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def rows(connection: BaseDatabaseWrapper, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())
