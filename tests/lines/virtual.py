"""Rollouts in an event loop in which waiting takes no time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.builders import HeldTool, RunningRollout, ScriptedModel, start_rollout
from tests.simulation.virtual_time import VirtualClock, VirtualLoop, run_in_virtual_time


def played[Result](
    main: Callable[[VirtualLoop, RunningRollout], Awaitable[Result]],
    model: ScriptedModel,
    *tools: HeldTool,
    **agent: Any,
) -> Result:
    """What `main` returns, given the loop and a rollout of that model that does not hasten the clock."""

    async def begin(loop: VirtualLoop) -> Result:
        rollout = await start_rollout(model, *tools, clock=VirtualClock(loop), **agent)
        return await main(loop, rollout)

    return run_in_virtual_time(begin)


async def until(condition: Callable[[], object]) -> None:
    """Looks every hundredth of a second, for an hour at most."""
    async with asyncio.timeout(3600):
        while not condition():
            await asyncio.sleep(0.01)
