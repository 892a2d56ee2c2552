"""The JSON body of a call: arguments stand in it as the data that they are, never as text that could become more."""

from collections.abc import Mapping
from typing import Any

from runtime.tools.http_form.template import PLACE, Missing, filled

_LEFT_OUT = object()


def filled_body(template: Any, args: Mapping[str, Any]) -> Any:
    """The body for these arguments; what holds an argument that was not given is left out. None = nothing left."""
    found = _filled(template, args)
    return None if found is _LEFT_OUT else found


def _filled(template: Any, args: Mapping[str, Any]) -> Any:
    match template:
        case str():
            return _text(template, args)
        case Mapping():
            pairs = {name: _filled(value, args) for name, value in template.items()}
            return {name: value for name, value in pairs.items() if value is not _LEFT_OUT}
        case list() | tuple():
            return [item for one in template if (item := _filled(one, args)) is not _LEFT_OUT]
        case _:
            return template


def _text(template: str, args: Mapping[str, Any]) -> Any:
    """A text that is one place is the argument itself, of whatever type."""
    alone = PLACE.fullmatch(template)
    if alone:
        return args.get(alone[2], _LEFT_OUT)
    try:
        return filled(template, args, {})
    except Missing:
        return _LEFT_OUT
