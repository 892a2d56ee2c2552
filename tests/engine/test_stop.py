"""Stop and other urgent events: the model's half-made answer is cut, kept, and answered."""

import asyncio

from runtime.domain.events import (
    ApprovalDecision,
    ResultStatus,
    SupervisorInstruction,
    UserInput,
    UserInterrupt,
    Verdict,
)
from runtime.domain.tool import Access
from tests.builders import tool


async def test_urgent_event_stops_the_reply_and_is_answered(rollout, model):
    model.says("a long story", hold_after=3)
    await rollout.receive(UserInput(content="tell me"))
    await model.holding()

    await rollout.receive(UserInterrupt())

    assert rollout.types() == [
        "rollout.started", "user.input", "step.started", "agent.output", "step.aborted", "user.interrupt",
        "step.started", "agent.output", "step.completed",
    ]  # fmt: skip


async def test_the_text_that_was_handed_out_is_kept_and_marked(rollout, model):
    model.says("one two three four", hold_after=2)
    await rollout.receive(UserInput(content="count"))
    await model.holding()

    await rollout.receive(UserInterrupt())

    cut = rollout.payloads("agent.output")[0]
    assert (cut.content, cut.interrupted) == ("one two", True)
    assert "".join(text for _, _, _, text in rollout.hub.deltas if text).startswith("one two")


async def test_the_model_call_is_really_cancelled(rollout, model):
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()

    await rollout.receive(UserInterrupt())

    assert model.cancelled == 1


async def test_a_bare_stop_asks_for_an_account_without_tools(start, model):
    rollout = await start(tool("look"))
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()

    await rollout.receive(UserInterrupt())

    assert [request.withhold_tools for request in model.requests] == [False, True]
    assert model.requests[0].tools == model.requests[1].tools


async def test_on_stop_wait_is_silent(start, model):
    rollout = await start(account_after_stop=False)
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()

    await rollout.receive(UserInterrupt())

    assert rollout.types()[-1] == "user.interrupt"
    assert rollout.lifecycle == "waiting (input)"


async def test_respond_false_is_silent(rollout, model):
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()

    await rollout.receive(UserInterrupt(respond=False))

    assert rollout.types()[-1] == "user.interrupt"


async def test_after_a_silent_stop_the_next_message_is_answered(start, model):
    rollout = await start(account_after_stop=False)
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()
    await rollout.receive(UserInterrupt())
    model.says("as you like")

    await rollout.receive(UserInput(content="rather not"))

    assert rollout.payloads("agent.output")[-1].content == "as you like"
    shown = model.requests[-1].messages[-1]["content"]
    assert shown.index("<interrupt") < shown.index("rather not")


async def test_waiting_messages_are_answered_by_a_normal_step_in_either_case(start, model):
    rollout = await start(tool("look"), account_after_stop=False)
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()
    await rollout.post(UserInput(content="also this"))

    await rollout.receive(UserInterrupt())

    assert rollout.types()[-5:] == ["user.input", "user.interrupt", "step.started", "agent.output", "step.completed"]
    assert not model.requests[-1].withhold_tools


async def test_a_stop_with_nothing_to_stop_wakes_nobody(rollout, model):
    await rollout.receive(UserInput(content="hello"))

    await rollout.receive(UserInterrupt())

    assert rollout.types()[-1] == "user.interrupt"
    assert len(model.requests) == 1


async def test_a_second_stop_during_the_account_is_silence(rollout, model):
    model.says("one two", hold_after=1)
    model.says("I was counting", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()
    await rollout.receive(UserInterrupt())
    await model.holding()

    await rollout.receive(UserInterrupt())

    assert rollout.types()[-1] == "user.interrupt"
    assert len(model.requests) == 2


async def test_a_stop_with_words_is_answered_as_a_message(rollout, model):
    model.says("one two", hold_after=1)
    model.says("fine, Dutch")
    await rollout.receive(UserInput(content="count"))
    await model.holding()

    await rollout.receive(UserInterrupt(content="in Dutch"))

    assert rollout.payloads("agent.output")[-1].content == "fine, Dutch"
    assert not model.requests[-1].withhold_tools


async def test_many_urgent_events_cost_one_call_and_stand_last(rollout, model):
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()
    await rollout.post(SupervisorInstruction(content="be brief"))
    await rollout.post(UserInput(content="queued"))
    await rollout.post(UserInput(content="now", now=True))

    await rollout.rest()

    waking = [event.payload.content for event in rollout.trajectory() if event.payload.wakes]
    assert waking == ["count", "queued", "be brief", "now"]
    assert len(model.requests) == 2
    assert 'n="1/3"' in model.requests[-1].messages[-1]["content"]


async def test_a_stop_cancels_running_reads_and_calls_that_were_not_started(start, model):
    look, pay = tool("look"), tool("pay", access=Access.WRITE)
    look.gate = asyncio.Event()
    rollout = await start(look, pay)
    model.calls(("look", {}), ("pay", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()

    await rollout.receive(UserInterrupt())

    assert [result.status for result in rollout.payloads("tool.result")] == [ResultStatus.CANCELLED] * 2
    assert pay.ledger == []


async def test_a_stop_of_a_running_write_is_unknown_and_a_person_is_asked(start, model):
    pay = tool("pay", access=Access.WRITE)
    pay.gate = asyncio.Event()
    rollout = await start(pay)
    model.calls(("pay", {"x": "1"}))
    await rollout.post(UserInput(content="go"))
    await pay.began.wait()

    await rollout.receive(UserInterrupt())

    assert rollout.payloads("tool.result")[0].status is ResultStatus.UNKNOWN
    assert rollout.payloads("approval.request")[0].why == "unknown_outcome"
    assert rollout.lifecycle == "waiting (approval)"


async def stopped_behind(start, model):
    """A rollout whose asynchronous write was stopped while it ran."""
    pay = tool("pay", access=Access.WRITE, runs_async=True)
    pay.gate = asyncio.Event()
    rollout = await start(pay)
    model.calls(("pay", {"x": "5"}))
    model.says("It is under way.")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: rollout.types().count("step.completed") == 2)
    await rollout.receive(UserInterrupt(call_id="0.0"))
    return rollout, pay


async def test_a_write_that_was_stopped_behind_the_conversation_is_asked_about(start, model):
    rollout, _ = await stopped_behind(start, model)

    assert rollout.payloads("tool.result")[0].status is ResultStatus.UNKNOWN
    assert rollout.lifecycle == "waiting (approval)"


async def test_what_was_stopped_behind_the_conversation_runs_again_when_a_person_says_so(start, model):
    rollout, pay = await stopped_behind(start, model)
    pay.gate.set()

    await rollout.receive(ApprovalDecision(call_id="0.0", verdict=Verdict.RUN_AGAIN, by="Priya"))

    assert pay.ledger == ["r_1:0.0", "r_1:0.0"]
    assert rollout.payloads("tool.result")[-1].late


async def test_what_was_stopped_behind_the_conversation_is_told_to_have_happened(start, model):
    rollout, pay = await stopped_behind(start, model)

    await rollout.receive(ApprovalDecision(call_id="0.0", verdict=Verdict.HAPPENED, result="paid 5", by="Priya"))

    assert len(pay.ledger) == 1
    assert rollout.payloads("tool.result")[-1].content == "paid 5"
    assert rollout.lifecycle == "waiting (input)"


async def test_stopping_one_call_leaves_the_others(start, model):
    slow, quick = tool("slow"), tool("quick")
    slow.gate = asyncio.Event()
    rollout = await start(slow, quick)
    model.calls(("slow", {}), ("quick", {}))
    await rollout.post(UserInput(content="go"))
    await slow.began.wait()
    await quick.began.wait()

    await rollout.receive(UserInterrupt(call_id="0.0"))

    results = {result.call_id: result.status for result in rollout.payloads("tool.result")}
    assert results == {"0.0": ResultStatus.CANCELLED, "0.1": ResultStatus.OK}
    assert len(model.requests) == 2


async def test_a_stopped_step_uses_up_its_number(rollout, model):
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await model.holding()

    await rollout.receive(UserInterrupt())

    assert [event.step for event in rollout.trajectory() if event.type == "step.started"] == [0, 1]


async def test_a_model_that_does_not_stop_is_not_heard_any_more(start, model):
    rollout = await start()
    model.is_deaf = True
    model.says("one two three four", hold_after=2)
    await rollout.receive(UserInput(content="count"))
    await model.holding()
    await rollout.post(UserInterrupt(respond=False))
    await rollout.until(lambda: "user.interrupt" in rollout.types())

    model.go()
    await rollout.rest()

    assert rollout.payloads("agent.output")[0].content == "one two"
    assert "".join(text for _, _, _, text in rollout.hub.deltas) == "one two"
