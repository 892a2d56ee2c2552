"""When timers are due: by the clock on the wall, also where clocks are put on and back."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.domain.recurrence import TimeProblem, next_due, parse_time, timer_due

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC")
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


def us(when: datetime) -> int:
    return (when - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def shown(at_us: int, zone: str) -> str:
    return datetime.fromtimestamp(at_us / 1e6, ZoneInfo(zone)).isoformat()


def berlin(text: str) -> int:
    return us(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin")))


def test_a_daily_timer_keeps_its_hour_over_a_change_of_the_clock():
    due, missed = next_due(berlin("2026-03-28T09:00"), "1d", "Europe/Berlin", 0)

    assert (shown(due, "Europe/Berlin"), missed) == ("2026-03-29T09:00:00+02:00", 0)


def test_an_hour_that_does_not_exist_fires_at_the_next_minute_and_is_back_the_day_after():
    first = berlin("2026-03-28T02:30")

    skipped, _ = next_due(first, "1d", "Europe/Berlin", 0, first_us=first)
    after, missed = next_due(skipped, "1d", "Europe/Berlin", 0, first_us=first)

    assert shown(skipped, "Europe/Berlin") == "2026-03-29T03:00:00+02:00"
    assert (shown(after, "Europe/Berlin"), missed) == ("2026-03-30T02:30:00+02:00", 0)


def test_an_hour_that_comes_twice_fires_once():
    first = berlin("2026-10-24T02:30")

    twice, _ = next_due(first, "1d", "Europe/Berlin", 0)
    after, _ = next_due(twice, "1d", "Europe/Berlin", 0, first_us=first)

    assert shown(twice, "Europe/Berlin") == "2026-10-25T02:30:00+02:00"
    assert shown(after, "Europe/Berlin") == "2026-10-26T02:30:00+01:00"


def test_what_was_missed_is_counted_and_fires_no_more():
    first = berlin("2026-03-25T09:00")

    assert next_due(first, "1d", "Europe/Berlin", berlin("2026-03-31T08:00")) == (berlin("2026-03-31T09:00"), 5)
    assert next_due(first, "15m", "", first + 3_600_000_001) == (first + 75 * 60_000_000, 4)
    assert next_due(first, "1w", "Europe/Berlin", first) == (berlin("2026-04-01T09:00"), 0)


def test_hours_are_hours_also_where_the_clock_is_changed():
    due, _ = next_due(berlin("2026-03-29T01:30"), "1h", "Europe/Berlin", 0)

    assert shown(due, "Europe/Berlin") == "2026-03-29T03:30:00+02:00"


@given(
    zone=st.sampled_from(ZONES),
    start=st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1)),
    every=st.sampled_from(["1d", "2d", "1w"]),
    rounds=st.integers(1, 40),
)
@settings(deadline=None, max_examples=200)
def test_repeats_grow_once_a_period_and_show_the_same_wall_clock_where_it_exists(zone, start, every, rounds):
    first = us(start.replace(tzinfo=ZoneInfo(zone), microsecond=0))
    wall = datetime.fromtimestamp(first / 1e6, ZoneInfo(zone)).replace(tzinfo=None)
    days = {"1d": 1, "2d": 2, "1w": 7}[every]
    due = first

    for round_ in range(1, rounds):
        following, missed = next_due(due, every, zone, due, first_us=first)
        local = datetime.fromtimestamp(following / 1e6, ZoneInfo(zone))
        wanted = wall + timedelta(days * round_)
        exists = wanted.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        assert following > due
        assert missed == 0 or zone == "Pacific/Apia"
        if zone != "Pacific/Apia":  # there a whole day was skipped
            assert (local.replace(tzinfo=None) == wanted) == (exists == wanted)
            assert timedelta(0) <= local.replace(tzinfo=None) - wanted <= timedelta(hours=1)
            assert local.fold == 0
        due = following


@given(
    zone=st.sampled_from(ZONES),
    start=st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1)),
    ahead=st.integers(0, 90),
)
@settings(deadline=None, max_examples=200)
def test_missing_many_leads_to_the_same_time_as_firing_each(zone, start, ahead):
    first = us(start.replace(tzinfo=ZoneInfo(zone)))
    until = first + ahead * 86_400_000_000
    due, fired = first, 0
    while True:
        following, _ = next_due(due, "1d", zone, due, first_us=first)
        if following > until:
            break
        due, fired = following, fired + 1

    at_once, missed = next_due(first, "1d", zone, until, first_us=first)

    assert at_once == following
    assert missed == fired or zone == "Pacific/Apia"


@pytest.mark.parametrize(
    ("text", "zone", "at"),
    [
        ("2026-12-01T09:00", "Europe/Berlin", "2026-12-01T08:00:00+00:00"),
        ("2026-12-01T09:00Z", "Europe/Berlin", "2026-12-01T09:00:00+00:00"),
        ("2026-12-01 09:00:30+05:45", "UTC", "2026-12-01T03:15:30+00:00"),
        ("2027-03-28T02:30", "Europe/Berlin", "2027-03-28T01:00:00+00:00"),
    ],
)
def test_a_time_is_read_with_its_offset_or_in_the_zone(text, zone, at):
    assert parse_time(text, us(NOW), zone) == us(datetime.fromisoformat(at))


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({"at": "tomorrow"}, "'tomorrow' is no time; write it like"),
        ({"at": "2026-02-30T09:00"}, "is no time"),
        ({"at": "2026-11-29T11:00Z"}, "is past; it is now 2026-11-29T12:00:00+00:00"),
        ({"at": "2026-11-29T11:00", "timezone": "Asia/Tokyo"}, "it is now 2026-11-29T21:00:00+09:00"),
        ({"at": "2999-01-01T00:00Z"}, "more than 10 years ahead"),
        ({"at": "9999-12-31T23:59:59-12:00"}, "ahead"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "is "),
        ({"after_seconds": 60, "timezone": "Europe/Berln"}, "Did you mean `Europe/Berlin`?"),
        ({"after_seconds": 60, "timezone": "Europe"}, "'Europe' is no time zone"),
        ({"after_seconds": 60, "timezone": "../../etc/passwd"}, "is no time zone"),
        ({"after_seconds": 60, "every": "5s"}, "'5s' is no interval"),
        ({"after_seconds": 60, "every": "0d"}, "is no interval"),
        ({"after_seconds": 1e30}, "between 0 and 10 years"),
        ({"after_seconds": -1}, "between 0 and 10 years"),
        ({}, "either after_seconds or at"),
        ({"after_seconds": 1, "at": "2026-12-01T09:00"}, "either after_seconds or at"),
    ],
)
def test_a_time_that_cannot_be_used_says_why(args, sentence):
    with pytest.raises(TimeProblem) as raised:
        timer_due(args, us(NOW))

    assert sentence in str(raised.value)


def test_a_timer_is_due_after_seconds_or_at_a_time():
    assert timer_due({"after_seconds": 1.5}, us(NOW)) == us(NOW) + 1_500_000
    assert timer_due({"at": "2026-12-01T09:00", "timezone": "Europe/Berlin"}, us(NOW)) == berlin("2026-12-01T09:00")
    assert timer_due({"after_seconds": 0, "at": None, "every": "1d"}, us(NOW)) == us(NOW)


def test_a_repeat_beyond_the_calendar_is_told():
    with pytest.raises(TimeProblem, match="beyond the year 9999"):
        next_due(us(datetime(9999, 12, 30, tzinfo=UTC)), "9999w", "UTC", 0)
