"""A model server that answers at once, for the bare loops: `python -m benchmarks.model_server` prints its port.

It finds the role of the last message and does not read the rest, so that its own cost stays small.
"""

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.story import ANSWER, ARGUMENTS, TOOL

ROOT = Path(__file__).resolve().parent.parent


def _completion(message: dict[str, object], finish: str) -> bytes:
    body = {
        "id": "c_1",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 8, "total_tokens": 38},
    }
    return _http(json.dumps(body).encode())


def _http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


CALL = {"id": "call_1", "type": "function", "function": {"name": TOOL, "arguments": json.dumps(ARGUMENTS)}}
ASKS = _completion({"content": None, "tool_calls": [CALL]}, "tool_calls")
ANSWERS = _completion({"content": ANSWER}, "stop")


class Connection(asyncio.Protocol):
    """Requests one after another on one connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._received = transport, b""

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, blank, body = self._received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        if not blank or len(body) < length:
            return
        self._received = b""
        if head.startswith(b"GET /cpu"):
            self._transport.write(_http(str(time.process_time()).encode()))
            return
        role = body[body.rfind(b'"role"') :][:16]
        self._transport.write(ANSWERS if b'"tool"' in role else ASKS)


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The server in its process."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cpu_seconds(self) -> float:
        with urllib.request.urlopen(f"{self.url}/cpu") as answer:
            return float(answer.read())


@contextmanager
def model_server() -> Iterator[ModelServer]:
    command = [sys.executable, "-m", "benchmarks.model_server"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield ModelServer(int(process.stdout.readline()))
        finally:
            process.kill()


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
