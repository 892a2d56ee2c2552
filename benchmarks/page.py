"""`docs/benchmarks.md`: the figures as they are, how and where they were read, and what the missed goals cost."""

import os
import platform
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from benchmarks.reading import Reading, number

REMARKS = Path(__file__).with_name("remarks.md")

INTRODUCTION = """\
# Benchmarks

Written by `make bench` (`python -m benchmarks`). Each figure is the median of {runs} runs unless the remarks \
say otherwise; each run is a process of \
its own over a fresh database. A turn is: a person's message is committed, the model asks for one tool, the tool runs, \
the model answers. The studio's model is a script in the same process; the bare loops ask a model server over HTTP \
that answers at once, and their CPU is that of both processes. SQLite runs with `synchronous=FULL`. CPU counts all \
threads. The machine was shared with other work, so compare within one figure.

{machine}
"""


def page(readings: Sequence[Reading], runs: int) -> str:
    """The whole page."""
    parts = [INTRODUCTION.format(runs=runs, machine=_machine()), _goals(readings)]
    ordered = sorted(readings, key=lambda reading: _order(reading.figure))
    for figure, group in groupby(ordered, key=lambda reading: reading.figure):
        parts.append(f"## {figure}\n\n{_table(group)}")
    return "\n".join([*parts, REMARKS.read_text()])


def _order(figure: str) -> tuple[str, int]:
    return figure[:1], int(figure[1:]) if figure[1:].isdigit() else 0


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, "
        f"{platform.system()} {platform.release()}; Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}; load {os.getloadavg()[0]:.1f} at the end.\n"
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _goals(readings: Sequence[Reading]) -> str:
    held = [reading for reading in readings if reading.goal is not None]
    missed = [f"{reading.figure} ({reading.what})" for reading in held if not reading.is_met]
    met = len(held) - len(missed)
    return f"{met} of {len(held)} goals are met. Missed: {', '.join(missed) or 'none'}.\n"


def _table(readings: Iterable[Reading]) -> str:
    rows = ["| what | value | goal | |", "|---|---|---|---|"]
    rows += [_row(reading) for reading in readings]
    return "\n".join(rows) + "\n"


def _row(reading: Reading) -> str:
    what = f"*bare:* {reading.what}" if reading.bare else reading.what
    bound = "" if reading.goal is None else f"{'≥' if reading.at_least else '≤'} {number(reading.goal)}"
    verdict = {None: "", True: "met", False: "**missed**"}[reading.is_met]
    return f"| {what} | {number(reading.value)} {reading.unit} | {bound} | {verdict} |"
