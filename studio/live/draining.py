"""Daphne that waits for slow readers: what an application sends to a full socket is not kept in memory without end."""

import asyncio
from typing import Any

from daphne.server import Server  # first: it chooses Twisted's reactor

FULL_BYTES = 64 * 1024
LOOK_SECONDS = 0.02
STALLED_SECONDS = 60.0  # a reader that takes nothing for so long is disconnected; it comes back with its cursor


class DrainingServer(Server):
    """Daphne itself writes into the transport's buffer and goes on at once, however long that buffer is."""

    def protocol_connected(self, protocol: Any) -> None:
        """A small piece goes out at once: Nagle's algorithm would hold it until the reader's late receipt, 40 ms."""
        super().protocol_connected(protocol)
        _transport(protocol).setTcpNoDelay(True)

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        await super().handle_reply(protocol, message)
        if message["type"] == "websocket.send" or message.get("more_body"):
            await drained(_transport(protocol))


async def drained(transport: Any) -> None:
    """Until the transport has little left to write; a reader that has stalled is cut off."""
    left, loop = _buffered(transport), asyncio.get_running_loop()
    moved_at = loop.time()
    while left > FULL_BYTES and transport.connected:
        await asyncio.sleep(LOOK_SECONDS)
        now = _buffered(transport)
        if now < left:
            left, moved_at = now, loop.time()
        elif loop.time() - moved_at > STALLED_SECONDS:
            transport.abortConnection()
            return


def _transport(protocol: Any) -> Any:
    """Of a WebSocket its own; of an HTTP request its channel's, below what negotiates the version of HTTP."""
    transport = protocol.channel.transport if getattr(protocol, "channel", None) else protocol.transport
    return getattr(transport, "transport", transport)


def _buffered(transport: Any) -> int:
    """Bytes that wait to be written. Twisted tells it to producers only, and daphne is none."""
    data, new = getattr(transport, "dataBuffer", b""), getattr(transport, "_tempDataLen", 0)
    return len(data) - getattr(transport, "offset", 0) + new
