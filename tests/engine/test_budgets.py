"""Budgets: runtime.md, 5."""

from runtime.domain.agent import Limits
from runtime.domain.events import ResumeReason, RolloutResumed, UserInput
from tests.builders import tool

SETTINGS = {"max_tokens": 100}


async def test_what_does_not_fit_pauses_before_the_call_and_asks(start, model):
    rollout = await start(limits=Limits(budget_tokens=120), settings=SETTINGS)
    await rollout.receive(UserInput(content="hello"))

    assert model.requests == []
    [reached] = rollout.payloads("limit.reached")
    assert (reached.what, reached.limit) == ("budget.tokens", 120)
    assert rollout.lifecycle == "paused"

    await rollout.receive(RolloutResumed(by="Priya", reason=ResumeReason.LIMIT, limits={"budget.tokens": 5000}))
    assert len(model.requests) == 1
    assert rollout.lifecycle == "waiting (input)"
    assert rollout.store.rows["r_1"].projection.budget_tokens == 5000


async def test_what_was_set_aside_is_free_again_once_the_answer_is_there(start, model):
    rollout = await start(tool("look"), limits=Limits(budget_tokens=2000), settings=SETTINGS)
    for _ in range(5):
        await rollout.receive(UserInput(content="hello"))
    assert len(model.requests) == 5
    row = rollout.store.rows["r_1"]
    assert row.projection.reserved_tokens == 0
    assert rollout.payloads("step.started")[0].reserved_tokens > 100
