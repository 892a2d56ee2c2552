"""Triggers as pages show them: where each is reached, when it comes next, and what came through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse

from runtime.domain.cron import due_times
from runtime.domain.recurrence import TimeProblem, zone_named
from runtime.engine.clock import SystemClock
from studio.models import Agent, Delivery, Trigger, User
from studio.queries.instants import moment
from studio.queries.sessions import visible_sessions

NEXT_TIMES = 3
TIME = "%a %-d %b %Y, %H:%M %Z"
LAST_DELIVERIES = 20
ICONS = {"webhook": "webhook", "schedule": "clock", "folder": "folder-open", "feed": "radio"}


@dataclass(frozen=True, slots=True)
class DeliveryShown:
    """One delivery. `session`: the public id of the one it led to, if the viewer may see it."""

    at: datetime
    outcome: str
    reason: str
    size: int
    is_test: bool
    session: str


@dataclass(frozen=True, slots=True)
class TriggerShown:
    """One trigger. `address`: a webhook's; `next_times`: a schedule's, in its own zone."""

    trigger: Trigger
    icon: str
    address: str
    next_times: Sequence[str]
    looked_next: datetime | None
    deliveries: Sequence[DeliveryShown]

    @property
    def is_source(self) -> bool:
        """Whether it is looked at now and again."""
        return self.trigger.kind not in (Trigger.Kind.WEBHOOK, Trigger.Kind.SCHEDULE)


def triggers_for(viewer: User, agent: Agent) -> list[TriggerShown]:
    """Those of the agent's newest published version, in the order in which they were first published."""
    rows = Trigger.objects.visible_to(viewer).listed().filter(agent=agent).select_related("agent__project")
    return [_shown(viewer, row) for row in rows.order_by("pk")]


def trigger_for(viewer: User, agent: Agent, public_id: str) -> Trigger | None:
    """One of them."""
    rows = Trigger.objects.visible_to(viewer).listed().filter(agent=agent, public_id=public_id)
    return rows.select_related("agent__project").first()


def address_of(trigger: Trigger) -> str:
    """Where a webhook is sent to; empty for others."""
    if trigger.kind != Trigger.Kind.WEBHOOK:
        return ""
    return f"{settings.BASE_URL}{reverse('hook', args=[trigger.public_id, trigger.name])}"


def next_times(trigger: Trigger) -> list[str]:
    """The next times of a schedule that is on, such as `Mon 30 Nov 2026, 09:00 CET`, by the clocks of its zone."""
    if trigger.kind != Trigger.Kind.SCHEDULE or not trigger.is_on or trigger.due_at is None:
        return []
    cron, zone = trigger.settings["cron"], trigger.settings["timezone"]
    try:
        found = due_times(cron, zone, SystemClock().now(), NEXT_TIMES)
        return [moment(due).astimezone(zone_named(zone)).strftime(TIME) for due in found]
    except TimeProblem:
        return []


def _shown(viewer: User, trigger: Trigger) -> TriggerShown:
    is_source = trigger.kind not in (Trigger.Kind.WEBHOOK, Trigger.Kind.SCHEDULE)
    looks = is_source and trigger.is_on and trigger.due_at is not None
    return TriggerShown(
        trigger,
        ICONS.get(trigger.kind, "zap"),
        address_of(trigger),
        next_times(trigger),
        moment(trigger.due_at or 0) if looks else None,
        _deliveries(viewer, trigger),
    )


def _deliveries(viewer: User, trigger: Trigger) -> list[DeliveryShown]:
    rows = list(Delivery.objects.filter(trigger=trigger).order_by("-pk")[:LAST_DELIVERIES])
    pks = {row.session_id for row in rows if row.session_id}
    seen = dict(visible_sessions(viewer).filter(pk__in=pks).values_list("pk", "public_id"))
    return [
        DeliveryShown(moment(row.at), row.outcome, row.reason, row.size, row.is_test, seen.get(row.session_id or 0, ""))
        for row in rows
    ]
