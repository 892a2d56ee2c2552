"""Whether the arguments of a call fit its tool's schema, said in a sentence that names the field."""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

_MOST_PROBLEMS = 5
_SHOWN_CHARACTERS = 80
_NO_REMOTE_SCHEMAS: Registry[Any] = Registry()  # jsonschema's own default would fetch a `$ref` from the network

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}

_DEMANDS = {
    "minimum": "must be {} or more",
    "maximum": "must be {} or less",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "pattern": "must match the pattern {}",
    "format": "must be a valid {}",
}


def problem_with(schema: Mapping[str, Any], args: object) -> str | None:
    """What is wrong with the arguments, every field named, or None. The sentence is written for the model."""
    if not isinstance(args, Mapping):
        return f"the arguments must be a JSON object, they are {_shown(args)}"
    try:
        problems = list(dict.fromkeys(_sentences(_validator(json.dumps(dict(schema))), args)))
    except (SchemaError, Unresolvable, RecursionError) as error:
        return f"this tool cannot be called: its schema is broken ({str(error).splitlines()[0][:200]})"
    return "; ".join(problems) or None


def schema_problem(schema: Mapping[str, Any]) -> str | None:
    """What keeps this from being a JSON Schema, in one line; None if it is one."""
    try:
        _validator(json.dumps(dict(schema)))
    except SchemaError as error:
        place = ".".join(str(part) for part in error.absolute_path)
        return f"{place + ': ' if place else ''}{error.message.splitlines()[0][:200]}"
    except (TypeError, ValueError, RecursionError):
        return "it has a value that JSON does not know"
    return None


@functools.lru_cache(maxsize=512)
def _validator(schema: str) -> Draft202012Validator:
    """The validator of a schema that was found to be one. Raises SchemaError."""
    read = json.loads(schema)
    Draft202012Validator.check_schema(read)
    return Draft202012Validator(read, registry=_NO_REMOTE_SCHEMAS)


def _sentences(validator: Draft202012Validator, args: Mapping[str, Any]) -> Iterator[str]:
    for count, error in enumerate(validator.iter_errors(args)):
        if count == _MOST_PROBLEMS:
            return
        yield from _sentence(error)


def _sentence(error: ValidationError) -> Iterator[str]:
    """One failed keyword in words; `required` and `additionalProperties` name several fields at once."""
    keyword: str = str(error.validator)
    wanted: Any = error.validator_value
    value: Any = error.instance
    place = list(error.absolute_path)
    field = _field(place)
    match keyword:
        case "required":
            yield from (f"{_field([*place, name])} is missing" for name in wanted if name not in value)
        case "additionalProperties" if wanted is False:
            yield _unknown_fields(error, place)
        case "anyOf" | "oneOf":
            yield _alternatives(error, field)
        case _:
            yield f"{field} {_demand(keyword, wanted)}, it is {_shown(value)}"


def _demand(keyword: str, wanted: Any) -> str:
    match keyword:
        case "type":
            return f"must be {_types(wanted)}"
        case "enum":
            return f"must be one of {', '.join(_shown(item) for item in wanted)}"
        case "const":
            return f"must be {_shown(wanted)}"
        case "uniqueItems":
            return "must not have the same item twice"
        case _ if keyword in _DEMANDS:
            return _DEMANDS[keyword].format(wanted)
        case _:
            return f"does not fit the schema ({keyword})"


def _unknown_fields(error: ValidationError, place: list[str | int]) -> str:
    schema: Any = error.schema
    given: Any = error.instance
    known = list(schema.get("properties", {}))
    extra = [name for name in given if name not in known]
    named = ", ".join(_field([*place, name]) for name in extra[:_MOST_PROBLEMS])
    takes = ", ".join(f"`{name}`" for name in known) or "no arguments"
    owner = "this tool" if not place else _field(place)
    return f"{named} {'is' if len(extra) == 1 else 'are'} not known here; {owner} takes {takes}"


def _alternatives(error: ValidationError, field: str) -> str:
    """The one alternative that is of the value's type says more than the list of all types."""
    context: Sequence[ValidationError] = error.context or ()
    meant = [inner for inner in context if inner.validator != "type" or len(inner.relative_path) > 0]
    if meant:
        return next(iter(_sentence(meant[0])), f"{field} does not fit")
    kinds = [inner.validator_value for inner in context if isinstance(inner.validator_value, str)]
    return f"{field} must be {_types(kinds)}, it is {_shown(error.instance)}"


def _types(wanted: str | Sequence[str]) -> str:
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    return " or ".join(_TYPES.get(name, name) for name in names)


def _field(place: Sequence[str | int]) -> str:
    if not place:
        return "the arguments"
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return f"`{path.removeprefix('.')}`"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
