"""Faults that are known of other products: each with a test that would find it here."""

from runtime.domain.agent import Agent, Limits
from runtime.domain.events import ApprovalDecision, UserInput, Verdict
from runtime.domain.tool import Access, ApprovalPolicy
from runtime.engine.manager import Manager
from runtime.ports import ToolFailed
from tests.builders import tool
from tests.engine.test_children import Models

ALWAYS = ApprovalPolicy("always")


def paying():
    return tool("pay", access=Access.WRITE, approval=ALWAYS)


def decision(call_id: str, verdict: Verdict = Verdict.APPROVE) -> ApprovalDecision:
    return ApprovalDecision(call_id=call_id, verdict=verdict, by="Priya")


async def restarted(rollout) -> None:
    """Another process takes it over."""
    await rollout.manager.stop()
    manager = rollout.manager
    rollout.manager = Manager(manager._shell, manager._bind, "another worker")
    await rollout.manager.start()
    rollout.manager.nudge(rollout.id)


async def test_an_approved_action_runs_and_is_not_proposed_anew(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "1"}))
    model.says("Paid.")
    await rollout.receive(UserInput(content="pay"))
    await rollout.receive(decision("0.0"))
    assert (pay.ledger, len(rollout.payloads("tool.request")), len(model.requests)) == (["r_1:0.0"], 1, 2)


async def test_an_approval_and_a_new_owner_in_the_same_moment_run_it_once(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "1"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.post(decision("0.0"))
    await restarted(rollout)
    await rollout.rest()
    assert pay.ledger == ["r_1:0.0"]
    assert list(rollout.store.rows) == ["r_1"]


async def test_two_gates_decided_in_the_same_moment_both_go_on(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "1"}), ("pay", {"x": "2"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.post(decision("0.0"), source="u_priya")
    await rollout.post(decision("0.1"), source="u_tom")
    await rollout.rest()
    assert sorted(pay.ledger) == ["r_1:0.0", "r_1:0.1"]
    assert rollout.lifecycle == "waiting (input)"


async def test_a_declined_tool_does_not_run_after_a_restart(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "1"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.receive(decision("0.0", Verdict.DENY))
    await restarted(rollout)
    await rollout.receive(UserInput(content="well?"))
    assert pay.ledger == []


async def test_a_gated_effect_does_not_repeat_on_later_turns(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "1"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.receive(decision("0.0"))
    for _ in range(3):
        await rollout.receive(UserInput(content="pay"))
        await rollout.receive(decision("0.0"))
    assert pay.ledger == ["r_1:0.0"]


async def test_siblings_of_a_gated_call_are_not_lost(start, model):
    pay, look = paying(), tool("look")
    rollout = await start(pay, look)
    model.calls(("look", {"x": "a"}), ("pay", {"x": "1"}), ("look", {"x": "b"}))
    await rollout.receive(UserInput(content="go"))
    await rollout.receive(decision("0.1", Verdict.DENY))
    told = [message["content"] for message in model.requests[1].messages if message["role"] == "tool"]
    assert told == ["done a", "This call was denied: Priya said no. Nothing was done.", "done b"]


async def test_parallel_calls_each_get_their_own_arguments(start, model):
    look = tool("look")
    rollout = await start(look)
    model.calls(*(("look", {"x": str(number)}) for number in range(5)))
    await rollout.receive(UserInput(content="go"))
    told = [message["content"] for message in model.requests[1].messages if message["role"] == "tool"]
    assert told == [f"done {number}" for number in range(5)]


async def test_a_failing_tool_reaches_the_model_as_a_failure_in_words(start, model):
    look = tool("look")
    look.answer = lambda args, context: ToolFailed("the shop is closed", retryable=False)
    rollout = await start(look)
    model.calls(("look", {}))
    await rollout.receive(UserInput(content="go"))
    assert model.requests[1].messages[-1]["content"] == "This call failed: the shop is closed"


async def test_no_call_above_the_limit_runs_and_the_forced_answer_is_never_empty(start, model):
    look = tool("look")
    rollout = await start(look, limits=Limits(max_tool_calls=2))
    model.calls(*(("look", {"x": str(number)}) for number in range(3)))
    model.says("")
    model.says("")
    await rollout.receive(UserInput(content="go"))
    assert len(look.ledger) == 2
    assert rollout.payloads("agent.output")[-1].content.startswith("The model gave no answer. It had made the 2 tool")


async def test_agents_do_not_hand_work_to_and_fro_for_ever(start_many):
    models = Models("scripted", "helper")
    rollout = await start_many(models, others=[Agent(name="helper", model="helper")])
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    for _ in range(60):
        models.scripted.calls(("message_agent", {"to": "helper", "content": "and now?"}))
        models.scripted.says("I have asked again.")
        models.helper.says("Ask me again.")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: any(result.status == "limit" for result in rollout.payloads("tool.result")))
    await rollout.until(lambda: rollout.lifecycle == "waiting (input)" and rollout.manager.running == 0)
    assert len(rollout.payloads("agent.message")) < 24


async def test_a_timer_over_an_hour_of_downtime_goes_off_once(start, model):
    rollout = await start(framework=True)
    model.calls(("set_timer", {"after_seconds": 600, "note": "look"}))
    await rollout.receive(UserInput(content="later"))
    await rollout.manager.stop()
    rollout.clock.pass_(3600)
    await restarted(rollout)
    await rollout.until(lambda: "timer.trigger" in rollout.types())
    await restarted(rollout)
    await rollout.receive(UserInput(content="and?"))
    assert rollout.types().count("timer.trigger") == 1


async def test_the_tokens_of_a_child_are_its_own(start_many):
    models = Models("scripted", "helper")
    rollout = await start_many(models, others=[Agent(name="helper", model="helper")])
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)
    await rollout.until(lambda: rollout.lifecycle == "waiting (input)")
    spent = {name: row.projection.tokens_in for name, row in rollout.store.rows.items()}
    assert spent == {"r_1": 20, "r_2": 10}
