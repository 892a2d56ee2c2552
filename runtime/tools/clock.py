"""What time it is."""

import difflib
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, available_timezones

from runtime.ports import ToolContext, ToolFailed
from runtime.tools.declaration import tool


@tool(group="clock")
async def current_time(context: ToolContext, timezone: str = "UTC") -> dict[str, str]:
    """Tell the date, the time and the day of the week in a time zone.

    Args:
        timezone: Name of the time zone, such as Europe/Berlin or UTC.
    """
    now = datetime.now(UTC) if timezone == "UTC" else datetime.now(_zone(timezone))
    return {
        "time": now.isoformat(timespec="seconds"),
        "timezone": timezone,
        "day_of_week": now.strftime("%A"),
    }


def _zone(name: str) -> ZoneInfo:
    known = available_timezones()
    if name in known:
        return ZoneInfo(name)
    near = difflib.get_close_matches(name.replace(" ", "_"), known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else "names are such as Europe/Berlin, America/New_York or UTC"
    raise ToolFailed(f"there is no time zone {name[:80]!r}; {hint}", retryable=False)
