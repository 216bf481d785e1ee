"""Older stores: rows that no event named are named once, when a newer MACE opens the store for the first time."""

import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import older_stores
import places
from fact_helpers import DONE, OHM, at_noon, code_of
from mace import wiring
from mace.core import canon
from mace.engine.kernel import slots
from mace.engine.kernel.keyring import Keyring
from mace.engine.ledger import adoption, bindings
from mace.engine.ledger.adoption import ROWS_PER_EVENT
from mace.engine.runtime import Mace
from mace.governance import tokens
from mace.ledger import records, rows
from mace.memory.keys import identity_hash
from mace.providers.keys import KeyFile
from mace.providers.ports import Entropy
from mace.storage.ports import Record, Tx

JO = "user/profile/user_jo_ann/favorite_color"


@contextmanager
def older(place: places.Place, patch: pytest.MonkeyPatch) -> Iterator[Mace]:
    """A MACE that names nothing which older versions did not name, whose one key signs everything itself."""
    with patch.context() as old:
        old.setattr(KeyFile, "_fresh", staticmethod(_fresh_of_old))
        old.setattr(KeyFile, "tag", _tag_of_old)
        old.setattr(wiring, "open_keys", lambda *_, **__: None)
        old.setattr(slots.Slots, "_take", _take_unnamed)
        old.setattr(slots.Slots, "owner", lambda _self, tx, slot: tx.registry.get(slot))
        old.setattr(rows, "reference", lambda *_: {})
        with place.open(clock=at_noon()) as mace:
            yield mace
    assert "separated_at" not in json.loads((place.folder / "keys.json").read_text())


_fresh = KeyFile._fresh


def _fresh_of_old(entropy: Entropy) -> dict[str, Any]:
    made = _fresh(entropy)
    del made["separated_at"], made["hmac"][0]["since"]
    return made


def _tag_of_old(self: KeyFile, use: str, message: bytes) -> str:
    """By the first key itself; that of an idempotency key did not even say what it was for."""
    return self.pii_mac(message if use == "idempotency" else f"{use}/".encode() + message).hex()


def _take_unnamed(_self: slots.Slots, tx: Tx, _journal: Any, entries: Any) -> None:
    for entry in entries:
        tx.registry.add(*entry)


def found(mace: Mace) -> list[tuple[str, str, str]]:
    findings = bindings.all_of(mace._parts.world, mace._parts.proofs)
    return [(item.kind, item.where["table"], item.where["key"]) for item in findings]


def adopted(mace: Mace) -> list[dict[str, Any]]:
    return [event["payload"] for event in mace.events("system") if event["event_type"] == adoption.EVENT]


def fill(mace: Mace) -> None:
    assert mace.sem_put(JO, "blue", "user", user_id="jo.ann", idempotency_key="one") == DONE
    assert mace.sem_put(OHM, "V = I R", "system") == DONE
    assert mace.sem_add_alias("the law of ohm", OHM, "system_admin")["success"]
    assert mace.ask("what is Ohm's law?")["answer"]
    mace.checkpoint()


@pytest.fixture
def old(place: places.Place, monkeypatch: pytest.MonkeyPatch) -> places.Place:
    with older(place, monkeypatch) as mace:
        fill(mace)
        assert ("ROW_UNNAMED", "key_registry", "user/user_jo_ann") in found(mace)
    return place


def test_rows_of_an_older_store_are_used_as_before(old: places.Place):
    with old.open(clock=at_noon()) as mace:
        assert found(mace) == []
        assert mace.verify()["ok"]
        assert mace.sem_put(JO, "blue", "user", user_id="jo.ann", idempotency_key="one") == DONE
        assert len(mace.sem_history(JO)) == 1
        assert code_of(mace.sem_put(JO, "red", "user", user_id="jo-ann")) == "PERMISSION_DENIED"
        assert mace.sem_resolve_alias("the law of ohm") == OHM
        told = adopted(mace)
        by_table = {item["table"]: item["rows"] for item in told}
        assert set(by_table) >= {"key_registry", "aliases", "idempotency", "vault_blobs", "jobs", "records", "*"}
        assert by_table["*"] == sum(count for table, count in by_table.items() if table != "*")
        for item in told[:-1]:
            assert item["digest"] == canon.hash_of(item["records"])
            assert item["rows"] == len(item["records"]) <= ROWS_PER_EVENT


def test_it_is_done_once(old: places.Place):
    with old.open(clock=at_noon()) as mace:
        first = adopted(mace)
    with old.sql() as sql:
        sql("insert into key_registry values (?, ?)", ("user/user_eve_x", identity_hash("eve.x")))
    with old.open(clock=at_noon()) as mace:
        assert adopted(mace) == first
        assert found(mace) == [("ROW_UNNAMED", "key_registry", "user/user_eve_x")]


def test_without_its_entry_in_the_index_it_is_not_done_again(old: places.Place):
    with old.open(clock=at_noon()) as mace:
        first = adopted(mace)
    with old.sql() as sql:
        sql("delete from event_subjects where subject like 'adoption/%'")
        sql("insert into key_registry values (?, ?)", ("user/user_eve_x", identity_hash("eve.x")))
    with old.open(clock=at_noon()) as mace:
        assert adopted(mace) == first
        assert found(mace) == [("ROW_UNNAMED", "key_registry", "user/user_eve_x")]


def test_a_new_store_adopts_nothing(place: places.Place):
    with place.open(clock=at_noon()) as mace:
        fill(mace)
    with place.sql() as sql:
        sql("insert into key_registry values (?, ?)", ("user/user_eve_x", identity_hash("eve.x")))
    with place.open(clock=at_noon()) as mace:
        assert adopted(mace) == []
        assert found(mace) == [("ROW_UNNAMED", "key_registry", "user/user_eve_x")]


def test_what_is_not_signed_is_not_adopted(old: places.Place):
    with old.sql() as sql:
        sql("insert into records values ('account', 'eve', '', ?, 'k1:00')", (b"{}",))
        sql("insert into aliases values ('my law', ?, 'system_admin', 'then')", (OHM,))
        sql("update aliases set target = 'world/fact/x/definition' where phrase = 'the law of ohm'")
    with old.open(clock=at_noon()) as mace:
        named = {(item["kind"], item["key"]) for told in adopted(mace) for item in told.get("records", ())}
        assert not named & {("account", "eve"), ("aliases", "my law"), ("aliases", "the law of ohm")}
        assert set(found(mace)) == {
            ("ROW_UNNAMED", "aliases", "my law"),
            ("RECORD_CHANGED", "aliases", "the law of ohm"),
        }
        assert not mace.verify(read_only=True)["ok"]  # the record is not signed


def test_a_deleted_row_that_was_adopted_is_missed(old: places.Place):
    with old.open(clock=at_noon()):
        pass
    with old.sql() as sql:
        sql("delete from key_registry where slot = 'user/user_jo_ann'")
        sql("delete from idempotency")
    with old.open(clock=at_noon()) as mace:
        kinds = {(kind, table) for kind, table, _ in found(mace)}
        assert kinds == {("RECORD_MISSING", "key_registry"), ("RECORD_MISSING", "idempotency")}
        answer = mace.sem_put(JO, "blue", "user", user_id="jo.ann", idempotency_key="one")
        assert code_of(answer) == "INTEGRITY_FAILURE"


def test_broken_off_nothing_was_done_and_the_next_opening_does_it_whole(
    place: places.Place, monkeypatch: pytest.MonkeyPatch
):
    with older(place, monkeypatch) as mace:
        fill(mace)
        made = [records.make("note", f"{n:06d}", {"n": n}, mace._parts.world.keys.sign) for n in range(450)]
        mace._parts.world.store.write(lambda tx: [tx.records.add(record) for record in made])
    before = place.content()
    with monkeypatch.context() as broken:
        broken.setattr(Keyring, "change", _fails)  # the step after this one, in the same unit
        with pytest.raises(ZeroDivisionError):
            place.open(clock=at_noon())
    assert place.content() == before
    with place.open(clock=at_noon()) as mace:
        assert found(mace) == []
        named = [(item["kind"], item["key"]) for told in adopted(mace) for item in told.get("records", ())]
        assert len(named) == len(set(named))
        assert {key for kind, key in named if kind == "note"} == {record.key for record in made}


def _fails(*_: Any, **__: Any) -> None:
    raise ZeroDivisionError


def test_it_is_done_before_keys_are_separated_and_signed_by_the_older_key(old: places.Place):
    with old.open(clock=at_noon()) as mace:
        told = [(event["event_type"], event["signature"].partition(":")[0]) for event in mace.events("system")]
    last, first = told.index(("KEYS_SEPARATED", "k1.event")), told.index((adoption.EVENT, "k1"))
    assert {kind for kind, _ in told[first:last]} == {adoption.EVENT}
    assert adoption.EVENT not in {kind for kind, _ in told[last:]}


def test_a_retry_from_before_is_the_same_write_and_another_is_refused(old: places.Place):
    with old.open(clock=at_noon()) as mace:
        assert mace.sem_put(JO, "blue", "user", user_id="jo.ann", idempotency_key="one") == DONE
        assert code_of(mace.sem_put(JO, "red", "user", user_id="jo.ann", idempotency_key="one")) == "CONFLICT"
        assert len(mace.sem_history(JO)) == 1
    with old.sql() as sql:
        sql("update idempotency set request_hash = ?", ("00" * 32,))
    with old.open(clock=at_noon()) as mace:
        answer = mace.sem_put(JO, "blue", "user", user_id="jo.ann", idempotency_key="one")
        assert code_of(answer) == "INTEGRITY_FAILURE"


def test_a_proof_of_identity_from_before_is_good_once(place: places.Place, monkeypatch: pytest.MonkeyPatch):
    def shows(mace: Mace, proof: str) -> str:
        return str(mace.request_dsr("jo.ann", "export", proof)["status"])

    with older(place, monkeypatch) as mace:
        fill(mace)
        issue = mace._parts.requests.issue_proof  # on a server the verb wants an account
        unused, used = (issue("jo.ann", "owner")["proof"] for _ in range(2))
        assert shows(mace, used) == "completed"
    first = bytes.fromhex(json.loads((place.folder / "keys.json").read_text())["hmac"][0]["key"])
    message = f"identity_proof/user_jo_ann/{tokens.proof_plain(unused)}".encode()
    with place.sql() as sql:  # as earlier versions filed it
        where = (hmac.digest(first, message, "sha256").hex(),)
        assert len(sql("select 1 from records where kind = 'identity_proof' and record_key = ?", where)) == 1
    with place.open(clock=at_noon()) as mace:
        assert [shows(mace, proof) for proof in (unused, unused, used)] == ["completed", "refused", "refused"]
        fresh = mace._parts.requests.issue_proof("jo.ann", "owner")["proof"]
        assert [shows(mace, fresh), shows(mace, fresh)] == ["completed", "refused"]
        assert mace.verify()["ok"]


@pytest.mark.breaks_its_store
def test_without_its_events_it_is_not_done_again(old: places.Place):
    """The key file remembers; what is in the database cannot have it done a second time."""
    with old.open(clock=at_noon()):
        pass
    with old.sql() as sql:
        sql("delete from event_subjects where subject like 'adoption/%'")
        sql("delete from events where event_type in ('ROWS_ADOPTED', 'KEYS_SEPARATED', 'SIGNED_ROWS_LISTED')")
        sql("delete from records where kind in ('signing_key', 'signed_rows')")
        sql("update ledger_head set key_number = 0")
        sql("insert into key_registry values (?, ?)", ("user/user_eve_x", identity_hash("eve.x")))
    with old.open(clock=at_noon()) as mace:
        assert adopted(mace) == []
        assert ("ROW_UNNAMED", "key_registry", "user/user_eve_x") in found(mace)
        assert not mace.verify(read_only=True)["ok"]


def test_a_checkpoint_that_an_older_version_had_only_on_the_shelf_is_excused(old: places.Place):
    with old.sql() as sql:  # it died between the shelf and the record
        sql("delete from records where kind = 'checkpoint'")
    with old.open(clock=at_noon()) as mace:
        assert found(mace) == []


@pytest.mark.parametrize("file", older_stores.FILES, ids=lambda file: file.stem)
def test_stores_of_earlier_commits_have_nothing_unnamed_when_they_were_opened(file: Path, tmp_path: Path):
    place = older_stores.unpack(file, tmp_path)
    with place.open() as mace:
        assert found(mace) == []
        assert mace.verify()["ok"]
        if file.stem < "0004":  # later ones were written with every row named
            assert adopted(mace)[-1]["rows"] > 0


def test_many_rows_need_few_events(place: places.Place, monkeypatch: pytest.MonkeyPatch):
    def row(number: int) -> Record:
        return records.make("note", f"{number:06d}", {"n": number}, sign)

    with older(place, monkeypatch) as mace:
        sign = mace._parts.world.keys.sign
        mace._parts.world.store.write(lambda tx: [tx.records.add(row(number)) for number in range(2100)])
    with place.open(clock=at_noon()) as mace:
        assert [told["rows"] for told in adopted(mace) if told["table"] == "records"] == [200] * 10 + [100]
        assert found(mace) == []
