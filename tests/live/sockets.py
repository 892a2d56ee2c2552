"""A WebSocket of the studio inside the test's own event loop."""

import json
from typing import Any

from channels.testing import WebsocketCommunicator

from studio.asgi import application


class Socket:
    """Opened by a cookie or a token; reads frames."""

    def __init__(self, session: str, *, cookies: str = "", token: str = "", query: str = "", kind: str = "") -> None:
        headers = [(b"host", b"localhost")]
        if token:
            headers.append((b"authorization", f"Bearer {token}".encode()))
        if cookies:
            headers += [(b"cookie", cookies.encode()), (b"origin", b"http://localhost")]
        self._inner = WebsocketCommunicator(application, f"/ws/{kind}sessions/{session}{query}", headers)

    async def __aenter__(self) -> "Socket":
        connected, _ = await self._inner.connect(timeout=5)
        assert connected
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._inner.disconnect()

    async def frame(self) -> dict[str, Any]:
        return dict(json.loads(await self._inner.receive_from(timeout=5)))

    async def frames(self, until: str) -> list[dict[str, Any]]:
        """All frames up to the first of that name."""
        found = [await self.frame()]
        while found[-1]["event"] != until:
            found.append(await self.frame())
        return found

    async def says(self, text: str) -> None:
        await self._inner.send_to(text_data=text)

    async def close_code(self, seconds: float = 5) -> int:
        """Wait until the server closes it; frames that come before are skipped."""
        while True:
            output = await self._inner.receive_output(timeout=seconds)
            if output["type"] == "websocket.close":
                return int(output["code"])


def cookies_of(client: Any) -> str:
    return str(client.cookies.output(header="", sep=";").strip())
