"""An event loop in which waiting takes no time, so that a run depends on nothing but its seed."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

EPOCH_US = 1_700_000_000_000_000


class NothingHappens(AssertionError):
    """Everybody waits, and for nothing."""

    def __str__(self) -> str:
        return "everything waits, and no time is set at which anything would go on"


class _NoFiles(selectors.BaseSelector):
    """Waits for time alone, which it lets pass at once."""

    def __init__(self, pass_time: Callable[[float], None]) -> None:
        self._pass_time = pass_time

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise NothingHappens
        self._pass_time(timeout)
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return selectors.SelectorKey(fileobj, 0, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return selectors.SelectorKey(fileobj, 0, 0, None)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return {}


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs what is ready, in order; when nothing is, its clock jumps to the next timer. Without threads and files."""

    def __init__(self) -> None:
        self._seconds = 0.0
        super().__init__(_NoFiles(self._pass))

    def time(self) -> float:
        return self._seconds

    def _pass(self, seconds: float) -> None:
        self._seconds += max(0.0, seconds)

    def _make_self_pipe(self) -> None:
        """There is nobody who would wake it."""

    def _close_self_pipe(self) -> None:
        """It has none."""

    def _write_to_self(self) -> None:
        """It looks anyhow."""


class VirtualClock:
    """The Clock port over the time of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def now(self) -> int:
        return EPOCH_US + int(self._loop.time() * 1e6)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run_in_virtual_time[Result](main: Callable[[VirtualLoop], Coroutine[Any, Any, Result]]) -> Result:
    """What `main` returns; what it leaves running is stopped."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(main(loop))
    finally:
        stop_all(loop)
        loop.close()


def stop_all(loop: VirtualLoop) -> None:
    """What still runs on the loop is told to end, and does."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
