"""Asynchronous calls: runtime.md, 4 and 6."""

import asyncio

from runtime.domain.events import UserInput, UserInterrupt
from runtime.domain.tool import Access
from tests.builders import tool


def slow(**properties):
    held = tool("slow", runs_async=True, **properties)
    held.gate = asyncio.Event()
    return held


async def test_the_model_is_told_that_it_runs_and_goes_on(start, model):
    held = slow()
    rollout = await start(held)
    model.calls(("slow", {"x": "1"}))
    model.says("Started.")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(model.requests) == 2)
    assert "Accepted: it runs as 0.0" in model.requests[1].messages[-1]["content"]
    assert rollout.payloads("tool.request")[0].mode == "async"

    model.says("It is there.")
    held.gate.set()
    await rollout.until(lambda: len(model.requests) == 3)
    assert "done 1" in model.requests[2].messages[-1]["content"]
    assert held.ledger == ["r_1:0.0"]


async def test_a_stop_leaves_it_running_unless_it_is_marked(start, model):
    held, marked = slow(), tool("marked", runs_async=True, on_interrupt="cancel")
    marked.gate = asyncio.Event()
    rollout = await start(held, marked)
    model.calls(("slow", {}), ("marked", {}))
    model.says("one two three", hold_after=1)
    await rollout.post(UserInput(content="go"))
    await model.holding()
    await rollout.until(lambda: held.ledger and marked.ledger)
    await rollout.post(UserInterrupt(respond=False))
    await rollout.until(lambda: "step.aborted" in rollout.types())

    results = {result.call_id: result.status for result in rollout.payloads("tool.result")}
    assert results == {"0.1": "cancelled"}
    held.gate.set()
    await rollout.until(lambda: len(model.requests) == 3)


async def test_the_agent_cancels_a_call_of_its_own(start, model):
    held = slow()
    rollout = await start(held, framework=True)
    model.calls(("slow", {}))
    model.calls(("cancel_call", {"call_id": "0.0"}))
    model.says("Stopped it.")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(model.requests) == 3)
    await rollout.rest()
    results = {result.call_id: (result.status, result.content) for result in rollout.payloads("tool.result")}
    assert results["0.0"][0] == "cancelled"
    assert results["1.0"] == ("ok", "The call 0.0 was stopped.")


async def test_a_write_that_the_agent_cancels_may_have_happened_and_a_person_is_asked(start, model):
    held = slow(access=Access.WRITE)
    rollout = await start(held, framework=True)
    model.calls(("slow", {}))
    model.says("one two", hold_after=1)
    await rollout.post(UserInput(content="go"))
    await model.holding()
    await rollout.until(lambda: bool(held.ledger))
    model.calls(("cancel_call", {"call_id": "0.0"}))
    model.go()
    await rollout.until(lambda: rollout.types().count("step.completed") == 2)
    await rollout.post(UserInput(content="stop it"))
    await rollout.until(lambda: "approval.request" in rollout.types())
    results = {result.call_id: result.status for result in rollout.payloads("tool.result")}
    assert results["0.0"] == "unknown"


async def test_a_sync_call_marked_to_finish_goes_on_behind_a_receipt(start, model):
    held = tool("slow", on_interrupt="finish")
    held.gate = asyncio.Event()
    rollout = await start(held)
    model.calls(("slow", {}))
    model.says("It goes on.")
    await rollout.post(UserInput(content="go"))
    await held.began.wait()
    await rollout.post(UserInterrupt(content="how far?"))
    await rollout.until(lambda: len(model.requests) == 2)
    assert "Not done yet: it is still running." in model.requests[1].messages[-2]["content"]
    held.gate.set()
    await rollout.until(lambda: len(model.requests) == 3)
