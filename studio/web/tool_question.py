"""A call of a tool in plain words, for a person who is asked about it."""

from collections.abc import Mapping
from string import Formatter
from typing import Any

from runtime.domain.tool import ToolSpec
from studio.queries.known import tool_registry

MOST_CHARACTERS = 40  # of one argument; a longer one is read in the table of arguments


def plain_question(tool: str) -> str:
    """The question without arguments, such as "Pay money back?"; empty for a tool that has no title here."""
    spec = _spec(tool)
    return f"{spec.title}?" if spec is not None and spec.title else ""


def exact_question(tool: str, args: Any) -> str:
    """The question about just this call, such as "Pay 60 EUR back?"; empty if its arguments are not short and plain."""
    spec = _spec(tool)
    if spec is None or not spec.question or not isinstance(args, Mapping):
        return ""
    try:
        named = [name for _, name, _, _ in Formatter().parse(spec.question) if name]
        return spec.question.format_map({name: _short(args[name]) for name in named})
    except (KeyError, ValueError):
        return ""


def _spec(tool: str) -> ToolSpec | None:
    registry = tool_registry()
    return registry.tool(tool).spec if tool in registry.names else None


def _short(value: Any) -> str:
    """Raises ValueError for what cannot stand in a sentence, or could pass for another one."""
    text = value if isinstance(value, str) else str(value) if type(value) in (int, float) else ""
    if not text.strip() or len(text) > MOST_CHARACTERS or not text.isprintable():
        raise ValueError(value)
    return text
