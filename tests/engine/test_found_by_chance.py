"""What the simulation found, each told again as a small story."""

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.events import RolloutCancelled, RolloutCompleted, UserInput, UserInterrupt
from runtime.domain.trajectory import Draft, place
from tests.builders import started_event
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
