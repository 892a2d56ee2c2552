"""One event to the next state. Pure, O(1), a case for every event type."""

from collections.abc import Iterable
from typing import assert_never

from runtime.domain.agent import FRAMEWORK_CALLS
from runtime.domain.arguments import canonical
from runtime.domain.errors import BrokenTrajectory
from runtime.domain.events import (
    AbortWhy,
    AgentEscalation,
    AgentInput,
    AgentInterrupt,
    AgentInterruptReceived,
    AgentInvocation,
    AgentMessage,
    AgentOutput,
    AgentResponse,
    AgentThought,
    ApprovalDecision,
    ApprovalRequest,
    ContextCompacted,
    ExternalTrigger,
    LimitKind,
    LimitReached,
    MemoryRecalled,
    ResumeReason,
    RolloutCancelled,
    RolloutCompleted,
    RolloutFailed,
    RolloutMoved,
    RolloutPaused,
    RolloutResumed,
    RolloutStarted,
    StateUpdate,
    StepAborted,
    StepCompleted,
    StepStarted,
    SupervisorInstruction,
    TimerCancel,
    TimerSet,
    TimerTrigger,
    ToolRequest,
    ToolResult,
    ToolStarted,
    UserInput,
    UserInterrupt,
    Verdict,
)
from runtime.domain.state import Call, Failure, Replied, State, Step, Stop, Turn
from runtime.domain.trajectory import Chain, Event


def apply(state: State, event: Event) -> State:
    """The state after one more event. Raises BrokenTrajectory if the event cannot stand there."""
    if event.seq != state.seq + 1:
        raise BrokenTrajectory(event.seq, f"the event before is {state.seq}")
    before, state = state, state._replace(last=event, totals=state.totals.plus(event))
    match event.payload:
        case RolloutStarted() as started:
            return state._replace(started=started)
        case UserInput() as said:
            return _message(state, before, _new_turn(event)._replace(input=said.content, user=said.name))
        case UserInterrupt() as interrupt:
            return _interrupted(state, before, interrupt)
        case AgentInput() | ExternalTrigger() | SupervisorInstruction() | TimerTrigger() | AgentInterruptReceived():
            return _message(state, before, state.turn if before.owes_answer else _new_turn(event))
        case ToolResult() as result:
            return _resulted(state, result)
        case ApprovalDecision() as decision:
            return _decided(state, decision)
        case ApprovalRequest() as request:
            return state.with_call(request.call_id, is_asked=True)
        case ToolStarted() as started:
            return state.with_call(started.call_id, is_started=True, attempt=started.attempt)
        case AgentOutput(interrupted=True):
            return state._replace(unseen=state.unseen.plus(event))
        case AgentOutput() | AgentThought():
            return state._replace(reply=(*state.reply, event))
        case ToolRequest() as request:
            return _requested(state, event, request)
        case StepStarted() as started:
            return _step_started(state, event, started)
        case StepCompleted() as completed:
            return _step_completed(state, completed)
        case StepAborted() as aborted:
            return _step_aborted(state, event, aborted)
        case LimitReached(what=what):
            return state if what is LimitKind.REPEATED_CALL else state._replace(turn=state.turn._replace(limit=what))
        case RolloutPaused() as paused:
            return state._replace(paused=True, pause_reason=paused.reason, repeated=("", 0))
        case RolloutResumed(reason=reason):
            state = state._replace(paused=False, pause_reason="")
            return state._replace(failed="", failures=()) if reason is ResumeReason.RETRY else state
        case RolloutFailed(error=error):
            return state._replace(failed=error)
        case RolloutCompleted():
            return state._replace(ended="completed")
        case RolloutCancelled():
            return state._replace(ended="cancelled")
        case RolloutMoved() | MemoryRecalled() | ContextCompacted():
            return state
        case (
            StateUpdate()
            | AgentInvocation()
            | AgentResponse()
            | AgentMessage()
            | AgentInterrupt()
            | AgentEscalation()
            | TimerSet()
            | TimerCancel()
        ):
            return state._replace(reply=(*state.reply, event))
        case _:
            assert_never(event.payload)  # type: ignore[arg-type]  # Payload is open to mypy, the union is not


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """The state after these events; `fold(a + b) == fold(b, fold(a))`."""
    state = state or State()
    for event in events:
        state = apply(state, event)
    return state


def _new_turn(event: Event) -> Turn:
    return Turn(start=event.seq)


def _message(state: State, before: State, turn: Turn) -> State:
    """Something that the model must answer."""
    assert state.last is not None
    return state._replace(
        unseen=state.unseen.plus(state.last),
        waking=state.seq,
        fresh=state.seq,
        stop=None,
        turn=turn,
        repeated=state.repeated if turn is before.turn else ("", 0),
        failed="",  # a failed rollout goes on, at its step, with whatever wakes it
        failures=() if before.failed else state.failures,
    )


def _interrupted(state: State, before: State, interrupt: UserInterrupt) -> State:
    assert state.last is not None
    if interrupt.call_id:
        return state
    if not interrupt.is_bare:
        turn = _new_turn(state.last)._replace(input=interrupt.content, user=interrupt.name)
        return _message(state, before, turn)._replace(failures=())
    state = state._replace(unseen=state.unseen.plus(state.last), failures=())
    if before.fresh > before.seen:  # the queue held messages: a normal step answers them
        return state._replace(waking=state.seq, stop=None)
    if not before.owes_answer or before.failed:  # nothing to stop
        return state
    in_account = before.stop is not None
    return state._replace(waking=state.seq, stop=Stop(state.seq, interrupt.respond and not in_account))


def _decided(state: State, decision: ApprovalDecision) -> State:
    call = state.call(decision.call_id)
    if call is None or not call.is_asked:  # decided before, or never asked: it changes nothing
        return state
    again = decision.verdict is Verdict.RUN_AGAIN and not call.is_open
    return state.with_call(call.id, is_asked=False, is_started=False, run_again=again)


def _requested(state: State, event: Event, request: ToolRequest) -> State:
    step = int(request.call_id.partition(".")[0])
    signature = f"{request.tool} {canonical(request.args) if request.args is not None else request.args_raw}"
    repeats = state.repeated[1] + 1 if signature == state.repeated[0] else 1
    call = Call(request.call_id, step, request, event.seq, repeats)
    counts = request.tool not in FRAMEWORK_CALLS
    return state._replace(
        calling=(*state.calling, call),
        repeated=(signature, repeats),
        turn=state.turn._replace(tool_calls=state.turn.tool_calls + counts),
    )


def _resulted(state: State, result: ToolResult) -> State:
    assert state.last is not None
    call = state.call(result.call_id)
    if call is None or result.late or not call.is_open:
        detached = tuple(kept for kept in state.detached if kept.id != result.call_id)
        batch = state.with_call(result.call_id, is_asked=False, run_again=False).batch
        return state._replace(detached=detached, batch=batch, unseen=state.unseen.plus(state.last))
    if call in state.detached:
        detached = tuple(kept for kept in state.detached if kept.id != call.id)
        return state._replace(detached=detached, unseen=state.unseen.plus(state.last), waking=state.seq)
    state = state.with_call(call.id, result=result, run_again=False)
    if state.open_batch or state.batch_is_final:
        return state
    return state._replace(waking=state.seq)


def _step_started(state: State, event: Event, started: StepStarted) -> State:
    number = state.next_step if event.step is None else event.step
    is_first = state.step is None or state.step.number != number
    kept = tuple(call for call in state.batch if call.is_open or call.is_asked or call.run_again)
    shown = state.next_shown
    has_news = bool(shown.calls or shown.events or shown.previous_answer)
    return state._replace(
        step=Step(number, started.attempt, started.seen, started.model, started.withheld),
        seen=started.seen,
        history=state.history.plus(shown) if has_news else state.history,
        unseen=Chain(),
        batch=(),
        detached=(*state.detached, *kept),
        turn=state.turn._replace(steps=state.turn.steps + is_first),
    )


def _step_completed(state: State, completed: StepCompleted) -> State:
    step = state.step
    if step is None:
        raise BrokenTrajectory(state.seq, "a step ends that was not begun")
    is_blank = not state.calling and not any(isinstance(event.payload, AgentOutput) for event in state.reply)
    ask_again = is_blank and state.empties == 0
    return state._replace(
        history=state.history.plus(Replied(state.reply, state.calling, completed)),
        reply=(),
        calling=(),
        batch=state.calling,
        batch_is_final=step.withheld,
        step=None,
        next_step=step.number + 1,
        answered=state.answered if ask_again else step.seen,
        empties=1 if ask_again else 0,
        stop=state.stop if ask_again else None,
        failures=(),
    )


def _step_aborted(state: State, event: Event, aborted: StepAborted) -> State:
    step = state.step
    if step is None:
        raise BrokenTrajectory(state.seq, "a step is given up that was not begun")
    if aborted.why is AbortWhy.URGENT:
        return state._replace(step=None, next_step=step.number + 1, failures=(), reply=(), calling=())
    state = state._replace(step=step._replace(in_flight=False))
    if aborted.why is AbortWhy.RESTART:
        return state
    if aborted.tool:
        return state._replace(refused_tools=state.refused_tools | {aborted.tool})
    failure = Failure(step.model, aborted.retryable, event.at, aborted.retry_at, aborted.error)
    return state._replace(failures=(*state.failures, failure))
