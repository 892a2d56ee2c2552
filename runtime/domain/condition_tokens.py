"""The words of a condition: what it names, and what would take too long; CEL itself is read by the library."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

CHARACTERS_AT_MOST = 1000
MACROS_DEEP_AT_MOST = 2
PATTERNS_AT_MOST = 3  # each is compiled anew, a large one for a tenth of a second
MACROS = frozenset({"all", "exists", "exists_one", "filter"})
_WORDS = frozenset({"true", "false", "null", "in"})
_TYPES = frozenset({"bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"})
_EXACT = 2**53  # from here on a double skips whole numbers
_TOKEN = re.compile(
    r"""(?P<text>[rRbB]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
      |(?P<number>0[xX][0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+[uU]?)
      |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
      |(?P<space>\s+|//[^\n]*)
      |(?P<sign>&&|\|\||[<>=!]=|.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a condition; `kind` is text, number, name, space or sign. `start` is its place in the condition."""

    kind: str
    text: str
    start: int = 0


@dataclass(frozen=True, slots=True)
class Use:
    """A variable that a condition names, with its members: `vars.order.id` is root vars, members (order, id)."""

    root: str
    members: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.root, *self.members))


def tokens(text: str) -> tuple[Token, ...]:
    """All words in order, blanks and comments left out."""
    found = (Token(match.lastgroup or "", match[0], match.start()) for match in _TOKEN.finditer(text))
    return tuple(token for token in found if token.kind != "space")


def with_doubles(words: tuple[Token, ...]) -> str:
    """The condition with each whole number as a double; an index such as `[0]` stays whole."""
    written = []
    for at, token in enumerate(words):
        whole = token.kind == "number" and token.text.isdecimal() and int(token.text) < _EXACT
        written.append(f"{token.text}.0" if whole and not _is_index(words, at) else token.text)
    return " ".join(written)


def too_heavy(text: str, words: tuple[Token, ...]) -> str:
    """Why this would take too long or too much memory; empty if it does not.

    No `map`, and a macro looks only through what was given: so nothing grows while it is judged.
    """
    if len(text) > CHARACTERS_AT_MOST:
        return f"it is longer than {CHARACTERS_AT_MOST:,} characters"
    if any(name == "map" for _, name, _ in _methods(words)):
        return "`map` is not available here; use `exists`, `all` or `filter`"
    patterns = [at for at, name, _ in _methods(words) if name == "matches"]
    if len(patterns) > PATTERNS_AT_MOST:
        return f"it has more than {PATTERNS_AT_MOST} patterns"
    if any(words[at + 2 : at + 3] == () or words[at + 2].kind != "text" for at in patterns):
        return 'the pattern of `matches` must be written as a text, such as `vars.id.matches("^R-[0-9]+$")`'
    if any(deep and name == "matches" for _, name, deep in _methods(words)):
        return "`matches` cannot be used inside `all`, `exists` or `filter`"
    for at, name, deep in _methods(words):
        if name in MACROS and not _follows_a_path(words, at):
            return f"`{name}` must stand behind a variable, such as `args.items.{name}(i, i.amount > 0)`"
        if name in MACROS and deep >= MACROS_DEEP_AT_MOST:
            return f"more than {MACROS_DEEP_AT_MOST} of `all`, `exists` and `filter` are inside each other"
    return ""


def macro_depth(words: tuple[Token, ...]) -> int:
    """How many macros are inside each other at most."""
    return max((deep + 1 for _, name, deep in _methods(words) if name in MACROS), default=0)


def uses(words: tuple[Token, ...]) -> tuple[Use, ...]:
    """The variables that are named, in order; those that a macro makes for its items are left out."""
    found = [Use(words[at].text, tuple(map(_name, _members(words, at + 1)))) for at in _roots(words)]
    return tuple(dict.fromkeys(found))


def mentions(words: tuple[Token, ...], path: tuple[str, ...]) -> Iterator[Token]:
    """The word that ends each mention of a path: `amount` of `vars.amount`, `"amount"` of `vars["amount"]`."""
    for at in _roots(words):
        found = [words[at], *_members(words, at + 1)][: len(path)]
        if tuple(map(_name, found)) == path:
            yield found[-1]


def compared(words: tuple[Token, ...], path: tuple[str, ...]) -> Iterator[Token]:
    """The texts that a path is compared with: `args.to == "open"`, `"open" != args.to`, `args.to in ["open"]`."""
    for last in mentions(words, path):
        at = words.index(last)
        before, behind = at - 2 * (len(path) - 1) - 1, at + 1 + (_sign(words, at + 1) == "]")
        if _sign(words, before) in ("==", "!=") and before > 0:
            yield from _texts(words[before - 1 : before])
        if _sign(words, behind) in ("==", "!="):
            yield from _texts(words[behind + 1 : behind + 2])
        elif words[behind : behind + 1] and words[behind].text == "in" and _sign(words, behind + 1) == "[":
            end = next((n for n in range(behind + 2, len(words)) if _sign(words, n) == "]"), len(words))
            yield from _texts(words[behind + 2 : end])


def _texts(words: tuple[Token, ...]) -> Iterator[Token]:
    return (token for token in words if token.kind == "text")


def _name(token: Token) -> str:
    return token.text[1:-1] if token.kind == "text" else token.text


def _roots(words: tuple[Token, ...]) -> Iterator[int]:
    """Where each variable is named; those that a macro makes for its items are left out."""
    items = {words[at + 2].text for at, name, _ in _methods(words) if name in MACROS and len(words) > at + 2}
    return (at for at, token in enumerate(words) if _is_root(words, at) and token.text not in items)


def _is_root(words: tuple[Token, ...], at: int) -> bool:
    token = words[at]
    is_plain = token.kind == "name" and token.text not in _WORDS and token.text not in _TYPES
    return is_plain and _sign(words, at - 1) != "." and _sign(words, at + 1) != "("


def _members(words: tuple[Token, ...], at: int) -> Iterator[Token]:
    """`.name`, as long as it is no method, and `["name"]`."""
    while True:
        after = words[at + 1] if at + 1 < len(words) else None
        if _sign(words, at) == "." and after is not None and after.kind == "name" and _sign(words, at + 2) != "(":
            yield after
            at += 2
        elif _sign(words, at) == "[" and after is not None and after.kind == "text" and _sign(words, at + 2) == "]":
            yield after
            at += 3
        else:
            return


def _methods(words: tuple[Token, ...]) -> Iterator[tuple[int, str, int]]:
    """Each `.name(` with its place, and the number of macros that it stands in."""
    open_macros: list[bool] = []
    for at, token in enumerate(words):
        if token.kind == "name" and _sign(words, at - 1) == "." and _sign(words, at + 1) == "(":
            yield at, token.text, sum(open_macros)
        elif token.text in ("(", "[", "{") and token.kind == "sign":
            called = words[at - 1] if at else None
            open_macros.append(token.text == "(" and called is not None and called.text in MACROS)
        elif token.text in (")", "]", "}") and token.kind == "sign" and open_macros:
            open_macros.pop()


def _follows_a_path(words: tuple[Token, ...], at: int) -> bool:
    """Whether the method at `at` stands behind `name.name["name"][0]`."""
    at -= 2
    while at >= 0:
        if words[at].kind == "name" and words[at].text not in _WORDS:
            if _sign(words, at - 1) != ".":
                return True
            at -= 2
        elif (
            _sign(words, at) == "]"
            and at >= 3
            and words[at - 1].kind in ("text", "number")
            and _is_index(words, at - 1)
        ):
            at -= 3
        else:
            return False
    return False


def _is_index(words: tuple[Token, ...], at: int) -> bool:
    before = words[at - 2] if at >= 2 else None
    behind_value = before is not None and (before.kind == "name" or before.text in ("]", ")"))
    return _sign(words, at - 1) == "[" and _sign(words, at + 1) == "]" and behind_value


def _sign(words: tuple[Token, ...], at: int) -> str:
    return words[at].text if 0 <= at < len(words) and words[at].kind == "sign" else ""
