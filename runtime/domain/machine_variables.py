"""The typed variables of a business state: what they begin with, and what may be put into them."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from runtime.domain.arguments import canonical
from runtime.domain.condition import condition
from runtime.domain.definition import StateMachine, Variable
from runtime.domain.spelling import did_you_mean

CHARACTERS_AT_MOST = 4000  # of one value as JSON: all of them stand in the tail of every prompt
NOW = "now"
_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a text"),
    "number": ((int, float), "a number"),
    "integer": ((int,), "a whole number"),
    "boolean": ((bool,), "true or false"),
    "array": ((list,), "a list"),
    "object": ((dict,), "a mapping"),
}


def first_values(machine: StateMachine) -> dict[str, Any]:
    """The variables that have a default. One without has no value, so that a guard over it refuses."""
    return {name: one.default for name, one in machine.variables.items() if one.default is not None}


def set_problem(variables: Mapping[str, Variable], given: Mapping[str, Any]) -> str:
    """Why these values cannot be put into the variables, as half a sentence; empty if they can."""
    for name, value in given.items():
        if name not in variables:
            known = list(variables)
            meant = did_you_mean(name, known) or f" The variables are: {', '.join(known) or 'none'}."
            return f"there is no variable {name[:60]}.{meant}"
        problem = value_problem(variables[name], value)
        if problem:
            return f"the variable {name} {problem}"
    return ""


def value_problem(variable: Variable, value: Any) -> str:
    """Why the value does not fit, such as `must be a number`; empty if it fits."""
    kinds, words = _KINDS[variable.type]
    if not isinstance(fitted(variable, value), kinds) or (isinstance(value, bool) and bool not in kinds):
        return f"must be {words}"
    if len(canonical(value)) > CHARACTERS_AT_MOST:
        return f"must be at most {CHARACTERS_AT_MOST:,} characters"
    return ""


def fitted(variable: Variable | None, value: Any) -> Any:
    """The value, a whole number without its `.0` where one is wanted."""
    wants_whole = variable is not None and variable.type == "integer"
    return int(value) if wants_whole and isinstance(value, float) and value.is_integer() else value


def assigned(assignments: Mapping[str, Any], values: Mapping[str, Any], at: int) -> Iterator[tuple[str, Any]]:
    """What an author's `set` comes to: literals, `now` (the time `at`, in microseconds), and CEL behind a `=`.

    Raises ConditionFailed.
    """
    for name, value in assignments.items():
        if value == NOW:
            yield name, datetime.fromtimestamp(at // 1_000_000, UTC).isoformat().replace("+00:00", "Z")
        elif isinstance(value, str) and value.startswith("="):
            yield name, condition(value[1:].strip()).value(values)
        else:
            yield name, value
