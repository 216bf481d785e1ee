"""The gate as a function: what passes, what is cut, what is recorded of it, and how names are looked at."""

from pathlib import Path
from typing import Any

import pytest

import canaries
import places
from mace.engine.kernel.cleaning import holds_personal, is_personal
from mace.engine.kernel.privacy import NOBODY, Own, pii_hash, screen
from mace.providers.ports import Keys

SSN, PHONE, TOKEN = canaries.SSN, canaries.PHONE, canaries.TOKEN


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    with places.SqlitePlace(tmp_path).open() as m:
        return m._parts.world.keys


def own(said: str = "", *stored: Any) -> Own:
    made = Own(said)
    for value in stored:
        made.add_stored(value)
    return made


@pytest.mark.parametrize(
    ("value", "theirs", "passes", "withheld"),
    [
        ("the capital is Strelsau", NOBODY, "the capital is Strelsau", ()),
        (f"my ssn is {SSN}", NOBODY, "my ssn is [redacted]", ("us_ssn",)),
        (f"call {PHONE}", NOBODY, "call [redacted]", ("phone",)),
        (f"the key is {TOKEN}", NOBODY, "the key is [redacted]", ("access_token",)),
        ({"a": [f"call {PHONE}", "tea"], "n": 1}, NOBODY, {"a": ["call [redacted]", "tea"], "n": 1}, ("phone",)),
        ({f"call {PHONE}": 1}, NOBODY, {"call [redacted]": 1}, ("phone",)),
        # Their own words, however they are written, and nobody else's.
        (f"call {PHONE}", own(f"my phone is {PHONE}"), f"call {PHONE}", ()),
        ("call (212) 555-0198", own(f"my phone is {PHONE}"), "call (212) 555-0198", ()),
        ("call 212-555-0199", own(f"my phone is {PHONE}"), "call [redacted]", ("phone",)),
        # What somebody says never covers high data; what the council let in does.
        (f"my ssn is {SSN}", own(f"my ssn is {SSN}"), "my ssn is [redacted]", ("us_ssn",)),
        (f"my ssn is {SSN}", own("", {"value": SSN}), f"my ssn is {SSN}", ()),
        (f"call {PHONE}", own("", PHONE), f"call {PHONE}", ()),
    ],
)
def test_what_nothing_covers_is_cut(keys: Keys, value: Any, theirs: Own, passes: Any, withheld: tuple[str, ...]):
    passed = screen(keys, value, "seed", own=theirs)
    assert (passed.value, passed.withheld) == (passes, withheld)


def test_what_is_cut_is_flagged_by_its_hash(keys: Keys):
    passed = screen(keys, f"my ssn is {SSN}, call {PHONE}", "seed")
    assert [(flag.pii_type, flag.sensitivity, flag.pii_hash) for flag in passed.flags] == [
        ("us_ssn", "high", pii_hash(keys, SSN, "seed")),
        ("phone", "medium", pii_hash(keys, PHONE, "seed")),
    ]


def test_a_member_can_become_its_hash(keys: Keys):
    passed = screen(keys, {"said": f"my ssn is {SSN}", "else": "tea"}, "seed", leaves_hash=True)
    assert passed.value == {
        "said": {
            "redaction_hash": pii_hash(keys, SSN, "seed"),
            "redaction_reason": "PII_DETECTED",
            "pii_type": "us_ssn",
        },
        "else": "tea",
    }


@pytest.mark.parametrize(
    "word",
    [
        TOKEN,
        "ghp_abcdefghijklmnopqrstuvwxyzabcdefghij",
        "xoxb-abcdefghijkl-mnopqrstuvwxabcdefgh",
        "sk_live_4eCdHqLyjWDarjtTkzdpqdcA",
        "AKIAIOSFODNNQEXAMPLE",
        "agent:ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
        "eyJhbGciOiJIUzIxNiJ9.eyJzdWIiOiJhbm5hIn0.dBjftJeZ4CVPmBXXukkLOw",
        "ana@example.org",
        "212-555-0198",
        SSN,
    ],
)
def test_a_name_of_one_word_can_be_personal(word: str):
    assert holds_personal(word)
    assert is_personal(word)


@pytest.mark.parametrize(
    "word",
    ["user", "agent:rogue", "system_admin", "user/profile/user_ana/favorite_food", "world/fact/ohms_law/definition"],
)
def test_plain_names_need_no_detectors(word: str, monkeypatch: pytest.MonkeyPatch):
    def never(_text: str) -> bool:
        raise AssertionError("the detectors were asked")

    monkeypatch.setattr("mace.engine.kernel.cleaning.holds_personal", never)
    assert not is_personal(word)
