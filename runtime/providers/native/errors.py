"""What a chat completions server refuses, and what breaks on the way to it, as a ModelError."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.ports import ModelError
from runtime.providers.connections import Connection
from runtime.providers.fault import Fault, as_error, called, cut_off
from runtime.providers.native.sse import TooLarge
from runtime.providers.retry_after import retry_after_seconds

ERROR_BYTES = 64 * 1024
UNREACHED = frozenset({"ConnectionTimeoutError", "ClientConnectionError", "InvalidURL"})


class NotAnAnswer(Exception):
    """A body that is no chat completion, such as a web page."""


class Garbled(Exception):
    """An event that cannot be read, after others that could."""


def refused(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    connection: Connection,
    tools: Sequence[Mapping[str, Any]],
) -> ModelError:
    """An HTTP error with what its body says; names of headers in any case."""
    text = body[:ERROR_BYTES].decode("utf-8", "replace")
    wish = retry_after_seconds({name.lower(): value for name, value in headers.items()})
    fault = Fault(_message(text), words=text, status=status, retry_after_seconds=wish)
    return as_error(fault, connection, tools)


def told_in_the_answer(error: Any, connection: Connection, tools: Sequence[Mapping[str, Any]]) -> ModelError:
    """`error` is what a server sent in the place of an answer after its headers said that all was well."""
    text = json.dumps({"error": error}, ensure_ascii=False)
    code = str(error.get("code")) if isinstance(error, dict) else ""
    status = int(code) if code.isdecimal() else None
    return as_error(Fault(_message(text), words=text, status=status), connection, tools)


def as_model_error(error: Exception, connection: Connection, *, has_begun: bool) -> ModelError:
    """`has_begun`: the headers of the answer had come."""
    classes = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, TooLarge):
        sentence = f"The answer of {called(connection)} is larger than an answer may be. Ask it for something shorter."
        return ModelError(sentence, kind="unknown", retryable=False)
    if isinstance(error, NotAnAnswer):
        sentence = (
            f"What answers at the address of {called(connection)} does not speak OpenAI's protocol. Check the address; "
            "most end in /v1."
        )
        return ModelError(sentence, kind="not_found", retryable=False)
    if isinstance(error, TimeoutError) and "ConnectionTimeoutError" not in classes:
        return as_error(Fault("no answer in time", sign="timeout"), connection)
    if has_begun and (isinstance(error, OSError | Garbled) or "ClientError" in classes):
        return cut_off(connection)
    if isinstance(error, OSError) or classes & UNREACHED:
        return as_error(Fault("cannot connect", sign="connection"), connection)
    return as_error(Fault(f"{type(error).__name__}: {error}"), connection)


def _message(text: str) -> str:
    """The provider's sentence, where its body has one of the usual shapes; else the body."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    while isinstance(value, list | dict):
        inner = value[:1] if isinstance(value, list) else [value.get(name) for name in ("error", "message", "detail")]
        value = next((one for one in inner if one), None)
    return text if value is None else str(value)
