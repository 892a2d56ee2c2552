"""Text to YAML nodes, by the core rules of YAML 1.2, with a bound on everything; nothing is ever built or called.

Source: agent-file.md, "The agent file"; security.md, "What comes in".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from runtime.domain.problem import Problem, Severity
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_compose import Composer, Refused
from runtime.domain.yaml_error import explain_yaml_error
from runtime.domain.yaml_node import Node

_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_SURROGATE_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_SHOWN_AT_MOST = 100


@dataclass(frozen=True, slots=True)
class YamlLimits:
    """How much one text may hold: code units of UTF-8, levels of nesting, nodes that aliases may add."""

    size_bytes: int = 256 * 1024
    depth: int = 32
    alias_nodes: int = 2_000


@dataclass(frozen=True, slots=True)
class YamlText:
    """A text with its nodes. `root` is None when the problems are such that nothing can be said about its content."""

    lines: TextLines
    root: Node | None
    problems: tuple[Problem, ...]


AGENT_FILE_LIMITS = YamlLimits()
IMPORT_LIMITS = YamlLimits(size_bytes=5 * 1024 * 1024, depth=50)


def read_yaml(text: str, limits: YamlLimits = AGENT_FILE_LIMITS) -> YamlText:
    """The one document of a text as nodes. Never raises; a text that breaks a limit is refused in words."""
    lines = TextLines(text)
    refused = tuple(_refusals(text, lines, limits))
    if refused:
        return YamlText(lines, None, refused)
    composer = Composer(lines, depth=limits.depth, alias_nodes=limits.alias_nodes)
    bom = 1 if text.startswith("\ufeff") else 0
    try:
        for event in yaml.parse(_without_surrogate_escapes(text[bom:]), Loader=yaml.CSafeLoader):
            composer.take(event, bom)
    except Refused:
        return YamlText(lines, None, tuple(composer.problems))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = explain_yaml_error(error, lines, bom)
        return YamlText(lines, None, (*composer.problems, problem))
    return YamlText(lines, composer.root, tuple(composer.problems[:_SHOWN_AT_MOST]))


def decode_text(data: bytes, limits: YamlLimits = AGENT_FILE_LIMITS) -> str | Problem:
    """The text of a file, a byte order mark included, or the problem that keeps it from being read."""
    if len(data) > limits.size_bytes:
        return Problem(Severity.ERROR, 1, 1, 1, 1, "", _too_large(len(data), limits))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = TextLines(data[: error.start].decode("utf-8"))
        sentence = f"The byte 0x{data[error.start]:02x} here is not UTF-8. Save the file as UTF-8 and open it again."
        return before.problem(Severity.ERROR, len(before.text), len(before.text), path=(), message=sentence)


def _refusals(text: str, lines: TextLines, limits: YamlLimits) -> Iterator[Problem]:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limits.size_bytes:
        yield lines.problem(Severity.ERROR, 0, 0, path=(), message=_too_large(size, limits))
        return
    for count, match in enumerate(_UNREADABLE.finditer(text)):
        if count == _SHOWN_AT_MOST:
            return
        code = ord(match[0])
        what = "half of a character" if 0xD800 <= code < 0xE000 else "a character that cannot be shown"
        sentence = f"There is {what} here (U+{code:04X}). Remove it."
        yield lines.problem(Severity.ERROR, match.start(), match.end(), path=(), message=sentence)


def _too_large(size: int, limits: YamlLimits) -> str:
    return f"The file has {size:,} bytes; at most {limits.size_bytes:,} are read. Shorten it."


def _without_surrogate_escapes(text: str) -> str:
    """JSON may write one character as two `\\u` escapes, which libyaml refuses: each becomes U+FFFD of equal length.

    The composer reads the true escapes from the author's text again.
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    return _SURROGATE_ESCAPE.sub(r"\1\\ufffd", text)
