"""Template text to pieces, with a problem for everything between braces that is not understood."""

import re
from dataclasses import dataclass, field

from runtime.domain.template_expression import NotAnExpression, read_condition, read_lookup
from runtime.domain.template_node import Both, Choice, Condition, Constant, Lookup, Loop, Not, Piece, Same, Words

_TAG = re.compile(r"\{\{(?P<shown>[^\n]{0,1000}?)\}\}|\{%(?P<tag>[^\n]{0,1000}?)%\}|(?P<open>\{\{|\{%)")
_FOR = re.compile(r"\s*([^\W\d_]\w*)\s+in\s+(.*)", re.DOTALL)
_BLOCK_DEPTH = 16
_PROBLEMS_AT_MOST = 100


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """One sentence about text[start:end] of a template."""

    start: int
    end: int
    message: str


@dataclass(slots=True)
class _Block:
    """An `if` or `for` whose end has not come yet."""

    kind: str
    start: int
    end: int
    name: str = ""
    items: Lookup | None = None
    branches: list[tuple[Condition | None, list[Piece]]] = field(default_factory=list)


class TemplateReader:
    """Reads one text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blocks = [_Block("text", 0, 0, branches=[(None, [])])]
        self.problems: list[TemplateProblem] = []
        self.placeholders: list[Lookup] = []

    def read(self) -> tuple[Piece, ...]:
        """The pieces; problems and placeholders are collected on the way."""
        position = 0
        for match in _TAG.finditer(self._text):
            self._words(position, match.start())
            position = match.end()
            try:
                self._take(match)
            except NotAnExpression as error:
                self._report(match.start(), match.end(), str(error))
                self._words(match.start(), match.end())
            if len(self.problems) >= _PROBLEMS_AT_MOST:
                break
        self._words(position, len(self._text))
        while len(self._blocks) > 1:
            block = self._blocks[-1]
            self._report(block.start, block.end, f"This `{block.kind}` is never closed. Add `{{% end{block.kind} %}}`.")
            self._close()
        return tuple(self._blocks[0].branches[0][1])

    def _take(self, match: re.Match[str]) -> None:
        if match["open"]:
            raise NotAnExpression(f"`{match['open']}` is never closed in its line. Close it, or remove one brace.")
        if match["tag"] is not None:
            self._tag(match)
            return
        self._add(self._lookup(match["shown"], match.start("shown")))

    def _tag(self, match: re.Match[str]) -> None:
        word, _, rest = match["tag"].strip().partition(" ")
        start = match.start("tag") + match["tag"].find(rest) if rest else match.end("tag")
        match word:
            case "if":
                self._open(_Block("if", match.start(), match.end(), branches=[(self._condition(rest, start), [])]))
            case "elif" | "else":
                self._branch(word, rest, start)
            case "for":
                self._for(rest, start, match)
            case "endif" | "endfor":
                if self._blocks[-1].kind != word.removeprefix("end") or rest:
                    raise NotAnExpression(f"`{word}` closes nothing here. Remove it.")
                self._close()
            case _:
                raise NotAnExpression(
                    "A tag is one of `if`, `elif`, `else`, `endif`, `for`, `endfor`. Remove this one."
                )

    def _branch(self, word: str, rest: str, start: int) -> None:
        block = self._blocks[-1]
        if block.kind != "if" or block.branches[-1][0] is None or (word == "else" and rest):
            raise NotAnExpression(f"`{word}` does not belong here. Remove it.")
        block.branches.append((self._condition(rest, start) if word == "elif" else None, []))

    def _for(self, rest: str, start: int, match: re.Match[str]) -> None:
        found = _FOR.fullmatch(rest)
        block = _Block("for", match.start(), match.end(), branches=[(None, [])])
        try:
            if found is None:
                raise NotAnExpression("A loop is written `{% for x in memory.names %}`.")
            block.items = self._lookup(found[2], start + found.start(2))
            block.name = found[1]
        finally:
            self._open(block)

    def _lookup(self, source: str, start: int) -> Lookup:
        lookup = read_lookup(source, start)
        self._note(lookup)
        return lookup

    def _condition(self, source: str, start: int) -> Condition:
        condition = read_condition(source, start)
        for lookup in _lookups(condition):
            self._note(lookup)
        return condition

    def _note(self, lookup: Lookup) -> None:
        if not any(block.name == lookup.path[0] for block in self._blocks):
            self.placeholders.append(lookup)

    def _open(self, block: _Block) -> None:
        if len(self._blocks) > _BLOCK_DEPTH:
            raise NotAnExpression(f"Blocks are nested deeper than {_BLOCK_DEPTH}. Flatten them.")
        self._blocks.append(block)

    def _close(self) -> None:
        block = self._blocks.pop()
        branches = tuple((condition, tuple(pieces)) for condition, pieces in block.branches)
        if block.kind == "if":
            self._add(Choice(branches))
        elif block.items is not None:
            self._add(Loop(block.name, block.items, branches[0][1]))

    def _words(self, start: int, end: int) -> None:
        if end > start:
            self._add(Words(self._text[start:end]))

    def _add(self, piece: Piece) -> None:
        self._blocks[-1].branches[-1][1].append(piece)

    def _report(self, start: int, end: int, message: str) -> None:
        if len(self.problems) < _PROBLEMS_AT_MOST:
            self.problems.append(TemplateProblem(start, end, message))


def _lookups(condition: Condition) -> list[Lookup]:
    match condition:
        case Lookup():
            return [condition]
        case Constant():
            return []
        case Not(part):
            return _lookups(part)
        case Both(parts, _):
            return [lookup for part in parts for lookup in _lookups(part)]
        case Same(left, right, _):
            return _lookups(left) + _lookups(right)
