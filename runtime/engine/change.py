"""Events that are about to be recorded together, and the state that they lead to."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from runtime.domain.agent import Agent
from runtime.domain.apply import apply
from runtime.domain.artifact import NewArtifact
from runtime.domain.deadlines import next_deadline
from runtime.domain.decide import lifecycle
from runtime.domain.events import StepStarted
from runtime.domain.memory import MemoryWrite
from runtime.domain.outgoing import outgoing
from runtime.domain.pending import Pending
from runtime.domain.redaction import Redactor
from runtime.domain.state import State
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, Event, place, without_secrets
from runtime.domain.urgency import moved
from runtime.ports import Arrival, Projection


class Change:
    """One append in the making. `state` is what holds once it is recorded; `sends` go to other rollouts with it,
    `writes` to people's memories.
    """

    def __init__(self, state: State, at: int, redactor: Redactor, agent: Agent, rollout: str) -> None:
        self.state, self.agent, self.rollout = state, agent, rollout
        self.sends: list[Arrival] = []
        self.events: list[Event] = []
        self.taken: list[str] = []
        self.artifacts: list[NewArtifact] = []
        self.writes: list[MemoryWrite] = []
        self._at, self._redactor = max(at, state.at), redactor

    def add(self, drafts: Iterable[Draft]) -> None:
        for draft in drafts:
            last = self.state.last
            event = place(draft, self.state.seq + 1, self._at, NO_PREDECESSOR if last is None else last.sha256)
            event = without_secrets(event, self._redactor)
            self.sends.extend(self._arrivals(event))
            self.state = apply(self.state, event)
            self.events.append(event)
            self.writes.extend(
                replace(write, rollout=self.rollout, seq=event.seq, at=event.at) for write in draft.writes
            )

    def _arrivals(self, event: Event) -> Iterator[Arrival]:
        for number, sent in enumerate(outgoing(self.state, event, self.agent, self.rollout)):
            yield Arrival(sent.rollout, sent.payload, self.rollout, f"{self.rollout}-{event.seq}-{number}")

    @property
    def at(self) -> int:
        """When it is recorded, microseconds."""
        return self._at

    @property
    def reserves(self) -> bool:
        """Whether a model call begins with it for which a part of the budget is set aside."""
        return any(isinstance(event.payload, StepStarted) and event.payload.reserved_tokens for event in self.events)

    def take(self, pending: Iterable[Pending]) -> None:
        """Move events from the queue."""
        for item in pending:
            self.add([moved(item)])
            self.taken.append(item.id)

    def keep(self, artifact: NewArtifact) -> None:
        """Write this large text along with the events."""
        self.artifacts.append(NewArtifact(artifact.id, self._redactor.redact(artifact.text)))

    def projection(self) -> Projection:
        return project(self.state, self.agent)


def project(state: State, agent: Agent) -> Projection:
    """What lists show of this state."""
    now, totals = lifecycle(state, agent), state.totals
    step = state.step if state.is_speaking else None
    is_root = state.started is None or not state.started.parent
    limits = agent.limits.raised(state.dealings.raised)
    return Projection(
        lifecycle=now.name,
        waiting_for=now.waiting_for,
        waiting_until=now.until,
        events=totals.events,
        records=totals.records,
        steps=totals.steps,
        tool_calls=totals.tool_calls,
        tokens_in=totals.tokens_in,
        tokens_out=totals.tokens_out,
        cost_usd=totals.cost_usd,
        cost_known=totals.cost_known,
        last_text=totals.last_text,
        tape=totals.tape,
        business_state=state.dealings.business.name,
        error=state.failed or state.pause_reason,
        wake_at=next_deadline(state, agent),
        reserved_tokens=step.reserved_tokens if step is not None else 0,
        reserved_usd=step.reserved_usd if step is not None else 0.0,
        budget_tokens=limits.budget_tokens if is_root else 0,
        budget_usd=limits.budget_usd if is_root else 0.0,
    )
