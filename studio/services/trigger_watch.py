"""What comes by time: schedules are fired and sources looked at, beside the manager of this process."""

import asyncio
import logging

from asgiref.sync import sync_to_async

from runtime.engine.clock import SystemClock
from studio.services.schedules import fire_due
from studio.services.source_looks import SourceLooks

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0


async def watch_triggers() -> None:
    """Once a second, until it is cancelled; the first time at once, for what was due while nothing ran."""
    clock, looks = SystemClock(), SourceLooks()
    try:
        while True:
            try:
                await sync_to_async(fire_due)(clock.now())
                await looks.begin_due(clock.now())
            except Exception:
                log.exception("the triggers could not be looked at; they are tried again in a second")
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        await looks.stop()
