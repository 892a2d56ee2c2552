"""The reference store: everything in memory, with the same promises as the database's but durability."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from runtime.domain.facts import Facts, Peer, Person, Published, StandingGrant
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
    OverBudget,
    Projection,
    Queue,
    QueueFull,
    RolloutEnded,
    RolloutInfo,
)
from runtime.stores.memories import InProcessMemories

MAX_PENDING = 200  # of messages; and as many stops and other control
LEASE_US = 6_000_000
ENDED = frozenset({"completed", "cancelled"})


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

    @property
    def has_ended(self) -> bool:
        return self.projection.lifecycle in ENDED

    @property
    def due_at(self) -> int | None:
        """When it has something to do: 0 = now, None = nothing."""
        shown = self.projection
        if self.has_ended:
            return shown.wake_at or None
        if shown.lifecycle == "paused":
            return 0 if any(item.payload.is_pressing for item in self.pending) else None
        if self.pending or shown.lifecycle == "running":
            return 0
        return min(
            (at for at in (shown.wake_at, shown.waiting_until * (shown.waiting_for == "model")) if at), default=None
        )


class InProcessStore(InProcessMemories):
    """Where trajectories and pending queues live, for tests and for agents inside one program.

    `facts` tells of `grants`, `published`, `people` and `interruptible` (pairs of agents): whoever uses it fills them.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__()
        self._now = now
        self.rows: dict[str, Row] = {}
        self.positions: dict[str, int] = {}
        self.pins: dict[str, str] = {}
        self.grants: list[StandingGrant] = []
        self.published: dict[str, Published] = {}
        self.people: list[Person] = []
        self.interruptible: set[tuple[str, str]] = set()
        self._keys: dict[tuple[str, str, str], tuple[str, str, str]] = {}
        self._order = 0

    async def create(self, new: NewRollout) -> None:
        self._create(new)

    async def accept(self, arrival: Arrival) -> Accepted:
        await asyncio.sleep(0)
        key = (arrival.sender, arrival.route, arrival.key)
        if arrival.key and key in self._keys:
            event_id, rollout, body = self._keys[key]
            if body != arrival.body_sha256:
                raise KeyReused
            return Accepted(event_id, rollout, repeated=True)
        row = self._row(arrival.rollout)
        if row.has_ended:
            raise RolloutEnded(arrival.rollout)
        kept = [item for item in row.pending if item.id != arrival.replaces]
        if sum(item.payload.is_pressing == arrival.payload.is_pressing for item in kept) >= MAX_PENDING:
            raise QueueFull(MAX_PENDING)
        row.pending = kept
        self._enqueue(row, arrival)
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

    async def append(self, append: Append) -> Appended | Lost | OverBudget:
        await asyncio.sleep(0)
        row = self._row(append.rollout)
        next_seq = len(row.events) + 1
        holds = (row.epoch, row.urgent, next_seq) == (append.epoch, append.urgent, append.events[0].seq)
        is_surprised = append.waiting not in (None, len(row.pending))
        are_pending = {item.id for item in row.pending}.issuperset(append.taken)
        # it must not end over an event that was accepted meanwhile
        deserts = append.projection.lifecycle in ENDED and len(row.pending) > len(append.taken)
        if not holds or is_surprised or deserts or not are_pending or not self.follows(append.writes):
            return Lost(row.epoch, row.urgent, next_seq)
        if append.within_budget and (over := self._over_budget(row, append.projection)):
            return over
        first_pos = self._place(row, append.events)
        row.pending = [item for item in row.pending if item.id not in append.taken]
        row.projection = append.projection
        self.write(append.writes)
        row.artifacts |= {artifact.id: artifact.text for artifact in append.artifacts}
        for child in append.children:
            self._create(child)
        for send in append.sends:
            self._send(send)
        return Appended(first_pos)

    async def facts(self, rollout: str, agents: Collection[str]) -> Facts:
        mine = self._row(rollout).info
        peers = (
            Peer(row.info.rollout, row.info.agent, row.info.parent, (mine.agent, row.info.agent) in self.interruptible)
            for row in self.rows.values()
            if row.info.session == mine.session and row.info.rollout != rollout and not row.has_ended
        )
        known = {name: self.published[name] for name in agents if name in self.published}
        return Facts(tuple(self.grants), known, tuple(peers), tuple(self.people))

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

    def _create(self, new: NewRollout) -> None:
        self.rows[new.info.rollout] = Row(new.info, [], new.projection)
        self._place(self.rows[new.info.rollout], [new.started])

    def _send(self, send: Arrival) -> None:
        row = self.rows.get(send.rollout)
        is_known = bool(send.key) and (send.sender, send.route, send.key) in self._keys
        if row is not None and not row.has_ended and not is_known:
            self._enqueue(row, send)

    def _enqueue(self, row: Row, arrival: Arrival) -> None:
        self._order += 1
        row.pending.append(Pending(arrival.id, arrival.payload, arrival.source, self._now(), self._order))
        row.urgent += arrival.payload.is_urgent
        if arrival.artifact is not None:
            row.artifacts[arrival.artifact.id] = arrival.artifact.text
        row.artifacts |= {file.id: file.text for file in arrival.files}
        if arrival.key:
            key = (arrival.sender, arrival.route, arrival.key)
            self._keys[key] = (arrival.id, arrival.rollout, arrival.body_sha256)

    def _place(self, row: Row, events: Sequence[Event]) -> int:
        first = self.positions.get(row.info.session, 0) + 1
        row.events.extend(event.at_pos(first + offset) for offset, event in enumerate(events))
        self.positions[row.info.session] = first + len(events) - 1
        return first

    def _is_runnable(self, row: Row, owner: str) -> bool:
        if row.owner not in ("", owner) and row.lease_until > self._now():
            return False
        return row.due_at is not None and row.due_at <= self._now()

    def _over_budget(self, row: Row, next_: Projection) -> OverBudget | None:
        """Why the tree's budget does not hold the rollout as it would be shown next; None if it does."""
        root = self.rows[row.info.root or row.info.rollout]
        limits = next_ if root is row else root.projection
        tree = [self._used(other.projection) for other in self._tree(root)]
        tokens, usd = sum(used[0] for used in tree), sum(used[1] for used in tree)
        before, after = self._used(row.projection), self._used(next_)
        if limits.budget_tokens and tokens + after[0] - before[0] > limits.budget_tokens:
            return OverBudget("budget.tokens", tokens, limits.budget_tokens)
        if limits.budget_usd and round(usd + after[1] - before[1], 9) > limits.budget_usd:
            return OverBudget("budget.usd", round(usd, 9), limits.budget_usd)
        return None

    def _tree(self, root: Row) -> Iterator[Row]:
        return (row for row in self.rows.values() if root.info.rollout in (row.info.rollout, row.info.root))

    @staticmethod
    def _used(shown: Projection) -> tuple[int, float]:
        """Tokens and USD that the rollout has spent and set aside."""
        return shown.tokens_in + shown.tokens_out + shown.reserved_tokens, shown.cost_usd + shown.reserved_usd
