"""Time on a line from 0 to 100 per cent, on which long idle stretches are collapsed. Times are microseconds."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

IDLE = 5_000_000
SHARE_OF_A_GAP = 0.03
SHARE_OF_ALL_GAPS = 0.35
LEAST_GAP, LEAST_SPAN = 50_000, 1_000_000
LABEL_WIDTH = 24  # per cent that a time of day takes where the column is narrow

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gap:
    """An idle stretch, collapsed to `width` per cent at `x`."""

    x: float
    width: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Label:
    """A time on the axis; `ends`: the text ends at `x`, since it would not fit after it."""

    x: float
    at: int
    ends: bool = False


class TimeScale:
    """Maps times to per cent. `gap` is the collapsed length of an idle stretch; the same one keeps old places
    proportional when the rollout grows."""

    def __init__(self, intervals: Iterable[Interval], gap: int | None = None) -> None:
        self._busy = merged(intervals)
        stretches = [end - start for start, end in self._busy]
        self.busy = sum(stretches)
        gaps = max(0, len(self._busy) - 1)
        self.gap = gap or _gap_for(self.busy, gaps)
        self.length = max(self.busy + gaps * self.gap, LEAST_SPAN)
        self._starts = [start for start, _ in self._busy]
        self._before: list[int] = []
        position = 0
        for stretch in stretches:
            self._before.append(position)
            position += stretch + self.gap

    def x(self, at: int) -> float:
        """The place of a time, in per cent with two digits."""
        index = bisect_right(self._starts, at) - 1
        if index < 0:
            return 0.0
        start, end = self._busy[index]
        return self._share(self._before[index] + min(at, end) - start)

    def gaps(self) -> list[Gap]:
        """The collapsed stretches."""
        pairs = zip(self._busy, self._busy[1:], strict=False)
        return [Gap(self.x(end), self._share(self.gap), (start - end) / 1_000_000) for (_, end), (start, _) in pairs]

    def labels(self) -> list[Label]:
        """The times at which stretches begin, as far apart as they need to be read."""
        found: list[Label] = []
        for start in self._starts:
            label = Label(self.x(start), start)
            if label.x > 100 - LABEL_WIDTH:
                label = Label(100.0, start, ends=True)
            free = label.x - (LABEL_WIDTH if label.ends else 0)
            if not found or free - found[-1].x >= LABEL_WIDTH:
                found.append(label)
            if label.ends:
                break
        return found

    def _share(self, length: int) -> float:
        return round(100 * length / self.length, 2)


def merged(intervals: Iterable[Interval], apart: int = IDLE) -> list[Interval]:
    """Stretches in which something happened, at most so far apart inside."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start - found[-1][1] <= apart:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _gap_for(busy: int, gaps: int) -> int:
    share = min(SHARE_OF_A_GAP, SHARE_OF_ALL_GAPS / gaps) if gaps else SHARE_OF_A_GAP
    return max(LEAST_GAP, int(busy * share))
