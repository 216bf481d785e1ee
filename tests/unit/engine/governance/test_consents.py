"""Consent as a verb, as the gate of writes, and as `detect_and_handle`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
from mace.core import seeds
from mace.core.errors import Conflict, InvalidInput, NotFound

pytestmark = pytest.mark.stage1
PHONE, SSN = "212-555-0198", "123-45-6789"
PHONE_KEY, SSN_KEY = "user/profile/user_bob/phone", "user/profile/user_bob/ssn"
FOREVER = "2027-01-01T00:00:00Z"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    yield made
    made.close()


def put(house: governed.House, key: str, value: Any, **options: Any) -> dict[str, Any]:
    return house.m.sem_put(key, value, "user", **options)


def test_a_consent_covers_its_job_and_no_other(house: governed.House):
    given = house.g.consents.grant("bob", "keep my phone", job_seed="s1")["consent_id"]
    assert put(house, PHONE_KEY, PHONE, job_seed="s1", consent_id=given)["success"]
    assert house.m.sem_get(PHONE_KEY)["value"] == PHONE
    refused = put(house, PHONE_KEY, "212-555-0199", job_seed="s2", consent_id=given)
    assert (refused["error_code"], refused["error"]["meta"]["consent"]) == ("PRIVACY_BLOCKED", "other_job")
    assert house.m.sem_get(PHONE_KEY)["value"] == PHONE


def test_a_consent_given_in_a_job_need_not_be_named_in_it(house: governed.House):
    given = house.g.consents.grant("bob", "keep my phone", job_seed="s1")["consent_id"]
    assert put(house, PHONE_KEY, PHONE, job_seed="s1")["success"]
    assert house.m.events(seeds.job_id("s1"))[-2]["payload"]["consent_id"] == given
    assert house.g.consents.detect_and_handle(f"call {PHONE}", "bob", "s1")["status"] == "allowed"
    assert put(house, PHONE_KEY, PHONE, job_seed="s2")["error"]["meta"]["consent"] == "none_given"
    assert put(house, "user/profile/user_eve/phone", PHONE, job_seed="s1")["error_code"] == "PRIVACY_BLOCKED"
    assert put(house, PHONE_KEY, PHONE, job_seed="s1", consent_id="0" * 64)["error"]["meta"]["consent"] == "unknown"
    assert put(house, SSN_KEY, SSN, job_seed="s1")["error"]["meta"]["request_id"]  # high still waits for approval
    house.g.consents.revoke(given)
    assert put(house, PHONE_KEY, PHONE, job_seed="s1")["error"]["meta"]["consent"] == "none_given"


def test_a_persistent_consent_ends_when_it_expires_or_is_revoked(house: governed.House):
    given = house.g.consents.grant("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    assert put(house, PHONE_KEY, PHONE, consent_id=given)["success"]
    house.g.consents.revoke(given)
    assert put(house, PHONE_KEY, PHONE, consent_id=given)["error"]["meta"]["consent"] == "revoked"
    again = house.g.consents.grant("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    house.clock.move(days=400)
    assert put(house, PHONE_KEY, PHONE, consent_id=again)["error"]["meta"]["consent"] == "expired"


def test_one_person_s_consent_is_not_another_s_and_not_for_common_keys(house: governed.House):
    given = house.g.consents.grant("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    for key in ("user/profile/user_eve/phone", "world/fact/bob/phone"):
        answer = house.m.sem_put(key, PHONE, "system_admin", consent_id=given)
        assert answer["error"]["meta"]["consent"] == "unknown", key
        assert not house.m.sem_get(key)["exists"]


def test_an_unknown_consent_covers_nothing(house: governed.House):
    assert put(house, PHONE_KEY, PHONE, consent_id="0" * 64)["error"]["meta"]["consent"] == "unknown"


def test_a_consent_that_somebody_wrote_into_the_database_is_none(house: governed.House):
    given = house.g.consents.grant("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    with house.place.sql() as sql:
        sql("update records set body = cast(replace(cast(body as text), 'user_bob', 'user_eve') as blob)"
            " where kind = 'consent'")  # fmt: skip
    answer = house.m.sem_put("user/profile/user_eve/phone", PHONE, "user", consent_id=given)
    assert answer["error_code"] == "INTEGRITY_FAILURE"


def test_high_sensitivity_needs_an_approval_that_binds_person_key_and_type(house: governed.House):
    given = house.g.consents.grant("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    blocked = put(house, SSN_KEY, SSN, job_seed="s", consent_id=given)
    request_id = blocked["error"]["meta"]["request_id"]
    assert blocked["error_code"] == "PRIVACY_BLOCKED"
    assert blocked["user_message"] == "I can’t store or repeat that kind of sensitive personal information."
    assert house.types(seeds.job_id("s")) == [
        "JOB_OPENED",
        "PII_FLAGGED",
        "memory_promote_request",
        "PRIVACY_BLOCKED",
    ]
    again = put(house, SSN_KEY, SSN, consent_id=given)
    assert again["error"]["meta"]["request_id"] == request_id, "an open request is not made twice"
    house.m.vote(request_id, "owner", "approve")
    assert put(house, SSN_KEY, SSN, consent_id=given)["success"]
    assert house.m.sem_get(SSN_KEY)["value"] == SSN
    for key, value in (("user/profile/user_bob/other", SSN), (SSN_KEY, "DE89 3704 0044 0532 0130 00")):
        answer = put(house, key, value, consent_id=given)
        assert answer["error_code"] == "PRIVACY_BLOCKED", key
        assert answer["error"]["meta"]["request_id"] != request_id
    without = put(house, SSN_KEY, SSN)
    assert without["error_code"] == "PRIVACY_BLOCKED"
    assert "request_id" not in without["error"]["meta"]


def test_a_rejected_promotion_can_be_asked_for_again(house: governed.House):
    given = house.g.consents.grant("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    first = put(house, SSN_KEY, SSN, consent_id=given)["error"]["meta"]["request_id"]
    house.m.vote(first, "owner", "reject")
    second = put(house, SSN_KEY, SSN, consent_id=given)["error"]["meta"]["request_id"]
    assert second != first
    assert not house.m.sem_get(SSN_KEY)["exists"]


def test_a_question_is_read_as_it_is_by_consent_and_replays(house: governed.House):
    given = house.g.consents.grant("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    heard = house.m.ask(f"my phone is {PHONE}", user_id="bob", consent_id=given)
    assert heard["answer"] == f"I’ll remember that your phone is {PHONE}."
    assert house.m.sem_get(PHONE_KEY)["value"] == PHONE
    types = house.types(heard["job_id"])
    assert types.count("PII_CONSENT") == 2  # reading it, storing it
    assert "PII_FLAGGED" not in types
    assert house.m.replay(heard["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize("consent", [None, "0" * 64])
def test_without_consent_a_question_is_redacted(house: governed.House, consent: str | None):
    heard = house.m.ask(f"my phone is {PHONE}", user_id="bob", consent_id=consent)
    assert heard["error"]["error_code"] == "PRIVACY_BLOCKED"
    assert PHONE not in repr(heard)


def test_what_is_high_in_a_question_is_blocked_whatever_the_consent(house: governed.House):
    given = house.g.consents.grant("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    heard = house.m.ask(f"my ssn is {SSN}, my phone is {PHONE}", user_id="bob", consent_id=given)
    assert heard["error"]["error_code"] == "PRIVACY_BLOCKED"
    assert heard["agent_id"] is None


@pytest.mark.parametrize(
    ("payload", "consented", "status", "event", "code"),
    [
        ("nothing here", False, "allowed", "PII_CHECKED", None),
        ("my name is Bob", False, "allowed", "PII_CHECKED", None),
        (f"call {PHONE}", False, "consent_required", "PII_FLAGGED", None),
        (f"call {PHONE}", True, "allowed", "PII_CONSENT", None),
        (f"ssn {SSN}", False, "redacted", "PII_FLAGGED", "PRIVACY_BLOCKED"),
        (f"ssn {SSN}", True, "redacted", "PII_FLAGGED", "PRIVACY_BLOCKED"),
        ({"contact": {"phone": PHONE}}, False, "consent_required", "PII_FLAGGED", None),
    ],
)
def test_detect_and_handle(
    house: governed.House, payload: Any, consented: bool, status: str, event: str, code: str | None
):
    given = None
    if consented:
        given = house.g.consents.grant("bob", "yes", job_seed="s")["consent_id"]
    answer = house.g.consents.detect_and_handle(payload, "bob", "s", given)
    assert (answer["status"], answer["error_code"]) == (status, code)
    index = 2 if consented else 1
    assert answer["event_id"] == seeds.event_id("s", index, event)
    assert house.m.event(answer["event_id"], "s")[0]["event_type"] == event
    assert (answer["request_id"] is not None) == (consented and status == "redacted")
    if status == "allowed":
        assert answer["payload"] == payload
    else:
        assert PHONE not in repr(answer)
        assert SSN not in repr(answer)
        assert "[redacted]" in repr(answer["payload"])


def test_an_approval_lets_detect_and_handle_allow(house: governed.House):
    given = house.g.consents.grant("bob", "yes", "persistent", expires_at=FOREVER)["consent_id"]
    asked = house.g.consents.detect_and_handle(f"ssn {SSN}", "bob", consent_id=given)
    house.m.vote(asked["request_id"], "owner", "approve")
    assert house.g.consents.detect_and_handle(f"ssn {SSN}", "bob", consent_id=given)["status"] == "allowed"
    assert put(house, SSN_KEY, SSN, consent_id=given)["error_code"] == "PRIVACY_BLOCKED", "but stores nothing"


def test_grants_and_revocations_are_on_the_record_once(house: governed.House):
    given = house.g.consents.grant("bob", "yes", job_seed="s")
    with pytest.raises(Conflict):
        house.g.consents.grant("bob", "yes", job_seed="s")
    first = house.g.consents.revoke(given["consent_id"])
    assert house.m.event(first["event_id"])[0]["event_type"] == "PII_CONSENT_REVOKE"
    assert house.g.consents.revoke(given["consent_id"]) == {**first, "event_id": None}
    with pytest.raises(NotFound):
        house.g.consents.revoke("0" * 64)
    assert [item["revoked_at"] is not None for item in house.g.consents.listed("bob")] == [True]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("bob", "yes", "for ever"), {}),
        (("bob", "yes", "persistent"), {}),
        (("bob", " "), {}),
        (("bob", "yes"), {"expires_at": "2020-01-01T00:00:00Z"}),
        (("bob", "yes"), {"expires_at": "tomorrow"}),
        (("bob@example.com", "yes"), {}),
        (("", "yes"), {}),
    ],
)
def test_what_is_no_consent_is_refused(house: governed.House, arguments: tuple[str, ...], options: dict[str, Any]):
    with pytest.raises(InvalidInput):
        house.g.consents.grant(*arguments, **options)


def test_a_flagged_write_waits_nowhere_when_the_store_is_down(house: governed.House):
    """What was flagged is not queued: the spill file would keep it for an operator."""
    kept: list[str] = []
    house.m._parts.spilling.keep = lambda event_type, *rest: kept.append(event_type) or True  # type: ignore[method-assign]

    def down(_unit: Any) -> Any:
        from mace.core.errors import ServiceUnavailable

        raise ServiceUnavailable("down")

    write = house.m._parts.world.store.write
    house.m._parts.world.store.write = down  # type: ignore[method-assign]
    try:
        assert put(house, PHONE_KEY, PHONE)["error_code"] == "SEM_WRITE_FAIL"
        assert "WRITE_QUEUED" not in kept
        assert put(house, "user/profile/user_bob/food", "pizza")["error_code"] == "SEM_WRITE_FAIL"
        assert "WRITE_QUEUED" in kept
    finally:
        house.m._parts.world.store.write = write  # type: ignore[method-assign]


def test_a_consent_may_come_before_its_question(house: governed.House):
    given = house.g.consents.grant("bob", "yes, for this question", job_seed="q1")["consent_id"]
    heard = house.m.ask(f"my phone is {PHONE}", user_id="bob", job_seed="q1", consent_id=given)
    assert heard["answer"] == f"I’ll remember that your phone is {PHONE}."
    assert house.types(heard["job_id"])[:2] == ["JOB_OPENED", "PII_CONSENT"]
    assert house.m.replay(heard["job_id"])["result"] == "MATCH"
    again = house.m.ask(f"my phone is {PHONE}", user_id="bob", job_seed="q2", consent_id=given)
    assert again["error"]["error_code"] == "PRIVACY_BLOCKED"


def test_a_consent_given_in_the_job_need_not_be_named_by_its_question(house: governed.House):
    house.g.consents.grant("bob", "yes, for this question", job_seed="q1")
    heard = house.m.ask(f"my phone is {PHONE}", user_id="bob", job_seed="q1")
    assert heard["answer"] == f"I’ll remember that your phone is {PHONE}."
    assert house.m.replay(heard["job_id"])["result"] == "MATCH"
    house.g.consents.grant("bob", "yes, for this question", job_seed="q2")
    for user, seed in (("ann", "q2"), ("bob", "q3")):
        assert house.m.ask(f"my phone is {PHONE}", user_id=user, job_seed=seed)["error"]["error_code"] == (
            "PRIVACY_BLOCKED"
        )
