"""What becomes of the calls of the model, as it changes the state. Pure."""

from collections.abc import Mapping
from typing import Any

from runtime.domain.agent import is_framework_call
from runtime.domain.arguments import canonical
from runtime.domain.dealings import Child
from runtime.domain.events import (
    AgentEscalation,
    AgentInvocation,
    AgentThought,
    Called,
    CallMode,
    ResultStatus,
    StateUpdate,
    ThoughtKind,
    TimerCancel,
    TimerSet,
    ToolRequest,
    ToolResult,
    ToolRole,
    ToolStarted,
)
from runtime.domain.state import Call, State
from runtime.domain.trajectory import Event


def requested(state: State, event: Event, request: ToolRequest) -> State:
    step = int(request.call_id.partition(".")[0])
    signature = f"{request.tool} {canonical(request.args) if request.args is not None else request.args_raw}"
    repeats = state.repeated[1] + 1 if signature == state.repeated[0] else 1
    call = Call(request.call_id, step, request, event.seq, repeats)
    counts = not is_framework_call(request.tool)
    return state._replace(
        calling=(*state.calling, call),
        repeated=(signature, repeats),
        turn=state.turn._replace(tool_calls=state.turn.tool_calls + counts),
    )


def called(state: State, event: Event, made: Called) -> State:
    """A call that is recorded as what it does, and what it changes."""
    mode = made.mode if isinstance(made, AgentInvocation) else CallMode.SYNC
    state = requested(state, event, ToolRequest(call_id=made.call_id, tool=made.tool, args=made.args, mode=mode))
    result = ToolResult(call_id=made.call_id, status=made.status, content=made.result) if made.is_settled else None
    state = state._replace(calling=(*state.calling[:-1], state.calling[-1]._replace(made=made, result=result)))
    match made:
        case AgentThought(kind=ThoughtKind.PLAN, plan=plan):
            return state.dealing(plan=plan)
        case StateUpdate(accepted=True):
            return state._replace(dealings=state.dealings.moved(made, state.at))
        case AgentInvocation(agent=agent, child_rollout=rollout, call_id=call_id):
            return state.dealing(children=(*state.dealings.children, Child(rollout, agent, call_id)))
        case AgentEscalation():
            return state._replace(dealings=state.dealings.with_escalation(made))
        case TimerSet():
            return state._replace(dealings=state.dealings.with_timer(made, state.ownership.owner, state.ownership.name))
        case TimerCancel(timer_id=timer_id):
            return state._replace(dealings=state.dealings.without_timer(timer_id))
        case _:
            return state


def tool_started(state: State, started: ToolStarted) -> State:
    if started.role is ToolRole.ROLLBACK:
        return state.dealing(undoing=started.call_id, undoing_attempt=started.attempt)
    changes: dict[str, Any] = {"is_started": True, "attempt": started.attempt}
    if started.role is ToolRole.FALLBACK:
        changes |= {"role": started.role, "running": started.tool}
        changes |= {"why": started.why} if started.why else {}
    return state.with_call(started.call_id, **changes)


def resulted(state: State, result: ToolResult) -> State:
    event = state.last
    assert event is not None
    call = state.call(result.call_id)
    if call is not None and result.attempts:
        state = state._replace(sources=_with_sources(state.sources, call))
    if result.memory is not None and not result.memory.wrote:
        where = f"memory in call {result.call_id}" if result.memory.entries else ""
        is_tainted = any(entry.tainted for entry in result.memory.entries)
        readings = state.readings.plus(f"{where} that nobody has confirmed" if is_tainted else "", where)
        seen = state.recollections.plus(result.memory, state.ownership.since)
        state = state._replace(readings=readings, recollections=seen)
    if call is not None and call.is_started and result.status is ResultStatus.OK:
        state = state._replace(done=state.done.plus(call._replace(result=result)))
    if call is None or result.late or not call.is_open:
        detached = tuple(kept for kept in state.detached if kept.id != result.call_id)
        batch = state.with_call(result.call_id, question=None, run_again=False).batch
        return state._replace(detached=detached, batch=batch, unseen=state.unseen.plus(event))
    return closed(state, call, result)


def _with_sources(sources: Mapping[str, str], call: Call) -> Mapping[str, str]:
    """With the tools that this call has run: what the first one answered is told where its fallback took over."""
    new = {name: call.id for name in (call.tool, call.runs) if name not in sources}
    return {**sources, **new} if new else sources


def closed(state: State, call: Call, result: ToolResult) -> State:
    """The call has its one result; the model is told when nothing of its batch is open any more."""
    event = state.last
    assert event is not None
    is_unknown = result.status is ResultStatus.UNKNOWN  # then a person is asked what became of it
    is_detached = call in state.detached
    question = call.question if is_unknown else None
    state = state.with_call(call.id, result=result, question=question, run_again=False)
    if is_detached:
        detached = tuple(kept for kept in state.detached if kept.id != call.id or is_unknown)
        failures = () if state.failed else state.failures  # it goes on with whatever wakes it
        unseen = state.unseen.plus(event)
        return state._replace(detached=detached, unseen=unseen, waking=state.seq, failed="", failures=failures)
    if state.open_batch or state.batch_is_final:
        return state
    return state._replace(waking=state.seq)
