"""Rows of governance deleted, changed, forged and put back: what was decided stays so before anybody verifies.

Then verification names the damage, an admin's word sets it aside, and the rest of governance works.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core import canon
from mace.core.errors import AuthError, IntegrityFailure, MaceError, PermissionDenied, PreconditionFailed
from mace.core.purposes import Purpose
from payloads import log_payload

pytestmark = pytest.mark.stage1

FOREVER = "2035-01-01T00:00:00Z"
PHONE = "user/profile/user_bob/phone"
Row = tuple[Any, ...]
COLUMNS = "kind, record_key, parent, body, signature"


@pytest.fixture
def house(place: places.Place, tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path, place=place)
    made.m = governed.owned(made.m)
    yield made
    made.close()


def take(house: governed.House, kind: str) -> list[Row]:
    """The rows of a kind, as somebody copies them who has the database."""
    with house.place.sql() as sql:
        return sql(f"select {COLUMNS} from records where kind = ? order by record_key", (kind,))


def delete(house: governed.House, kind: str) -> None:
    with house.place.sql() as sql:
        assert sql("select count(*) from records where kind = ?", (kind,)) != [(0,)]
        sql("delete from records where kind = ?", (kind,))


def insert(house: governed.House, row: Row) -> None:
    with house.place.sql() as sql:
        sql(f"insert into records ({COLUMNS}) values (?, ?, ?, ?, ?)", row)


def change(house: governed.House, kind: str, old: bytes, new: bytes) -> None:
    with house.place.sql() as sql:
        for key, body in sql("select record_key, body from records where kind = ?", (kind,)):
            if old in bytes(body):
                sql(
                    "update records set body = ? where kind = ? and record_key = ?",
                    (bytes(body).replace(old, new), kind, key),
                )
                return
    raise AssertionError(kind)


def governs(house: governed.House, name: str = "later") -> None:
    """The rest of governance works."""
    m = house.m
    m.accounts.create(name, ["viewer"])
    assert name in [account["name"] for account in m.accounts.list()]
    m.approvals.list()
    m.sweep()
    asked = m.modules.request_quarantine("math_agent")
    assert m.vote(asked["request_id"], "owner", "approve")["status"] == "approved"


def _kind_of(where: dict[str, Any]) -> str:
    """The kind of the record that was found, or of the one whose sealed part now has nobody to name it."""
    return str(where["ref"]).partition("/")[0] if where["table"] == "vault_blobs" else str(where["kind"])


def settle(house: governed.House, *kinds: str) -> None:
    """Verification names it, an admin's word sets it aside, and governance goes on."""
    found = house.m.verify()
    assert not found["ok"]
    assert {_kind_of(finding["where"]) for finding in found["findings"]} == set(kinds)
    house.m.attest("owner", "Somebody had the database; looked at and set aside.")
    assert house.m.verify()["ok"]
    governs(house)


def refused(call: Callable[[], Any], *kinds: type[MaceError]) -> None:
    with pytest.raises(kinds or (IntegrityFailure,)):
        call()


# Accounts, tokens, second factors


def _change_event(house: governed.House, event_type: str, about: bytes) -> None:
    """Change the event of this type that speaks of something, in the body alone."""
    with house.place.sql() as sql:
        for position, body in sql("select position, body from events where event_type = ?", (event_type,)):
            if about in bytes(body):
                changed = bytes(body).replace(b'"event_type"', b'"event_typo"')
                sql("update events set body = ? where position = ?", (changed, position))
                return
    raise AssertionError(event_type)


@pytest.mark.parametrize("what", ["event", "row", "change"])
def test_damage_to_one_account_stops_neither_the_list_nor_the_only_admin(house: governed.House, what: str):
    house.account("root", "admin")
    house.m.accounts.create("ann", ["viewer"])
    house.m.accounts.change("ann", roles=["auditor"])
    server = governed.as_server(house.m)
    if what == "row":
        change(house, "account", b'"ann"', b'"ann "')
    else:
        _change_event(house, "ACCOUNT_CREATED" if what == "event" else "ACCOUNT_CHANGED", b'"account":"ann"')
    names = [account["name"] for account in server.accounts.list()]
    assert names == (["ann", "root"] if what == "row" else ["root"])
    refused(lambda: server.accounts.create("mallory", ["admin"]), PermissionDenied)
    root = server.acting_as(server.owner("root", totp=house.code("root")))
    root.accounts.create("bea", ["viewer"])
    assert not root.verify()["ok"]
    root.attest("root", "Somebody had the database; looked at and set aside.")
    assert root.verify()["ok"]
    shown = {account["name"]: account["roles"] for account in root.accounts.list()}
    assert shown == {"bea": ["viewer"], "root": ["admin"]} | (
        {} if what == "event" else {"ann": ["auditor" if what == "row" else "viewer"]}
    )


@pytest.mark.parametrize("kind", ["ACCOUNT_CREATED", "SECOND_FACTOR_ENROLLED"])
def test_a_damaged_admin_makes_nobody_the_first_and_the_owner_can_answer_for_it(house: governed.House, kind: str):
    house.account("root", "admin")
    server = governed.as_server(house.m)
    _change_event(house, kind, b'"account":"root"')
    refused(lambda: server.accounts.create("mallory", ["admin"]), PermissionDenied)
    refused(lambda: house.m.owner("root", totp=house.code("root")))
    assert "root" not in [account["name"] for account in house.m.accounts.list()]
    house.m = governed.owned(house.m)
    assert not house.m.verify()["ok"]
    house.m.attest("owner", "Somebody had the database; looked at and set aside.")
    assert house.m.verify()["ok"]
    governs(house)


def test_nobody_is_the_only_admin_while_an_account_cannot_be_read(house: governed.House):
    house.account("root", "admin")
    house.account("adm", "admin")
    _change_event(house, "ACCOUNT_CREATED", b'"account":"adm"')
    caller = house.m.owner("root", totp=house.code("root"))
    voter = house.g.world.store.read(lambda tx: house.g.accounts.voter(tx, caller))
    assert voter.is_only_admin is False, "damage gives no rights"


@pytest.mark.parametrize("how", ["deleted", "changed"])
def test_an_admin_who_was_switched_off_stays_out(house: governed.House, how: str):
    house.account("adm", "admin")
    token = house.m.accounts.issue_token("adm")["token"]
    house.m.accounts.change("adm", active=False)
    if how == "deleted":
        delete(house, "account_change")
    else:
        change(house, "account_change", b'"active":false', b'"active":true')
    refused(lambda: house.m.authenticate(token, house.code("adm")))
    refused(lambda: house.m.owner("adm", totp=house.code("adm")))
    shown = next(account for account in house.m.accounts.list() if account["name"] == "adm")
    assert shown["active"] is False, "the event says so"
    house.account("ana", "viewer")  # others work meanwhile
    settle(house, "account_change")
    refused(lambda: house.m.authenticate(token, house.code("adm")), AuthError)
    refused(lambda: house.m.owner("adm", totp=house.code("adm")), PermissionDenied)
    house.m.accounts.change("adm", active=True)
    assert house.m.owner("adm", totp=house.code("adm")).name == "adm"


def test_a_token_that_was_revoked_stays_so(house: governed.House):
    house.account("ana", "viewer")
    issued = house.m.accounts.issue_token("ana")
    house.m.accounts.revoke_token("ana", issued["token_id"])
    delete(house, "token_revoked")
    refused(lambda: house.m.authenticate(issued["token"]), AuthError)
    assert house.m.accounts.tokens("ana")[0]["revoked"] is True
    settle(house, "token_revoked")
    refused(lambda: house.m.authenticate(issued["token"]), AuthError)


def test_a_revocation_that_nobody_wrote_locks_nobody_out(house: governed.House):
    house.account("ana", "viewer")
    issued = house.m.accounts.issue_token("ana")
    key = take(house, "token")[0][1]
    insert(house, ("token_revoked", key, "ana", b"{}", "k1:00"))
    assert house.m.authenticate(issued["token"]).name == "ana"
    assert house.m.accounts.tokens("ana")[0]["revoked"] is False
    house.m.accounts.revoke_token("ana", issued["token_id"])  # although a row stands in its place
    refused(lambda: house.m.authenticate(issued["token"]), AuthError)
    settle(house, "token_revoked")
    refused(lambda: house.m.authenticate(issued["token"]), AuthError)


def test_a_lost_token_stops_itself_alone(house: governed.House):
    house.account("ana", "viewer")
    house.account("bo", "viewer")
    anas, bos = (house.m.accounts.issue_token(name)["token"] for name in ("ana", "bo"))
    change(house, "token", b'"account":"ana"', b'"account":"bo"')
    refused(lambda: house.m.authenticate(anas))
    assert house.m.authenticate(bos).name == "bo"
    assert [item["account"] for item in house.m.accounts.tokens("ana")] == ["ana"]
    settle(house, "token")
    refused(lambda: house.m.authenticate(anas), AuthError)


def test_a_server_has_an_admin_although_rows_are_gone(house: governed.House):
    house.account("root", "admin")
    server = governed.as_server(house.m)
    for kind in ("second_factor", "account"):
        refused(lambda: server.accounts.create("mallory", ["admin"]), PermissionDenied)
        delete(house, kind)
        refused(lambda: server.accounts.create("mallory", ["admin"]), PermissionDenied)
    refused(lambda: house.m.owner("root", totp="000000"))
    settle(house, "second_factor", "account")
    refused(lambda: server.accounts.create("mallory", ["admin"]), PermissionDenied)
    assert house.m.owner("root", totp=house.code("root")).name == "root"


@pytest.mark.parametrize("kind", ["account", "approval", "token", "incident", "forensic_entry", "spilled", "vote"])
def test_a_row_that_is_nobodys_disables_nothing(house: governed.House, kind: str):
    house.account("ana", "admin")
    insert(house, (kind, "zzz", "", b"{}", "k1:00"))
    assert "zzz" not in [account["name"] for account in house.m.accounts.list()]
    house.acting("ana").accounts.list()
    house.m.incidents.list()
    house.m.forensics.entries()
    house.m.modules.queued_writes()
    governs(house, "before")
    found = house.m.verify()
    assert [finding["where"]["key"] for finding in found["findings"]] == ["zzz"]
    house.m.attest("owner", "Somebody had the database; looked at and set aside.")
    house.m.accounts.create("later", ["viewer"])
    house.acting("ana").approvals.list()


def _signed_note(house: governed.House, name: str) -> str:
    """The note of a fresh second factor, as earlier versions of MACE kept and signed it."""
    state = {"last_step": -1, "failures": 0, "locked_until_ms": 0}
    signature = house.g.world.keys.sign(Purpose.STATE, bytes.fromhex(canon.hash_of([name, state])))
    return canon.dumps({"state": state, "signature": signature}).decode()


@pytest.mark.parametrize("how", ["deleted", "older", "unsigned"])
def test_a_code_counts_once_and_a_lock_holds_whatever_the_notes_say(house: governed.House, how: str):
    house.account("adm", "admin")
    code = house.code("adm")
    house.m.owner("adm", totp=code)

    def attack() -> None:
        with house.place.sql() as sql:
            sql("delete from notes where name = 'second_factor/adm'")
            if how != "deleted":
                note = _signed_note(house, "adm") if how == "older" else '{"state": {}}'
                sql("insert into notes (name, value) values (?, ?)", ("second_factor/adm", note))

    attack()
    with pytest.raises(AuthError, match="already used"):
        house.m.owner("adm", totp=code)
    for _ in range(5):
        refused(lambda: house.m.owner("adm", totp="000000"), AuthError)
    attack()
    with pytest.raises(AuthError, match="locked"):
        house.m.owner("adm", totp=house.code("adm"))
    assert "SECOND_FACTOR_USED" in house.system_types()


def test_a_state_from_before_events_told_it_is_taken_over_once(house: governed.House):
    house.account("adm", "admin")
    subject = "factor/adm"

    def older(tx: Any) -> None:
        """As an earlier version wrote it: an event without the state, and a note."""
        house.g.accounts.note(tx, "SECOND_FACTOR_REFUSED", {"account": "adm", "because": "wrong"}, "system")
        tx.notes.put("second_factor/adm", _signed_note(house, "adm"))

    house.g.world.store.write(older)
    code = house.code("adm")
    house.m.owner("adm", totp=code)
    refused(lambda: house.m.owner("adm", totp=code), AuthError)
    newest = house.g.world.store.read(lambda tx: house.g.bound.newest(tx, subject))
    assert newest is not None
    assert newest[1]["payload"]["state"]["failures"] == 1
    house.g.world.store.write(older)
    with house.place.sql() as sql:
        sql("delete from notes where name = 'second_factor/adm'")
    with pytest.raises(AuthError, match="enrol it anew"):
        house.m.owner("adm", totp=house.code("adm"))


# Consents, identity codes, approvals, policy


def test_a_consent_that_was_revoked_covers_nothing(house: governed.House):
    given = house.m.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    assert house.m.sem_put(PHONE, "212-555-0198", "user", consent_id=given)["success"]
    house.m.revoke_consent(given)
    delete(house, "consent_revoke")
    assert house.m.sem_put(PHONE, "212-555-0199", "user", consent_id=given)["error_code"] == "PRIVACY_BLOCKED"
    settle(house, "consent_revoke")
    assert house.m.sem_put(PHONE, "212-555-0199", "user", consent_id=given)["error_code"] == "PRIVACY_BLOCKED"
    assert house.m.consents("bob")[0]["revoked_at"] is not None


def test_a_consent_hidden_during_an_erasure_does_not_come_back_with_its_row(house: governed.House):
    given = house.m.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    house.m.sem_put("user/profile/user_bob/food", "soup", "user")
    row = take(house, "consent")[0]
    delete(house, "consent")
    governed.erase(house.m, "bob")
    insert(house, row)
    assert house.m.sem_put(PHONE, "212-555-0198", "user", consent_id=given)["error_code"] == "PRIVACY_BLOCKED"


def test_a_changed_consent_stops_what_depends_on_it_alone(house: governed.House):
    given = house.m.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    other = house.m.grant_consent("bob", "keep it all", "persistent", expires_at=FOREVER)["consent_id"]
    change(house, "consent", given.encode(), other.encode())
    assert house.m.sem_put(PHONE, "212-555-0198", "user", consent_id=given)["error_code"] == "INTEGRITY_FAILURE"
    assert house.m.sem_put(PHONE, "212-555-0198", "user", consent_id=other)["success"]
    house.m.revoke_consent(given)  # which only takes away
    settle(house, "consent")
    assert house.m.sem_put(PHONE, "212-555-0199", "user", consent_id=given)["error_code"] == "PRIVACY_BLOCKED"


def test_an_identity_code_counts_once(house: governed.House):
    house.m.sem_put("user/profile/user_bob/food", "soup", "user")
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    assert house.m.request_dsr("bob", "export", proof)["status"] == "completed"
    delete(house, "identity_proof_used")
    assert house.m.request_dsr("bob", "export", proof)["status"] == "refused"
    settle(house, "identity_proof_used")
    assert house.m.request_dsr("bob", "export", proof)["status"] == "refused"


def test_what_was_voted_and_decided_stays_so(house: governed.House):
    house.council("ana", "bo", "cy")
    open_one = house.m.modules.request_quarantine("math_agent")["request_id"]
    house.vote(open_one, "ana", "reject")
    decided = house.m.modules.request_release("knowledge_agent")["request_id"]
    for name in ("ana", "bo", "cy"):
        if house.g.approvals.get(decided)["status"] == "open":
            house.vote(decided, name, "reject")
    assert house.g.approvals.get(decided)["status"] == "rejected"
    delete(house, "vote")
    delete(house, "approval_decision")
    refused(lambda: house.vote(open_one, "ana"))
    refused(lambda: house.vote(open_one, "bo"))
    refused(lambda: house.vote(decided, "bo"), PreconditionFailed)
    house.m.approvals.list()
    found = house.m.verify()
    assert {item["where"]["kind"] for item in found["findings"]} == {"vote", "approval_decision"}
    house.m.attest("owner", "Somebody had the database; looked at and set aside.")
    assert house.g.approvals.get(decided)["status"] == "rejected"
    assert [vote["vote"] for vote in house.g.approvals.get(open_one)["votes"]] == ["reject"]
    refused(lambda: house.vote(open_one, "ana"), PreconditionFailed)
    house.vote(open_one, "bo")


def test_the_newest_policy_is_in_force_or_none(house: governed.House):
    house.account("bob", "user", user_id="bob")
    bob = house.showing("bob")
    strict = governed.policy_text() + '\n@id("no-facts")\nforbid (principal, action == Action::"sem_get", resource);\n'
    asked = house.m.approvals.propose_policy(strict)
    house.m.vote(asked["request_id"], "owner", "approve")
    assert house.g.approvals.get(asked["request_id"])["status"] == "approved"
    before = bob.sem_get("world/fact/earth/shape")["error_code"]
    delete(house, "policy")
    house.g.authority._loaded = None
    refused(lambda: bob.sem_get("world/fact/earth/shape"))
    settle(house, "policy")
    assert bob.sem_get("world/fact/earth/shape")["error_code"] == before == "PERMISSION_DENIED"
    assert house.g.world.store.read(lambda tx: tx.events.about_under("policy_text/")), (
        "the text is named by the event that asks for it"
    )


def test_a_purge_and_a_restore_happen_once(house: governed.House):
    private, public = house.box.generate()
    house.m.forensics.set_key(public)
    house.m.sem_put("user/profile/user_bob/food", "soup", "user")
    governed.erase(house.m, "bob")
    dsr_id = take(house, "deletion_manifest")[0][1]
    with house.place.sql() as sql:
        keys = sql(f"select ref, parent, wrapped from {places.ALL_KEYS} where ref like 'forensic/%'")
    purge = house.m.forensics.request_purge(dsr_id)
    house.m.vote(purge["request_id"], "owner", "approve")
    delete(house, "forensic_purge")
    with house.place.sql() as sql:
        places.put_back(sql, keys)
    refused(lambda: house.m.forensics.restore(dsr_id, private, purpose="to see"), PreconditionFailed)
    assert house.m.forensics.entries()[0]["purged"] is True


# Modules


@pytest.mark.parametrize("how", ["deleted", "healthy"])
def test_a_module_in_quarantine_stays_there(house: governed.House, how: str):
    house.m.sem_put("mace/config/agents/allowed_writes", ["math_agent"], "system_admin")
    asked = house.m.modules.request_quarantine("math_agent")
    house.m.vote(asked["request_id"], "owner", "approve")
    with house.place.sql() as sql:
        sql("delete from notes where name = 'health'")
        if how == "healthy":
            sql("insert into notes (name, value) values ('health', '{\"modules\": [], \"dependencies\": {}}')")
    written = house.m.sem_put("world/fact/pi/value", "3.14", "agent:math_agent")
    assert written["error_code"] == "PERMISSION_DENIED"
    shown = next(item for item in house.m.modules.list() if item["module_id"] == "math_agent")
    assert shown["status"] == "quarantined"


# Logs and what stands beside them


def test_a_changed_log_is_not_shown(house: governed.House):
    changed, other = (house.m.write_reflective_log(log_payload(name)) for name in ("1", "2"))
    with house.place.sql() as sql:
        sql("update reflective_log_stage0 set final_confidence = 0.123 where log_id = ?", (changed,))
    refused(lambda: house.m.read_reflective_log(changed))
    refused(lambda: house.m.forensics.read_log(changed, purpose="to see"))
    assert house.m.read_reflective_log(other)["log_id"] == other
    assert [log["log_id"] for log in house.m.recent_logs()] == [other]
    settle(house, "reflective_log")
    refused(lambda: house.m.read_reflective_log(changed))


@pytest.mark.parametrize(
    "attack",
    ["update reflective_log_stage0 set final_confidence = 0.123", "delete from reflective_log_stage0"],
)
def test_damaged_logs_are_not_left_out_without_a_word(house: governed.House, attack: str):
    assert house.m.recent_logs() == []
    logs = [house.m.write_reflective_log(log_payload(str(number))) for number in range(3)]
    assert house.m.left_out("recent_logs")["left_out"] == 0
    with house.place.sql() as sql:
        sql(f"{attack} where log_id <> ?", (logs[1],))
    assert [log["log_id"] for log in house.m.recent_logs()] == [logs[1]]
    assert house.m.left_out("recent_logs")["left_out"] == 2
    with house.place.sql() as sql:
        sql(attack)
    refused(lambda: house.m.recent_logs())  # an empty list would say that there never was any


def test_a_changed_amendment_is_not_shown(house: governed.House):
    log_id = house.m.write_reflective_log(log_payload("1"))
    house.m.amend(log_id, "ana", {"note": "first"}, "note")
    house.m.amend(log_id, "bo", {"note": "second"}, "note")
    change(house, "sealed_amendment", b'"author":"ana"', b'"author":"eve"')
    refused(lambda: house.m.amendments(log_id))
    refused(lambda: house.m.read_reflective_log(log_id))
    settle(house, "sealed_amendment")
    assert [item["author"] for item in house.m.amendments(log_id)] == ["bo"]
    house.m.amend(log_id, "cy", {"note": "third"}, "note")
    assert [item["author"] for item in house.m.amendments(log_id)] == ["bo", "cy"]


def test_an_amendment_that_nobody_wrote_is_none(house: governed.House):
    log_id = house.m.write_reflective_log(log_payload("1"))
    insert(house, ("sealed_amendment", f"{log_id}/000000", log_id, b'{"author":"eve"}', "k1:00"))
    assert house.m.amendments(log_id) == []
    house.m.amend(log_id, "ana", {"note": "first"}, "note")
    assert [item["author"] for item in house.m.amendments(log_id)] == ["ana"]


# Erased keys


FOOD = "user/profile/user_bob/food"


def test_an_erased_key_that_is_put_back_opens_nothing(house: governed.House):
    house.m.sem_put(FOOD, "soup", "user")
    house.m.sem_put("user/profile/user_eve/food", "bread", "user")
    with house.place.sql() as sql:
        keys = sql(f"select ref, parent, wrapped from {places.ALL_KEYS} where ref like '%user_bob%'")
    governed.erase(house.m, "bob")
    with house.place.sql() as sql:
        places.put_back(sql, keys)
    history = house.m.sem_history(FOOD)
    assert [past["value"] for past in history if past["version"] == 1] == [{"redaction_reason": "ERASED"}]
    assert "soup" not in repr(history)
    assert house.m.sem_put(FOOD, "tea", "user")["error_code"] == "INTEGRITY_FAILURE"
    assert house.m.sem_get("user/profile/user_eve/food")["value"] == "bread"
    found = house.m.verify()["findings"]
    assert {finding["where"]["ref"] for finding in found} == {ref for ref, _, _ in keys}
    assert {finding["kind"] for finding in found} == {"KEY_RETURNED"}
    house.m.attest("owner", "Somebody put keys back; looked at and set aside.")
    assert "soup" not in repr(house.m.sem_history(FOOD))
    assert house.m.sem_put(FOOD, "tea", "user")["success"], "whoever comes back gets new keys"
    assert house.m.sem_get(FOOD)["value"] == "tea"
    assert "soup" not in repr(house.m.sem_history(FOOD))


def test_one_erased_fact_that_is_put_back_stays_away_although_its_manifest_is_gone(house: governed.House):
    house.m.sem_put(FOOD, "soup", "user")
    house.m.sem_put("user/profile/user_bob/drink", "tea", "user")
    with house.place.sql() as sql:
        keys = sql("select ref, parent, wrapped from vault_keys where ref = ?", (f"fact/{FOOD}",))
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    asked = house.m.request_dsr("bob", "delete", proof, [FOOD])["request_id"]
    assert asked is not None
    house.m.vote(asked, "owner", "approve")
    delete(house, "deletion_manifest")
    with house.place.sql() as sql:
        places.put_back(sql, keys)
    with pytest.raises(IntegrityFailure):
        house.m.sem_history(FOOD)
    assert house.m.sem_get("user/profile/user_bob/drink")["value"] == "tea"


def test_a_restored_key_is_no_returned_one(house: governed.House):
    private, public = house.box.generate()
    house.m.forensics.set_key(public)
    house.m.sem_put(FOOD, "soup", "user")
    governed.erase(house.m, "bob")
    dsr_id = take(house, "deletion_manifest")[0][1]
    house.m.forensics.restore(dsr_id, private, purpose="a mistake")
    house.g.vault.forget_opened()
    assert house.m.sem_get(FOOD)["value"] == "soup"
    assert house.m.verify()["ok"]
