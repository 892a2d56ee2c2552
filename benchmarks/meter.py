"""CPU and wall time of a stretch of work: all threads of this process, and of others that are named."""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Meter:
    """`with Meter() as meter:`; afterwards `cpu` and `wall` in seconds."""

    cpu: float = 0.0
    wall: float = 0.0
    _began: tuple[float, float] = field(default=(0.0, 0.0))

    def __enter__(self) -> Self:
        self._began = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        cpu, wall = self._began
        self.cpu, self.wall = time.process_time() - cpu, time.perf_counter() - wall


def cpu_of(pid: int) -> float:
    """CPU seconds of another process so far, in steps of a hundredth."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_bytes(pid: int) -> int:
    """Memory of a process that is its own or shared, as `ps` shows it."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
