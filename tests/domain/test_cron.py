"""Cron lines by the clock on the wall: skipped hours, hours that come twice, and what was missed."""

from datetime import UTC, datetime

import pytest

from runtime.domain.cron import MOST_COUNTED, check_cron, due_times, next_firing
from runtime.domain.recurrence import TimeProblem

BERLIN = "Europe/Berlin"


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


def shown(times: list[int]) -> list[str]:
    return [datetime.fromtimestamp(time / 1e6, UTC).strftime("%m-%d %H:%M") for time in times]


@pytest.mark.parametrize(
    ("line", "after", "expected"),
    [
        ("30 2 * * *", "2026-03-28T12:00", ["03-29 01:00", "03-30 00:30"]),
        ("15,45 2 * * *", "2026-03-28T12:00", ["03-29 01:00", "03-30 00:15"]),
        ("*/20 2 * * *", "2026-03-28T12:00", ["03-29 01:00", "03-30 00:00"]),
        ("0 3 * * *", "2026-03-28T12:00", ["03-29 01:00", "03-30 01:00"]),
    ],
)
def test_an_hour_that_does_not_exist_fires_at_the_next_minute(line, after, expected):
    assert shown(due_times(line, BERLIN, at(after), 2)) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("30 2 * * *", ["10-25 00:30", "10-26 01:30"]),
        ("*/30 2 * * *", ["10-25 00:00", "10-25 00:30", "10-26 01:00"]),
    ],
)
def test_an_hour_that_comes_twice_fires_once(line, expected):
    assert shown(due_times(line, BERLIN, at("2026-10-24T12:00"), len(expected))) == expected


def test_a_line_for_every_hour_goes_by_the_time_that_passes():
    assert shown(due_times("0 * * * *", BERLIN, at("2026-10-24T23:30"), 4)) == [
        "10-25 00:00",
        "10-25 01:00",
        "10-25 02:00",
        "10-25 03:00",
    ]


def test_what_was_missed_is_counted_and_the_next_time_lies_ahead():
    due, missed = next_firing("0 9 * * *", "UTC", at("2026-11-01T09:00"), at("2026-11-05T12:00"))

    assert (shown([due]), missed) == (["11-06 09:00"], 4)


def test_in_time_nothing_was_missed():
    due, missed = next_firing("0 9 * * *", "UTC", at("2026-11-01T09:00"), at("2026-11-01T09:01"))

    assert (shown([due]), missed) == (["11-02 09:00"], 0)


def test_after_a_very_long_time_the_number_is_capped_and_the_next_time_is_right():
    due, missed = next_firing("* * * * *", "UTC", at("2026-01-01T00:00"), at("2026-11-05T12:00"))

    assert (shown([due]), missed) == (["11-05 12:01"], MOST_COUNTED)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("0 9 * *", "4 parts"),
        ("0 9 * * * *", "6 parts"),
        ("61 9 * * *", "minute"),
        ("", "0 parts"),
        ("@daily", "1 part"),
    ],
)
def test_what_is_no_cron_line_is_told_in_words(line, word):
    with pytest.raises(TimeProblem, match=word) as told:
        check_cron(line)
    assert "0 9 * * 1-5" in str(told.value)
