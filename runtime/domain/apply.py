"""One event to the next state. Pure, O(1), a case for every event type."""

from collections.abc import Iterable
from typing import assert_never

from runtime.domain.changes import arrivals, calls, course, steps
from runtime.domain.changes.compaction import compacted
from runtime.domain.dealings import Business
from runtime.domain.deciding import decided
from runtime.domain.errors import BrokenTrajectory
from runtime.domain.events import (
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
    Called,
    ContextCompacted,
    ExternalTrigger,
    LimitReached,
    MemoryRecalled,
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
    ToolRole,
    ToolStarted,
    UserInput,
    UserInterrupt,
)
from runtime.domain.readings import Readings
from runtime.domain.state import State
from runtime.domain.trajectory import Event


def apply(state: State, event: Event) -> State:
    """The state after one more event. Raises BrokenTrajectory if the event cannot stand there."""
    if event.seq != state.seq + 1:
        raise BrokenTrajectory(event.seq, f"the event before is {state.seq}")
    before, state = state, state._replace(last=event, totals=state.totals.plus(event))
    match event.payload:
        case RolloutStarted() as started:
            return _begun(state, event, started)
        case UserInput() as said:
            return arrivals.said(state, before, said)
        case UserInterrupt() as interrupt:
            return arrivals.interrupted(state, before, interrupt)
        case AgentInput() as came:
            return arrivals.agent_said(state, before, came)
        case AgentInterruptReceived() as received:
            return arrivals.broken_into(state, before, received)
        case SupervisorInstruction():
            return arrivals.woken(state.dealing(escalations=()), before)
        case TimerTrigger() as trigger:
            return arrivals.woken(state._replace(dealings=state.dealings.rung(trigger)), before)
        case ExternalTrigger() as trigger:
            return arrivals.triggered(state, before, trigger)
        case ToolResult(role=ToolRole.ROLLBACK) as result:
            return state.dealing(undone=state.dealings.undone | {result.call_id}, undoing="", undoing_attempt=0)
        case ToolResult() as result:
            return calls.resulted(state, result)
        case ApprovalDecision() as decision:
            return decided(state, event, decision)
        case ApprovalRequest() as request:
            return state.with_call(request.call_id, question=request)
        case ToolStarted() as started:
            return calls.tool_started(state, started)
        case AgentOutput(interrupted=True):
            return state._replace(unseen=state.unseen.plus(event))
        case Called(call_id=call_id) as made if call_id and state.is_speaking and state.call(call_id) is None:
            return calls.called(state, event, made)
        case AgentOutput() | AgentThought() as words:
            return course.said(state, event, words)
        case ToolRequest() as request:
            return calls.requested(state, event, request)
        case StepStarted() as started:
            return steps.step_started(state, event, started)
        case StepCompleted() as completed:
            return steps.step_completed(state, completed)
        case StepAborted() as aborted:
            return steps.step_aborted(state, event, aborted)
        case LimitReached(what=what):
            return steps.limited(state, what)
        case RolloutPaused() as pause:
            return course.paused(state, event, pause)
        case RolloutResumed() as resumed:
            return course.resumed(state, resumed)
        case RolloutFailed(error=error):
            return state._replace(failed=error).dealing(has_responded=True)
        case RolloutCompleted() | RolloutCancelled() as ending:
            return state._replace(ended=state.ended or ending.type.removeprefix("rollout."))
        case MemoryRecalled() as memory:
            return arrivals.remembered(state, memory)
        case ContextCompacted() as compaction:
            return compacted(state, event, compaction)
        case RolloutMoved():
            return state
        case StateUpdate() as update:
            return course.moved(state, before, update)
        case AgentResponse():
            return state.dealing(unreported="", has_responded=True)
        case AgentInvocation() | AgentMessage() | AgentInterrupt() | AgentEscalation() | TimerSet() | TimerCancel():
            raise BrokenTrajectory(event.seq, f"{event.type} stands outside a step")
        case _:
            assert_never(event.payload)  # type: ignore[arg-type]  # Payload is open to mypy, the union is not


def _begun(state: State, event: Event, started: RolloutStarted) -> State:
    readings = Readings(started.untrusted_by, started.private_by)
    business = Business(started.business_state, started.vars, event.at)
    return state._replace(started=started, readings=readings).dealing(business=business)


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """The state after these events; `fold(a + b) == fold(b, fold(a))`."""
    state = state or State()
    for event in events:
        state = apply(state, event)
    return state
