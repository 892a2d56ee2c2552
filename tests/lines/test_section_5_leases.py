"""`runtime.md`, section 5: leases, nudges that are lost, and the shutdown."""

import asyncio

import pytest

from runtime.domain.agent import Agent
from runtime.domain.events import AbortWhy, ResultStatus, UserInput
from runtime.domain.tool import Access
from runtime.ports import Arrival
from runtime.stores.in_process import LEASE_US
from studio.store.leasing import LEASE_MICROSECONDS
from tests.builders import HeldTool, RunningRollout, ScriptedModel, tool
from tests.engine.test_children import Models
from tests.lines.virtual import played, until

ELSEWHERE = {
    "A worker holds a lock that dies with it (flock in the data folder)": (
        "tests/stores/test_folder_lock.py::test_the_lock_of_a_killed_process_is_free_at_once"
    ),
    "who gets that lock takes its leases at once": (
        "tests/stores/test_leases.py::test_who_holds_the_folder_takes_the_leases_of_the_dead_at_once"
    ),
    "for all rollouts of a process by one statement": (
        "tests/stores/test_leases.py::test_a_hundred_leases_are_renewed_by_as_many_statements_as_one"
    ),
    "an owner that has not renewed for 4 s hands out no delta and starts no call": (
        "tests/engine/test_one_writer.py::test_a_worker_that_was_not_renewed_in_time_begins_nothing"
    ),
    "the database is the truth, looked at at boundaries": (
        "tests/engine/test_queue.py::test_a_message_whose_nudge_was_lost_is_taken_at_the_next_boundary"
    ),
    "On SQLite one process runs rollouts": (
        "tests/stores/test_folder_lock.py::test_a_folder_in_use_names_the_process_that_has_it"
    ),
    "Shutdown. Nothing new at once": (
        "tests/engine/test_shutdown.py::test_nothing_begins_once_the_manager_was_told_to_stop"
    ),
    "`--grace`": "tests/test_serve.py::test_the_grace_of_the_command_line_is_that_of_the_rollouts",
}


def owner(rollout: RunningRollout) -> str:
    return rollout.store.rows["r_1"].owner


# ------------------------------------------------------------------------------------------------ leases


def test_an_idle_rollout_lingers_a_little_and_then_hands_the_lease_back():
    """idle and no asynchronous call running: linger a little, then hand the lease back"""

    async def play(loop, rollout):
        await rollout.post(UserInput(content="hello"))
        await until(lambda: "step.completed" in rollout.types())
        await asyncio.sleep(4.9)
        before = owner(rollout)
        await asyncio.sleep(0.2)
        return before, owner(rollout)

    assert played(play, ScriptedModel(), linger=5) == ("worker", "")


def test_while_an_asynchronous_call_runs_the_lease_is_kept():
    """idle and no asynchronous call running"""
    slow, model = tool("slow", runs_async=True, timeout_seconds=60), ScriptedModel()

    async def play(loop, rollout):
        slow.gate = asyncio.Event()
        model.calls(("slow", {}))
        await rollout.post(UserInput(content="go"))
        await asyncio.sleep(50)
        before = owner(rollout)
        slow.gate.set()
        await asyncio.sleep(10)
        return before, owner(rollout)

    assert played(play, model, slow, linger=5) == ("worker", "")


def test_a_lease_is_six_seconds():
    """a lease is 6 s by the database's clock"""

    async def play(loop, rollout):
        await rollout.manager.stop()
        await rollout.store.claim("r_1", "first")
        await asyncio.sleep(5.9)
        early = await rollout.store.claim("r_1", "second")
        await asyncio.sleep(0.2)
        return early, await rollout.store.claim("r_1", "second")

    early, later = played(play, ScriptedModel())
    assert early is None
    assert later is not None
    assert LEASE_MICROSECONDS == LEASE_US == 6_000_000


def test_all_leases_of_a_process_are_renewed_every_two_seconds_at_once():
    """renewed every 2 s for all rollouts of a process by one statement"""
    models = Models("scripted", "helper")
    models.scripted.calls(("invoke_helper", {"task": "look"}))
    models.helper.says("one two", hold_after=1)

    async def play(loop, rollout):
        renewals: list[tuple[float, list[str]]] = []
        renew = rollout.store.renew

        async def watched(owner, rollouts):
            renewals.append((loop.time(), sorted(rollouts)))
            return await renew(owner, rollouts)

        rollout.store.renew = watched  # the store is a real one; somebody looks on
        await rollout.post(UserInput(content="go"))
        await asyncio.sleep(6.5)
        return renewals

    renewals = played(play, models, linger=60, others=[Agent(name="helper", model="helper")])
    assert [(round(at), rollouts) for at, rollouts in renewals] == [(at, ["r_1", "r_2"]) for at in (2, 4, 6)]


# ------------------------------------------------------------------------------------------------ lost nudges


async def accepted(rollout: RunningRollout) -> None:
    """A message that nobody tells the manager of."""
    await rollout.store.accept(Arrival("r_1", UserInput(content="hello"), "user:maya", "e_lost"))


def test_what_was_accepted_while_nothing_ran_is_found_on_start():
    """the database is the truth, looked at on start"""
    model = ScriptedModel()

    async def play(loop, rollout):
        await rollout.manager.stop()
        await accepted(rollout)
        began = loop.time()
        await rollout.manager.start()
        await until(lambda: model.requests)
        return loop.time() - began

    assert played(play, model) < 0.1


@pytest.mark.parametrize("linger", [0.01, 5.0])
def test_a_nudge_may_be_lost_and_the_message_is_taken_within_a_second(linger):
    """A nudge is a hint that may be lost … at least every second"""
    model = ScriptedModel()

    async def play(loop, rollout):
        await rollout.post(UserInput(content="first"))
        await asyncio.sleep(0.5)
        await accepted(rollout)
        began = loop.time()
        await until(lambda: len(model.requests) == 2)
        return loop.time() - began

    assert played(play, model, linger=linger) <= 1.1


def test_a_stop_whose_nudge_was_lost_is_taken_within_a_second_while_a_call_runs():
    """at least every second"""
    model, look = ScriptedModel(), tool("look")
    model.calls(("look", {}))

    async def play(loop, rollout):
        look.gate = asyncio.Event()
        await rollout.post(UserInput(content="first"))
        await look.began.wait()
        await rollout.store.accept(Arrival("r_1", UserInput(content="stop", now=True), "user:maya", "e_lost"))
        began = loop.time()
        await until(lambda: len(model.requests) == 2)
        return loop.time() - began

    assert played(play, model, look) <= 1.1


# ------------------------------------------------------------------------------------------------ shutdown


def shut_down(model: ScriptedModel, *tools: HeldTool, **shell: float) -> tuple[RunningRollout, float]:
    """The rollout after a shutdown in the middle of its work, and how many seconds that took."""

    async def play(loop, rollout):
        await rollout.post(UserInput(content="go"))
        await until(lambda: model.is_holding or any(held.began.is_set() for held in tools))
        began = loop.time()
        await rollout.manager.stop()
        return rollout, loop.time() - began

    return played(play, model, *tools, **shell)


def taking(seconds: float, name: str = "pay", access: Access = Access.WRITE) -> HeldTool:
    held = tool(name, access=access)

    async def body(args, context):
        await asyncio.sleep(seconds)
        return "done"

    held.body = body
    return held


def test_on_shutdown_a_model_call_is_aborted_and_recorded_so():
    """model calls are aborted (`restart`)"""
    model = ScriptedModel()
    model.says("one two three", hold_after=2)

    rollout, seconds = shut_down(model)

    assert rollout.payloads("step.aborted")[0].why is AbortWhy.RESTART
    assert model.cancelled == 1
    assert seconds < 0.1


def test_on_shutdown_a_call_that_is_not_read_gets_its_time():
    """calls that are not `read` get up to 25 s (`--grace`)"""
    model, pay = ScriptedModel(), taking(24)
    model.calls(("pay", {}))

    rollout, _ = shut_down(model, pay)

    assert [result.status for result in rollout.payloads("tool.result")] == [ResultStatus.OK]


def test_on_shutdown_a_call_gets_no_more_than_25_seconds_and_a_person_is_asked():
    """get up to 25 s"""
    model, pay = ScriptedModel(), taking(40)
    model.calls(("pay", {}))

    rollout, seconds = shut_down(model, pay)

    assert 25 <= seconds <= 26.1
    assert rollout.payloads("tool.result") == []
    assert rollout.payloads("approval.request")[0].why == "unknown_outcome"


def test_the_time_that_calls_get_on_shutdown_can_be_set():
    """get up to 25 s (`--grace`)"""
    model, pay = ScriptedModel(), taking(40)
    model.calls(("pay", {}))

    rollout, seconds = shut_down(model, pay, grace=60)

    assert 39 <= seconds <= 40.1
    assert [result.status for result in rollout.payloads("tool.result")] == [ResultStatus.OK]


def test_on_shutdown_a_read_is_cut_at_once():
    """calls that are not `read` get up to 25 s"""
    model, look = ScriptedModel(), taking(24, "look", Access.READ)
    model.calls(("look", {}))

    rollout, seconds = shut_down(model, look)

    assert seconds < 0.1
    assert rollout.payloads("tool.result") == []


def test_the_process_exits_as_soon_as_nothing_runs():
    """exit as soon as nothing runs"""
    model, pay = ScriptedModel(), taking(3)
    model.calls(("pay", {}), ("pay", {"x": "2"}))

    _, seconds = shut_down(model, pay)

    assert 2.9 <= seconds <= 3.1
    assert pay.ledger == ["r_1:0.0"]
