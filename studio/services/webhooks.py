"""Webhooks: other systems tell what happened. Checked, then accepted once."""

import json
from typing import Any

from django.db.models import Q

from runtime.domain.trigger_place import value_at
from runtime.engine.clock import SystemClock
from runtime.ports import ToolFailed
from studio.errors import StudioError
from studio.models import Project, Secret, Trigger, User
from studio.public_id import new_public_id
from studio.rights import Right
from studio.services.content import TooLong
from studio.services.deliveries import Coming, deliver, note_refused
from studio.services.json_object import read_json_object
from studio.services.webhook_signature import Signed, must_be_signed, sign
from studio.store.delivering import Delivered
from studio.store.secrets import value_of

MAX_BYTES = 256 * 1024
SHOWN_ID = 200


class NoWebhook(StudioError):
    """There is no webhook at this address."""

    status = 404

    def __str__(self) -> str:
        return "There is no webhook at this address. Copy its address again from the agent's page."


class CannotCheck(StudioError):
    """What was sent cannot be checked; the reason stands among the deliveries, for the people of the project."""

    status = 503

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __str__(self) -> str:
        return "This webhook cannot check signatures now. Its deliveries say why to the agent's author."


def webhook_at(public_id: str, name: str) -> Trigger:
    """The webhook with this address. Raises NoWebhook."""
    found = Trigger.objects.listed().filter(kind=Trigger.Kind.WEBHOOK, public_id=public_id, name=name)
    trigger = found.select_related("agent__project").first()
    if trigger is None:
        raise NoWebhook
    return trigger


def refuse_size(trigger: Trigger, size: int) -> None:
    """Raises TooLong for more than 256 KiB, which is noted."""
    if size > MAX_BYTES:
        error = TooLong("The body of a webhook", MAX_BYTES)
        note_refused(trigger, str(error), Coming(None, size=size))
        raise error


def receive(trigger: Trigger, signed: Signed, body: bytes, *, tester: User | None = None) -> Delivered:
    """Accepts a delivery if it is signed, and each once. Raises NotSigned, CannotCheck, Refused, TooLong or a Faulty.

    What is refused is noted among the trigger's deliveries.
    """
    refuse_size(trigger, len(body))
    plain = Coming(None, size=len(body), sender_id=signed.id[:SHOWN_ID], tester=tester)
    try:
        must_be_signed(_secret(trigger), signed, body, SystemClock().now() // 1_000_000)
        sent = read_json_object(body)
    except StudioError as error:
        note_refused(trigger, error.reason if isinstance(error, CannotCheck) else str(error), plain)
        raise
    return deliver(trigger, _coming(trigger, plain, sent))


def send_sample(trigger: Trigger, tester: User, body: bytes) -> Delivered:
    """Signs a body with the webhook's secret and receives it, into a new session of the tester's. Raises as receive."""
    sender_id = new_public_id("test_")
    signed = sign(_secret(trigger), sender_id, SystemClock().now() // 1_000_000, body)
    return receive(trigger, signed, body, tester=tester)


def sample_body(trigger: Trigger) -> str:
    """A body that has what the trigger looks for, to begin with."""
    body: dict[str, Any] = {}
    examples = {"dedupe": "example-1", "session_by": "customer-17", "user_by": "maya"}
    for key, example in examples.items():
        steps = (trigger.settings.get(key) or "").split(".")[1:]
        place = body
        for step in steps[:-1]:
            inner = place.setdefault(step, {})
            place = inner if isinstance(inner, dict) else place
        if steps:
            place[steps[-1]] = example
    return json.dumps(body or {"example": True}, indent=2)


def person_named(project: Project, name: str) -> User | None:
    """The one person of the project with that name or e-mail address."""
    if not name:
        return None
    named = User.objects.enabled().filter(Q(username=name.lower()) | Q(email__iexact=name))[:2]
    found = [user for user in named if Project.objects.with_right(user, Right.TALK).filter(pk=project.pk).exists()]
    return found[0] if len(found) == 1 else None


def _coming(trigger: Trigger, plain: Coming, sent: dict[str, Any]) -> Coming:
    settings, keys = trigger.settings, [f"delivery:{plain.sender_id}"]
    event = value_at(sent, settings.get("dedupe") or "")
    if event and plain.tester is None:
        keys.insert(0, f"event:{event}")
    return Coming(
        sent,
        keys=keys,
        group=value_at(sent, settings.get("session_by") or ""),
        person=person_named(trigger.agent.project, value_at(sent, settings.get("user_by") or "")),
        urgent=bool(settings.get("urgent")),
        size=plain.size,
        sender_id=plain.sender_id,
        tester=plain.tester,
    )


def _secret(trigger: Trigger) -> str:
    """Raises CannotCheck, in words without a value."""
    name = trigger.settings.get("secret") or ""
    row = Secret.objects.filter(project=trigger.agent.project_id, name=name).first()
    if row is None:
        raise CannotCheck(f"There is no secret named {name}. An administrator can store it under Settings, Secrets.")
    try:
        return value_of(row)
    except ToolFailed as error:
        raise CannotCheck(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
