"""Searching in memories by the beginnings of words, as every store does it."""

import re
from collections.abc import Collection

from runtime.domain.memory import Memory, shown
from runtime.domain.text import clean

WORDS_AT_MOST = 20
FOUND_AT_MOST = 20
WORD_CHARACTERS = 100
_WORD = re.compile(r"[^\W_]+")


def search_words(text: str) -> list[str]:
    """The words of a text, without capitals: what is looked for, and what is looked at."""
    return [word[:WORD_CHARACTERS] for word in _WORD.findall(clean(text).casefold())]


def words_of(key: str, value: str | None) -> str:
    """What is looked at when a memory is searched: the words of its key and of its value."""
    return " ".join(search_words(f"{key} {value or ''}"))


def searched(memories: Collection[Memory], text: str) -> list[Memory]:
    """Those in which a word begins like one of these, the most hits first."""
    wanted = search_words(text)[:WORDS_AT_MOST]
    hits = {one.key: _hits(one, wanted) for one in memories}
    found = [one for one in shown(memories) if hits[one.key]]
    return sorted(found, key=lambda one: (-hits[one.key], one.key))[:FOUND_AT_MOST]


def _hits(memory: Memory, wanted: list[str]) -> int:
    here = search_words(f"{memory.key} {memory.value or ''}")
    return sum(any(word.startswith(one) for word in here) for one in wanted)
