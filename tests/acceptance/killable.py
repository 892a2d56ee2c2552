"""`manage.py serve` that kills itself (kill -9) at the n-th passage of a named point: `KILL_AT=append-before:3`.

The product's code is as it is; the points are wrapped around it from here. Points:
`accept-before`, `accept-after`, `deliver-before`, `deliver-inside`, `deliver-after`, `timer-before`, `timer-after`,
`decide-before`, `decide-after`, `claim-after`, `append-before`, `append-inside`, `append-after`, `model-before`,
`delta`, `model-after`, `effect-before`, `effect-after`.
Appends also count by what they record: `append-before timer.trigger:1`, `append-after tool.started rollback:1`.
"""

import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

from daphne import server as _daphne  # noqa: F401 - chooses the reactor before anything else does

KILL_VARIABLE = "KILL_AT"


class Fuse:
    """Counts the passages of one point, and kills the process at the chosen one."""

    def __init__(self, chosen: str) -> None:
        self.point, _, number = chosen.rpartition(":")
        self.left = int(number or 0)

    def passes(self, point: str) -> None:
        if point != self.point:
            return
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "studio.settings"
    import django

    django.setup()
    fuse = Fuse(os.environ.get(KILL_VARIABLE, ""))
    _wrap_store(fuse)
    _wrap_effects(fuse)
    from django.core.management import call_command

    call_command("serve", "--port", sys.argv[1])


def _wrap_store(fuse: Fuse) -> None:
    from studio.store.accepting import Accept
    from studio.store.deciding import Decide
    from studio.store.delivering import Deliver
    from studio.store.django_store import DjangoStore
    from studio.store.writer import Writer

    append, claim, ring, call = DjangoStore.append, DjangoStore.claim, DjangoStore.accept, Writer.call

    async def append_or_die(self: DjangoStore, change: Any) -> Any:
        for kind in ("", *_kinds(change.events)):
            fuse.passes(f"append-before{kind}")
        answer = await append(self, change)
        for kind in ("", *_kinds(change.events)):
            fuse.passes(f"append-after{kind}")
        return answer

    async def claim_or_die(self: DjangoStore, rollout: str, owner: str) -> Any:
        claimed = await claim(self, rollout, owner)
        fuse.passes("claim-after")
        return claimed

    async def ring_or_die(self: DjangoStore, arrival: Any) -> Any:
        """What the runtime itself accepts: timers that are due."""
        fuse.passes("timer-before")
        accepted = await ring(self, arrival)
        fuse.passes("timer-after")
        return accepted

    def call_or_die(self: Writer, job: Any) -> Any:
        """What the doors accept."""
        door = {Accept: "accept", Decide: "decide", Deliver: "deliver"}.get(type(job), "other")
        fuse.passes(f"{door}-before")
        answer = call(self, job)
        fuse.passes(f"{door}-after")
        return answer

    DjangoStore.append, DjangoStore.claim, DjangoStore.accept = append_or_die, claim_or_die, ring_or_die  # type: ignore
    Writer.call = call_or_die  # type: ignore
    deliver = Deliver.run

    def deliver_or_die(self: Deliver, batch: Any) -> Any:
        """Before the commit of what came through a trigger."""
        delivered = deliver(self, batch)
        fuse.passes("deliver-inside")
        return delivered

    Deliver.run = deliver_or_die  # type: ignore
    _wrap_inside(fuse)


def _kinds(events: Any) -> list[str]:
    """What an append records, each once; with its role if that is to stand in for a call, or to undo it."""
    roles = [getattr(event.payload, "role", "call") for event in events]
    kinds = [
        event.type if role == "call" else f"{event.type} {role}" for event, role in zip(events, roles, strict=True)
    ]
    return [f" {kind}" for kind in dict.fromkeys(kinds)]


def _wrap_inside(fuse: Fuse) -> None:
    """Inside the transaction: the rows are written, the commit has not come."""
    from studio.store import flush

    update = flush.update_rollouts

    def update_or_die(sql: Any, rows: Any) -> None:
        update(sql, rows)
        if any(row.last_sha256 for row in rows):
            fuse.passes("append-inside")

    for module in list(sys.modules.values()):
        if getattr(module, "update_rollouts", None) is update:
            module.update_rollouts = update_or_die  # type: ignore[attr-defined]


def _wrap_effects(fuse: Fuse) -> None:
    from runtime.engine.executor import Executor
    from runtime.providers.connected import ConnectedModel
    from studio.hub import InProcessHub

    attempt, stream, delta = Executor.attempt, ConnectedModel.stream, InProcessHub.delta

    async def attempt_or_die(self: Executor, *args: Any) -> Any:
        fuse.passes("effect-before")
        outcome = await attempt(self, *args)
        fuse.passes("effect-after")
        return outcome

    async def stream_or_die(self: ConnectedModel, request: Any) -> AsyncIterator[Any]:
        fuse.passes("model-before")
        async for chunk in stream(self, request):
            yield chunk
        fuse.passes("model-after")

    def delta_or_die(self: InProcessHub, *args: Any) -> None:
        delta(self, *args)
        fuse.passes("delta")

    Executor.attempt, ConnectedModel.stream, InProcessHub.delta = attempt_or_die, stream_or_die, delta_or_die  # type: ignore


if __name__ == "__main__":
    main()
