"""What every store promises of rollouts among themselves: children, sends, budgets of a tree, and waking by itself."""

import asyncio

import pytest

from runtime.domain.events import (
    AgentInput,
    AgentOutput,
    AgentThought,
    RolloutCancelled,
    RolloutCompleted,
    RolloutPaused,
    StepCompleted,
    StepStarted,
    TimerSet,
    TimerTrigger,
    UserInterrupt,
)
from runtime.domain.trajectory import AGENT, Draft
from runtime.ports import Appended, Lost, NoSuchRollout, OverBudget, Store
from tests.stores.builders import HandClock, Owner, arrival, new_child, new_rollout, owned

NOTE = AgentThought(content="a note")
TASK = AgentInput(content="look it up", from_rollout="r_1")


def reserving(tokens: int = 0, usd: float = 0.0) -> Draft:
    """A step that begins, and sets that much of the budget aside."""
    sha256 = "0" * 64
    started = StepStarted(model="m", seen=1, prompt_sha256=sha256, reserved_tokens=tokens, reserved_usd=usd)
    return Draft(started, step=0)


async def reserve(owner: Owner, tokens: int = 0, usd: float = 0.0) -> Appended | Lost | OverBudget:
    owner.shown |= {"reserved_tokens": tokens, "reserved_usd": usd}
    return await owner.record(reserving(tokens, usd), within_budget=True)


async def tree(store: Store, clock: HandClock, **budget: float) -> list[Owner]:
    """A root with that budget and two sub-agents, one below the other; their owners, the root's first."""
    root = await owned(store, clock)
    root.shown |= budget
    await root.record(NOTE, children=[new_child("r_c")])
    child = await owned(store, clock, "r_c")
    await child.record(NOTE, children=[new_child("r_d", parent="r_c")])
    return [root, child, await owned(store, clock, "r_d")]


class TreeSuite:
    # -- children and sends

    async def test_an_append_makes_children_and_sends_with_its_events(self, store, clock, rollout):
        owner = await owned(store, clock)

        answer = await owner.record(
            NOTE, children=[new_child("r_c")], sends=[arrival(TASK, "r_c", id="e_task", source=rollout)]
        )

        claimed = await store.claim("r_c", "other")
        assert (claimed.info.parent, claimed.info.root) == (rollout, rollout)
        assert [(event.seq, event.type) for event in claimed.events] == [(1, "rollout.started")]
        assert claimed.events[0].pos == answer.first_pos + 1
        assert [(item.id, item.payload, item.source) for item in claimed.pending] == [("e_task", TASK, rollout)]

    async def test_a_child_of_a_child_has_the_root_above_both(self, store, clock, rollout):
        owners = await tree(store, clock)

        assert [(owner.claimed.info.parent, owner.claimed.info.root) for owner in owners] == [
            ("", ""),
            ("r_1", "r_1"),
            ("r_c", "r_1"),
        ]

    async def test_pos_has_no_gap_with_children(self, store, clock, rollout):
        owner = await owned(store, clock)
        await owner.record(NOTE, NOTE, children=[new_child("r_c"), new_child("r_d")])
        await owner.record(NOTE)

        positions = [event.pos for name in (rollout, "r_c", "r_d") for event in await store.events(name, 0)]
        assert sorted(positions) == list(range(1, 7))

    async def test_a_lost_fence_makes_no_child_and_sends_nothing(self, store, clock, rollout):
        await store.create(new_rollout("r_2"))
        old = await owned(store, clock, owner="old")
        clock.move(7)
        await owned(store, clock, owner="new")

        answer = await old.record(NOTE, children=[new_child("r_c")], sends=[arrival(TASK, "r_2")])

        assert isinstance(answer, Lost)
        assert (await store.queue("r_2")).pending == []
        with pytest.raises(NoSuchRollout):
            await store.queue("r_c")

    async def test_an_urgent_send_makes_the_append_of_its_receiver_lose(self, store, clock, rollout):
        await store.create(new_rollout("r_2"))
        sender, receiver = await owned(store, clock), await owned(store, clock, "r_2")

        await sender.record(NOTE, sends=[arrival(UserInterrupt(), "r_2")])

        assert await receiver.record(NOTE) == Lost(epoch=receiver.epoch, urgent=1, next_seq=2)

    async def test_a_send_to_a_rollout_that_has_ended_is_nothing(self, store, clock, rollout):
        await store.create(new_rollout("r_2"))
        sender, receiver = await owned(store, clock), await owned(store, clock, "r_2")
        await receiver.record(RolloutCompleted())

        answer = await sender.record(NOTE, sends=[arrival(TASK, "r_2"), arrival(TASK, "r_none")])

        assert isinstance(answer, Appended)
        assert (await store.queue("r_2")).pending == []

    async def test_a_full_queue_takes_what_another_rollout_sends(self, store, clock, rollout):
        await store.create(new_rollout("r_2"))
        await asyncio.gather(*(store.accept(arrival(rollout="r_2")) for _ in range(200)))
        sender = await owned(store, clock)

        await sender.record(NOTE, sends=[arrival(TASK, "r_2", id="e_task")])

        assert [item.id for item in (await store.queue("r_2")).pending][200:] == ["e_task"]

    async def test_what_is_sent_twice_with_a_key_arrives_once(self, store, clock, rollout):
        await store.create(new_rollout("r_2"))
        sender = await owned(store, clock)
        key = {"sender": rollout, "route": "sends", "key": "k1"}

        await sender.record(NOTE, sends=[arrival(TASK, "r_2", id="e_a", **key)])
        await sender.record(NOTE, sends=[arrival(TASK, "r_2", id="e_b", **key)])

        assert [item.id for item in (await store.queue("r_2")).pending] == ["e_a"]

    async def test_parents_and_children_record_at_once(self, store, clock, rollout):
        owners = await tree(store, clock)

        for _ in range(5):
            sends = [arrival(TASK, owner.claimed.info.rollout) for owner in owners]
            answers = await asyncio.gather(
                *(owner.record(NOTE, sends=[send]) for owner, send in zip(owners, sends[1:] + sends[:1], strict=True))
            )
            assert all(isinstance(answer, Appended) for answer in answers)

        for owner in owners:
            assert len((await store.queue(owner.claimed.info.rollout)).pending) == 5

    async def test_a_rollout_does_not_complete_over_an_event_that_was_accepted(self, store, clock, rollout):
        owner = await owned(store, clock)
        await store.accept(arrival())

        assert isinstance(await owner.record(RolloutCompleted()), Lost)
        assert isinstance(await owner.record(RolloutCancelled()), Lost)

    # -- the budget of a tree

    async def test_two_appends_race_for_the_last_of_a_budget_and_one_wins(self, store, clock, rollout):
        _, *children = await tree(store, clock, budget_tokens=1000)

        answers = await asyncio.gather(*(reserve(child, tokens=600) for child in children))

        assert [answer for answer in answers if isinstance(answer, OverBudget)] == [
            OverBudget("budget.tokens", used=600, limit=1000)
        ]
        recorded = [len(await store.events(child.claimed.info.rollout, 0)) for child in children]
        assert sum(recorded) == 4

    async def test_what_is_no_longer_set_aside_can_be_set_aside_by_another(self, store, clock, rollout):
        root, child, grandchild = await tree(store, clock, budget_tokens=1000)
        await reserve(root, tokens=600)
        refused = await reserve(child, tokens=600)
        root.shown["reserved_tokens"] = 0
        await root.record(Draft(StepCompleted(tokens_in=300, tokens_out=50), step=0))

        assert refused == OverBudget("budget.tokens", used=600, limit=1000)
        assert isinstance(await reserve(child, tokens=600), Appended)
        assert await reserve(grandchild, tokens=51) == OverBudget("budget.tokens", used=950, limit=1000)
        assert isinstance(await reserve(grandchild, tokens=50), Appended)

    async def test_a_budget_in_usd_holds_what_fits_exactly(self, store, clock, rollout):
        _, child, grandchild = await tree(store, clock, budget_usd=0.3)

        assert isinstance(await reserve(child, usd=0.1), Appended)
        assert await reserve(grandchild, usd=0.21) == OverBudget("budget.usd", used=0.1, limit=0.3)
        assert isinstance(await reserve(grandchild, usd=0.2), Appended)

    async def test_a_raised_budget_counts_at_once(self, store, clock, rollout):
        root, child, _ = await tree(store, clock, budget_tokens=1000)
        refused = await reserve(child, tokens=2000)
        root.shown["budget_tokens"] = 3000
        await root.record(NOTE)

        assert refused == OverBudget("budget.tokens", used=0, limit=1000)
        assert isinstance(await reserve(child, tokens=2000), Appended)

    async def test_a_budget_is_not_asked_for_by_appends_that_set_nothing_aside(self, store, clock, rollout):
        root, *_ = await tree(store, clock, budget_tokens=10)

        spent = await root.record(reserving(), Draft(StepCompleted(tokens_in=20), step=0))

        assert isinstance(spent, Appended)
        assert isinstance(await root.record(NOTE), Appended)

    # -- waking by itself

    async def test_a_due_timer_makes_its_rollout_runnable_until_it_is_taken(self, store, clock, rollout):
        owner = await owned(store, clock)
        due_at = clock.now() + 30_000_000
        await owner.record(
            Draft(StepStarted(model="m", seen=1, prompt_sha256="0" * 64), step=0),
            Draft(
                TimerSet(call_id="0.0", tool="set_timer", timer_id="t_1", due_at=due_at, result="set"), AGENT, step=0
            ),
            Draft(StepCompleted(), step=0),
        )
        await owner.record(
            Draft(StepStarted(model="m", seen=4, prompt_sha256="0" * 64), step=1),
            Draft(AgentOutput(content="I wait."), AGENT, step=1),
            Draft(StepCompleted(), step=1),
        )
        await store.release(rollout, owner.epoch)

        assert await store.runnable("worker") == []
        clock.move(31)
        assert await store.runnable("worker") == [rollout]
        await store.accept(arrival(TimerTrigger(timer_id="t_1", due_at=due_at)))
        await owner.take()
        await owner.record(
            Draft(StepStarted(model="m", seen=8, prompt_sha256="0" * 64), step=2),
            Draft(AgentOutput(content="It is time."), AGENT, step=2),
            Draft(StepCompleted(), step=2),
        )
        assert await store.runnable("worker") == []

    async def test_a_paused_rollout_is_not_woken_by_its_timers(self, store, clock, rollout):
        owner = await owned(store, clock)
        owner.shown["wake_at"] = clock.now()
        await owner.record(RolloutPaused())

        clock.move(31)

        assert await store.runnable("worker") == []

    async def test_a_cancelled_rollout_that_has_to_undo_something_is_runnable(self, store, clock, rollout):
        owner = await owned(store, clock)
        owner.shown["wake_at"] = clock.now()
        await owner.record(RolloutCancelled())
        before = await store.runnable("worker")
        owner.shown["wake_at"] = 0
        await owner.record(NOTE)

        assert before == [rollout]
        assert await store.runnable("worker") == []

    # -- facts

    async def test_the_peers_are_the_living_rollouts_of_the_session(self, store, clock, rollout):
        await store.create(new_rollout("r_2"))
        await store.create(new_rollout("r_far", session="s_2"))
        await tree(store, clock)
        ended = await owned(store, clock, "r_2")
        await ended.record(RolloutCompleted())

        facts = await store.facts("r_c", ["nobody"])

        assert [(peer.rollout, peer.agent, peer.parent) for peer in facts.peers] == [
            (rollout, "tester", ""),
            ("r_d", "tester", "r_c"),
        ]
        assert facts.agents == {}
