"""Into the trajectory, behind the fence; with it what the events set going in other rollouts."""

from dataclasses import dataclass
from typing import ClassVar

from runtime.ports import Append, Appended, Arrival, Lost, OverBudget
from studio.store.accepting import enqueue, use_of
from studio.store.batch import Batch, Needs
from studio.store.children import agent_of, insert_child
from studio.store.row import ENDED, RolloutRow
from studio.store.usage import budget_of, over_budget, used_by


@dataclass(frozen=True, slots=True)
class AppendEvents:
    """Records events, writes to memories, makes children and sends, all or none. Raises NoSuchRollout, NotThere."""

    only_reads: ClassVar[bool] = False

    append: Append

    def needs(self, needs: Needs) -> None:
        needs.trees.add(self.append.rollout)
        needs.pending.update(self.append.taken)
        for send in self.append.sends:
            needs.rollouts.add(send.rollout)
            if send.key:
                needs.keys.add(use_of(send).digest)
        needs.memories.update((write.scope, write.key) for write in self.append.writes)
        needs.agents.update(agent_of(child) for child in self.append.children)

    def apply(self, batch: Batch) -> Appended | Lost | OverBudget:
        append = self.append
        row = batch.row(append.rollout)
        fence = (append.events[0].seq, append.epoch, append.urgent)
        holds = fence == (row.next_seq, row.epoch, row.urgent)
        is_surprised = append.waiting not in (None, row.pending)
        if not holds or is_surprised or self._deserts(row) or not self._are_pending(batch, row.pk):
            return Lost(epoch=row.epoch, urgent=row.urgent, next_seq=row.next_seq)
        if not batch.memory.follows(append.writes):
            return Lost(epoch=row.epoch, urgent=row.urgent, next_seq=row.next_seq)
        if append.within_budget and (over := self._over_budget(batch, row)):
            return over
        for child in append.children:
            batch.agent(agent_of(child))
        batch.take_pending(row, append.taken)
        first_pos = batch.add_events(row, append.events)
        batch.show(row, append.projection)
        batch.add_artifacts(row, append.artifacts)
        batch.memory.write(append.writes)
        for child in append.children:
            insert_child(batch, row, child)
        for send in append.sends:
            _send(batch, send)
        return Appended(first_pos)

    def _deserts(self, row: RolloutRow) -> bool:
        """True if the rollout would end over an event that was accepted meanwhile."""
        return self.append.projection.lifecycle in ENDED and row.pending > len(self.append.taken)

    def _are_pending(self, batch: Batch, rollout_pk: int) -> bool:
        """False if one of the taken events was withdrawn or replaced meanwhile."""
        rows = (batch.pending.get(id_) for id_ in self.append.taken)
        return all(row is not None and row.rollout_pk == rollout_pk for row in rows)

    def _over_budget(self, batch: Batch, row: RolloutRow) -> OverBudget | None:
        root, projection = batch.root_of(row), self.append.projection
        budget = budget_of(projection) if root is row else root.budget
        return over_budget(budget, root.tree, root.tree.moved(row.used, used_by(projection)))

    def finish(self, _batch: Batch, applied: Appended | Lost | OverBudget) -> Appended | Lost | OverBudget:
        return applied


def _send(batch: Batch, send: Arrival) -> None:
    """Into the other's queue, full or not; nothing if it has ended, or the same was sent before."""
    row = batch.rows.get(send.rollout)
    is_known = bool(send.key) and use_of(send).digest in batch.keys
    if row is not None and row.lifecycle not in ENDED and not row.is_erased and not is_known:
        enqueue(batch, row, send)
