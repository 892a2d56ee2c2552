"""The HTTP client of each event loop, with its open connections."""

import asyncio
from collections.abc import AsyncGenerator
from importlib import import_module
from typing import Any

DNS_SECONDS = 60


class Sessions:
    """One `aiohttp.ClientSession` a loop, made on first use and closed with its loop."""

    def __init__(self) -> None:
        self._kept: dict[asyncio.AbstractEventLoop, tuple[Any, AsyncGenerator[Any]]] = {}

    async def session(self) -> Any:
        """The session of the running loop. The first call imports aiohttp, in a thread."""
        loop = asyncio.get_running_loop()
        if (kept := self._kept.get(loop)) is not None and not kept[0].closed:
            return kept[0]
        aiohttp = await asyncio.to_thread(import_module, "aiohttp")  # 0.3 CPU seconds
        if (kept := self._kept.get(loop)) is not None and not kept[0].closed:
            return kept[0]  # another call was faster
        self._kept = {loop: kept for loop, kept in self._kept.items() if not loop.is_closed()}
        keeper = _open(aiohttp)
        self._kept[loop] = session, _ = await anext(keeper), keeper
        return session

    async def close(self) -> None:
        """Close the session of the running loop."""
        if (kept := self._kept.pop(asyncio.get_running_loop(), None)) is not None:
            await kept[1].aclose()


async def _open(aiohttp: Any) -> AsyncGenerator[Any]:
    """An asynchronous generator, since those are what a loop closes by itself when it ends."""
    connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=DNS_SECONDS)
    async with aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False
    ) as session:
        yield session
