"""What people say into a session: accepted into the pending queue of a rollout, or refused in words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import ValidationError

from runtime.domain.artifact import NewArtifact
from runtime.domain.events import (
    ExternalTrigger,
    FormAnswer,
    Payload,
    SupervisorInstruction,
    UserInput,
    UserInterrupt,
)
from runtime.domain.trajectory import harmless
from runtime.ports import Accepted, Arrival, RolloutEnded
from studio.errors import NotAllowed, Refused, StudioError
from studio.models import AmpSession, PendingEvent, Rollout, SessionState, User
from studio.public_id import new_event_id
from studio.queries.rollouts import ENDED, rollouts_of
from studio.queries.viewer import Viewer, viewer_of
from studio.services.content import MAX_SHORT_BYTES, body_sha256, fit_text, head_of
from studio.services.faults import refusals
from studio.services.following import follow_up
from studio.services.rollout_agent import agent_of
from studio.services.sessions import title_by_first_message
from studio.store import Accept, Withdraw, pending_events
from studio.wiring import running

TYPES = ("user.input", "user.interrupt", "supervisor.instruction", "external.trigger")


class NotThereAny(StudioError):
    """What was named is not there any more."""

    status: ClassVar[int] = 409

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class ClientEvent:
    """An event as a client asks for it; `type` is a request, checked against the sender's rights.

    `to`: an agent's name or a rollout's id; empty = the session's entry agent; "*" for an instruction to all.
    `payload`: `call_id` and `respond` of an interrupt, `form` of an input, `queued` of an instruction,
    `trigger`, `body` and `key` of a trigger.
    """

    type: str
    content: str = ""
    to: str = ""
    urgent: bool = False
    payload: Mapping[str, Any] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        return {
            "type": self.type,
            "content": self.content,
            "to": self.to,
            "urgent": self.urgent,
            "payload": dict(self.payload),
        }


_FIELDS: dict[str, frozenset[str]] = {
    "user.input": frozenset({"form"}),
    "user.interrupt": frozenset({"call_id", "respond"}),
    "supervisor.instruction": frozenset({"queued"}),
    "external.trigger": frozenset({"trigger", "body", "key"}),
}


def post_event(user: User, session: AmpSession, event: ClientEvent, key: str = "") -> Accepted:
    """Accepts the event for the rollout that it goes to; a new one if that has ended.

    Raises NotAllowed, Refused, TooLong, or a Faulty (full queue, another body under the key).
    """
    viewer = viewer_of(session, user)
    _must_be_allowed(event, viewer)
    if session.state != SessionState.OPEN:
        raise NotThereAny("This session is archived. Take it out of the archive to go on with it.")
    targets = _targets(session, event)
    accepted = [_accept(user, rollout, event, key) for rollout in targets]
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
    if message.artifact is not None:  # an interrupt has no place for a large text
        payload = message.model_copy(update={"now": True, "name": str(user)})
    event = ClientEvent("user.interrupt", payload={"replaces": event_id})
    return _send(user, row.rollout, payload, event, key, replaces=event_id)


def _must_be_allowed(event: ClientEvent, viewer: Viewer) -> None:
    if event.type not in TYPES:
        raise Refused(f"Events of type {event.type[:60]!r} cannot be sent. Send one of: {', '.join(TYPES)}.")
    unknown = sorted(set(event.payload) - _FIELDS[event.type])
    if unknown:
        raise Refused(f"The payload of {event.type} has no field {unknown[0][:60]!r}.")
    match event.type:
        case "supervisor.instruction" if not viewer.supervises:
            raise NotAllowed("instruct agents", "a supervisor of the project")
        case "user.interrupt" if not (viewer.is_participant or viewer.supervises):
            raise NotAllowed("stop this agent", "its session's owner or a supervisor")
        case "user.input" | "external.trigger" if not viewer.is_participant:
            raise NotAllowed("write in this session", "its owner to let you join")


def _targets(session: AmpSession, event: ClientEvent) -> list[Rollout]:
    """The rollouts that the event goes to; at least one. Raises Refused."""
    rollouts = list(rollouts_of(session).select_related("session", "session__project"))
    if event.to == "*":
        if event.type != "supervisor.instruction":
            raise Refused('Only an instruction can go to all agents of a session. Name one in "to", or leave it out.')
        return [rollout for rollout in rollouts if rollout.lifecycle not in ENDED] or rollouts[-1:]
    name = event.to.removeprefix("@")
    if not name:
        mine = [rollout for rollout in rollouts if rollout.agent_id == session.entry_agent_id]
    else:
        mine = [rollout for rollout in rollouts if name in (rollout.agent.name, rollout.public_id)]
    if not mine:
        raise Refused(f'There is no agent {name[:64]!r} in this session. Leave out "to" for its first agent.')
    return mine[-1:]


def _accept(user: User, rollout: Rollout, event: ClientEvent, key: str) -> Accepted:
    return _send(user, rollout, _payload(user, rollout, event), event, key)


def _payload(user: User, rollout: Rollout, event: ClientEvent) -> Payload:
    name, more = str(user), event.payload
    try:
        match event.type:
            case "user.input":
                if event.urgent and not agent_of(rollout).send_now:
                    raise Refused("This agent takes no messages in the middle of its work. Send it without urgent.")
                form = FormAnswer.model_validate(more["form"]) if more.get("form") is not None else None
                if not event.content.strip() and form is None:
                    raise Refused("The message is empty. Write something first.")
                return UserInput(content=fit_text(event.content), name=name, now=event.urgent, form=form)
            case "user.interrupt":
                content = fit_text(event.content, "The interrupt", MAX_SHORT_BYTES)
                return UserInterrupt(content=content, name=name, **dict(more))
            case "supervisor.instruction":
                content = fit_text(event.content, "The instruction", MAX_SHORT_BYTES)
                if not content.strip():
                    raise Refused("The instruction is empty. Write something first.")
                return SupervisorInstruction(content=content, by=name, **dict(more))
            case _:
                if not str(more.get("trigger") or event.content).strip():
                    raise Refused("The trigger has no name. Say what happened, such as order.shipped.")
                fit_text(json.dumps(more.get("body"), ensure_ascii=False), "The trigger's body", MAX_SHORT_BYTES)
                return ExternalTrigger(urgent=event.urgent, **{"trigger": event.content, **more})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "payload"
        raise Refused(f"The payload of {event.type} is not right at {place}: {first['msg']}.") from error


def _send(
    user: User, rollout: Rollout, payload: Payload, event: ClientEvent, key: str, *, replaces: str = ""
) -> Accepted:
    event_id = new_event_id()
    payload, artifact = _shortened(harmless(payload, running().redactor), event_id, rollout)
    arrival = Arrival(
        rollout=rollout.public_id,
        payload=payload,
        source=user.public_id,
        id=event_id,
        sender=user.public_id if key else "",
        route=_route(rollout, event) if key else "",
        key=key,
        body_sha256=body_sha256(event.body) if key else "",
        replaces=replaces,
        artifact=artifact,
    )
    with refusals():
        try:
            accepted = running().store.writer.call(Accept(arrival))
        except RolloutEnded:
            accepted = follow_up(user, rollout, arrival)
    running().nudge(accepted.rollout)
    return accepted


def _route(rollout: Rollout, event: ClientEvent) -> str:
    """Where a key is good once; an instruction to all is accepted once by each."""
    route = f"events {rollout.session.public_id}"
    return f"{route} {rollout.public_id}" if event.to == "*" else route


def _shortened(payload: Payload, event_id: str, rollout: Rollout) -> tuple[Payload, NewArtifact | None]:
    if not isinstance(payload, UserInput) or payload.artifact is not None:
        return payload, None
    content, artifact, ref = head_of(payload.content, event_id, lambda: agent_of(rollout))
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
