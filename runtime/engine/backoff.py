"""When to try again. Drawn by the shell, recorded as a fact, so that `decide` stays pure."""

import random

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 60.0


def delay_seconds(failures: int, retry_after_seconds: float | None = None) -> float:
    """Seconds until the attempt after the `failures`-th failure: doubled each time, with jitter, or as asked for."""
    if retry_after_seconds is not None:
        return max(0.0, retry_after_seconds) + random.uniform(0, 0.25)
    longest = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** max(0, failures - 1))
    return random.uniform(longest / 2, longest)
