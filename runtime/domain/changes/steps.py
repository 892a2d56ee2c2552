"""What becomes of steps, as it changes the state. Pure."""

from dataclasses import replace

from runtime.domain.changes.compaction import attempted, grown
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
    step = _step(number, started)
    if started.captures or started.compacts_to:  # beside the conversation: what is new stays new
        return state._replace(step=step)
    is_first = state.step is None or state.step.number != number
    calls = (*state.detached, *state.batch)
    kept = tuple(call for call in calls if call.is_open or call.is_asked or call.run_again)
    shown = state.next_shown
    if shown.calls or shown.events or shown.previous_answer:
        state = grown(state, replace(shown, until=event.seq))
    return state._replace(
        step=step,
        seen=started.seen,
        unseen=Chain(),
        is_cut=False,
        batch=(),
        detached=kept,
        turn=state.turn._replace(steps=state.turn.steps + is_first),
    )


def _step(number: int, started: StepStarted) -> Step:
    return Step(
        number,
        started.attempt,
        started.seen,
        started.model,
        started.withheld,
        reserved_tokens=started.reserved_tokens,
        reserved_usd=started.reserved_usd,
        captures=started.captures,
        compacts_to=started.compacts_to,
    )


def _captured(state: State, step: Step, *, again: bool = False) -> State:
    """The turn was asked what to keep of it, or is not asked any more; `again`: it will be, in a step of its own."""
    captured = state.captured if again else state.turn.start
    return state._replace(step=None, next_step=step.number + 1, reply=(), calling=(), captured=captured)


def step_completed(state: State, completed: StepCompleted) -> State:
    step = state.step
    if step is None:
        raise BrokenTrajectory(state.seq, "a step ends that was not begun")
    if step.captures:
        return _captured(state, step)
    if step.compacts_to:
        return attempted(state, step)
    said = "\n\n".join(event.payload.content for event in state.reply if isinstance(event.payload, AgentOutput))
    ask_again = not state.calling and not said and state.empties == 0
    corrects, fault = _corrects(state)
    if said and not corrects:
        state = state.dealing(unreported=fault or said, is_fault=bool(fault))
    goes_on = state.calling and not step.withheld and all(call.is_async or not call.is_open for call in state.calling)
    state = grown(state, Replied(state.reply, state.calling, completed, state.seq))
    return state._replace(
        waking=state.seq if goes_on else state.waking,
        reply=(),
        calling=(),
        batch=state.calling,
        batch_is_final=step.withheld,
        step=None,
        next_step=step.number + 1,
        answered=state.answered if ask_again or corrects else step.seen,
        empties=1 if ask_again else 0,
        corrections=state.corrections + 1 if corrects else 0,
        stop=state.stop if ask_again else None,
        failures=(),
    )


def _corrects(state: State) -> tuple[bool, str]:
    """Whether the answer does not have its form and is asked for again; else what is said in its place, if so."""
    outputs = [event.payload for event in state.reply if isinstance(event.payload, AgentOutput)]
    if not any(output.problem for output in outputs):
        return False, ""
    return bool(outputs[-1].problem), "" if outputs[-1].problem else outputs[-1].content


def step_aborted(state: State, event: Event, aborted: StepAborted) -> State:
    step = state.step
    if step is None:
        raise BrokenTrajectory(state.seq, "a step is given up that was not begun")
    if step.captures:
        return _captured(state, step, again=aborted.why is AbortWhy.RESTART)
    if aborted.why is AbortWhy.URGENT:
        seen = step.seen if step.compacts_to else state.seen  # a stop is about what the summary was made for
        state = state._replace(seen=seen)
        return state._replace(step=None, next_step=step.number + 1, failures=(), reply=(), calling=())
    state = state._replace(step=step._replace(in_flight=False))
    if aborted.why is AbortWhy.RESTART:
        return state
    if aborted.tool:
        return state._replace(refused_tools=state.refused_tools | {aborted.tool})
    failure = Failure(step.model, aborted.retryable, event.at, aborted.retry_at, aborted.error, aborted.kind)
    return state._replace(failures=(*state.failures, failure))


def limited(state: State, what: LimitKind) -> State:
    """A limit of the turn is reached: the next step answers without tools."""
    ends_turn = what in (LimitKind.STEPS, LimitKind.TOOL_CALLS)
    return state._replace(turn=state.turn._replace(limit=what)) if ends_turn else state
