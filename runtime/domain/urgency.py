"""How pending events get into the trajectory: queued, cancelling or immediate (`runtime.md`, 4). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runtime.domain.aftermath import follow_from
from runtime.domain.agent import CANCEL_CALL, Agent
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
    RolloutCompleted,
    StepAborted,
    ToolResult,
    ToolRole,
    UserInterrupt,
)
from runtime.domain.pending import Pending
from runtime.domain.state import CALLER, Call, State
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


@dataclass(frozen=True, slots=True)
class Withdraw:
    """The agent's own `cancel_call`: stop the call that it names. Nothing is taken from the queue."""

    by: Call
    pending: tuple[Pending, ...] = ()

    @property
    def target(self) -> str:
        return str(self.by.args.get("call_id"))


Taking = Boundary | Immediate | Cut
BreakingIn = Immediate | Cut | Withdraw


def withdrawal(state: State) -> Withdraw | None:
    """The first call of the agent that stops another of its calls."""
    if state.ended:
        return None
    return next((Withdraw(call) for call in state.open_calls if call.tool == CANCEL_CALL), None)


def next_taking(state: State, agent: Agent, pending: Sequence[Pending]) -> Taking | None:
    """What may be taken from the queue now; None = it waits."""
    if state.ended:
        return Boundary(tuple(pending)) if pending else None
    for item in pending:
        if isinstance(item.payload, RolloutCancelled | RolloutCompleted):
            return Immediate(item, tuple(other for other in pending if other is not item))
        if is_immediate(item.payload):
            return Immediate(item)
    urgent = tuple(item for item in pending if item.payload.is_urgent)
    if urgent:
        return Cut((*(item for item in pending if not item.payload.is_urgent), *urgent))
    if not pending or state.paused:
        return None
    if state.step is not None and state.step.captures:  # what it would keep can be asked after the next turn
        return Cut(tuple(pending))
    if state.is_speaking:
        return None
    if not state.is_cut and not all(call.waits for call in state.open_batch):
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
    cost_usd: float | None = None
    results: Mapping[str, ToolResult] = field(default_factory=dict)
    untouched: frozenset[str] = frozenset()


def covered_calls(state: State, agent: Agent, taking: BreakingIn) -> tuple[Call, ...]:
    """The open calls that this event ends.

    A person's stop covers the turn: what the model waits for, questions and sub-agents included, and asynchronous calls
    that are marked so. Other urgent events cover the current step only. What is marked to finish is never covered.
    """
    match taking:
        case Immediate(Pending(payload=RolloutCancelled() | RolloutCompleted())):
            return state.open_calls
        case Cut(stops_turn=True):
            return tuple(call for call in state.open_calls if _ends_with_turn(call, agent))
        case Cut():
            return tuple(call for call in state.open_batch if not call.waits and _ends_with_turn(call, agent))
        case Withdraw(target=target):
            return tuple(call for call in state.open_calls if call.id == target)
        case Immediate(Pending(payload=UserInterrupt(call_id=call_id))):
            call = state.call(call_id)
            return (call,) if call is not None and call.is_open else ()
        case _:
            return ()


def _ends_with_turn(call: Call, agent: Agent) -> bool:
    spec = agent.any_tool(call.runs)
    marked = spec.on_interrupt if spec is not None else ""
    if call.is_gated:  # nothing of it has run, so there is nothing to finish
        return not call.is_async or marked == "cancel"
    return marked == "cancel" if call.is_async else marked != "finish"


def ends_step(taking: BreakingIn) -> bool:
    """Whether a model call in flight is cancelled for it."""
    if isinstance(taking, Immediate):
        return isinstance(taking.event.payload, RolloutCancelled | RolloutCompleted)
    return isinstance(taking, Cut)


def withdrawn(state: State, agent: Agent, taking: Withdraw, halted: Halted) -> list[Draft]:
    """The result of the call that was stopped, and what the agent is told of it."""
    targets = covered_calls(state, agent, taking)
    results = _results(state, agent, targets, halted)
    status = next((draft.payload.status for draft in results if isinstance(draft.payload, ToolResult)), None)
    match status:
        case ResultStatus.CANCELLED:
            words = f"The call {taking.target} was stopped."
        case ResultStatus.UNKNOWN:
            words = f"The call {taking.target} was stopped while it ran. Whether it took effect is not known."
        case _:
            words = f"The call {taking.target} had ended already."
    answer = ToolResult(call_id=taking.by.id, content=words, attempts=0)
    return [*results, Draft(answer, step=taking.by.step, cause=taking.by.seq)]


def cut(state: State, agent: Agent, taking: Cut, halted: Halted) -> list[Draft]:
    """The one transaction of a cut: the half-made answer, the results of the covered calls, the queue, the urgent."""
    return [*_halt(state, agent, taking, halted), *(moved(item) for item in taking.pending)]


def immediately(state: State, agent: Agent, taking: Immediate, halted: Halted, at: int = 0) -> list[Draft]:
    """The event alone, with the result that it gives its call. `at` in microseconds."""
    first = moved(taking.event)
    match taking.event.payload:
        case RolloutCancelled() | RolloutCompleted():
            return [*_halt(state, agent, taking, halted), *(moved(item) for item in taking.rest), first]
        case UserInterrupt():
            return [first, *_results(state, agent, covered_calls(state, agent, taking), halted)]
        case ApprovalDecision() as decision:
            return [first, *follow_from(state, agent, taking.event.source, decision, at)]
        case _:
            return [first]


def moved(item: Pending) -> Draft:
    """A pending event as it enters the trajectory."""
    return Draft(item.payload, item.source, id=item.id, received_at=item.received_at)


def _halt(state: State, agent: Agent, taking: Cut | Immediate, halted: Halted) -> list[Draft]:
    drafts: list[Draft] = []
    step = state.step
    if step is not None and step.in_flight:
        if halted.text.strip() and not step.compacts_to:
            to = "" if state.speaks_to_people else CALLER
            drafts.append(Draft(AgentOutput(content=halted.text, to=to, interrupted=True), AGENT, step.number))
        aborted = StepAborted(
            why=AbortWhy.URGENT,
            model=step.model,
            retryable=False,
            tokens_in=halted.tokens_in,
            tokens_out=halted.tokens_out,
            cost_usd=halted.cost_usd,
        )
        drafts.append(Draft(aborted, step=step.number))
    return [*drafts, *_results(state, agent, covered_calls(state, agent, taking), halted)]


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
    if call.is_gated or call.made is not None:
        return ToolResult(call_id=call.id, status=ResultStatus.CANCELLED, content=_withdrawn_words(call), attempts=0)
    is_harmless = not call.is_asked and (call.id in halted.untouched or is_read(call, agent) or not call.is_started)
    if is_harmless:
        return ToolResult(call_id=call.id, status=ResultStatus.CANCELLED, content="Stopped before it was done.")
    return ToolResult(
        call_id=call.id,
        status=ResultStatus.UNKNOWN,
        content="Stopped while it ran. Whether it took effect is not known; a person is asked.",
        attempts=max(1, call.attempt),
    )


def _withdrawn_words(call: Call) -> str:
    if call.is_gated:
        return "Stopped before anybody had given leave. Nothing was done."
    if call.child:
        return "Stopped. The agent that worked on it was told to stop, too."
    return "Stopped before it was answered."


def recover(state: State, agent: Agent) -> list[Draft]:
    """What a new owner records first: what the former one left open."""
    drafts: list[Draft] = []
    if state.step is not None and state.step.in_flight:
        step = state.step
        tokens, usd = step.reserved_tokens or None, step.reserved_usd or None
        aborted = StepAborted(why=AbortWhy.RESTART, model=step.model, tokens_in=tokens, cost_usd=usd)
        drafts.append(Draft(aborted, step=step.number))
    if undoing := state.dealings.undoing:
        drafts.extend(_undone_or_not(state, agent, undoing))
    for call in (*state.batch, *state.detached):
        spec = agent.any_tool(call.runs)
        was_running = call.is_started and not call.is_asked and (call.is_open or call.run_again)
        if was_running and not (spec is not None and spec.may_run_again):
            drafts.append(question(call))
    return drafts


def _undone_or_not(state: State, agent: Agent, call_id: str) -> list[Draft]:
    """A compensation that was cut off: it may be run again only if that does no harm."""
    call = next((call for call in state.done.backwards() if call.id == call_id), None)
    spec = agent.any_tool(call.runs) if call is not None else None
    undoes = agent.any_tool(spec.rollback) if spec is not None else None
    if call is None or (undoes is not None and undoes.may_run_again):
        return []
    words = f"Cut off while it undid {call.tool}. Whether it took effect is not known: look at it by hand."
    result = ToolResult(call_id=call_id, status=ResultStatus.UNKNOWN, content=words, role=ToolRole.ROLLBACK)
    return [Draft(result, step=call.step, cause=call.seq)]
