"""The wall clock of the machine, as the Clock port."""

import asyncio
import time


class SystemClock:
    """Microseconds since 1970, UTC."""

    def now(self) -> int:
        return time.time_ns() // 1000

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
