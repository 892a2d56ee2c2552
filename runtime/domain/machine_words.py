"""The business states in words for the model: the whole machine once, and where it stands at each step."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runtime.domain.arguments import canonical
from runtime.domain.definition import BusinessState, StateMachine, Transition


def words(machine: StateMachine) -> str:
    """The state machine for the system prompt; the same for the whole rollout."""
    return "\n".join(_words(machine))


def tail_words(machine: StateMachine, state: str, vars: Mapping[str, Any], closed_tools: Sequence[str]) -> str:
    """Where the rollout stands, for the last message of a step."""
    return "\n".join(_tail(machine, state, vars, closed_tools))


def _words(machine: StateMachine) -> Iterator[str]:
    yield "# Business states"
    yield (
        "Your work is always in one of these states. Call update_rollout_state as soon as a move is due, and to keep "
        "what you learn in the variables. Other actions of the same answer are judged in the new state."
    )
    if machine.enforce:
        yield "Only the listed moves are possible."
    for name, state in machine.states.items():
        marks = [mark for mark, is_so in (("initial", name == machine.initial), ("final", state.final)) if is_so]
        described = f": {_line(state.description)}" if state.description else ""
        yield f"- {name}{f' ({", ".join(marks)})' if marks else ''}{described}"
        yield from (f"  - to {_move(way)}" for way in state.transitions)
        if state.max_stay:
            yield f"  - at the latest after {_time(state.max_stay.after_seconds)} to {state.max_stay.to}, by itself"
    if machine.variables:
        yield "Variables:"
    for name, variable in machine.variables.items():
        first = "" if variable.default is None else f", {canonical(variable.default)} at first"
        described = f": {_line(variable.description)}" if variable.description else ""
        yield f"- {name} ({variable.type}{first}){described}"


def _tail(machine: StateMachine, state: str, vars: Mapping[str, Any], closed_tools: Sequence[str]) -> Iterator[str]:
    here = machine.states.get(state) or BusinessState()
    yield f"State: {state}.{f' {_line(here.description)}' if here.description else ''}"
    if here.instructions.strip():
        yield here.instructions.strip()
    names = dict.fromkeys((*machine.variables, *vars))
    if names:
        values = (f"{name} = {canonical(vars[name]) if name in vars else 'not set'}" for name in names)
        yield f"Variables: {'; '.join(values)}."
    if here.final:
        yield "This state is final: the work is done once you have answered."
    elif here.transitions:
        yield "Moves from here:"
        yield from (f"- to {_move(way)}" for way in here.transitions)
    if closed_tools:
        yield f"Closed in this state, so do not call: {', '.join(closed_tools)}."


def _move(way: Transition) -> str:
    parts = [way.to]
    if way.when:
        parts.append(f"when {_line(way.when).removeprefix('when ')}")
    if way.guard:
        parts.append(f"only if `{_line(way.guard)}`")
    if way.approval not in (None, "never"):
        parts.append("a person has to agree" if way.approval in ("always", "once") else "a person may have to agree")
    return ", ".join(parts)


def _time(seconds: float) -> str:
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= size and seconds % size == 0:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count != 1 else ''}"
    return f"{seconds:g} seconds"


def _line(text: str) -> str:
    return " ".join(text.split())
