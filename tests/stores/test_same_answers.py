"""Whatever is asked of them, in whatever order, the two stores give the same answers."""

import asyncio
import itertools
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.domain.errors import RuntimeFault
from runtime.domain.events import (
    AgentThought,
    Payload,
    RolloutCancelled,
    RolloutPaused,
    RolloutResumed,
    StepCompleted,
    StepStarted,
    UserInput,
    UserInterrupt,
)
from runtime.domain.trajectory import Draft
from runtime.ports import Appended, Store
from runtime.stores.in_process import InProcessStore
from tests.stores.builders import HandClock, Owner, arrival, new_child, new_rollout

NOTE = AgentThought(content="note")
PAYLOADS: list[Payload] = [
    UserInput(content="hello"),
    UserInput(content="now", now=True),
    UserInterrupt(),
    RolloutPaused(),
    RolloutResumed(),
]
ROLLOUTS = ["r_1", "r_2", "r_c1", "r_none"]
BUDGET = {"budget_tokens": 1000}
OWNERS = ["first", "second"]
_examples = itertools.count(1)

rollouts = st.sampled_from(ROLLOUTS)
owners = st.sampled_from(OWNERS)
living = st.sampled_from(["r_1", "r_c1"])
payloads = st.sampled_from(PAYLOADS)
keys = st.sampled_from(["", "k1", "k2"])
bodies = st.sampled_from(["aa", "bb"])
operations = st.one_of(
    st.tuples(st.just("accept"), rollouts, payloads, keys, bodies),
    st.tuples(st.just("withdraw"), rollouts, st.integers(0, 6)),
    st.tuples(st.just("claim"), rollouts, owners),
    st.tuples(st.just("take"), rollouts, owners),
    st.tuples(st.just("record"), rollouts, owners, st.sampled_from([NOTE, RolloutCancelled()])),
    st.tuples(st.just("beget"), living, owners),
    st.tuples(st.just("send"), living, owners, rollouts, payloads),
    st.tuples(st.just("spend"), living, owners, st.sampled_from([300, 900])),
    st.tuples(st.just("wake"), living, owners, st.sampled_from([0, 2.1, -1.0])),
    st.tuples(st.just("release"), rollouts, owners),
    st.tuples(st.just("renew"), owners),
    # no sum of these times is near a lease of 6 s
    st.tuples(st.just("move"), st.sampled_from([1.7, 2.9, 7.0])),
    st.tuples(st.just("queue"), rollouts),
    st.tuples(st.just("runnable"), owners),
)


class Asked:
    """One store, asked by hand, about rollouts whose names end in `suffix`; remembers what owners were given."""

    def __init__(self, store: Store, clock: HandClock, suffix: str = "") -> None:
        self.store, self.clock, self.suffix = store, clock, suffix
        self.owned: dict[tuple[str, str], Owner] = {}
        self.accepted = self.children = 0

    async def ask(self, name: str, *arguments: Any) -> Any:
        """The answer, or the fault, in a form that can be compared."""
        try:
            answer = await getattr(self, name)(*arguments)
        except RuntimeFault as fault:
            return type(fault).__name__
        return "appended" if isinstance(answer, Appended) else answer

    async def accept(self, rollout: str, payload: Payload, key: str, body: str) -> Any:
        self.accepted += 1
        use = {"sender": "u_maya", "route": self.suffix, "key": key, "body_sha256": body}
        id_ = f"e_{self.accepted}{self.suffix}"
        accepted = await self.store.accept(arrival(payload, rollout + self.suffix, id=id_, **use))
        return accepted.id.removesuffix(self.suffix), accepted.rollout.removesuffix(self.suffix), accepted.repeated

    async def withdraw(self, rollout: str, number: int) -> Any:
        return await self.store.withdraw(rollout + self.suffix, f"e_{number}{self.suffix}")

    async def claim(self, rollout: str, owner: str) -> Any:
        claimed = await self.store.claim(rollout + self.suffix, owner + self.suffix)
        if claimed is None:
            return None
        own = self.owned[rollout, owner] = Owner(self.store, claimed, self.clock)
        own.shown |= {} if claimed.info.root else BUDGET
        pending = [item.payload for item in claimed.pending]
        above = [name.removesuffix(self.suffix) for name in (claimed.info.root, claimed.info.parent)]
        return claimed.epoch, claimed.urgent, [event.type for event in claimed.events], pending, above

    async def take(self, rollout: str, owner: str) -> Any:
        own = self.owned.get((rollout, owner))
        queue = await self.store.queue(rollout + self.suffix)
        if own is None or not queue.pending:
            return None
        own.urgent = queue.urgent
        return await own.take()

    async def record(self, rollout: str, owner: str, payload: Payload) -> Any:
        own = self.owned.get((rollout, owner))
        return own and await own.record(payload)

    async def beget(self, rollout: str, owner: str) -> Any:
        own = self.owned.get((rollout, owner))
        if own is None or self.children == 3:
            return None
        info = own.claimed.info
        child = new_child(f"r_c{self.children + 1}{self.suffix}", info.rollout, info.root or info.rollout)
        answer = await own.record(NOTE, children=[child], sends=[arrival(rollout=child.info.rollout)])
        self.children += isinstance(answer, Appended)
        return answer

    async def send(self, rollout: str, owner: str, target: str, payload: Payload) -> Any:
        own = self.owned.get((rollout, owner))
        return own and await own.record(NOTE, sends=[arrival(payload, target + self.suffix)])

    async def spend(self, rollout: str, owner: str, tokens: int) -> Any:
        own = self.owned.get((rollout, owner))
        if own is None:
            return None
        step = own.state.next_step
        started = Draft(StepStarted(model="m", seen=1, prompt_sha256="0" * 64), step=step)
        return await own.record(started, Draft(StepCompleted(tokens_in=tokens), step=step), within_budget=True)

    async def wake(self, rollout: str, owner: str, seconds: float) -> Any:
        own = self.owned.get((rollout, owner))
        if own is None:
            return None
        own.shown["wake_at"] = self.clock.time + int(seconds * 1e6) if seconds else 0
        return await own.record(NOTE)

    async def release(self, rollout: str, owner: str) -> Any:
        own = self.owned.get((rollout, owner))
        return own and await self.store.release(rollout + self.suffix, own.epoch)

    async def renew(self, owner: str) -> Any:
        kept = await self.store.renew(owner + self.suffix, [name + self.suffix for name in ROLLOUTS])
        return sorted(name.removesuffix(self.suffix) for name in kept)

    async def move(self, seconds: float) -> Any:
        self.clock.move(seconds)

    async def queue(self, rollout: str) -> Any:
        queue = await self.store.queue(rollout + self.suffix)
        return queue.epoch, queue.urgent, queue.next_seq, [item.payload for item in queue.pending]

    async def runnable(self, owner: str) -> Any:
        runnable = await self.store.runnable(owner + self.suffix)
        return sorted(name.removesuffix(self.suffix) for name in runnable if name.endswith(self.suffix))


@given(asked=st.lists(operations, min_size=20, max_size=40))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_stores_give_the_same_answers(store, clock, asked):
    suffix = f"_{next(_examples)}"
    memory_clock = HandClock()
    stores = [
        Asked(InProcessStore(memory_clock.now), memory_clock),
        Asked(store, clock, suffix),
    ]

    async def compare() -> None:
        for one in stores:
            for name in ("r_1", "r_2"):
                await one.store.create(new_rollout(name + one.suffix))
                await one.claim(name, "first")
            await one.beget("r_1", "first")
            await one.claim("r_c1", "first")
        for operation in asked:
            answers = [await one.ask(*operation) for one in stores]
            assert answers[0] == answers[1], operation

    asyncio.run(compare())
