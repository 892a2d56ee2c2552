"""When a cron line is due, by the clock on the wall of a time zone. Times in microseconds, UTC.

An hour that does not exist fires at the next minute that does; one that comes twice fires once, the first time. A line
whose hour is a star goes by the time that passes instead. Source: runtime.md, 11.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from cronsim import CronSim, CronSimError

from runtime.domain.recurrence import TimeProblem, zone_named

FIELDS = 5
MOST_COUNTED = 10_000
"""Missed times beyond this number are not counted one by one."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXAMPLE = "write it like 0 9 * * 1-5, for nine o'clock from Monday to Friday"


def check_cron(line: str) -> None:
    """Raises TimeProblem for what is no cron line, or never comes."""
    if next(_times(line, "UTC", 0), None) is None:
        raise TimeProblem(f"{line[:60]!r} never comes; {_EXAMPLE}")


def due_times(line: str, zone: str, after_us: int, count: int) -> list[int]:
    """The next times after that one; fewer if it ends. Raises TimeProblem."""
    return list(islice(_times(line, zone, after_us), count))


def next_firing(line: str, zone: str, due_us: int, now_us: int) -> tuple[int | None, int]:
    """The first time after now, for a line that was due at `due_us`, and how many times were missed in between.

    None if it does not come again; a number above 10,000 stays at that. Raises TimeProblem.
    """
    missed = 0
    for due in _times(line, zone, due_us):
        if due > now_us:
            return due, missed
        if missed == MOST_COUNTED:
            break
        missed += 1
    return next(_times(line, zone, now_us), None), missed


def _times(line: str, zone: str, after_us: int) -> Iterator[int]:
    start = (_EPOCH + timedelta(microseconds=after_us)).astimezone(zone_named(zone))
    try:
        found = CronSim(_with_plain_minutes(line), start)
    except CronSimError as error:
        raise TimeProblem(f"{line[:60]!r} is no cron line ({str(error).lower()}); {_EXAMPLE}") from None
    return ((when - _EPOCH) // timedelta(microseconds=1) for when in found)


def _with_plain_minutes(line: str) -> str:
    """`*/20 2 * * *` names times of the day, and so does `0-59/20 2 * * *`, which CronSim treats so."""
    fields = line.split()
    if len(fields) != FIELDS:
        raise TimeProblem(f"{line[:60]!r} has {len(fields)} parts and not {FIELDS}; {_EXAMPLE}")
    minute, hour, *rest = fields
    if minute.startswith("*") and not hour.startswith("*"):
        minute = f"0-59{minute[1:]}"
    return " ".join([minute, hour, *rest])
