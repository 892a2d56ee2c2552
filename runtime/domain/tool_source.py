"""The entries of an agent file that stand for tools from outside: of an API document, or of a tool server."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

SOURCES: Mapping[str, str] = MappingProxyType({"openapi": "spec", "mcp": "server"})
"""What stands for them, and the setting that names where they come from."""

_ENDINGS = (".yaml", ".yml", ".json")


def source_of(kind: str, settings: Mapping[str, Any]) -> str:
    """The name of the document or server that the settings name; a document may be named as a file."""
    named = settings.get(SOURCES[kind])
    name = named if isinstance(named, str) else ""
    ending = next((ending for ending in _ENDINGS if kind == "openapi" and name.endswith(ending)), "")
    return name.removesuffix(ending)


def only_of(settings: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The names, as they are at the source, that a grant is limited to; None = all."""
    only = settings.get("only")
    return tuple(str(name) for name in only) if isinstance(only, list | tuple) else None
