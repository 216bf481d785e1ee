"""Evidence and quarantined payloads destroyed by vote, and what voters see before they vote; on both engines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core import canon
from mace.core.errors import Conflict, Erased, LogInvalid, NotFound, PermissionDenied, PreconditionFailed
from mace.storage.ports import Tx
from payloads import log_payload

pytestmark = pytest.mark.stage1
WORDS = "the blue heron stood in the reeds"


@pytest.fixture
def house(place: places.Place, tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path, place=place)
    made.m = governed.owned(made.m)
    yield made
    made.close()


def opened(house: governed.House) -> list[str]:
    """Every sealed part that opens with the node's own keys and holds the words."""

    def look(tx: Tx) -> list[str]:
        found, after = [], ""
        while rows := tx.vault.scan_blobs(after):
            for ref, _, _ in rows:
                try:
                    plain = house.g.vault.blob(tx, ref)
                except Erased:
                    continue
                if plain is not None and WORDS.encode() in plain:
                    found.append(ref)
            after = rows[-1][0]
        return found

    return house.g.world.store.read(look)


def quarantined(house: governed.House, words: str = WORDS) -> str:
    with pytest.raises(LogInvalid) as refused:
        house.m.write_reflective_log(log_payload("1", final_confidence="high", final_answer=words))
    return str(refused.value.details["quarantine_id"])


def test_evidence_is_purged_by_vote_and_cannot_be_read_by_anybody(house: governed.House):
    private, public = house.box.generate()
    house.m.forensics.set_key(public)
    evidence = house.m.incidents.report_violation("rogue", "wrote a key", evidence={"text": WORDS})["evidence_id"]
    assert WORDS in str(house.m.forensics.read(evidence, private, purpose="case 7"))
    asked = house.m.forensics.request_purge(evidence)
    assert asked["details"] == {"action": "purge", "forensic_id": evidence}
    assert house.m.forensics.entries()[0]["purged"] is False  # before the vote
    assert house.m.vote(asked["request_id"], "owner", "approve")["result"] == {"purged": evidence}
    with pytest.raises(PreconditionFailed, match="purged"):
        house.m.forensics.read(evidence, private, purpose="case 7")
    with pytest.raises(PreconditionFailed, match="already"):
        house.m.forensics.request_purge(evidence)
    assert house.m.forensics.entries()[0]["purged"] is True
    assert house.m.verify()["ok"]


def test_evidence_that_lay_under_the_node_s_own_keys_is_gone_for_them_too(house: governed.House):
    evidence = house.m.incidents.report_violation("rogue", "wrote a key", evidence={"text": WORDS})["evidence_id"]
    assert opened(house) == [f"forensic/{evidence}"]
    house.m.vote(house.m.forensics.request_purge(evidence)["request_id"], "owner", "approve")
    assert opened(house) == []
    assert house.m.verify()["ok"]


def test_what_was_quarantined_is_purged_by_vote_and_its_reasons_stay(house: governed.House):
    purged, kept = quarantined(house), quarantined(house, "something else")
    assert opened(house) == [f"quarantine/{purged}"]
    asked = house.m.forensics.request_purge(purged)
    told = house.m.approvals.show(asked["request_id"])["asks"]["quarantined"]
    assert (told["quarantine_id"], told["what"], told["payloads"]) == (purged, "reflective_log", 1)
    assert WORDS not in str(house.m.approvals.list())
    house.m.vote(asked["request_id"], "owner", "approve")
    assert opened(house) == []
    entry = house.m.quarantine_read(purged)
    assert entry["payload"] is None and entry["problems"]
    assert house.m.quarantine_read(kept)["payload"] is not None
    with pytest.raises(PreconditionFailed, match="already"):
        house.m.forensics.request_purge(purged)
    (event,) = house.g.world.store.read(lambda tx: tx.events.of_type("QUARANTINE_PURGED"))
    assert canon.loads(event.body)["payload"]["quarantine_id"] == purged
    assert house.m.verify()["ok"]


def test_what_an_older_version_kept_under_one_key_goes_together_and_says_so(house: governed.House):
    """Before each payload had a key of its own."""

    def unit(tx: Tx) -> None:
        for name in ("one", "two"):
            key = house.g.vault.quarantine_key(tx)
            house.g.vault.put_blob(tx, f"quarantine/{name}", key, None, canon.dumps({"final_answer": WORDS}))
            from mace.ledger import records

            content: dict[str, Any] = {
                "quarantine_id": name,
                "what": "reflective_log",
                "problems": ["x"],
                "blob": f"quarantine/{name}",
                "at": "2026-01-01T00:00:00.000000Z",
            }
            record = records.make("quarantine", name, content, house.g.world.keys.sign)
            house.g.bound.add(tx, record)
            said = {"quarantine_id": name, "problems": ["x"], "record": records.reference(record)}
            house.g.recorder.append(tx, house.g.recorder.system(tx), "LOG_QUARANTINED", said)

    house.g.world.store.write(unit)
    assert len(opened(house)) == 2
    asked = house.m.forensics.request_purge("one")
    assert house.m.approvals.show(asked["request_id"])["asks"]["quarantined"]["payloads"] == 2
    house.m.vote(asked["request_id"], "owner", "approve")
    assert opened(house) == []
    assert house.m.verify()["ok"]
    assert quarantined(house)  # the next one is kept as ever


@pytest.mark.breaks_its_store
def test_a_purged_payload_does_not_come_back_with_its_key(house: governed.House):
    purged = quarantined(house)
    with house.place.sql() as sql:
        (row,) = sql("select ref, parent, wrapped from vault_keys where ref = ?", (f"quarantine/{purged}",))
    house.m.vote(house.m.forensics.request_purge(purged)["request_id"], "owner", "approve")
    with house.place.sql() as sql:
        sql("insert into vault_keys (ref, parent, wrapped) values (?, ?, ?)", row)
    kinds = {item["kind"] for item in house.m.verify(read_only=True)["findings"]}
    assert kinds == {"KEY_RETURNED"}


def test_a_purge_needs_the_council_where_there_is_one(house: governed.House):
    purged = quarantined(house)
    house.council("ann", "bo", "cy")
    asked = house.m.forensics.request_purge(purged)
    assert asked["decided_by"] == "council"
    with pytest.raises(PermissionDenied):
        house.m.vote(asked["request_id"], "owner", "approve")
    for name in ("ann", "bo", "cy"):
        assert opened(house)
        house.vote(asked["request_id"], name)
    assert opened(house) == []


def test_the_keys_of_an_erasure_may_be_named_by_their_entry(house: governed.House):
    governed.with_forensic_key(house.m)
    house.m.sem_put("user/profile/user_bob/food", "soup", "user")
    governed.erase(house.m, "bob")
    entry = house.m.forensics.entries()[0]
    by_entry = house.m.forensics.request_purge(entry["entry_id"])
    assert by_entry["request_id"] == house.m.forensics.request_purge(entry["about"])["request_id"]
    with pytest.raises(NotFound):
        house.m.forensics.request_purge("no-such-thing")


# Restored, and erased again


def wiped(house: governed.House, keys: list[str] | None = None) -> str:
    """The id of a deletion of bob that was approved."""
    asked = house.m.request_dsr("bob", "delete", house.m.accounts.issue_identity_proof("bob")["proof"], keys)
    assert house.m.vote(str(asked["request_id"]), "owner", "approve")["status"] == "approved"
    return str(asked["dsr_id"])


def purged(house: governed.House, dsr_id: str) -> None:
    asked = house.m.forensics.request_purge(dsr_id)["request_id"]
    assert house.m.vote(asked, "owner", "approve")["status"] == "approved"


def as_before_entries_were_used_up(house: governed.House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restores of earlier versions left the entry where it was."""
    kept = house.g.forensics.purge

    def purge(tx: Tx, journal: Any, entry_id: str, by: str, *, restored: str | None = None) -> None:
        if restored is None:
            kept(tx, journal, entry_id, by)

    monkeypatch.setattr(house.g.forensics, "purge", purge)


def read_all(house: governed.House, private: str) -> list[Any]:
    """What the forensic key still opens."""
    found = []
    for entry in house.m.forensics.entries():
        try:
            found.append(house.m.forensics.read(entry["entry_id"], private, purpose="case 7"))
        except PreconditionFailed as error:
            assert "purged" in str(error)
    return found


FOOD, CITY = "user/profile/user_bob/food", "user/profile/user_bob/city"


@pytest.fixture
def private(house: governed.House) -> str:
    made, public = house.box.generate()
    house.m.forensics.set_key(public)
    house.m.sem_put(FOOD, WORDS, "user")
    house.m.sem_put(CITY, "Rome", "user")
    return made


@pytest.mark.critical
def test_a_restore_uses_up_the_entry_so_that_the_next_purge_leaves_no_key(house: governed.House, private: str):
    first = wiped(house)
    house.m.forensics.restore(first, private, purpose="a mistake")
    assert house.m.sem_get(FOOD)["value"] == WORDS
    assert read_all(house, private) == []  # the keys are in use, and lie nowhere else
    with pytest.raises(Conflict, match="in use again"):
        house.m.forensics.request_purge(first)
    with pytest.raises(PreconditionFailed, match="already been restored"):
        house.m.forensics.restore(first, private, purpose="again")
    second = wiped(house)
    assert len(read_all(house, private)) == 1
    purged(house, second)
    assert read_all(house, private) == [] and opened(house) == []
    for done in (first, second):
        with pytest.raises(PreconditionFailed, match="nothing to purge"):
            house.m.forensics.request_purge(done)
    (voted, used) = house.g.world.store.read(lambda tx: tx.events.of_type("FORENSIC_PURGED"))
    told = [canon.loads(event.body)["payload"].get("restored") for event in (used, voted)]
    assert told == [first, None]
    assert house.m.verify()["ok"]


@pytest.mark.critical
def test_a_purge_takes_the_entries_that_restores_of_earlier_versions_left(
    house: governed.House, private: str, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as earlier:
        as_before_entries_were_used_up(house, earlier)
        house.m.forensics.restore(wiped(house), private, purpose="a mistake")
        second = wiped(house, [FOOD])
        assert len(read_all(house, private)) == 2
    purged(house, second)
    assert read_all(house, private) == []
    assert house.m.sem_get(CITY)["value"] == "Rome"
    assert house.m.verify()["ok"]


@pytest.mark.critical
@pytest.mark.parametrize("keys", [None, [FOOD]], ids=["all", "one"])
def test_an_entry_that_an_earlier_version_left_after_the_purge_can_be_purged(
    house: governed.House, private: str, monkeypatch: pytest.MonkeyPatch, keys: list[str] | None
):
    with monkeypatch.context() as earlier:
        as_before_entries_were_used_up(house, earlier)
        first = wiped(house)
        house.m.forensics.restore(first, private, purpose="a mistake")
        with pytest.raises(Conflict, match="in use again"):
            house.m.forensics.request_purge(first)
        purged(house, wiped(house, keys))
        assert len(read_all(house, private)) == 1
    purged(house, first)
    assert read_all(house, private) == []
    assert house.m.sem_get(CITY)["exists"] is (keys is not None)
    assert house.m.verify()["ok"]


# What voters see


def test_voters_see_whose_data_how_much_and_by_which_proof(house: governed.House):
    house.m.sem_put("user/profile/user_bob/food", WORDS, "user")
    house.m.sem_put("user/profile/user_bob/city", "Rome", "user")
    house.m.ask("What is 2 + 2?", "bob")
    house.m.grant_consent("bob", "Keep it.")
    house.account("root", "admin")
    proof = house.acting("root").accounts.issue_identity_proof("bob")["proof"]
    issued = house.clock.at
    house.clock.move(minutes=5)
    asked = house.m.request_dsr("bob", "delete", proof)
    assert asked["request_id"] is not None
    for told in (
        house.m.approvals.show(asked["request_id"])["asks"],
        house.m.approvals.list(only_open=True)[0]["asks"],
    ):
        assert (told["person"], told["keys"]) == ("user_bob", None)
        assert told["amounts"] == {"facts": 2, "jobs": 1, "consents": 1, "exports": 0, "turns": 0, "other": 0}
        given = told["proof"]
        assert (given["issued_by"], given["proof_id"]) == ("root", told["identity"]["proof_id"])
        assert given["issued_at"] is not None and given["issued_at"] < str(given["used_at"])
        assert given["issued_at"][:19] == issued.isoformat()[:19]
        assert WORDS not in str(told) and proof not in str(told)


def test_voters_see_the_keys_of_a_partial_deletion_and_of_a_purge(house: governed.House):
    governed.with_forensic_key(house.m)
    key = "user/profile/user_bob/food"
    house.m.sem_put(key, WORDS, "user")
    house.m.sem_put("user/profile/user_bob/city", "Rome", "user")
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    asked = house.m.request_dsr("bob", "delete", proof, [key])
    told = house.m.approvals.show(str(asked["request_id"]))["asks"]
    assert (told["keys"], told["amounts"]["facts"]) == ([key], 1)
    house.m.vote(str(asked["request_id"]), "owner", "approve")
    purge = house.m.approvals.show(house.m.forensics.request_purge(str(asked["dsr_id"]))["request_id"])["asks"]
    assert (purge["person"], purge["keys"], purge["amounts"]["facts"]) == ("user_bob", [key], 1)
    assert purge["entry"]["kind"] == "erased_keys"


def test_voters_see_what_the_erasure_takes(house: governed.House):
    key = "user/profile/user_bob/favorite_food"
    house.m.sem_put(key, WORDS, "user")
    house.m.sem_put("user/profile/user_bob/city", "Rome", "user")
    for _ in range(3):
        assert house.m.ask("What is my favorite food?", "bob")["error"] is None
    house.m.ask("What is 2 + 2?", "bob")
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    asked = str(house.m.request_dsr("bob", "delete", proof, [key])["request_id"])
    told = house.m.approvals.show(asked)["asks"]["amounts"]
    result = house.m.vote(asked, "owner", "approve")["result"]
    assert told == {"facts": 1, "jobs": 3, "consents": 0, "exports": 0, "turns": 0, "other": 0}
    assert len(result["manifest"]["jobs"]) == told["jobs"]
    assert house.m.approvals.show(asked)["asks"]["amounts"] == told, "and afterwards what it took"


def test_voters_see_the_types_of_what_is_to_be_stored(house: governed.House):
    consent = house.m.grant_consent("bob", "Keep my number.", "persistent", expires_at="2027-01-01T00:00:00Z")
    told = house.m.sem_put(
        "user/profile/user_bob/ssn", "536-22-8145", "user", user_id="bob", consent_id=consent["consent_id"]
    )
    request_id = told["error"]["meta"]["request_id"]
    asks = house.m.approvals.show(request_id)["asks"]
    assert (asks["person"], asks["keys"], asks["pii_types"]) == ("user_bob", ["user/profile/user_bob/ssn"], ["us_ssn"])
    assert "536-22" not in str(house.m.approvals.list())


def test_those_who_do_not_vote_see_no_person(house: governed.House):
    house.m.sem_put("user/profile/user_bob/food", "soup", "user")
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    house.m.request_dsr("bob", "delete", proof)
    house.account("ops", "operator")
    view = house.showing("ops")
    assert "user_bob" not in str(view.approvals.list())
    assert "asks" not in view.approvals.list()[0]


# Lists that are not whole say so


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("attack", ["delete from records", "update records set signature = 'k1.record:00'"])
def test_lists_say_how_much_they_leave_out(house: governed.House, attack: str):
    asked = [house.m.modules.request_quarantine(name)["request_id"] for name in ("math_agent", "creative_agent")]
    house.m.incidents.report_violation("rogue", "wrote a key", evidence={})
    entries = [item["entry_id"] for item in house.m.forensics.entries()]
    for of in ("approvals.list", "forensics.entries", "recent_logs"):
        assert house.m.left_out(of)["left_out"] == 0  # type: ignore[arg-type]
    with house.place.sql() as sql:
        sql(f"{attack} where kind = 'approval' and record_key = ?", (asked[0],))
        sql(f"{attack} where kind = 'forensic_entry' and record_key = ?", (entries[0],))
    assert [item["request_id"] for item in house.m.approvals.list()] == [asked[1]]
    assert house.m.left_out("approvals.list") == {"of": "approvals.list", "left_out": 1}
    assert house.m.forensics.entries() == []
    assert house.m.left_out("forensics.entries")["left_out"] == 1


@pytest.mark.breaks_its_store
def test_a_damaged_vote_takes_its_request_out_of_the_list_and_is_counted(house: governed.House):
    house.council("ann", "bo", "cy")
    asked = house.m.modules.request_quarantine("math_agent")["request_id"]
    house.vote(asked, "ann")
    with house.place.sql() as sql:
        sql("update records set signature = 'k1.record:00' where kind = 'vote'")
    assert house.m.approvals.list() == []
    assert house.m.left_out("approvals.list")["left_out"] == 1


@pytest.mark.breaks_its_store
def test_a_page_of_jobs_says_how_many_are_damaged(house: governed.House):
    jobs = [house.m.ask("What is 2 + 2?", "bob")["job_id"] for _ in range(3)]
    assert house.m.jobs.list()["left_out"] == 0
    with house.place.sql() as sql:
        sql(
            "update events set signature = 'k1.event:00' where stream = ? and sequence_index = 0",
            (jobs[1],),
        )
        sql("delete from vault_keys where ref = ?", (f"job/{jobs[1]}",))
    house.m.close()
    house.m = governed.owned(house.place.open(clock=house.clock, entropy=house.entropy))
    page = house.m.jobs.list()
    assert [item["job_id"] for item in page["items"]] == [jobs[2], jobs[0]]
    assert page["left_out"] == 1
    first = house.m.jobs.list(limit=1)
    assert (first["items"][0]["job_id"], first["left_out"]) == (jobs[2], 0)
    rest = house.m.jobs.list(limit=1, cursor=str(first["next_cursor"]))
    assert (rest["items"][0]["job_id"], rest["left_out"], rest["next_cursor"]) == (jobs[0], 1, None)
