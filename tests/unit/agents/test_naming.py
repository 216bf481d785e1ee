"""How keys stand on the record: known names as they are, of others a hash."""

import pytest

from mace.agents import naming

KNOWN = {"user/profile/user_ana/city", "world/fact/ohms_law/definition"}


def hashed(name: str) -> str:
    return "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("user/profile/user_ana/city", "user/profile/user_ana/city"),
        ("world/fact/ohms_law/definition", "world/fact/ohms_law/definition"),
        ("none", "none"),
        ("user/profile/user_ana/affair", "user/profile/user_ana/x-0123456789abcdef"),
        ("world/fact/hans/definition", "world/fact/x-0123456789abcdef"),
        ("world/hans/is/here", "x-0123456789abcdef"),
        ("affair", "x-0123456789abcdef"),
    ],
)
def test_only_known_names_stand_as_they_are(key: str, shown: str):
    assert naming.unless_known(key, KNOWN, hashed) == shown
    assert naming.as_made(key, KNOWN, hashed) == key


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ({"code": 1}, {"code": 1}),
        ({"key": None, "reason": "down"}, {"key": None, "reason": "down"}),
        ({"key": "affair", "reason": "no affair"}, {"key": "x-0123456789abcdef", "reason": "no x-0123456789abcdef"}),
    ],
)
def test_a_reason_that_quotes_the_key_is_changed_with_it(told: dict[str, object], shown: dict[str, object]):
    assert naming.details(told, naming.unless_known, KNOWN, hashed) == shown
