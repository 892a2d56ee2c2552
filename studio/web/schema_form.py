"""A JSON Schema as the fields of a form, and what was typed into them as values again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from studio.errors import StudioError

LONG = 80  # characters: a longer text gets more than one line
NAMES = {"string": "text", "integer": "integer", "number": "number", "boolean": "switch"}


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One field. `kind`: text, area, integer, number, switch, choice, or json for what has no simple control."""

    name: str
    label: str
    kind: str
    value: str
    help: str = ""
    is_required: bool = False
    choices: tuple[str, ...] = ()


class NotOfItsKind(StudioError):
    """What was typed cannot be what the schema wants; names the field."""

    status: ClassVar[int] = 422

    def __init__(self, field: SchemaField, wanted: str) -> None:
        self.field, self.wanted = field, wanted

    def __str__(self) -> str:
        return f"{self.field.label}: write {self.wanted}."


def schema_fields(schema: Mapping[str, Any], values: Mapping[str, Any] | None = None) -> list[SchemaField]:
    """The fields of an object's properties, with these values in them."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping):
        return []
    wanted = set(required) if isinstance(required, list) else set()
    values = values or {}
    return [
        _field(str(name), _resolved(part, schema), values, is_required=name in wanted)
        for name, part in properties.items()
    ]


def values_of(fields: list[SchemaField], posted: Mapping[str, str], *, prefix: str) -> dict[str, Any]:
    """The values that were typed; a field that is empty and may be is left out. Raises NotOfItsKind."""
    found = {}
    for field in fields:
        typed = posted.get(prefix + field.name, "").replace("\r\n", "\n")
        if field.kind == "switch":
            found[field.name] = typed == "true"
        elif typed.strip() or (field.is_required and field.kind in ("text", "area")):
            found[field.name] = _value(field, typed)
    return found


def written(value: Any) -> str:
    """A value as a person reads it: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _resolved(part: Any, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part with what it names under `$defs` put in."""
    if not isinstance(part, Mapping):
        return {}
    name = str(part.get("$ref", "")).removeprefix("#/$defs/")
    named = schema.get("$defs", {}).get(name) if name and isinstance(schema.get("$defs"), Mapping) else None
    return {**named, **part} if isinstance(named, Mapping) else part


def _field(name: str, part: Mapping[str, Any], values: Mapping[str, Any], *, is_required: bool) -> SchemaField:
    value = values.get(name, part.get("default"))
    text = "" if value is None else written(value)
    choices = part.get("enum")
    kind = NAMES.get(str(part.get("type")), "json")
    if isinstance(choices, list) and choices and all(isinstance(choice, str) for choice in choices):
        return SchemaField(name, _label(name, part), "choice", text, _help(part), is_required, tuple(choices))
    if kind == "text" and (len(text) > LONG or "\n" in text):
        kind = "area"
    return SchemaField(name, _label(name, part), kind, text, _help(part), is_required)


def _label(name: str, part: Mapping[str, Any]) -> str:
    title = part.get("title")
    return title if isinstance(title, str) and title else name


def _help(part: Mapping[str, Any]) -> str:
    text = part.get("description")
    return text if isinstance(text, str) else ""


def _value(field: SchemaField, typed: str) -> Any:
    match field.kind:
        case "integer" | "number":
            return _number(field, typed.strip())
        case "json":
            try:
                return json.loads(typed)
            except (ValueError, RecursionError):
                raise NotOfItsKind(field, "JSON, such as [1, 2] or a text in quotes") from None
        case _:
            return typed


def _number(field: SchemaField, typed: str) -> int | float:
    try:
        return int(typed)
    except ValueError:
        pass
    try:
        number = float(typed)
    except ValueError:
        raise NotOfItsKind(field, "a number") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise NotOfItsKind(field, "a number")
    return number
