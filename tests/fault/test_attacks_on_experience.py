"""Whoever has the database, or the folder, and changes what was lived through.

Each attack is found by verification with its row, is not served where it would decide, and is healed from the ledger.
"""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import governed
import lived
from lived import ENTITY, NOW, SPACE, days_on, write
from mace.core import canon
from mace.core.errors import FAILURES, IntegrityFailure, KeyMissing, MaceError, PreconditionFailed
from mace.engine.experience.feed import Feed
from mace.engine.runtime import Mace
from mace.storage.experience_keys import pair_digest
from mace.storage.inmemory_experience import InMemoryExperience
from mace.storage.leveldb import keys
from places import Place

OTHER = "path:/other"


@pytest.fixture(params=lived.ADAPTERS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path, request)


@dataclass
class Lived:
    """What was there before anybody came."""

    rule: str
    other_rule: str
    megrams: list[str]
    undone: str
    export: list[bytes]


def live(place: Place) -> Lived:
    """Two pairs with rules, one of them asked for, a change that was rolled back, one that was forgotten."""
    with lived.opened(place) as m:
        x = m.experience
        megrams = write(m, "accept", 8)
        write(m, "accept", 7, content="elsewhere", entity=OTHER)
        x.dream()
        write(m, "accept", 7, content="third", entity="path:/third")
        undone = x.dream()["promoted"][0]["change_id"]
        x.roll_back(undone)
        write(m, "refine", 1, entity="path:/faint", age_days=30)
        assert len(x.dream()["forgotten"]) == 1
        rule = x.query_c(SPACE, ENTITY, NOW)[0]["id"]
        other = x.query_c(SPACE, OTHER, NOW)[0]["id"]
        retracted = write(m, "abandon", 1)[0]
        x.retract(retracted)
        assert x.query_mk(SPACE, ENTITY)["action"] == "Exploit"
        result = m.verify()
        assert result["ok"], result
        return Lived(rule, other, megrams, undone, list(x.export()))


# Attacks, on a database and on a folder


@contextmanager
def folder_of(place: Place) -> Iterator[Any]:
    import plyvel

    db = plyvel.DB(str(place.folder / "experience.leveldb"))
    try:
        yield db
    finally:
        db.close()


def edited(db: Any, key: bytes, **columns: Any) -> None:
    held = json.loads(db.get(key))
    db.put(key, json.dumps({**held, **columns}).encode())


def is_leveldb(place: Place) -> bool:
    return place.settings.experience_store == "leveldb"


def sql(*statements: tuple[str, Callable[[Lived], tuple[Any, ...]]]) -> Callable[[Place, Lived], None]:
    def attack(place: Place, was: Lived) -> None:
        with place.sql() as run:
            for statement, parameters in statements:
                run(statement, parameters(was))

    return attack


def delete_megrams(db: Any, was: Lived) -> None:
    for megram_id in was.megrams[:3]:
        db.delete(keys.megram(megram_id))
        db.delete(keys.index(SPACE, ENTITY, megram_id))
        db.delete(keys.level("M", megram_id))


def move_rule(db: Any, was: Lived) -> None:
    db.delete(keys.rule(SPACE, ENTITY, was.rule))
    db.delete(keys.index(SPACE, ENTITY, was.rule))
    db.put(keys.rule(SPACE, OTHER, was.rule), b"")
    db.put(keys.index(SPACE, OTHER, was.rule), b"")
    edited(db, keys.megram(was.rule), entity=OTHER)


def delete_rule(db: Any, was: Lived) -> None:
    for key in (
        keys.megram(was.rule),
        keys.rule(SPACE, ENTITY, was.rule),
        keys.index(SPACE, ENTITY, was.rule),
        keys.level("C", was.rule),
    ):
        db.delete(key)


def swap_pairs(db: Any, was: Lived) -> None:
    one, other = keys.pair(SPACE, ENTITY), keys.pair(SPACE, "path:/third")
    first, second = json.loads(db.get(one))["state"], json.loads(db.get(other))["state"]
    edited(db, one, state=second)
    edited(db, other, state=first)


def delete_pair(db: Any, was: Lived) -> None:
    db.delete(keys.due(int(json.loads(db.get(keys.pair(SPACE, ENTITY)))["due_us"]), SPACE, ENTITY))
    db.delete(keys.pair(SPACE, ENTITY))


def advance(db: Any, was: Lived) -> None:
    db.put(keys.CURSOR, b"%d" % (int(db.get(keys.CURSOR)) + 100_000))


PAIR = pair_digest(SPACE, ENTITY)
OTHER_PAIR = pair_digest(SPACE, OTHER)
THIRD = pair_digest(SPACE, "path:/third")
_COPY = """insert into megrams
    select 'f' || substr(megram_id, 2), pair, level, created_us, space, entity, content, key_refs, state, f, sigma, k,
    place, marked from megrams where megram_id = ?"""
_TAKE_STATE = """update experience_pairs
    set state = (select state from experience_pairs where pair = ?) where pair = ?"""
_ZEROS = base64.b64encode(bytes(400)).decode()


def rules(m: Mace) -> Any:
    return m.experience.query_c(SPACE, ENTITY, NOW)


def all_rules(m: Mace) -> Any:
    return m.experience.rules()


def potentials(m: Mace) -> Any:
    return m.experience.query_mk(SPACE, ENTITY)


def recent(m: Mace) -> Any:
    return m.experience.query_recent(SPACE, ENTITY, 100)


def other_rules(m: Mace) -> Any:
    return m.experience.query_c(SPACE, OTHER, NOW)


@dataclass
class Attack:
    on_sql: Callable[[Place, Lived], None]
    on_leveldb: Callable[[Any, Lived], None] | None  # None: there is no such thing there
    table: str
    key: Callable[[Lived], dict[str, Any]]
    refused: tuple[Callable[[Mace], Any], ...]


def of_rule(was: Lived) -> dict[str, Any]:
    return {"key": was.rule}


def of_pair(was: Lived) -> dict[str, Any]:
    return {"space": SPACE, "entity": ENTITY}


def nowhere(was: Lived) -> dict[str, Any]:
    return {}


ATTACKS = {
    "the sign of a rule": Attack(
        sql(("update megrams set sigma = -1 where megram_id = ?", lambda was: (was.rule,))),
        lambda db, was: edited(db, keys.megram(was.rule), sigma=-1),
        "megrams",
        of_rule,
        (rules, all_rules),
    ),
    "a rule deleted": Attack(
        sql(("delete from megrams where megram_id = ?", lambda was: (was.rule,))),
        delete_rule,
        "megrams",
        of_rule,
        (rules,),
    ),
    "a rule retired": Attack(
        sql(("insert into megram_retirements values (?, 'ab')", lambda was: (was.rule,))),
        lambda db, was: db.put(keys.retired(was.rule), b"ab"),
        "megram_retirements",
        of_rule,
        (rules,),
    ),
    "a rule moved to another pair": Attack(
        sql(("update megrams set entity = ?, pair = ? where megram_id = ?", lambda w: (OTHER, OTHER_PAIR, w.rule))),
        move_rule,
        "megrams",
        of_rule,
        (rules, other_rules),
    ),
    "a rule found under another pair": Attack(
        sql(("update megrams set pair = ? where megram_id = ?", lambda was: (OTHER_PAIR, was.rule))),
        lambda db, was: db.put(keys.rule(SPACE, OTHER, was.rule), b""),
        "megrams",
        of_rule,
        (other_rules,),
    ),
    "a rule emptied": Attack(
        sql(("update megrams set content = ? where megram_id = ?", lambda was: (b"\x00", was.rule))),
        lambda db, was: edited(db, keys.megram(was.rule), content="AA=="),
        "megrams",
        of_rule,
        (rules, all_rules),
    ),
    "a rule that reads as erased": Attack(
        sql(("update megrams set key_refs = '[]' where megram_id = ?", lambda was: (was.rule,))),
        lambda db, was: edited(db, keys.megram(was.rule), key_refs=[]),
        "megrams",
        of_rule,
        (rules, all_rules),
    ),
    "a rule undone by nobody": Attack(
        sql(("delete from megram_retirements where change_id like '%'", lambda was: ())),
        lambda db, was: [db.delete(key) for key, _ in list(db.iterator(prefix=b"retired:"))],
        "megram_retirements",
        nowhere,
        (lambda m: m.experience.query_c(SPACE, "path:/third", NOW),),
    ),
    "Megrams deleted": Attack(
        sql(*[("delete from megrams where megram_id = ?", lambda was, n=n: (was.megrams[n],)) for n in range(3)]),
        delete_megrams,
        "megrams",
        lambda was: {"key": was.megrams[0]},
        (recent,),
    ),
    "Megrams changed": Attack(
        sql(("update megrams set sigma = -1, f = 0.95 where pair = ? and level = 'M'", lambda was: (PAIR,))),
        lambda db, was: [edited(db, keys.megram(name), sigma=-1, f=0.95) for name in was.megrams],
        "megrams",
        lambda was: {"key": was.megrams[1]},
        (recent,),
    ),
    "a Megram made up": Attack(
        sql(
            (
                _COPY,
                lambda was: (was.megrams[0],),
            )
        ),
        lambda db, was: [
            db.put(key, db.get(keys.megram(was.megrams[0])).replace(was.megrams[0].encode(), made.encode()))
            if key.startswith(b"megram:")
            else db.put(key, b"")
            for made in ("f" + was.megrams[0][1:],)
            for key in (keys.megram(made), keys.index(SPACE, ENTITY, made), keys.level("M", made))
        ],
        "megrams",
        lambda was: {"key": "f" + was.megrams[0][1:]},
        (recent,),
    ),
    "a pair deleted": Attack(
        sql(("delete from experience_pairs where pair = ?", lambda was: (PAIR,))),
        delete_pair,
        "experience_pairs",
        of_pair,
        (potentials, rules, recent),
    ),
    "all pairs deleted": Attack(
        sql(("delete from experience_pairs where space <> ''", lambda was: ())),
        lambda db, was: [
            db.delete(key)
            for prefix in (b"pair:" + SPACE.encode(), b"due:0")
            for key, _ in list(db.iterator(prefix=prefix))
        ],
        "experience_pairs",
        of_pair,
        (potentials, rules, recent),
    ),
    "a pair zeroed": Attack(
        sql(("update experience_pairs set state = ? where pair = ?", lambda was: (bytes(400), PAIR))),
        lambda db, was: edited(db, keys.pair(SPACE, ENTITY), state=_ZEROS),
        "experience_pairs",
        of_pair,
        (potentials, rules, recent),
    ),
    "pairs swapped": Attack(
        sql(
            ("update experience_pairs set pair = ? where pair = ?", lambda was: (b"x", PAIR)),
            ("update experience_pairs set pair = ? where pair = ?", lambda was: (PAIR, THIRD)),
            ("update experience_pairs set pair = ? where pair = ?", lambda was: (THIRD, b"x")),
        ),
        swap_pairs,
        "experience_pairs",
        nowhere,
        (potentials, rules, recent),
    ),
    "the states of pairs swapped": Attack(
        sql(
            (
                _TAKE_STATE,
                lambda was: (THIRD, PAIR),
            )
        ),
        swap_pairs,
        "experience_pairs",
        of_pair,
        (potentials, rules, recent),
    ),
    "a pair that is never looked at": Attack(
        sql(("update experience_pairs set due_us = 9000000000000000000 where pair = ?", lambda was: (PAIR,))),
        lambda db, was: edited(db, keys.pair(SPACE, ENTITY), due_us="9000000000000000000"),
        "experience_pairs",
        of_pair,
        (potentials,),
    ),
    "a change rewritten": Attack(
        sql(("update experience_changes set undone_by = '' where change_id = ?", lambda was: (was.undone,))),
        lambda db, was: edited(db, keys.change(was.undone), undone_by=""),
        "experience_changes",
        lambda was: {"key": was.undone},
        (lambda m: m.experience.changes(),),
    ),
    "a change deleted": Attack(
        sql(("delete from experience_changes where change_id = ?", lambda was: (was.undone,))),
        lambda db, was: [
            db.delete(keys.change(was.undone)),
            *[db.delete(k) for k, v in list(db.iterator(prefix=b"place:")) if v == was.undone.encode()],
        ],
        "experience_changes",
        lambda was: {"key": was.undone},
        (),
    ),
    "the cursor ahead": Attack(
        sql(("update experience_cursor set position = position + 100000", lambda was: ())),
        advance,
        "experience_cursor",
        nowhere,
        (potentials, rules, recent),
    ),
    "no cursor": Attack(
        sql(("delete from experience_cursor", lambda was: ())),
        lambda db, was: db.delete(keys.CURSOR),
        "experience_cursor",
        nowhere,
        (potentials, rules, recent),
    ),
    "a recall of nothing": Attack(
        sql(("insert into megram_recalls values ('0000000000000001-00', 5)", lambda was: ())),
        lambda db, was: db.put(keys.recall("0000000000000001-00"), b"2026-03-01T12:00:00.000000Z"),
        "megram_recalls",
        lambda was: {"key": "0000000000000001-00"},
        (),
    ),
}


def assert_refused(m: Mace, ask: Callable[[Mace], Any]) -> None:
    with pytest.raises(IntegrityFailure) as refused:
        ask(m)
    assert refused.value.code == "INTEGRITY_FAILURE"
    assert FAILURES["INTEGRITY_FAILURE"].user_message == (
        "I’m temporarily unable to trust my past data; ops team will check."
    )


@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_found_not_served_and_healed(home: Place, name: str):
    attack, was = ATTACKS[name], live(home)
    if is_leveldb(home):
        assert attack.on_leveldb is not None
        with folder_of(home) as db:
            attack.on_leveldb(db, was)
    else:
        attack.on_sql(home, was)
    with lived.opened(home, read_only=True) as m:
        found = m.verify(read_only=True)
        assert not found["ok"]
        named = [item["where"] for item in found["findings"]]
        assert {item["kind"] for item in found["findings"]} == {"PROJECTION_CHANGED"}
        table = attack.table
        if name == "a rule found under another pair" and is_leveldb(home):
            table, key = "experience.leveldb", {"key": keys.rule(SPACE, OTHER, was.rule).decode()}
        else:
            key = attack.key(was)
        assert any(where["table"] == table and key.items() <= where.items() for where in named), named
        for ask in attack.refused:
            assert_refused(m, ask)
    with lived.opened(home) as m:
        for ask in attack.refused:
            assert_refused(m, ask)
        recorded = m.verify()
        assert [item["finding_id"] for item in recorded["findings"]] == [i["finding_id"] for i in found["findings"]]
        assert recorded["incident_id"] is not None
        kept = write(m, "accept", 1, entity="path:/later")  # writing goes on: it needs only the ledger
        done = m.experience.rebuild()
        assert done["megrams"]["C"] == 3
        assert m.verify()["ok"]
        assert [row["id"] for row in m.experience.query_recent(SPACE, "path:/later")] == kept
        m.experience.retract(kept[0])
        lived.assert_follows_from_the_ledger(m)
        assert list(m.experience.export()) == was.export
        for ask in attack.refused:
            ask(m)
        m.experience.dream(days_on(400))
        assert m.verify()["ok"]
    with lived.opened(home) as m:
        assert m.verify()["ok"]


def test_keys_that_are_gone_are_found(home: Place):
    was = live(home)
    with lived.opened(home) as m:
        write(m, "accept", 2, entity="path:/ada", user_id="ada")
        governed.with_forensic_key(m)
        governed.erase(m, "ada")  # what is taken away by right is no finding
        assert [row["content"] for row in m.experience.query_recent(SPACE, "path:/ada")] == ["", ""]
        assert m.verify()["ok"]
    with home.sql() as run:
        taken = "ref like 'experience/%' or (ref like 'job/%' and parent = '')"
        gone = {ref for (ref,) in run(f"select ref from vault_keys where {taken}")}
        run(f"delete from vault_keys where {taken}")
    assert f"experience/{was.rule}" in gone
    with lived.opened(home) as m:
        with pytest.raises(KeyMissing):
            m.experience.query_c(SPACE, ENTITY, NOW)
        found = m.verify()
        lost = {item["where"]["ref"] for item in found["findings"] if item["kind"] == "KEY_MISSING"}
        assert lost == gone, lost ^ gone
        assert found["incident_id"] is not None


def test_an_untouched_store_has_no_findings_and_its_lag_is_none(home: Place):
    live(home)
    with lived.opened(home) as m:
        lived.inside(m).chosen.stop()
        write(m, "accept", 3)
        assert m.experience.describe()["behind"]
        assert m.verify()["ok"]
        m.experience.flush()
        assert m.verify()["ok"]
        m.experience.dream(days_on(400))
        assert m.verify()["ok"]


def test_what_was_acknowledged_is_not_skipped_by_a_cursor_within_the_ledger(home: Place):
    """To the position of an event that was not projected yet: only the seal tells."""
    live(home)
    with lived.opened(home) as m:
        lived.inside(m).chosen.stop()
        kept = write(m, "accept", 3, entity="path:/new")
        ahead = m._parts.world.store.read(lambda tx: tx.events.size()) - 1
        m._parts.experience_parts.feed.catch_up = lambda *given, **named: 0  # type: ignore[method-assign]
    if is_leveldb(home):
        with folder_of(home) as db:
            db.put(keys.CURSOR, b"%d" % ahead)
    else:
        with home.sql() as run:
            run("update experience_cursor set position = ?", (ahead,))
    with lived.opened(home) as m:
        assert_refused(m, lambda m: m.experience.query_recent(SPACE, "path:/new"))
        assert not m.verify()["ok"]
        m.experience.rebuild()
        assert sorted(row["id"] for row in m.experience.query_recent(SPACE, "path:/new")) == sorted(kept)


@pytest.mark.parametrize("name", ["a pair zeroed", "Megrams deleted", "Megrams changed"])
def test_what_was_changed_is_not_summed_up_and_sealed_again(home: Place, name: str):
    """A new Megram in a pair, or one that is taken back, must not make a forged sum a good one."""
    was = live(home)
    with lived.opened(home) as m:
        expected = m.experience.query_mk(SPACE, ENTITY)
    if is_leveldb(home):
        with folder_of(home) as db:
            attack = ATTACKS[name].on_leveldb
            assert attack is not None
            attack(db, was)
    else:
        ATTACKS[name].on_sql(home, was)
    with lived.opened(home) as m:
        with pytest.raises(MaceError):  # whichever comes first: the Megram cannot be read, or its pair not be summed
            added = write(m, "accept", 1)[0]
            m.experience.query_mk(SPACE, ENTITY)
            m.experience.retract(added)
            m.experience.query_mk(SPACE, ENTITY)
        m.experience.rebuild()
        for row in m.experience.query_recent(SPACE, ENTITY, 100):
            if row["id"] not in was.megrams:
                m.experience.retract(row["id"])
        assert m.experience.query_mk(SPACE, ENTITY) == expected
        assert m.verify()["ok"]


def test_rebuilding_is_on_the_record(home: Place):
    live(home)
    with lived.opened(home) as m:
        seen: list[tuple[int, int]] = []
        done = m.experience.rebuild(lambda at, of: seen.append((at, of)))
        events = m._parts.world.store.read(lambda tx: tx.events.of_type("EXPERIENCE_REBUILT"))
        told = [canon.loads(event.body)["payload"] for event in reversed(events)]
        assert [item["done"] for item in told] == [False, True]
        assert {name: told[1][name] for name in done} == done
        assert seen[-1] == (done["events"], done["events"])
        assert done["pairs"] == len(lived.held(m)["pairs"])
        assert done["changes"] == len(lived.held(m)["changes"])


# Stores of earlier versions, whose rows have no seals


def made_before(place: Place) -> dict[str, Any]:
    """Leave the rows as an earlier version would have; return what they say."""
    with lived.opened(place) as m:
        rows = lived.held(m)
        raw, recalled = lived.inside(m).chosen.store, lived.inside(m).store.read(lambda x: x.recalls())
        while raw.write(lambda x: x.clear(10)):
            pass
        Feed(m._parts.world, raw, lambda: InMemoryExperience([])).catch_up()
        assert raw.read(lambda x: x.recalls()) == recalled
        assert raw.read(lambda x: x.scan("", 99)) == rows["megrams"]
        lived.inside(m).chosen.stop()
        lived.inside(m).feed.catch_up = lambda *given, **named: 0  # type: ignore[method-assign]
        size = m._parts.world.store.read(lambda tx: tx.events.size())
    keys_file = place.folder / "keys.json"  # an older store has keys by purpose since it was opened by this version
    keys_file.write_text(keys_file.read_text().replace('"separated_at":0', f'"separated_at":{size}'))
    return rows


def test_rows_of_an_earlier_version_are_made_anew_once(home: Place):
    was = live(home)
    before = made_before(home)
    with lived.opened(home, read_only=True) as m:
        assert m.verify()["ok"]
        assert m.experience.describe()["behind"]
        with pytest.raises(PreconditionFailed, match="earlier version"):
            m.experience.query_c(SPACE, ENTITY)
    for _ in range(2):
        with lived.opened(home) as m:
            assert m.experience.query_c(SPACE, ENTITY, NOW)[0]["id"] == was.rule
            assert lived.held(m) == before
            assert list(m.experience.export()) == was.export
            assert m.verify()["ok"]
            assert lived.types(m).count("EXPERIENCE_REBUILT") == 2  # that it is to be, and that it is done


def test_a_change_in_rows_of_an_earlier_version_is_found_and_goes(home: Place):
    was = live(home)
    before = made_before(home)
    if is_leveldb(home):
        with folder_of(home) as db:
            edited(db, keys.megram(was.rule), sigma=-1)
    else:
        with home.sql() as run:
            run("update megrams set sigma = -1 where megram_id = ?", (was.rule,))
    with lived.opened(home, read_only=True) as m:
        found = m.verify()["findings"]
        assert [item["where"] for item in found] == [{"table": "megrams", "key": was.rule}]
    with lived.opened(home) as m:
        assert m.experience.query_c(SPACE, ENTITY, NOW)[0]["sigma"] == 1
        assert lived.held(m) == before


def take_seals_away(place: Place, was: Lived, *, pairs: bool) -> None:
    """A rule is turned round, and the store made to look like one of an earlier version."""
    if is_leveldb(place):
        with folder_of(place) as db:
            edited(db, keys.megram(was.rule), sigma=-1)
            for key, _ in list(db.iterator(prefix=b"pair:")) if pairs else ():
                db.delete(key)
            db.delete(keys.pair("", ""))
            if not pairs:
                db.delete(keys.CURSOR)
        return
    with place.sql() as run:
        run("update megrams set sigma = -1 where megram_id = ?", (was.rule,))
        if pairs:
            run("delete from experience_pairs")
        else:
            run("delete from experience_pairs where space = ''")
            run("delete from experience_cursor")


@pytest.mark.parametrize("was_older", [False, True])
@pytest.mark.parametrize("pairs", [False, True])
def test_whoever_takes_all_seals_away_is_found(home: Place, pairs: bool, was_older: bool):
    """A store that was sealed once is never taken for an older one, and made anew without a word."""
    was = live(home)
    if was_older:
        made_before(home)
        with lived.opened(home) as m:
            m.experience.query_c(SPACE, ENTITY, NOW)
    take_seals_away(home, was, pairs=pairs)
    with lived.opened(home, read_only=True) as m:
        found = m.verify()
        assert not found["ok"]
        assert {"table": "megrams", "key": was.rule} in [item["where"] for item in found["findings"]]
        assert_refused(m, rules)
    with lived.opened(home) as m:
        before = lived.types(m).count("EXPERIENCE_REBUILT")
        for ask in (rules, potentials, recent):
            assert_refused(m, ask)
        found = m.verify()
        assert not found["ok"]
        assert found["incident_id"] is not None
        assert lived.types(m).count("EXPERIENCE_REBUILT") == before
        m.experience.rebuild()
        assert m.experience.query_c(SPACE, ENTITY, NOW)[0]["sigma"] == 1
        assert list(m.experience.export()) == was.export
        assert m.verify()["ok"]


def test_a_folder_that_another_process_holds_hides_no_finding(tmp_path: Path, request: pytest.FixtureRequest):
    place = lived.place_for("leveldb", tmp_path, request)
    live(place)
    with place.sql() as sql:
        sql("update events set signature = 'k1:none' where position = 3")
    with folder_of(place), lived.opened(place) as m:
        found = m.verify()
        assert not found["ok"]
        kinds = {item["kind"]: item["where"] for item in found["findings"]}
        assert kinds["BAD_SIGNATURE"]["position"] == 3
        assert kinds["NOT_CHECKED"] == {"table": "experience", "held": True}
        m.attest("owner", "Looked at; the other process goes on.")
        again = m.verify()
        assert {item["kind"] for item in again["findings"] if not item["attested"]} == {"NOT_CHECKED"}
        assert not again["ok"], "what was not checked is not good"
    with lived.opened(place) as m:
        assert m.verify()["ok"]
