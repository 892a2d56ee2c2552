"""A rollout's row as one transaction of the writer reads and changes it."""

from dataclasses import dataclass
from typing import Any

from runtime.ports import NoSuchRollout, Projection
from studio.store.usage import Usage, budget_of, used_by

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
    "r.wake_at",
    "r.root_id",
    "r.tokens_in + r.tokens_out + r.reserved_tokens",
    "r.cost_usd + r.reserved_usd",
    "r.tree_tokens",
    "r.tree_usd",
    "r.budget_tokens",
    "r.budget_usd",
    "s.next_pos",
    "s.state",
)
ENDED = frozenset({"completed", "cancelled"})


@dataclass(slots=True)
class RolloutRow:
    """The columns that decide; `fence` is what they were when they were read.

    `projection` and `last_sha256` are there once events were appended in this transaction.
    `used`: what the rollout itself has spent and set aside; `tree` and `budget` are those of a root (`root_pk` None).
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
    wake_at: int
    root_pk: int | None
    used: Usage
    tree: Usage
    budget: Usage
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
        self.wake_at = projection.wake_at
        self.used, self.budget = used_by(projection), budget_of(projection)

    @property
    def due_at(self) -> int | None:
        """When it has something to do: 0 = now, None = nothing."""
        if self.lifecycle in ENDED:
            return self.wake_at or None  # it still has to undo what it did
        if self.lifecycle == "paused":
            return 0 if self.pressing else None
        if self.pending or self.lifecycle == "running":
            return 0
        retry_at = self.waiting_until if self.waiting_for == "model" else 0
        return min((at for at in (retry_at, self.wake_at) if at), default=None)


def row_of(columns: list[Any]) -> tuple[RolloutRow, int]:
    """The row from `COLUMNS`, and the next pos of its session."""
    pk, rollout, session_pk, next_seq, epoch, urgent, pending, pressing, waiting_for, *others = columns
    owner, until, lifecycle, waiting_until, wake_at, root_pk, *sums, next_pos, state = others
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
        wake_at=wake_at,
        root_pk=root_pk,
        used=Usage(*sums[:2]),
        tree=Usage(*sums[2:4]),
        budget=Usage(*sums[4:]),
        fence=(next_seq, epoch, urgent),
        is_erased=state == "erased",
    )
    return row, next_pos
