"""An event as a client asks for it: whether its sender may send it, and what is recorded of it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from runtime.domain.agent import Agent
from runtime.domain.events import (
    ExternalTrigger,
    FormAnswer,
    Payload,
    SupervisorInstruction,
    UserInput,
    UserInterrupt,
)
from studio.errors import NotAllowed, Refused
from studio.queries.viewer import Viewer
from studio.services.content import MAX_SHORT_BYTES, fit_text

_FIELDS: dict[str, frozenset[str]] = {
    "user.input": frozenset({"form", "files"}),
    "user.interrupt": frozenset({"call_id", "respond"}),
    "supervisor.instruction": frozenset({"queued"}),
    "external.trigger": frozenset({"trigger", "body", "key"}),
}
TYPES = tuple(_FIELDS)
NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class ClientEvent:
    """An event as a client asks for it; `type` is a request, checked against the sender's rights.

    `to`: an agent's name or a rollout's id; empty = by what is said (`services/addressing.py`); "*" for an
    instruction to all. `payload`: `call_id` and `respond` of an interrupt, `form` of an input (`name`: the call that
    asks, `values`) and `files` (`name`, `data` in base64), `queued` of an instruction, `trigger`, `body` and `key` of
    a trigger.
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

    @property
    def form(self) -> FormAnswer | None:
        """The answer to a form, if it is one. Raises ValidationError."""
        given = self.payload.get("form")
        return FormAnswer.model_validate(given) if given is not None else None

    @property
    def form_name(self) -> str:
        """The call whose form it answers, as far as it can be read."""
        form = self.payload.get("form")
        return str(form.get("name", "")) if isinstance(form, Mapping) else ""

    @property
    def trigger(self) -> str:
        """The name of what happened, for a trigger."""
        return str(self.payload.get("trigger") or self.content)

    @property
    def trigger_key(self) -> str:
        """The key of what happened, under which its trigger is accepted once; empty = it has none."""
        return str(self.payload.get("key") or "") if self.type == "external.trigger" else ""


def must_be_allowed(event: ClientEvent, viewer: Viewer) -> None:
    """Raises NotAllowed, or Refused for what nobody may send."""
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


def payload_of(event: ClientEvent, name: str, agent: Callable[[], Agent]) -> Payload:
    """What is recorded; `name` is the sender's as shown, `agent` the one that it goes to. Raises Refused, TooLong."""
    more = event.payload
    try:
        match event.type:
            case "user.input":
                return _input(event, name, agent)
            case "user.interrupt":
                content = fit_text(event.content, "The interrupt", MAX_SHORT_BYTES)
                interrupt = UserInterrupt(content=content, name=name, **dict(more))
                _must_be_short(interrupt.call_id, "The call_id")
                return interrupt
            case "supervisor.instruction":
                content = fit_text(event.content, "The instruction", MAX_SHORT_BYTES)
                if not content.strip():
                    raise Refused("The instruction is empty. Write something first.")
                return SupervisorInstruction(content=content, by=name, **dict(more))
            case _:
                if not event.trigger.strip():
                    raise Refused("The trigger has no name. Say what happened, such as order.shipped.")
                fit_text(json.dumps(more.get("body"), ensure_ascii=False), "The trigger's body", MAX_SHORT_BYTES)
                trigger = ExternalTrigger(urgent=event.urgent, **{"trigger": event.content, **more})
                _must_be_short(trigger.trigger, "The trigger's name")
                _must_be_short(trigger.key, "The trigger's key")
                return trigger
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "payload"
        raise Refused(f"The payload of {event.type} is not right at {place}: {first['msg']}.") from error


def _input(event: ClientEvent, name: str, agent: Callable[[], Agent]) -> UserInput:
    if event.urgent and not agent().send_now:
        raise Refused("This agent takes no messages in the middle of its work. Send it without urgent.")
    form = event.form
    if not event.content.strip() and form is None and not event.payload.get("files"):
        raise Refused("The message is empty. Write something first.")
    if form is not None:
        fit_text(json.dumps(form.values, ensure_ascii=False), "The form", MAX_SHORT_BYTES)
    return UserInput(content=fit_text(event.content), name=name, now=event.urgent, form=form)


def _must_be_short(text: str, what: str) -> None:
    if len(text) > NAME_CHARACTERS:
        raise Refused(f"{what} is over {NAME_CHARACTERS} characters. Shorten it.")
