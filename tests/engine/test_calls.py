"""Synchronous calls: reads together, writes one after another, one result for each."""

import asyncio

import pytest

from runtime.domain.events import ApprovalDecision, ResultStatus, UserInput, Verdict
from runtime.domain.tool import Access
from runtime.ports import ToolFailed
from tests.builders import tool


async def test_reads_run_first_and_together_then_writes_in_order(start, model):
    order: list[str] = []
    look, seek = tool("look"), tool("seek")
    write = tool("write", access=Access.WRITE)
    look.gate, seek.gate = asyncio.Event(), asyncio.Event()
    write.answer = lambda args, context: order.append(f"write {args['x']}")
    rollout = await start(look, seek, write)
    model.calls(("write", {"x": "1"}), ("look", {}), ("write", {"x": "2"}), ("seek", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    await seek.began.wait()
    assert write.ledger == []

    seek.gate.set()
    look.gate.set()
    await rollout.rest()

    assert order == ["write 1", "write 2"]


async def test_results_are_recorded_as_they_come_and_rendered_in_call_order(start, model):
    slow, quick = tool("slow"), tool("quick")
    slow.gate = asyncio.Event()
    rollout = await start(slow, quick)
    model.calls(("slow", {}), ("quick", {}))
    await rollout.post(UserInput(content="go"))
    await quick.began.wait()
    async with asyncio.timeout(5):
        while not rollout.payloads("tool.result"):
            await asyncio.sleep(0)

    slow.gate.set()
    await rollout.rest()

    assert [result.call_id for result in rollout.payloads("tool.result")] == ["0.1", "0.0"]
    assert [m["tool_call_id"] for m in model.requests[-1].messages if m["role"] == "tool"] == ["0.0", "0.1"]


async def test_parallel_calls_each_get_their_own_arguments(start, model):
    look = tool("look")
    rollout = await start(look)
    model.calls(*(("look", {"x": str(number)}) for number in range(5)))

    await rollout.receive(UserInput(content="go"))

    results = {result.call_id: result.content for result in rollout.payloads("tool.result")}
    assert results == {f"0.{number}": f"done {number}" for number in range(5)}


async def test_tool_started_is_recorded_before_a_write_and_not_for_a_read(start, model):
    look, pay = tool("look"), tool("pay", access=Access.WRITE)
    rollout = await start(look, pay)
    model.calls(("look", {}), ("pay", {}))

    await rollout.receive(UserInput(content="go"))

    assert [started.call_id for started in rollout.payloads("tool.started")] == ["0.1"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("nothing", {}), "there is no tool named nothing. Your tools: look"),
        (("look", '{"x": '), 'You wrote: {"x": '),
        (("look", {"y": 1}), "`y` is not known"),
        (("look", "[1]"), "You wrote: [1]"),
    ],
)
async def test_a_call_that_cannot_run_gets_a_result_in_words(start, model, call, words):
    look = tool("look")
    rollout = await start(look)
    model.calls(call)

    await rollout.receive(UserInput(content="go"))

    result = rollout.payloads("tool.result")[0]
    assert result.status is ResultStatus.ERROR
    assert words in result.content
    assert look.ledger == []
    assert len(model.requests) == 2


async def test_a_failing_tool_is_tried_again_and_then_told_in_words(start, model):
    look = tool("look", retries=2)
    look.answer = lambda args, context: ToolFailed("the shelf is locked.")
    rollout = await start(look)
    model.calls(("look", {}))

    await rollout.receive(UserInput(content="go"))

    result = rollout.payloads("tool.result")[0]
    assert (result.status, result.attempts, result.content) == (ResultStatus.ERROR, 3, "the shelf is locked.")
    assert "This call failed: the shelf is locked." in model.requests[-1].messages[-1]["content"]


async def test_a_tool_that_breaks_does_not_break_the_rollout(start, model):
    look = tool("look")
    look.answer = lambda args, context: ValueError("secret details")
    rollout = await start(look)
    model.calls(("look", {}))

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("tool.result")[0].content == "the tool broke: ValueError."


async def test_a_slow_tool_is_stopped_at_its_timeout(start, model):
    look = tool("look", timeout_seconds=0.02)
    look.gate = asyncio.Event()
    rollout = await start(look)
    model.calls(("look", {}))

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("tool.result")[0].status is ResultStatus.TIMED_OUT


async def test_a_large_result_becomes_an_artifact(start, model):
    look = tool("look")
    look.answer = lambda args, context: "é" * 40_000
    rollout = await start(look)
    model.calls(("look", {}))

    await rollout.receive(UserInput(content="go"))

    result = rollout.payloads("tool.result")[0]
    assert result.artifact.characters == 40_000
    assert await rollout.store.artifact("r_1", result.artifact.id) == "é" * 40_000
    assert "40000 characters" in result.content


async def test_the_key_of_a_call_is_its_rollout_and_its_id(start, model):
    look = tool("look")
    rollout = await start(look)
    model.calls(("look", {}))

    await rollout.receive(UserInput(content="go"))

    assert look.ledger == ["r_1:0.0"]


async def unknown(start, model, **properties):
    """A rollout with a write whose outcome is not known, as a crash leaves it."""
    pay = tool("pay", access=Access.WRITE, **properties)
    rollout = await start(pay)
    pay.gate = asyncio.Event()
    model.calls(("pay", {"x": "5"}))
    await rollout.post(UserInput(content="go"))
    await pay.began.wait()
    task = rollout.manager._owned["r_1"].task
    task.cancel()
    await asyncio.wait([task])
    pay.gate.set()
    rollout.store.rows["r_1"].owner = ""
    rollout.manager.nudge("r_1")
    await rollout.rest()
    return rollout, pay


async def test_an_unknown_outcome_is_one_question_and_nothing_runs(start, model):
    rollout, pay = await unknown(start, model)

    assert len(rollout.payloads("approval.request")) == 1
    assert len(pay.ledger) == 1
    assert rollout.lifecycle == "waiting (approval)"


async def test_it_happened_gives_the_result_and_the_model_goes_on(start, model):
    rollout, pay = await unknown(start, model)

    await rollout.receive(ApprovalDecision(call_id="0.0", verdict=Verdict.HAPPENED, result="paid 5", by="Priya"))

    assert rollout.payloads("tool.result")[0].content == "paid 5"
    assert len(pay.ledger) == 1
    assert model.requests[-1].messages[-1]["content"] == "paid 5"


async def test_run_again_runs_with_the_same_key(start, model):
    rollout, pay = await unknown(start, model)

    await rollout.receive(ApprovalDecision(call_id="0.0", verdict=Verdict.RUN_AGAIN, by="Priya"))

    assert pay.ledger == ["r_1:0.0", "r_1:0.0"]
    assert rollout.payloads("tool.result")[0].content == "done 5"


async def test_skip_tells_the_model_that_the_outcome_is_not_known(start, model):
    rollout, pay = await unknown(start, model)

    await rollout.receive(ApprovalDecision(call_id="0.0", verdict=Verdict.SKIP, by="Priya"))

    assert rollout.payloads("tool.result")[0].status is ResultStatus.UNKNOWN
    assert "Priya chose to go on without it" in model.requests[-1].messages[-1]["content"]
    assert len(pay.ledger) == 1


async def test_an_idempotent_write_simply_runs_again(start, model):
    rollout, pay = await unknown(start, model, idempotent=True)

    assert rollout.payloads("approval.request") == []
    assert pay.ledger == ["r_1:0.0", "r_1:0.0"]
    assert rollout.payloads("tool.result")[0].status is ResultStatus.OK


async def test_never_deaf_while_a_person_is_asked(start, model):
    rollout, _ = await unknown(start, model)
    model.says("I am still waiting for a decision")

    await rollout.receive(UserInput(content="are you there?"))

    assert rollout.payloads("agent.output")[-1].content == "I am still waiting for a decision"
    shown = [m for m in model.requests[-1].messages if m["role"] == "tool"]
    assert shown[0]["content"].startswith("Not done yet: a person has to decide")


async def test_a_result_after_the_receipt_comes_as_its_own_message(start, model):
    rollout, _ = await unknown(start, model)
    await rollout.receive(UserInput(content="are you there?"))
    before = [dict(message) for message in model.requests[-1].messages]

    await rollout.receive(ApprovalDecision(call_id="0.0", verdict=Verdict.HAPPENED, result="paid 5"))

    assert [dict(message) for message in model.requests[-1].messages[: len(before)]] == before
    assert '<late-result call="0.0" status="ok">paid 5</late-result>' in model.requests[-1].messages[-1]["content"]
