"""The difference of two texts, line by line in one column, with the changed words marked."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT_LINES = 3
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LONGEST_MARKED = 2_000  # characters; marking words inside longer lines costs more than it tells


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a line; `is_changed` for the words that differ."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: `kind` is same, added, removed or skipped (then `count` lines are left out)."""

    kind: str
    number: int
    runs: tuple[Run, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Diff:
    lines: tuple[DiffLine, ...]
    added: int
    removed: int


def diff(before: str, after: str) -> Diff:
    """What has to be done to `before` to get `after`; line ends do not count."""
    old, new = before.splitlines(), after.splitlines()
    lines = tuple(_lines(old, new))
    return Diff(lines, sum(line.kind == "added" for line in lines), sum(line.kind == "removed" for line in lines))


def _lines(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    opcodes = matcher.get_opcodes()
    for place, (kind, low, high, new_low, new_high) in enumerate(opcodes):
        if kind == "equal":
            yield from _same(new[new_low:new_high], new_low, place == 0, place == len(opcodes) - 1)
        else:
            yield from _changed(old[low:high], new[new_low:new_high], low, new_low)


def _same(lines: list[str], start: int, is_first: bool, is_last: bool) -> Iterator[DiffLine]:
    head = 0 if is_first else CONTEXT_LINES
    tail = 0 if is_last else CONTEXT_LINES
    skipped = len(lines) - head - tail
    for offset, line in enumerate(lines):
        if skipped > 1 and head <= offset < head + skipped:
            if offset == head:
                yield DiffLine("skipped", start + offset + 1, count=skipped)
            continue
        yield DiffLine("same", start + offset + 1, (Run(line, False),))


def _changed(old: list[str], new: list[str], low: int, new_low: int) -> Iterator[DiffLine]:
    marked = [_marked(one, other) for one, other in zip(old, new, strict=False)]
    olds = [runs[0] for runs in marked] + [(Run(line, bool(new)),) for line in old[len(marked) :]]
    news = [runs[1] for runs in marked] + [(Run(line, bool(old)),) for line in new[len(marked) :]]
    yield from (DiffLine("removed", low + number + 1, runs) for number, runs in enumerate(olds))
    yield from (DiffLine("added", new_low + number + 1, runs) for number, runs in enumerate(news))


def _marked(old: str, new: str) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
    if max(len(old), len(new)) > LONGEST_MARKED:
        return (Run(old, False),), (Run(new, False),)
    one, other = WORDS.findall(old), WORDS.findall(new)
    olds, news = [], []
    for kind, low, high, new_low, new_high in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        olds.append(Run("".join(one[low:high]), kind != "equal"))
        news.append(Run("".join(other[new_low:new_high]), kind != "equal"))
    return tuple(run for run in olds if run.text), tuple(run for run in news if run.text)
