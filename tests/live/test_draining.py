"""A reader that does not read costs the server a bounded piece of memory, and harms nobody."""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from tests.server import ROOT, free_port

HTTP = b"GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n"
WEBSOCKET = (
    b"GET /flood HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
BOUND = 300  # chunks of 64 KiB: what the kernel's buffers of both sides hold, and a little more


@pytest.fixture
def port():
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.live.flood", str(port)], cwd=ROOT)
    until(lambda: count(port) == 0)
    yield port
    process.kill()
    process.wait()


def count(port: int) -> int | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/count", timeout=5) as response:
            return int(response.read())
    except urllib.error.URLError:
        return None


def until(is_so) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("request_", [HTTP, WEBSOCKET], ids=["stream", "socket"])
def test_what_a_reader_does_not_take_is_not_sent(port, request_):
    with socket.create_connection(("127.0.0.1", port)) as reader:
        reader.sendall(request_)
        until(lambda: (count(port) or 0) > 0)
        until(lambda: count(port) == (time.sleep(0.3), count(port))[1])
        stopped_at = count(port) or 0

        assert stopped_at < BOUND
        for _ in range(200):
            reader.recv(65536)
        until(lambda: (count(port) or 0) > stopped_at)
