"""How tools behave: at once or slowly, well or badly; and the ledger of what they really did."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runtime.domain.state import State
from runtime.domain.tool import Access
from runtime.ports import NothingDone, ToolContext, ToolFailed

if TYPE_CHECKING:
    from tests.simulation.worker import Worker


@dataclass(slots=True)
class Ledger:
    """What was done in the world, by idempotency key."""

    effects: Counter[str] = field(default_factory=Counter)
    once: set[str] = field(default_factory=set)

    def note(self, context: ToolContext) -> None:
        self.effects[context.key] += 1
        if not context.spec.may_run_again:
            self.once.add(context.key)


async def run_tool(worker: "Worker", context: ToolContext) -> str:
    """One attempt. What fails did nothing; what is cancelled may have, and says so if it can prove that it did not."""
    world = worker.world
    chance = world.chance
    if fault := fault_of_beginning(world.store.states[context.rollout], context):
        world.faults.append(f"{context.key}, attempt {context.attempt}: {fault}")
    await worker.runs()
    waits = chance.choice((0, 0, 0.01, 0.5, 3, 20)) if not world.is_calm else 0
    fails = chance.random() < 0.25 and not world.is_calm
    if fails:
        await asyncio.sleep(waits)
        raise _failure(worker)
    acts_first = chance.random() < 0.5
    if acts_first:
        world.ledger.note(context)
    try:
        await asyncio.sleep(waits)
    except asyncio.CancelledError:
        if not acts_first and chance.random() < 0.5:
            raise NothingDone("It was stopped before it began.") from None
        if chance.random() < 0.3:
            await _deaf(worker)
        raise
    await worker.runs()
    if not acts_first:
        world.ledger.note(context)
    return f"done {world.chance.randrange(1000)}"


def _failure(worker: "Worker") -> Exception:
    match worker.world.chance.randrange(4):
        case 0:
            return ToolFailed("the service is busy.")
        case 1:
            return ToolFailed("there is no such order.", retryable=False)
        case 2:
            return TimeoutError()
        case _:
            return ZeroDivisionError()


async def _deaf(worker: "Worker") -> None:
    """It does not hear that it was told to stop; then it does."""
    await asyncio.sleep(worker.world.chance.choice((0.1, 2)))
    await worker.runs()


def fault_of_beginning(state: State, context: ToolContext) -> str:
    """Promises 5 and 7: what writes has its beginning on record, and what needs leave has leave."""
    if context.key.endswith(":rollback"):
        is_due = state.ended == "cancelled" and state.dealings.undoing == context.call_id
        return "" if is_due else "it is undone without need"
    call = state.call(context.call_id)
    if call is None:  # its end is on record already, and so was its beginning
        return ""
    if call.is_gated:
        return "it begins without leave"
    is_recorded = context.spec.access is Access.READ or (call.is_started and call.attempt >= context.attempt)
    return "" if is_recorded else "it begins before its beginning is on record"
