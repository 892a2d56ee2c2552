"""The store of a run, which looks at each append as it is made, and keeps what is to be compared in the end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.events import StepStarted
from runtime.domain.state import State
from runtime.engine.change import project
from runtime.ports import Append, Appended, Arrival, Lost, NewRollout, OverBudget
from runtime.stores.in_process import InProcessStore, Row

Faults = list[str]
"""What was broken of the promises of `runtime.md`, 12. Kept, since the engine lives through errors of its ports."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An event that was put into the queue of that rollout."""

    rollout: str
    id: str


class RecordingStore(InProcessStore):
    """`states` follow the trajectories event by event; `sent` is all that was ever accepted, `withdrawn` taken back."""

    def __init__(self, now: Callable[[], int], agents: Mapping[str, Agent], faults: Faults) -> None:
        super().__init__(now)
        self.agents, self.faults = agents, faults
        self.states: dict[str, State] = {}
        self.sent: list[Sent] = []
        self.withdrawn: set[str] = set()

    def agent_of(self, rollout: str) -> Agent:
        return self.agents[self.rows[rollout].info.agent]

    async def append(self, append: Append) -> Appended | Lost | OverBudget:
        answer = await super().append(append)
        if isinstance(answer, Appended):  # nothing comes between the commit and this
            self._look_at(append)
        return answer

    async def withdraw(self, rollout: str, pending_id: str) -> bool:
        was_there = await super().withdraw(rollout, pending_id)
        if was_there:
            self.withdrawn.add(pending_id)
        return was_there

    def _look_at(self, append: Append) -> None:
        """Promises 11 and 12, and the budget of the tree."""
        row, agent = self.rows[append.rollout], self.agent_of(append.rollout)
        self.states[append.rollout] = state = fold(append.events, self.states[append.rollout])
        if project(state, agent) != append.projection:
            self.faults.append(f"{append.rollout} is shown otherwise than it is at seq {state.seq}")
        begins = [event for event in append.events if isinstance(event.payload, StepStarted)]
        if begins and row.pending:
            waiting = [item.payload.type for item in row.pending]
            self.faults.append(f"{append.rollout}: step {begins[0].step} begins and does not see what waits: {waiting}")
        self._check_budget(row)

    def _check_budget(self, row: Row) -> None:
        root = self.rows[row.info.root or row.info.rollout]
        limit = root.projection.budget_tokens
        used = sum(self._used(other.projection)[0] for other in self._tree(root))
        if limit and used > limit:
            self.faults.append(f"{root.info.rollout}: its tree has used {used} of {limit} tokens")

    def _create(self, new: NewRollout) -> None:
        super()._create(new)
        self.states[new.info.rollout] = fold([new.started])

    def _enqueue(self, row: Row, arrival: Arrival) -> None:
        if arrival.replaces:
            self.withdrawn.add(arrival.replaces)
        self.sent.append(Sent(arrival.rollout, arrival.id))
        super()._enqueue(row, arrival)
