"""The time is told in the zone that is asked for."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.tools.calling import Desk


@pytest.mark.parametrize("timezone", ["UTC", "Europe/Berlin", "Asia/Seoul"])
async def test_the_time_is_now(desk: Desk, timezone: str):
    said = json.loads(await desk.call("current_time", timezone=timezone))

    told = datetime.fromisoformat(said["time"])
    assert abs(told - datetime.now(UTC)) < timedelta(seconds=5)
    assert said["timezone"] == timezone
    assert said["day_of_week"] == told.strftime("%A")


@pytest.mark.parametrize("timezone", ["Europe/Berln", "../../etc/passwd", "", "a\0b", "/etc/passwd"])
async def test_an_unknown_zone_gets_a_hint(desk: Desk, timezone: str):
    assert (await desk.refusal("current_time", timezone=timezone)).startswith("there is no time zone")


async def test_a_near_miss_is_suggested(desk: Desk):
    assert (await desk.refusal("current_time", timezone="Europe/Berln")).endswith("did you mean Europe/Berlin?")
