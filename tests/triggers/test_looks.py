"""Looking at sources when they are due: once, with what failed kept in words."""

import os

import pytest
from asgiref.sync import async_to_sync

from studio.models import AmpSession, Delivery, Trigger
from studio.services.source_looks import SourceLooks, look_at, try_example
from studio.wiring import workspace_root
from tests.triggers.outside import agent_with_triggers, trigger_of, waiting

FOLDER = '  - folder: {path: PATH, pattern: "*.pdf"}\n'
LONG_AGO = 1_700_000_000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STUDIO_WORKSPACE", str(tmp_path))
    (tmp_path / "inbox").mkdir()
    assert workspace_root() == tmp_path
    return tmp_path / "inbox"


@pytest.fixture
def trigger(people, folder):
    return trigger_of(agent_with_triggers(people["author"], FOLDER.replace("PATH", "inbox")))


def put(folder, name: str) -> None:
    (folder / name).write_text("x")
    os.utime(folder / name, (LONG_AGO, LONG_AGO))


def look(trigger: Trigger) -> None:
    """As it is due now."""
    trigger.refresh_from_db()
    async_to_sync(look_at)(trigger)


def test_a_new_file_begins_a_session(trigger, folder):
    put(folder, "old.pdf")
    look(trigger)
    put(folder, "new.pdf")
    look(trigger)
    look(trigger)

    assert [payload.body["path"] for payload in waiting()] == ["inbox/new.pdf"]
    assert AmpSession.objects.count() == 1
    assert Delivery.objects.get().outcome == "accepted"


def test_what_was_taken_before_a_crash_is_not_taken_again(trigger, folder):
    look(trigger)
    cursor = Trigger.objects.get().cursor
    put(folder, "new.pdf")
    look(trigger)
    Trigger.objects.update(cursor=cursor)
    look(trigger)

    assert len(waiting()) == 1
    assert Delivery.objects.count() == 1


def test_of_two_who_find_it_due_one_looks(trigger, folder):
    look(trigger)
    put(folder, "new.pdf")
    trigger.refresh_from_db()
    Trigger.objects.update(due_at=trigger.due_at + 1)
    async_to_sync(look_at)(trigger)

    assert waiting() == []


def test_what_fails_is_kept_in_words_and_tried_again(people, folder):
    trigger = trigger_of(agent_with_triggers(people["author"], FOLDER.replace("PATH", "missing")))
    due_at = trigger.due_at
    look(trigger)

    trigger.refresh_from_db()
    assert trigger.problem.startswith("There is no folder missing")
    assert trigger.failures == 1
    assert trigger.due_at > due_at
    (folder.parent / "missing").mkdir()
    look(trigger)
    trigger.refresh_from_db()
    assert (trigger.problem, trigger.failures) == ("", 0)


def test_an_agent_that_cannot_take_it_keeps_the_cursor(trigger, folder):
    look(trigger)
    put(folder, "new.pdf")
    Trigger.objects.update(is_on=False)
    look(trigger)
    Trigger.objects.update(is_on=True)
    look(trigger)

    assert len(waiting()) == 1


def test_every_source_that_is_due_is_begun_and_none_twice(trigger, folder):
    async def begin() -> int:
        looks = SourceLooks()
        await looks.begin_due(trigger.due_at)
        await looks.begin_due(trigger.due_at)
        begun = len(looks._tasks)
        while looks._tasks:
            await next(iter(looks._tasks.values()))
        return begun

    assert async_to_sync(begin)() == 1
    assert Trigger.objects.get().cursor == "[]"


def test_an_example_tries_the_agent(people, trigger):
    tried = try_example(trigger, people["author"])

    assert AmpSession.objects.get(public_id=tried.session).owner == people["author"]
    assert waiting()[0].body["name"] == "example.pdf"
