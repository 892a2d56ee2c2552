"""Into the trajectory, behind the fence."""

from dataclasses import dataclass
from typing import ClassVar

from runtime.ports import Append, Appended, Lost
from studio.store.batch import Batch, Needs
from studio.store.row import RolloutRow


@dataclass(frozen=True, slots=True)
class AppendEvents:
    """Records events, all or none. Raises NoSuchRollout."""

    only_reads: ClassVar[bool] = False

    append: Append

    def needs(self, needs: Needs) -> None:
        needs.rollouts.add(self.append.rollout)
        needs.pending.update(self.append.taken)

    def apply(self, batch: Batch) -> Appended | Lost:
        append = self.append
        row = batch.row(append.rollout)
        fence = (append.events[0].seq, append.epoch, append.urgent)
        holds = fence == (row.next_seq, row.epoch, row.urgent)
        is_surprised = append.waiting not in (None, row.pending)
        if not holds or is_surprised or self._deserts(row) or not self._are_pending(batch, row.pk):
            return Lost(epoch=row.epoch, urgent=row.urgent, next_seq=row.next_seq)
        batch.take_pending(row, append.taken)
        first_pos = batch.add_events(row, append.events)
        row.show(append.projection)
        batch.add_artifacts(row, append.artifacts)
        return Appended(first_pos)

    def _deserts(self, row: RolloutRow) -> bool:
        """True if the rollout would complete over an event that was accepted meanwhile."""
        return self.append.projection.lifecycle == "completed" and row.pending > len(self.append.taken)

    def _are_pending(self, batch: Batch, rollout_pk: int) -> bool:
        """False if one of the taken events was withdrawn or replaced meanwhile."""
        rows = (batch.pending.get(id_) for id_ in self.append.taken)
        return all(row is not None and row.rollout_pk == rollout_pk for row in rows)

    def finish(self, _batch: Batch, applied: Appended | Lost) -> Appended | Lost:
        return applied
