"""The business states of an agent: which moves are allowed, and what a move sets. Pure; the state is the caller's.

Source: runtime.md, 7.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.agent import INVOKE, is_framework_call
from runtime.domain.arguments import canonical
from runtime.domain.condition import Condition, ConditionFailed, condition
from runtime.domain.definition import BusinessState, StateMachine, Transition
from runtime.domain.machine_variables import assigned, first_values, fitted, set_problem, value_problem
from runtime.domain.spelling import did_you_mean


@dataclass(frozen=True, slots=True)
class Move:
    """What was judged of a wish to move. `set` holds all that changes: what was given, then what the transition sets.

    `error` says why it was refused and what is allowed; `note` what is odd about an accepted one.
    `needs_approval`: a person must agree first; until then nothing changes.
    """

    accepted: bool
    to: str
    set: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    note: str = ""
    needs_approval: bool = False
    transition: Transition | None = None


def initial(machine: StateMachine) -> tuple[str, dict[str, Any]]:
    """The state and the variables that a rollout begins with."""
    return machine.initial, first_values(machine)


def judge(
    machine: StateMachine,
    state: str,
    vars: Mapping[str, Any],
    *,
    to: str,
    set: Mapping[str, Any],
    args: Mapping[str, Any],
    result: Any,
    at: int,
    user: Mapping[str, Any] | None = None,
) -> Move:
    """Whether the agent may move. Guards see the variables as the call sets them; `at` in microseconds.

    `to` the same state, or empty: only the variables change. A guard that cannot be judged refuses.
    """
    to = to or state
    given = {name: fitted(machine.variables.get(name), value) for name, value in set.items() if value is not None}
    problem = _ahead(machine, state, to) or set_problem(machine.variables, given)
    if problem:
        return Move(False, to, error=_refused(machine, state, problem))
    values = {"vars": {**vars, **given}, "args": args, "result": result, "user": user or {}}
    ways = [way for way in _state(machine, state).transitions if way.to == to]
    if not ways:
        return _outside(machine, state, to, given)
    way, problem = _first_open(ways, values)
    if way is None:
        return Move(False, to, error=_refused(machine, state, problem))
    return _along(machine, state, way, given, values, at)


def forced(machine: StateMachine, state: str, vars: Mapping[str, Any], *, to: str, set: Mapping[str, Any]) -> Move:
    """A move by a person, or at the end of the longest stay: to any state, without guards; values must still fit."""
    to = to or state
    given = {name: fitted(machine.variables.get(name), value) for name, value in set.items()}
    problem = _unknown(machine, to) or set_problem(machine.variables, given)
    if problem:
        return Move(False, to, error=f"The state stays {state}: {problem.rstrip('.')}.")
    is_listed = to == state or any(way.to == to for way in _state(machine, state).transitions)
    return Move(True, to, given, note="" if is_listed else f"No transition leads from {state} to {to}.")


def is_final(machine: StateMachine, state: str) -> bool:
    return bool(_state(machine, state).final)


def max_stay(machine: StateMachine, state: str) -> tuple[float, str] | None:
    """The longest stay in seconds, and where it leads."""
    longest = _state(machine, state).max_stay
    return (longest.after_seconds, longest.to) if longest else None


def allowed_tools(machine: StateMachine, state: str) -> frozenset[str] | None:
    """The tools that the state allows; None = all. An agent is listed by its name, or as `invoke_NAME`."""
    listed = _state(machine, state).tools
    if listed is None:
        return None
    return frozenset(listed) | {INVOKE + name.replace("-", "_") for name in listed}


def is_allowed(machine: StateMachine, state: str, tool: str) -> bool:
    """Whether a call may be made in this state. Framework calls always may, except that of a sub-agent."""
    if is_framework_call(tool) and not tool.startswith(INVOKE):
        return True
    allowed = allowed_tools(machine, state)
    return allowed is None or tool in allowed


def moves(machine: StateMachine, state: str) -> tuple[str, ...]:
    """The states that the listed transitions lead to, in order."""
    return tuple(dict.fromkeys(way.to for way in _state(machine, state).transitions))


def _state(machine: StateMachine, state: str) -> BusinessState:
    return machine.states.get(state) or BusinessState()


def _ahead(machine: StateMachine, state: str, to: str) -> str:
    """Why there is no way at all, before variables and guards are looked at."""
    if machine.enforce and is_final(machine, state):
        return f"{state} is final, and nothing follows it."
    return _unknown(machine, to)


def _unknown(machine: StateMachine, to: str) -> str:
    return "" if to in machine.states else f"there is no state {to[:60]}.{did_you_mean(to, machine.states)}"


def _outside(machine: StateMachine, state: str, to: str, given: Mapping[str, Any]) -> Move:
    if to == state:
        if given:
            return Move(True, to, given)
        return Move(False, to, error=_refused(machine, state, "it is that state already, and no variable was given."))
    if machine.enforce:
        return Move(False, to, error=_refused(machine, state, f"no transition leads from {state} to {to}."))
    return Move(True, to, given, note=f"No transition leads from {state} to {to}; the move was made all the same.")


def _first_open(ways: list[Transition], values: Mapping[str, Any]) -> tuple[Transition | None, str]:
    """The first transition whose guard holds, or why none does."""
    problems = []
    for way in ways:
        if way.guard is None:
            return way, ""
        problem = _guard_problem(condition(way.guard), values)
        if not problem:
            return way, ""
        problems.append(problem)
    return None, f"the move to {ways[0].to} is not open yet: {'; '.join(problems)}."


def _guard_problem(guard: Condition, values: Mapping[str, Any]) -> str:
    try:
        if guard.holds(values):
            return ""
    except ConditionFailed as failed:
        return f"its guard `{guard.text}` cannot be judged: {failed.reason}"
    seen = [f"{use} is {_brief(_looked_up(values, use.root, use.members))}" for use in guard.uses if use.root == "vars"]
    return f"its guard `{guard.text}` does not hold" + (f" ({', '.join(seen)})" if seen else "")


def _along(
    machine: StateMachine, state: str, way: Transition, given: Mapping[str, Any], values: Mapping[str, Any], at: int
) -> Move:
    changed = dict(given)
    try:
        for name, value in assigned(way.set, values, at):
            variable = machine.variables.get(name)
            problem = value_problem(variable, value) if variable else ""
            if problem:
                return Move(False, way.to, error=_refused(machine, state, f"its author's {name} {problem}."))
            changed[name] = fitted(variable, value)
    except ConditionFailed as failed:
        return Move(False, way.to, error=_refused(machine, state, f"{failed}."))
    return Move(True, way.to, changed, needs_approval=_needs_approval(way, values), transition=way)


def _needs_approval(way: Transition, values: Mapping[str, Any]) -> bool:
    """A condition that cannot be judged asks a person."""
    if way.approval in (None, "never"):
        return False
    if way.approval in ("always", "once"):
        return True
    try:
        return condition(way.approval or "").holds(values)
    except ConditionFailed:
        return True


def _refused(machine: StateMachine, state: str, problem: str) -> str:
    """What the model is told: the state as it is, why, and where it may go."""
    open_moves = [f"{way.to} ({way.when})" if way.when else way.to for way in _state(machine, state).transitions]
    if machine.enforce and not open_moves:
        allowed = "No move is possible from here."
    elif machine.enforce:
        allowed = f"Possible moves: {', '.join(dict.fromkeys(open_moves))}."
    else:
        allowed = f"The states are: {', '.join(machine.states)}."
    return f"The state stays {state}: {problem.rstrip('.')}. {allowed}"


def _looked_up(values: Any, root: str, members: tuple[str, ...]) -> Any:
    for name in (root, *members):
        values = values.get(name) if isinstance(values, Mapping) else None
    return values


def _brief(value: Any) -> str:
    text = "not set" if value is None else canonical(value)
    return text if len(text) <= 60 else text[:60] + "…"
