"""The rows of an agent's triggers follow its newest published version."""

from collections.abc import Sequence

from runtime.domain.cron import due_times
from runtime.domain.trigger_definition import Trigger as TriggerDefinition
from runtime.engine.clock import SystemClock
from studio.models import Agent, Trigger


def follow_version(agent: Agent, triggers: Sequence[TriggerDefinition]) -> None:
    """Lists the triggers of a version that was just published, and those alone. A trigger keeps its address."""
    wanted = {(trigger.kind, trigger.name): trigger for trigger in triggers}
    rows = {(row.kind, row.name): row for row in Trigger.objects.filter(agent=agent)}
    for key, row in rows.items():
        if row.is_listed and key not in wanted:
            row.is_listed, row.due_at = False, None
            row.save(update_fields=["is_listed", "due_at"])
    for key, trigger in wanted.items():
        _follow(rows.get(key) or Trigger(agent=agent, kind=key[0], name=key[1], is_listed=False), trigger)


def start_over(agent: Agent) -> None:
    """What came while the agent was away is gone by: its schedules and sources begin anew from now."""
    for row in Trigger.objects.filter(agent=agent).listed():
        begin_anew(row)
        row.save(update_fields=["due_at", "cursor", "failures", "problem"])


def begin_anew(trigger: Trigger) -> None:
    """From now on: the next time of a schedule, and what a source gets from here on. Does not save."""
    now = SystemClock().now()
    trigger.cursor, trigger.failures, trigger.problem = "", 0, ""
    match trigger.kind:
        case Trigger.Kind.SCHEDULE:
            times = due_times(trigger.settings["cron"], trigger.settings["timezone"], now, 1)
            trigger.due_at = times[0] if times else None
        case Trigger.Kind.WEBHOOK:
            trigger.due_at = None
        case _:
            trigger.due_at = now


def _follow(row: Trigger, trigger: TriggerDefinition) -> None:
    settings, was_listed = trigger.settings.model_dump(mode="json"), row.is_listed
    row.settings, row.is_listed = settings, True
    if not was_listed:
        begin_anew(row)
    row.save()
