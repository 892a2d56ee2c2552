"""What only the database's store has: one writer, triggers, sessions, erasure."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, connection, transaction

from runtime.domain.errors import UnknownEventType
from runtime.domain.events import AgentThought, UserInput
from runtime.ports import Appended, KeyReused, Lost, NoSuchRollout
from studio.models import AgentVersion, AmpSession, Artifact, Event, Participant, PendingEvent, Project, Rollout, User
from studio.store import (
    Accept,
    ArchiveSession,
    CreateSession,
    EraseSession,
    KeyUse,
    NewSession,
    NotThere,
    RenameSession,
    WriterClosed,
    events_after,
    pending_events,
    trajectory,
)
from studio.verify import verify
from tests.stores.builders import Owner, arrival, new_rollout


async def hundred(store, clock) -> list[Owner]:
    """Owners of a hundred rollouts in two sessions."""
    names = [f"r_{number}" for number in range(100)]
    for number, name in enumerate(names):
        await store.create(new_rollout(name, f"s_{1 + number % 2}"))
    return [Owner(store, await store.claim(name, "worker"), clock) for name in names]


async def test_a_hundred_appends_at_once_share_few_commits(store, clock, writer):
    owners = await hundred(store, clock)
    before = writer.counts.commits

    answers = await asyncio.gather(*(owner.record(AgentThought(content="at once")) for owner in owners))

    assert all(isinstance(answer, Appended) for answer in answers)
    assert writer.counts.commits - before <= 10


async def test_one_bad_row_among_a_hundred_harms_its_own_rollout_alone(store, clock):
    owners = await hundred(store, clock)
    bad = owners[41].change(AgentThought(content="bad"))
    object.__setattr__(bad.events[0], "at", 2**70)  # no integer that a database can hold

    answers = await asyncio.gather(
        *(owner.record(AgentThought(content="good")) for owner in owners if owner is not owners[41]),
        store.append(bad),
        return_exceptions=True,
    )

    assert all(isinstance(answer, Appended) for answer in answers[:-1])
    assert isinstance(answers[-1], OverflowError | DatabaseError)
    assert len(await store.events("r_41", 0)) == 1


async def test_a_queue_that_cannot_be_read_harms_its_own_rollout_alone(store, clock):
    for name in ("r_1", "r_2", "r_3"):
        await store.create(new_rollout(name))
        await store.accept(arrival(rollout=name))
    await asyncio.to_thread(_break_queue, "r_2")

    answers = await asyncio.gather(*(store.queue(name) for name in ("r_1", "r_2", "r_3")), return_exceptions=True)

    assert [len(answer.pending) for answer in (answers[0], answers[2])] == [1, 1]
    assert isinstance(answers[1], UnknownEventType)


def _break_queue(rollout: str) -> None:
    PendingEvent.objects.filter(rollout__public_id=rollout).update(v=99)
    connection.close()


async def test_a_key_is_forgotten_after_a_week(store, clock):
    use = {"sender": "u_maya", "route": "/events", "key": "k1", "body_sha256": "aa"}
    await store.create(new_rollout())
    await store.accept(arrival(**use))

    assert await store.forget_old_keys() == 0
    clock.move(8 * 24 * 3600)
    assert await store.forget_old_keys() == 1
    assert not (await store.accept(arrival(**use))).repeated


async def test_a_writer_goes_on_after_the_database_was_locked_for_a_while(store, clock):
    await store.create(new_rollout())
    locked, free = threading.Event(), threading.Event()
    other = asyncio.create_task(asyncio.to_thread(_hold_lock, locked, free))
    await asyncio.to_thread(locked.wait)

    accepted = asyncio.create_task(store.accept(arrival(id="e_late")))
    await asyncio.sleep(0)
    assert not accepted.done()
    free.set()

    assert (await accepted).id == "e_late"
    await other


def _hold_lock(locked: threading.Event, free: threading.Event) -> None:
    with transaction.atomic():
        Project.objects.update(name="Held")
        locked.set()
        free.wait(10)
    connection.close()


async def test_twenty_people_write_to_one_rollout_from_their_own_threads(store, writer):
    await store.create(new_rollout())

    with ThreadPoolExecutor(20) as threads:
        jobs = [threads.submit(writer.call, Accept(arrival(id=f"e_t{number}"))) for number in range(20)]
        answers = await asyncio.to_thread(lambda: [job.result(timeout=10) for job in jobs])

    assert {answer.id for answer in answers} == {item.id for item in (await store.queue("r_1")).pending}


async def test_a_cancelled_caller_does_not_take_its_job_back(store, clock):
    await store.create(new_rollout())
    owner = Owner(store, await store.claim("r_1", "worker"), clock)
    task = asyncio.create_task(owner.record(AgentThought(content="kept")))
    await asyncio.sleep(0)
    task.cancel()

    await asyncio.wait([task])

    assert [event.payload.content for event in await store.events("r_1", 1)] == ["kept"]


async def test_an_event_that_was_withdrawn_is_not_recorded(store, clock):
    await store.create(new_rollout())
    await store.accept(arrival(id="e_a", key="k1"))
    owner = Owner(store, await store.claim("r_1", "worker"), clock)
    queue = await store.queue("r_1")
    await store.withdraw("r_1", "e_a")

    append = owner.change(UserInput(content="hello"))
    object.__setattr__(append, "taken", [item.id for item in queue.pending])

    assert isinstance(await store.append(append), Lost)
    assert len(await store.events("r_1", 0)) == 1


def test_a_closed_writer_says_that_studio_is_shutting_down(writer):
    writer.close()

    with pytest.raises(WriterClosed, match="shutting down"):
        writer.call(RenameSession("s_1", "x"))


# -- what the database refuses


@pytest.fixture
def recorded(store, clock):
    async def record():
        await store.create(new_rollout())
        owner = Owner(store, await store.claim("r_1", "worker"), clock)
        await owner.record(AgentThought(content="a secret thought"))

    asyncio.run(record())


def test_an_event_cannot_be_changed(recorded):
    with pytest.raises(DatabaseError, match="append-only: update refused"):
        Event.objects.filter(seq=2).update(source="u_other")


def test_an_event_cannot_be_deleted(recorded):
    with pytest.raises(DatabaseError, match="append-only: delete refused"):
        Event.objects.filter(seq=2).delete()


def test_an_agent_version_cannot_be_changed(project):
    with pytest.raises(DatabaseError, match="append-only: update refused"):
        AgentVersion.objects.update(text="name: other\n")


# -- sessions


@pytest.fixture
def maya(project):
    return User.objects.create(username="maya")


def new_session(project: Project, owner: User, **fields) -> NewSession:
    fields.setdefault("rollout", new_rollout("r_new", "s_new"))
    return NewSession(project_pk=project.pk, owner_pk=owner.pk, users=[owner.pk], title="Refund", **fields)


def test_a_session_is_made_with_its_rollout_and_first_message(store, writer, project, maya):
    first = arrival(UserInput(content="hi"), rollout="r_new", id="e_first")

    created = writer.call(CreateSession(new_session(project, maya, first=first)))

    session = AmpSession.objects.get(public_id=created.session)
    assert (created.rollout, created.event_id, created.repeated) == ("r_new", "e_first", False)
    assert (session.title, session.next_pos, session.entry_agent.name) == ("Refund", 2, "tester")
    assert Participant.objects.filter(session=session).count() == 2
    assert [event.type for event in trajectory(Rollout.objects.get().pk)] == ["rollout.started"]
    assert [item.id for item in pending_events(Rollout.objects.get().pk)] == ["e_first"]


def test_a_session_made_twice_with_one_key_is_one_session(store, writer, project, maya):
    use = KeyUse("u_maya", "/sessions", "k1", "aa")
    first = writer.call(CreateSession(new_session(project, maya, use=use)))
    other = new_session(project, maya, use=use, rollout=new_rollout("r_other", "s_other"))

    again = writer.call(CreateSession(other))

    assert (again.session, again.rollout, again.repeated) == (first.session, first.rollout, True)
    assert not AmpSession.objects.filter(public_id="s_other").exists()
    with pytest.raises(KeyReused):
        writer.call(CreateSession(new_session(project, maya, use=KeyUse("u_maya", "/sessions", "k1", "bb"))))


def test_a_session_of_an_unknown_agent_leaves_nothing_behind(store, writer, project, maya):
    rollout = new_rollout("r_new", "s_new")
    object.__setattr__(rollout.info, "agent", "nobody")

    with pytest.raises(NotThere, match="agent nobody is not there"):
        writer.call(CreateSession(new_session(project, maya, rollout=rollout)))

    assert not AmpSession.objects.filter(public_id="s_new").exists()


def test_a_session_is_renamed_and_archived_and_taken_out_again(store, writer, recorded):
    writer.call(RenameSession("s_1", "Order 48213"))
    writer.call(ArchiveSession("s_1"))
    archived = AmpSession.objects.get(public_id="s_1")
    writer.call(ArchiveSession("s_1", archived=False))

    assert (archived.title, archived.state) == ("Order 48213", "archived")
    assert AmpSession.objects.get(public_id="s_1").state == "open"


async def test_an_erased_session_keeps_no_word_and_stops_who_runs_it(store, clock, writer):
    await store.create(new_rollout())
    owner = Owner(store, await store.claim("r_1", "worker"), clock)
    await owner.record(AgentThought(content="a secret thought"))
    await store.accept(arrival(UserInput(content="a secret word")))

    await writer.do(EraseSession("s_1"))

    assert isinstance(await owner.record(AgentThought(content="too late")), Lost)
    with pytest.raises(NoSuchRollout):
        await store.accept(arrival())
    assert await asyncio.to_thread(_rows_left) == 0


def _rows_left() -> int:
    try:
        return Event.objects.count() + PendingEvent.objects.count() + Artifact.objects.count()
    finally:
        connection.close()


def test_the_erasure_switch_is_off_after_an_erasure(recorded, store, writer):
    asyncio.run(store.create(new_rollout("r_2", "s_2")))
    writer.call(EraseSession("s_1"))

    with pytest.raises(DatabaseError, match="append-only: delete refused"):
        Event.objects.all().delete()
    assert verify(connection) == []


# -- reading


async def test_a_session_is_read_by_pos_over_its_rollouts(store, clock):
    for name in ("r_1", "r_2"):
        await store.create(new_rollout(name))
    for name in ("r_2", "r_1", "r_2"):
        owner = Owner(store, await store.claim(name, "worker"), clock)
        await owner.record(AgentThought(content=name))

    events = await asyncio.to_thread(_read_session, 2, 2)

    assert [(event.pos, event.payload.content) for _, event in events] == [(3, "r_2"), (4, "r_1")]


def _read_session(pos: int, limit: int):
    try:
        return events_after(AmpSession.objects.get(public_id="s_1").pk, pos, limit)
    finally:
        connection.close()
