"""Events that are about to be recorded together, and the state that they lead to."""

from collections.abc import Iterable

from runtime.domain.agent import Agent
from runtime.domain.apply import apply
from runtime.domain.artifact import NewArtifact
from runtime.domain.decide import lifecycle
from runtime.domain.pending import Pending
from runtime.domain.redaction import Redactor
from runtime.domain.state import State
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, Event, place, without_secrets
from runtime.domain.urgency import moved
from runtime.ports import Projection


class Change:
    """One append in the making. `state` is what holds once it is recorded."""

    def __init__(self, state: State, at: int, redactor: Redactor) -> None:
        self.state = state
        self.events: list[Event] = []
        self.taken: list[str] = []
        self.artifacts: list[NewArtifact] = []
        self._at, self._redactor = max(at, state.at), redactor

    def add(self, drafts: Iterable[Draft]) -> None:
        for draft in drafts:
            last = self.state.last
            event = place(draft, self.state.seq + 1, self._at, NO_PREDECESSOR if last is None else last.sha256)
            event = without_secrets(event, self._redactor)
            self.state = apply(self.state, event)
            self.events.append(event)

    def take(self, pending: Iterable[Pending]) -> None:
        """Move events from the queue."""
        for item in pending:
            self.add([moved(item)])
            self.taken.append(item.id)

    def keep(self, artifact: NewArtifact) -> None:
        """Write this large text along with the events."""
        self.artifacts.append(NewArtifact(artifact.id, self._redactor.redact(artifact.text)))

    def projection(self, agent: Agent) -> Projection:
        return project(self.state, agent)


def project(state: State, agent: Agent) -> Projection:
    """What lists show of this state."""
    now, totals = lifecycle(state, agent), state.totals
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
        error=state.failed or state.pause_reason,
    )
