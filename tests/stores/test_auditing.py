"""An act and its audit entry are one transaction of the writer."""

import asyncio

import pytest
from django.db import connection

from runtime.domain.events import RolloutCompleted, RolloutPaused
from runtime.ports import RolloutEnded
from studio.models import AuditEntry, PendingEvent
from studio.services.audit import Actor, record
from studio.store import Accept, Entry, EraseSession
from studio.verify import verify
from tests.stores.builders import arrival, new_rollout, owned

PAUSED = Entry(None, "maya", "127.0.0.1", "rollout.pause", "r_1", after={"reason": "lunch"})


@pytest.fixture
def rollout(store):
    asyncio.run(store.create(new_rollout()))
    return "r_1"


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def test_entries_of_the_writer_and_of_services_are_one_chain(writer, rollout):
    record(Actor.terminal(), "user.added", "maya")
    writer.call(Accept(arrival(RolloutPaused()), PAUSED))
    record(Actor.terminal(), "user.disabled", "maya")
    writer.call(EraseSession("s_1", Entry(None, "maya", "127.0.0.1", "session.deleted", "s_1")))

    assert actions() == ["user.added", "rollout.pause", "user.disabled", "session.deleted"]
    assert verify(connection) == []


def test_a_repeated_act_has_one_entry(writer, rollout):
    key = {"sender": "u_maya", "route": "control", "key": "k1"}
    for _ in range(2):
        writer.call(Accept(arrival(RolloutPaused(), **key), PAUSED))

    assert actions() == ["rollout.pause"]


def test_an_act_that_is_refused_leaves_no_entry(store, clock, writer, rollout):
    async def end() -> None:
        owner = await owned(store, clock)
        await owner.record(RolloutCompleted())

    asyncio.run(end())

    with pytest.raises(RolloutEnded):
        writer.call(Accept(arrival(RolloutPaused()), PAUSED))

    assert actions() == []


def test_acts_at_once_share_a_transaction_and_have_an_entry_each(store, writer, rollout):
    async def pause() -> None:
        await asyncio.gather(*(writer.do(Accept(arrival(RolloutPaused()), PAUSED)) for _ in range(20)))

    asyncio.run(pause())

    assert actions() == ["rollout.pause"] * 20
    assert PendingEvent.objects.count() == 20
    assert verify(connection) == []
