"""What should be running now, as data. `key` is an effect's identity: the same key is the same piece of work."""

from dataclasses import dataclass

from runtime.domain.events import ResultStatus
from runtime.domain.state import Call
from runtime.domain.tool import ToolSpec


@dataclass(frozen=True, slots=True)
class CallModel:
    """One attempt of a step. `not_before` in microseconds: a backoff; 0 = at once.

    `captures`: it asks what to keep of the turn.
    `compacts_to`: it is to summarise the turns up to that seq; 0 = it is to answer.
    """

    step: int
    attempt: int
    model: str
    withhold: bool
    not_before: int = 0
    captures: bool = False
    compacts_to: int = 0

    @property
    def key(self) -> str:
        return f"model:{self.step}:{self.attempt}"


@dataclass(frozen=True, slots=True)
class Recall:
    """The memory that the step which begins now is shown: of its owner, by patterns of keys for each namespace."""

    owner: str
    patterns: tuple[tuple[str, tuple[str, ...]], ...]
    max_tokens: int

    @property
    def key(self) -> str:
        return "recall"


@dataclass(frozen=True, slots=True)
class RunTool:
    """A call to run. If it may not `begin`, it goes on only where it already runs."""

    call: Call
    begin: bool = True

    @property
    def key(self) -> str:
        return f"tool:{self.call.id}"


@dataclass(frozen=True, slots=True)
class Compensate:
    """A call whose effect is to be undone by that tool."""

    call: Call
    tool: ToolSpec

    @property
    def key(self) -> str:
        return f"undo:{self.call.id}"


@dataclass(frozen=True, slots=True)
class Respond:
    """The agent that called this one is to have its answer. `status` tells how the call ended."""

    content: str
    status: ResultStatus

    @property
    def key(self) -> str:
        return "respond"


@dataclass(frozen=True, slots=True)
class Complete:
    """The work has come to a final state, and nothing of it is open."""

    state: str

    @property
    def key(self) -> str:
        return "complete"


@dataclass(frozen=True, slots=True)
class Fail:
    """Nothing more can be tried: record it."""

    error: str

    @property
    def key(self) -> str:
        return "fail"


Effect = CallModel | Recall | RunTool | Compensate | Respond | Complete | Fail
