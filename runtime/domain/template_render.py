"""Pieces of a template to text, within bounds."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from runtime.domain.template_node import Both, Choice, Condition, Constant, Lookup, Loop, Not, Piece, Same, Words

OUTPUT_CHARACTERS = 64 * 1024
LOOP_ROUNDS = 1000
CUT_MARK = "\n[The template's text is longer than 64 KiB or 1,000 loop rounds and was cut here.]"

type Values = Mapping[str, object]


def render_pieces(pieces: tuple[Piece, ...], values: Values) -> str:
    """The text of the pieces; cut with a mark where it grows over the bounds."""
    output = _Output()
    try:
        _write(pieces, values, output)
    except _Full:
        output.parts.append(CUT_MARK)
    return "".join(output.parts)


class _Full(Exception):
    """No more may be written."""


class _Output:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self._characters_left, self._rounds_left = OUTPUT_CHARACTERS, LOOP_ROUNDS

    def add(self, text: str) -> None:
        self.parts.append(text[: self._characters_left])
        self._characters_left -= len(text)
        if self._characters_left < 0:
            raise _Full

    def begin_round(self) -> None:
        self._rounds_left -= 1
        if self._rounds_left < 0:
            raise _Full


def _write(pieces: tuple[Piece, ...], values: Values, output: _Output) -> None:
    for piece in pieces:
        match piece:
            case Words(text):
                output.add(text)
            case Lookup():
                output.add(_shown(piece, values))
            case Choice(branches):
                chosen = next((body for test, body in branches if test is None or _holds(test, values)), ())
                _write(chosen, values, output)
            case Loop(name, items, body):
                for item in _items(_value(items, values)):
                    output.begin_round()
                    _write(body, {**values, name: item}, output)


def _value(lookup: Lookup, values: Values) -> object:
    """What a dotted name leads to. The longest key wins, since the keys of a memory may hold dots."""
    found: object = values
    steps = lookup.path
    while steps:
        if not isinstance(found, Mapping):
            return None
        size = next((n for n in range(len(steps), 0, -1) if ".".join(steps[:n]) in found), 0)
        if size == 0:
            return None
        found, steps = found[".".join(steps[:size])], steps[size:]
    return found


def _holds(condition: Condition, values: Values) -> bool:
    match condition:
        case Not(part):
            return not _holds(part, values)
        case Both(parts, every):
            results = (_holds(part, values) for part in parts)
            return all(results) if every else any(results)
        case Same(left, right, negated):
            return (_operand(left, values) == _operand(right, values)) is not negated
        case Lookup() | Constant():
            return bool(_operand(condition, values))


def _operand(condition: Condition, values: Values) -> object:
    match condition:
        case Constant(value):
            return value
        case Lookup():
            return _value(condition, values)
        case _:
            return _holds(condition, values)


def _items(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return list(value)
    return []


def _shown(lookup: Lookup, values: Values) -> str:
    value = _value(lookup, values)
    for name in lookup.filters:
        value = _as_date(value) if name == "date" else _as_json(value)
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case Mapping() | list() | tuple():
            return _as_json(value)
        case _:
            return ""


def _as_date(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value).date().isoformat()
    except ValueError:
        return value


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=lambda _: None)
    except (ValueError, RecursionError):
        return ""
