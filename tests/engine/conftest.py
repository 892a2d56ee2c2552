"""A rollout on the reference store, with a scripted model."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.builders import RunningRollout, ScriptedModel, start_rollout

Start = Callable[..., Awaitable[RunningRollout]]


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def start(model: ScriptedModel) -> AsyncIterator[Start]:
    """Starts rollouts that are stopped when the test ends."""
    started: list[RunningRollout] = []

    async def begin(*tools, **agent) -> RunningRollout:
        started.append(await start_rollout(model, *tools, **agent))
        return started[-1]

    yield begin
    for rollout in started:
        await rollout.manager.stop()


@pytest.fixture
async def start_many() -> AsyncIterator[Start]:
    """Starts rollouts of agents with models of their own."""
    started: list[RunningRollout] = []

    async def begin(model, *tools, **agent) -> RunningRollout:
        started.append(await start_rollout(model, *tools, **agent))
        return started[-1]

    yield begin
    for rollout in started:
        await rollout.manager.stop()


@pytest.fixture
async def rollout(start: Start) -> RunningRollout:
    return await start()
