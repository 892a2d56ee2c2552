"""What comes through a trigger, accepted once, in one transaction with the keys that it came under."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runtime.domain.errors import RuntimeFault
from runtime.ports import Arrival, NewRollout
from studio.models import AmpSession, Delivery, Trigger, TriggerKey, TriggerSession
from studio.store.accepting import Accept
from studio.store.batch import Batch, Needs
from studio.store.continuing import ContinueSession
from studio.store.creating import CreateSession, NewSession
from studio.store.triggers import Home, home_of, used_key

MOST_REFUSED = 100
"""Refused deliveries that are kept of each trigger: anybody can send what is refused."""

Outcome = Delivery.Outcome


class HomeMoved(RuntimeFault):
    """The session that it belongs to has begun, ended or gone since it was looked for."""


class TriggerOff(RuntimeFault):
    """The trigger was switched off, is not in the newest version any more, or its agent is archived."""

    def __str__(self) -> str:
        return "this trigger is switched off; an author of the project can switch it on"


class NotDue(RuntimeFault):
    """Somebody else has fired it for this time."""


@dataclass(frozen=True, slots=True)
class Firing:
    """A schedule's time, and the one after it (None = never again). `skips`: not while the last one is worked on."""

    due_at: int
    next_at: int | None
    skips: bool = False


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of it. `session`, `rollout` and `event_id` are public ids; empty if there is none."""

    outcome: str
    session: str = ""
    rollout: str = ""
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Deliver:
    """Accepts `arrival` in the session that it belongs to, in a new rollout `go_on` there, or in the session `begin`.

    `keys` and `group` are digests (`store.triggers`). Raises HomeMoved, TriggerOff, NotDue, QueueFull, NotThere.
    """

    trigger_pk: int
    arrival: Arrival
    keys: Sequence[bytes] = ()
    group: bytes = b""
    begin: NewSession | None = None
    go_on: NewRollout | None = None
    firing: Firing | None = None
    size: int = 0
    sender_id: str = ""
    is_test: bool = False

    def run(self, batch: Batch) -> Delivered:
        rows = Trigger.objects.using(batch.alias).select_related("agent", "last_session")
        trigger = rows.select_for_update(of=("self",)).get(pk=self.trigger_pk)
        if not self.is_test:
            _must_act(trigger)
        if self.firing is not None and trigger.due_at != self.firing.due_at:
            raise NotDue
        if (before := used_key(list(self.keys), batch.alias)) is not None:
            self._note(batch, trigger, Outcome.REPEATED, before.session, before.event_id)
            return Delivered(Outcome.REPEATED, before.session.public_id, "", before.event_id)
        home = Home() if self.is_test else home_of(trigger, self.group, batch.alias)
        if home.is_busy and self.firing is not None and self.firing.skips:
            return self._skipped(batch, trigger, home)
        return self._accepted(batch, trigger, home)

    def _accepted(self, batch: Batch, trigger: Trigger, home: Home) -> Delivered:
        session, rollout = self._accept(batch, home)
        row = AmpSession.objects.using(batch.alias).get(public_id=session)
        keys = [TriggerKey(digest=key, session=row, event_id=self.arrival.id) for key in self.keys]
        TriggerKey.objects.using(batch.alias).bulk_create(keys)
        if self.group and not self.is_test:
            found = TriggerSession.objects.using(batch.alias)
            found.update_or_create(digest=self.group, defaults={"session": row})
        if not self.is_test:
            trigger.last_session = row
        self._note(batch, trigger, Outcome.ACCEPTED, row, self.arrival.id)
        return Delivered(Outcome.ACCEPTED, session, rollout, self.arrival.id)

    def _accept(self, batch: Batch, home: Home) -> tuple[str, str]:
        """The session and the rollout that have it now."""
        if home.session is None:
            if self.begin is None:
                raise HomeMoved
            created = CreateSession(self.begin).run(batch)
            return created.session, created.rollout
        if home.rollout is not None:
            batch.read(Needs(rollouts={home.rollout.public_id}))
            accepted = Accept(replace(self.arrival, rollout=home.rollout.public_id)).apply(batch)
            return home.session.public_id, accepted.rollout
        if self.go_on is None or self.go_on.info.session != home.session.public_id:
            raise HomeMoved
        arrival = replace(self.arrival, rollout=self.go_on.info.rollout)
        return home.session.public_id, ContinueSession(self.go_on, arrival).run(batch).rollout

    def _skipped(self, batch: Batch, trigger: Trigger, home: Home) -> Delivered:
        reason = "What it started before is still worked on, and overlap is skip."
        self._note(batch, trigger, Outcome.SKIPPED, home.session, reason=reason)
        return Delivered(Outcome.SKIPPED)

    def _note(
        self,
        batch: Batch,
        trigger: Trigger,
        outcome: Outcome,
        session: AmpSession | None,
        event_id: str = "",
        reason: str = "",
    ) -> None:
        if self.firing is not None:
            trigger.due_at = self.firing.next_at
        trigger.save(using=batch.alias, update_fields=["due_at", "last_session"])
        Delivery.objects.using(batch.alias).create(
            trigger=trigger,
            at=batch.now,
            outcome=outcome,
            reason=reason,
            size=self.size,
            sender_id=self.sender_id,
            session=session,
            event_id=event_id,
            is_test=self.is_test,
        )


@dataclass(frozen=True, slots=True)
class NoteRefused:
    """Keeps that something was refused, and forgets the oldest such notes of the trigger. `reason` is a sentence.

    `firing`: it came from a schedule, which goes on with its next time; nothing is kept if it has moved on already.
    """

    trigger_pk: int
    reason: str
    size: int = 0
    sender_id: str = ""
    is_test: bool = False
    firing: Firing | None = None

    def run(self, batch: Batch) -> None:
        if self.firing is not None:
            row = Trigger.objects.using(batch.alias).filter(pk=self.trigger_pk, due_at=self.firing.due_at)
            if not row.update(due_at=self.firing.next_at):
                return
        mine = Delivery.objects.using(batch.alias).filter(trigger=self.trigger_pk, outcome=Outcome.REFUSED)
        kept = mine.order_by("-pk").values_list("pk", flat=True)[MOST_REFUSED - 2 : MOST_REFUSED - 1]
        if oldest := kept.first():
            mine.filter(pk__lt=oldest).delete()
        Delivery.objects.using(batch.alias).create(
            trigger_id=self.trigger_pk,
            at=batch.now,
            outcome=Outcome.REFUSED,
            reason=self.reason[:500],
            size=self.size,
            sender_id=self.sender_id,
            is_test=self.is_test,
        )


def _must_act(trigger: Trigger) -> None:
    if not (trigger.is_on and trigger.is_listed) or trigger.agent.archived_at is not None:
        raise TriggerOff
