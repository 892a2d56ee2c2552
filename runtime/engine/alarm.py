"""What is due comes through the queue like anything else."""

from collections.abc import Sequence

from runtime.domain.deadlines import rung
from runtime.domain.pending import Pending
from runtime.domain.state import State
from runtime.domain.trajectory import SYSTEM
from runtime.engine.shell import Shell
from runtime.ports import Arrival, QueueFull


async def ring(shell: Shell, rollout: str, state: State, pending: Sequence[Pending]) -> bool:
    """Put what is due into the rollout's own queue, once: the key sees to that. Whether anything was due."""
    if state.paused or state.ended:
        return False
    waiting = {item.id for item in pending}
    due = [(f"{rollout}-{key}", key, payload) for key, payload in rung(state, shell.clock.now())]
    new = [one for one in due if one[0] not in waiting]
    for event_id, key, payload in new:
        arrival = Arrival(rollout, payload, SYSTEM, event_id, rollout, "timer", key, body_sha256=key)
        try:
            await shell.store.accept(arrival)
        except QueueFull:  # it rings as soon as there is room
            return False
        shell.hub.queued(rollout)
    return bool(new)
