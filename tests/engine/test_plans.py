"""`update_plan`: steps that depend on one another, one at work, ticked off; leave where it is asked for."""

import pytest

from runtime.domain.arguments import args_sha256
from runtime.domain.definition import Planning
from runtime.domain.events import ApprovalDecision, UserInput, Verdict

PLAN = Planning(enabled=True, max_steps=4)


def step(id, status="pending", *after, title=""):
    return {"id": id, "title": title or f"do {id}", "status": status, "after": list(after)}


def plan_of(rollout):
    return [(one.id, one.status) for one in rollout.state.dealings.plan]


async def planned(start, model, *steps, planning=PLAN, **agent):
    rollout = await start(framework=True, planning=planning, **agent)
    model.calls(("update_plan", {"steps": list(steps)}))
    await rollout.receive(UserInput(content="work"))
    return rollout


async def told(rollout, model, *steps):
    """What the model is told of another plan."""
    model.calls(("update_plan", {"steps": list(steps)}))
    await rollout.receive(UserInput(content="go on"))
    return next(m["content"] for m in reversed(model.requests[-1].messages) if m["role"] == "tool")


async def test_a_plan_is_kept_and_shown_in_the_tail(start, model):
    rollout = await planned(start, model, step("a", "in_progress"), step("b", "pending", "a"))

    assert plan_of(rollout) == [("a", "in_progress"), ("b", "pending")]
    tail = model.requests[-1].messages[-1]["content"]
    assert "[&gt;] a: do a" in tail or "[>] a: do a" in tail
    assert "b: do b (after a)" in tail
    assert rollout.payloads("agent.thought")[0].kind == "plan"


async def test_the_template_may_place_the_plan_itself(start, model):
    await planned(start, model, step("a", "in_progress"), user_prompt_template="Now: {{ plan }}!")

    tail = model.requests[-1].messages[-1]["content"]
    assert "Now: [>] a: do a!" in tail
    assert "Your plan" not in tail


async def test_a_new_plan_keeps_what_is_done(start, model):
    rollout = await planned(start, model, step("a", "done"), step("b", "in_progress"))

    words = await told(rollout, model, step("b", "pending", title="other"), step("c", "in_progress"))

    assert plan_of(rollout) == [("a", "done"), ("b", "pending"), ("c", "in_progress")]
    assert "Steps that were done stay in it: a." in words


@pytest.mark.parametrize(
    ("steps", "word"),
    [
        ([step("a"), step("a")], "two steps have the same id"),
        ([step("a", "pending", "z")], "comes after z, which is no step of it"),
        ([step("a", "pending", "b"), step("b", "pending", "a")], "wait for one another"),
        ([step("a", "in_progress"), step("b", "in_progress")], "one step at a time"),
        ([step("a"), step("b", "in_progress", "a")], "before a is done"),
        ([step(str(n)) for n in range(5)], "4 is the most"),
    ],
)
async def test_a_plan_that_cannot_be_is_refused_in_words(start, model, steps, word):
    rollout = await planned(start, model, step("k", "in_progress"))

    words = await told(rollout, model, *steps)

    assert word in words
    assert plan_of(rollout) == [("k", "in_progress")]


async def test_several_steps_may_be_at_work_where_the_file_is_not_strict(start, model):
    loose = Planning(enabled=True, strict=False)

    rollout = await planned(start, model, step("a", "in_progress"), step("b", "in_progress"), planning=loose)

    assert plan_of(rollout) == [("a", "in_progress"), ("b", "in_progress")]


ASKING = Planning(enabled=True, approval=True)
WANTED = [step("a", "in_progress"), step("b", "pending", "a")]


async def decide(rollout, verdict, **more):
    sha = args_sha256("update_plan", {"steps": WANTED})
    decision = ApprovalDecision(call_id="0.0", verdict=verdict, args_sha256=sha, by="Priya", **more)
    await rollout.post(decision, source="user:priya")
    await rollout.rest()


async def test_a_plan_that_needs_leave_waits_and_is_taken_with_it(start, model):
    rollout = await planned(start, model, *WANTED, planning=ASKING)
    assert (plan_of(rollout), rollout.payloads("approval.request")[0].why) == ([], "plan")
    assert rollout.lifecycle == "waiting (approval)"

    await decide(rollout, Verdict.APPROVE)

    assert plan_of(rollout) == [("a", "in_progress"), ("b", "pending")]
    assert "Priya approved the plan." in str(model.requests[-1].messages)


async def test_no_means_no_and_the_model_is_told(start, model):
    rollout = await planned(start, model, *WANTED, planning=ASKING)

    await decide(rollout, Verdict.DENY, reason="Too much")

    assert plan_of(rollout) == []
    assert "Priya said no to this plan (Too much)" in str(model.requests[-1].messages)


async def test_words_such_as_no_do_not_never_approve_a_plan(start, model):
    rollout = await planned(start, model, *WANTED, planning=ASKING)

    await rollout.receive(UserInput(content="NO, do not. Approved? No!", name="Maya"))

    assert plan_of(rollout) == []
    assert not rollout.payloads("approval.decision")


async def test_ticking_off_what_was_agreed_to_asks_nobody_again(start, model):
    rollout = await planned(start, model, *WANTED, planning=ASKING)
    await decide(rollout, Verdict.APPROVE)

    await told(rollout, model, step("a", "done"), step("b", "in_progress", "a"))

    assert plan_of(rollout) == [("a", "done"), ("b", "in_progress")]
    assert len(rollout.payloads("approval.request")) == 1
