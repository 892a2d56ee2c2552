"""One reader's bounded queue: who publishes never waits, who is too slow reads the log again."""

import asyncio
import threading
from collections import deque

from runtime.domain.errors import RuntimeFault
from studio.hub.frames import Behind, Delta, Frame, joined

MAX_FRAMES = 2_000
MAX_CHARACTERS = 1_000_000


class ReaderClosed(RuntimeFault):
    """Nothing more comes to this reader. `reason` is a sentence for whoever reads."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class Reader:
    """Made on the event loop that takes from it; frames may be offered from any thread."""

    def __init__(self) -> None:
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._frames: deque[Frame] = deque()
        self._characters = 0
        self._ready = asyncio.Event()
        self._closed = ""

    def offer(self, frame: Frame) -> None:
        """Put a frame into the queue. Never waits, never raises."""
        self._on_loop(self._add, frame)

    def close(self, reason: str) -> None:
        """Let `take` raise ReaderClosed."""
        self._on_loop(self._close, reason)

    async def take(self) -> list[Frame]:
        """All that has come since the last time, pieces of text joined; waits until there is something.

        Raises ReaderClosed.
        """
        await self._ready.wait()
        if self._closed:
            raise ReaderClosed(self._closed)
        return self.waiting()

    def waiting(self) -> list[Frame]:
        """All that has come since the last time, without waiting."""
        if not self._closed:
            self._ready.clear()
        frames, self._frames, self._characters = self._frames, deque(), 0
        return joined(frames)

    def _on_loop(self, method, argument) -> None:  # type: ignore[no-untyped-def]  # one of the two below
        if threading.get_ident() == self._thread:
            method(argument)
            return
        try:
            self._loop.call_soon_threadsafe(method, argument)
        except RuntimeError:
            self._closed = self._closed or "The server has stopped."  # its loop is closed: nobody takes any more

    def _add(self, frame: Frame) -> None:
        self._frames.append(frame)
        if isinstance(frame, Delta):
            self._characters += len(frame.text)
        if len(self._frames) > MAX_FRAMES or self._characters > MAX_CHARACTERS:
            self._frames, self._characters = deque([Behind()]), 0
        self._ready.set()

    def _close(self, reason: str) -> None:
        self._closed = self._closed or reason
        self._ready.set()
