"""`runtime.md`, section 5: the loop, how a step begins, the fence, and the one writer."""

import asyncio

import pytest

from runtime.domain.events import RolloutCancelled, UserInput, UserInterrupt
from runtime.domain.tool import Access
from runtime.ports import Append
from tests.builders import tool
from tests.engine.test_first_commit_wins import accept_just_before, has
from tests.engine.test_one_writer import second_manager
from tests.lines.commits import commits_of, types_of

ELSEWHERE = {
    "state = fold(load events): a new owner goes on from what is recorded": (
        "tests/engine/test_crash.py::test_every_crash_leads_to_an_equal_trajectory"
    ),
    "wait for: the queue to grow": "tests/engine/test_queue.py::test_a_message_is_answered",
    "What arrives meanwhile is for the next step": (
        "tests/engine/test_queue.py::test_an_event_that_arrives_while_the_model_speaks_has_not_been_answered"
    ),
    "A retry keeps the step number": (
        "tests/engine/test_model_failures.py::test_a_failed_attempt_keeps_its_step_and_is_tried_again"
    ),
    "and takes the queue first if it is not empty": (
        "tests/engine/test_model_failures.py::test_a_message_during_backoff_joins_the_next_attempt"
    ),
    "The fence: where next_seq = n": (
        "tests/stores/suite.py::StoreSuite::test_a_hundred_appends_of_one_owner_at_once_have_one_winner"
    ),
    "The fence: and epoch = e": "tests/stores/suite.py::StoreSuite::test_an_append_with_an_old_epoch_is_lost",
    "The fence: and urgent = u": (
        "tests/stores/suite.py::StoreSuite::test_an_urgent_event_makes_an_append_lose_until_it_is_known"
    ),
    "if the epoch is still its own it goes on from what is there (a COMMIT whose answer was lost)": (
        "tests/engine/test_first_commit_wins.py::test_a_commit_whose_answer_was_lost_is_not_repeated"
    ),
    "else it stops": (
        "tests/engine/test_one_writer.py::test_a_worker_held_past_its_lease_appends_nothing_and_starts_nothing"
    ),
    "A result in hand whose append lost only to a raised `urgent` is recorded in the transaction of the cut": (
        "tests/engine/test_first_commit_wins.py::test_a_result_in_hand_is_recorded_in_the_transaction_of_the_cut"
    ),
    "only an unrecorded step is given up": (
        "tests/engine/test_first_commit_wins.py::test_every_urgent_event_wins_over_an_unrecorded_step"
    ),
    "An append is shielded from cancellation": (
        "tests/stores/test_one_writer.py::test_a_cancelled_caller_does_not_take_its_job_back"
    ),
    "Every transaction, accepting included, locks in one order": (
        "tests/stores/test_two_writers.py::test_no_transaction_waits_in_a_ring"
    ),
    "One writer per process: it takes what is queued now, and writes set-based": (
        "tests/stores/test_one_writer.py::test_a_hundred_appends_at_once_share_few_commits"
    ),
    "one statement finds the winners, one inserts their events": (
        "tests/stores/test_figures.py::test_a_hundred_sessions_at_once_share_commits_and_statements"
    ),
    "accepting included": (
        "tests/stores/test_one_writer.py::test_twenty_people_write_to_one_rollout_from_their_own_threads"
    ),
    "A batch that fails otherwise is repeated in halves, so that one bad row harms one rollout": (
        "tests/stores/test_one_writer.py::test_one_bad_row_among_a_hundred_harms_its_own_rollout_alone"
    ),
}


async def test_each_claim_raises_the_epoch(start, model):
    """claim: take the lease with a new epoch"""
    rollout = await start()

    for epoch in (1, 2):
        await rollout.receive(UserInput(content="hello"))
        await rollout.until(lambda: rollout.manager.running == 0)
        assert rollout.store.rows["r_1"].epoch == epoch


async def test_a_worker_leaves_a_rollout_that_another_process_has(start, model):
    """or leave: another process has it"""
    rollout = await start()
    await rollout.store.claim("r_1", "another")

    await rollout.post(UserInput(content="hello"))
    await rollout.until(lambda: rollout.manager.running == 0)

    row = rollout.store.rows["r_1"]
    assert (row.owner, row.epoch, rollout.types()) == ("another", 1, ["rollout.started"])
    assert model.requests == []


async def test_what_runs_already_is_not_started_again(start, model):
    """start the effects that decide() wants and that do not run yet"""
    look = tool("look")
    look.gate = asyncio.Event()
    rollout = await start(look)
    model.calls(("look", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()

    for _ in range(5):
        rollout.manager.nudge("r_1")
        await rollout.until(lambda: not rollout.actor.was_nudged and rollout.actor.is_waiting)

    assert look.ledger == ["r_1:0.0"]
    look.gate.set()


async def test_what_is_no_longer_wanted_is_cancelled(start, model):
    """cancel those it no longer wants"""
    look, stopped = tool("look"), asyncio.Event()

    async def body(args, context):
        try:
            return await asyncio.Event().wait()
        finally:
            stopped.set()

    look.body = body
    rollout = await start(look)
    model.calls(("look", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()

    await rollout.receive(RolloutCancelled(by="Priya"))

    assert stopped.is_set()


async def test_when_something_that_runs_has_ended_the_loop_goes_on(start, model):
    """wait for: something running to end"""
    look = tool("look")
    look.gate = asyncio.Event()
    rollout = await start(look)
    model.calls(("look", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    await rollout.until(lambda: rollout.actor.is_waiting)

    look.gate.set()
    await rollout.until(lambda: len(model.requests) == 2)


# ------------------------------------------------------------------------------------------------ how a step begins


async def test_the_queue_and_the_beginning_of_the_step_are_one_transaction(start, model):
    """then one transaction: queue, `memory.recalled`, `step.started`"""
    rollout = await start()
    commits = commits_of(rollout)
    await rollout.post(UserInput(content="one"))
    await rollout.post(UserInput(content="two"))

    await rollout.rest()

    assert types_of(commits[0]) == ["user.input", "user.input", "step.started"]


async def test_an_event_that_comes_before_the_step_is_recorded_is_shown_in_it(start, model):
    """freeze the queue"""
    rollout = await start()
    accept_just_before(rollout, UserInput(content="two"), has("step.started"))

    await rollout.receive(UserInput(content="one"))

    shown = [message["content"] for message in model.requests[0].messages]
    assert rollout.types()[:4] == ["rollout.started", "user.input", "user.input", "step.started"]
    assert "two" in shown[-1]
    assert len(model.requests) == 1


async def test_all_that_begins_a_step_has_the_time_at_which_it_was_stamped(start, model):
    """stamp `at`; render"""
    rollout = await start(user_prompt_template="{{ now }}")

    await rollout.receive(UserInput(content="hello"))

    said, started = rollout.trajectory()[1:3]
    assert said.at == started.at
    assert started.payload.seen == said.seq


async def test_a_retry_takes_the_queue_in_the_transaction_of_its_beginning(start, model):
    """A retry keeps the step number and takes the queue first if it is not empty."""
    rollout = await start()
    commits = commits_of(rollout)
    model.says("half an answer", hold_after=1)
    await rollout.receive(UserInput(content="one"))
    await model.holding()
    await rollout.post(UserInput(content="two"))
    await rollout.manager.stop()
    other = await second_manager(rollout, model)

    other.nudge("r_1")
    await rollout.until(lambda: "step.completed" in rollout.types())

    [retry] = [change for change in commits if types_of(change)[-2:] == ["user.input", "step.started"]][1:]
    assert (retry.events[-1].step, retry.events[-1].payload.attempt) == (0, 2)
    await other.stop()


# ------------------------------------------------------------------------------------------------ the fence


async def test_a_step_that_lost_to_an_event_that_does_not_cover_it_is_recorded_behind_it(start, model):
    """An append that lost to an event not covering it is tried again after that event was taken."""
    slow = tool("slow", runs_async=True)
    slow.gate = asyncio.Event()
    rollout = await start(slow)
    model.calls(("slow", {}))
    model.says("It runs.")

    def is_second_step(change: Append) -> bool:
        return any(event.type == "step.completed" and event.step == 1 for event in change.events)

    accept_just_before(rollout, UserInterrupt(call_id="0.0"), is_second_step)
    await rollout.receive(UserInput(content="go"))

    types = rollout.types()
    assert [output.content for output in rollout.payloads("agent.output")][:1] == ["It runs."]
    assert types.index("user.interrupt") < types.index("agent.output")
    assert "step.aborted" not in types


@pytest.mark.parametrize("number", [1, 2])
async def test_a_result_of_a_write_that_lost_to_an_event_that_does_not_cover_it_is_recorded_once(start, model, number):
    """An append that lost to an event not covering it is tried again after that event was taken."""
    slow, pay = tool("slow", runs_async=True), tool("pay", access=Access.WRITE)
    slow.gate = asyncio.Event()
    rollout = await start(slow, pay)
    model.calls(("slow", {}), *(("pay", {"x": str(x)}) for x in range(2)))

    def is_result(change: Append) -> bool:
        return any(event.type == "tool.result" and event.payload.call_id == f"0.{number}" for event in change.events)

    accept_just_before(rollout, UserInterrupt(call_id="0.0"), is_result)
    await rollout.receive(UserInput(content="go"))

    assert pay.ledger == ["r_1:0.1", "r_1:0.2"]
    assert sorted((it.call_id, str(it.status)) for it in rollout.payloads("tool.result")) == [
        ("0.0", "cancelled"),
        ("0.1", "ok"),
        ("0.2", "ok"),
    ]


async def test_who_loses_is_told_so(start, model):
    """losers are told"""
    rollout = await start()
    commits = commits_of(rollout)
    await rollout.receive(UserInput(content="hello"))
    answer = await rollout.store.append(commits[-1])

    assert (answer.epoch, answer.next_seq) == (1, len(rollout.trajectory()) + 1)
