"""What the simulation found, each told again as a small story."""

import asyncio

from runtime.domain.agent import Agent
from runtime.domain.apply import apply, fold
from runtime.domain.decide import decide
from runtime.domain.effects import RunTool
from runtime.domain.events import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalWhy,
    RolloutCancelled,
    RolloutCompleted,
    UserInput,
    UserInterrupt,
    Verdict,
)
from runtime.domain.state import State
from runtime.domain.tool import Access
from runtime.domain.trajectory import Draft, Event, place
from tests.builders import started_event, tool
from tests.engine.test_children import two


def test_what_is_completed_stays_completed_when_a_cancel_comes_behind_it():
    events = [started_event(Agent(name="tester"), 1)]
    for payload in (RolloutCompleted(by="Maya"), RolloutCancelled(by="desk", cascades=True)):
        events.append(place(Draft(payload), len(events) + 1, 1, events[-1].sha256))

    assert fold(events).ended == "completed"


async def test_a_sub_agent_that_is_stopped_for_good_tells_the_agent_that_called_it(start_many):
    models, rollout = await two(start_many)
    models.scripted.calls(("invoke_helper", {"task": "find the policy"}))
    models.scripted.says("It was stopped.")
    models.helper.says("thirty days or so", hold_after=1)
    await rollout.post(UserInput(content="how long?"))
    await models.helper.holding()
    child = rollout.other("r_2")

    await child.post(UserInterrupt(respond=False))
    await rollout.until(lambda: len(models.scripted.requests) == 2)
    await rollout.rest()

    assert child.payloads("agent.response")[0].answers == "0.0"
    assert rollout.lifecycle == "waiting (input)"


async def test_nothing_runs_again_while_a_person_is_asked_about_it(start, model):
    pay = tool("pay", access=Access.WRITE)
    pay.gate = asyncio.Event()
    rollout = await start(pay)
    model.calls(("pay", {}))
    await rollout.post(UserInput(content="pay"))
    await pay.began.wait()
    await rollout.post(UserInterrupt(respond=False))
    await rollout.until(lambda: "approval.request" in rollout.types())
    again = ApprovalDecision(call_id="0.0", verdict=Verdict.RUN_AGAIN, by="Priya")
    await rollout.post(again)
    await rollout.until(lambda: len(pay.ledger) == 2)
    state = apply(rollout.state, question_about("0.0", rollout.state))
    assert not [effect for effect in decide(state, rollout.agent) if isinstance(effect, RunTool)]
    pay.gate.set()


def question_about(call_id: str, state: State) -> Event:
    asked = ApprovalRequest(call_id=call_id, why=ApprovalWhy.UNKNOWN_OUTCOME)
    return place(Draft(asked), state.seq + 1, state.at, state.last.sha256)
