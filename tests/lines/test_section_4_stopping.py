"""`runtime.md`, section 4: a bare stop, an agent that is never deaf, and how fast work stops."""

import asyncio

import pytest

from runtime.domain.events import AgentInput, ApprovalDecision, SupervisorInstruction, UserInput, UserInterrupt
from runtime.domain.tool import Access, ApprovalPolicy
from tests.builders import tool
from tests.engine.test_children import held
from tests.engine.test_control import deaf_until

ELSEWHERE = {
    "The model is called once, tools withheld, for a short account (`on_stop: respond`, the default)": (
        "tests/engine/test_stop.py::test_a_bare_stop_asks_for_an_account_without_tools"
    ),
    "or not at all (`on_stop: wait`": "tests/engine/test_stop.py::test_on_stop_wait_is_silent",
    "or `respond: false`)": "tests/engine/test_stop.py::test_respond_false_is_silent",
    "With nothing to stop it is recorded and wakes nobody": (
        "tests/engine/test_stop.py::test_a_stop_with_nothing_to_stop_wakes_nobody"
    ),
    "A second one during the account: silence": (
        "tests/engine/test_stop.py::test_a_second_stop_during_the_account_is_silence"
    ),
    'the batch is closed towards the model with a receipt ("waiting for Priya, not done yet")': (
        "tests/engine/test_approvals.py::test_a_message_meanwhile_is_answered_and_the_result_comes_later"
    ),
    "all that is open waits for people": (
        "tests/engine/test_supervision.py::test_another_persons_message_does_not_answer_it"
    ),
    "the result comes later as its own message": (
        "tests/engine/test_calls.py::test_a_result_after_the_receipt_comes_as_its_own_message"
    ),
    "p99 ≤ 100 ms in one process": (
        "tests/acceptance/test_interrupts.py::test_300_interrupts_at_random_moments_of_a_stream"
    ),
    "Provider connection closed within 500 ms": (
        "tests/acceptance/test_real_folder.py::test_stop_ends_the_generation_in_the_model_server"
    ),
    "HTTP calls and subprocesses stop within 1 s": (
        "tests/tools/test_every_tool.py::test_a_cancelled_call_ends_within_a_second"
    ),
    "built-in tools are all of the first sort": "tests/tools/test_every_tool.py::test_every_tool_has_a_line_here",
}


@pytest.mark.parametrize("account_after_stop", [True, False])
async def test_if_the_queue_held_messages_a_normal_step_answers_them_in_either_case(start, model, account_after_stop):
    """If the queue held messages a normal step answers them instead, in either case."""
    rollout = await start(tool("look"), account_after_stop=account_after_stop)
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    await rollout.post(UserInput(content="also this"))

    await rollout.receive(UserInterrupt())

    assert rollout.types()[-5:] == ["user.input", "user.interrupt", "step.started", "agent.output", "step.completed"]
    assert [request.withhold_tools for request in model.requests] == [False, False]


async def test_the_account_is_of_what_was_and_was_not_done(rollout, model):
    """for a short account of what was and was not done"""
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))

    await rollout.receive(UserInterrupt(name="Maya"))

    asked = model.requests[1].messages[-1]["content"]
    assert asked.startswith('<interrupt from="Maya">Stop. What you were doing was cut off there.')
    assert "say in a sentence or two what was done and what was not; do nothing else" in asked


async def test_what_waits_for_people_is_closed_with_a_receipt_and_the_model_is_called(start, model):
    """When a waking event arrives while all that is open waits for people …, the batch is closed towards the model
    with a receipt …, these calls go on as asynchronous ones, and the model is called."""
    pay, look = tool("pay", access=Access.WRITE, approval=ApprovalPolicy("always")), tool("look")
    rollout = await start(pay, look)
    model.calls(("pay", {"x": "1"}), ("look", {}), ("pay", {"x": "2"}))
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(UserInput(content="how far?"))

    told = [message["content"] for message in model.requests[1].messages if message["role"] == "tool"]
    receipt = "Not done yet: a person has to decide. The result will come later as a message of its own."
    assert told == [receipt, "done ", receipt]
    assert [call.id for call in rollout.state.detached] == ["0.0", "0.2"]


async def test_what_still_runs_is_waited_for_before_a_message_is_heard(start, model):
    """When a waking event arrives while *all* that is open waits for people, children or timers"""
    pay, look = tool("pay", access=Access.WRITE, approval=ApprovalPolicy("always")), tool("look")
    look.gate = asyncio.Event()
    rollout = await start(pay, look)
    model.calls(("pay", {}), ("look", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    await rollout.post(UserInput(content="how far?"))
    await rollout.until(lambda: bool(rollout.actor.pending) and rollout.actor.is_waiting)
    assert len(model.requests) == 1

    look.gate.set()
    await rollout.rest()

    assert len(model.requests) == 2
    assert rollout.types()[-5:-2] == ["tool.result", "user.input", "step.started"]


async def test_what_waits_for_children_is_closed_with_a_receipt_and_the_model_is_called(start_many):
    """When a waking event arrives while all that is open waits for … children …, the model is called."""
    models, rollout, _ = await held(start_many)

    await rollout.post(UserInput(content="how far?"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)

    messages = models.scripted.requests[1].messages
    assert messages[-2]["content"].startswith("Accepted: the agent helper works on it as 0.0, and is not done yet.")
    assert "how far?" in messages[-1]["content"]
    models.helper.go()
    await rollout.until(lambda: len(models.scripted.requests) == 3)
    assert "one two three" in models.scripted.requests[2].messages[-1]["content"]


async def test_a_rollout_that_waits_for_a_timer_answers_at_once(start, model):
    """When a waking event arrives while all that is open waits for … timers …, the model is called."""
    rollout = await start(framework=True)
    model.calls(("set_timer", {"after_seconds": 3600}))
    await rollout.receive(UserInput(content="remind me"))
    assert rollout.lifecycle == "waiting (timer)"

    await rollout.receive(UserInput(content="how far?"))

    assert len(model.requests) == 3
    assert rollout.lifecycle == "waiting (timer)"


@pytest.mark.parametrize(
    "waking",
    [
        UserInput(content="how far?"),
        AgentInput(content="found it"),
        SupervisorInstruction(content="later", queued=True),
        SupervisorInstruction(content="now"),
    ],
    ids=lambda payload: payload.type,
)
async def test_any_waking_event_is_heard_while_a_person_is_waited_for(start, model, waking):
    """When a waking event arrives while all that is open waits for people, children or timers"""
    rollout = await start(tool("pay", access=Access.WRITE, approval=ApprovalPolicy("always")))
    model.calls(("pay", {}))
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(waking)

    assert len(model.requests) == 2


async def test_what_a_step_has_been_shown_stays_in_the_history(start, model):
    """What a step has been shown stays in the history"""
    rollout = await start(tool("pay", access=Access.WRITE, approval=ApprovalPolicy("always")))
    model.calls(("pay", {}))
    await rollout.receive(UserInput(content="go"))
    await rollout.receive(UserInput(content="how far?"))

    await rollout.receive(ApprovalDecision(call_id="0.0", verdict="approve", by="Priya"))

    before, after = model.requests[1].messages, model.requests[2].messages
    assert list(after[: len(before)]) == list(before)


async def test_a_function_that_does_not_await_is_left_behind_its_result_late_and_its_effect_unknown(start, model):
    """an in-process function that does not await is left behind, its result late, its effect unknown"""
    slow = tool("slow", access=Access.WRITE)
    going = asyncio.Event()
    slow.body = deaf_until(going, "done in the end")
    rollout = await start(slow)
    model.calls(("slow", {}))
    await rollout.post(UserInput(content="go"))
    await slow.began.wait()
    await rollout.receive(UserInterrupt(respond=False))

    going.set()
    await rollout.until(lambda: len(rollout.payloads("tool.result")) == 2)

    results = [(result.status, result.late) for result in rollout.payloads("tool.result")]
    assert results == [("unknown", False), ("ok", True)]
