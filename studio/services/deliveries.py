"""What happened outside becomes an event of an agent, once, in the session that it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from runtime.domain.arguments import canonical
from runtime.domain.artifact import NewArtifact
from runtime.domain.events import ExternalTrigger
from runtime.domain.trajectory import harmless
from runtime.ports import Arrival, NewRollout
from studio.errors import NotThereAny, StudioError
from studio.models import Participant, Trigger, User
from studio.public_id import new_event_id, new_session_id
from studio.services.cast import cast_of_trigger
from studio.services.content import head_of
from studio.services.faults import Stopping, refusals
from studio.services.rollout_agent import newest_text, published_agent
from studio.store import NewSession
from studio.store.delivering import Deliver, Delivered, Firing, HomeMoved, NoteRefused
from studio.store.triggers import Home, group_digest, home_of, key_digest, used_key
from studio.wiring import running

TRIES = 5
TITLE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Coming:
    """What comes through a trigger. `keys` are good once for ever; `group` is the value of `session_by`.

    `person`: whose memory it may use. `task`: what the agent's author wants done then. `tester`: who tries it, in a
    session of their own that nothing else goes to.
    """

    body: Any
    keys: Sequence[str] = ()
    group: str = ""
    person: User | None = None
    urgent: bool = False
    task: str = ""
    size: int = 0
    sender_id: str = ""
    firing: Firing | None = None
    tester: User | None = None


def deliver(trigger: Trigger, coming: Coming) -> Delivered:
    """Accepts it, for good when this returns, and wakes the agent.

    Raises StudioError if it cannot be taken; that is noted among the trigger's deliveries. Raises NotDue.
    """
    try:
        delivered = _delivered(trigger, coming)
    except Stopping:
        raise
    except StudioError as error:
        note_refused(trigger, str(error), coming)
        raise
    if delivered.rollout:
        running().nudge(delivered.rollout)
        running().hub.changed(delivered.session)
    return delivered


def note_refused(trigger: Trigger, reason: str, coming: Coming) -> None:
    """Keeps that it was refused, and why."""
    is_test = coming.tester is not None
    running().store.writer.call(
        NoteRefused(trigger.pk, reason, coming.size, coming.sender_id, is_test=is_test, firing=coming.firing)
    )


def _delivered(trigger: Trigger, coming: Coming) -> Delivered:
    for _ in range(TRIES):
        try:
            with refusals():
                return running().store.writer.call(_job(trigger, coming))
        except HomeMoved:
            continue
    raise NotThereAny("The session that this belongs to changes all the time. Send it again.")


def _job(trigger: Trigger, coming: Coming) -> Deliver:
    keys = [key_digest(trigger, key) for key in coming.keys]
    group = group_digest(trigger, coming.group)
    is_test = coming.tester is not None
    home = Home() if is_test else home_of(trigger, group)
    arrival = _arrival(trigger, coming, home)
    begin = go_on = None
    if used_key(keys) is None and not (home.is_busy and coming.firing is not None and coming.firing.skips):
        if home.session is None:
            begin = _new_session(trigger, coming, arrival)
        elif home.rollout is None:
            go_on = _new_rollout(trigger, home.session.public_id, home.session.metadata)
    return Deliver(
        trigger.pk,
        arrival,
        keys=keys,
        group=group,
        begin=begin,
        go_on=go_on,
        firing=coming.firing,
        size=coming.size,
        sender_id=coming.sender_id,
        is_test=is_test,
    )


def _arrival(trigger: Trigger, coming: Coming, home: Home) -> Arrival:
    event_id, owner = new_event_id(), _owner(coming, home)
    body, artifact, ref = _body(trigger, coming.body, event_id)
    payload = ExternalTrigger(
        trigger=trigger.name,
        body=body,
        key=next(iter(coming.keys), ""),
        urgent=coming.urgent,
        user=owner.public_id if owner else "",
        user_name=str(owner) if owner else "",
        task=coming.task,
        artifact=ref,
    )
    return Arrival("", harmless(payload, running().redactor), "system", event_id, artifact=artifact)


def _body(trigger: Trigger, body: Any, event_id: str) -> tuple[Any, NewArtifact | None, Any]:
    """The body itself; of one over 64 KiB its head as text, and the artifact that holds all of it."""
    redacted = running().redactor.redact(canonical(body))
    content, artifact, ref = head_of(redacted, event_id, partial(published_agent, trigger.agent))
    return (body, None, None) if artifact is None else (content, artifact, ref)


def _owner(coming: Coming, home: Home) -> User | None:
    """Whose memory may be used: the person's that it names, if they take part in the session; else its owner's."""
    if home.session is None:
        return coming.tester or coming.person
    person = coming.person
    if person is None:
        return home.session.owner
    joined = Participant.objects.filter(session=home.session, user=person, left_at=None)
    return person if person.pk == home.session.owner_id or joined.exists() else None


def _new_session(trigger: Trigger, coming: Coming, arrival: Arrival) -> NewSession:
    cast = cast_of_trigger(trigger)
    metadata = {**cast.metadata, "trigger": trigger.public_id}
    rollout = _new_rollout(trigger, new_session_id(), metadata)
    owner = coming.tester or coming.person
    return NewSession(
        rollout=rollout,
        project_pk=trigger.agent.project_id,
        owner_pk=owner.pk if owner else None,
        users=[owner.pk] if owner else [],
        agents=[agent.pk for agent in cast.others],
        title=_title(trigger, coming),
        metadata=metadata,
        first=replace(arrival, rollout=rollout.info.rollout),
    )


def _new_rollout(trigger: Trigger, session: str, metadata: dict[str, Any]) -> NewRollout:
    text, version = newest_text(trigger.agent)
    return running().new_rollout(
        session=session,
        project_id=trigger.agent.project.public_id,
        text=text,
        version=version,
        by=str(trigger),
        metadata=metadata,
    )


def _title(trigger: Trigger, coming: Coming) -> str:
    words = " ".join((coming.task or f"{trigger.name} {coming.group}").split())
    return running().redactor.redact(words)[:TITLE_CHARACTERS].strip()
