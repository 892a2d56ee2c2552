"""Counts and bytes that performance.md sets goals for (B5, B10, B13); counted, not timed."""

import asyncio
from dataclasses import replace

import pytest
from django.db import connection

from tests.stores.builders import Owner, new_rollout, tool_turn

BYTES_PER_TURN = 1_800
WAITING_BYTES = 1_000


def _size() -> int:
    """Bytes of the database, without what the write-ahead log holds twice."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        pages = cursor.fetchone()[0]
        cursor.execute("PRAGMA page_size")
        return int(pages * cursor.fetchone()[0])


@pytest.fixture
def turns(store, clock):
    """Runs that many turns in each of so many rollouts, all at once; the commits and statements of one turn."""

    async def run(rollouts: int, turns: int) -> tuple[float, float]:
        async def one(owner: Owner) -> None:
            for _ in range(turns):
                await tool_turn(owner)

        names = [f"r_{number:022d}" for number in range(rollouts)]
        for name in names:
            await store.create(new_rollout(name))
        owners = [Owner(store, await store.claim(name, "worker"), clock) for name in names]
        before = replace(store.writer.counts)
        await asyncio.gather(*(one(owner) for owner in owners))
        now = store.writer.counts
        return (now.commits - before.commits) / rollouts / turns, (
            now.statements - before.statements
        ) / rollouts / turns

    return lambda rollouts, count: asyncio.run(run(rollouts, count))


def test_a_turn_takes_less_than_1800_bytes(turns):
    before = _size()

    turns(10, 40)

    assert (_size() - before) / 400 <= BYTES_PER_TURN


def test_the_last_turns_take_no_more_bytes_than_the_first(turns, store, clock):
    async def more(owner: Owner) -> int:
        before = await asyncio.to_thread(_size_and_close)
        for _ in range(100):
            await tool_turn(owner)
        return await asyncio.to_thread(_size_and_close) - before

    async def grow() -> list[int]:
        await store.create(new_rollout())
        owner = Owner(store, await store.claim("r_1", "worker"), clock)
        return [await more(owner) for _ in range(3)]

    first, _, last = asyncio.run(grow())

    assert last <= 1.1 * first


def _size_and_close() -> int:
    try:
        return _size()
    finally:
        connection.close()


def test_a_hundred_sessions_at_once_share_commits_and_statements(turns):
    commits, statements = turns(100, 5)

    assert commits <= 0.3
    assert statements <= 1.5


def test_turns_one_after_another_take_six_commits_each(turns):
    commits, _ = turns(1, 20)

    assert commits <= 6


def test_a_waiting_session_takes_less_than_a_thousand_bytes_besides_its_events(store):
    async def wait(first: int) -> None:
        for number in range(first, first + 200):
            await store.create(new_rollout(f"r_{number:022d}"))

    asyncio.run(wait(0))
    before = _size()
    asyncio.run(wait(200))

    assert (_size() - before) / 200 <= WAITING_BYTES


def test_finding_what_has_something_to_do_does_not_look_at_waiting_rollouts(store):
    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN QUERY PLAN SELECT public_id FROM studio_rollout WHERE due_at IS NOT NULL AND due_at <= 5 "
            "AND (lease_owner IS NULL OR lease_owner = 'w' OR lease_until <= 5) ORDER BY due_at LIMIT 500"
        )
        plan = str(cursor.fetchall())

    assert "USING INDEX rollout_due" in plan
