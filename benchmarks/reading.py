"""One figure that was read, with the goal that it is held against."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Reading:
    """`what` was read of `figure` (B1, B2 …). `goal` is an upper bound, or with `at_least` a lower one; None = no goal.

    `bare`: it was read of a loop that keeps nothing, to compare with.
    """

    figure: str
    what: str
    value: float
    unit: str
    goal: float | None = None
    at_least: bool = False
    bare: bool = False

    @property
    def is_met(self) -> bool | None:
        """None where there is no goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    def __str__(self) -> str:
        bound = (
            "" if self.goal is None else f"  (goal: {'at least' if self.at_least else 'at most'} {number(self.goal)})"
        )
        return f"{self.figure:4} {self.what}: {number(self.value)} {self.unit}{bound}"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def medians(runs: Iterable[Iterable[Reading]]) -> list[Reading]:
    """Each reading with the median of its values over all runs."""
    values: dict[tuple[str, str], list[Reading]] = {}
    for run in runs:
        for reading in run:
            values.setdefault((reading.figure, reading.what), []).append(reading)
    return [replace(same[0], value=median(reading.value for reading in same)) for same in values.values()]


def number(value: float) -> str:
    """With as many digits as say something."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
