"""`runtime.md`, section 6: what is undone, and what becomes of calls that a crash cut off."""

import asyncio

import pytest

from runtime.domain.events import RolloutCancelled, UserInput
from runtime.domain.tool import Access, ToolSpec
from runtime.ports import ModelError
from tests.builders import HeldTool, tool

ELSEWHERE = {
    "then, when the rollout is cancelled, `rollback` of what was done, newest first": (
        "tests/engine/test_failure_chain.py::test_cancel_undoes_what_was_done_newest_first"
    ),
    "an open call that is `idempotent` runs again with the same key": (
        "tests/engine/test_calls.py::test_an_idempotent_write_simply_runs_again"
    ),
    "With `tool.started` and without a result its outcome is unknown: a person is asked": (
        "tests/engine/test_calls.py::test_an_unknown_outcome_is_one_question_and_nothing_runs"
    ),
    "run again (same key)": "tests/engine/test_calls.py::test_run_again_runs_with_the_same_key",
    "it happened, and the result was …": (
        "tests/engine/test_calls.py::test_it_happened_gives_the_result_and_the_model_goes_on"
    ),
    "skip": "tests/engine/test_calls.py::test_skip_tells_the_model_that_the_outcome_is_not_known",
    "`tool.started` goes through the fence, so it also stops a fenced worker from acting": (
        "tests/engine/test_one_writer.py::test_a_worker_held_past_its_lease_appends_nothing_and_starts_nothing"
    ),
}

REFUSED = ModelError("The key was refused.", kind="authentication", retryable=False)


async def failed_after_paying(start, model, back: HeldTool):
    """A rollout that has paid, and has failed since."""
    pay = tool("pay", access=Access.WRITE, rollback="back")
    rollout = await start(pay, hidden=[back])
    model.calls(("pay", {"x": "60"}))
    model.fails(REFUSED)
    await rollout.receive(UserInput(content="pay"))
    assert rollout.lifecycle == "failed"
    return rollout


async def test_when_a_person_gives_a_failed_one_up_what_it_did_is_undone(start, model):
    """or a person gives a failed one up … `rollback` of what was done"""
    back = tool("back", access=Access.WRITE)
    rollout = await failed_after_paying(start, model, back)

    await rollout.post(RolloutCancelled(by="Priya"))
    await rollout.until(lambda: rollout.manager.running == 0)

    assert back.ledger == ["r_1:0.0:rollback"]


async def test_nothing_is_undone_while_a_retry_is_still_possible(start, model):
    """(never while a retry is still possible)"""
    back = tool("back", access=Access.WRITE)
    rollout = await failed_after_paying(start, model, back)

    await rollout.receive(UserInput(content="go on"))

    assert back.ledger == []
    assert rollout.lifecycle == "waiting (input)"


async def test_the_compensating_tool_is_given_the_arguments_and_the_result(start, model):
    """(a compensating tool, given arguments and result, newest first)"""
    schema = {"type": "object", "properties": {"arguments": {"type": "object"}, "result": {"type": "string"}}}
    back = HeldTool(ToolSpec("back", "Takes it back.", schema, access=Access.WRITE))
    given = []
    back.answer = lambda args, context: given.append(dict(args)) or "undone"
    rollout = await failed_after_paying(start, model, back)

    await rollout.post(RolloutCancelled(by="Priya"))
    await rollout.until(lambda: rollout.manager.running == 0)

    assert given == [{"arguments": {"x": "60"}, "result": "done 60"}]


# ------------------------------------------------------------------------------------------------ crash


async def crashed_in(rollout, held: HeldTool) -> None:
    """The worker dies while the tool runs, and another takes the rollout over."""
    async with asyncio.timeout(5):
        await held.began.wait()
    task = rollout.manager._owned["r_1"].task
    task.cancel()
    await asyncio.wait([task])
    held.gate.set()
    rollout.store.rows["r_1"].owner = ""
    rollout.manager.nudge("r_1")
    await rollout.rest()


async def test_an_open_read_runs_again_with_the_same_key(start, model):
    """an open call that is `read` … runs again with the same key"""
    look = tool("look")
    look.gate = asyncio.Event()
    rollout = await start(look)
    model.calls(("look", {"x": "1"}))
    await rollout.post(UserInput(content="go"))

    await crashed_in(rollout, look)

    assert look.ledger == ["r_1:0.0", "r_1:0.0"]
    assert [result.content for result in rollout.payloads("tool.result")] == ["done 1"]


@pytest.mark.parametrize("idempotent", [False, True])
async def test_another_call_that_never_began_simply_runs(start, model, idempotent):
    """Another call without `tool.started` simply runs: it never began."""
    look, pay = tool("look"), tool("pay", access=Access.WRITE, idempotent=idempotent)
    look.gate = asyncio.Event()
    rollout = await start(look, pay)
    model.calls(("look", {}), ("pay", {}))
    await rollout.post(UserInput(content="go"))

    await crashed_in(rollout, look)

    assert pay.ledger == ["r_1:0.1"]
    assert rollout.payloads("approval.request") == []
