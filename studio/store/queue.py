"""Reading a rollout's row and its pending queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from runtime.ports import Queue
from studio.store.batch import Batch, Needs
from studio.store.event_rows import event_columns
from studio.store.row import RolloutRow


@dataclass(frozen=True, slots=True)
class ReadQueue:
    """The row's counters with the pending events in order of arrival. Raises NoSuchRollout."""

    only_reads: ClassVar[bool] = True

    rollout: str

    def needs(self, needs: Needs) -> None:
        needs.rollouts.add(self.rollout)

    def apply(self, batch: Batch) -> RolloutRow:
        row = batch.row(self.rollout).kept()
        batch.want_queue(row)
        return row

    def finish(self, batch: Batch, applied: RolloutRow) -> Queue:
        pending = batch.queue_of(applied)
        return Queue(epoch=applied.epoch, urgent=applied.urgent, next_seq=applied.next_seq, pending=pending)


@dataclass(frozen=True, slots=True)
class ReadEvents:
    """The rows, as `event_of` reads them, of the events with a seq over `after`. Raises NoSuchRollout."""

    only_reads: ClassVar[bool] = True

    rollout: str
    after: int

    def needs(self, needs: Needs) -> None:
        needs.rollouts.add(self.rollout)

    def apply(self, batch: Batch) -> RolloutRow:
        return batch.row(self.rollout).kept()

    def finish(self, batch: Batch, applied: RolloutRow) -> Sequence[Sequence[Any]]:
        rest = "FROM studio_event e WHERE e.rollout_id = %s AND e.seq > %s ORDER BY e.seq"
        return batch.sql.rows(event_columns(batch.sql), rest, [applied.pk, self.after])
