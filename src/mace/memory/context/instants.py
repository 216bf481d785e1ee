"""Timestamps of records and requests: read strictly, kept as microseconds, written in one spelling.

Pure. `ts_utc` enters `record_hash` and the order of candidates, so what counts as readable is part of the contract:
ASCII `YYYY-MM-DD`, then `T`, `t` or a space, `HH:MM:SS`, an optional fraction (cut to microseconds), an optional
`Z`, `z` or `±HH:MM`; without a zone it is UTC. All else, and what leaves the years 1 to 9999 in UTC, is unreadable.
"""

import re
from datetime import date, datetime, timedelta
from functools import lru_cache

_SHAPE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])"
    r"(?:\.([0-9]+))?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?"
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HOUR = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3])")
_EPOCH = datetime(1970, 1, 1)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_SECOND_US = 1_000_000
_MAX_HOURS = 1 << 16
_DAY_US = 86_400 * _SECOND_US
_FIRST_US = (date.min.toordinal() - _EPOCH_DAY) * _DAY_US
_LAST_US = (date.max.toordinal() - _EPOCH_DAY + 1) * _DAY_US - 1


class _Hours(dict[str, int]):
    """Microseconds since 1970 by `YYYY-MM-DDTHH`, kept as they are met; KeyError for what is no such hour."""

    def __missing__(self, text: str) -> int:
        day_us = _day_us(text[:10]) if _HOUR.fullmatch(text) else None
        if day_us is None:
            raise KeyError(text)
        if len(self) >= _MAX_HOURS:
            self.clear()
        hour_us = self[text] = day_us + int(text[11:]) * 3600 * _SECOND_US
        return hour_us


# Nearly every timestamp is spelled `2024-05-06T07:08:09Z`, and needs no rewriting: `HOURS[text[:13]] +
# WITHIN_HOUR[text[13:]]` is its instant, KeyError says that it is spelled otherwise.
HOURS = _Hours()
WITHIN_HOUR = {f":{at // 60:02d}:{at % 60:02d}Z": at * _SECOND_US for at in range(3600)}


def read(text: str) -> tuple[int, str] | tuple[None, None]:
    """Microseconds since 1970 and the one spelling of the instant, or twice None."""
    try:
        return HOURS[text[:13]] + WITHIN_HOUR[text[13:]], text
    except KeyError:
        instant = parse_us(text)
    return (None, None) if instant is None else (instant, format_us(instant))


def parse_us(text: str) -> int | None:
    """Microseconds since 1970 in UTC, or None for what is not a timestamp."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        return None
    day, hour, minute, second, fraction, sign, off_hour, off_minute = shape.groups()
    day_us = _day_us(day)
    if day_us is None:
        return None
    instant = day_us + (int(hour) * 3600 + int(minute) * 60 + int(second)) * _SECOND_US
    if fraction is not None:
        instant += int(fraction[:6].ljust(6, "0"))
    if sign is not None:
        offset = (int(off_hour) * 60 + int(off_minute)) * 60 * _SECOND_US
        instant += offset if sign == "-" else -offset
        if not _FIRST_US <= instant <= _LAST_US:
            return None
    return instant


def format_us(instant: int) -> str:
    """`YYYY-MM-DDTHH:MM:SSZ`, with six digits of fraction when there is one."""
    return (_EPOCH + timedelta(microseconds=instant)).isoformat() + "Z"


@lru_cache(maxsize=1 << 14)
def _day_us(text: str) -> int | None:
    """Microseconds from 1970 to the start of the day, or None for a day that does not exist."""
    if _DAY.fullmatch(text) is None:
        return None
    try:
        return (date(int(text[:4]), int(text[5:7]), int(text[8:])).toordinal() - _EPOCH_DAY) * _DAY_US
    except ValueError:
        return None
