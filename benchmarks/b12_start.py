"""B12: what the start of the web process costs, and what it must not import."""

import os
import signal
import time

from benchmarks.meter import cpu_of, resident_bytes
from benchmarks.reading import Reading
from benchmarks.server import Served, served

SLOW = ("litellm", "openai", "httpx")
SECONDS = 10


def measure(*, quick: bool) -> list[Reading]:
    with served() as (server, _):
        server.kill()
        began = time.monotonic()
        server.start_bench()
        wall = time.monotonic() - began
        cpu, memory = cpu_of(server.pid), resident_bytes(server.pid)
        slow = [name for name in _modules(server) if name in SLOW]
    return [
        Reading("B12", "start until it is healthy, CPU", cpu, "s CPU", goal=0.9),
        Reading("B12", "memory when it is healthy", memory / 2**20, "MB", goal=90),
        Reading("B12", "of litellm, openai and httpx imported", len(slow), "modules", goal=0),
        Reading("B12", "start until it is healthy, wall time", wall, "s"),
    ]


def _modules(server: Served) -> list[str]:
    os.kill(server.pid, signal.SIGUSR1)
    deadline = time.monotonic() + SECONDS
    while not server.note("modules.log"):
        assert time.monotonic() < deadline, "the server does not answer its signal"
        time.sleep(0.01)
    return server.note("modules.log")
