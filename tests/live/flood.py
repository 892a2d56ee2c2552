"""Floods whoever asks for `/flood`, and tells at `/count` how many chunks it has sent. The port is its argument."""

import sys
from typing import Any

from studio.live.draining import DrainingServer

CHUNK = b"x" * 65536
sent = 0


async def application(scope: Any, receive: Any, send: Any) -> None:
    global sent
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while True:
            await send({"type": "websocket.send", "text": CHUNK.decode()})
            sent += 1
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while scope["path"] == "/flood":
        await send({"type": "http.response.body", "body": CHUNK, "more_body": True})
        sent += 1
    await send({"type": "http.response.body", "body": str(sent).encode()})


if __name__ == "__main__":
    DrainingServer(application, endpoints=[f"tcp:{sys.argv[1]}:interface=127.0.0.1"], verbosity=0).run()
