"""A deletion from asking to receipt, on both engines; and what is left on the disk afterwards."""

from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core import canon
from mace.governance.erasure import check_receipt
from mace.providers.forensic_box import HpkeBox
from mace.providers.keys import check_ed25519

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
FOOD, EVES = "user/profile/user_bob/favorite_food", "user/profile/user_eve/favorite_food"


def test_a_person_asks_the_council_votes_and_the_log_still_verifies(place: places.Place):
    with place.open() as m:
        owner = governed.owned(m)
        private, public = HpkeBox().generate()
        owner.forensics.set_key(public)
        assert m.sem_put(FOOD, "pizza", "user", user_id="bob")["success"]
        assert m.sem_put(EVES, "fish", "user", user_id="eve")["success"]
        job, eves = (m.ask("What is my favorite food?", user_id=who)["job_id"] for who in ("bob", "eve"))
        note = m.checkpoint()
        asked = m.request_dsr("bob", "delete", owner.accounts.issue_identity_proof("bob")["proof"])
        done = owner.vote(asked["request_id"], "owner", "approve")
        assert done["status"] == "approved"
        assert not m.sem_get(FOOD)["exists"]
        assert m.sem_get(EVES)["value"] == "fish"
        assert (m.replay(job)["result"], m.replay(eves)["result"]) == ("INPUT_ERASED", "MATCH")
        found = m.verify()
        assert found["ok"], found["findings"]
        assert note != m.checkpoint()
        manifest = canon.dumps(done["result"]["manifest"])
        assert check_receipt(done["result"]["receipt"], manifest, m._parts.world.keys.public_key(), check_ed25519)
    with place.open() as m:  # and so it is for everybody who opens it later
        assert m.replay(job)["result"] == "INPUT_ERASED"
        assert m.ask("What is my favorite food?", user_id="bob")["error"]["error_code"] == "SEM_NOT_FOUND"
        governed.owned(m).forensics.restore(asked["dsr_id"], private, purpose="a court asked for it")
        assert m.sem_get(FOOD)["value"] == "pizza"
        assert m.replay(job)["result"] == "MATCH"
        assert m.verify()["ok"]


def wrapped_keys(m: Any, *prefixes: str) -> dict[str, bytes]:
    rows = m._parts.world.store.read(lambda tx: tx.vault.scan_keys("", 100_000))
    return {ref: wrapped for ref, _, wrapped in rows if ref.startswith(prefixes)}


def held_in(house: governed.House, needles: dict[str, bytes]) -> set[str]:
    """Which of these bytes lie anywhere in the files of the database, its write-ahead log included."""
    names = ("mace.db*", "people.db*")
    files = [path.read_bytes() for name in names for path in house.place.folder.glob(name)]
    return {ref for ref, needle in needles.items() if any(needle[:44] in held for held in files)}


def test_no_byte_of_an_erased_key_stays_in_the_database_files(tmp_path: Path):
    """Deleted rows stay in free pages, and old pages in the write-ahead log: with the master key they could be opened.

    `secure_delete` overwrites the one, the scrub after an erasure empties the other.
    """
    house = governed.House(tmp_path)
    for number in range(30):
        house.m.sem_put(f"user/profile/user_bob/thing_{number}", "x" * 200, "user")
        house.m.sem_put(f"user/profile/user_eve/thing_{number}", "y" * 200, "user")
    house.m.ask("What is my favorite food?", user_id="bob")
    bobs = wrapped_keys(house.m, "person/user_bob", "fact/user/profile/user_bob", "job/")
    eves = wrapped_keys(house.m, "person/user_eve", "fact/user/profile/user_eve")
    assert held_in(house, bobs) == set(bobs), "the test can see keys where there are some"
    house.g.forensics.set_key(house.box.generate()[1], "owner")
    proof = house.g.requests.issue_proof("bob", "owner")["proof"]
    asked = house.g.requests.request("bob", "delete", proof)
    house.m.vote(asked["request_id"], "owner", "approve")
    assert held_in(house, bobs) == set()
    assert held_in(house, eves) == set(eves)
    forensic = wrapped_keys(house.m, "forensic/")
    purge = house.g.erasing.request_purge(asked["dsr_id"], "owner")
    house.m.vote(purge["request_id"], "owner", "approve")
    assert held_in(house, forensic) == set()
    house.close()
    assert held_in(house, bobs) == set()


def test_the_forensic_store_holds_keys_that_the_node_cannot_open(tmp_path: Path):
    house = governed.House(tmp_path)
    house.m.sem_put(FOOD, "pizza", "user")
    key = house.m._parts.world.store.read(lambda tx: house.m._parts.vault.open_key(tx, f"fact/{FOOD}"))
    house.g.forensics.set_key(house.box.generate()[1], "owner")
    proof = house.g.requests.issue_proof("bob", "owner")["proof"]
    asked = house.g.requests.request("bob", "delete", proof)
    done = house.m.vote(asked["request_id"], "owner", "approve")
    forensic_id = done["result"]["manifest"]["forensic_id"]
    sealed = house.m._parts.world.store.read(lambda tx: house.m._parts.vault.blob(tx, f"forensic/{forensic_id}"))
    assert sealed is not None  # the outer seal is the node's
    assert key not in sealed
    assert key.hex().encode() not in sealed
    house.close()
