"""The hash that chains an audit entry to the one before it."""

import hashlib
import json
from datetime import datetime
from typing import Any

FIRST = "0" * 64  # what the first entry follows


def entry_sha256(
    *,
    at: datetime,
    user: int | None,
    who: str,
    origin: str,
    action: str,
    subject: str,
    before: Any,
    after: Any,
    previous: str,
) -> str:
    """SHA-256, in hex, over all that the entry says and the hash of the entry before."""
    said = [at.isoformat(timespec="microseconds"), user, who, origin, action, subject, before, after, previous]
    text = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
