"""Arguments of a call: the model's text to a JSON object, and a JSON object to its one canonical text."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from runtime.domain.text import clean

MAX_DEPTH = 32

_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no blanks, characters as they are."""
    return _encoder.encode(value)


def args_sha256(tool: str, args: Mapping[str, Any]) -> str:
    """What an approval is bound to: the tool and its canonical arguments."""
    return hashlib.sha256(canonical([tool, args]).encode()).hexdigest()


def parse(text: str) -> dict[str, Any] | None:
    """The JSON object that a model wrote as arguments; None if it is none. No text at all means no arguments."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_refuse)
        return _cleaned(value, 0) if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _cleaned(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deep")
    match value:
        case str():
            return clean(value)
        case float() if value in (float("inf"), float("-inf")):
            raise ValueError("number out of range")
        case dict():
            return {clean(key): _cleaned(item, depth + 1) for key, item in value.items()}
        case list():
            return [_cleaned(item, depth + 1) for item in value]
        case _:
            return value
