"""What pydantic found, as sentences at the place in the author's text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails

from runtime.domain.canonical import FLUX_NAMES
from runtime.domain.definition import Definition
from runtime.domain.definition_shape import keys_at, schema_at
from runtime.domain.findings import Findings
from runtime.domain.part import Part
from runtime.domain.problem import Fix
from runtime.domain.spelling import did_you_mean, nearest
from runtime.domain.yaml_node import MappingNode, Node, Path, ScalarNode, SequenceNode, child

type Place = Sequence[str | int]

_EXTRA_ROOT_KEYS = (*FLUX_NAMES, "skills_dir", "long_term_memory")
_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "model_type": "a mapping (`key: value`)",
    "model_attributes_type": "a mapping (`key: value`)",
    "dict_type": "a mapping (`key: value`)",
    "mapping_type": "a mapping (`key: value`)",
    "tuple_type": "a list",
    "too_short": "a list with at least one item",
    "list_type": "a list",
}
_MODEL_PLACES = frozenset({"model", "fallback_models"})


def report_errors(
    errors: Sequence[ErrorDetails], root: MappingNode, findings: Findings, model: type[Part] = Definition
) -> None:
    """One problem for each error of reading a `model`, at the nearest node of the canonical tree `root`."""
    for error in errors:
        if findings.is_full:
            return
        place = error["loc"]
        node, key, found = _locate(root, place)
        if error["type"] == "extra_forbidden":
            _report_unknown_key(key or node, place, findings, model)
        elif error["type"] == "missing":
            _report_missing(node, key, place, findings)
        else:
            findings.error(node, _sentence(error, node, model), _quoted(error, node) if found else None)


def _locate(root: MappingNode, place: Place) -> tuple[Node, ScalarNode | None, bool]:
    """The deepest node on the way to a place, the key before it, and whether it is the place itself."""
    node: Node = root
    key: ScalarNode | None = None
    for step in place:
        below = child(node, str(step))
        if below is None:
            return node, key, False
        entry = node.entry(str(step)) if isinstance(node, MappingNode) else None
        node, key = below, entry.key if entry else key
    return node, key, True


def _report_unknown_key(key: Node, place: Place, findings: Findings, model: type[Part]) -> None:
    word = str(place[-1])
    known = keys_at(place[:-1], model)
    if len(place) == 1 and model is Definition:
        known = (*known, *_EXTRA_ROOT_KEYS)
        home = _home(word)
        if home:
            findings.error(key, f"`{word}` is no key of an agent; it belongs under `{home}`. Move it there.")
            return
    found = nearest(word, known)
    fix = Fix(f"Change to {found}", key.start, key.end, found) if found else None
    meant = did_you_mean(word, known) or " Remove it, or begin its name with `x-` to keep it as a note."
    findings.error(key, f"`{_short(word)}` is not a known key here.{meant}", fix)


def _home(word: str) -> str | None:
    for part in ("model_settings", "limits", "interrupts"):
        if word in keys_at((part,)):
            return part
    return None


def _report_missing(node: Node, key: ScalarNode | None, place: Place, findings: Findings) -> None:
    name = str(place[-1])
    inside = f" in `{key.text}`" if key is not None else ""
    findings.missing(node, name, f"`{name}` is missing{inside}. Add it.")


def _sentence(error: ErrorDetails, node: Node, model: type[Part]) -> str:
    name = f"`{_name(node.path)}`"
    kind, place = error["type"], error["loc"]
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal"):
        return f"{name} is out of range: {_range(schema_at(place, model))}."
    if kind in ("literal_error", "enum"):
        return _choice(name, node, schema_at(place, model))
    if kind == "string_pattern_mismatch":
        return _pattern(name, place)
    if kind == "string_too_long":
        return f"{name} is too long: at most {error['ctx']['max_length']} characters. Shorten it."
    if kind == "string_too_short":
        return f"{name} is empty. Write a value or remove it."
    if kind == "value_error":
        return f"{name} cannot be read: {error['ctx']['error']}."
    return f"{name} must be {_WANTED.get(kind, 'something else')}, not {_what(node)}."


def _pattern(name: str, place: Place) -> str:
    if not _MODEL_PLACES.isdisjoint(str(step) for step in place):
        return "`model` must be `provider/model`, the name of a model connection, or `playbook/NAME`, without spaces."
    return f"{name} may hold only a-z, 0-9 and -, and must begin and end with a letter or digit. Change it."


def _range(schema: Mapping[str, Any]) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum")
    if "exclusiveMinimum" in schema:
        return f"it must be more than {low} and at most {high:,}"
    return f"it must be between {low} and {high:,}"


def _choice(name: str, node: Node, schema: Mapping[str, Any]) -> str:
    words = [str(word) for word in schema.get("enum", (schema.get("const"),))]
    meant = did_you_mean(node.text, words) if isinstance(node, ScalarNode) else ""
    return f"{name} must be {' or '.join(f'`{word}`' for word in words)}.{meant}"


def _what(node: Node) -> str:
    match node:
        case MappingNode():
            return "a mapping"
        case SequenceNode():
            return "a list"
        case ScalarNode(value=bool()):
            return f"`{node.text}`"
        case ScalarNode(value=int() | float()):
            return "a number"
        case ScalarNode(value=None):
            return "empty"
        case ScalarNode():
            return "text"


def _quoted(error: ErrorDetails, node: Node) -> Fix | None:
    """For a number, a date or true where text is wanted: quotes around it."""
    if error["type"] != "string_type" or not isinstance(node, ScalarNode) or node.value is None:
        return None
    return Fix("Put it in quotes", node.start, node.end, json.dumps(node.text, ensure_ascii=False))


def _name(path: Path) -> str:
    names = [step for step in path if not step.isdecimal()]
    return _short(names[-1]) if names else "agent file"


def _short(word: str) -> str:
    return word if len(word) <= 60 else word[:60] + "…"
