"""After an erasure nobody finds words by trying guesses against hashes that stay, not even with the server's keys."""

import itertools
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core import canon
from mace.engine.facts.verbs import FactVerbs
from mace.memory.keys import identity_hash

pytestmark = [pytest.mark.stage1, pytest.mark.critical]

KEY = "user/profile/user_bob/city"
VALUE, ONCE = "gdynia", "bob-from-gdynia-7"


def everything(place: places.Place) -> bytes:
    """Every row of every table as text, and every file beside."""
    found = []
    with place.sql(keep_triggers=True) as sql:
        for table in place.tables():
            for row in sql(f"select * from {table}"):
                found += [value if isinstance(value, bytes) else str(value).encode() for value in row]
    return b"\n".join(found)


def guesses(m: Any, value: str, once: str) -> set[str]:
    """The hashes that somebody with the node's keys, but without the person's, can make of a guess."""
    keys = m._parts.world.keys
    content = canon.dumps({"meta": {}, "notes": None, "value": value})
    requests = [canon.dumps([KEY, "user"]) + content, content]
    names = [f"user/{actor}/{once}" for actor in ("user_bob", "bob")] + [once]
    made = {sha256(text).hexdigest() for text in (*requests, *(name.encode() for name in names))}
    for use, text in itertools.product(("idempotency", "idempotency-token", ""), (*requests, *map(str.encode, names))):
        made |= {keys.tag(use, text), keys.pii_mac(text).hex()}
    return made


def test_idempotency_says_nothing_about_who_was_erased(place: places.Place):
    with place.open() as m:
        governed.with_forensic_key(m)
        assert m.sem_put(KEY, VALUE, "user", idempotency_key=ONCE)["applied"]
        assert m.sem_put(KEY, VALUE, "user", idempotency_key=ONCE)["applied"]
        governed.erase(m, "bob")
        made = guesses(m, VALUE, ONCE)
        held = m._parts.world.store.read(lambda tx: tx.idempotency.scan())
        assert held == [], "the answers are gone"
        assert m.verify()["ok"]
    stored = everything(place)
    assert [guess for guess in made if guess.encode() in stored] == []


def test_the_same_key_for_another_write_is_still_a_conflict(place: places.Place):
    with place.open() as m:
        assert m.sem_put(KEY, VALUE, "user", idempotency_key=ONCE)["applied"]
        assert m.sem_put(KEY, "oslo", "user", idempotency_key=ONCE)["error_code"] == "CONFLICT"
        other = "user/profile/user_bob/food"
        assert m.sem_put(other, VALUE, "user", idempotency_key=ONCE)["error_code"] == "CONFLICT"
        assert m.sem_put("user/profile/user_eve/city", "oslo", "user", idempotency_key=ONCE)["applied"]
        world = "world/fact/pi/value"
        assert m.sem_put(world, 3, "system_admin", idempotency_key=ONCE)["applied"]
        assert m.sem_put(world, 3, "system_admin", idempotency_key=ONCE)["applied"]
        assert m.sem_put(world, 4, "system_admin", idempotency_key=ONCE)["error_code"] == "CONFLICT"
        assert len(m.sem_history(world)) == 1


@pytest.mark.parametrize("key", [KEY, "world/fact/pi/value"])
def test_a_retry_across_the_upgrade_finds_its_first_answer(
    place: places.Place, monkeypatch: pytest.MonkeyPatch, key: str
):
    source = "user" if key.startswith("user") else "system_admin"

    def as_before(self: FactVerbs, tx: Any, put: Any, name: str) -> tuple[str, str]:
        request = canon.dumps([str(put.key), put.source]) + put.content
        return canon.sha256_hex(name), self._world.keys.tag("idempotency", request)

    with monkeypatch.context() as before, place.open() as m:
        before.setattr(FactVerbs, "_named", as_before)
        assert m.sem_put(key, VALUE, source, idempotency_key=ONCE)["applied"]
    with place.open() as m:
        assert m.sem_put(key, VALUE, source, idempotency_key=ONCE)["applied"]
        assert len(m.sem_history(key)) == 1, "it was not written again"
        assert m.sem_put(key, "oslo", source, idempotency_key=ONCE)["error_code"] == "CONFLICT"
        assert m.verify()["ok"]


def test_the_registry_holds_no_hash_of_a_name(place: places.Place):
    with place.open() as m:
        m.sem_put("user/profile/user_jo_ann/city", "rome", "user", user_id="jo.ann")
        m.ask("what is 2+2", user_id="Mary Poppins")
        m.key("world", "article", "Intro: Part 1", "summary")
        m.key("world", "article", "Intro (Part 1)", "summary")
    stored = everything(place)
    for name in ("jo.ann", "Mary Poppins", "Intro: Part 1", "Intro (Part 1)"):
        assert identity_hash(name).encode() not in stored
    with place.open() as m:
        refused = m.sem_put("user/profile/user_jo_ann/city", "oslo", "user", user_id="jo-ann")
        assert refused["error_code"] == "PERMISSION_DENIED", "who is another one stays another one"
        assert m.sem_put("user/profile/user_jo_ann/city", "oslo", "user", user_id="jo.ann")["applied"]
        assert m.verify()["ok"]


def test_the_plain_hash_that_a_query_of_memory_read_leaves_is_named_in_the_receipt(place: places.Place, tmp_path: Path):
    store = tmp_path / "store.jsonl"
    store.write_text(json.dumps({"memory_id": "m1", "text": "the staging database is small"}) + "\n")
    budget = {"max_excerpt_tokens": 12, "per_item_max_excerpt_tokens": 10}
    with place.open() as opened:
        m = governed.owned(opened)
        governed.with_forensic_key(m)
        m.sem_put(KEY, VALUE, "user")
        m.memory_read({"query": "bob and gdynia", "store_paths": [str(store)], "budget": budget})
        proof = m.accounts.issue_identity_proof("bob")["proof"]
        asked = str(m.request_dsr("bob", "delete", proof)["dsr_id"])
        m.vote(asked, "owner", "approve")
        receipt: Any = m.dsr(asked)["receipt"]
        why = {item["what"]: item["why"] for item in receipt["stays"]}
    assert sha256(b"bob and gdynia").hexdigest().encode() in everything(place)
    assert "a query of memory_read" in why["hashes"]
