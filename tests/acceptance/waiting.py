"""Waiting for what another process does."""

import time
from collections.abc import Callable

SECONDS = 60


def until(holds: Callable[[], object]) -> None:
    """Return when it holds; AssertionError if it never does."""
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.03)
