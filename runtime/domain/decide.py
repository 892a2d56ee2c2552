"""State to effects: what should be running now, and what lists call that. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from runtime.domain.agent import CANCEL_CALL, Agent
from runtime.domain.compaction import due, overflow
from runtime.domain.definition import MemoryPolicy
from runtime.domain.effects import CallModel, Compensate, Complete, Effect, Fail, Recall, Respond, RunTool
from runtime.domain.events import ResultStatus
from runtime.domain.machine import is_final
from runtime.domain.memory import namespace_of
from runtime.domain.memory_words import patterns_of
from runtime.domain.state import Call, Failure, State
from runtime.domain.tool import Access

ATTEMPTS_PER_MODEL = 4
ATTEMPTS_WITHIN_US = 2 * 60 * 1_000_000
LONGEST_WAIT_BEFORE_FALLBACK_US = 60 * 1_000_000
LAST_MODEL_WAITS_US = 15 * 60 * 1_000_000


def decide(state: State, agent: Agent) -> tuple[Effect, ...]:
    """All that should be running; nothing for a rollout that has ended."""
    if state.started is None:
        return ()
    if state.ended:
        return tuple(compensations(state, agent)[:1])
    effects: list[Effect] = list(_tools(state, agent))
    if state.step is not None and state.step.in_flight:
        step = state.step
        asked = CallModel(
            step.number,
            step.attempt,
            step.model,
            step.withheld,
            captures=step.captures,
            compacts_to=step.compacts_to,
        )
        effects.append(asked)
    elif wants_answer(state, agent) and not state.paused and not state.failed:
        effects.extend(recalls(state, agent))
        effects.append(_next_attempt(state, agent))
    elif not state.paused and not state.failed:
        effects.extend(_at_rest(state, agent))
    return tuple(effects)


def _at_rest(state: State, agent: Agent) -> Iterator[Respond | Recall | CallModel | Complete]:
    """What is left to do when nothing has to be answered: report to the agent that called, keep what is to be kept of
    the turn, then come to an end.
    """
    if any(not call.is_async for call in state.open_calls):
        return
    started, dealings = state.started, state.dealings
    if started is not None and started.parent:
        if not dealings.has_responded:
            said = dealings.unreported
            done = ResultStatus.ERROR if dealings.is_fault else ResultStatus.OK
            status = done if said else ResultStatus.CANCELLED
            yield Respond(said or "It was stopped before it answered.", status)
        elif dealings.unreported and state.turn.hops:
            yield Respond(dealings.unreported, ResultStatus.OK)
    if agent.memory is not None and wants_capture(state, agent):
        wanted = ((namespace_of(agent.memory, agent.name), agent.memory.capture),)
        yield Recall(state.ownership.owner, wanted, agent.memory.max_inject_tokens)
        number, attempt = _numbers(state)
        yield CallModel(number, attempt, agent.model, withhold=True, captures=True)
        return
    is_settled = not state.open_calls and not any(call.is_asked for call in (*state.batch, *state.detached))
    name = dealings.business.name
    if agent.machine is not None and is_final(agent.machine, name) and is_settled:
        yield Complete(name)


def wants_capture(state: State, agent: Agent) -> bool:
    """Whether it is still to be asked what to keep of a turn in which the model has spoken, for the turn's owner."""
    captures = agent.memory is not None and bool(agent.memory.capture)
    return captures and bool(state.ownership.owner and state.turn.steps) and state.captured != state.turn.start


def recalls(state: State, agent: Agent) -> Iterator[Recall]:
    """What a step must know of the memory before it begins; nothing where nobody's memory is at hand."""
    owner, policy = state.ownership.owner, agent.memory
    if not owner:
        return
    own = ((namespace_of(policy, agent.name), patterns_of(agent)),) if policy is not None else ()
    wanted = tuple(one for one in (*own, tuple(state.granted)) if one[1])
    if wanted or state.recollections.since == state.ownership.since:
        yield Recall(owner, wanted, (policy or MemoryPolicy()).max_inject_tokens)


def compensations(state: State, agent: Agent) -> list[Compensate]:
    """What a cancelled rollout has still to undo, newest first."""
    if state.ended != "cancelled":
        return []
    found = []
    for call in state.done.backwards():
        spec = agent.any_tool(call.runs)
        undoes = agent.any_tool(spec.rollback) if spec is not None and spec.rollback else None
        if undoes is not None and call.id not in state.dealings.undone:
            found.append(Compensate(call, undoes))
    return found


def wants_answer(state: State, agent: Agent) -> bool:
    """Whether the model is to be called as soon as nothing hinders it."""
    if not state.owes_answer or state.is_speaking:
        return False
    is_deaf = not state.is_cut and not (state.fresh > state.seen and all(call.waits for call in state.open_batch))
    if state.open_batch and is_deaf:
        return False
    if state.stop is not None and state.waking == state.stop.seq:
        return _gives_account(state, agent)
    return True


def _gives_account(state: State, agent: Agent) -> bool:
    """Whether the model is to say what was done and what was not, after a bare stop."""
    return state.stop is not None and state.stop.respond and agent.account_after_stop


def withholds_tools(state: State, agent: Agent) -> bool:
    """Whether the next step must answer without tools: a limit was reached, or it is an account after a stop."""
    return state.turn.limit is not None or _gives_account(state, agent)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The framework's own status, for lists. `until` in microseconds; 0 = not known."""

    name: str
    waiting_for: str = ""
    until: int = 0


def lifecycle(state: State, agent: Agent) -> Lifecycle:
    """queued, running, waiting (input, approval, child, timer, model), paused, completed, failed or cancelled."""
    if state.ended:
        return Lifecycle(state.ended)
    if state.failed:
        return Lifecycle("failed")
    runs = [effect for effect in decide(state, agent) if not (isinstance(effect, RunTool) and not effect.begin)]
    if state.is_speaking:
        return Lifecycle("running")
    if state.paused:
        return Lifecycle("paused")
    for effect in runs:
        if isinstance(effect, CallModel) and effect.not_before:
            return Lifecycle("waiting", "model", effect.not_before)
    if runs:
        return Lifecycle("running")
    if any(call.is_asked for call in (*state.batch, *state.detached)):
        return Lifecycle("waiting", "approval")
    if any(call.child and not call.is_async for call in state.open_calls):
        return Lifecycle("waiting", "child")
    if state.dealings.timers and not any(call.waits for call in state.open_calls):
        return Lifecycle("waiting", "timer", min(timer.due_at for timer in state.dealings.timers))
    return Lifecycle("waiting", "input")


def _tools(state: State, agent: Agent) -> list[RunTool]:
    """Reads first and together, writes one after another, in call order; then what the model does not wait for."""
    begin = not state.paused
    runnable = [call for call in state.batch if _may_run(call) and not call.is_async]
    reads = [call for call in runnable if is_read(call, agent)]
    chosen = reads[: agent.limits.max_concurrent_tools] or runnable[:1]
    behind = [call for call in state.detached if _may_run(call)]
    behind += [call for call in state.batch if _may_run(call) and call.is_async]
    return [RunTool(call, begin) for call in (*chosen, *behind[: agent.limits.max_concurrent_tools])]


def is_read(call: Call, agent: Agent) -> bool:
    spec = agent.any_tool(call.runs)
    return spec is not None and spec.access is Access.READ


def _may_run(call: Call) -> bool:
    if call.made is not None or call.tool == CANCEL_CALL:
        return False
    return not call.is_asked and (call.run_again or call.is_open)


def _next_attempt(state: State, agent: Agent) -> CallModel | Fail:
    number, attempt = _numbers(state)
    compacts_to = due(state, agent)
    if not compacts_to and (sentence := overflow(state, agent)):
        return Fail(sentence)
    is_shortened = bool(compacts_to) and not (state.step is not None and state.step.compacts_to)
    choice = _choose_model(() if is_shortened else state.failures, agent.models)
    if isinstance(choice, Fail):
        return choice
    model, not_before = choice
    withhold = bool(compacts_to) or withholds_tools(state, agent)
    return CallModel(number, attempt, model, withhold, not_before, compacts_to=compacts_to)


def _numbers(state: State) -> tuple[int, int]:
    """Step and attempt of the next model call; a step that was begun and not completed is tried again."""
    return (state.step.number, state.step.attempt + 1) if state.step else (state.next_step, 1)


def _choose_model(failures: tuple[Failure, ...], models: tuple[str, ...]) -> tuple[str, int] | Fail:
    """The model for the next attempt, and when; Fail when the last model has been given all its time."""
    if not failures:
        return models[0], 0
    last = failures[-1]
    tried = [failure for failure in failures if failure.model == last.model]
    waited = last.retry_at - tried[0].at
    is_spent = (
        not last.retryable
        or len(tried) >= ATTEMPTS_PER_MODEL
        or waited > ATTEMPTS_WITHIN_US
        or last.retry_at - last.at > LONGEST_WAIT_BEFORE_FALLBACK_US
    )
    if not is_spent:
        return last.model, last.retry_at
    position = models.index(last.model) if last.model in models else -1
    if position + 1 < len(models):
        return models[position + 1], 0
    if last.retryable and waited <= LAST_MODEL_WAITS_US:
        return last.model, last.retry_at
    return Fail(last.error)
