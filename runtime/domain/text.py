"""Text as trajectories may hold it: no NUL, no lone surrogates."""

import re
from collections.abc import Hashable

_UNFIT = re.compile("[\x00\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
REPLACEMENT = "�"


def is_fit(text: str) -> bool:
    """Whether the text has no NUL and no surrogate."""
    return _UNFIT.search(text) is None


def clean(text: str) -> str:
    """The text with surrogate pairs put together, and with NUL and lone surrogates as U+FFFD."""
    if is_fit(text):
        return text
    joined = _PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _UNFIT.sub(REPLACEMENT, joined)


def clipped(text: str, most: int) -> str:
    """At most so many characters of the text."""
    return text if len(text) <= most else text[: most - 1] + "…"


class Halves[Key: Hashable]:
    """Cleans texts that come in pieces, each text under its key: a pair cut between two pieces is put together."""

    def __init__(self) -> None:
        self._held: dict[Key, str] = {}

    def joined(self, key: Key, piece: str) -> str:
        """What can be handed on now; a first half at the end is held back for the next piece."""
        text = self._held.pop(key, "") + piece
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held[key], text = text[-1], text[:-1]
        return clean(text)

    def left(self) -> list[Key]:
        """The texts that ended in a half, which is now a U+FFFD to be added to them."""
        left, self._held = list(self._held), {}
        return left
