"""Whatever LiteLLM raises, as a ModelError."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.ports import ModelError
from runtime.providers.connections import Connection
from runtime.providers.fault import Fault, Sign, as_error, cut_off
from runtime.providers.retry_after import retry_after_seconds

SIGNS: tuple[tuple[str, Sign], ...] = (
    ("ContentPolicyViolationError", "refused"),
    ("ContextWindowExceededError", "too_long"),
    ("BadRequestError", "bad_request"),
    ("APITimeoutError", "timeout"),
    ("TimeoutException", "timeout"),
    ("APIConnectionError", "connection"),
)
PREFIX = re.compile(r"^(litellm\.\w+|\w*(Exception|Error)|Error code: \d+)\s*[:-]\s*")


def as_model_error(error: Exception, connection: Connection, tools: Sequence[Mapping[str, Any]] = ()) -> ModelError:
    """`tools` are those of the request, to name the one whose schema was refused."""
    original = getattr(error, "original_exception", None)
    if "MidStreamFallbackError" in _classes(error) and isinstance(original, Exception):
        inner = as_model_error(original, connection, tools)
        return inner if inner.kind not in ("unknown", "connection", "overloaded") else cut_off(connection)
    return as_error(_fault(error), connection, tools)


def _fault(error: Exception) -> Fault:
    classes = _classes(error)
    return Fault(
        message=_without_prefixes(str(getattr(error, "message", "") or error)),
        words=f"{error} {getattr(error, 'code', '')}",
        sign=next((sign for name, sign in SIGNS if name in classes), ""),
        status=getattr(error, "status_code", None),
        retry_after_seconds=retry_after_seconds(_headers(error)),
    )


def _classes(error: Exception) -> frozenset[str]:
    """Names instead of classes: those of LiteLLM, openai, httpx and aiohttp, without importing any of them."""
    return frozenset(kind.__name__ for kind in type(error).__mro__)


def _without_prefixes(text: str) -> str:
    text = " ".join(text.split())
    while (shorter := PREFIX.sub("", text)) != text:
        text = shorter
    return text


def _headers(error: Exception) -> dict[str, str]:
    response = getattr(error, "response", None)
    found: dict[str, str] = {}
    for headers in (getattr(response, "headers", None), getattr(error, "litellm_response_headers", None)):
        if isinstance(headers, Mapping):
            found |= {str(name).lower(): str(value) for name, value in headers.items()}
    return found
