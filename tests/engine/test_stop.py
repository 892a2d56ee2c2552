"""Stop and other urgent events: the model's half-made answer is cut, kept, and answered."""

from collections.abc import AsyncIterator

import pytest

from runtime.domain.events import UserInput, UserInterrupt
from tests.builders import RunningRollout, ScriptedModel, start_rollout


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def rollout(model: ScriptedModel) -> AsyncIterator[RunningRollout]:
    rollout = await start_rollout(model)
    yield rollout
    await rollout.manager.stop()


async def test_urgent_event_stops_the_reply_and_is_answered(rollout, model):
    model.says("a long story", hold_after=3)
    await rollout.receive(UserInput(content="tell me"))
    await model.holding()

    await rollout.receive(UserInterrupt())

    assert rollout.types() == [
        "rollout.started", "user.input", "step.started", "agent.output", "step.aborted", "user.interrupt",
        "step.started", "agent.output", "step.completed",
    ]  # fmt: skip
