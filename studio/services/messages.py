"""What people say into a session: accepted into the pending queue of a rollout, or refused in words."""

from collections.abc import Callable, Sequence
from functools import partial

from runtime.domain.agent import Agent
from runtime.domain.artifact import NewArtifact
from runtime.domain.events import Payload, UserInput, UserInterrupt
from runtime.domain.trajectory import harmless
from runtime.ports import Accepted, Arrival, RolloutEnded
from studio.errors import NotAllowed, NotThereAny, Refused
from studio.models import AmpSession, PendingEvent, Rollout, SessionState, User
from studio.public_id import new_event_id
from studio.queries.viewer import viewer_of
from studio.services.addressing import EVERYBODY, Address, Target, targets_of
from studio.services.attachments import Attachment, attachments_in, kept, must_be_readable
from studio.services.client_event import ClientEvent, must_be_allowed, payload_of
from studio.services.content import body_sha256, head_of
from studio.services.faults import refusals
from studio.services.following import begin_agent, follow_up
from studio.services.form_answers import must_fit_form
from studio.services.rollout_agent import agent_of, published_agent
from studio.services.sessions import title_by_first_message
from studio.store import Accept, KeyUse, Withdraw, pending_events
from studio.store.reading import accepted_before
from studio.wiring import running


def post_event(user: User, session: AmpSession, event: ClientEvent, key: str = "") -> Accepted:
    """Accepts the event for the rollout that it goes to; a new one if that has ended, or if there is none yet.

    Raises NotAllowed, Refused, NotFitting (a form), TooLong, NotThereAny, or a Faulty (full queue, another body
    under the key).
    """
    must_be_allowed(event, viewer_of(session, user))
    if session.state != SessionState.OPEN:
        raise NotThereAny("This session is archived. Take it out of the archive to go on with it.")
    targets = targets_of(user, session, Address(event.type, event.to, event.content, event.form_name))
    accepted = [_accept(user, session, target, event, key) for target in targets]
    if event.type == "user.input":
        title_by_first_message(session, event.content)
    return accepted[0]


def withdraw_pending(user: User, session: AmpSession, event_id: str) -> None:
    """Takes one's own event back out of the queue. Raises NotThereAny if the agent has read it already."""
    pending = _pending(user, session, event_id)
    with refusals():
        withdrawn = running().store.writer.call(Withdraw(pending.rollout.public_id, event_id))
    if not withdrawn:
        raise _read_already()
    running().nudge(pending.rollout.public_id)


def interrupt_with_pending(user: User, session: AmpSession, event_id: str, key: str = "") -> Accepted:
    """Turns one's own waiting message into an interrupt with the same words.

    Raises NotThereAny if the agent has read it already.
    """
    row = _pending(user, session, event_id)
    found = next((item for item in pending_events(row.rollout_id) if item.id == event_id), None)
    if found is None:
        raise _read_already()
    if not isinstance(found.payload, UserInput):
        raise Refused("Only a waiting message can be turned into an interrupt.")
    message = found.payload
    payload: Payload = UserInterrupt(content=message.content, name=str(user))
    if message.artifact is not None or message.files:  # an interrupt has no place for a large text, or for files
        payload = message.model_copy(update={"now": True, "name": str(user)})
    event = ClientEvent("user.interrupt", payload={"replaces": event_id})
    use = _key_use(user, session, event, key)
    return _send(user, row.rollout, _arrival(user, row.rollout.public_id, payload, use, replaces=event_id))


def _accept(user: User, session: AmpSession, target: Target, event: ClientEvent, key: str) -> Accepted:
    use, rollout = _key_use(user, session, event, key, target.rollout), target.rollout
    files = attachments_in(event.payload.get("files"))
    with refusals():
        if before := accepted_before(use):
            return before
    agent = partial(agent_of, rollout) if rollout is not None else partial(published_agent, target.agent)
    payload = payload_of(event, str(user), agent)
    if files:
        must_be_readable(files, agent())
    if isinstance(payload, UserInput) and payload.form is not None:
        must_fit_form(user, rollout, payload.form)
    arrival = _arrival(user, rollout.public_id if rollout is not None else "", payload, use, agent=agent, files=files)
    if rollout is None:
        return begin_agent(user, session, target.agent, arrival)
    return _send(user, rollout, arrival)


def _arrival(
    user: User,
    rollout: str,
    payload: Payload,
    use: KeyUse,
    *,
    agent: Callable[[], Agent] | None = None,
    replaces: str = "",
    files: Sequence[Attachment] = (),
) -> Arrival:
    event_id = new_event_id()
    refs, kept_files = kept(files, event_id)
    if refs and isinstance(payload, UserInput):
        payload = payload.model_copy(update={"files": refs})
    payload, artifact = _shortened(harmless(payload, running().redactor), event_id, agent)
    return Arrival(
        rollout=rollout,
        payload=payload,
        source=user.public_id,
        id=event_id,
        sender=use.sender,
        route=use.route,
        key=use.key,
        body_sha256=use.body_sha256,
        replaces=replaces,
        artifact=artifact,
        files=kept_files,
    )


def _send(user: User, rollout: Rollout, arrival: Arrival) -> Accepted:
    with refusals():
        try:
            accepted = running().store.writer.call(Accept(arrival))
        except RolloutEnded:
            accepted = follow_up(user, rollout, arrival)
    running().nudge(accepted.rollout)
    return accepted


def _key_use(user: User, session: AmpSession, event: ClientEvent, key: str, rollout: Rollout | None = None) -> KeyUse:
    """Where a key is good once; an instruction to all is accepted once by each. A trigger's own key is anybody's."""
    route = f"events {session.public_id}"
    if event.trigger_key:
        return KeyUse(f"trigger {event.trigger}", route, event.trigger_key, body_sha256(event.body))
    if not key:
        return KeyUse()
    if event.to == EVERYBODY and rollout is not None:
        route = f"{route} {rollout.public_id}"
    return KeyUse(user.public_id, route, key, body_sha256(event.body))


def _shortened(
    payload: Payload, event_id: str, agent: Callable[[], Agent] | None
) -> tuple[Payload, NewArtifact | None]:
    if not isinstance(payload, UserInput) or payload.artifact is not None or agent is None:
        return payload, None
    content, artifact, ref = head_of(payload.content, event_id, agent)
    return payload.model_copy(update={"content": content, "artifact": ref}), artifact


def _pending(user: User, session: AmpSession, event_id: str) -> PendingEvent:
    """One's own waiting event; a supervisor's any. Raises NotAllowed, NotThereAny."""
    row = PendingEvent.objects.filter(id=event_id, rollout__session=session)
    found = row.select_related("rollout", "rollout__session", "rollout__agent", "rollout__version").first()
    if found is None:
        raise _read_already()
    if found.source != user.public_id and not viewer_of(session, user).supervises:
        raise NotAllowed("change what another person has sent", "that person or a supervisor")
    return found


def _read_already() -> NotThereAny:
    return NotThereAny("That message does not wait any more: the agent has read it, or it was taken back.")
