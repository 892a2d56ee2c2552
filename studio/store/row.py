"""A rollout's row as one transaction of the writer reads and changes it."""

from dataclasses import dataclass
from typing import Any

from runtime.ports import NoSuchRollout, Projection

COLUMNS = (
    "r.id",
    "r.public_id",
    "r.session_id",
    "r.next_seq",
    "r.epoch",
    "r.urgent",
    "r.pending",
    "r.pressing",
    "r.waiting_for",
    "r.lease_owner",
    "r.lease_until",
    "r.lifecycle",
    "r.waiting_until",
    "s.next_pos",
    "s.state",
)
ENDED = frozenset({"completed", "cancelled"})


@dataclass(slots=True)
class RolloutRow:
    """The columns that decide; `fence` is what they were when they were read.

    `projection` and `last_sha256` are there once events were appended in this transaction.
    """

    pk: int
    rollout: str
    session_pk: int
    next_seq: int
    epoch: int
    urgent: int
    pending: int
    pressing: int
    waiting_for: str
    lease_owner: str | None
    lease_until: int
    lifecycle: str
    waiting_until: int
    fence: tuple[int, int, int]
    is_erased: bool
    projection: Projection | None = None
    last_sha256: bytes = b""
    is_changed: bool = False

    def kept(self) -> "RolloutRow":
        """Itself. Raises NoSuchRollout if its session was erased."""
        if self.is_erased:
            raise NoSuchRollout(self.rollout)
        return self

    def show(self, projection: Projection) -> None:
        """Takes over what lists show, with the events that were just added."""
        self.projection, self.lifecycle = projection, projection.lifecycle
        self.waiting_for, self.waiting_until = projection.waiting_for, projection.waiting_until

    @property
    def due_at(self) -> int | None:
        """When it has something to do: 0 = now, None = nothing."""
        if self.lifecycle in ENDED:
            return None
        if self.lifecycle == "paused":
            return 0 if self.pressing else None
        if self.pending or self.lifecycle == "running":
            return 0
        return self.waiting_until if self.waiting_for == "model" else None


def row_of(columns: list[Any]) -> tuple[RolloutRow, int]:
    """The row from `COLUMNS`, and the next pos of its session."""
    pk, rollout, session_pk, next_seq, epoch, urgent, pending, pressing, waiting_for, *others = columns
    owner, until, lifecycle, waiting_until, next_pos, state = others
    row = RolloutRow(
        pk=pk,
        rollout=rollout,
        session_pk=session_pk,
        next_seq=next_seq,
        epoch=epoch,
        urgent=urgent,
        pending=pending,
        pressing=pressing,
        waiting_for=waiting_for,
        lease_owner=owner,
        lease_until=until,
        lifecycle=lifecycle,
        waiting_until=waiting_until,
        fence=(next_seq, epoch, urgent),
        is_erased=state == "erased",
    )
    return row, next_pos
