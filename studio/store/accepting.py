"""Into the pending queue, and out of it again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from runtime.ports import Accepted, Arrival, QueueFull, RolloutEnded
from studio.store.auditing import Entry
from studio.store.batch import Batch, KeyRow, Needs, WaitingRow
from studio.store.event_rows import pending_row
from studio.store.keys import KeyUse, used_before
from studio.store.row import ENDED, RolloutRow

QUEUE_LIMIT = 200  # of messages; and as many stops and other control, which must get in when the queue is full


@dataclass(frozen=True, slots=True)
class Accept:
    """Commits an arrival to the queue of its rollout, with an entry of the audit log; a repeated one is nothing.

    Raises NoSuchRollout, RolloutEnded, QueueFull, KeyReused.
    """

    only_reads: ClassVar[bool] = False

    arrival: Arrival
    entry: Entry | None = None

    def needs(self, needs: Needs) -> None:
        needs.rollouts.add(self.arrival.rollout)
        if self.arrival.key:
            needs.keys.add(use_of(self.arrival).digest)
        if self.arrival.replaces:
            needs.pending.add(self.arrival.replaces)

    def apply(self, batch: Batch) -> Accepted:
        arrival = self.arrival
        if first := used_before(batch, use_of(arrival)):
            return Accepted(id=first.event_id, rollout=first.rollout, repeated=True)
        row = batch.row(arrival.rollout).kept()
        if row.lifecycle in ENDED:
            raise RolloutEnded(row.rollout)
        old = self._replaced(batch, row)
        is_pressing = arrival.payload.is_pressing
        ahead = row.pressing if is_pressing else row.pending - row.pressing
        if ahead - sum(event.is_pressing == is_pressing for event in old) >= QUEUE_LIMIT:
            raise QueueFull(QUEUE_LIMIT)
        withdraw(batch, row, old)
        enqueue(batch, row, arrival)
        if self.entry is not None:
            batch.record(self.entry)
        return Accepted(id=arrival.id, rollout=row.rollout)

    def _replaced(self, batch: Batch, row: RolloutRow) -> Sequence[WaitingRow]:
        """The event that this one replaces, if it is still there."""
        old = batch.pending.get(self.arrival.replaces)
        return [old] if old is not None and old.rollout_pk == row.pk else []

    def finish(self, _batch: Batch, applied: Accepted) -> Accepted:
        return applied


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Takes an event back out of the queue; False if it is not there any more. Raises NoSuchRollout."""

    only_reads: ClassVar[bool] = False

    rollout: str
    pending_id: str

    def needs(self, needs: Needs) -> None:
        needs.rollouts.add(self.rollout)
        needs.pending.add(self.pending_id)

    def apply(self, batch: Batch) -> bool:
        row = batch.row(self.rollout).kept()
        pending = batch.pending.get(self.pending_id)
        if pending is None or pending.rollout_pk != row.pk:
            return False
        withdraw(batch, row, [pending])
        return True

    def finish(self, _batch: Batch, applied: bool) -> bool:
        return applied


def use_of(arrival: Arrival) -> KeyUse:
    """The key that it came with."""
    return KeyUse(arrival.sender, arrival.route, arrival.key, arrival.body_sha256)


def enqueue(batch: Batch, row: RolloutRow, arrival: Arrival) -> None:
    """Puts it at the end of the queue, and raises `urgent` if it cancels work."""
    use = use_of(arrival)
    waiting = WaitingRow(arrival.id, row.pk, arrival.payload.is_pressing, use.digest)
    batch.add_pending(row, waiting, pending_row(arrival, row.pk, batch.now, use.digest))
    row.urgent += arrival.payload.is_urgent
    if use.key:
        batch.add_key(KeyRow(use.digest, use.body, row.rollout, row.pk, arrival.id, batch.now))
    if arrival.artifact:
        batch.add_artifacts(row, [arrival.artifact])
    batch.add_artifacts(row, arrival.files)


def withdraw(batch: Batch, row: RolloutRow, pending: Sequence[WaitingRow]) -> None:
    """Removes events from the queue, and notes at their keys that they will not come."""
    batch.take_pending(row, [event.id for event in pending])
    for event in pending:
        if event.key:
            batch.withdraw_key(event.key)
