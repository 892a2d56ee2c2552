"""What becomes of steps, as it changes the state. Pure."""

from runtime.domain.errors import BrokenTrajectory
from runtime.domain.events import (
    AbortWhy,
    AgentOutput,
    LimitKind,
    StepAborted,
    StepCompleted,
    StepStarted,
)
from runtime.domain.state import Failure, Replied, State, Step
from runtime.domain.trajectory import Chain, Event


def step_started(state: State, event: Event, started: StepStarted) -> State:
    number = state.next_step if event.step is None else event.step
    is_first = state.step is None or state.step.number != number
    calls = (*state.detached, *state.batch)
    kept = tuple(call for call in calls if call.is_open or call.is_asked or call.run_again)
    shown = state.next_shown
    has_news = bool(shown.calls or shown.events or shown.previous_answer)
    return state._replace(
        step=Step(
            number,
            started.attempt,
            started.seen,
            started.model,
            started.withheld,
            reserved_tokens=started.reserved_tokens,
            reserved_usd=started.reserved_usd,
        ),
        seen=started.seen,
        history=state.history.plus(shown) if has_news else state.history,
        unseen=Chain(),
        is_cut=False,
        batch=(),
        detached=kept,
        turn=state.turn._replace(steps=state.turn.steps + is_first),
    )


def step_completed(state: State, completed: StepCompleted) -> State:
    step = state.step
    if step is None:
        raise BrokenTrajectory(state.seq, "a step ends that was not begun")
    said = "\n\n".join(event.payload.content for event in state.reply if isinstance(event.payload, AgentOutput))
    ask_again = not state.calling and not said and state.empties == 0
    if said:
        state = state.dealing(unreported=said)
    goes_on = state.calling and not step.withheld and all(call.is_async or not call.is_open for call in state.calling)
    return state._replace(
        waking=state.seq if goes_on else state.waking,
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


def step_aborted(state: State, event: Event, aborted: StepAborted) -> State:
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


def limited(state: State, what: LimitKind) -> State:
    """A limit of the turn is reached: the next step answers without tools."""
    ends_turn = what in (LimitKind.STEPS, LimitKind.TOOL_CALLS)
    return state._replace(turn=state.turn._replace(limit=what)) if ends_turn else state
