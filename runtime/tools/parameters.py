"""The parameters of a tool's function: as a JSON Schema for the model, and as values for the call."""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo

_DATA_KEYS = frozenset({"default", "const", "enum", "examples"})
_NAMED_SCHEMAS = frozenset({"properties", "$defs"})
_PREFIX = "argument_"  # keeps names such as `schema` or `copy` clear of pydantic's own attributes


class Parameters:
    """What the model may give to a function, read from its type hints; `skip` names what the framework gives."""

    def __init__(self, function: Callable[..., Any], *, skip: frozenset[str], described: Mapping[str, str]) -> None:
        hints = get_type_hints(function, include_extras=True)
        fields: dict[str, Any] = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if name not in skip:
                fields[_PREFIX + name] = _field(name, hints[name], parameter.default, described.get(name))
        self._names = [name.removeprefix(_PREFIX) for name in fields]
        self._model = create_model(
            "Arguments", __config__=ConfigDict(extra="forbid", frozen=True, protected_namespaces=()), **fields
        )
        self.schema: dict[str, Any] = closed_schema(self._model)

    def values(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by name, as the function's types. Raises pydantic's ValidationError."""
        given = self._model.model_validate(dict(args))
        return {name: getattr(given, _PREFIX + name) for name in self._names}


def closed_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a model: no titles, and nothing beside what it names."""
    plain = _without_titles(model.model_json_schema(by_alias=True))
    plain.pop("description", None)
    return {"properties": {}, **plain, "additionalProperties": False}


def _field(name: str, hint: Any, default: Any, description: str | None) -> Any:
    metadata = getattr(hint, "__metadata__", ())
    has_own_words = any(isinstance(item, FieldInfo) and item.description for item in metadata)
    alias = Field(alias=name) if has_own_words or description is None else Field(alias=name, description=description)
    return (Annotated[hint, alias], ...) if default is inspect.Parameter.empty else (Annotated[hint, alias], default)


def _without_titles(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain: dict[str, Any] = {}
    for key, value in node.items():
        if key in _NAMED_SCHEMAS:
            plain[key] = {name: _without_titles(schema) for name, schema in value.items()}
        elif key in _DATA_KEYS:
            plain[key] = value
        elif key != "title":
            plain[key] = _without_titles(value)
    return plain
