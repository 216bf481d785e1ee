"""One-time codes: which step a code belongs to, and clocks that have none."""

from datetime import UTC, datetime, timedelta

import pytest

from mace.core.errors import PreconditionFailed
from mace.providers.second_factor import Totp

SECRET = "JBSWY3DPEHPK3PXP"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("seconds", [0, 29, 30, 90, 1_000_000_000])
def test_a_code_belongs_to_its_step(seconds: int):
    at = EPOCH + timedelta(seconds=seconds)
    assert Totp().step_of(SECRET, Totp().code_at(SECRET, at), at, 1) == seconds // 30


@pytest.mark.parametrize(
    "at", [EPOCH - timedelta(seconds=31), datetime(1960, 5, 1, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)]
)
def test_a_clock_before_1970_has_no_codes(at: datetime):
    for ask in (lambda: Totp().step_of(SECRET, "123456", at, 1), lambda: Totp().code_at(SECRET, at)):
        with pytest.raises(PreconditionFailed, match="clock"):
            ask()
