"""Names in stores of earlier versions, which entered what was only asked for and let a name take a written key."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import older_stores
import places
import services
from fact_helpers import DONE
from mace.core import canon
from mace.engine.kernel.journal import SystemJournal
from mace.engine.runtime import Mace
from mace.interfaces.cli import health
from mace.ledger import rows
from mace.memory import keys
from mace.storage.ports import Tx

EVENT = "REGISTRY_REPAIRED"


def entered(m: Mace, slug: str, name: str) -> None:
    """Enter a name for a slug of the world as earlier versions did, when it was asked for."""
    slots = m._parts.world.slots
    slot, kept = f"world/fact/{slug}", slots.hidden(keys.identity_hash(name))

    def unit(tx: Tx) -> None:
        tx.registry.add(slot, kept)
        named = [rows.reference(rows.REGISTRY, slot, rows.registry_hash(slot, kept))]
        journal = SystemJournal(m._parts.facts._recorder)
        journal.event(tx, "NAME_REGISTERED", {"identity_hash": kept, "records": named})

    m._parts.world.store.write(unit)


def put(m: Mace, slug: str, value: str) -> None:
    assert m.sem_put(f"world/fact/{slug}/definition", value, "system_admin")["success"]


def make_older(place: places.Place, steps: Callable[[Mace], None]) -> None:
    """A store that went through these steps while an earlier version had it."""
    with place.open() as m:
        steps(m)
    file = place.folder / "keys.json"
    kept = json.loads(file.read_text())
    del kept["names"]
    file.write_text(json.dumps(kept))
    file.chmod(0o600)


def repairs(m: Mace) -> list[dict[str, Any]]:
    found = m._parts.world.store.read(lambda tx: tx.events.of_type(EVENT))
    return [canon.loads(event.body)["payload"] for event in found]


def found(m: Mace, name: str) -> Any:
    read = m._parts.world.store.read(
        lambda tx: m._parts.facts.key_to_read(tx, "world", "fact", name, "definition", None)
    )
    return m.sem_get(read)["value"]


def first_by_key(m: Mace) -> None:
    put(m, "c", "C is by Ritchie.")
    put(m, "boyles_law", "p V is constant.")


def asked_only(m: Mace) -> None:
    first_by_key(m)
    entered(m, "boyles_law", "Boyles law")
    entered(m, "boyles_law-d033f4", "Boyle's law")
    entered(m, "c", "C++")
    entered(m, "d", "D++")


def asked_and_written(m: Mace) -> None:
    entered(m, "c", "C++")
    put(m, "c", "C++ is by Stroustrup.")


def overwritten(m: Mace) -> None:
    first_by_key(m)
    entered(m, "c", "C++")
    put(m, "c", "C++ is by Stroustrup.")


@pytest.mark.parametrize(
    ("steps", "claims", "unclear", "readable"),
    [
        (first_by_key, ["boyles_law", "c"], [], {"C": "C is by Ritchie.", "C++": None, "C#": None}),
        (
            asked_only,
            ["boyles_law", "c"],
            [],
            {"C": "C is by Ritchie.", "C++": None, "Boyle's law": "p V is constant.", "Boyles law": "p V is constant."},
        ),
        (asked_and_written, [], [], {"C": None, "C++": "C++ is by Stroustrup.", "C#": None}),
        (overwritten, ["boyles_law"], ["c"], {"C": None, "C++": "C++ is by Stroustrup.", "C#": None}),
    ],
)
def test_an_older_store_is_told_whose_its_names_are_once(
    place: places.Place,
    steps: Callable[[Mace], None],
    claims: list[str],
    unclear: list[str],
    readable: dict[str, str | None],
):
    make_older(place, steps)
    held = place.content()
    with place.open(read_only=True) as m:
        assert {name: found(m, name) for name in readable} == readable
    assert place.content() == held
    with place.open() as m:
        (told,) = repairs(m)
        claimed = [f"world/fact/{slug}" for slug in claims]
        assert told["claims"] == claimed
        assert (told["claims_count"], told["claims_digest"]) == (len(claims), canon.hash_of(claimed))
        assert told["unclear"] == [f"world/fact/{slug}" for slug in unclear]
        assert {name: found(m, name) for name in readable} == readable
        about = m.describe(inspect=True)
        assert about["unclear_names"] == told["unclear"]
        assert health.names(about["unclear_names"]).state == ("warn" if unclear else "ok")
        assert m.verify()["findings"] == []
    held = place.content()
    with place.open() as m:
        assert repairs(m) == [told]
    assert place.content() == held


def test_a_name_that_was_only_asked_for_has_nothing_whatever_is_written_later(place: places.Place):
    make_older(place, asked_only)
    with place.open() as m:
        put(m, "d", "D is by Bright.")
        assert (found(m, "D"), found(m, "D++")) == ("D is by Bright.", None)
        own = m.key("world", "fact", "D++", "definition")
        assert own == f"world/fact/d-{keys._sha1('d++')[:6]}/definition"
        assert m.sem_put(own, "D++ is nobody's.", "system_admin") == DONE
        assert (found(m, "D"), found(m, "D++")) == ("D is by Bright.", "D++ is nobody's.")
        assert m.verify()["findings"] == []
    with place.open() as m:
        assert (found(m, "D"), found(m, "D++")) == ("D is by Bright.", "D++ is nobody's.")


def test_what_cannot_be_told_is_listed_until_it_is_deleted(place: places.Place):
    make_older(place, overwritten)
    with place.open() as m:
        assert m.describe(inspect=True)["unclear_names"] == ["world/fact/c"]
        m.sem_delete("world/fact/c/definition", "system_admin")
        assert m.describe(inspect=True)["unclear_names"] == []


def test_a_store_of_this_version_has_nothing_to_repair(place: places.Place):
    with place.open() as m:
        first_by_key(m)
    with place.open() as m:
        assert repairs(m) == []


@pytest.mark.parametrize("file", older_stores.FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_stored_corpora_are_repaired_once_and_replay(
    kind: str, file: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
):
    if kind == "sqlite":
        place: places.Place = older_stores.unpack(file, tmp_path)
    else:
        databases: services.Databases = request.getfixturevalue("databases")
        place = older_stores.on_postgres(file, tmp_path, databases, monkeypatch)
    for _ in range(2):
        with place.open() as m:
            (told,) = repairs(m)
            assert told["unclear"] == []
            assert told["claims"] == sorted(told["claims"])
            assert m.verify()["findings"] == []
            outcomes = [m.replay(question["job_id"])["result"] for question in older_stores.manifest(file)["questions"]]
            assert set(outcomes) == {"MATCH"}


@pytest.mark.breaks_its_store
def test_a_changed_event_of_the_repair_is_found(place: places.Place):
    make_older(place, overwritten)
    with place.open() as m:
        ((position,),) = m._parts.world.store.read(lambda tx: [(event.position,) for event in tx.events.of_type(EVENT)])
        with place.sql() as sql:
            sql("update events set body = ? where position = ?", (b"{}", position))
        assert ("CONTENT_CHANGED") in {item["kind"] for item in m.verify()["findings"]}
        assert m.describe(inspect=True)["unclear_names"] == []
