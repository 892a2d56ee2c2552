"""A condition in CEL, as in a guard or an approval: compiled once, judged without I/O and in bounded time.

JSON has one kind of number, CEL has two that do not mix. So numbers are judged as doubles first, and as whole numbers
where CEL insists on those: `args.amount * 2 > 100` and `args.amount > 0.5` hold for 51 and for 51.0 alike.
Source: runtime.md, 7; agent-file.md.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

import cel

from runtime.domain.condition_tokens import macro_depth, tokens, too_heavy, uses, with_doubles
from runtime.domain.errors import RuntimeFault
from runtime.domain.spelling import did_you_mean

_EXACT = 2**53
_WORK_AT_MOST = 20_000_000  # characters looked at, roughly: some tenths of a second
_FAULTS = (ValueError, TypeError, RuntimeError, LookupError, ArithmeticError)


class ConditionFailed(RuntimeFault):
    """A condition that cannot be judged. `reason` is half a sentence."""

    def __init__(self, condition: str, reason: str) -> None:
        self.condition, self.reason = condition, reason

    def __str__(self) -> str:
        return f"the condition `{_short(self.condition)}` cannot be judged: {self.reason}"


class Condition:
    """One condition. `problem`: why it cannot be used at all; empty if it can. Get it from `condition`."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = tokens(text)
        self.uses = uses(words)
        self.problem = too_heavy(text, words)
        self._depth = macro_depth(words)
        self._programs: tuple[tuple[cel.Program, bool], ...] = ()
        if not self.problem:
            try:
                plain = cel.compile(text)
                self._programs = ((cel.compile(with_doubles(words)), True), (plain, False))
            except ValueError as error:
                self.problem = _syntax(str(error))

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it is true of these variables (JSON values). Raises ConditionFailed."""
        found = self._found(values)
        if not isinstance(found, bool):
            raise ConditionFailed(self.text, f"it must come to true or false, and it is {_kind(found)}")
        return found

    def value(self, values: Mapping[str, Any]) -> Any:
        """What it comes to, as a JSON value. Raises ConditionFailed."""
        return self._json(self._found(values))

    def _found(self, values: Mapping[str, Any]) -> Any:
        if self.problem:
            raise ConditionFailed(self.text, self.problem)
        given = {name: values[name] for name in {use.root for use in self.uses} if name in values}
        if _work(given) * _longest(given) ** self._depth > _WORK_AT_MOST:
            raise ConditionFailed(self.text, "there is too much to look through")
        return self._evaluated(given)

    def _evaluated(self, given: Mapping[str, Any]) -> Any:
        failure: Exception | None = None
        for program, doubles in self._programs:
            try:
                return program.execute(_numbers(given, doubles=doubles))
            except TypeError as error:
                failure = error
            except _FAULTS as error:
                failure = error
                break
        assert failure is not None
        raise ConditionFailed(self.text, self._reason(failure)) from failure

    def _json(self, value: Any) -> Any:
        match value:
            case bool() | str() | int() | None:
                return value
            case float():
                return int(value) if value.is_integer() and abs(value) < _EXACT else value
            case list():
                return [self._json(item) for item in value]
            case dict():
                return {str(key): self._json(item) for key, item in value.items()}
            case _:
                raise ConditionFailed(self.text, f"it comes to {_kind(value)}, which cannot be kept")

    def _reason(self, error: Exception) -> str:
        match error:
            case KeyError():
                member = str(error.args[0]) if error.args else ""
                use = next((use for use in self.uses if member in use.members), None)
                return f"`{_short(str(use or member))}` has no value"
            case IndexError():
                return "a list in it is shorter than that"
            case ZeroDivisionError():
                return "it divides by zero"
            case TypeError():
                return "it compares or combines values that do not go together, such as a text and a number"
            case RuntimeError() if (unknown := str(error)).startswith("Undefined variable or function: '"):
                return (
                    f"there is nothing named `{_short(unknown.split("'")[1])}` here, or it does not go with that value"
                )
            case _:
                return _short(str(error).split("\n", 1)[0].rstrip("."), 200)


def _others(root: str, whole: list[str]) -> str:
    """What can be named instead, as a sentence."""
    if whole:
        return f" Known are {_listed(whole)}."
    return " Add the variable under `states`, or choose another condition." if root == "vars" else " There are none."


condition = lru_cache(maxsize=1024)(Condition)
"""The condition of a text, compiled once."""


def problem_with(text: str, known_names: Mapping[str, Collection[str] | None]) -> str | None:
    """What is wrong with a condition, as a sentence for its author; None if it is right.

    `known_names`: the variables with the names of their members; None = a variable with any members.
    """
    found = condition(text)
    if found.problem:
        return f"`{_short(text)}` is no condition: {found.problem}."
    for use in found.uses:
        if use.root not in known_names:
            meant = did_you_mean(use.root, known_names) or f" Known are {_listed(known_names)}."
            return f"There is nothing named `{_short(use.root)}` in a condition.{meant}"
        members = known_names[use.root]
        if members is not None and use.members and use.members[0] not in members:
            name = f"{use.root}.{use.members[0]}"
            whole = [f"{use.root}.{member}" for member in members]
            meant = did_you_mean(name, whole) or _others(use.root, whole)
            return f"There is no `{_short(name)}`.{meant}"
    return None


def _numbers(value: Any, *, doubles: bool) -> Any:
    match value:
        case bool():
            return value
        case int() if doubles and abs(value) < _EXACT:
            return float(value)
        case float() if not doubles and value.is_integer() and abs(value) < _EXACT:
            return int(value)
        case Mapping():
            return {key: _numbers(item, doubles=doubles) for key, item in value.items()}
        case list() | tuple():
            return [_numbers(item, doubles=doubles) for item in value]
        case _:
            return value


def _parts(value: Any) -> Iterator[Any]:
    """The value and all that is in it."""
    yield value
    match value:
        case Mapping():
            for item in value.values():
                yield from _parts(item)
        case list() | tuple():
            for item in value:
                yield from _parts(item)


def _work(given: Mapping[str, Any]) -> int:
    return sum(1 + (len(part) if isinstance(part, str) else 0) for part in _parts(given))


def _longest(given: Mapping[str, Any]) -> int:
    return max((len(part) for part in _parts(given) if isinstance(part, Mapping | list | tuple)), default=1)


def _syntax(error: str) -> str:
    """The library's first complaint, without its drawing."""
    reserved = error.partition("reserved identifier: ")[2].split("\n", 1)[0]
    if reserved:
        return f"`{_short(reserved)}` is a word of the language and names nothing"
    line = next((line for line in error.splitlines() if "ERROR: <input>:" in line), "")
    place = line.partition("ERROR: <input>:")[2]
    column = place.split(":")[1] if place.count(":") >= 2 else ""
    return f"it cannot be read at character {column}" if column.isdecimal() else "it cannot be read"


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case None:
            return "empty"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return "a time or another kind of value"


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{_short(name)}`" for name in sorted(names)[:12])


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[:most] + "…"
