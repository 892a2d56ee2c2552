"""JSON from outside, read once and strictly: what could not be stored or shown again is refused in words."""

import json
import math
from collections.abc import Sequence
from typing import Any

from runtime.domain.text import is_fit
from studio.errors import Refused
from studio.services.content import MAX_BODY_BYTES, TooLong

MAX_DEPTH = 64
MAX_INTEGER = 2**63 - 1
MAX_NUMBER_CHARACTERS = 40


def read_json_object(body: bytes) -> dict[str, Any]:
    """The object in the body. Raises Refused, or TooLong over 2 MiB."""
    if len(body) > MAX_BODY_BYTES:
        raise TooLong("The body", MAX_BODY_BYTES)
    try:
        value = json.loads(
            body.decode(),
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_int=_integer,
            parse_float=_float,
        )
    except UnicodeDecodeError as error:
        raise Refused(f"The body is not UTF-8: byte {error.start} does not fit. Send JSON in UTF-8.") from error
    except RecursionError as error:
        raise Refused(f"The body is nested more than {MAX_DEPTH} deep. Make it flatter.") from error
    except json.JSONDecodeError as error:
        raise Refused(f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from error
    if not isinstance(value, dict):
        raise Refused("The body is not a JSON object. Send one, such as {}.")
    _must_be_fit(value)
    return value


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Refused(f"The field {_shown(twice)} is given twice in one object. Keep one of them.")
    return result


def _refuse_constant(name: str) -> Any:
    raise Refused(f"The body has {name}, which JSON does not know. Send null or a number.")


def _integer(text: str) -> int:
    if len(text) > MAX_NUMBER_CHARACTERS or not -MAX_INTEGER - 1 <= (value := int(text)) <= MAX_INTEGER:
        raise Refused(f"The number {text[:20]}… is too long to be kept exactly. Send it as text.")
    return value


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Refused(f"The number {text[:20]} is too large. Send it as text.")
    return value


def _must_be_fit(root: dict[str, Any]) -> None:
    """No NUL and no half of a character pair anywhere; not nested too deep."""
    left: list[tuple[str, int, Any]] = [("$", 1, root)]
    while left:
        path, depth, value = left.pop()
        if depth > MAX_DEPTH:
            raise Refused(f"The body is nested more than {MAX_DEPTH} deep. Make it flatter.")
        match value:
            case str() if not is_fit(value):
                raise Refused(
                    f"The text at {path[:200]} has a NUL character or half of a character pair, which cannot be kept. "
                    "Remove it."
                )
            case dict():
                if unfit := next((key for key in value if not is_fit(key)), None):
                    raise Refused(f"The field name {_shown(unfit)} at {path[:200]} has characters that cannot be kept.")
                left += ((f"{path}.{key}", depth + 1, item) for key, item in value.items())
            case list():
                left += ((f"{path}[{number}]", depth + 1, item) for number, item in enumerate(value))


def _shown(text: str) -> str:
    return json.dumps(text[:60])
