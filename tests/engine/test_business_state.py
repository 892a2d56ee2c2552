"""Business state: runtime.md, 7."""

from runtime.domain.definition import StateMachine
from runtime.domain.events import ApprovalDecision, StateUpdate, UserInput, Verdict
from runtime.domain.tool import Access
from tests.builders import tool

MACHINE = {
    "initial": "asking",
    "variables": {"order": {"type": "string"}, "amount": {"type": "number", "default": 0}},
    "states": {
        "asking": {
            "instructions": "Ask one question.",
            "tools": ["look"],
            "transitions": [{"to": "paying", "when": "the order is known", "guard": 'vars.order != ""'}],
            "max_stay": {"after": "48h", "to": "done"},
        },
        "paying": {"transitions": [{"to": "done", "approval": "always"}]},
        "done": {"final": True},
    },
}


def machine() -> StateMachine:
    return StateMachine.model_validate(MACHINE)


def moves(model, to: str, **set_) -> None:
    model.calls(("update_rollout_state", {"to": to, "set": set_, "reason": "so"}))


async def test_a_move_is_applied_in_the_steps_own_transaction(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay, machine=machine())
    assert rollout.state.dealings.business.name == "asking"
    model.calls(("pay", {"x": "1"}), ("update_rollout_state", {"to": "paying", "set": {"order": "48213"}}))
    await rollout.receive(UserInput(content="order 48213"))

    [moved] = rollout.payloads("state.update")
    assert (moved.accepted, moved.from_state, moved.to_state, moved.set) == (
        True,
        "asking",
        "paying",
        {"order": "48213"},
    )
    assert pay.ledger == ["r_1:0.0"]  # judged in the new state, which allows it
    assert rollout.store.rows["r_1"].projection.business_state == "paying"


async def test_a_move_that_is_not_allowed_changes_nothing_and_tells_which_are(start, model):
    rollout = await start(machine=machine())
    moves(model, "done")
    await rollout.receive(UserInput(content="go"))

    [moved] = rollout.payloads("state.update")
    assert not moved.accepted
    assert "paying" in moved.error
    assert rollout.state.dealings.business.name == "asking"
    assert moved.error in model.requests[1].messages[-2]["content"]


async def test_a_guard_is_enforced(start, model):
    rollout = await start(machine=machine())
    moves(model, "paying", order="")
    await rollout.receive(UserInput(content="go"))
    assert not rollout.payloads("state.update")[0].accepted


async def test_a_tool_that_the_state_does_not_allow_is_named_as_closed_and_refused(start, model):
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay, machine=machine())
    model.calls(("pay", {}))
    await rollout.receive(UserInput(content="pay"))

    assert pay.ledger == []
    assert "does not allow pay" in rollout.payloads("tool.result")[0].content
    assert "pay" in model.requests[0].messages[-1]["content"]


async def test_a_transition_that_needs_approval_keeps_the_old_state_until_then(start, model):
    rollout = await start(machine=machine())
    moves(model, "paying", order="1")
    moves(model, "done")
    model.says("All done.")
    await rollout.receive(UserInput(content="go"))
    assert rollout.lifecycle == "waiting (approval)"
    assert rollout.state.dealings.business.name == "paying"

    await rollout.receive(ApprovalDecision(call_id="1.0", verdict=Verdict.APPROVE, by="Priya"))
    assert rollout.payloads("state.update")[-1].to_state == "done"
    assert "Priya gave leave. The state is done now." in model.requests[2].messages[-2]["content"]
    assert rollout.lifecycle == "completed"


async def test_the_longest_stay_moves_it_and_a_final_state_completes(start, model):
    rollout = await start(machine=machine())
    model.says("Which order?")
    await rollout.receive(UserInput(content="hello"))
    await rollout.until(lambda: rollout.manager.running == 0)
    rollout.clock.pass_(48 * 3600 + 1)
    await rollout.until(lambda: rollout.lifecycle == "completed")

    [moved] = rollout.payloads("state.update")
    assert (moved.by, moved.to_state, moved.call_id) == ("Studio", "done", "")
    assert len(model.requests) == 1


async def test_a_supervisor_sets_the_state(start, model):
    rollout = await start(machine=machine())
    await rollout.receive(UserInput(content="hello"))
    update = StateUpdate(from_state="asking", to_state="paying", by="Priya", reason="I know it")
    await rollout.receive(update)
    assert rollout.state.dealings.business.name == "paying"
    assert len(model.requests) == 1

    await rollout.receive(UserInput(content="and now?"))
    assert "Priya changed the business state" in model.requests[1].messages[-2]["content"]
