"""`runtime.md`, section 6: approvals."""

import pytest

from runtime.domain.arguments import args_sha256
from runtime.domain.events import ApprovalDecision, ResultStatus, UserInput, Verdict
from runtime.domain.tool import Access, ApprovalPolicy
from tests.builders import HeldTool, tool
from tests.engine.test_faults_of_others import restarted

ELSEWHERE = {
    "approval: `always`": (
        "tests/engine/test_approvals.py::test_on_approval_exactly_that_call_runs_with_no_model_call_in_between"
    ),
    "`once` per session": "tests/api/test_approvals.py::test_a_tool_that_asks_once_is_granted_for_the_session",
    "or a condition over the arguments": (
        "tests/engine/test_approvals.py::test_a_condition_over_the_arguments_decides_whether_a_person_is_asked"
    ),
    "It suspends that call alone": (
        "tests/engine/test_approvals.py::"
        "test_it_suspends_that_call_alone_and_every_gated_call_of_a_batch_is_asked_at_once"
    ),
    "approve edited arguments ('approved with changes: amount 60 → 75'; the model's own call stays as it was)": (
        "tests/engine/test_approvals.py::test_edited_arguments_run_and_the_models_own_call_stays_as_it_was"
    ),
    "decided once, whoever clicks twice": "tests/api/test_decisions.py::test_one_of_many_at_once_decides",
    "expires into deny": "tests/engine/test_approvals.py::test_it_expires_into_a_denial",
    "it may escalate first": "tests/engine/test_approvals.py::test_it_may_escalate_before_it_is_denied",
    "standing grants: this session": (
        "tests/stores/test_facts.py::test_a_grant_for_the_session_covers_the_tool_in_that_session_alone"
    ),
    "standing grants: this agent": "tests/stores/test_facts.py::test_a_grant_is_not_for_other_agents",
    "standing grants: this argument value": (
        "tests/stores/test_facts.py::test_a_grant_for_one_value_covers_that_value_in_every_session"
    ),
    "are listed and revocable": "tests/api/test_approvals.py::test_grants_are_listed_and_revoked",
    "Every gated call of a batch is shown at once": (
        "tests/engine/test_approvals.py::"
        "test_it_suspends_that_call_alone_and_every_gated_call_of_a_batch_is_asked_at_once"
    ),
}

WEEK_US = 7 * 24 * 3600 * 1_000_000


def paying(when: str = "always") -> HeldTool:
    return tool("pay", access=Access.WRITE, approval=ApprovalPolicy(when))


def decision(verdict: Verdict = Verdict.APPROVE, **fields) -> ApprovalDecision:
    return ApprovalDecision(call_id="0.0", verdict=verdict, by="Priya", **fields)


async def asked(start, model, pay: HeldTool):
    """A rollout that asks whether it may pay 60."""
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    return rollout


async def test_where_approval_is_never_nobody_is_asked(start, model):
    """**approval**: `never`"""
    pay = paying("never")
    rollout = await asked(start, model, pay)

    assert pay.ledger == ["r_1:0.0"]
    assert rollout.payloads("approval.request") == []


async def test_where_a_condition_cannot_be_judged_a_person_is_asked(start, model):
    """or a condition over the arguments"""
    pay = paying("args.amount > 50")
    rollout = await asked(start, model, pay)

    assert pay.ledger == []
    assert rollout.lifecycle == "waiting (approval)"


async def test_a_call_is_denied_with_a_reason_and_the_model_is_told(start, model):
    """deny with a reason"""
    pay = paying()
    rollout = await asked(start, model, pay)

    await rollout.receive(decision(Verdict.DENY, reason="too much"))

    assert pay.ledger == []
    assert rollout.payloads("tool.result")[0].status is ResultStatus.DENIED
    assert "Priya said no (too much)." in model.requests[-1].messages[-1]["content"]


def test_the_hash_covers_the_tool_and_its_arguments_in_canonical_form():
    """Bound to the SHA-256 of (tool, canonical arguments)"""
    assert args_sha256("pay", {"x": "60", "y": 1}) == args_sha256("pay", {"y": 1, "x": "60"})
    assert args_sha256("pay", {"x": "60"}) != args_sha256("refund", {"x": "60"})
    assert args_sha256("pay", {"x": "60"}) != args_sha256("pay", {"x": 60})


@pytest.mark.parametrize("other", [args_sha256("refund", {"x": "60"}), args_sha256("pay", {"x": "61"})])
async def test_a_decision_about_another_tool_or_other_arguments_releases_nothing(start, model, other):
    """Bound to the SHA-256 of (tool, canonical arguments)"""
    pay = paying()
    rollout = await asked(start, model, pay)

    await rollout.receive(decision(args_sha256=other))

    assert pay.ledger == []
    assert rollout.lifecycle == "waiting (approval)"


@pytest.mark.parametrize("second", [Verdict.APPROVE, Verdict.DENY])
async def test_what_is_decided_stays_decided_whoever_clicks_after_it(start, model, second):
    """decided once, whoever clicks twice"""
    pay = paying()
    rollout = await asked(start, model, pay)

    await rollout.post(decision(), source="user:priya")
    await rollout.post(decision(second), source="user:tom")
    await rollout.rest()

    assert pay.ledger == ["r_1:0.0"]
    assert [result.status for result in rollout.payloads("tool.result")] == [ResultStatus.OK]


async def test_a_question_survives_a_restart(start, model):
    """survives restarts"""
    pay = paying()
    rollout = await asked(start, model, pay)
    await restarted(rollout)
    await rollout.rest()
    assert rollout.lifecycle == "waiting (approval)"

    await rollout.receive(decision())

    assert pay.ledger == ["r_1:0.0"]
    assert len(rollout.payloads("approval.request")) == 1


async def test_a_question_expires_after_seven_days_unless_set(start, model):
    """expires into deny (after 7 days unless set)"""
    rollout = await asked(start, model, paying())

    event = next(event for event in rollout.trajectory() if event.type == "approval.request")

    assert event.payload.expires_at - event.at == WEEK_US
    assert rollout.store.rows["r_1"].projection.wake_at == event.payload.expires_at
