"""When a provider wishes to be asked again."""

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any


def retry_after_seconds(error: Any) -> float | None:
    """Seconds from the headers of a refused request, given as milliseconds, seconds or a date; None without any."""
    headers = _headers(error)
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    wish = headers.get("retry-after", "")
    if (seconds := _number(wish)) is not None:
        return seconds
    with contextlib.suppress(ValueError, TypeError):
        at = parsedate_to_datetime(wish)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    return None


def _headers(error: Any) -> dict[str, str]:
    response = getattr(error, "response", None)
    found: dict[str, str] = {}
    for headers in (getattr(response, "headers", None), getattr(error, "litellm_response_headers", None)):
        if isinstance(headers, Mapping):
            found |= {str(name).lower(): str(value) for name, value in headers.items()}
    return found


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
