"""The JSON Schema of what a file holds, walked by the place of a validation error."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from runtime.domain.definition import Definition
from runtime.domain.part import Part

type Schema = Mapping[str, Any]


@cache
def file_schema(model: type[Part] = Definition) -> dict[str, Any]:
    """The JSON Schema of a file in its canonical form."""
    return model.model_json_schema(mode="validation", by_alias=True)


def schema_at(place: Sequence[str | int], model: type[Part] = Definition) -> Schema:
    """The schema of what stands at a place; empty where anything may stand."""
    whole = file_schema(model)
    schema = _resolved(whole, whole)
    for step in place:
        schema = _resolved(_below(schema, step), whole)
    return schema


def keys_at(place: Sequence[str | int], model: type[Part] = Definition) -> tuple[str, ...]:
    """The keys that may stand in the mapping at a place."""
    return tuple(schema_at(place, model).get("properties", ()))


def _below(schema: Schema, step: str | int) -> Schema:
    found: Any = schema.get("items") if isinstance(step, int) else schema.get("properties", {}).get(step)
    found = schema.get("additionalProperties") if found is None else found
    return found if isinstance(found, Mapping) else {}


def _resolved(schema: Schema, whole: Schema) -> Schema:
    while True:
        if "$ref" in schema:
            schema = whole["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
        elif "anyOf" in schema:
            schema = next(option for option in schema["anyOf"] if option.get("type") != "null")
        else:
            return schema
