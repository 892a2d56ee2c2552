"""Text as trajectories may hold it: no NUL, no lone surrogates."""

import re

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
