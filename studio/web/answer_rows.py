"""A structured answer as the rows of a table."""

import json
from collections.abc import Sequence
from typing import Any


def answer_rows(content: str) -> Sequence[tuple[str, str]]:
    """Names and values of a JSON object, what is nested indented; nothing for any other text."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return ()
    return [(str(name), _cell(part)) for name, part in value.items()] if isinstance(value, dict) else ()


def _cell(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case list() if all(isinstance(item, str | int | float) for item in value):
            return ", ".join(str(item) for item in value)
        case _:
            return json.dumps(value, ensure_ascii=False, indent=2)
