"""The W3C traceparent: what is well-formed is kept, what is not is ignored."""

from typing import Any

import pytest

from mace.core.traces import read_traceparent

GOOD = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (GOOD, GOOD),
        (GOOD[:-2] + "00", GOOD[:-2] + "00"),
        ("01" + GOOD[2:], "01" + GOOD[2:]),
        ("01" + GOOD[2:] + "-what comes later", "01" + GOOD[2:]),
        (GOOD + "-more", None),  # version 00 has four fields
        ("01" + GOOD[2:] + "more", None),
        ("ff" + GOOD[2:], None),
        (GOOD.upper(), None),
        (GOOD[:-1], None),
        (GOOD + "\n", None),
        (f" {GOOD}", None),
        ("00-" + "0" * 32 + "-00f067aa0ba902b7-01", None),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-" + "0" * 16 + "-01", None),
        ("", None),
        (None, None),
        (7, None),
        (GOOD.encode(), None),
    ],
)
def test_traceparent(given: Any, kept: str | None):
    assert read_traceparent(given) == kept
