"""File work in threads that can be told to stop."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from runtime.ports import NothingDone, ToolFailed

_WORK_SECONDS = 20.0
_STOP_SECONDS = 0.8  # a cancelled tool has one second; the rest is for the thread to come back

# A pool of its own, so that slow disks do not hold up the DNS look-ups and database calls of the default one.
_THREADS = ThreadPoolExecutor(max_workers=8, thread_name_prefix="tool-files")


class Halted(Exception):
    """The work was told to stop, and did so before it changed anything."""


class Halt:
    """Asked by the work between two small pieces of it."""

    def __init__(self, seconds: float = _WORK_SECONDS) -> None:
        self._told = threading.Event()
        self._seconds = seconds
        self._ends_at = time.monotonic() + seconds

    def stop(self) -> None:
        """Tell the work to stop."""
        self._told.set()

    def check(self) -> None:
        """Raises Halted when told to stop, and ToolFailed when the time is used up."""
        if self._told.is_set():
            raise Halted
        if time.monotonic() > self._ends_at:
            raise ToolFailed(
                f"this took longer than {self._seconds:.0f} seconds and was given up; ask for a smaller part"
            )


async def read_in_thread[T](work: Callable[[Halt], T]) -> T:
    """The result of work that changes nothing; cancelled, it is left to notice by itself."""
    halt = Halt()
    try:
        return await asyncio.get_running_loop().run_in_executor(_THREADS, work, halt)
    finally:
        halt.stop()


async def write_in_thread[T](work: Callable[[Halt], T]) -> T:
    """The result of work that changes something in its last moment, after its last `halt.check()`.

    Cancelled before that moment it raises NothingDone; after it, the result is given all the same, for it is true.
    If the thread does not come back in time the cancellation goes on, and the outcome is unknown.
    """
    halt = Halt()
    future = _THREADS.submit(work, halt)
    waiting = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        halt.stop()
        if future.cancel():
            raise NothingDone("it was cancelled before it began; nothing was changed") from None
        await asyncio.wait({waiting}, timeout=_STOP_SECONDS)
        if not waiting.done():
            raise
        if isinstance(waiting.exception(), Halted | ToolFailed):
            raise NothingDone("it was cancelled in time; nothing was changed") from None
        return waiting.result()
