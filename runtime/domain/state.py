"""What a trajectory means: events folded into a state, one at a time, each in O(1).

What changes with each event is a NamedTuple: `_replace` costs a sixth of what it costs on a frozen dataclass, and a
turn makes some fifty of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from runtime.domain.dealings import Dealings
from runtime.domain.events import (
    AgentInvocation,
    AgentOutput,
    ApprovalDecision,
    ApprovalRequest,
    ApprovalWhy,
    Called,
    CallMode,
    LimitKind,
    MemoryRecalled,
    RolloutStarted,
    StepCompleted,
    ToolRequest,
    ToolResult,
    ToolRole,
)
from runtime.domain.ownership import Ownership
from runtime.domain.readings import NO_READINGS, Readings
from runtime.domain.recollections import Granted, Recalled, Recollections
from runtime.domain.totals import Totals
from runtime.domain.trajectory import Chain, Event

CALLER = "caller"
"""Whom the plain text of a sub-agent is for, in place of a person."""


class Call(NamedTuple):
    """One request of the model.

    `repeats` counts the same call with the same arguments in a row, this one included. `run_again`: it has its result
    (unknown), and a person wants it run once more. `made`: what it is recorded as, if not as a tool's request.
    `question`: what a person is asked about it; `approved_by`: the sources of those who have approved so far;
    `decision`: what released it. `role`, `running` and `why`: its fallback runs in its place, since it failed so.
    """

    id: str
    step: int
    request: ToolRequest
    seq: int
    repeats: int = 1
    attempt: int = 0
    is_started: bool = False
    run_again: bool = False
    result: ToolResult | None = None
    made: Called | None = None
    question: ApprovalRequest | None = None
    approved_by: tuple[str, ...] = ()
    decision: ApprovalDecision | None = None
    role: ToolRole = ToolRole.CALL
    running: str = ""
    why: str = ""

    @property
    def tool(self) -> str:
        """The name that the model called."""
        return self.request.tool

    @property
    def runs(self) -> str:
        """The name of the tool that runs for it."""
        return self.running or self.request.tool

    @property
    def args(self) -> dict[str, Any]:
        """The arguments that it runs with: the model's own, or as a person has edited them."""
        if self.decision is not None and self.decision.edited_args is not None:
            return self.decision.edited_args
        return self.request.args or {}

    @property
    def is_open(self) -> bool:
        return self.result is None

    @property
    def is_async(self) -> bool:
        return self.request.mode is CallMode.ASYNC

    @property
    def is_asked(self) -> bool:
        return self.question is not None

    @property
    def is_gated(self) -> bool:
        """Whether it waits for leave, so that nothing of it has run yet."""
        return self.question is not None and self.question.why is not ApprovalWhy.UNKNOWN_OUTCOME

    @property
    def child(self) -> str:
        """The rollout that it has invoked."""
        return self.made.child_rollout if isinstance(self.made, AgentInvocation) else ""

    @property
    def waits(self) -> bool:
        """Whether it is open and nothing runs for it here: it waits for a person or for another agent."""
        return self.is_open and (self.is_asked or self.made is not None)


class Step(NamedTuple):
    """The step in hand. Not `in_flight`: its last attempt was aborted, and it will be tried again.

    `captures`: it is no answer, but asks what to keep of the turn.
    """

    number: int
    attempt: int
    seen: int
    model: str
    withheld: bool
    in_flight: bool = True
    reserved_tokens: int = 0
    reserved_usd: float = 0.0
    captures: bool = False
    compacts_to: int = 0


class Turn(NamedTuple):
    """Counts of the turn. `input`, `user` and `user_id` are the newest person's words, name and public id.

    `input` is an object where a session began with one.

    `hops`: how many messages went from agent to agent since a person spoke.
    """

    start: int = 0
    steps: int = 0
    tool_calls: int = 0
    limit: LimitKind | None = None
    input: str | dict[str, Any] = ""
    user: str = ""
    user_id: str = ""
    hops: int = 0


@dataclass(frozen=True, slots=True)
class Stop:
    """A bare stop that has not been dealt with."""

    seq: int
    respond: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt of the step in hand. Times in microseconds."""

    model: str
    retryable: bool
    at: int
    retry_at: int
    error: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a step was shown that the one before was not: closed or receipted calls in call order, then events.

    `until`, of every node of the history: the seq of the event that put it there.
    """

    calls: tuple[Call, ...]
    events: tuple[Event, ...]
    previous_answer: str = ""
    until: int = 0

    @property
    def opens_turn(self) -> bool:
        """Whether nothing before it is left half done: no result of a call, and no answer that was cut off."""
        is_cut = any(isinstance(event.payload, AgentOutput) for event in self.events)
        return bool(self.events) and not self.calls and not is_cut


@dataclass(frozen=True, slots=True)
class Replied:
    """What the model answered in one step."""

    events: tuple[Event, ...]
    calls: tuple[Call, ...]
    completed: StepCompleted
    until: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """What the model wrote in place of the oldest turns."""

    content: str
    until: int = 0


Node = Shown | Replied | Summary


class State(NamedTuple):
    """All that the runtime needs in order to go on.

    `waking` = seq of the newest event that the model must answer; `answered` = seq up to which it has; `fresh` = seq of
    the newest message (not a result). `batch` = calls of the last step until they have been shown; `detached` = calls
    that go on behind a receipt, or about which a person is still asked. `done` = calls that had an effect, as far as is
    known. `is_cut`: something urgent came since the last step began, so the model does not wait for what is still open.
    `sources`: the tools whose results have come, each with the first such call; `readings`: what else was read.
    `captured`: where the turn began of which it was asked last what to keep. `history_tokens` is an estimate;
    `compacted_at` = what it was after the last attempt to make the history shorter; `is_incompressible`: that attempt
    was in vain.
    """

    last: Event | None = None
    started: RolloutStarted | None = None
    ended: str = ""
    failed: str = ""
    paused: bool = False
    paused_by: str = ""
    pause_reason: str = ""
    history: Chain[Node] = Chain()
    history_tokens: int = 0
    compactions: int = 0
    compacted_at: int = 0
    is_incompressible: bool = False
    unseen: Chain[Event] = Chain()
    reply: tuple[Event, ...] = ()
    calling: tuple[Call, ...] = ()
    batch: tuple[Call, ...] = ()
    batch_is_final: bool = False
    detached: tuple[Call, ...] = ()
    is_cut: bool = False
    step: Step | None = None
    next_step: int = 0
    seen: int = 0
    waking: int = 0
    answered: int = 0
    fresh: int = 0
    stop: Stop | None = None
    turn: Turn = Turn()
    repeated: tuple[str, int] = ("", 0)
    failures: tuple[Failure, ...] = ()
    refused_tools: frozenset[str] = frozenset()
    empties: int = 0
    corrections: int = 0
    done: Chain[Call] = Chain()
    dealings: Dealings = Dealings()
    ownership: Ownership = Ownership()
    recalled: Recalled | None = None
    recollections: Recollections = Recollections()
    granted: Granted = Granted()
    sources: Mapping[str, str] = {}
    readings: Readings = NO_READINGS
    captured: int = 0
    totals: Totals = Totals()

    @property
    def seq(self) -> int:
        return 0 if self.last is None else self.last.seq

    @property
    def at(self) -> int:
        return 0 if self.last is None else self.last.at

    @property
    def is_speaking(self) -> bool:
        """Whether a model call is in flight."""
        return self.step is not None and self.step.in_flight

    @property
    def open_batch(self) -> tuple[Call, ...]:
        """Synchronous calls that the model still waits for."""
        return tuple(call for call in self.batch if call.is_open and not call.is_async)

    @property
    def open_calls(self) -> tuple[Call, ...]:
        """All calls without a result, oldest first."""
        return tuple(call for call in (*self.detached, *self.batch) if call.is_open)

    @property
    def owes_answer(self) -> bool:
        """Whether something that wakes the model has not been answered."""
        return self.waking > self.answered

    @property
    def speaks_to_people(self) -> bool:
        """Whether plain text is for the people whose events opened the turn, and not for the agent that called."""
        is_called = self.started is not None and bool(self.started.parent)
        return not (is_called and self.turn.hops)

    @property
    def injected(self) -> MemoryRecalled | None:
        """The memory that prompts have now: what was recalled in this turn, for its owner."""
        now = self.recalled
        is_current = now is not None and now.turn == self.turn.start and now.since == self.ownership.since
        return now.memory if now is not None and is_current else None

    @property
    def next_shown(self) -> Shown:
        """What the next step will be shown that the one before was not."""
        previous = self.started.previous_answer if self.started is not None and len(self.history) == 0 else ""
        return Shown(self.batch, tuple(self.unseen), previous)

    def dealing(self, **changes: Any) -> "State":
        """The state with its dealings changed."""
        return self._replace(dealings=self.dealings._replace(**changes))

    def call(self, call_id: str) -> Call | None:
        """A call that is not done with: of the batch, or detached."""
        return next((call for call in (*self.batch, *self.detached) if call.id == call_id), None)

    def with_call(self, call_id: str, **changes: Any) -> "State":
        """The state with that call changed, wherever it is kept."""
        return self._replace(
            batch=_changed(self.batch, call_id, changes),
            detached=_changed(self.detached, call_id, changes),
        )


def _changed(calls: tuple[Call, ...], call_id: str, changes: dict[str, Any]) -> tuple[Call, ...]:
    return tuple(call._replace(**changes) if call.id == call_id else call for call in calls)
