"""A key that is gone: erased when a paper says so, else found, named, and an incident."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core.errors import IntegrityFailure
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox

KEY = "user/profile/user_bob/favorite_food"
pytestmark = pytest.mark.breaks_its_store


def lived_in(m: Mace) -> dict[str, str]:
    """A place where every kind of key was made; the names of some of them."""
    m.sem_put(KEY, "tea", "user")
    answer = m.ask("what is my favorite food?", "bob")
    consent = m.grant_consent("bob", "You may.")["consent_id"]
    m.accounts.create("root", ["admin"])
    m.accounts.enrol_second_factor("root")
    entry = m.incidents.report("somebody tried the door")["evidence_id"]
    return {
        "fact": f"fact/{KEY}",
        "job": f"job/{answer['job_id']}",
        "person": "person/user_bob",
        "consent": f"consent/{consent}",
        "second factor": "system/second_factor/root/00000000",
        "evidence": f"forensic/{entry}",
        "job_id": answer["job_id"],
        "log_id": answer["log_id"],
        "consent_id": consent,
    }


def drop(place: places.Place, ref: str) -> None:
    with place.sql() as sql:
        sql(f"delete from {places.table_of(ref)} where ref = ?", (ref,))


def missing(result: dict[str, Any]) -> list[str]:
    return [item["where"]["ref"] for item in result["findings"] if item["kind"] == "KEY_MISSING"]


@pytest.mark.parametrize("kind", ["fact", "job", "person", "consent", "second factor", "evidence"])
def test_verification_names_it_once_and_opens_an_incident(place: places.Place, kind: str):
    with place.open() as m:
        made = lived_in(m)
        assert m.verify()["ok"]
    drop(place, made[kind])
    with place.open(read_only=True) as m:
        assert missing(m.verify()) == [made[kind]]
    with place.open() as m:
        found = m.verify()
        assert not found["ok"]
        assert missing(found) == [made[kind]]
        incident = next(item for item in m.incidents.list() if item["incident_id"] == found["incident_id"])
        assert (incident["kind"], incident["severity"], incident["halting"]) == ("INTEGRITY_FAILURE", "critical", True)
        assert m.verify()["incident_id"] == found["incident_id"]
        governed.owned(m).attest("owner", "a key was lost with a disk; there is no copy")
        assert m.verify()["ok"]


@pytest.mark.parametrize(
    ("kind", "read"),
    [
        ("fact", lambda m, made: m.raise_for(m.sem_get(KEY))),
        ("person", lambda m, made: m.raise_for(m.sem_get(KEY))),
        ("fact", lambda m, made: m.sem_history(KEY)),
        ("job", lambda m, made: m.read_reflective_log(made["log_id"])),
        ("consent", lambda m, made: m.consents("bob")),
    ],
    ids=["fact", "person", "history", "log", "consent"],
)
def test_nothing_reads_it_as_erased(
    mace_home: places.SqlitePlace, kind: str, read: Callable[[Mace, dict[str, str]], Any]
):
    with mace_home.open() as m:
        made = lived_in(m)
    drop(mace_home, made[kind])
    with mace_home.open() as m:
        try:
            answer = read(m, made)
        except IntegrityFailure as refused:
            assert refused.code == "INTEGRITY_FAILURE"
        else:
            assert (answer["exists"], answer["error_code"]) == (False, "INTEGRITY_FAILURE")


def test_a_replay_says_integrity_and_speaks_of_the_incident_that_verification_finds(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        made = lived_in(m)
    drop(mace_home, made["job"])
    with mace_home.open() as m:
        replayed = m.replay(made["job_id"])
        assert replayed["result"] == "INTEGRITY_FAILURE"
        assert m.verify()["incident_id"] == replayed["incident_id"]


def erased(m: Mace, keys: list[str] | None = None) -> str:
    asked = m.request_dsr("bob", "delete", m.accounts.issue_identity_proof("bob")["proof"], keys)
    assert m.vote(asked["request_id"], "owner", "approve")["status"] == "approved"
    return str(asked["dsr_id"])


@pytest.mark.parametrize("keys", [None, [KEY]], ids=["the person", "one fact"])
def test_what_was_erased_by_right_is_not_found(tmp_path: Path, keys: list[str] | None):
    house = governed.House(tmp_path)
    made = lived_in(house.m)
    erased(house.m, keys)
    assert house.m.verify()["ok"]
    assert house.m.replay(made["job_id"])["result"] == "INPUT_ERASED"
    assert house.m.sem_get(KEY)["exists"] is False
    house.m.sem_put(KEY, "milk", "user")  # they start anew
    assert house.m.verify()["ok"]
    house.close()


def test_a_paper_speaks_for_what_was_there_when_it_was_written(tmp_path: Path):
    house = governed.House(tmp_path)
    lived_in(house.m)
    erased(house.m)
    house.m.sem_put(KEY, "milk", "user")
    drop(house.place, f"fact/{KEY}")
    assert missing(house.m.verify()) == [f"fact/{KEY}"]
    house.close()


def test_what_was_restored_can_be_lost_again(tmp_path: Path):
    house = governed.House(tmp_path)
    made = lived_in(house.m)
    private, public = HpkeBox().generate()
    house.m.forensics.set_key(public)
    dsr_id = erased(house.m)
    house.m.forensics.restore(dsr_id, private, purpose="a mistake")
    assert house.m.verify()["ok"]
    drop(house.place, made["job"])
    assert missing(house.m.verify()) == [made["job"]]
    house.close()


def test_a_purged_entry_is_not_found_and_a_forged_paper_excuses_nothing(tmp_path: Path):
    house = governed.House(tmp_path)
    made = lived_in(house.m)
    _, public = HpkeBox().generate()
    house.m.forensics.set_key(public)
    dsr_id = erased(house.m)
    house.m.vote(house.m.forensics.request_purge(dsr_id)["request_id"], "owner", "approve")
    assert house.m.verify()["ok"]
    with house.place.sql() as sql:
        sql("update records set signature = 'k1:00' where kind = 'deletion_manifest'")
    kinds = {item["kind"] for item in house.m.verify()["findings"]}
    assert kinds == {"RECORD_CHANGED", "KEY_MISSING"}
    assert made["job"] in missing(house.m.verify())
    house.close()
