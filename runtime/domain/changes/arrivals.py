"""What people, agents and the world say, as it changes the state. Pure."""

from runtime.domain.arguments import canonical
from runtime.domain.changes.calls import closed
from runtime.domain.events import (
    START,
    AgentInput,
    AgentInterruptReceived,
    AgentOutput,
    ExternalTrigger,
    MemoryRecalled,
    ToolResult,
    UserInput,
    UserInterrupt,
)
from runtime.domain.ownership import brought_by
from runtime.domain.readings import Readings
from runtime.domain.recollections import Granted, Recalled
from runtime.domain.state import Call, State, Stop, Turn
from runtime.domain.trajectory import Event


def said(state: State, before: State, said: UserInput) -> State:
    """A person's message; it is the answer to the question that this person was asked, if one is open."""
    event = state.last
    assert event is not None
    state = _spoken(state, before, said.name)
    if said.files:
        whom = said.name or "a person"
        state = state._replace(readings=state.readings.plus(untrusted=f"a file that {whom} sent"))
    is_start = said.form is not None and said.form.name == START
    given = said.form.values if said.form is not None and is_start else said.content
    turn = _new_turn(event)._replace(input=given, user=said.name, user_id=event.source)
    asked = asked_of(state, event.source, said)
    if asked is None or asked in state.detached:
        detached = tuple(call for call in state.detached if call is not asked)
        return message(state._replace(detached=detached), before, turn)
    words = said.content if said.form is None else f"{said.content}\n{canonical(said.form.values)}".strip()
    result = ToolResult(call_id=asked.id, content=f"{said.name or 'The person'} answered: {words}")
    return closed(state._replace(turn=turn, repeated=("", 0)), asked, result)


def asked_of(state: State, person: str, said: UserInput) -> Call | None:
    """The open question that this message of the person answers: the one that its form names, else the oldest."""
    questions = (call for call in state.open_calls if isinstance(call.made, AgentOutput) and call.made.to == person)
    if said.form is not None:
        return next((call for call in questions if call.id == said.form.name), None)
    return next(questions, None)


def agent_said(state: State, before: State, came: AgentInput) -> State:
    granted = Granted(came.namespace, came.memory) if came.memory else state.granted
    state = state._replace(readings=_passed_on(state, came), granted=granted)
    call = state.call(came.call_id) if came.call_id else None
    if call is None or not call.is_open:
        return woken(state, before, came.hops)
    return closed(state, call, ToolResult(call_id=call.id, status=came.status, content=came.content))


def broken_into(state: State, before: State, received: AgentInterruptReceived) -> State:
    """Another agent's interrupt, which may carry what it has read."""
    return woken(state._replace(readings=_passed_on(state, received)), before, received.hops)


def _passed_on(state: State, came: AgentInput | AgentInterruptReceived) -> Readings:
    """What its sender had read, as far as that counts."""
    agent = f"the agent {came.name or 'that wrote'}"
    untrusted = f"{agent} brought {came.untrusted_by or 'it'}" if came.untrusted else ""
    private = f"{agent} brought {came.private_by}" if came.private_by else ""
    return state.readings.plus(untrusted, private)


def triggered(state: State, before: State, trigger: ExternalTrigger) -> State:
    """Something from outside, which nobody vouches for."""
    readings = state.readings.plus(untrusted=f"what came through the trigger {trigger.trigger}")
    return woken(state._replace(readings=readings), before)


def remembered(state: State, memory: MemoryRecalled) -> State:
    """Memory that prompts have from now on, as long as the turn is its owner's."""
    recalled = Recalled(memory, state.turn.start, state.ownership.since)
    readings = state.readings.plus(private="memory in its prompt") if memory.entries else state.readings
    return state._replace(recalled=recalled, readings=readings)


def woken(state: State, before: State, hops: int = 0) -> State:
    """Something that no person of the conversation said: it belongs to the turn in hand, or opens one of its own."""
    assert state.last is not None
    turn = state.turn._replace(hops=max(hops, state.turn.hops))
    if not before.owes_answer:
        turn = Turn(start=state.seq, user=turn.user, user_id=turn.user_id, hops=hops)
        owner, name = brought_by(state.last.payload, state.last.source, before.ownership, before.dealings)
        state = state._replace(ownership=state.ownership.passed(owner, name, state.seq))
    return message(state, before, turn)


def message(state: State, before: State, turn: Turn) -> State:
    """Something that the model must answer."""
    assert state.last is not None
    return state._replace(
        unseen=state.unseen.plus(state.last),
        waking=state.seq,
        fresh=state.seq,
        stop=None,
        is_cut=before.is_cut or state.last.payload.is_urgent,
        turn=turn,
        repeated=state.repeated if turn is before.turn else ("", 0),
        failed="",  # a failed rollout goes on, at its step, with whatever wakes it
        failures=() if before.failed else state.failures,
        is_incompressible=state.is_incompressible and not before.failed,
    )


def interrupted(state: State, before: State, interrupt: UserInterrupt) -> State:
    event = state.last
    assert event is not None
    if interrupt.call_id:
        return state
    if not interrupt.is_bare:
        state = _spoken(state, before, interrupt.name)
        turn = _new_turn(event)._replace(input=interrupt.content, user=interrupt.name, user_id=event.source)
        return message(state, before, turn)._replace(failures=())
    state = state._replace(unseen=state.unseen.plus(event), failures=(), is_cut=True)
    if before.fresh > before.seen:  # the queue held messages: a normal step answers them
        return state._replace(waking=state.seq, stop=None)
    if not before.owes_answer or before.failed:  # nothing to stop
        return state
    in_account = before.stop is not None
    return _spoken(state, before, interrupt.name)._replace(
        waking=state.seq, stop=Stop(state.seq, interrupt.respond and not in_account)
    )


def _spoken(state: State, before: State, name: str) -> State:
    """The turn belongs to the first person of its batch."""
    assert state.last is not None
    ownership = before.ownership.spoken(state.last.source, name, state.seq, before.seen)
    return state._replace(ownership=ownership)


def _new_turn(event: Event) -> Turn:
    return Turn(start=event.seq)
