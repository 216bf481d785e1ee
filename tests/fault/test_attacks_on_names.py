"""Rows of the registry, of aliases, of first answers, of notes and of checkpoints, changed behind MACE's back.

Each is tried before anybody verifies: what is used must be what the ledger says, or nothing. Then it must be found.
"""

import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import places
from fact_helpers import DONE, OHM, at_noon, code_of
from mace.core import canon
from mace.core.errors import IntegrityFailure
from mace.engine.ledger import bindings
from mace.engine.runtime import Mace
from mace.ledger import records
from mace.ledger.findings import Finding
from mace.memory.keys import identity_hash

CORPUS = Path(__file__).resolve().parents[1] / "replay" / "corpus" / "0001-questions.zip"
JO = "user/profile/user_jo_ann/favorite_color"
SLOT = "user/user_jo_ann"
NEWTON = "world/fact/newtons_law/definition"


@pytest.fixture
def m(place: places.Place) -> Iterator[Mace]:
    """A MACE with a person, an alias and a write that can be retried."""
    with place.open(clock=at_noon()) as mace:
        assert mace.sem_put(JO, "blue", "user", user_id="jo.ann", idempotency_key="one") == DONE
        assert mace.sem_put(OHM, "V = I R", "system") == DONE
        assert mace.sem_put(NEWTON, "F = m a", "system") == DONE
        assert mace.sem_add_alias("the law of ohm", OHM, "system_admin")["success"]
        mace.checkpoint()
        assert found(mace) == []
        yield mace


def found(mace: Mace) -> list[Finding]:
    parts = mace._parts
    return list(bindings.all_of(parts.world, parts.proofs))


def places_of(mace: Mace) -> list[tuple[str, str, str]]:
    return [(item.kind, item.where["table"], item.where["key"]) for item in found(mace)]


def changed_by(place: places.Place, statement: str, *values: Any) -> None:
    with place.sql() as sql:
        sql(statement, values)


def set_aside(mace: Mace) -> None:
    """An admin's word over everything that is found."""
    told = [item.shown() for item in found(mace)]
    mace._parts.verification.record_findings(found(mace))
    mace._parts.attestation.attest("ana", told, "looked at")


# The registry


def test_a_changed_owner_gives_nobody_anothers_facts(place: places.Place, m: Mace):
    changed_by(place, "update key_registry set identity = ? where slot = ?", identity_hash("jo-ann"), SLOT)
    for user_id in ("jo-ann", "jo.ann"):
        assert code_of(m.sem_put(JO, "red", "user", user_id=user_id)) == "INTEGRITY_FAILURE"
        with pytest.raises(IntegrityFailure):
            m.key("user", "profile", None, "favorite color", user_id=user_id)
        heard = m.ask("what is my favorite color?", user_id=user_id)
        assert heard["error"]["error_code"] == "INTEGRITY_FAILURE"
        assert "blue" not in repr(heard)
    assert places_of(m) == [("RECORD_CHANGED", "key_registry", SLOT)]


def test_the_slot_of_a_deleted_row_is_not_free(place: places.Place, m: Mace):
    changed_by(place, "delete from key_registry where slot = ?", SLOT)
    for user_id in ("jo-ann", "jo.ann"):
        assert code_of(m.sem_put(JO, "red", "user", user_id=user_id)) == "INTEGRITY_FAILURE"
    assert places_of(m) == [("RECORD_MISSING", "key_registry", SLOT)]
    assert m.sem_get(JO)["value"] == "blue"


def test_a_row_that_nobody_entered_takes_no_slot(place: places.Place, m: Mace):
    changed_by(place, "insert into key_registry values (?, ?)", "user/user_mo_lee", identity_hash("mo.lee"))
    wanted = m._parts.world.store.read(lambda tx: m._parts.facts.user_slug(tx, "mo-lee"))
    assert wanted == "user_mo_lee"  # as if the row were not there
    key = "user/profile/user_mo_lee/food"
    assert code_of(m.sem_put(key, "rice", "user", user_id="mo-lee")) == "INTEGRITY_FAILURE"
    assert m.sem_get(key)["exists"] is False
    assert places_of(m) == [("ROW_UNNAMED", "key_registry", "user/user_mo_lee")]
    set_aside(m)
    assert m.sem_put(key, "rice", "user", user_id="mo-lee") == DONE
    assert code_of(m.sem_put(key, "soup", "user", user_id="mo.lee")) == "PERMISSION_DENIED"


@pytest.mark.parametrize("attack", ["update key_registry set identity = 'x'", "delete from key_registry"])
def test_when_it_was_set_aside_the_event_decides(place: places.Place, m: Mace, attack: str):
    changed_by(place, f"{attack} where slot = ?", SLOT)
    set_aside(m)
    assert m.sem_put(JO, "red", "user", user_id="jo.ann") == DONE
    assert code_of(m.sem_put(JO, "green", "user", user_id="jo-ann")) == "PERMISSION_DENIED"
    assert m.sem_get(JO)["value"] == "red"


def test_a_second_process_sees_the_change_of_a_row_it_saw_good(place: places.Place, m: Mace):
    assert m.sem_put(JO, "red", "user", user_id="jo.ann") == DONE  # seen good, and kept as such
    kept = m._parts.world.store.read(lambda tx: tx.registry.get(SLOT))
    changed_by(place, "update key_registry set identity = ? where slot = ?", identity_hash("jo-ann"), SLOT)
    assert code_of(m.sem_put(JO, "green", "user", user_id="jo-ann")) == "INTEGRITY_FAILURE"
    changed_by(place, "update key_registry set identity = ? where slot = ?", kept, SLOT)
    assert m.sem_put(JO, "green", "user", user_id="jo.ann") == DONE


def test_every_verb_that_asks_who_somebody_is_stops(place: places.Place, m: Mace):
    changed_by(place, "update key_registry set identity = ? where slot = ?", identity_hash("jo-ann"), SLOT)
    with pytest.raises(IntegrityFailure):
        m._parts.consents.listed("jo.ann")
    with pytest.raises(IntegrityFailure):
        m._parts.consents.grant("jo.ann", "yes")


# Aliases


def test_a_retargeted_alias_leads_nowhere(place: places.Place, m: Mace):
    assert m.sem_resolve_alias("the law of ohm") == OHM
    changed_by(place, "update aliases set target = ?", NEWTON)
    with pytest.raises(IntegrityFailure):
        m.sem_resolve_alias("the law of ohm")
    assert places_of(m) == [("RECORD_CHANGED", "aliases", "the law of ohm")]
    set_aside(m)
    assert m.sem_resolve_alias("the law of ohm") == OHM


def test_a_deleted_alias_is_missed(place: places.Place, m: Mace):
    changed_by(place, "delete from aliases")
    with pytest.raises(IntegrityFailure):
        m.sem_resolve_alias("the law of ohm")
    assert places_of(m) == [("RECORD_MISSING", "aliases", "the law of ohm")]
    set_aside(m)
    assert m.sem_resolve_alias("the law of ohm") == OHM
    assert m.sem_add_alias("the law of ohm", NEWTON, "system_admin")["success"]  # which mends it, too
    assert m.sem_resolve_alias("the law of ohm") == NEWTON
    assert found(m) == []


def test_an_alias_that_nobody_added_stands_for_nothing(place: places.Place, m: Mace):
    changed_by(place, "insert into aliases values (?, ?, ?, ?)", "my law", NEWTON, "system_admin", "2025-11-29")
    assert m.sem_resolve_alias("my law") is None
    assert places_of(m) == [("ROW_UNNAMED", "aliases", "my law")]


@pytest.mark.parametrize("column", ["source", "added_at"])
def test_a_changed_column_of_an_alias_is_found(place: places.Place, m: Mace, column: str):
    changed_by(place, f"update aliases set {column} = 'else'")
    assert places_of(m) == [("RECORD_CHANGED", "aliases", "the law of ohm")]


def test_the_newest_word_about_an_alias_counts(place: places.Place, m: Mace):
    with place.sql() as sql:
        older = sql("select target, source, added_at from aliases")[0]
    assert m.sem_add_alias("the law of ohm", NEWTON, "system_admin")["success"]
    assert m.sem_resolve_alias("the law of ohm") == NEWTON
    changed_by(place, "update aliases set target = ?, source = ?, added_at = ?", *older)  # as it once was
    with pytest.raises(IntegrityFailure):
        m.sem_resolve_alias("the law of ohm")
    assert places_of(m) == [("RECORD_CHANGED", "aliases", "the law of ohm")]


# First answers


def retried(mace: Mace) -> dict[str, Any]:
    return mace.sem_put(JO, "blue", "user", user_id="jo.ann", idempotency_key="one")


def test_a_first_answer_is_told_again(m: Mace):
    assert retried(m) == DONE
    assert len(m.sem_history(JO)) == 1


@pytest.mark.parametrize(
    ("attack", "kind"),
    [
        ("delete from idempotency", "RECORD_MISSING"),
        ("update idempotency set request_hash = 'x'", "RECORD_CHANGED"),
        ("update idempotency set answer = ?", "RECORD_CHANGED"),
    ],
)
def test_a_first_answer_that_was_tampered_with_is_not_told_and_nothing_is_written_twice(
    place: places.Place, m: Mace, attack: str, kind: str
):
    with place.sql() as sql:
        token = sql("select token from idempotency")[0][0]
    lie = canon.dumps({**DONE, "applied": False})
    changed_by(place, attack, *([lie] if "?" in attack else []))
    assert code_of(retried(m)) == "INTEGRITY_FAILURE"
    assert len(m.sem_history(JO)) == 1
    assert places_of(m) == [(kind, "idempotency", token)]


def test_an_answer_that_no_write_gave_is_not_told(place: places.Place, m: Mace):
    token = sha256(b"system/system/two").hexdigest()
    changed_by(place, "insert into idempotency values (?, ?, ?)", token, "x", canon.dumps(DONE))
    assert code_of(m.sem_put(OHM, "V = 2", "system", idempotency_key="two")) == "INTEGRITY_FAILURE"
    assert m.sem_get(OHM)["value"] == "V = I R"
    assert places_of(m) == [("ROW_UNNAMED", "idempotency", token)]
    assert m.sem_put(OHM, "V = 2", "system", idempotency_key="three") == DONE


# Notes, records, checkpoints


def test_a_note_that_nobody_writes_is_found(place: places.Place, m: Mace):
    names = ["health", "mine", "second_factor/ana"]  # the first and the last only older versions wrote
    for name in names:
        changed_by(place, "insert into notes values (?, 'x')", name)
    assert places_of(m) == [("ROW_UNNAMED", "notes", name) for name in names]


def test_notes_that_older_versions_wrote_may_lie_in_a_store_of_theirs(tmp_path: Path):
    old = places.SqlitePlace(tmp_path)
    old.folder.mkdir(mode=0o700)
    with zipfile.ZipFile(CORPUS) as archive:
        archive.extractall(old.folder)
    (old.folder / "keys.json").chmod(0o600)
    for name in ("health", "second_factor/ana", "mine"):
        changed_by(old, "insert into notes values (?, 'x') on conflict do nothing", name)
    with old.open() as mace:
        assert places_of(mace) == [("ROW_UNNAMED", "notes", "mine")]


def test_a_signed_record_that_no_event_names_is_found(m: Mace):
    made = records.make("account", "eve", {"roles": ["admin"]}, m._parts.world.keys.sign)
    m._parts.world.store.write(lambda tx: tx.records.add(made))
    (finding,) = found(m)
    assert (finding.kind, finding.where) == ("ROW_UNNAMED", {"table": "records", "kind": "account", "key": "eve"})


@pytest.mark.parametrize("which", [0, 1, 2], ids=["the first", "in the middle", "the newest"])
def test_a_deleted_checkpoint_is_missed(place: places.Place, m: Mace, which: int):
    for number in range(2):
        m.sem_put(OHM, f"V = {number}", "system")
        m.checkpoint()
    with place.sql() as sql:
        keys = [row[0] for row in sql("select record_key from records where kind = 'checkpoint' order by record_key")]
    changed_by(place, "delete from records where kind = 'checkpoint' and record_key = ?", keys[which])
    missing = ("RECORD_MISSING", "records", keys[which])
    assert set(places_of(m)) == {missing}
    m.sem_put(OHM, "V = 9", "system")
    m.checkpoint()  # the next one does not cover it up
    assert set(places_of(m)) == {missing}


def test_a_deleted_checkpoint_is_missed_without_the_shelf(place: places.Place, m: Mace):
    m.sem_put(OHM, "V = 1", "system")
    m.checkpoint()
    with place.sql() as sql:
        keys = [row[0] for row in sql("select record_key from records where kind = 'checkpoint' order by record_key")]
    for file in place.shelf.iterdir():
        file.unlink()
    changed_by(place, "delete from records where kind = 'checkpoint' and record_key = ?", keys[0])
    assert places_of(m) == [("RECORD_MISSING", "records", keys[0])]


def test_a_process_that_died_before_the_shelf_leaves_nothing_to_miss(m: Mace):
    m.sem_put(OHM, "V = 1", "system")
    shelf = m._parts.world.shelf
    keep = shelf.keep
    shelf.keep = lambda *_: (_ for _ in ()).throw(KeyboardInterrupt())  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        m.checkpoint()
    shelf.keep = keep  # type: ignore[method-assign]
    assert found(m) == []
    note = m.checkpoint()
    assert shelf.latest() == note
    assert found(m) == []


def test_two_processes_that_sign_the_same_head_keep_it_once(place: places.Place, m: Mace):
    m.sem_put(OHM, "V = 1", "system")
    with place.open(clock=at_noon()) as other:
        assert m.checkpoint() == other.checkpoint()
        other.sem_put(OHM, "V = 2", "system")
        m.sem_put(OHM, "V = 3", "system")
    m.checkpoint()
    assert found(m) == []


# What takes part in no attack


def test_a_known_name_pays_nothing(m: Mace):
    before = m.describe()["events"]
    assert m.sem_put(JO, "red", "user", user_id="jo.ann") == DONE
    assert m.sem_put(JO, "green", "user", user_id="jo.ann") == DONE
    assert m.describe()["events"] == before + 4  # each opened its stream and was put


def test_a_name_is_entered_by_one_event_wherever_it_comes_from(m: Mace):
    m.sem_put(m.key("world", "fact", "Ohm's second law", "definition"), "V = 2", "system")
    m._parts.consents.grant("kim.b", "yes")
    m.ask("my favorite color is red", user_id="lou.c")
    m.sem_put("user/profile/user_max_d/food", "rice", "system")
    line = '{"scope": "world", "entity_type": "fact", "entity_id": "Hooke", "attribute": "law", "value": 1}'
    assert m.import_facts([line], "system")["imported"] == 1
    assert found(m) == []
    rows = m._parts.world.store.read(lambda tx: tx.registry.scan())
    slots = [slot for slot, _ in rows]
    for slot in (
        "world/fact/ohms_second_law",
        "world/fact/hooke",
        "user/user_kim_b",
        "user/user_lou_c",
        "user/user_max_d",
    ):
        assert slot in slots
        events = m._parts.world.store.read(lambda tx, slot=slot: tx.events.about(f"key_registry/{slot}"))
        assert [event.event_type for event in events] == ["NAME_REGISTERED"]
