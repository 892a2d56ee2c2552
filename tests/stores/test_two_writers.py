"""Two writers with a connection each, as in two processes, on rollouts that send to each other: nobody waits in a ring.

On PostgreSQL (`STUDIO_DATABASE_URL`) the rows are locked one by one; on SQLite the database is.
"""

import asyncio
import itertools
import random

import pytest

from runtime.domain.events import AgentInput, AgentThought, StepCompleted
from runtime.domain.trajectory import Draft
from runtime.ports import Appended, OverBudget
from studio.store import DjangoStore, Writer
from tests.stores.builders import Owner, arrival, new_child, new_rollout, owned
from tests.stores.suite_of_trees import reserving

ROUNDS = 40
CHILDREN_OF_EACH = 3


@pytest.fixture
def other_store(project, clock):
    writer = Writer(now=clock.now, lease_clock=clock.now)
    yield DjangoStore(writer)
    writer.close()


class Family:
    """A root with sub-agents; each is owned by one of the two stores, in turn."""

    def __init__(self, stores: list[DjangoStore], clock, seed: int) -> None:
        self._stores, self._clock, self._random = itertools.cycle(stores), clock, random.Random(seed)
        self.owners: list[Owner] = []

    async def grow(self, stores: list[DjangoStore]) -> None:
        await stores[0].create(new_rollout())
        root = await owned(next(self._stores), self._clock)
        root.shown["budget_tokens"] = 1000
        names = [f"r_c{number}" for number in range(CHILDREN_OF_EACH)]
        await root.record(AgentThought(content="I ask"), children=[new_child(name) for name in names])
        self.owners = [root, *[await owned(next(self._stores), self._clock, name) for name in names]]
        for owner in list(self.owners[1:]):
            name = f"{owner.claimed.info.rollout}_d"
            child = new_child(name, parent=owner.claimed.info.rollout)
            await owner.record(AgentThought(content="I ask"), children=[child])
            self.owners.append(await owned(next(self._stores), self._clock, name))

    async def go_on(self, owner: Owner) -> None:
        """A step that sets something aside and sends to others, round by round; what came in is taken now and then."""
        for number in range(ROUNDS):
            others = self._random.sample(self.owners, 3)
            sends = [arrival(AgentInput(content="news"), other.claimed.info.rollout) for other in others]
            answer = await self._reserve(owner, sends)
            if isinstance(answer, Appended):
                owner.shown["reserved_tokens"] = 0
                answer = await owner.record(Draft(StepCompleted(), step=owner.state.next_step))
                assert isinstance(answer, Appended)
            if number % 5 == 0 and (await owner.store.queue(owner.claimed.info.rollout)).pending:
                await owner.take()

    async def _reserve(self, owner: Owner, sends) -> Appended | OverBudget:
        owner.shown["reserved_tokens"] = 300
        draft = Draft(reserving(300).payload, step=owner.state.next_step)
        answer = await owner.record(draft, sends=sends, within_budget=True)
        assert isinstance(answer, Appended | OverBudget)
        if isinstance(answer, OverBudget):
            owner.shown["reserved_tokens"] = 0
        return answer


@pytest.mark.parametrize("seed", range(3))
def test_no_transaction_waits_in_a_ring(store, other_store, clock, seed):
    stores = [store, other_store]
    family = Family(stores, clock, seed)

    async def run() -> None:
        await family.grow(stores)
        await asyncio.gather(*(family.go_on(owner) for owner in family.owners))

    asyncio.run(run())

    assert [one.writer.counts.rollbacks for one in stores] == [0, 0]
