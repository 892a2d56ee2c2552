"""What every store promises. A module gives the fixture `store`; `clock` is the one that it reads."""

import asyncio
from dataclasses import replace

import pytest

from runtime.domain.events import (
    AgentOutput,
    AgentThought,
    RolloutCompleted,
    RolloutPaused,
    RolloutResumed,
    StepAborted,
    StepCompleted,
    StepStarted,
    UserInput,
    UserInterrupt,
)
from runtime.domain.trajectory import Draft
from runtime.ports import (
    Appended,
    KeyReused,
    Lost,
    NewArtifact,
    NoSuchRollout,
    QueueFull,
    RolloutEnded,
    Store,
)
from tests.stores.builders import arrival, new_rollout, owned
from tests.stores.suite_of_trees import TreeSuite

NOTE = AgentThought(content="a note")


class StoreSuite(TreeSuite):
    @pytest.fixture
    async def rollout(self, store: Store) -> str:
        await store.create(new_rollout())
        return "r_1"

    # -- the queue

    async def test_an_accepted_event_waits_in_the_order_of_arrival(self, store, rollout):
        await store.accept(arrival(UserInput(content="first"), id="e_a"))
        await store.accept(arrival(UserInput(content="second"), id="e_b"))

        queue = await store.queue(rollout)

        assert [(item.id, item.payload.content, item.source) for item in queue.pending] == [
            ("e_a", "first", "u_maya"),
            ("e_b", "second", "u_maya"),
        ]
        assert queue.pending[0].order < queue.pending[1].order
        assert queue.pending[0].received_at <= queue.pending[1].received_at

    async def test_a_key_is_good_once_and_gives_the_first_answer_again(self, store, rollout):
        key = {"sender": "u_maya", "route": "/events", "key": "k1", "body_sha256": "aa"}
        first = await store.accept(arrival(**key))
        again = await store.accept(arrival(**key))

        assert (again.id, again.rollout, again.repeated) == (first.id, rollout, True)
        assert len((await store.queue(rollout)).pending) == 1

    async def test_a_key_with_another_body_is_refused(self, store, rollout):
        await store.accept(arrival(sender="u_maya", route="/events", key="k1", body_sha256="aa"))

        with pytest.raises(KeyReused):
            await store.accept(arrival(sender="u_maya", route="/events", key="k1", body_sha256="bb"))

    async def test_the_same_key_of_another_sender_or_route_is_another_key(self, store, rollout):
        for sender, route in [("u_maya", "/events"), ("u_priya", "/events"), ("u_maya", "/ask")]:
            answer = await store.accept(arrival(sender=sender, route=route, key="k1", body_sha256="aa"))

            assert not answer.repeated

    async def test_a_key_used_twenty_times_at_once_accepts_one_event(self, store, rollout):
        key = {"sender": "u_maya", "route": "/events", "key": "k1", "body_sha256": "aa"}

        answers = await asyncio.gather(*(store.accept(arrival(**key)) for _ in range(20)))

        assert len({answer.id for answer in answers}) == 1
        assert sum(not answer.repeated for answer in answers) == 1
        assert len((await store.queue(rollout)).pending) == 1

    async def test_twenty_messages_at_once_are_all_accepted(self, store, rollout):
        await asyncio.gather(*(store.accept(arrival(id=f"e_x{number}")) for number in range(20)))

        queue = await store.queue(rollout)

        assert {item.id for item in queue.pending} == {f"e_x{number}" for number in range(20)}

    async def test_the_queue_takes_two_hundred_events_and_no_more(self, store, rollout):
        await asyncio.gather(*(store.accept(arrival()) for _ in range(200)))

        with pytest.raises(QueueFull):
            await store.accept(arrival())

    async def test_a_full_queue_still_takes_a_stop_and_a_resume_but_not_without_end(self, store, rollout):
        await asyncio.gather(*(store.accept(arrival()) for _ in range(200)))

        await store.accept(arrival(UserInterrupt()))
        await store.accept(arrival(RolloutResumed()))

        await asyncio.gather(*(store.accept(arrival(UserInterrupt())) for _ in range(198)))
        with pytest.raises(QueueFull):
            await store.accept(arrival(UserInterrupt()))

    async def test_a_withdrawn_event_is_gone_and_cannot_be_withdrawn_again(self, store, rollout):
        await store.accept(arrival(id="e_a"))

        assert await store.withdraw(rollout, "e_a")
        assert not await store.withdraw(rollout, "e_a")
        assert (await store.queue(rollout)).pending == []

    async def test_an_event_that_replaces_another_stands_alone(self, store, rollout):
        await store.accept(arrival(UserInput(content="later"), id="e_a"))
        await store.accept(arrival(UserInput(content="now", now=True), id="e_b", replaces="e_a"))

        assert [item.id for item in (await store.queue(rollout)).pending] == ["e_b"]

    async def test_an_unknown_rollout_is_named(self, store):
        with pytest.raises(NoSuchRollout, match="r_none"):
            await store.accept(arrival(rollout="r_none"))
        with pytest.raises(NoSuchRollout):
            await store.queue("r_none")
        with pytest.raises(NoSuchRollout):
            await store.claim("r_none", "worker")

    async def test_a_completed_rollout_takes_no_more_events(self, store, clock, rollout):
        owner = await owned(store, clock)
        await owner.record(RolloutCompleted())

        with pytest.raises(RolloutEnded):
            await store.accept(arrival())

    # -- the trajectory

    async def test_a_taken_event_keeps_its_id_and_leaves_the_queue(self, store, clock, rollout):
        await store.accept(arrival(UserInput(content="안녕 🌱"), id="e_a"))
        owner = await owned(store, clock)

        await owner.take()

        event = (await store.events(rollout, 1))[0]
        assert (event.id, event.type, event.payload.content) == ("e_a", "user.input", "안녕 🌱")
        assert (await store.queue(rollout)).pending == []

    async def test_what_was_recorded_is_read_as_it_was_written(self, store, clock, rollout):
        owner = await owned(store, clock)
        append = owner.change(
            Draft(StepStarted(model="m", seen=1, prompt_sha256="0" * 64), step=0),
            Draft(AgentThought(content="hm"), "agent", step=0, cause=1),
            Draft(StepCompleted(), step=0),
        )
        answer = await store.append(append)

        claimed = await store.claim(rollout, "worker")

        assert [event.sha256 for event in claimed.events[1:]] == [event.sha256 for event in append.events]
        assert [event.pos for event in claimed.events] == [1, *range(answer.first_pos, answer.first_pos + 3)]
        assert claimed.info.agent_text == "name: tester\n"

    async def test_events_after_a_seq_are_those_behind_it(self, store, clock, rollout):
        owner = await owned(store, clock)
        await owner.record(NOTE, NOTE, NOTE)

        assert [event.seq for event in await store.events(rollout, 2)] == [3, 4]

    async def test_pos_has_no_gap_when_two_rollouts_of_a_session_record_at_once(self, store, clock, rollout):
        await store.create(new_rollout("r_2"))
        owners = [await owned(store, clock, name) for name in ("r_1", "r_2")]

        for _ in range(5):
            await asyncio.gather(*(owner.record(NOTE, NOTE) for owner in owners))

        positions = [event.pos for name in ("r_1", "r_2") for event in await store.events(name, 0)]
        assert sorted(positions) == list(range(1, 23))

    async def test_a_large_text_is_kept_beside_the_rollout(self, store, clock, rollout):
        owner = await owned(store, clock)
        await owner.record(NOTE, artifacts=[NewArtifact("a_1", "long " * 1000)])

        assert await store.artifact(rollout, "a_1") == "long " * 1000
        assert await store.artifact(rollout, "a_2") is None

    async def test_a_pin_keeps_its_first_text(self, store):
        await store.pin("ab" * 32, "first")
        await store.pin("ab" * 32, "second")

        assert await store.pinned("ab" * 32) == "first"
        assert await store.pinned("cd" * 32) is None

    # -- the fence

    async def test_an_append_with_an_old_epoch_is_lost(self, store, clock, rollout):
        old = await owned(store, clock, owner="old")
        clock.move(7)
        new = await owned(store, clock, owner="new")

        answer = await old.record(NOTE)

        assert answer == Lost(epoch=new.epoch, urgent=0, next_seq=2)
        assert len(await store.events(rollout, 0)) == 1

    async def test_an_urgent_event_makes_an_append_lose_until_it_is_known(self, store, clock, rollout):
        owner = await owned(store, clock)
        await store.accept(arrival(UserInterrupt(), id="e_stop"))

        lost = await owner.record(AgentOutput(content="too late"))
        owner.urgent = (await store.queue(rollout)).urgent
        answer = await owner.take()

        assert lost == Lost(epoch=owner.epoch, urgent=1, next_seq=2)
        assert isinstance(answer, Appended)
        assert [event.type for event in await store.events(rollout, 1)] == ["user.interrupt"]

    async def test_an_append_that_counts_the_queue_is_lost_when_something_came(self, store, clock, rollout):
        owner = await owned(store, clock)
        append = replace(owner.change(NOTE), waiting=0)
        await store.accept(arrival(UserInput(content="wait, one more")))

        lost = await store.append(append)
        answer = await store.append(replace(append, waiting=1))

        assert lost == Lost(epoch=owner.epoch, urgent=0, next_seq=2)
        assert isinstance(answer, Appended)

    async def test_an_append_whose_answer_was_lost_is_found_and_not_repeated(self, store, clock, rollout):
        owner = await owned(store, clock)
        append = owner.change(NOTE)
        await store.append(append)  # the answer never arrives

        again = await store.append(append)

        assert again == Lost(epoch=owner.epoch, urgent=0, next_seq=3)
        assert [event.sha256 for event in await store.events(rollout, 1)] == [append.events[0].sha256]

    async def test_a_hundred_appends_of_one_owner_at_once_have_one_winner(self, store, clock, rollout):
        owner = await owned(store, clock)
        appends = [owner.change(AgentThought(content=str(number))) for number in range(100)]

        answers = await asyncio.gather(*(store.append(append) for append in appends))

        assert sum(isinstance(answer, Appended) for answer in answers) == 1
        assert len(await store.events(rollout, 0)) == 2

    # -- leases

    async def test_a_lease_keeps_other_owners_out_until_it_runs_out(self, store, clock, rollout):
        first = await owned(store, clock, owner="first")

        assert await store.claim(rollout, "second") is None
        clock.move(7)
        second = await store.claim(rollout, "second")
        assert second.epoch == first.epoch + 1

    async def test_a_renewed_lease_goes_on(self, store, clock, rollout):
        await owned(store, clock, owner="first")
        clock.move(4)
        kept = await store.renew("first", [rollout, "r_none"])
        clock.move(4)

        assert list(kept) == [rollout]
        assert await store.claim(rollout, "second") is None

    async def test_a_lease_that_was_taken_over_is_not_renewed(self, store, clock, rollout):
        await owned(store, clock, owner="first")
        clock.move(7)
        await owned(store, clock, owner="second")

        assert list(await store.renew("first", [rollout])) == []

    async def test_a_released_rollout_is_free_at_once(self, store, clock, rollout):
        first = await owned(store, clock, owner="first")
        await store.release(rollout, first.epoch)

        assert await store.claim(rollout, "second") is not None

    async def test_a_release_by_a_former_owner_does_nothing(self, store, clock, rollout):
        first = await owned(store, clock, owner="first")
        clock.move(7)
        await owned(store, clock, owner="second")

        await store.release(rollout, first.epoch)

        assert await store.claim(rollout, "third") is None

    # -- what is runnable

    async def test_a_rollout_with_nothing_to_do_is_not_runnable(self, store, rollout):
        assert await store.runnable("worker") == []

    async def test_a_pending_event_makes_its_rollout_runnable(self, store, rollout):
        await store.accept(arrival())

        assert await store.runnable("worker") == [rollout]

    async def test_a_rollout_that_another_owner_runs_is_not_runnable(self, store, clock, rollout):
        await owned(store, clock, owner="other")
        await store.accept(arrival())

        assert await store.runnable("worker") == []
        clock.move(7)
        assert await store.runnable("worker") == [rollout]

    async def test_what_nobody_runs_comes_before_what_one_runs_already(self, store, clock, rollout):
        await store.create(new_rollout("r_2"))
        await store.accept(arrival(rollout=rollout))
        await store.accept(arrival(rollout="r_2"))
        await owned(store, clock, rollout, "worker")

        assert await store.runnable("worker") == ["r_2", rollout]

    async def test_a_rollout_that_was_left_running_is_runnable(self, store, clock, rollout):
        owner = await owned(store, clock)
        await store.accept(arrival())
        await owner.take()
        await owner.record(Draft(StepStarted(model="m", seen=2, prompt_sha256="0" * 64), step=0))
        await store.release(rollout, owner.epoch)

        assert await store.runnable("other") == [rollout]

    async def test_a_failed_model_call_is_runnable_when_its_next_attempt_is_due(self, store, clock, rollout):
        owner = await owned(store, clock)
        await store.accept(arrival())
        await owner.take()
        retry_at = clock.now() + 30_000_000
        await owner.record(
            Draft(StepStarted(model="scripted", seen=2, prompt_sha256="0" * 64), step=0),
            Draft(StepAborted(why="error", kind="overloaded", model="scripted", retry_at=retry_at), step=0),
        )
        await store.release(rollout, owner.epoch)

        assert await store.runnable("other") == []
        clock.move(31)
        assert await store.runnable("other") == [rollout]

    async def test_a_paused_rollout_is_runnable_only_for_what_acts_while_paused(self, store, clock, rollout):
        owner = await owned(store, clock)
        await owner.record(RolloutPaused())
        await store.release(rollout, owner.epoch)

        await store.accept(arrival())
        assert await store.runnable("worker") == []
        await store.accept(arrival(RolloutResumed()))
        assert await store.runnable("worker") == [rollout]
