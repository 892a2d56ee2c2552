"""A compiled template as data: what to write, what to look up, what to repeat."""

from dataclasses import dataclass

type Literal = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Lookup:
    """A dotted name into plain data, with the filters its value goes through. start and end lie in the template."""

    path: tuple[str, ...]
    filters: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A text, a number, true, false or none written in a condition. start and end lie in the template."""

    value: Literal
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Not:
    """True when its part is not."""

    part: "Condition"


@dataclass(frozen=True, slots=True)
class Both:
    """`and` when `all`, else `or`."""

    parts: tuple["Condition", ...]
    all: bool


@dataclass(frozen=True, slots=True)
class Same:
    """`==`, or `!=` when `negated`."""

    left: "Condition"
    right: "Condition"
    negated: bool


type Condition = Lookup | Constant | Not | Both | Same


@dataclass(frozen=True, slots=True)
class Words:
    """Text as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The first branch whose condition holds; a condition of None is `else`."""

    branches: tuple[tuple[Condition | None, tuple["Piece", ...]], ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """The body once for each item of a list (or key of a mapping)."""

    name: str
    items: Lookup
    body: tuple["Piece", ...]


type Piece = Words | Lookup | Choice | Loop
