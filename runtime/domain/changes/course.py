"""Moves of the business state, pauses, and what goes on again, as they change the state. Pure."""

from runtime.domain.changes.arrivals import woken
from runtime.domain.changes.calls import closed
from runtime.domain.events import (
    AgentOutput,
    AgentThought,
    ResumeReason,
    RolloutPaused,
    RolloutResumed,
    StateUpdate,
    ToolResult,
)
from runtime.domain.state import Call, State
from runtime.domain.trajectory import STUDIO, Event


def moved(state: State, before: State, update: StateUpdate) -> State:
    """A move that no step made: a person's, that of a stay that was too long, or one that a person gave leave for."""
    event = state.last
    assert event is not None
    if update.accepted:
        state = state._replace(dealings=state.dealings.moved(update, state.at))
    call = state.call(update.call_id) if update.call_id else None
    if call is not None and call.is_open:
        return closed(state, call, ToolResult(call_id=call.id, status=update.status, content=update.result))
    if update.wakes_model:
        return woken(state, before)
    return state._replace(unseen=state.unseen.plus(event))


def said(state: State, event: Event, words: AgentOutput | AgentThought) -> State:
    """A part of the answer in hand; or a plan that a person gave leave for, which closes its call."""
    call = state.call(words.call_id) if words.call_id else None
    if not isinstance(words, AgentThought) or call is None:
        return state._replace(reply=(*state.reply, event))
    return _planned(state, call, words)


def _planned(state: State, call: Call, plan: AgentThought) -> State:
    state = state.dealing(plan=plan.plan)
    if not call.is_open:
        return state
    return closed(state, call, ToolResult(call_id=call.id, status=plan.status, content=plan.result))


def paused(state: State, event: Event, pause: RolloutPaused) -> State:
    """Nothing new starts. A question to supervisors whose time is up has had its consequence."""
    left = tuple(asked for asked in state.dealings.escalations if not 0 < asked.deadline <= event.at)
    state = state.dealing(escalations=left)
    return state._replace(paused=True, paused_by=pause.by, pause_reason=pause.reason, repeated=("", 0))


def resumed(state: State, resumed: RolloutResumed) -> State:
    if resumed.reason is ResumeReason.LIMIT:
        state = state.dealing(raised={**state.dealings.raised, **resumed.limits})
        state = state._replace(turn=state.turn._replace(limit=None))
        if state.paused and state.paused_by != STUDIO:  # a person's pause is not lifted by a number
            return state
    state = state._replace(paused=False, paused_by="", pause_reason="").dealing(escalations=())
    if resumed.reason is not ResumeReason.RETRY:
        return state
    return state._replace(failed="", failures=(), is_incompressible=False)
