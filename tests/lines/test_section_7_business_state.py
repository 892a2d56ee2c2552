"""`runtime.md`, section 7: the business state."""

import asyncio

import pytest

from runtime.domain.definition import StateMachine
from runtime.domain.events import ApprovalDecision, ResultStatus, UserInput, Verdict
from runtime.domain.tool import Access
from tests.builders import tool
from tests.lines.commits import commits_of, types_of

ELSEWHERE = {
    "States, transitions, an initial state, final states and typed variables in the agent file": (
        "tests/domain/test_machine.py::test_a_state_names_its_tools_its_longest_stay_and_whether_it_is_final"
    ),
    "an initial state": "tests/domain/test_machine.py::test_a_rollout_begins_with_the_defaults_and_nothing_else",
    "typed variables": "tests/domain/test_machine.py::test_a_value_that_does_not_fit_refuses_the_move",
    "Per state: description, extra instructions": (
        "tests/domain/test_machine.py::test_the_model_reads_where_it_stands_at_each_step"
    ),
    "Per state: longest stay": (
        "tests/engine/test_business_state.py::test_the_longest_stay_moves_it_and_a_final_state_completes"
    ),
    "Per transition: words for the model (`when`)": (
        "tests/domain/test_machine.py::test_the_model_reads_the_whole_machine_once"
    ),
    "an enforced guard": "tests/engine/test_business_state.py::test_a_guard_is_enforced",
    "Per transition: assignments": (
        "tests/domain/test_machine.py::test_a_move_sets_what_was_given_and_what_its_transition_sets"
    ),
    "before its other actions are dispatched: they are judged in the new state": (
        "tests/engine/test_business_state.py::test_a_move_is_applied_in_the_steps_own_transaction"
    ),
    "A transition that is not allowed changes nothing and tells the model which are": (
        "tests/engine/test_business_state.py::test_a_move_that_is_not_allowed_changes_nothing_and_tells_which_are"
    ),
    "A tool that the state does not allow is named as closed in the tail and refused if called": (
        "tests/engine/test_business_state.py::test_a_tool_that_the_state_does_not_allow_is_named_as_closed_and_refused"
    ),
    "unreachable states, dead ends, tools that no state allows": (
        "tests/domain/test_agent_file_checks.py::test_states_that_are_most_likely_not_meant_so_are_warnings"
    ),
    "guards with unknown names": (
        "tests/domain/test_agent_file_checks.py::test_what_is_wrong_with_a_transition_is_said_at_its_place"
    ),
    "Authors see while typing": (
        "tests/web/test_editor.py::test_checking_gives_problems_with_their_place_and_the_form_again"
    ),
}


def machine(**transition) -> StateMachine:
    """From `open` one transition to `shut`, which is final."""
    return StateMachine.model_validate(
        {
            "initial": "open",
            "variables": {"amount": {"type": "number", "default": 0}},
            "states": {"open": {"transitions": [{"to": "shut", **transition}]}, "shut": {"final": True}},
        }
    )


def move(to: str = "shut", **given) -> tuple[str, dict]:
    return "update_rollout_state", {"to": to, **given}


def decision(verdict: Verdict, call_id: str = "0.0") -> ApprovalDecision:
    return ApprovalDecision(call_id=call_id, verdict=verdict, by="Priya")


async def test_without_business_states_the_workflow_is_emergent(start, model):
    """optional, without it the workflow is emergent"""
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    model.calls(("pay", {}))

    await rollout.receive(UserInput(content="pay"))

    assert pay.ledger == ["r_1:0.0"]
    assert "update_rollout_state" not in [offered["name"] for offered in model.requests[0].tools]
    assert "Business states" not in model.requests[0].messages[0]["content"]
    assert rollout.lifecycle == "waiting (input)"


@pytest.mark.parametrize(
    ("guard", "given", "is_open"),
    [
        ("vars.amount > 5", {"set": {"amount": 6}}, True),
        ("vars.amount > 5", {"set": {"amount": 5}}, False),
        ("args.reason != ''", {"reason": "asked for"}, True),
        ("args.reason != ''", {"reason": ""}, False),
    ],
)
async def test_a_guard_looks_at_the_variables_and_the_arguments(start, model, guard, given, is_open):
    """an enforced guard (CEL over `vars`, `args` …)"""
    rollout = await start(machine=machine(guard=guard))
    model.calls(move(**given))

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("state.update")[0].accepted is is_open
    assert rollout.state.dealings.business.name == ("shut" if is_open else "open")


@pytest.mark.parametrize(("answer", "is_open"), [('{"ok": true}', True), ('{"ok": false}', False)])
async def test_a_guard_looks_at_the_last_result(start, model, answer, is_open):
    """CEL over `vars`, `args` and the last result"""
    look = tool("look")
    look.answer = lambda args, context: answer
    rollout = await start(look, machine=machine(guard="result.ok"))
    model.calls(("look", {}))
    model.calls(move())

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("state.update")[0].accepted is is_open


async def test_a_move_is_recorded_in_the_transaction_of_its_step(start, model):
    """`update_rollout_state` is applied in the step's own transaction"""
    rollout = await start(machine=machine())
    commits = commits_of(rollout)
    model.calls(move())

    await rollout.receive(UserInput(content="go"))

    [step] = [change for change in commits if "state.update" in types_of(change)]
    assert types_of(step)[:2] == ["state.update", "step.completed"]


async def test_a_move_is_applied_before_a_call_that_stands_in_front_of_it_is_dispatched(start, model):
    """before its other actions are dispatched"""
    pay, seen = tool("pay", access=Access.WRITE), []
    pay.answer = lambda args, context: seen.append(rollout.state.dealings.business.name)
    rollout = await start(pay, machine=machine())
    model.calls(("pay", {}), move())

    await rollout.receive(UserInput(content="go"))

    assert seen == ["shut"]


async def test_a_move_that_needs_approval_is_a_question_in_its_step_and_an_open_call(start, model):
    """A transition that needs approval is an open call: `approval.request` in the step"""
    rollout = await start(machine=machine(approval="always"))
    commits = commits_of(rollout)
    model.calls(move())

    await rollout.receive(UserInput(content="go"))

    [step] = [change for change in commits if "approval.request" in types_of(change)]
    assert types_of(step) == ["tool.request", "step.completed", "approval.request"]
    assert [call.id for call in rollout.state.open_calls] == ["0.0"]
    assert rollout.payloads("state.update") == []


async def test_the_move_is_recorded_with_the_decision(start, model):
    """`state.update` with the decision"""
    rollout = await start(machine=machine(approval="always"))
    model.calls(move())
    await rollout.receive(UserInput(content="go"))
    commits = commits_of(rollout)

    await rollout.receive(decision(Verdict.APPROVE))

    assert types_of(commits[0]) == ["approval.decision", "state.update"]
    assert rollout.payloads("state.update")[0].to_state == "shut"


@pytest.mark.parametrize("verdict", [None, Verdict.DENY])
async def test_until_then_and_after_a_denial_the_old_state_holds(start, model, verdict):
    """the old state until then"""
    rollout = await start(machine=machine(approval="always"))
    model.calls(move())
    await rollout.receive(UserInput(content="go"))
    if verdict is not None:
        await rollout.receive(decision(verdict))
        assert rollout.payloads("state.update")[0].status is ResultStatus.DENIED

    assert rollout.state.dealings.business.name == "open"
    assert rollout.store.rows["r_1"].projection.business_state == "open"


async def test_a_condition_decides_whether_a_move_needs_approval(start, model):
    """Per transition: … approval"""
    rollout = await start(machine=machine(approval="vars.amount > 100"))
    model.calls(move(set={"amount": 99}))

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("approval.request") == []
    assert rollout.state.dealings.business.name == "shut"


# ------------------------------------------------------------------------------------------------ final states


async def test_a_final_state_completes_the_rollout_when_it_is_idle(start, model):
    """A final state completes the rollout when it is next idle"""
    look = tool("look")
    look.gate = asyncio.Event()
    rollout = await start(look, machine=machine())
    model.calls(move(), ("look", {}))
    model.says("All is done.")
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    assert rollout.state.dealings.business.name == "shut"
    assert rollout.lifecycle == "running"

    look.gate.set()
    await rollout.until(lambda: rollout.lifecycle == "completed")

    assert rollout.payloads("agent.output")[-1].content == "All is done."
    assert rollout.types()[-1] == "rollout.completed"


async def test_a_message_that_came_meanwhile_is_answered_before_the_rollout_completes(start, model):
    """with an empty queue"""
    rollout = await start(machine=machine())
    model.calls(move())
    model.says("All done.", hold_after=1)
    await rollout.receive(UserInput(content="go"))
    await model.holding()
    await rollout.post(UserInput(content="one more thing"))
    model.says("Here it is.")

    model.go()
    await rollout.until(lambda: rollout.lifecycle == "completed")

    assert [output.content for output in rollout.payloads("agent.output")] == ["All done.", "Here it is."]


async def test_what_runs_behind_the_answer_ends_before_the_rollout_completes(start, model):
    """A final state completes the rollout when it is next idle"""
    slow = tool("slow", runs_async=True)
    slow.gate = asyncio.Event()
    rollout = await start(slow, machine=machine())
    model.calls(move(), ("slow", {}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: rollout.types().count("step.completed") == 2)
    assert rollout.lifecycle != "completed"

    slow.gate.set()
    await rollout.until(lambda: rollout.lifecycle == "completed")

    assert [result.content for result in rollout.payloads("tool.result")] == ["done "]
