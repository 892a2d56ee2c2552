"""Approvals: runtime.md, 6."""

import asyncio

from runtime.domain.arguments import args_sha256
from runtime.domain.events import ApprovalDecision, UserInput, UserInterrupt, Verdict
from runtime.domain.facts import StandingGrant
from runtime.domain.tool import Access, ApprovalPolicy
from tests.builders import tool

ALWAYS = ApprovalPolicy("always")


def paying(policy: ApprovalPolicy = ALWAYS, **properties):
    return tool("pay", access=Access.WRITE, approval=policy, **properties)


def decision(call_id: str = "0.0", verdict: Verdict = Verdict.APPROVE, **fields) -> ApprovalDecision:
    return ApprovalDecision(call_id=call_id, verdict=verdict, by="Priya", **fields)


async def test_on_approval_exactly_that_call_runs_with_no_model_call_in_between(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay Maya"))

    assert rollout.lifecycle == "waiting (approval)"
    assert pay.ledger == []
    asked = rollout.payloads("approval.request")[0]
    assert asked.args_sha256 == args_sha256("pay", {"x": "60"})

    await rollout.receive(decision(args_sha256=asked.args_sha256))

    assert pay.ledger == ["r_1:0.0"]
    after = rollout.types()[rollout.types().index("approval.decision") :]
    assert after[:3] == ["approval.decision", "tool.started", "tool.result"]
    assert len(model.requests) == 2
    assert rollout.lifecycle == "waiting (input)"


async def test_it_suspends_that_call_alone_and_every_gated_call_of_a_batch_is_asked_at_once(start, model):
    pay, look = paying(), tool("look")
    rollout = await start(pay, look)
    model.calls(("pay", {"x": "1"}), ("look", {"x": "2"}), ("pay", {"x": "3"}))
    await rollout.receive(UserInput(content="go"))

    assert [asked.call_id for asked in rollout.payloads("approval.request")] == ["0.0", "0.2"]
    assert look.ledger == ["r_1:0.1"]
    assert len(model.requests) == 1

    await rollout.receive(decision("0.2"))
    assert pay.ledger == ["r_1:0.2"]
    assert len(model.requests) == 1
    await rollout.receive(decision("0.0", Verdict.DENY, reason="too much"))
    assert pay.ledger == ["r_1:0.2"]
    results = {result.call_id: result for result in rollout.payloads("tool.result")}
    assert results["0.0"].status == "denied"
    assert results["0.0"].content == "Priya said no (too much). Nothing was done."
    assert [message["tool_call_id"] for message in model.requests[1].messages if message["role"] == "tool"] == [
        "0.0",
        "0.1",
        "0.2",
    ]


async def test_edited_arguments_run_and_the_models_own_call_stays_as_it_was(start, model):
    got = []
    pay = paying()
    pay.answer = lambda args, context: got.append(dict(args)) or "paid"
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.receive(decision(edited_args={"x": "75"}))

    assert got == [{"x": "75"}]
    assert rollout.payloads("tool.request")[0].args == {"x": "60"}
    assert rollout.payloads("tool.result")[0].content == "Approved with changes by Priya: x 60 → 75.\npaid"


async def test_what_an_approver_wants_the_agent_to_know_is_told_with_the_result(start, model):
    rollout = await start(paying())
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.receive(decision(reason="Only this once."))

    assert rollout.payloads("tool.result")[0].content.startswith("Priya says: Only this once.\n")


async def test_a_decision_about_other_arguments_releases_nothing(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.receive(decision(args_sha256=args_sha256("pay", {"x": "6000"})))

    assert pay.ledger == []
    assert rollout.lifecycle == "waiting (approval)"


async def test_n_of_m_needs_different_people(start, model):
    pay = paying(ApprovalPolicy("always", needed=2))
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    for _ in range(2):
        await rollout.post(decision(), source="u_priya")
        await rollout.rest()
    assert pay.ledger == []
    await rollout.post(decision(), source="u_tom")
    await rollout.rest()
    assert pay.ledger == ["r_1:0.0"]


async def test_nobody_approves_what_their_own_message_led_to_where_the_file_says_so(start, model):
    pay = paying(ApprovalPolicy("always", allows_self=False))
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.post(decision(), source="user:maya")
    await rollout.rest()
    assert pay.ledger == []
    await rollout.post(decision(), source="u_priya")
    await rollout.rest()
    assert pay.ledger == ["r_1:0.0"]


async def test_a_stop_of_the_turn_withdraws_the_question(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.receive(UserInterrupt(respond=False))
    await rollout.receive(decision())

    assert pay.ledger == []
    [result] = rollout.payloads("tool.result")
    assert (result.status, result.content) == ("cancelled", "Stopped before anybody had given leave. Nothing was done.")
    assert rollout.lifecycle == "waiting (input)"


async def test_it_expires_into_a_denial(start, model):
    pay = paying(ApprovalPolicy("always", expires_seconds=3600))
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    rollout.clock.pass_(3601)
    await rollout.until(lambda: "tool.result" in rollout.types())
    await rollout.rest()

    assert pay.ledger == []
    assert rollout.payloads("tool.result")[0].content == "Studio said no (nobody decided in time). Nothing was done."
    assert rollout.payloads("approval.decision")[0].by == "Studio"


async def test_it_may_escalate_before_it_is_denied(start, model):
    pay = paying(ApprovalPolicy("always", expires_seconds=3600, then="escalate"))
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    rollout.clock.pass_(3601)
    await rollout.until(lambda: rollout.types().count("approval.request") == 2)
    assert rollout.payloads("approval.request")[1].approvers == ("supervisors",)
    await rollout.receive(decision())
    assert pay.ledger == ["r_1:0.0"]


async def test_a_standing_grant_decides_in_a_persons_stead_and_says_so(start, model):
    pay = paying()
    rollout = await start(pay)
    rollout.store.grants.append(StandingGrant("g_1", "pay", "Priya", "x", "60"))
    model.calls(("pay", {"x": "60"}), ("pay", {"x": "61"}))
    await rollout.receive(UserInput(content="pay"))

    assert pay.ledger == ["r_1:0.0"]
    [by_grant] = rollout.payloads("approval.decision")
    assert (by_grant.call_id, by_grant.grant, by_grant.by) == ("0.0", "g_1", "Priya")
    assert rollout.lifecycle == "waiting (approval)"


async def test_a_grant_for_a_value_covers_no_other_that_only_equals_it(start, model):
    one = StandingGrant("g_1", "pay", "Priya", "x", 1)
    assert one.covers("pay", {"x": 1})
    assert not one.covers("pay", {"x": True})
    assert not StandingGrant("g_1", "pay", "Priya", "x", None).covers("pay", {})


async def test_a_condition_over_the_arguments_decides_whether_a_person_is_asked(start, model):
    pay = paying(ApprovalPolicy('args.x == "60"'))
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}), ("pay", {"x": "5"}))
    await rollout.receive(UserInput(content="pay"))

    assert [asked.call_id for asked in rollout.payloads("approval.request")] == ["0.0"]
    assert pay.ledger == ["r_1:0.1"]


async def test_a_message_meanwhile_is_answered_and_the_result_comes_later(start, model):
    pay = paying()
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    model.says("Still waiting for Priya.")
    await rollout.receive(UserInput(content="how far?"))
    assert model.requests[1].messages[-2]["content"].startswith("Not done yet: a person has to decide.")

    model.says("Paid.")
    await rollout.receive(decision())
    assert pay.ledger == ["r_1:0.0"]
    assert "done 60" in model.requests[2].messages[-1]["content"]


async def test_what_is_run_again_runs_with_the_arguments_that_were_approved(start, model):
    got = []
    pay = paying()
    pay.gate = asyncio.Event()
    rollout = await start(pay)
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.post(decision(edited_args={"x": "75"}))
    await pay.began.wait()
    await rollout.post(UserInterrupt(respond=False))
    await rollout.until(lambda: rollout.types().count("approval.request") == 2)

    pay.gate, pay.answer = None, lambda args, context: got.append(dict(args)) or "paid"
    await rollout.receive(decision(verdict=Verdict.RUN_AGAIN))
    assert got == [{"x": "75"}]
