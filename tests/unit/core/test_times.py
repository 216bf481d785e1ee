"""Instants as text: one spelling that sorts as instants do, and nothing read that is not an instant."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from mace.core import times

ODD = datetime(2026, 1, 31, 12, 0, 0, 250_987, UTC)


def test_milliseconds_are_cut_not_rounded():
    assert times.iso_ms(ODD) == "2026-01-31T12:00:00.250Z"
    assert times.iso_us(ODD) == "2026-01-31T12:00:00.250987Z"


def test_every_zone_is_written_as_utc():
    there = datetime(2026, 1, 31, 17, 30, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert times.iso_ms(there) == "2026-01-31T12:00:00.000Z"


def test_early_years_keep_four_digits_so_that_texts_sort():
    early = datetime(33, 4, 3, tzinfo=UTC)
    assert times.iso_ms(early) == "0033-04-03T00:00:00.000Z"
    assert times.iso_ms(early) < times.iso_ms(ODD)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-01-31T12:00:00Z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T12:00:00.25+02:00", datetime(2026, 1, 31, 10, 0, 0, 250_000, UTC)),
        ("2026-01-31T12:00:00.250987Z", ODD),
    ],
)
def test_instants_are_read_with_their_zone(text: str, instant: datetime):
    assert times.parse_instant(text) == instant
    assert times.parse_instant(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-01-31", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "2026-01-31T25:00:00Z", "12:00:00Z",
     "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"],
)  # fmt: skip
def test_what_is_no_instant_is_refused(text: str):
    with pytest.raises(ValueError):
        times.parse_instant(text)


def test_milliseconds_since_1970_go_both_ways():
    assert times.to_ms(ODD) == 1_769_860_800_250
    assert times.from_ms(1_769_860_800_250) == ODD.replace(microsecond=250_000)
    assert times.to_ms(datetime(1969, 12, 31, 23, 59, 59, 999_500, UTC)) == -1
