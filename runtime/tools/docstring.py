"""What a tool's docstring says: its description, and its parameters one by one."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass

_SECTION = re.compile(r"^(Args|Arguments|Returns|Raises|Yields|Note|Notes|Example|Examples):\s*$")
_PARAMETER = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Docstring:
    """`description` is the first paragraph on one line; `parameters` maps a name to its text on one line."""

    description: str
    parameters: Mapping[str, str]


def read_docstring(text: str) -> Docstring:
    """Read a docstring in Google's style."""
    lines = inspect.cleandoc(text).splitlines()
    return Docstring(_first_paragraph(lines), _parameters(lines))


def _first_paragraph(lines: list[str]) -> str:
    paragraph: list[str] = []
    for line in lines:
        if not line.strip() or _SECTION.match(line):
            break
        paragraph.append(line.strip())
    return " ".join(paragraph)


def _parameters(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line, depth in _argument_lines(lines):
        match = _PARAMETER.match(line) if depth == 0 else None
        if match:
            name = match.group(1)
            found[name] = match.group(2)
        elif name:
            found[name] = f"{found[name]} {line}".strip()
    return found


def _argument_lines(lines: list[str]) -> list[tuple[str, int]]:
    """The stripped lines below `Args:`, each with its indentation beyond that of the first."""
    inside, margin, body = False, -1, []
    for line in lines:
        section = _SECTION.match(line)
        if section:
            inside = section.group(1) in ("Args", "Arguments")
        elif inside and line.strip():
            indent = len(line) - len(line.lstrip())
            if indent == 0:
                break
            margin = indent if margin < 0 else margin
            body.append((line.strip(), indent - margin))
    return body
