"""The small language between template braces: dotted names, filters, and conditions. No calls, no attributes."""

import re

from runtime.domain.template_node import Both, Condition, Constant, Literal, Lookup, Not, Same

FILTERS = ("date", "json")
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"\\]{0,1000}"|'[^'\\]{0,1000}')|(?P<number>-?[0-9]{1,15}(?:\.[0-9]{1,15})?)(?![\w.])"""
    r"""|(?P<name>[^\W\d_][\w-]*(?:\.\w[\w-]*)*)|(?P<sign>==|!=|\|))"""
)
_WORDS: dict[str, Literal] = {"true": True, "false": False, "none": None}
_RESERVED = frozenset({"and", "or", "not", "in", *_WORDS})
_DEPTH = 16


class NotAnExpression(Exception):
    """The text between the braces is none of ours; the message is a sentence for its author."""


def read_lookup(source: str, start: int) -> Lookup:
    """`name.name | filter` at text[start:]. Raises NotAnExpression."""
    reader = _Reader(source, start)
    lookup = reader.lookup()
    reader.expect_end()
    return lookup


def read_condition(source: str, start: int) -> Condition:
    """A condition with and, or, not, == and !=. Raises NotAnExpression."""
    reader = _Reader(source, start)
    condition = reader.either(0)
    reader.expect_end()
    return condition


class _Reader:
    """A cursor over the tokens of one expression."""

    def __init__(self, source: str, start: int) -> None:
        self._start = start
        self._tokens = list(_tokens(source, start))
        self._next = 0

    def either(self, depth: int) -> Condition:
        parts = [self._all(depth)]
        while self._take("name", "or"):
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else Both(tuple(parts), all=False)

    def _all(self, depth: int) -> Condition:
        parts = [self._maybe_not(depth)]
        while self._take("name", "and"):
            parts.append(self._maybe_not(depth))
        return parts[0] if len(parts) == 1 else Both(tuple(parts), all=True)

    def _maybe_not(self, depth: int) -> Condition:
        if self._take("name", "not"):
            if depth >= _DEPTH:
                raise NotAnExpression("This condition is too long. Shorten it.")
            return Not(self._maybe_not(depth + 1))
        left = self._operand()
        for sign in ("==", "!="):
            if self._take("sign", sign):
                return Same(left, self._operand(), negated=sign == "!=")
        return left

    def _operand(self) -> Condition:
        kind, text, start, end = self._peek()
        if kind == "text":
            self._next += 1
            return Constant(text[1:-1], start, end)
        if kind == "number":
            self._next += 1
            return Constant(float(text) if "." in text else int(text), start, end)
        if kind == "name" and text in _WORDS:
            self._next += 1
            return Constant(_WORDS[text], start, end)
        return self.lookup()

    def lookup(self) -> Lookup:
        kind, text, start, end = self._peek()
        path = tuple(text.split("."))
        if kind != "name" or text in _RESERVED:
            raise NotAnExpression("A name such as `state` or `memory.language` is wanted here.")
        if any(step.startswith("_") for step in path):
            raise NotAnExpression("A name cannot begin with `_`. Only the agent's own data can be shown.")
        self._next += 1
        filters = []
        while self._take("sign", "|"):
            filters.append(self._filter())
        return Lookup(path, tuple(filters), start, end)

    def _filter(self) -> str:
        kind, text, _, _ = self._peek()
        if kind != "name" or text not in FILTERS:
            raise NotAnExpression(f"A filter is one of {' or '.join(f'`{name}`' for name in FILTERS)}.")
        self._next += 1
        return text

    def expect_end(self) -> None:
        if self._next < len(self._tokens):
            raise NotAnExpression("There is more here than one name or condition. Remove the rest.")

    def _take(self, kind: str, text: str) -> bool:
        found = self._peek()[:2] == (kind, text)
        self._next += found
        return found

    def _peek(self) -> tuple[str, str, int, int]:
        return self._tokens[self._next] if self._next < len(self._tokens) else ("end", "", self._start, self._start)


def _tokens(source: str, start: int) -> list[tuple[str, str, int, int]]:
    tokens = []
    position = 0
    while source[position:].strip():
        match = _TOKEN.match(source, position)
        if match is None or match.lastgroup is None:
            raise NotAnExpression("Only names and conditions can stand here; nothing is computed or called.")
        kind = match.lastgroup
        tokens.append((kind, match[kind], start + match.start(kind), start + match.end(kind)))
        position = match.end()
    return tokens
