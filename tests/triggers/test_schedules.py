"""Schedules: fired once for each time, whoever looks, and once for all that was missed."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection

from runtime.domain.phrases import words
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, place
from studio.models import AmpSession, Delivery, Rollout, Trigger
from studio.services.agent_shelf import archive_agent, unarchive_agent
from studio.services.agents import publish, save_draft
from studio.services.audit import Actor
from studio.services.schedules import fire, fire_as_test, fire_due
from studio.store.delivering import NotDue
from tests.triggers.outside import agent_with_triggers, trigger_of, waiting

DAILY = '  - schedule: {cron: "0 9 * * *", timezone: Europe/Berlin, input: Daily report}\n'
HOUR = 3_600_000_000


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


DUE = at("2030-06-03T07:00")  # nine o'clock in Berlin


def scheduled(people, line: str = DAILY) -> Trigger:
    """A schedule that is due at DUE."""
    trigger = trigger_of(agent_with_triggers(people["author"], line))
    Trigger.objects.update(due_at=DUE)
    trigger.refresh_from_db()
    return trigger


def test_a_published_schedule_is_due_at_its_next_time(people):
    trigger = trigger_of(agent_with_triggers(people["author"], DAILY))

    due = datetime.fromtimestamp(trigger.due_at / 1e6, UTC)
    assert due > datetime.now(UTC)
    assert (due.minute, due.hour) in ((0, 7), (0, 8))


def test_it_fires_when_it_is_due_and_not_before(people):
    trigger = scheduled(people)
    fire_due(DUE - 1)
    assert waiting() == []

    fire_due(DUE)

    [payload] = waiting()
    assert (payload.trigger, payload.task) == ("0 9 * * * Europe/Berlin", "Daily report")
    assert payload.body == {"due_at": "2030-06-03T07:00:00.000000Z"}
    trigger.refresh_from_db()
    assert trigger.due_at == DUE + 24 * HOUR
    assert AmpSession.objects.get().title == "Daily report"


def test_what_was_missed_while_nothing_ran_fires_once_with_their_number(people):
    scheduled(people)
    fire_due(DUE + 50 * HOUR)
    fire_due(DUE + 50 * HOUR)

    [payload] = waiting()
    assert payload.body == {"due_at": "2030-06-03T07:00:00.000000Z", "missed": 2}
    assert Trigger.objects.get().due_at == DUE + 72 * HOUR


def test_of_two_who_find_it_due_one_fires_it(people):
    trigger = scheduled(people)
    other = Trigger.objects.select_related("agent__project").get()
    fire(trigger, DUE)

    with pytest.raises(NotDue):
        fire(other, DUE)
    assert len(waiting()) == 1


def test_many_who_look_at_once_fire_it_once(people):
    scheduled(people)

    def look(_: int) -> None:
        try:
            fire_due(DUE)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(look, range(8)))
    assert len(waiting()) == 1
    assert Delivery.objects.count() == 1


def test_the_same_time_does_not_fire_again_when_the_row_is_set_back(people):
    scheduled(people)
    fire_due(DUE)
    Trigger.objects.update(due_at=DUE)
    fire_due(DUE)

    assert len(waiting()) == 1
    assert Delivery.objects.order_by("-pk")[0].outcome == "repeated"


def test_with_skip_it_is_left_out_while_the_last_one_is_worked_on(people):
    scheduled(people)
    fire_due(DUE)
    fire_due(DUE + 24 * HOUR)

    assert len(waiting()) == 1
    skipped = Delivery.objects.order_by("-pk")[0]
    assert skipped.outcome == "skipped"
    assert "still worked on" in skipped.reason
    assert Trigger.objects.get().due_at == DUE + 48 * HOUR


def test_with_queue_it_waits_behind_the_last_one(people):
    scheduled(people, DAILY.replace("input: Daily report", "overlap: queue"))
    fire_due(DUE)
    fire_due(DUE + 24 * HOUR)

    assert len(waiting()) == 2
    assert Rollout.objects.get().pending == 2


@pytest.mark.parametrize("overlap", ["skip", "queue"])
def test_once_the_last_one_is_done_it_begins_a_new_session(people, overlap):
    scheduled(people, DAILY.replace("input: Daily report", f"overlap: {overlap}"))
    fire_due(DUE)
    Rollout.objects.update(pending=0, pressing=0, lifecycle="waiting", waiting_for="input")
    fire_due(DUE + 24 * HOUR)

    assert AmpSession.objects.count() == 2


@pytest.mark.parametrize("changed", [{"is_on": False}, {"is_listed": False}])
def test_what_is_off_or_not_in_the_newest_version_does_not_fire(people, changed):
    scheduled(people)
    Trigger.objects.update(**changed)
    fire_due(DUE)

    assert waiting() == []


def test_while_its_agent_is_archived_it_does_not_fire_and_nothing_is_made_up_for(people):
    trigger, actor = scheduled(people), Actor(people["author"], "test")
    archive_agent(actor, trigger.agent)
    fire_due(DUE + HOUR)
    unarchive_agent(actor, trigger.agent)

    assert waiting() == []
    assert Trigger.objects.get().due_at != DUE


def test_a_new_version_with_the_same_schedule_keeps_what_is_due(people):
    trigger, actor = scheduled(people), Actor(people["author"], "test")
    text = trigger.agent.draft.replace("Daily report", "Weekly report")
    publish(actor, save_draft(actor, trigger.agent, text, base=trigger.agent.draft_number))

    kept = Trigger.objects.get()
    assert (kept.due_at, kept.settings["input"]) == (DUE, "Weekly report")


def test_an_agent_that_cannot_take_it_leaves_a_note_and_the_next_time_stands(people):
    trigger = scheduled(people, DAILY.replace("input: Daily report", "overlap: queue"))
    fire_due(DUE)
    Rollout.objects.update(pending=200)
    fire_due(DUE + 24 * HOUR)

    refused = Delivery.objects.order_by("-pk")[0]
    assert (refused.outcome, len(waiting())) == ("refused", 1)
    assert refused.reason
    trigger.refresh_from_db()
    assert trigger.due_at == DUE + 48 * HOUR


def test_as_a_test_it_fires_now_into_a_session_of_the_tester_and_its_times_stay(people):
    trigger = scheduled(people)
    tried = fire_as_test(trigger, people["author"], DUE - HOUR)
    fire_due(DUE)

    assert AmpSession.objects.get(public_id=tried.session).owner == people["author"]
    assert AmpSession.objects.count() == 2
    assert Trigger.objects.get().due_at == DUE + 24 * HOUR


def test_the_model_reads_what_the_author_wants_as_an_instruction_and_the_time_as_data(people):
    scheduled(people)
    fire_due(DUE)

    said = words(place(Draft(waiting()[0]), 2, DUE, NO_PREDECESSOR))
    assert said.startswith('<instruction from="your schedule">Daily report</instruction>\n<trigger name="0 9 * * * ')
