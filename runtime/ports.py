"""What the engine needs from the world: Protocols, and the data that crosses them."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.domain.artifact import NewArtifact
from runtime.domain.errors import RuntimeFault
from runtime.domain.events import Payload
from runtime.domain.pending import Pending
from runtime.domain.tool import ToolSpec
from runtime.domain.trajectory import Event

# ---------------------------------------------------------------------------------------------------- clock


class Clock(Protocol):
    """Wall clock and waiting. Times are microseconds since 1970, UTC."""

    def now(self) -> int: ...

    async def sleep(self, seconds: float) -> None: ...


# ---------------------------------------------------------------------------------------------------- model


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model.

    `messages` are neutral: `{"role": "system"|"user"|"assistant"|"tool", "content": str}`; an assistant message may
    carry `tool_calls: [{"id": "3.0", "name": str, "arguments": str}]` and `opaque` with `family` (see StepCompleted);
    a tool message carries `tool_call_id: "3.0"`. Call ids are `STEP.INDEX`: an adapter makes wire ids of them.
    Message objects are shared between requests and must not be changed.
    `tools` are `ToolSpec.offered()`; `withhold_tools` means tool_choice none with the same list.
    `settings` are the agent file's model_settings (temperature, max_tokens, reasoning_effort, seed, timeout).
    """

    model: str
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    withhold_tools: bool = False
    stream: bool = True
    project: str = ""


@dataclass(frozen=True, slots=True)
class OutputDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of the model's visible reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of one tool call. `index` counts the calls of this answer from 0; name comes with the first piece."""

    index: int
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """The last chunk of every complete answer. Counts are None where the provider does not tell; cost None = unknown.

    `finish_reason`: stop, tool_calls, length, refusal (content filter) or other.
    `opaque`: what the provider needs back verbatim with this answer (signed reasoning), for models of `family` only.
    """

    finish_reason: str = "stop"
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None
    cost_usd: float | None = None
    opaque: Any = None
    family: str = ""


Chunk = OutputDelta | ThoughtDelta | CallDelta | Finished


class ModelError(RuntimeFault):
    """A model call that failed.

    `sentence` says it in plain words, with what to do. `kind`: rate_limit, overloaded, connection, timeout, cut_off,
    authentication, not_found, bad_request, context_too_long, tool_schema, refused, unknown.
    `retry_after_seconds` is the provider's wish. `tool` and `field` name the schema that a provider refused.
    """

    def __init__(
        self,
        sentence: str,
        *,
        kind: str,
        retryable: bool,
        retry_after_seconds: float | None = None,
        tool: str = "",
        field: str = "",
    ) -> None:
        super().__init__(sentence)
        self.sentence, self.kind, self.retryable = sentence, kind, retryable
        self.retry_after_seconds, self.tool, self.field = retry_after_seconds, tool, field

    def __str__(self) -> str:
        return self.sentence


class Model(Protocol):
    """Code that speaks to a model API."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The answer piece by piece, ending in `Finished`; an iterator that ends without it was cut off.

        Raises ModelError. Cancelling the task that iterates closes the connection to the provider.
        """
        ...


# ---------------------------------------------------------------------------------------------------- tools


class Artifacts(Protocol):
    """Large texts kept beside one rollout."""

    async def read(self, artifact_id: str, offset: int, limit: int) -> tuple[str, int] | None:
        """Text from `offset` (code points), and the whole length; None if there is no such artifact here."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool may know. `key` is the idempotency key of the call, the same over all attempts."""

    rollout: str
    session: str
    project: str
    call_id: str
    key: str
    attempt: int
    spec: ToolSpec
    artifacts: Artifacts
    progress: Callable[[int | None, int | None, str], None] = lambda done, total, note: None


class ToolFailed(RuntimeFault):
    """A tool that could not do it. `sentence` is told to the model. Retryable unless it says not."""

    def __init__(self, sentence: str, *, retryable: bool = True) -> None:
        super().__init__(sentence)
        self.sentence, self.retryable = sentence, retryable


class NothingDone(ToolFailed):
    """Raised by a cancelled write tool that can prove that it had no effect."""


class Tool(Protocol):
    """A capability with a JSON Schema."""

    @property
    def spec(self) -> ToolSpec: ...

    async def run(self, args: Mapping[str, Any], context: ToolContext) -> str:
        """The result as text for the model (JSON where it is data). Arguments are valid against the schema.

        Raises ToolFailed. Stops within 1 s when cancelled.
        """
        ...


# ---------------------------------------------------------------------------------------------------- store


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


@dataclass(frozen=True, slots=True)
class Accepted:
    """`repeated`: the key was used before, with the same body; `id` is the first one's."""

    id: str
    rollout: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Projection:
    """What lists show of a rollout; written with each append, equal to the fold of what is stored (promise 12)."""

    lifecycle: str
    waiting_for: str = ""
    waiting_until: int = 0
    events: int = 0  # without lifecycle records
    records: int = 0  # lifecycle records
    steps: int = 0
    tool_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cost_known: bool = True
    last_text: str = ""
    tape: str = ""  # a letter an event, the last 60: see domain/totals.py
    business_state: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class RolloutInfo:
    """What never changes about a rollout while one owner has it."""

    rollout: str
    session: str
    project: str
    agent: str
    version: int
    agent_text: str


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
    """

    rollout: str
    epoch: int
    urgent: int
    events: Sequence[Event]  # seq and hashes filled in; pos is given by the store
    taken: Sequence[str]  # ids of pending events that these are
    projection: Projection
    artifacts: Sequence[NewArtifact] = ()
    waiting: int | None = None


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


class QueueFull(RuntimeFault):
    """Too many events wait for one rollout."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} messages wait for this agent already. Wait until it has read some, then send again."


class KeyReused(RuntimeFault):
    """The same idempotency key with another body."""

    def __str__(self) -> str:
        return "this Idempotency-Key was used before with another body; send the same body, or a new key"


class NoSuchRollout(RuntimeFault):
    """There is no rollout of that id (any more)."""

    def __init__(self, rollout: str) -> None:
        self.rollout = rollout

    def __str__(self) -> str:
        return f"there is no rollout {self.rollout}"


class RolloutEnded(RuntimeFault):
    """The rollout was completed or cancelled: a message needs a new one."""

    def __init__(self, rollout: str) -> None:
        self.rollout = rollout

    def __str__(self) -> str:
        return f"rollout {self.rollout} has ended and takes no more events; send the message to a new rollout"


@dataclass(frozen=True, slots=True)
class NewRollout:
    """A rollout to make, with its first event (`rollout.started`, seq 1)."""

    info: RolloutInfo
    started: Event
    projection: Projection


class Store(Protocol):
    """Where trajectories and pending queues live. Every method is one transaction."""

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

    async def append(self, append: Append) -> Appended | Lost: ...

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


# ---------------------------------------------------------------------------------------------------- hub


class Hub(Protocol):
    """Publishes to readers. Never waits for a reader, never raises."""

    def recorded(self, info: RolloutInfo, events: Sequence[Event], projection: Projection) -> None:
        """Events that are in the trajectory now, with their pos."""
        ...

    def delta(self, info: RolloutInfo, step: int, attempt: int, block: int, offset: int, kind: str, text: str) -> None:
        """A piece of a half-made answer. `kind`: output, thought, args. `offset` in code points within the block."""
        ...

    def progress(self, info: RolloutInfo, call_id: str, done: int | None, total: int | None, note: str) -> None: ...

    def queued(self, rollout: str) -> None:
        """The pending queue of this rollout grew or shrank."""
        ...
