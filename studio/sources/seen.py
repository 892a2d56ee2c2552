"""A cursor for sources that show everything they have each time: which of it was seen."""

import hashlib
import json
from collections.abc import Iterable

DIGEST_CHARACTERS = 16


def seen_in(cursor: str) -> list[str]:
    """The digests that a cursor holds, in its order."""
    found = json.loads(cursor or "[]")
    return [str(digest) for digest in found]


def cursor_of(digests: Iterable[str]) -> str:
    """The cursor that holds these; never empty, so that the first look is not mistaken."""
    return json.dumps(list(digests), separators=(",", ":"))


def digest(*parts: str) -> str:
    """A short name for one thing."""
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:DIGEST_CHARACTERS]
