"""Sessions are renamed, archived and erased."""

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.domain.events import RolloutCompleted
from runtime.ports import Arrival
from studio.models import AmpSession, Erasure, Participant, SessionShare, SessionState, StandingGrant
from studio.public_id import new_event_id
from studio.store.absent import NotThere
from studio.store.accepting import enqueue
from studio.store.auditing import Entry
from studio.store.batch import Batch
from studio.store.row import ENDED

_ROLLOUTS = "(SELECT id FROM studio_rollout WHERE session_id = %s)"
_CLEARED = (
    "UPDATE studio_rollout SET epoch = epoch + 1, pending = 0, pressing = 0, due_at = NULL, "
    "lease_owner = NULL, lease_until = 0, "
    "draft_text = CASE WHEN draft_text IS NULL THEN NULL ELSE '' END, lifecycle = 'cancelled', waiting_for = '', "
    "waiting_until = 0, last_text = '', business_state = '', error = '', tape = '' WHERE session_id = %s"
)


def _session(batch: Batch, public_id: str) -> AmpSession:
    """Raises NotThere."""
    session = AmpSession.objects.using(batch.alias).kept().filter(public_id=public_id).first()
    if session is None:
        raise NotThere(f"session {public_id}")
    return session


@dataclass(frozen=True, slots=True)
class RenameSession:
    """Gives a session another title. Raises NotThere."""

    session: str
    title: str

    def run(self, batch: Batch) -> None:
        session = _session(batch, self.session)
        session.title = self.title
        session.save(using=batch.alias, update_fields=["title"])


@dataclass(frozen=True, slots=True)
class ArchiveSession:
    """Puts a session away, or (`archived` false) takes it out again. Raises NotThere.

    What it puts away is told to each of its rollouts that goes on, by the name of `by`, whose public id is `source`.
    """

    session: str
    archived: bool = True
    by: str = ""
    source: str = "system"

    def run(self, batch: Batch) -> Sequence[str]:
        """The rollouts that were told."""
        session = _session(batch, self.session)
        session.state = SessionState.ARCHIVED if self.archived else SessionState.OPEN
        session.save(using=batch.alias, update_fields=["state"])
        if not self.archived:
            return []
        batch.read_all_of(session.pk)
        living = [row for row in batch.rows.values() if row.lifecycle not in ENDED]
        payload = RolloutCompleted(by=self.by, reason="The session was archived.")
        for row in living:
            enqueue(batch, row, Arrival(row.rollout, payload, self.source, new_event_id()))
        return [row.rollout for row in living]


@dataclass(frozen=True, slots=True)
class EraseSession:
    """Removes every word of a session; its row stays as a tombstone, and so do its rollouts' numbers.

    Who runs one of its rollouts loses the fence. The audit log gets the entry. Raises NotThere.
    """

    session: str
    entry: Entry | None = None

    def run(self, batch: Batch) -> None:
        session = _session(batch, self.session)
        batch.read_all_of(session.pk)
        switch = Erasure.objects.using(batch.alias).create(session=session)
        for table in ("studio_acceptedkey", "studio_pendingevent", "studio_artifact", "studio_event"):
            batch.sql.execute(f"DELETE FROM {table} WHERE rollout_id IN {_ROLLOUTS}", [session.pk])
        batch.sql.execute(_CLEARED, [session.pk])
        Participant.objects.using(batch.alias).filter(session=session).delete()
        SessionShare.objects.using(batch.alias).filter(session=session).delete()
        StandingGrant.objects.using(batch.alias).filter(session=session).delete()
        session.title, session.metadata, session.state = "", {}, SessionState.ERASED
        session.save(using=batch.alias, update_fields=["title", "metadata", "state"])
        switch.delete(using=batch.alias)
        if self.entry is not None:
            batch.record(self.entry)
