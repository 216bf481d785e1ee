"""Consent: ids, what covers, and what follows for what was found."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from mace.governance import consent
from mace.governance.consent import (
    Consent,
    Coverage,
    Moment,
    Repeated,
    Ruling,
    Seen,
    binds,
    covers,
    ends_at,
    has_ended,
    repeated,
    rule,
    stands_under,
)
from mace.governance.detectors import HIGH, LOW, SENSITIVITY

pytestmark = pytest.mark.stage1
NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
TAKEN_BACK = Moment(NOW - timedelta(hours=1), 50)
TOO_LONG = "expires_at must be at most 3653 days (ten years) ahead; a consent can be given again"


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
        (made(revoked=TAKEN_BACK), "user_bob", "s", Coverage.REVOKED),
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


PHONES, BOTH = frozenset({"phone"}), frozenset({"store", "process"})


@pytest.mark.parametrize(
    ("held", "types", "purpose", "coverage"),
    [
        (made(), ("phone", "email"), "store", Coverage.COVERED),
        (made(), ("phone",), "process", Coverage.OTHER_PURPOSE),
        (made(data_types=PHONES), ("phone",), "store", Coverage.COVERED),
        (made(data_types=PHONES), ("phone", "email"), "store", Coverage.OTHER_TYPE),
        (made(data_types=PHONES), ("email",), "process", Coverage.OTHER_TYPE),
        (made(data_types=PHONES, purposes=BOTH), ("phone",), "process", Coverage.COVERED),
        (made(purposes=frozenset({"process"})), ("phone",), "store", Coverage.OTHER_PURPOSE),
        (made(data_types=PHONES, revoked=TAKEN_BACK), ("email",), "process", Coverage.REVOKED),
        (made(data_types=PHONES), (), "store", Coverage.COVERED),
    ],
)
def test_types_and_purposes_bound_what_a_consent_covers(
    held: Consent, types: tuple[str, ...], purpose: str, coverage: Coverage
):
    assert covers(held, "user_bob", "s", NOW, types, purpose) is coverage


PAST = NOW - timedelta(days=1)


@pytest.mark.parametrize(
    ("held", "ended", "by_itself"),
    [
        (made(), False, None),
        (made(revoked=TAKEN_BACK), True, None),
        (made(expires_at=PAST), False, None),  # of a job it limits when data may be written, and no more
        (made(scope="persistent", expires_at=LATER), False, LATER),
        (made(scope="persistent", expires_at=LATER, revoked=TAKEN_BACK), True, LATER),
        (made(scope="persistent", expires_at=NOW), True, NOW),
    ],
)
def test_when_a_consent_has_ended_for_what_it_let_in(held: Consent, ended: bool, by_itself: datetime | None):
    assert (has_ended(held, NOW), ends_at(held)) == (ended, by_itself)


LASTING = {"scope": "persistent", "expires_at": LATER}
REVOKED = made(revoked=TAKEN_BACK)


@pytest.mark.parametrize(
    ("let_in", "others", "under"),
    [
        (made(), [], "c"),
        (REVOKED, [], None),
        (REVOKED, [REVOKED], None),
        (REVOKED, [made(consent_id="d", **LASTING)], "d"),
        (REVOKED, [made(consent_id="d")], None),  # a consent for a job covers what that job writes
        (REVOKED, [made(consent_id="d", data_types=frozenset({"email"}), **LASTING)], None),
        (REVOKED, [made(consent_id="d", data_types=PHONES, **LASTING)], "d"),
        (REVOKED, [made(consent_id="d", purposes=frozenset({"process"}), **LASTING)], None),
        (REVOKED, [made(consent_id="d", person="user_eve", **LASTING)], None),
        (REVOKED, [made(consent_id="d", scope="persistent", expires_at=NOW)], None),
        (
            REVOKED,
            [
                made(consent_id="d", **LASTING),
                made(consent_id="e", scope="persistent", expires_at=LATER + timedelta(1)),
            ],
            "e",
        ),
    ],
)
def test_what_was_let_in_stands_under_a_consent_that_holds(let_in: Consent, others: list[Consent], under: str | None):
    found = stands_under(let_in, others, ("phone",), NOW)
    assert (None if found is None else found.consent_id) == under


def lasting(name: str, given: int, revoked: int | None = None, expires: int = 1000) -> Consent:
    """A persistent consent that was given and revoked at these places; the clock shows a minute for each of them."""
    return made(
        consent_id=name,
        scope="persistent",
        expires_at=_minute(expires),
        given=Moment(_minute(given), given),
        revoked=None if revoked is None else Moment(_minute(revoked), revoked),
    )


def _minute(number: int) -> datetime:
    return NOW + timedelta(minutes=number)


ONE = lasting("one", 1, revoked=10)


@pytest.mark.parametrize(
    ("let_in", "others", "under"),
    [
        (ONE, [ONE, lasting("two", 5)], "two"),
        (ONE, [ONE, lasting("two", 11)], None),  # given after the end: nothing comes back
        (ONE, [lasting("two", 5, revoked=8), lasting("two", 11)], None),  # given again after the end
        (ONE, [lasting("two", 5, revoked=20), lasting("three", 15)], "three"),  # one takes over from the other
        (ONE, [lasting("three", 15), lasting("two", 5, revoked=20)], "three"),
        (ONE, [lasting("two", 5, revoked=20), lasting("three", 21)], None),
        (ONE, [lasting("two", 5, expires=20), lasting("three", 15)], "three"),
        (ONE, [lasting("two", 5, expires=20), lasting("three", 20)], None),  # at 20 it had ended
        (ONE, [lasting("two", 5, expires=9)], None),
        (ONE, [lasting("two", 5, revoked=20, expires=8), lasting("three", 15)], None),  # the earlier end counts
        (lasting("one", 1, revoked=30, expires=10), [lasting("two", 20)], None),
        (lasting("one", 1, expires=10), [lasting("two", 5)], "two"),
        (lasting("one", 1, expires=10), [lasting("two", 11)], None),
        (made(revoked=Moment(_minute(10), 10)), [lasting("two", 5)], "two"),
        (made(revoked=Moment(_minute(10), 10)), [lasting("two", 11)], None),
        (made(revoked=Moment(_minute(10), 10)), [made(**{**LASTING, "given": Moment(_minute(10), 9)})], "c"),
        (made(revoked=Moment(_minute(10), 10)), [made(**{**LASTING, "given": Moment(_minute(10), 11)})], None),
    ],
)
def test_another_consent_takes_over_only_without_a_gap(let_in: Consent, others: list[Consent], under: str | None):
    found = stands_under(let_in, others, ("phone",), _minute(100))
    assert (None if found is None else found.consent_id) == under


@pytest.mark.parametrize(
    ("held", "wanted", "ruling"),
    [
        (made(), made(), Repeated.ALREADY),
        (made(revoked=TAKEN_BACK), made(), Repeated.AGAIN),
        (made(scope="persistent", expires_at=NOW), made(**LASTING), Repeated.AGAIN),
        (made(**LASTING), made(**LASTING), Repeated.ALREADY),
        (made(), made(person="user_eve"), Repeated.TAKEN),
        (made(revoked=TAKEN_BACK), made(person="user_eve"), Repeated.TAKEN),
        (made(), made(data_types=PHONES), Repeated.OTHER_TERMS),
        (made(revoked=TAKEN_BACK), made(data_types=PHONES), Repeated.OTHER_TERMS),
        (made(revoked=TAKEN_BACK), made(purposes=BOTH), Repeated.OTHER_TERMS),
        (made(revoked=TAKEN_BACK), made(**LASTING), Repeated.OTHER_TERMS),
    ],
)
def test_what_becomes_of_an_id_that_is_given_again(held: Consent, wanted: Consent, ruling: Repeated):
    assert repeated(held, wanted, NOW) is ruling


@pytest.mark.parametrize(
    ("approved", "wanted", "first", "stored_as", "is_about"),
    [
        ("a", "a", None, None, True),
        ("a", "b", None, None, False),
        (None, "b", None, None, True),  # from before: the first value stored under it
        (None, "b", "x", "x", True),
        (None, "b", "x", "y", False),
        (None, "b", "x", None, False),
    ],
)
def test_an_approval_is_about_one_value(
    approved: str | None, wanted: str, first: str | None, stored_as: str | None, is_about: bool
):
    assert binds(approved, wanted, first, stored_as) is is_about


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
        ("persistent", "yes", NOW + timedelta(days=3653), None),
        ("persistent", "yes", NOW + timedelta(days=3653, seconds=1), TOO_LONG),
        ("persistent", "yes", datetime(9999, 1, 1, tzinfo=UTC), TOO_LONG),
        ("for ever", "yes", None, "scope must be one of job, persistent"),
        ("job", "  ", None, "consent_text must be a string of 1 to 4000 characters"),
        ("job", "y" * 4001, None, "consent_text must be a string of 1 to 4000 characters"),
    ],
)
def test_what_can_be_a_consent(scope: str, text: str, expires_at: datetime | None, complaint: str | None):
    assert consent.problem_with(scope, text, expires_at, NOW) == complaint


@pytest.mark.parametrize(
    ("types", "purposes", "complaint"),
    [
        (None, ("store",), None),
        (["phone", "email"], ("store", "process"), None),
        ([], ("store",), "data_types must name at least one type of data, or be left out for every type"),
        (["shoe"], ("store",), f"data_types must be among {', '.join(SENSITIVITY)}; unknown: shoe"),
        (None, (), "purposes must be one or more of store, process"),
        (None, ("sell",), "purposes must be one or more of store, process"),
    ],
)
def test_which_types_and_purposes_can_be_consented_to(
    types: list[str] | None, purposes: tuple[str, ...], complaint: str | None
):
    assert consent.problem_with("job", "yes", None, NOW, types, purposes, tuple(SENSITIVITY)) == complaint
