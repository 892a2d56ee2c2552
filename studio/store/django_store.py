"""The runtime's Store port over the studio's tables."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Any

from runtime.domain.facts import Facts
from runtime.domain.memory import NO_VALUES, Memory, MemoryRef, MemoryScope, MemoryWrite, Values
from runtime.domain.trajectory import Event
from runtime.ports import Accepted, Append, Appended, Arrival, Claimed, Lost, NewRollout, OverBudget, Queue
from studio.store.accepting import Accept, Withdraw
from studio.store.appending import AppendEvents
from studio.store.creating import CreateRollout
from studio.store.event_rows import event_of
from studio.store.facts import ReadFacts
from studio.store.keys import KEPT_MICROSECONDS, ForgetKeys
from studio.store.leasing import Claim, FreeLeases, Release, Renew, Runnable
from studio.store.memories import ChangeMemory, EraseMemories, ReadMemories, ReadMemoryValues
from studio.store.queue import ReadEvents, ReadQueue
from studio.store.texts import KeepPin, ReadArtifact, ReadPin
from studio.store.writer import Writer

INLINE_EVENTS = 50  # about 1 ms of parsing


class DjangoStore:
    """Implements `runtime.ports.Store`: every method is one job of the writer.

    Services in threads call `store.writer.call(JOB)` with the jobs of this package.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    async def create(self, new: NewRollout) -> None:
        await self.writer.do(CreateRollout(new))

    async def accept(self, arrival: Arrival) -> Accepted:
        return await self.writer.do(Accept(arrival))

    async def withdraw(self, rollout: str, pending_id: str) -> bool:
        return await self.writer.do(Withdraw(rollout, pending_id))

    async def claim(self, rollout: str, owner: str) -> Claimed | None:
        taken = await self.writer.do(Claim(rollout, owner))
        if taken is None:
            return None
        return Claimed(
            info=taken.info,
            epoch=taken.epoch,
            urgent=taken.urgent,
            events=await _events(taken.rows),
            pending=taken.pending,
        )

    async def release(self, rollout: str, epoch: int) -> None:
        await self.writer.do(Release(rollout, epoch))

    async def renew(self, owner: str, rollouts: Sequence[str]) -> Collection[str]:
        return await self.writer.do(Renew(owner, rollouts))

    async def claim_all_stale(self) -> int:
        """Ends the leases of a process that has died; only for the holder of the data folder's lock."""
        return await self.writer.do(FreeLeases())

    async def forget_old_keys(self) -> int:
        """Forgets idempotency keys that are older than a week; how many there were."""
        return await self.writer.do(ForgetKeys(self.writer.now() - KEPT_MICROSECONDS))

    async def queue(self, rollout: str) -> Queue:
        return await self.writer.do(ReadQueue(rollout))

    async def events(self, rollout: str, after: int) -> Sequence[Event]:
        return await _events(await self.writer.do(ReadEvents(rollout, after)))

    async def append(self, append: Append) -> Appended | Lost | OverBudget:
        return await self.writer.do(AppendEvents(append))

    async def facts(self, rollout: str, agents: Collection[str]) -> Facts:
        return await self.writer.do(ReadFacts(rollout, agents))

    async def runnable(self, owner: str) -> Sequence[str]:
        return await self.writer.do(Runnable(owner))

    async def pin(self, sha256: str, text: str) -> None:
        await self.writer.do(KeepPin(sha256, text))

    async def pinned(self, sha256: str) -> str | None:
        return await self.writer.do(ReadPin(sha256))

    async def memories(self, scope: MemoryScope) -> Sequence[Memory]:
        return await self.writer.do(ReadMemories(scope))

    async def search_memories(self, scope: MemoryScope, text: str) -> Sequence[Memory]:
        return await self.writer.do(ReadMemories(scope, text))

    async def memory_values(self, project: str, refs: Collection[MemoryRef]) -> Values:
        return await self.writer.do(ReadMemoryValues(project, refs)) if refs else NO_VALUES

    async def change_memory(self, write: MemoryWrite) -> bool:
        return await self.writer.do(ChangeMemory(write))

    async def erase_memories(self, project: str, owner: str, keys: Collection[tuple[str, str]] | None = None) -> int:
        return await self.writer.do(EraseMemories(project, owner, keys))

    async def artifact(self, rollout: str, artifact_id: str) -> str | None:
        return await self.writer.do(ReadArtifact(rollout, artifact_id))


async def _events(rows: Sequence[Sequence[Any]]) -> Sequence[Event]:
    """Parses stored rows; many of them in a thread, so that the loop goes on."""
    if len(rows) <= INLINE_EVENTS:
        return [event_of(row) for row in rows]
    return await asyncio.to_thread(lambda: [event_of(row) for row in rows])
