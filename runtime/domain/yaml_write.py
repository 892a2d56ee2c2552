"""Values to YAML text that the core rules of YAML 1.2 read back as the same values."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from runtime.domain.yaml_scalar import NumberOutOfRange, core_value

_BLOCK_LISTS = frozenset({"tools", "agents", "triggers", "transitions", "mcp_servers"})  # one item a line
_FLOW_WIDTH = 80
_NOT_PLAIN_START = "-?:,[]{}#&*!|>'\"%@`"
_NEEDS_ESCAPE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def scalar_text(value: object, *, style: str = "", flow: bool = False, as_json: bool = False) -> str:
    """One value on one line, in the wished style ("" plain, ' or ") where that style can hold it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    if not as_json:
        if style == "'" and _is_quotable(text):
            return "'" + text.replace("'", "''") + "'"
        if style != '"' and _is_plain(text, flow=flow):
            return text
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def flow_text(value: object, *, as_json: bool = False) -> str:
    """Any value on one line, lists in brackets and mappings in braces."""
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{scalar_text(str(key), flow=True, as_json=as_json)}: {flow_text(item, as_json=as_json)}"
            for key, item in value.items()
        )
        return "{" + inner + "}"
    if is_list(value):
        return "[" + ", ".join(flow_text(item, as_json=as_json) for item in value) + "]"
    return scalar_text(value, flow=True, as_json=as_json)


def entry_lines(key: str, value: object) -> list[str]:
    """`key: value` as lines without indentation."""
    head = f"{scalar_text(key)}:"
    if isinstance(value, Mapping) and value:
        return [head, *_indented(line for name, item in value.items() for line in entry_lines(str(name), item))]
    if is_list(value) and value and (key in _BLOCK_LISTS or len(flow_text(value)) > _FLOW_WIDTH):
        return [head, *_indented(line for item in value for line in item_lines(item))]
    if isinstance(value, str) and "\n" in value and can_be_block(value):
        return [f"{head} {block_header(value, 2)}", *block_lines(value, "  ")]
    return [f"{head} {flow_text(value) if isinstance(value, Mapping) or is_list(value) else scalar_text(value)}"]


def item_lines(value: object) -> list[str]:
    """`- value` as lines without indentation."""
    if isinstance(value, Mapping) and len(value) == 1:
        ((key, inner),) = value.items()
        short = isinstance(inner, Mapping) and len(flow_text(inner)) <= _FLOW_WIDTH
        lines = [f"{scalar_text(str(key))}: {flow_text(inner)}"] if short else entry_lines(str(key), inner)
        return _behind_dash(lines)
    if isinstance(value, Mapping) and value:
        return _behind_dash([line for key, item in value.items() for line in entry_lines(str(key), item)])
    if isinstance(value, str) and "\n" in value and can_be_block(value):
        return [f"- {block_header(value, 2)}", *block_lines(value, "  ")]
    return [f"- {flow_text(value) if isinstance(value, Mapping) or is_list(value) else scalar_text(value)}"]


def can_be_block(text: str) -> bool:
    """Whether a text of several lines can stand as it is in a `|` block."""
    return bool(text.strip()) and not _NEEDS_ESCAPE.search(text.replace("\t", " "))


def block_header(text: str, indent: int) -> str:
    """The sign that begins a block: `|`, with what its end needs."""
    first = next((line for line in text.split("\n") if line), "")
    digit = str(indent) if first.startswith(" ") else ""
    if not text.endswith("\n"):
        return f"|{digit}-"
    return f"|{digit}" if not text.endswith("\n\n") else f"|{digit}+"


def block_lines(text: str, indent: str) -> list[str]:
    """The lines of a block's body; empty lines get no indentation."""
    body = text.removesuffix("\n").split("\n")
    return [indent + line if line else "" for line in body]


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is written as a list."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _behind_dash(lines: list[str]) -> list[str]:
    return [f"- {lines[0]}", *_indented(lines[1:])]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]


def _is_quotable(text: str) -> bool:
    return "\n" not in text and not _NEEDS_ESCAPE.search(text)


def _is_plain(text: str, *, flow: bool) -> bool:
    if not text or text != text.strip() or text[0] in _NOT_PLAIN_START or not _is_quotable(text):
        return False
    if ": " in text or " #" in text or text.endswith(":") or text.startswith(("---", "...")):
        return False
    if flow and any(sign in text for sign in ",[]{}"):
        return False
    try:
        return core_value(text) == text
    except NumberOutOfRange:
        return False
