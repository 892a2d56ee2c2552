"""The port for trajectories and pending queues, and what crosses it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from runtime.domain.artifact import NewArtifact
from runtime.domain.events import Payload
from runtime.domain.facts import Facts
from runtime.domain.memory import MemoryWrite
from runtime.domain.pending import Pending
from runtime.domain.trajectory import Event
from runtime.ports.memory import MemoryStore
from runtime.ports.rollout import Projection, RolloutInfo


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event to accept. `key` is good once per `sender` and `route`; `body_sha256` tells another body."""

    rollout: str
    payload: Payload
    source: str
    id: str
    sender: str = ""
    route: str = ""
    key: str = ""
    body_sha256: str = ""
    replaces: str = ""  # a pending event of the same rollout that this one takes the place of
    artifact: NewArtifact | None = None
    files: Sequence[NewArtifact] = ()  # what came with the message


@dataclass(frozen=True, slots=True)
class Accepted:
    """`repeated`: the key was used before, with the same body; `id` is the first one's."""

    id: str
    rollout: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Claimed:
    """A rollout taken under a new epoch, with all that is needed to go on."""

    info: RolloutInfo
    epoch: int
    urgent: int
    events: Sequence[Event]
    pending: Sequence[Pending]


@dataclass(frozen=True, slots=True)
class Queue:
    """The rollout's row and its pending queue, read together."""

    epoch: int
    urgent: int
    next_seq: int
    pending: Sequence[Pending]


@dataclass(frozen=True, slots=True)
class Append:
    """Events to record, all or none, behind the fence (next_seq, epoch, urgent).

    `waiting`: how many pending events the owner knows of, those in `taken` included; Lost if the queue holds another
    number, so that nothing begins that does not see what was accepted before. None = it does not matter.
    `children` are made, and `sends` accepted in other rollouts of the session (children first), in the same
    transaction; a rollout that has ended takes none, a full queue is no hindrance. `within_budget`: OverBudget if
    the tree's budget does not hold what the projection reserves. `writes` go to people's memories with the events that
    record them; Lost if one of them does not follow the newest version of its key.
    """

    rollout: str
    epoch: int
    urgent: int
    events: Sequence[Event]  # seq and hashes filled in; pos is given by the store
    taken: Sequence[str]  # ids of pending events that these are
    projection: Projection
    artifacts: Sequence[NewArtifact] = ()
    waiting: int | None = None
    children: Sequence["NewRollout"] = ()
    sends: Sequence[Arrival] = ()
    within_budget: bool = False
    writes: Sequence[MemoryWrite] = ()


@dataclass(frozen=True, slots=True)
class Appended:
    """`first_pos` is the pos of the first of the events; the others follow without a gap."""

    first_pos: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The fence did not hold: the row's values now."""

    epoch: int
    urgent: int
    next_seq: int


@dataclass(frozen=True, slots=True)
class OverBudget:
    """The budget of the tree does not hold what was to be reserved. `used` includes what others have reserved."""

    what: Literal["budget.tokens", "budget.usd"]
    used: float
    limit: float


@dataclass(frozen=True, slots=True)
class NewRollout:
    """A rollout to make, with its first event (`rollout.started`, seq 1)."""

    info: RolloutInfo
    started: Event
    projection: Projection


class Store(MemoryStore, Protocol):
    """Where trajectories, pending queues and memories live. Every method is one transaction."""

    async def create(self, new: NewRollout) -> None: ...

    async def accept(self, arrival: Arrival) -> Accepted:
        """Commit to the pending queue; raises `urgent` on the row for an event that cancels work.

        Raises NoSuchRollout, QueueFull, KeyReused.
        """
        ...

    async def withdraw(self, rollout: str, pending_id: str) -> bool:
        """Take an event back out of the queue; False if it is not there any more."""
        ...

    async def claim(self, rollout: str, owner: str) -> Claimed | None:
        """Take the lease with a new epoch; None if another owner's lease stands. Raises NoSuchRollout."""
        ...

    async def release(self, rollout: str, epoch: int) -> None:
        """Hand the lease back, if the epoch is still ours."""
        ...

    async def renew(self, owner: str, rollouts: Sequence[str]) -> Collection[str]:
        """Prolong the leases that this owner still has; those."""
        ...

    async def queue(self, rollout: str) -> Queue: ...

    async def events(self, rollout: str, after: int) -> Sequence[Event]:
        """The events with a seq over `after`, in order."""
        ...

    async def append(self, append: Append) -> Appended | Lost | OverBudget: ...

    async def facts(self, rollout: str, agents: Collection[str]) -> Facts:
        """What is to be known now beside the trajectory; `agents` by their newest published version, if they have one.

        Grants that were revoked are left out; peers are the session's rollouts that have not ended.
        """
        ...

    async def runnable(self, owner: str) -> Sequence[str]:
        """Rollouts that have something to do (pending events, running, a due retry) and no other living owner.

        Some at a time: first those that nobody runs, so that what this owner runs already is not in their way.
        """
        ...

    async def pin(self, sha256: str, text: str) -> None:
        """Keep a text that trajectories name by its hash (tool lists); known ones are left alone."""
        ...

    async def pinned(self, sha256: str) -> str | None: ...

    async def artifact(self, rollout: str, artifact_id: str) -> str | None: ...
