"""A consent has types and purposes, and ends what it allowed when it ends; on both engines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core import seeds
from mace.core.errors import Conflict, InvalidInput
from mace.engine.kernel.let_in import LetIn

pytestmark = pytest.mark.stage1
PHONE, OTHER_PHONE, SSN, EMAIL = "212-555-0198", "212-555-0143", "123-45-6789", "bob.stone.77@gmail.com"
PHONE_KEY, SSN_KEY = "user/profile/user_bob/phone", "user/profile/user_bob/ssn"
SOON, FOREVER = "2026-03-08T12:00:00Z", "2030-01-01T00:00:00Z"
BLOCKED = "I can’t store or repeat that kind of sensitive personal information."


@pytest.fixture
def house(tmp_path: Path, place: places.Place) -> Iterator[governed.House]:
    made = governed.House(tmp_path, place=place)
    made.m = governed.owned(made.m)
    yield made
    made.close()


def persistent(house: governed.House, words: str = "keep it", until: str = FOREVER, **terms: Any) -> str:
    return str(house.m.grant_consent("bob", words, "persistent", expires_at=until, **terms)["consent_id"])


def put(house: governed.House, key: str, value: Any, **options: Any) -> dict[str, Any]:
    return dict(house.m.sem_put(key, value, "user", **options))


def export_of(house: governed.House, user_id: str = "bob") -> str:
    proof = house.m.accounts.issue_identity_proof(user_id)["proof"]
    return repr(house.m.request_dsr(user_id, "export", proof)["package"])


def served(house: governed.House, needle: str = PHONE, key: str = PHONE_KEY) -> list[str]:
    """Where a value is still told: every read there is, and a question."""
    heard = house.m.ask("What is my phone?", user_id="bob")
    looks = {
        "sem_get": house.m.sem_get(key),
        "versioned": house.m.sem_get(key, with_version=True),
        "history": house.m.sem_history(key),
        "ask": heard,
        "replay": house.m.replay(heard["job_id"]),
        "log": house.m.read_reflective_log(str(heard["log_id"])),
    }
    return [name for name, told in looks.items() if needle in repr(told)]


def older_write(patch: pytest.MonkeyPatch) -> None:
    """From now on events of writes name no consent, as in earlier versions."""
    patch.setattr(LetIn, "payload", lambda self: {})


# Ending


@pytest.mark.parametrize("is_older", [False, True])
def test_what_a_revoked_consent_let_in_is_not_served_and_its_deletion_is_asked_for(
    house: governed.House, monkeypatch: pytest.MonkeyPatch, is_older: bool
):
    with monkeypatch.context() as patch:
        if is_older:
            older_write(patch)
        given = persistent(house)
        assert put(house, PHONE_KEY, PHONE, consent_id=given, job_seed="s")["success"]
    event = house.m.events(seeds.job_id("s"))[-1]["payload"]
    assert event.get("consent_id") == (None if is_older else given)
    assert set(served(house)) >= {"sem_get", "versioned", "history", "ask"}
    assert house.m.sem_list("user") == [PHONE_KEY]

    ended = house.m.revoke_consent(given)
    assert house.m.sem_get(PHONE_KEY) == {
        "exists": False,
        "value": None,
        "source": None,
        "last_updated": None,
        "meta": {},
        "error_code": "PRIVACY_BLOCKED",
        "user_message": BLOCKED,
    }
    assert served(house) == []
    assert house.m.sem_list("user") == house.m.sem_list(PHONE_KEY) == []
    assert house.m.sem_history(PHONE_KEY)[0]["value"] == {"redaction_reason": "CONSENT_ENDED"}
    assert house.m.ask("What is my phone?", user_id="bob")["error"]["error_code"] == "SEM_NOT_FOUND"
    assert PHONE in export_of(house), "it is the person's, who may take it along"

    asked = house.m.dsr(str(ended["dsr_id"]))
    assert (asked["keys"], asked["status"]) == ([PHONE_KEY], "awaiting approval")
    assert asked["identity"] == {"method": "consent_ended", "consent_id": given}
    assert house.m.approvals.show(str(ended["dsr_id"]))["requested_by"] == "system"
    again = house.m.revoke_consent(given)
    assert (again["event_id"], again["dsr_id"]) == (None, None)

    house.m.vote(str(ended["dsr_id"]), "owner", "approve")
    assert house.m.dsr(str(ended["dsr_id"]))["status"] == "completed"
    assert house.m.sem_history(PHONE_KEY)[0]["value"] == {"redaction_reason": "ERASED"}
    assert PHONE not in export_of(house)
    assert house.m.verify()["ok"]


def test_a_persistent_consent_that_expires_ends_by_the_clock_and_the_sweep_asks_once(house: governed.House):
    given = persistent(house, until=SOON)
    assert put(house, PHONE_KEY, PHONE, consent_id=given)["success"]
    assert house.m.sem_get(PHONE_KEY)["value"] == PHONE  # and is held in memory now
    assert house.m.sweep()["expired_consents"] == 0
    house.clock.move(days=8)
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "PRIVACY_BLOCKED", "nobody wrote anything since"
    assert served(house) == []
    assert house.m.sweep()["expired_consents"] == 1
    noted = [event for event in house.m.events("system") if event["event_type"] == "PII_CONSENT_EXPIRED"]
    assert [event["payload"]["consent_id"] for event in noted] == [given]
    assert house.m.dsr(noted[0]["payload"]["dsr_id"])["keys"] == [PHONE_KEY]
    assert house.m.sweep()["expired_consents"] == 0
    assert house.m.verify()["ok"]


def test_a_consent_that_let_nothing_in_ends_without_a_request(house: governed.House):
    persistent(house, until=SOON)
    given = persistent(house, "another")
    put(house, "user/profile/user_bob/city", "Gdynia")
    assert house.m.revoke_consent(given)["dsr_id"] is None
    house.clock.move(days=8)
    assert house.m.sweep()["expired_consents"] == 1
    assert house.m.approvals.list() == []
    assert house.m.sem_get("user/profile/user_bob/city")["value"] == "Gdynia"


def test_a_job_consent_limits_writing_and_what_it_let_in_stays_until_it_is_revoked(house: governed.House):
    given = house.m.grant_consent("bob", "keep it", job_seed="s", expires_at=SOON)["consent_id"]
    assert put(house, PHONE_KEY, PHONE, job_seed="s")["success"]
    house.clock.move(days=400)
    assert house.m.sem_get(PHONE_KEY)["value"] == PHONE
    assert house.m.sweep()["expired_consents"] == 0
    assert put(house, PHONE_KEY, OTHER_PHONE, job_seed="s", consent_id=given)["error_code"] == "PRIVACY_BLOCKED"
    house.m.revoke_consent(given)
    assert served(house) == []


def test_what_another_lasting_consent_covers_is_served_until_that_ends_too(house: governed.House):
    first = persistent(house, "the first")
    second = persistent(house, "the second", until=SOON, data_types=["phone"])
    put(house, PHONE_KEY, PHONE, consent_id=first)
    assert house.m.revoke_consent(first)["dsr_id"] is None
    assert house.m.sem_get(PHONE_KEY)["value"] == PHONE
    house.clock.move(days=8)
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "PRIVACY_BLOCKED"
    house.m.sweep()
    [asked] = house.m.approvals.list()
    assert house.m.dsr(asked["request_id"])["identity"]["consent_id"] == second


@pytest.mark.parametrize("later", [{"days": 0}, {"days": 1}])
@pytest.mark.parametrize("expires", [False, True])
def test_a_consent_given_after_the_end_does_not_bring_back_what_the_ended_one_let_in(
    house: governed.House, later: dict[str, int], expires: bool
):
    megram = {"space": "tool:shell", "entity": "path:deploy.sh", "state": "accept", "content": f"call {PHONE} first"}

    def told() -> str:
        return repr(house.m.experience.query_recent("tool:shell", "path:deploy.sh"))

    one = persistent(house, "one", until=SOON)
    put(house, PHONE_KEY, PHONE, consent_id=one)
    assert house.m.experience.write(megram, "solver", user_id="bob", consent_id=one)["success"]
    assert PHONE in told()
    if expires:
        house.clock.move(days=7)  # to the very instant
    ended = None if expires else house.m.revoke_consent(one)["dsr_id"]
    house.clock.move(**later)
    two = persistent(house, "two")
    assert served(house) == []
    assert PHONE not in told()
    assert house.m.sem_list("user") == []
    house.m.sweep()
    if expires:
        [ended] = [item["request_id"] for item in house.m.approvals.list()]
    put(house, "user/profile/user_bob/second", OTHER_PHONE, consent_id=two)
    house.m.vote(str(ended), "owner", "approve")
    held = house.m.dsr(str(ended))
    assert held["status"] == "completed"
    assert {item["what"]: item["count"] for item in held["receipt"]["gone"]}["facts"] == 1  # type: ignore[index]
    assert house.m.sem_history(PHONE_KEY)[0]["value"] == {"redaction_reason": "ERASED"}
    assert house.m.sem_get("user/profile/user_bob/second")["value"] == OTHER_PHONE
    put(house, PHONE_KEY, OTHER_PHONE, consent_id=two)
    assert house.m.sem_get(PHONE_KEY)["value"] == OTHER_PHONE, "written anew under the later consent"
    assert house.m.verify()["ok"]


def test_what_was_written_since_by_right_survives_the_deletion_of_what_an_ended_consent_let_in(house: governed.House):
    given = persistent(house)
    put(house, PHONE_KEY, PHONE, consent_id=given)
    ended = house.m.revoke_consent(given)
    put(house, PHONE_KEY, "none")
    assert house.m.sem_get(PHONE_KEY)["value"] == "none"
    assert [item["value"] for item in house.m.sem_history(PHONE_KEY)] == [{"redaction_reason": "CONSENT_ENDED"}, "none"]
    house.m.vote(str(ended["dsr_id"]), "owner", "approve")
    assert house.m.sem_get(PHONE_KEY)["value"] == "none"


def test_facts_that_no_consent_let_in_never_end(house: governed.House):
    put(house, "user/profile/user_bob/city", "Gdynia")
    given = persistent(house)
    house.m.sem_get("user/profile/user_bob/city")
    house.m.revoke_consent(given)
    assert house.m.sem_get("user/profile/user_bob/city")["value"] == "Gdynia"


def test_another_process_stops_serving_at_once(house: governed.House):
    given = persistent(house)
    put(house, PHONE_KEY, PHONE, consent_id=given)
    with house.place.open(clock=house.clock) as other:
        assert other.sem_get(PHONE_KEY)["value"] == other.sem_get(PHONE_KEY)["value"] == PHONE
        house.m.revoke_consent(given)
        assert other.sem_get(PHONE_KEY)["error_code"] == "PRIVACY_BLOCKED"


def test_replay_needs_the_recorded_consent_and_not_one_still_in_force(house: governed.House):
    given = persistent(house)
    heard = house.m.ask(f"my phone is {PHONE}", user_id="bob", consent_id=given)
    told = house.m.ask("What is my phone?", user_id="bob")
    assert PHONE in str(told["answer"])
    house.m.revoke_consent(given)
    for job in (heard, told):
        replayed = house.m.replay(job["job_id"])
        assert replayed["result"] == "MATCH"
        assert PHONE not in repr(replayed)
        assert PHONE not in repr(house.m.read_reflective_log(str(job["log_id"])))


@pytest.mark.breaks_its_store
def test_a_revocation_stays_whatever_becomes_of_its_row(house: governed.House):
    given = persistent(house)
    put(house, PHONE_KEY, PHONE, consent_id=given)
    house.m.revoke_consent(given)
    with house.place.sql() as sql:
        sql("delete from records where kind = 'consent_revoke'")
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "PRIVACY_BLOCKED"
    with house.place.sql() as sql:
        sql("delete from records where kind = 'consent'")
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "PRIVACY_BLOCKED"


@pytest.mark.breaks_its_store
def test_an_expiry_that_somebody_put_off_serves_nothing(house: governed.House):
    given = persistent(house, until=SOON)
    put(house, PHONE_KEY, PHONE, consent_id=given)
    with house.place.sql() as sql:
        [(held,)] = sql("select body from records where kind = 'consent'")
        changed = bytes(held).replace(b"2026-03-08T12", b"2036-03-08T12")
        sql("update records set body = ? where kind = 'consent'", (changed,))
    house.clock.move(days=8)
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "INTEGRITY_FAILURE"


@pytest.mark.breaks_its_store
def test_a_damaged_consent_or_fact_does_not_keep_a_person_from_revoking(house: governed.House):
    first, second = persistent(house, "the first"), persistent(house, "the second")
    put(house, PHONE_KEY, PHONE, consent_id=first)
    put(house, "user/profile/user_bob/mail", EMAIL, consent_id=second)
    with house.place.sql() as sql:
        sql("delete from records where kind = 'consent'")
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "INTEGRITY_FAILURE", "nobody can tell whether it holds"
    ended = house.m.revoke_consent(first)
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "PRIVACY_BLOCKED"
    assert house.m.dsr(str(ended["dsr_id"]))["keys"] == [PHONE_KEY]


@pytest.mark.breaks_its_store
def test_replay_without_the_recorded_consent_is_an_integrity_failure(house: governed.House):
    given = persistent(house)
    heard = house.m.ask(f"my phone is {PHONE}", user_id="bob", consent_id=given)
    assert house.m.replay(heard["job_id"])["result"] == "MATCH"
    with house.place.sql() as sql:
        sql("delete from records where kind = 'consent'")
    assert house.m.replay(heard["job_id"])["result"] == "INTEGRITY_FAILURE"


def test_whoever_asks_for_what_is_asked_for_already_is_told_that_request(house: governed.House):
    given = persistent(house)
    put(house, PHONE_KEY, PHONE, consent_id=given)
    put(house, "user/profile/user_bob/city", "Gdynia")
    ended = house.m.revoke_consent(given)["dsr_id"]
    assert str(ended) in str(house.m.ask("Forget my phone", user_id="bob")["answer"])
    assert str(ended) not in str(house.m.ask("Forget my city", user_id="bob")["answer"])
    assert len(house.m.approvals.list(only_open=True)) == 2


# Types and purposes


def test_a_consent_covers_the_types_it_names(house: governed.House):
    given = persistent(house, data_types=["phone"])
    assert put(house, PHONE_KEY, PHONE, consent_id=given)["success"]
    refused = put(house, "user/profile/user_bob/contact", f"{PHONE} or {EMAIL}", consent_id=given)
    assert (refused["error_code"], refused["error"]["meta"]["consent"]) == ("PRIVACY_BLOCKED", "other_type")
    [shown] = house.m.consents("bob")
    assert (shown["data_types"], shown["purposes"]) == (["phone"], ["store"])


def test_of_several_consents_in_a_job_the_one_that_covers_is_taken(house: governed.House):
    house.m.grant_consent("bob", "keep my mail", job_seed="s", data_types=["email"])
    phone = house.m.grant_consent("bob", "keep my phone", job_seed="s", data_types=["phone"])["consent_id"]
    assert put(house, PHONE_KEY, PHONE, job_seed="s")["success"]
    assert house.m.events(seeds.job_id("s"))[-1]["payload"]["consent_id"] == phone


def test_without_types_every_type_is_covered_and_high_still_waits(house: governed.House):
    given = persistent(house)
    assert put(house, "user/profile/user_bob/contact", f"{PHONE} or {EMAIL}", consent_id=given)["success"]
    assert put(house, SSN_KEY, SSN, consent_id=given)["error"]["meta"]["request_id"]


def test_a_consent_to_process_alone_stores_nothing(house: governed.House):
    given = persistent(house, purposes=["process"])
    assert put(house, PHONE_KEY, PHONE, consent_id=given)["error"]["meta"]["consent"] == "other_purpose"


@pytest.mark.parametrize(
    "terms", [{"data_types": []}, {"data_types": ["shoe"]}, {"purposes": []}, {"purposes": ["sell"]}]
)
def test_wrong_terms_are_refused(house: governed.House, terms: dict[str, Any]):
    with pytest.raises(InvalidInput):
        persistent(house, **terms)
    assert house.m.consents("bob") == []


# Given again, and by whom


def test_a_revoked_job_consent_can_be_given_again_and_counts_from_then_on(house: governed.House):
    given = house.m.grant_consent("bob", "keep it", job_seed="s")["consent_id"]
    put(house, PHONE_KEY, PHONE, job_seed="s")
    house.m.revoke_consent(given)
    again = house.m.grant_consent("bob", "keep it", job_seed="s")
    assert again["consent_id"] == given
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "PRIVACY_BLOCKED", "what the first one let in has ended"
    assert put(house, PHONE_KEY, OTHER_PHONE, job_seed="s")["success"]
    assert house.m.sem_get(PHONE_KEY)["value"] == OTHER_PHONE
    with pytest.raises(Conflict, match="already given"):
        house.m.grant_consent("bob", "keep it", job_seed="s")
    states = [(item["consent_id"], item["revoked_at"] is not None) for item in house.m.consents("bob")]
    assert states == [(given, True), (given, False)]
    house.m.revoke_consent(given)
    assert house.m.sem_get(PHONE_KEY)["error_code"] == "PRIVACY_BLOCKED"
    assert house.m.verify()["ok"]


def test_an_erased_person_can_give_the_same_consent_again(house: governed.House):
    governed.with_forensic_key(house.m)
    given = house.m.grant_consent("bob", "keep it", job_seed="s")["consent_id"]
    governed.erase(house.m, "bob")
    assert house.m.grant_consent("bob", "keep it", job_seed="s")["consent_id"] == given
    assert put(house, PHONE_KEY, PHONE, job_seed="s")["success"]
    assert [item["text"] for item in house.m.consents("bob")] == [None, "keep it"]
    assert house.m.verify()["ok"]


@pytest.mark.parametrize("terms", [{"data_types": ["phone"]}, {"purposes": ["store", "process"]}])
@pytest.mark.parametrize("revoked", [False, True])
def test_the_same_id_with_other_terms_is_a_conflict(house: governed.House, terms: dict[str, Any], revoked: bool):
    given = house.m.grant_consent("bob", "keep it", job_seed="s")["consent_id"]
    if revoked:
        house.m.revoke_consent(given)
    with pytest.raises(Conflict, match="other data_types"):
        house.m.grant_consent("bob", "keep it", job_seed="s", **terms)


def test_a_second_person_whose_id_is_the_same_hears_that_it_is_taken(house: governed.House):
    first = house.m.grant_consent("xa", "yes", job_seed="bseed")["consent_id"]
    with pytest.raises(Conflict, match="another consent already has this consent_id; give it with another job_seed"):
        house.m.grant_consent("xab", "yes", job_seed="seed")
    assert [item["consent_id"] for item in house.m.consents("xa")] == [first]
    assert house.m.consents("xab") == []
    assert house.m.grant_consent("xab", "yes", job_seed="seed2")["consent_id"] != first


def test_one_person_in_two_spellings_gives_one_consent(house: governed.House):
    given = house.m.grant_consent("Dee", "yes", job_seed="s")["consent_id"]
    with pytest.raises(Conflict, match="already given"):
        house.m.grant_consent("DEE", "yes", job_seed="s")
    house.m.revoke_consent(given)
    assert house.m.grant_consent("DEE", "yes", job_seed="s")["consent_id"] == given


# Approvals


def test_an_approval_is_about_one_value(house: governed.House):
    given = persistent(house)
    first = put(house, SSN_KEY, SSN, consent_id=given)["error"]["meta"]["request_id"]
    other = put(house, SSN_KEY, "219-09-9999", consent_id=given)["error"]["meta"]["request_id"]
    assert first != other
    house.m.vote(first, "owner", "approve")
    assert put(house, SSN_KEY, "219-09-9999", consent_id=given)["error"]["meta"]["request_id"] == other
    assert put(house, SSN_KEY, SSN, consent_id=given)["success"]
    assert put(house, SSN_KEY, SSN, consent_id=given)["success"], "the same value once more"
    assert put(house, SSN_KEY, "219-09-9999", consent_id=given)["error_code"] == "PRIVACY_BLOCKED"
    assert SSN not in repr(house.m.approvals.show(first))


def test_an_approval_from_before_binds_the_first_value_stored_under_it(
    house: governed.House, monkeypatch: pytest.MonkeyPatch
):
    given = persistent(house)
    opened = type(house.g.approvals).open

    def older(*args: Any, **options: Any) -> Any:
        args = (*args[:6], {name: value for name, value in args[6].items() if name != "value_hash"}, *args[7:])
        return opened(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(type(house.g.approvals), "open", older)
        request = put(house, SSN_KEY, SSN, consent_id=given)["error"]["meta"]["request_id"]
    house.m.vote(request, "owner", "approve")
    assert "value_hash" not in house.m.approvals.show(request)["details"]
    assert put(house, SSN_KEY, "219-09-9999", consent_id=given)["success"], "the first one"
    assert put(house, SSN_KEY, "219-09-9999", consent_id=given)["success"]
    assert put(house, SSN_KEY, SSN, consent_id=given)["error_code"] == "PRIVACY_BLOCKED"


# Requests that nobody decides


def test_a_deletion_request_that_nobody_decides_alerts_and_a_late_vote_counts(house: governed.House):
    put(house, "user/profile/user_bob/city", "Gdynia")
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    asked = house.m.request_dsr("bob", "delete", proof)["dsr_id"]

    def alerts() -> list[str]:
        found = [event["payload"] for event in house.m.events("system") if event["event_type"] == "ADMIN_ALERT"]
        return [item["severity"] for item in found if item.get("request_id") == asked]

    assert house.m.dsr(str(asked))["expires_at"] == "2026-03-08T12:00:00.000000Z"
    assert house.m.sweep()["alerts"] == 0
    house.clock.move(days=5)
    assert house.m.sweep()["alerts"] == 1
    assert house.m.sweep()["alerts"] == 0
    assert alerts() == ["warning"]
    house.clock.move(days=3)
    swept = house.m.sweep()
    assert (swept["alerts"], swept["expired_approvals"]) == (1, 0)
    assert alerts() == ["warning", "error"]
    assert house.m.dsr(str(asked))["status"] == "expired"
    assert [item["request_id"] for item in house.m.approvals.list(only_open=True)] == [asked], "it still waits"
    house.m.vote(str(asked), "owner", "approve")
    assert house.m.approvals.list(only_open=True) == []
    assert house.m.dsr(str(asked))["status"] == "completed"
    assert not house.m.sem_get("user/profile/user_bob/city")["exists"]
    assert house.m.verify()["ok"]


def test_a_rejected_request_tells_the_person_why(house: governed.House):
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    asked = house.m.request_dsr("bob", "delete", proof)["dsr_id"]
    house.m.approvals.vote(str(asked), "reject", reason="kept for a dispute")
    held = house.m.dsr(str(asked))
    assert (held["status"], held["reasons"]) == ("rejected", ["kept for a dispute"])
