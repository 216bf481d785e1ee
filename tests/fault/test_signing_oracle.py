"""Nothing that a verb returns is good as a signature: a user who chooses what is hashed forges nothing."""

import hmac
import json
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import older_stores
import places
from mace.core import canon, seeds
from mace.core.errors import IntegrityFailure, PermissionDenied
from mace.core.events import Head, Origin
from mace.core.purposes import Purpose
from mace.core.subjects import subjects_of
from mace.engine.runtime import Mace
from mace.ledger import records
from mace.ledger.chain import link
from mace.storage.ports import Record

pytestmark = pytest.mark.breaks_its_store

CHANGE = {
    "active": True,
    "at": "2026-01-01T00:00:00.000000Z",
    "by": "owner",
    "name": "mallory",
    "roles": ["admin", "council"],
}
KEY_IDS = ["k1", "k1.record", "k1.event", "k1.log"]


def oracle(mace: Mace, text: str) -> str:
    """What the ledger says about a password that a user chose, and a seed that the user chose too; they may see it."""
    caller = mace.on_behalf_of("mallory")
    answer = mace.acting_as(caller).detect_and_handle({"password": text[:-1]}, "mallory", job_seed=text[-1:])
    assert answer["findings"][0]["pii_hash"] is None, "the answer itself does not tell"
    events = mace.events(seeds.job_id(text[-1:]))
    return str(next(event for event in events if event["event_id"] == answer["event_id"])["payload"]["pii_hash"])


def asked_for(mace: Mace, place: places.Place, digest: bytes) -> str:
    """What a user gets for a digest that is text. One in 2^26 is; the search is left out, the answer is the same."""
    for text in ("Tr0ub4dor\x01&3!", "Tr0ub4dor\x01\x7fé漢&3xyz!"):
        assert oracle(mace, text) == hmac.digest(raw_key(place), text.encode(), "sha256").hex()
    return hmac.digest(raw_key(place), digest, "sha256").hex()


def forged(signature: str = "") -> Record:
    made = records.make("account_change", "mallory/00000000", CHANGE, lambda _purpose, _digest: signature, "mallory")
    assert made.body == canon.dumps(CHANGE)
    return made


def digest() -> bytes:
    made = forged()
    return records.digest_of(made.kind, made.key, made.parent, made.body)


def insert(place: places.Place, record: Record) -> None:
    with place.sql() as sql:
        sql(
            "insert into records (kind, record_key, parent, body, signature) values (?, ?, ?, ?, ?)",
            (record.kind, record.key, record.parent, record.body, record.signature),
        )


def raw_key(place: places.Place) -> bytes:
    return bytes.fromhex(json.loads((place.folder / "keys.json").read_text())["hmac"][0]["key"])


def roles_of_mallory(mace: Mace) -> list[str]:
    (held,) = [item for item in mace.accounts.list() if item["name"] == "mallory"]
    return list(held["roles"])


def assert_not_admin(place: places.Place, signed: Callable[[bytes], str]) -> None:
    """With the row alone nothing is changed; with an event that names it, by the same means, all stops."""
    with place.open() as mace:
        assert roles_of_mallory(mace) == ["user"]
        found = mace.verify(read_only=True)
        kinds = {(item["kind"], item["where"].get("key")) for item in found["findings"]}
        assert ("RECORD_CHANGED", "mallory/00000000") in kinds
    with place.sql() as sql:
        record = forged()
        payload = {"account": "mallory", "roles": CHANGE["roles"], "active": True, "record": records.reference(record)}
        position = append(place, sql, "ACCOUNT_CHANGED", payload, signed)
        subjects = subjects_of("ACCOUNT_CHANGED", payload)
        assert "account_change/mallory/00000000" in subjects
        for subject in subjects:
            sql("insert into event_subjects (subject, position) values (?, ?)", (subject, position))
    with place.open() as mace:
        assert "mallory" not in [item["name"] for item in mace.accounts.list()]
        with pytest.raises((IntegrityFailure, PermissionDenied)):  # on a server nobody is the first admin meanwhile
            mace.accounts.issue_token("mallory")
        found = mace.verify()
        kinds = {(item["kind"], item["where"].get("key")) for item in found["findings"]}
        assert ("RECORD_CHANGED", "mallory/00000000") in kinds
        at = [item["kind"] for item in found["findings"] if item["where"].get("position") == position]
        assert at == ["BAD_SIGNATURE"]


def append(
    place: places.Place, sql: places.Sql, event_type: str, payload: dict[str, Any], signed: Callable[[bytes], str]
) -> int:
    """Put an event with this signature at the end of the system's stream; return its position."""
    index, last, body = sql(
        "select sequence_index, hash, body from events where stream = 'system' order by sequence_index desc limit 1"
    )[0]
    size = int(sql("select max(position) + 1 from events")[0][0])
    said = canon.loads(body)
    started = datetime.fromisoformat(said["timestamp_seeded"]).astimezone(UTC)
    origin = Origin("system", said["job_seed"], said["trace_id"], started)
    event = link(
        Head(index, bytes(last)), origin, event_type, payload, "system", lambda _purpose, digest: signed(digest)
    )
    row = (size, "system", event.sequence_index, event.event_id, event.event_type, event.body, event.hash)
    names = "position, stream, sequence_index, event_id, event_type, body, hash, signature"
    sql(f"insert into events ({names}) values (?, ?, ?, ?, ?, ?, ?, ?)", (*row, event.signature))
    if place.kind == "postgres":
        sql("update ledger_head set size = ?", (size + 1,))
    return size


def by_first_key(place: places.Place, key_id: str) -> Callable[[bytes], str]:
    """What a user gets signed who finds texts that are digests: the first key itself, under any name."""
    secret = raw_key(place)
    return lambda digest: f"{key_id}:{hmac.digest(secret, digest, 'sha256').hex()}"


@pytest.mark.parametrize("key_id", KEY_IDS)
def test_a_user_gets_no_role_by_a_password_whose_hash_is_a_signature(place: places.Place, key_id: str):
    with place.open() as mace:
        mace.accounts.create("mallory", ["user"])
        signature = asked_for(mace, place, digest())
    insert(place, forged(f"{key_id}:{signature}"))
    assert_not_admin(place, by_first_key(place, key_id))


@pytest.mark.parametrize("key_id", KEY_IDS)
def test_nor_in_a_store_where_that_key_did_sign_once(tmp_path: Path, key_id: str):
    place = older_stores.unpack(older_stores.FILES[0], tmp_path)  # there the first key itself signed
    with place.open() as mace:
        mace.accounts.create("mallory", ["user"])
        signature = asked_for(mace, place, digest())
    insert(place, forged(f"{key_id}:{signature}"))
    assert_not_admin(place, by_first_key(place, key_id))


def test_taking_the_separation_out_of_the_database_does_not_bring_the_first_key_back(tmp_path: Path):
    place = older_stores.unpack(older_stores.FILES[0], tmp_path)  # there the first key itself signed
    with place.open() as mace:
        mace.accounts.create("mallory", ["user"])
        signature = asked_for(mace, place, digest())
    with place.sql() as sql:
        sql("delete from events where event_type in ('KEYS_SEPARATED', 'SIGNED_ROWS_LISTED')")
        sql("delete from records where kind in ('signing_key', 'signed_rows')")
        sql("update ledger_head set key_number = 0")
    insert(place, forged(f"k1:{signature}"))
    with place.open(read_only=True) as mace:
        assert roles_of_mallory(mace) == ["user"]
        found = {(item["kind"], item["where"].get("key")) for item in mace.verify()["findings"]}
        assert ("RECORD_CHANGED", "mallory/00000000") in found
    assert_not_admin(place, by_first_key(place, "k1"))


@pytest.mark.parametrize("key_id", ["k1", "k1.event", "k1.record"])
def test_an_event_signed_by_the_first_key_itself_is_found(place: places.Place, key_id: str):
    place.open().close()
    with place.sql() as sql:
        size = append(place, sql, "KEY_ROTATED", {"key_id": "k1"}, by_first_key(place, key_id))
    with place.open(read_only=True) as mace:
        found = mace.verify()["findings"]
        assert [(item["kind"], item["where"]["position"]) for item in found] == [("BAD_SIGNATURE", size)]


def test_the_mark_behind_a_wrapped_key_is_not_made_by_it(place: places.Place):
    """That one needed no searching: it was over JSON text."""
    with place.open() as mace:
        mace.sem_put("user/profile/user_bob/favorite_food", "tea", "user")
    with place.sql() as sql:
        ref, parent, stored = sql("select ref, parent, wrapped from vault_keys order by ref")[0]
        text = canon.dumps({"key": ref, "under": "", "wrapped": bytes(stored)[:60].hex()}).decode()
        mark = hmac.digest(raw_key(place), text.encode(), "sha256")[:16]
        assert parent != ""
        for made in (mark, bytes(stored)[60:62] + mark):
            sql("update vault_keys set parent = '', wrapped = ? where ref = ?", (bytes(stored)[:60] + made, ref))
            with place.open(read_only=True) as mace:
                found = {(item["kind"], item["where"].get("ref")) for item in mace.verify()["findings"]}
                assert ("KEY_UNREADABLE", ref) in found


def test_a_digest_is_never_signed_without_saying_what_for(place: places.Place):
    """A record's signature is none of a log's or an event's, and the other way round."""
    with place.open() as mace:
        keys = mace._parts.world.keys
        some = sha256(b"anything").digest()
        for made in Purpose:
            good = [purpose for purpose in Purpose if keys.check(purpose, some, keys.sign(made, some))]
            assert good == [made]
