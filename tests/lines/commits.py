"""What a rollout commits, as somebody sees who stands beside the store."""

import asyncio
from collections.abc import Callable

from runtime.ports import Append, Appended, Lost, OverBudget
from tests.builders import RunningRollout


def commits_of(rollout: RunningRollout) -> list[Append]:
    """Each append that is committed from now on."""
    append = rollout.store.append
    seen: list[Append] = []

    async def watched(change: Append) -> Appended | Lost | OverBudget:
        answer = await append(change)
        if isinstance(answer, Appended):
            seen.append(change)
        return answer

    rollout.store.append = watched  # the store is a real one; somebody looks on
    return seen


def before_commit(rollout: RunningRollout, look: Callable[[Append], None]) -> None:
    """Look at each append when it is about to be committed, after the others have had time to run ahead."""
    append = rollout.store.append

    async def delayed(change: Append) -> Appended | Lost | OverBudget:
        for _ in range(20):
            await asyncio.sleep(0)
        look(change)
        return await append(change)

    rollout.store.append = delayed  # the store is a real one; its commit takes a while


def types_of(change: Append) -> list[str]:
    return [event.type for event in change.events]
