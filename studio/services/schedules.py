"""Schedules: fired on time, once, and once for all that was missed."""

import logging

from runtime.domain.cron import next_firing
from runtime.domain.recurrence import TimeProblem
from studio.errors import StudioError
from studio.models import Trigger, User
from studio.queries.instants import instant
from studio.services.deliveries import Coming, deliver
from studio.store.delivering import Delivered, Firing, NotDue

log = logging.getLogger(__name__)

DUE_AT_ONCE = 200


def fire_due(now_us: int) -> None:
    """Fires every schedule that is due, whoever else does the same."""
    due = Trigger.objects.acting().filter(kind=Trigger.Kind.SCHEDULE, due_at__lte=now_us)
    for trigger in due.select_related("agent__project").order_by("due_at", "pk")[:DUE_AT_ONCE]:
        try:
            fire(trigger, now_us)
        except NotDue:
            continue
        except StudioError as error:
            log.warning("the schedule %s of %s could not be fired: %s", trigger.name, trigger.agent.name, error)


def fire(trigger: Trigger, now_us: int) -> Delivered:
    """Fires one that is due. Raises NotDue if somebody else has, StudioError if it cannot be taken."""
    due_at = trigger.due_at
    assert due_at is not None, "it was found by that"
    settings = trigger.settings
    try:
        next_at, missed = next_firing(settings["cron"], settings["timezone"], due_at, now_us)
    except TimeProblem:  # a zone that this machine does not know any more
        next_at, missed = None, 0
    coming = Coming(
        _body(due_at, missed),
        keys=[f"due:{due_at}"],
        task=settings["input"],
        firing=Firing(due_at, next_at, skips=settings["overlap"] == "skip"),
    )
    return deliver(trigger, coming)


def fire_as_test(trigger: Trigger, tester: User, now_us: int) -> Delivered:
    """Fires it now, into a new session of the tester's; its own times stay as they are. Raises StudioError."""
    return deliver(trigger, Coming(_body(now_us, 0), task=trigger.settings["input"], tester=tester))


def _body(due_at: int, missed: int) -> dict[str, object]:
    said: dict[str, object] = {"due_at": instant(due_at)}
    return said | {"missed": missed} if missed else said
