"""The nearest known word to a misspelt one."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that the author most likely meant, or None if none is near.

    A word of another case or with - for _ counts as the same.
    """
    by_plain = {_plain(name): name for name in known}
    found = get_close_matches(_plain(word[:100]), by_plain, n=1, cutoff=0.6)
    return by_plain[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean X?` with a leading space, or nothing."""
    found = nearest(word, known)
    return f" Did you mean `{found}`?" if found else ""


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")
