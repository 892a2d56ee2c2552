"""Python's cyclic garbage collector, told that this process lives long and makes few cycles."""

import gc

YOUNG_OBJECTS = 10_000  # at the default of 700 it took a fifth of the CPU of a turn


def collect_seldom() -> None:
    """Leaves what is loaded now out of every collection, and collects less often. Call it when all is set up."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
