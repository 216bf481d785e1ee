"""What an ended consent let in, and what a correction brought: looked for in every file and in every sealed part."""

import base64
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core.errors import Erased, IntegrityFailure
from mace.engine.facts.reads import read_past

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
PHONE, OTHER, EMAIL = "415-555-0167", "415-555-0143", "canary.bird.77@gmail.com"
PHONE_KEY, NOTE_KEY = "user/profile/user_bob/phone", "user/profile/user_bob/note"
FOREVER = "2030-01-01T00:00:00Z"


@pytest.fixture
def house(tmp_path: Path, place: places.Place) -> Iterator[governed.House]:
    made = governed.House(tmp_path, place=place)
    made.m = governed.owned(made.m)
    governed.with_forensic_key(made.m)
    yield made
    made.close()


def forms(value: str) -> set[bytes]:
    raw = value.encode()
    shifted = {base64.b64encode(b"\0" * shift + raw)[4:-4] for shift in range(3)}
    return {raw, raw.hex().encode(), value.encode("utf-16-le"), value.encode("utf-16-be"), *shifted}


def holds(data: bytes, value: str) -> bool:
    """Whether bytes hold a value: plain, hex, base64, UTF-16, and all of that packed with gzip somewhere in them."""
    if any(form in data for form in forms(value)):
        return True
    at = data.find(b"\x1f\x8b\x08")
    while at >= 0:
        try:
            if any(form in zlib.decompressobj(31).decompress(data[at:]) for form in forms(value)):
                return True
        except zlib.error:
            pass
        at = data.find(b"\x1f\x8b\x08", at + 1)
    return False


def test_the_search_finds_what_it_looks_for():
    for data in (PHONE.encode(), PHONE.encode().hex().encode(), PHONE.encode("utf-16-le")):
        assert holds(b"xx" + data, PHONE)
        assert holds(b"xx" + gzip.compress(data), PHONE)
    assert holds(base64.b64encode(f"call {PHONE} now".encode()), PHONE)
    assert not holds(b"\x1f\x8b\x08 nothing", PHONE)


def in_files(house: governed.House, value: str) -> list[str]:
    if house.place.kind == "postgres":  # its files are the server's: look at every row instead
        with house.place.sql(keep_triggers=True) as sql:
            return [
                table
                for table in house.place.tables()
                for row in sql(f"select * from {table}")
                for item in row
                if holds(bytes(item) if isinstance(item, bytes | memoryview) else str(item).encode(), value)
            ]
    found = sorted(path for path in house.place.folder.rglob("*") if path.is_file())
    return [path.name for path in found if holds(path.read_bytes(), value)]


def in_sealed(house: governed.House, value: str) -> list[str]:
    """Every sealed part and every version of a fact that this node's keys open, and that holds the value."""

    def look(tx: Any) -> list[str]:
        found, after = [], ""
        while page := tx.vault.scan_blobs(after):
            for ref, _, _ in page:
                try:
                    plain = house.g.vault.blob(tx, ref)
                except (Erased, IntegrityFailure):
                    plain = None
                if plain is not None and holds(plain, value):
                    found.append(ref)
            after = page[-1][0]
        for past in tx.facts.scan_history(("", -1)):
            if holds(repr(read_past(house.g.vault, tx, past)).encode(), value):
                found.append(f"{past.key}@{past.version}")
        return found

    return house.g.store.read(look)


def test_what_an_ended_consent_let_in_is_gone_once_its_deletion_is_approved(house: governed.House):
    m = house.m
    given = m.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    m.ask(f"my phone is {PHONE}", user_id="bob", consent_id=given)
    assert PHONE in str(m.ask("what is my phone?", user_id="bob")["answer"])
    proof = m.accounts.issue_identity_proof("bob")["proof"]
    m.request_dsr("bob", "export", proof)
    assert in_sealed(house, PHONE), "sealed, it is there"
    assert in_files(house, PHONE) == []
    ended = m.revoke_consent(given)["dsr_id"]
    assert in_files(house, PHONE) == []
    m.vote(str(ended), "owner", "approve")
    assert in_sealed(house, PHONE) == []
    assert in_files(house, PHONE) == []
    assert m.verify()["ok"]


def test_a_correction_waits_sealed_and_goes_with_the_fact(house: governed.House):
    m = house.m
    given = m.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    m.sem_put(NOTE_KEY, f"write to {EMAIL}", "user", consent_id=given)
    for vote in ("reject", "approve"):
        proof = m.accounts.issue_identity_proof("bob")["proof"]
        asked = m.request_dsr("bob", "rectify", proof, changes={NOTE_KEY: f"call {OTHER}"}, consent_id=given)
        assert in_files(house, OTHER) == []
        m.vote(str(asked["request_id"]), "owner", vote)  # type: ignore[arg-type]
    assert OTHER in repr(m.sem_get(NOTE_KEY))
    assert (in_files(house, OTHER), in_files(house, EMAIL)) == ([], [])
    proof = m.accounts.issue_identity_proof("bob")["proof"]
    gone = m.request_dsr("bob", "delete", proof, [NOTE_KEY])
    m.vote(str(gone["request_id"]), "owner", "approve")
    assert (in_sealed(house, OTHER), in_sealed(house, EMAIL)) == ([], [])
    assert m.verify()["ok"]


def test_refused_values_leave_nothing(house: governed.House):
    m = house.m
    m.sem_put(NOTE_KEY, "nothing special", "user")
    proof = m.accounts.issue_identity_proof("bob")["proof"]
    refused = m.request_dsr("bob", "rectify", proof, changes={NOTE_KEY: f"call {OTHER}"})
    assert refused["error_code"] == "PRIVACY_BLOCKED"
    given = m.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER, data_types=["email"])["consent_id"]
    assert m.sem_put(PHONE_KEY, PHONE, "user", consent_id=given)["error_code"] == "PRIVACY_BLOCKED"
    for value in (PHONE, OTHER):
        assert (in_files(house, value), in_sealed(house, value)) == ([], [])
