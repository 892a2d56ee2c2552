"""When a timer is due, once or again and again, by the clock on the wall of a time zone. Times in microseconds, UTC.

An hour that does not exist fires at the next minute that does; one that comes twice fires once, the first time.
Source: runtime.md, 11.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from runtime.domain.errors import RuntimeFault
from runtime.domain.spelling import did_you_mean

SECOND = 1_000_000
YEARS_AHEAD_AT_MOST = 10
_AHEAD_AT_MOST = YEARS_AHEAD_AT_MOST * 366 * 86_400 * SECOND
_EVERY = re.compile(r"([1-9][0-9]{0,3})(m|h|d|w)")
_FIXED = {"m": 60 * SECOND, "h": 3600 * SECOND}
_DAYS = {"d": 1, "w": 7}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TimeProblem(RuntimeFault):
    """A time that cannot be used; its text is half a sentence for who gave it."""


def timer_due(args: Mapping[str, Any], now_us: int) -> int:
    """When the timer of a `set_timer` call is first due. Raises TimeProblem."""
    after, at, zone, every = (args.get(name) for name in ("after_seconds", "at", "timezone", "every"))
    check_zone(zone or "UTC")
    if every:
        check_every(every)
    if bool(at) == (after is not None):
        raise TimeProblem("give either after_seconds or at")
    if at:
        return parse_time(str(at), now_us, zone or "UTC")
    due = now_us + int(float(after or 0) * SECOND)
    if not now_us <= due <= now_us + _AHEAD_AT_MOST:
        raise TimeProblem(f"after_seconds must lie between 0 and {YEARS_AHEAD_AT_MOST} years")
    return due


def parse_time(text: str, now_us: int, zone: str) -> int:
    """An ISO 8601 time; without an offset it is meant in the zone. Raises TimeProblem."""
    try:
        when = datetime.fromisoformat(text.strip())
        due = _microseconds(when) if when.tzinfo is not None else _on_the_wall(when, zone_named(zone))
    except (ValueError, OverflowError):
        raise TimeProblem(f"{text[:60]!r} is no time; write it like 2026-12-31T09:00 or 2026-12-31T09:00Z") from None
    if due < now_us:
        now = (_EPOCH + timedelta(seconds=now_us // SECOND)).astimezone(zone_named(zone))
        raise TimeProblem(f"{text[:60]!r} is past; it is now {now.isoformat()}")
    if due > now_us + _AHEAD_AT_MOST:
        raise TimeProblem(f"{text[:60]!r} is more than {YEARS_AHEAD_AT_MOST} years ahead")
    return due


def next_due(due_at_us: int, every: str, zone: str, after_us: int, *, first_us: int | None = None) -> tuple[int, int]:
    """The next time after both `due_at_us` and `after_us`, and how many times were missed in between.

    `first_us`: the time that the timer was first set for. Days and weeks are counted from there, so that one that fell
    into a skipped hour is back at its own hour the day after. Raises TimeProblem.
    """
    count, unit = check_every(every)
    first = due_at_us if first_us is None else first_us
    after = max(due_at_us, after_us)
    if unit in _FIXED:
        period = count * _FIXED[unit]
        rounds = (after - due_at_us) // period
        return due_at_us + (rounds + 1) * period, rounds
    repeats = _Repeats(first, count * _DAYS[unit], zone_named(zone))
    round_, due = repeats.first_after(after)
    return due, round_ - repeats.first_after(due_at_us)[0]


def check_every(text: str) -> tuple[int, str]:
    """Count and unit of `15m`, `1h`, `1d`, `1w`. Raises TimeProblem."""
    match = _EVERY.fullmatch(text)
    if match is None:
        raise TimeProblem(f"{text[:60]!r} is no interval; write it like 15m, 1h, 1d or 1w")
    return int(match[1]), match[2]


def check_zone(name: str) -> None:
    """Raises TimeProblem for what is no IANA zone."""
    zone_named(name)


class _Repeats:
    """The same time of the wall clock every so many days."""

    def __init__(self, first_us: int, days: int, zone: ZoneInfo) -> None:
        self._wall = (_EPOCH + timedelta(microseconds=first_us)).astimezone(zone).replace(tzinfo=None)
        self._first, self._days, self._zone = first_us, days, zone

    def at(self, round_: int) -> int:
        return self._first if round_ == 0 else _on_the_wall(self._wall + timedelta(round_ * self._days), self._zone)

    def first_after(self, after_us: int) -> tuple[int, int]:
        """The number of the first round after a time, and its time."""
        guess = (after_us - self._first) // (self._days * 86_400 * SECOND) - 2  # clocks shift by two days at the most
        round_ = max(guess, 0)
        try:
            while (due := self.at(round_)) <= after_us:
                round_ += 1
        except OverflowError:
            raise TimeProblem("the next time lies beyond the year 9999") from None
        return round_, due


def _on_the_wall(wall: datetime, zone: ZoneInfo) -> int:
    """The instant at which clocks in the zone show this; the first of two, or the first minute after a skipped hour."""
    first, second = (_microseconds(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    if second >= first:
        return first
    low, high = second, first  # clocks were put on between these: `wall` is never shown
    offset_before = _offset(low, zone)
    while high - low > SECOND:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(middle, zone) == offset_before else (low, middle)
    minute = 60 * SECOND
    return -(-(high // SECOND * SECOND) // minute) * minute


def _offset(at_us: int, zone: ZoneInfo) -> timedelta | None:
    return (_EPOCH + timedelta(microseconds=at_us)).astimezone(zone).utcoffset()


def _microseconds(when: datetime) -> int:
    return (when - _EPOCH) // timedelta(microseconds=1)


def zone_named(name: str) -> ZoneInfo:
    """The IANA zone. Raises TimeProblem."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # no such zone, a folder of zones, a path
        meant = did_you_mean(name, available_timezones())
        raise TimeProblem(f"{name[:60]!r} is no time zone.{meant or ' Write one like Europe/Berlin'}") from None
