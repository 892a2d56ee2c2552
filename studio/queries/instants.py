"""Microseconds since 1970 as RFC 3339, UTC."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


def instant(microseconds: int) -> str:
    """`2026-11-29T16:07:19.000001Z`."""
    return rfc3339(moment(microseconds))


def rfc3339(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def microseconds_of(at: datetime) -> int:
    """The reverse of `moment`."""
    return (at - EPOCH) // timedelta(microseconds=1)
