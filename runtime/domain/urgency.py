"""How pending events get into the trajectory: queued, cancelling or immediate (`runtime.md`, 4). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runtime.domain.agent import Agent
from runtime.domain.decide import is_read
from runtime.domain.events import (
    AbortWhy,
    AgentOutput,
    ApprovalDecision,
    ApprovalRequest,
    ApprovalWhy,
    Payload,
    ResultStatus,
    RolloutCancelled,
    StepAborted,
    ToolResult,
    UserInterrupt,
    Verdict,
)
from runtime.domain.pending import Pending
from runtime.domain.state import Call, State
from runtime.domain.trajectory import AGENT, Draft


@dataclass(frozen=True, slots=True)
class Boundary:
    """Move these to the trajectory; nothing is disturbed."""

    pending: tuple[Pending, ...]


@dataclass(frozen=True, slots=True)
class Immediate:
    """Take this one alone, now. A cancelled rollout takes the rest of the queue along: nothing accepted is lost."""

    event: Pending
    rest: tuple[Pending, ...] = ()

    @property
    def pending(self) -> tuple[Pending, ...]:
        return (*self.rest, self.event)


@dataclass(frozen=True, slots=True)
class Cut:
    """Cancel what runs, then take all of these; the urgent ones stand last."""

    pending: tuple[Pending, ...]

    @property
    def stops_turn(self) -> bool:
        """A person's stop covers the whole turn; other urgent events the current step only."""
        return any(isinstance(item.payload, UserInterrupt) for item in self.pending)


Taking = Boundary | Immediate | Cut


def next_taking(state: State, agent: Agent, pending: Sequence[Pending]) -> Taking | None:
    """What may be taken from the queue now; None = it waits."""
    if state.ended:
        return Boundary(tuple(pending)) if pending else None
    for item in pending:
        if isinstance(item.payload, RolloutCancelled):
            return Immediate(item, tuple(other for other in pending if other is not item))
        if is_immediate(item.payload):
            return Immediate(item)
    urgent = tuple(item for item in pending if item.payload.is_urgent)
    if urgent:
        return Cut((*(item for item in pending if not item.payload.is_urgent), *urgent))
    if not pending or state.paused or state.is_speaking:
        return None
    if state.open_batch and not all(call.is_asked for call in state.open_batch):
        return None
    return Boundary(tuple(pending))


def is_immediate(payload: Payload) -> bool:
    """Decisions and control: taken alone at once, whatever else waits."""
    return payload.is_immediate or (isinstance(payload, UserInterrupt) and bool(payload.call_id))


@dataclass(frozen=True, slots=True)
class Halted:
    """What the shell found when it stopped the work that a cut covers.

    `text` = output handed to the hub; `results` = calls that had ended, with their results in hand;
    `untouched` = calls that had no effect: never begun, or proven stopped.
    """

    text: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    results: Mapping[str, ToolResult] = field(default_factory=dict)
    untouched: frozenset[str] = frozenset()


def covered_calls(state: State, taking: Cut | Immediate) -> tuple[Call, ...]:
    """The open synchronous calls that this event ends."""
    match taking:
        case Cut(stops_turn=True):
            return state.open_batch
        case Immediate(Pending(payload=RolloutCancelled())):
            return (*state.open_batch, *(call for call in state.detached if call.is_open))
        case Cut():
            return tuple(call for call in state.open_batch if not call.is_asked)
        case Immediate(Pending(payload=UserInterrupt(call_id=call_id))):
            call = state.call(call_id)
            return (call,) if call is not None and call.is_open else ()
        case _:
            return ()


def ends_step(taking: Cut | Immediate) -> bool:
    """Whether a model call in flight is cancelled for it."""
    return isinstance(taking, Cut) or isinstance(taking.event.payload, RolloutCancelled)


def cut(state: State, agent: Agent, taking: Cut, halted: Halted) -> list[Draft]:
    """The one transaction of a cut: the half-made answer, the results of the covered calls, the queue, the urgent."""
    return [*_halt(state, agent, taking, halted), *(moved(item) for item in taking.pending)]


def immediately(state: State, agent: Agent, taking: Immediate, halted: Halted) -> list[Draft]:
    """The event alone, with the result that it gives its call."""
    first = moved(taking.event)
    match taking.event.payload:
        case RolloutCancelled():
            return [*_halt(state, agent, taking, halted), *(moved(item) for item in taking.rest), first]
        case UserInterrupt():
            return [first, *_results(state, agent, covered_calls(state, taking), halted)]
        case ApprovalDecision() as decision:
            return [first, *_decided(state, decision)]
        case _:
            return [first]


def moved(item: Pending) -> Draft:
    """A pending event as it enters the trajectory."""
    return Draft(item.payload, item.source, id=item.id, received_at=item.received_at)


def _halt(state: State, agent: Agent, taking: Cut | Immediate, halted: Halted) -> list[Draft]:
    drafts: list[Draft] = []
    step = state.step
    if step is not None and step.in_flight:
        if halted.text.strip():
            drafts.append(Draft(AgentOutput(content=halted.text, interrupted=True), AGENT, step.number))
        aborted = StepAborted(
            why=AbortWhy.URGENT,
            model=step.model,
            retryable=False,
            tokens_in=halted.tokens_in,
            tokens_out=halted.tokens_out,
        )
        drafts.append(Draft(aborted, step=step.number))
    return [*drafts, *_results(state, agent, covered_calls(state, taking), halted)]


def _results(state: State, agent: Agent, calls: Sequence[Call], halted: Halted) -> list[Draft]:
    """One result for each call, and a question beside each whose outcome is not known."""
    drafts: list[Draft] = []
    for call in calls:
        result = halted.results.get(call.id) or _stopped(call, agent, halted)
        drafts.append(Draft(result, step=call.step, cause=call.seq))
        if result.status is ResultStatus.UNKNOWN and not call.is_asked:
            drafts.append(question(call))
    return drafts


def question(call: Call) -> Draft:
    """A person is asked what became of a call."""
    return Draft(ApprovalRequest(call_id=call.id, why=ApprovalWhy.UNKNOWN_OUTCOME), step=call.step, cause=call.seq)


def _stopped(call: Call, agent: Agent, halted: Halted) -> ToolResult:
    is_harmless = not call.is_asked and (call.id in halted.untouched or is_read(call, agent) or not call.is_started)
    if is_harmless:
        return ToolResult(call_id=call.id, status=ResultStatus.CANCELLED, content="Stopped before it was done.")
    return ToolResult(
        call_id=call.id,
        status=ResultStatus.UNKNOWN,
        content="Stopped while it ran. Whether it took effect is not known; a person is asked.",
        attempts=max(1, call.attempt),
    )


def _decided(state: State, decision: ApprovalDecision) -> list[Draft]:
    call = state.call(decision.call_id)
    if call is None or not call.is_asked:
        return []
    late = not call.is_open
    attempts = max(1, call.attempt)
    match decision.verdict:
        case Verdict.HAPPENED:
            content = decision.result
            result = ToolResult(call_id=call.id, content=content, attempts=attempts, late=late)
        case Verdict.SKIP | Verdict.DENY:
            who = decision.by or "A person"
            why = f" ({decision.reason})" if decision.reason else ""
            content = f"{who} chose to go on without it{why}. Whether it took effect is not known."
            result = ToolResult(
                call_id=call.id, status=ResultStatus.UNKNOWN, content=content, attempts=attempts, late=late
            )
        case _:
            return []
    return [Draft(result, step=call.step, cause=call.seq)]


def recover(state: State, agent: Agent) -> list[Draft]:
    """What a new owner records first: what the former one left open."""
    drafts: list[Draft] = []
    if state.step is not None and state.step.in_flight:
        aborted = StepAborted(why=AbortWhy.RESTART, model=state.step.model)
        drafts.append(Draft(aborted, step=state.step.number))
    for call in (*state.batch, *state.detached):
        spec = agent.tool(call.tool)
        was_running = call.is_started and not call.is_asked and (call.is_open or call.run_again)
        if was_running and not (spec is not None and spec.may_run_again):
            drafts.append(question(call))
    return drafts
