"""The reference store: everything in memory, with the same promises as the database's but durability."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from runtime.domain.pending import Pending
from runtime.domain.trajectory import Event
from runtime.ports import (
    Accepted,
    Append,
    Appended,
    Arrival,
    Claimed,
    KeyReused,
    Lost,
    NewRollout,
    NoSuchRollout,
    Projection,
    Queue,
    QueueFull,
    RolloutEnded,
    RolloutInfo,
)

MAX_PENDING = 200  # of messages; and as many stops and other control
LEASE_US = 6_000_000


@dataclass(slots=True)
class Row:
    """One rollout as the store keeps it."""

    info: RolloutInfo
    events: list[Event]
    projection: Projection
    epoch: int = 0
    urgent: int = 0
    owner: str = ""
    lease_until: int = 0
    pending: list[Pending] = field(default_factory=list)
    artifacts: dict[str, str] = field(default_factory=dict)


class InProcessStore:
    """Where trajectories and pending queues live, for tests and for agents inside one program."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.rows: dict[str, Row] = {}
        self.positions: dict[str, int] = {}
        self.pins: dict[str, str] = {}
        self._keys: dict[tuple[str, str, str], tuple[str, str, str]] = {}
        self._order = 0

    async def create(self, new: NewRollout) -> None:
        self.rows[new.info.rollout] = Row(new.info, [], new.projection)
        self._place(self.rows[new.info.rollout], [new.started])

    async def accept(self, arrival: Arrival) -> Accepted:
        await asyncio.sleep(0)
        key = (arrival.sender, arrival.route, arrival.key)
        if arrival.key and key in self._keys:
            event_id, rollout, body = self._keys[key]
            if body != arrival.body_sha256:
                raise KeyReused
            return Accepted(event_id, rollout, repeated=True)
        row = self._row(arrival.rollout)
        if row.projection.lifecycle in ("completed", "cancelled"):
            raise RolloutEnded(arrival.rollout)
        kept = [item for item in row.pending if item.id != arrival.replaces]
        if sum(item.payload.is_pressing == arrival.payload.is_pressing for item in kept) >= MAX_PENDING:
            raise QueueFull(MAX_PENDING)
        self._order += 1
        row.pending = [*kept, Pending(arrival.id, arrival.payload, arrival.source, self._now(), self._order)]
        row.urgent += arrival.payload.is_urgent
        if arrival.artifact is not None:
            row.artifacts[arrival.artifact.id] = arrival.artifact.text
        if arrival.key:
            self._keys[key] = (arrival.id, arrival.rollout, arrival.body_sha256)
        return Accepted(arrival.id, arrival.rollout)

    async def withdraw(self, rollout: str, pending_id: str) -> bool:
        row = self._row(rollout)
        kept = [item for item in row.pending if item.id != pending_id]
        was_there, row.pending = len(kept) < len(row.pending), kept
        return was_there

    async def claim(self, rollout: str, owner: str) -> Claimed | None:
        row = self._row(rollout)
        if row.owner not in ("", owner) and row.lease_until > self._now():
            return None
        row.owner, row.lease_until, row.epoch = owner, self._now() + LEASE_US, row.epoch + 1
        return Claimed(row.info, row.epoch, row.urgent, list(row.events), list(row.pending))

    async def release(self, rollout: str, epoch: int) -> None:
        row = self._row(rollout)
        if row.epoch == epoch:
            row.owner, row.lease_until = "", 0

    async def renew(self, owner: str, rollouts: Sequence[str]) -> Collection[str]:
        kept = [rollout for rollout in rollouts if rollout in self.rows and self.rows[rollout].owner == owner]
        for rollout in kept:
            self.rows[rollout].lease_until = self._now() + LEASE_US
        return kept

    async def queue(self, rollout: str) -> Queue:
        await asyncio.sleep(0)
        row = self._row(rollout)
        return Queue(row.epoch, row.urgent, len(row.events) + 1, list(row.pending))

    async def events(self, rollout: str, after: int) -> Sequence[Event]:
        return self._row(rollout).events[after:]

    async def append(self, append: Append) -> Appended | Lost:
        await asyncio.sleep(0)
        row = self._row(append.rollout)
        next_seq = len(row.events) + 1
        holds = (row.epoch, row.urgent, next_seq) == (append.epoch, append.urgent, append.events[0].seq)
        is_surprised = append.waiting not in (None, len(row.pending))
        are_pending = {item.id for item in row.pending}.issuperset(append.taken)
        if not holds or is_surprised or not are_pending:
            return Lost(row.epoch, row.urgent, next_seq)
        first_pos = self._place(row, append.events)
        row.pending = [item for item in row.pending if item.id not in append.taken]
        row.projection = append.projection
        row.artifacts |= {artifact.id: artifact.text for artifact in append.artifacts}
        return Appended(first_pos)

    async def runnable(self, owner: str) -> Sequence[str]:
        found = [rollout for rollout, row in self.rows.items() if self._is_runnable(row, owner)]
        return sorted(found, key=lambda rollout: self.rows[rollout].owner == owner)

    async def pin(self, sha256: str, text: str) -> None:
        self.pins.setdefault(sha256, text)

    async def pinned(self, sha256: str) -> str | None:
        return self.pins.get(sha256)

    async def artifact(self, rollout: str, artifact_id: str) -> str | None:
        return self._row(rollout).artifacts.get(artifact_id)

    def _row(self, rollout: str) -> Row:
        try:
            return self.rows[rollout]
        except KeyError:
            raise NoSuchRollout(rollout) from None

    def _place(self, row: Row, events: Sequence[Event]) -> int:
        first = self.positions.get(row.info.session, 0) + 1
        row.events.extend(event.at_pos(first + offset) for offset, event in enumerate(events))
        self.positions[row.info.session] = first + len(events) - 1
        return first

    def _is_runnable(self, row: Row, owner: str) -> bool:
        if row.owner not in ("", owner) and row.lease_until > self._now():
            return False
        shown = row.projection
        if shown.lifecycle == "paused":
            return any(item.payload.is_pressing for item in row.pending)
        is_due = shown.waiting_for == "model" and shown.waiting_until <= self._now()
        return bool(row.pending) or shown.lifecycle == "running" or is_due
