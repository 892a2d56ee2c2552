"""The body of an answer as JSON objects: one for each event of a stream, or one for all."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from runtime.providers.native.errors import Garbled, NotAnAnswer
from runtime.providers.native.sse import EventStream, TooLarge

DONE = b"[DONE]"
LINGER_SECONDS = 0.25  # for the end of the body after the last event, so that the connection can be used again
COMMENTS_SECONDS = 600  # some servers send comments while a model thinks, and forget to stop


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """Bytes of a whole answer on the wire, where a token costs about 250, and of one of its events."""

    answer_bytes: int = 256 * 1024 * 1024
    event_bytes: int = 32 * 1024 * 1024


async def pieces(response: Any, is_stream: bool, limits: AnswerLimits) -> AsyncIterator[dict[str, Any]]:
    """The objects in order. Ends where the connection ends, whole or not.

    Raises NotAnAnswer, Garbled, TooLarge, and what the connection raises.
    """
    if response.content_type == "text/html":
        raise NotAnAnswer
    if not is_stream or response.content_type == "application/json":  # some servers do not stream
        body = await read_at_most(response, limits.event_bytes + 1)
        if len(body) > limits.event_bytes:
            raise TooLarge
        yield _object(body, NotAnAnswer)
        return
    unreadable: type[Exception] = NotAnAnswer
    async for data in _events(response.content, limits):
        if data == DONE:
            await _drain(response.content)
            return
        yield _object(data, unreadable)
        unreadable = Garbled


async def read_at_most(response: Any, most_bytes: int) -> bytes:
    """The beginning of a body, or all of it."""
    body = bytearray()
    while len(body) < most_bytes and (piece := await response.content.readany()):
        body += piece
    return bytes(body[:most_bytes])


async def _events(content: Any, limits: AnswerLimits) -> AsyncIterator[bytes]:
    stream, size = EventStream(limits.event_bytes), 0
    now = asyncio.get_running_loop().time
    last_at = now()
    while piece := await content.readany():
        size += len(piece)
        if size > limits.answer_bytes:
            raise TooLarge
        events = stream.feed(piece)
        for event in events:
            yield event
        if events:
            last_at = now()
        elif now() - last_at > COMMENTS_SECONDS:
            raise TimeoutError
    if _is_whole(rest := stream.rest()):
        yield rest


async def _drain(content: Any) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while await content.readany():
                pass


def _is_whole(data: bytes) -> bool:
    """Whether the last event only lacks the blank line after it."""
    try:
        return data == DONE or isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def _object(data: bytes, unreadable: type[Exception]) -> dict[str, Any]:
    """Raises `unreadable`."""
    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise unreadable from None
    if not isinstance(value, dict):
        raise unreadable
    return value
