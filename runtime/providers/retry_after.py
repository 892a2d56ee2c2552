"""When a provider wishes to be asked again."""

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Seconds from the headers (names in lower case), given as milliseconds, seconds or a date; None without any."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    wish = headers.get("retry-after", "")
    if (seconds := _number(wish)) is not None:
        return seconds
    with contextlib.suppress(ValueError, TypeError):
        at = parsedate_to_datetime(wish)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
