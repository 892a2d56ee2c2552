"""Real MCP servers as processes, for the tests of their tools."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def http_shop(port: int = 0, **environment: str) -> Iterator[int]:
    """The shop over streamable HTTP; its port. `environment`: as the shop reads it."""
    port = port or free_port()
    command = [sys.executable, "-m", "tests.tools.mcp_shop", "http", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment})
    try:
        _wait_for(port, process)
        yield port
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise RuntimeError("the MCP server did not start")
