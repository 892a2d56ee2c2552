"""The conditional updates of session and rollout rows: many rows, one statement."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any

from runtime.ports import Projection
from studio.store.row import RolloutRow
from studio.store.sql import Sql

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FENCE = "t.id = v.column1 AND t.next_seq = v.column2 AND t.epoch = v.column3 AND t.urgent = v.column4"
PROJECTED = tuple(field.name for field in fields(Projection))
_projected = attrgetter(*PROJECTED)


class FenceBroken(Exception):
    """A row changed between its reading and its writing in one transaction."""


def update_sessions(sql: Sql, next_pos: Mapping[int, int], now: int) -> None:
    """Raises the next pos, and says when something happened last."""
    at = sql.connection.ops.adapt_datetimefield_value(EPOCH + timedelta(microseconds=now))
    sql.update(
        "studio_ampsession",
        ["next_pos = v.column2", "last_at = %s"],
        "t.id = v.column1",
        sorted(next_pos.items()),
        [at],
    )


def update_rollouts(sql: Sql, rows: Sequence[RolloutRow]) -> None:
    """Writes the rows back behind their fence. Raises FenceBroken if one is not as it was read."""
    ordered = sorted(rows, key=lambda row: row.pk)
    recorded = [_recorded_values(row) for row in ordered if row.last_sha256]
    others = [_control_values(row) for row in ordered if not row.last_sha256]
    changed = 0
    if recorded:
        changed += sql.update("studio_rollout", _SETS_RECORDED, FENCE, recorded)
    if others:
        changed += sql.update("studio_rollout", _SETS_CONTROL, FENCE, others)
    if changed != len(ordered):
        raise FenceBroken(f"{len(ordered) - changed} of {len(ordered)} rollout rows changed meanwhile")


def _recorded_values(row: RolloutRow) -> tuple[Any, ...]:
    return (*_control_values(row), row.last_sha256, *_projected(row.projection))


def _control_values(row: RolloutRow) -> tuple[Any, ...]:
    return (
        row.pk,
        *row.fence,
        row.next_seq,
        row.epoch,
        row.urgent,
        row.pending,
        row.pressing,
        row.lease_owner,
        row.lease_until,
        row.due_at,
        *row.tree,
    )


_CONTROL = ("next_seq", "epoch", "urgent", "pending", "pressing", "lease_owner", "lease_until")
_SETS_CONTROL = [
    *(f"{name} = v.column{number}" for number, name in enumerate(_CONTROL, start=5)),
    "due_at = CAST(v.column12 AS bigint)",  # a column of nothing but NULL is text to PostgreSQL
    "tree_tokens = v.column13",
    "tree_usd = v.column14",
]
_SETS_RECORDED = [
    *_SETS_CONTROL,
    *(f"{name} = v.column{number}" for number, name in enumerate(("last_sha256", *PROJECTED), start=15)),
]
