"""The port for time."""

from typing import Protocol


class Clock(Protocol):
    """Wall clock and waiting. Times are microseconds since 1970, UTC."""

    def now(self) -> int: ...

    async def sleep(self, seconds: float) -> None: ...
