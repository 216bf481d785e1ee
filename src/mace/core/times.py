"""Instants as text and back: UTC, RFC 3339, one spelling.

Pure. Nobody here asks what time it is; instants are passed in.
"""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso_ms(instant: datetime) -> str:
    """`2026-01-31T12:00:00.250Z`: milliseconds, always three digits, so that texts sort as instants do."""
    return _in_utc(instant).isoformat("T", "milliseconds")[:-6] + "Z"


def iso_us(instant: datetime) -> str:
    """`2026-01-31T12:00:00.250000Z`: microseconds, always six digits."""
    return _in_utc(instant).isoformat("T", "microseconds")[:-6] + "Z"


def _in_utc(instant: datetime) -> datetime:
    return instant if instant.tzinfo is UTC else instant.astimezone(UTC)


def parse_instant(text: str) -> datetime:
    """Read an ISO 8601 instant that names its zone; raise ValueError for all else."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("timestamp must have a time zone")
    try:
        return instant.astimezone(UTC)
    except OverflowError:  # the first or last hours of what a calendar holds, in another zone
        raise ValueError("timestamp must be within the years 1 to 9999 in UTC") from None


def to_ms(instant: datetime) -> int:
    """Milliseconds since 1970, rounded down; integers only, so that no float can move an instant."""
    return (instant - _EPOCH) // timedelta(milliseconds=1)


def from_ms(milliseconds: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=milliseconds)
