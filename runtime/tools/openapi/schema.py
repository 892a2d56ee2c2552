"""Schemas of an API document as plain JSON Schemas: what they name is put in, what is OpenAPI's own is taken out."""

from collections.abc import Mapping
from typing import Any

from runtime.tools.http_form.errors import FormRefused

MOST_DEPTH = 16
_LOCAL = "#/"
_OPENAPI_ONLY = frozenset(
    {"nullable", "discriminator", "xml", "example", "examples", "externalDocs", "deprecated", "readOnly", "writeOnly"}
)


def resolved(document: Mapping[str, Any], part: Any) -> Mapping[str, Any]:
    """The part, or what its `$ref` names in the same document. Raises FormRefused."""
    for _ in range(MOST_DEPTH):
        if not isinstance(part, Mapping):
            return {}
        name = part.get("$ref")
        if name is None:
            return part
        part = _named(document, name)
    raise FormRefused("The document has names that lead in a circle.")


def plain_schema(document: Mapping[str, Any], schema: Any, seen: tuple[str, ...] = ()) -> dict[str, Any]:
    """A JSON Schema on its own. Where one names itself, anything may stand. Raises FormRefused."""
    if not isinstance(schema, Mapping):
        return {}
    name = schema.get("$ref")
    if isinstance(name, str):
        if name in seen or len(seen) >= MOST_DEPTH:
            return {}
        return plain_schema(document, _named(document, name), (*seen, name))
    plain = {
        key: _below(document, key, value, seen)
        for key, value in schema.items()
        if key not in _OPENAPI_ONLY and not key.startswith("x-")
    }
    _exclusive(plain, "minimum", "exclusiveMinimum")
    _exclusive(plain, "maximum", "exclusiveMaximum")
    if schema.get("nullable") is True and isinstance(plain.get("type"), str):
        plain["type"] = [plain["type"], "null"]
    return plain


def _below(document: Mapping[str, Any], key: str, value: Any, seen: tuple[str, ...]) -> Any:
    match key, value:
        case (("properties" | "patternProperties"), Mapping()):
            return {name: plain_schema(document, part, seen) for name, part in value.items()}
        case (("allOf" | "anyOf" | "oneOf" | "prefixItems"), list()):
            return [plain_schema(document, part, seen) for part in value]
        case (("items" | "not" | "additionalProperties"), Mapping()):
            return plain_schema(document, value, seen)
        case _:
            return value


def _exclusive(plain: dict[str, Any], limit: str, exclusive: str) -> None:
    """OpenAPI 3.0 says with a switch what JSON Schema says with a number."""
    if isinstance(plain.get(exclusive), bool) and plain.pop(exclusive) and limit in plain:
        plain[exclusive] = plain.pop(limit)


def _named(document: Mapping[str, Any], name: object) -> Any:
    if not isinstance(name, str) or not name.startswith(_LOCAL):
        raise FormRefused(f"The document names {str(name)[:100]}, which is outside of it. Put it into the document.")
    here: Any = document
    for step in name.removeprefix(_LOCAL).split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(here, Mapping) or step not in here:
            raise FormRefused(f"The document names {name[:100]}, and does not have it.")
        here = here[step]
    return here
