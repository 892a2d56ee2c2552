"""Finds the tool, and the field of its schema, that a provider's refusal is about."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

BY_NAME = re.compile(r"[Ii]nvalid (?:schema|parameters) for (?:function|tool) ['\"]([^'\"]+)['\"](.*)", re.DOTALL)
BY_PLACE = re.compile(
    r"tools[.\[](\d+)\]?(?:\.?[\w\[\]]*?(?:function_declarations|custom|function)[.\[\]]?(\d*)\]?)?(\S*)"
)
CONTEXT = re.compile(r"context=\(([^)]*)\)")
PROPERTY = re.compile(r"properties[.\[/]+['\"]?([\w-]+)")


def schema_refusal(words: str, tools: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """(tool, field), the field empty if it is not told; None if the refusal is about something else."""
    names = [str(tool["name"]) for tool in tools]
    if (match := BY_NAME.search(words)) is not None:
        return match[1], _field(match[2])
    if (match := BY_PLACE.search(words)) is not None:
        place = int(match[2] or match[1])
        if place < len(names):
            return names[place], _field(match[3])
    if "schema" in words.lower():
        named = [name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", words)]
        if len(named) == 1:
            return named[0], _field(words)
    return None


def _field(words: str) -> str:
    if (context := CONTEXT.search(words)) is not None:
        parts = [part.strip().strip("'\"") for part in context[1].split(",") if part.strip()]
        return ".".join(part for part in parts if part not in ("properties", "items"))
    return ".".join(PROPERTY.findall(words))
