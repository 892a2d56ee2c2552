"""What a tool needs, as rows of a form and as a JSON Schema: whichever of the two was changed counts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.errors import Refused

KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes / no",
    "array": "list",
    "object": "object",
}
SPARE_ROWS = 2
MOST_ROWS = 60
EMPTY: Mapping[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class ArgumentRow:
    """One argument; an empty name is a spare row. `kind` is JSON Schema's type, or empty for another one."""

    number: int
    name: str = ""
    kind: str = "string"
    about: str = ""
    is_required: bool = False


def argument_rows(schema: Mapping[str, Any], *, spare: int = SPARE_ROWS) -> list[ArgumentRow]:
    """A row for each argument, and spare ones."""
    required = set(schema.get("required") or ())
    rows = [
        ArgumentRow(number, name, _kind(part), _about(part), name in required)
        for number, (name, part) in enumerate(schema.get("properties", {}).items())
    ]
    return rows + [ArgumentRow(len(rows) + number) for number in range(spare)]


def posted_schema(posted: Mapping[str, str]) -> dict[str, Any]:
    """The schema that a form means. Raises Refused for text that is no JSON object."""
    text, shown = posted.get("schema", ""), posted.get("schema_shown", "")
    if text.replace("\r\n", "\n").strip() != shown.replace("\r\n", "\n").strip():
        return _read(text)
    base = _read(shown) if shown.strip() else dict(EMPTY)
    return _from_rows(posted, base)


def schema_text(schema: Mapping[str, Any]) -> str:
    """The schema as people edit it."""
    return json.dumps(schema, indent=2, ensure_ascii=False)


def _from_rows(posted: Mapping[str, str], base: Mapping[str, Any]) -> dict[str, Any]:
    """The rows laid over what the schema says beyond them, such as a pattern."""
    before = base.get("properties", {})
    properties: dict[str, Any] = {}
    required = []
    for number in range(MOST_ROWS):
        name = posted.get(f"argument:{number}:name", "").strip()
        if not name:
            continue
        if name in properties:
            raise Refused(f"The argument {name} is there twice. Give one of them another name.")
        was, kind, about, must = (
            posted.get(f"argument:{number}:{key}", "") for key in ("was", "kind", "about", "must")
        )
        properties[name] = _part(before.get(was, {}), kind, about)
        if must:
            required.append(name)
    return {**base, "type": "object", "properties": properties, "required": required}


def _part(was: Any, kind: str, about: str) -> dict[str, Any]:
    part = dict(was) if isinstance(was, Mapping) else {}
    if kind in KINDS and kind != _kind(part):
        part = {"type": kind}
    part.pop("description", None)
    return {**part, "description": about.strip()} if about.strip() else part


def _read(text: str) -> dict[str, Any]:
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"The JSON Schema cannot be read: {str(error)[:200]}.") from None
    if not isinstance(schema, dict):
        raise Refused("The JSON Schema is not an object.")
    return schema


def _kind(part: Any) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else None
    return kind if isinstance(kind, str) and kind in KINDS else ""


def _about(part: Any) -> str:
    about = part.get("description") if isinstance(part, Mapping) else None
    return about if isinstance(about, str) else ""
