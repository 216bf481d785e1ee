"""Consent: ids, what covers, and what follows for what was found."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from mace.governance import consent
from mace.governance.consent import Consent, Coverage, Ruling, Seen, covers, rule
from mace.governance.detectors import HIGH, LOW

pytestmark = pytest.mark.stage1
NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


def made(**changes: object) -> Consent:
    plain = {"consent_id": "c", "person": "user_bob", "scope": "job", "job_seed": "s", "expires_at": None}
    return Consent(**{**plain, **changes})  # type: ignore[arg-type]


def test_the_id_is_the_hash_of_the_text_s_concatenation():
    assert consent.consent_id("bob", "seed", "yes") == hashlib.sha256(b"bobseedyes").hexdigest()


def test_the_levels_are_spelled_as_the_detectors_spell_them():
    assert (consent.LOW, consent.HIGH) == (LOW, HIGH)


@pytest.mark.parametrize(
    ("held", "person", "seed", "coverage"),
    [
        (made(), "user_bob", "s", Coverage.COVERED),
        (made(), "user_bob", "other", Coverage.OTHER_JOB),
        (made(), "user_eve", "s", Coverage.OTHER_PERSON),
        (made(), None, "s", Coverage.OTHER_PERSON),
        (made(revoked=True), "user_bob", "s", Coverage.REVOKED),
        (made(expires_at=NOW), "user_bob", "s", Coverage.EXPIRED),
        (made(scope="persistent", expires_at=LATER), "user_bob", "other", Coverage.COVERED),
        (made(scope="persistent", expires_at=LATER), "user_eve", "s", Coverage.OTHER_PERSON),
        (made(scope="persistent", expires_at=NOW), "user_bob", "s", Coverage.EXPIRED),
        (made(scope="unheard_of"), "user_bob", "other", Coverage.OTHER_JOB),
        (None, "user_bob", "s", Coverage.UNKNOWN),
    ],
)
def test_what_a_consent_covers(held: Consent | None, person: str | None, seed: str, coverage: Coverage):
    assert covers(held, person, seed, NOW) is coverage


LOW_ONE, PHONE, SSN = Seen("first_name", "low"), Seen("phone", "medium"), Seen("us_ssn", "high")


@pytest.mark.parametrize(
    ("seen", "coverage", "approved", "ruling"),
    [
        ([], Coverage.NONE_GIVEN, (), Ruling.ALLOW),
        ([LOW_ONE], Coverage.NONE_GIVEN, (), Ruling.ALLOW),
        ([PHONE], Coverage.NONE_GIVEN, (), Ruling.CONSENT_REQUIRED),
        ([PHONE], Coverage.EXPIRED, (), Ruling.CONSENT_REQUIRED),
        ([PHONE], Coverage.COVERED, (), Ruling.ALLOW_BY_CONSENT),
        ([SSN], Coverage.NONE_GIVEN, ("us_ssn",), Ruling.BLOCK),
        ([PHONE, SSN], Coverage.OTHER_PERSON, (), Ruling.BLOCK),
        ([SSN], Coverage.COVERED, (), Ruling.APPROVAL_REQUIRED),
        ([SSN], Coverage.COVERED, ("iban",), Ruling.APPROVAL_REQUIRED),
        ([SSN, PHONE], Coverage.COVERED, ("us_ssn",), Ruling.ALLOW_BY_CONSENT),
    ],
)
def test_what_follows(seen: list[Seen], coverage: Coverage, approved: tuple[str, ...], ruling: Ruling):
    assert rule(seen, coverage, approved) is ruling


@pytest.mark.parametrize(
    ("scope", "text", "expires_at", "complaint"),
    [
        ("job", "yes", None, None),
        ("job", "yes", LATER, None),
        ("persistent", "yes", LATER, None),
        ("persistent", "yes", None, "expires_at is required for a persistent consent"),
        ("job", "yes", NOW, "expires_at must be in the future"),
        ("for ever", "yes", None, "scope must be one of job, persistent"),
        ("job", "  ", None, "consent_text must be a string of 1 to 4000 characters"),
        ("job", "y" * 4001, None, "consent_text must be a string of 1 to 4000 characters"),
    ],
)
def test_what_can_be_a_consent(scope: str, text: str, expires_at: datetime | None, complaint: str | None):
    assert consent.problem_with(scope, text, expires_at, NOW) == complaint
