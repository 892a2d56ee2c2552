"""What a sandbox uses while it runs, as far as the kernel does not bound it by itself."""

import asyncio
import time

from runtime.tools.sandbox.folder import Filling, Folder, overfull
from runtime.tools.sandbox.limits import Limits
from runtime.tools.sandbox.processes import below
from runtime.tools.workspace.blocking import Halt
from runtime.tools.workspace.text_file import size_in_words

_LOOK_SECONDS = 0.1
_SHARE = 10  # measuring a large folder may take up a tenth of the time


async def first_excess(pid: int, folder: Folder, limits: Limits, before: Filling) -> str:
    """Waits until too much is used, and says of what."""
    measure_at = 0.0
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        used = sum(one.memory_bytes for one in await asyncio.to_thread(below, pid))
        if used > limits.memory_bytes:
            most = size_in_words(limits.memory_bytes)
            return f"it used {size_in_words(used)} of memory; at most {most} are allowed"
        if time.monotonic() >= measure_at:
            began = time.monotonic()
            full = overfull(await asyncio.to_thread(folder.measure, Halt()), before, limits)
            if full:
                return full
            ended = time.monotonic()
            measure_at = ended + (ended - began) * _SHARE
