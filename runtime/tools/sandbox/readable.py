"""Waiting for a descriptor without a thread."""

import asyncio


async def readable(descriptor: int) -> None:
    """Until there is something to read, or its end; of a process's descriptor: until that process is gone."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    loop.add_reader(descriptor, lambda: None if done.done() else done.set_result(None))
    try:
        await done
    finally:
        loop.remove_reader(descriptor)
