"""Triggers are switched on and off, and tried, by the authors of their agent."""

from django.db import transaction

from runtime.engine.clock import SystemClock
from studio.errors import NotAllowed
from studio.models import Trigger, User
from studio.services.agents import must_write
from studio.services.audit import Actor, record
from studio.services.schedules import fire_as_test
from studio.services.source_looks import try_example
from studio.services.trigger_rows import begin_anew
from studio.services.webhooks import send_sample
from studio.store.delivering import Delivered


@transaction.atomic
def switch_trigger(actor: Actor, trigger: Trigger, *, is_on: bool) -> None:
    """On or off; nothing is made up for what came while it was off. Raises NotAllowed."""
    must_write(actor, trigger.agent.project)
    row = Trigger.objects.select_for_update().get(pk=trigger.pk)
    if row.is_on == is_on:
        return
    row.is_on = is_on
    if is_on:
        begin_anew(row)
    row.save(update_fields=["is_on", "due_at", "cursor", "failures", "problem"])
    action = "trigger.switched_on" if is_on else "trigger.switched_off"
    record(actor, action, trigger.agent.name, after={"trigger": str(trigger)})


def try_trigger(actor: Actor, trigger: Trigger, body: str = "") -> Delivered:
    """Lets it come now, as a test, into a new session of one's own; a webhook with this body, signed.

    Works also while it is off. Raises NotAllowed, Refused, TooLong, CannotCheck, or a Faulty.
    """
    must_write(actor, trigger.agent.project)
    if actor.user is None:
        raise NotAllowed("try a trigger without a session to show it in", "a person who signs in")
    return _tried(actor.user, trigger, body)


def _tried(tester: User, trigger: Trigger, body: str) -> Delivered:
    match trigger.kind:
        case Trigger.Kind.WEBHOOK:
            return send_sample(trigger, tester, body.encode())
        case Trigger.Kind.SCHEDULE:
            return fire_as_test(trigger, tester, SystemClock().now())
        case _:
            return try_example(trigger, tester)
