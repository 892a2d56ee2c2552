"""People and agents join a session, and leave it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from runtime.domain.events import RolloutCancelled
from runtime.ports import Arrival
from studio.models import AmpSession, Participant
from studio.public_id import new_event_id
from studio.store.absent import NotThere
from studio.store.accepting import enqueue
from studio.store.auditing import Entry
from studio.store.batch import Batch
from studio.store.row import ENDED


@dataclass(frozen=True, slots=True)
class JoinSession:
    """Makes a person or an agent, by primary key, a participant; False if it is one already. Raises NotThere."""

    session: str
    user_pk: int | None = None
    agent_pk: int | None = None
    entry: Entry | None = None

    def run(self, batch: Batch) -> bool:
        session = locked_session(batch, self.session)
        joined = Participant.objects.using(batch.alias).filter(session=session, left_at=None)
        who = {"user_id": self.user_pk} if self.user_pk is not None else {"agent_id": self.agent_pk}
        if joined.filter(**who).exists():
            return False
        Participant.objects.using(batch.alias).create(session=session, **who)
        if self.entry is not None:
            batch.record(self.entry)
        return True


@dataclass(frozen=True, slots=True)
class LeaveSession:
    """Ends a participation; an agent's rollouts that people speak to are cancelled. Raises NotThere."""

    session: str
    participant_pk: int
    by: str
    source: str
    entry: Entry | None = None

    def run(self, batch: Batch) -> Sequence[str]:
        """The rollouts that are cancelled; none if it has left before."""
        session = locked_session(batch, self.session)
        joined = Participant.objects.using(batch.alias).filter(session=session, pk=self.participant_pk, left_at=None)
        participant = joined.first()
        if participant is None:
            return []
        joined.update(left_at=timezone.now())
        if self.entry is not None:
            batch.record(self.entry)
        return self._cancel(batch, session, participant.agent_id) if participant.agent_id else []

    def _cancel(self, batch: Batch, session: AmpSession, agent_pk: int) -> Sequence[str]:
        own = session.rollouts.using(batch.alias).filter(agent_id=agent_pk, parent=None).exclude(lifecycle__in=ENDED)
        names = list(own.values_list("public_id", flat=True))
        batch.read_all_of(session.pk)
        payload = RolloutCancelled(by=self.by, reason="The agent left the session.")
        for name in names:
            enqueue(batch, batch.row(name), Arrival(name, payload, self.source, new_event_id()))
        return names


def locked_session(batch: Batch, public_id: str) -> AmpSession:
    """The session's row, locked so that nobody joins it twice. Raises NotThere."""
    kept = AmpSession.objects.using(batch.alias).kept().filter(public_id=public_id)
    session = (kept.select_for_update() if batch.locks else kept).first()
    if session is None:
        raise NotThere(f"session {public_id}")
    return session
