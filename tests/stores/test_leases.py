"""Leases in the database: who has the lock of the folder, and what renewing costs."""

import pytest

from tests.stores.builders import new_rollout

STATEMENTS = 2


async def claimed(store, count: int) -> list[str]:
    names = [f"r_{number}" for number in range(count)]
    for name in names:
        await store.create(new_rollout(name))
        await store.claim(name, "dead")
    return names


async def test_who_holds_the_folder_takes_the_leases_of_the_dead_at_once(store):
    names = await claimed(store, 3)
    assert await store.claim("r_0", "next") is None

    assert await store.claim_all_stale() == 3

    assert [(await store.claim(name, "next")).epoch for name in names] == [2, 2, 2]


@pytest.mark.parametrize("count", [1, 100])
async def test_a_hundred_leases_are_renewed_by_as_many_statements_as_one(store, writer, count):
    names = await claimed(store, count)
    before = writer.counts.statements

    kept = await store.renew("dead", names)

    assert sorted(kept) == sorted(names)
    assert writer.counts.statements - before <= STATEMENTS
