"""Turns deleted, changed, forged, exchanged or robbed of their keys in the database: found, and not given out."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import governed
import places
from attacks import changed
from mace.core import canon
from mace.engine.people import index
from mace.engine.runtime import Mace
from mace.ledger import records

pytestmark = [pytest.mark.critical, pytest.mark.breaks_its_store]
WORDS = ("The tram was late.", "The ferry was early.", "My kite is green.", "The bus never came.")
FIRST, SECOND = "user_ana/00000000", "user_ana/00000001"


def filled(place: places.Place) -> None:
    with place.open() as m:
        for words in WORDS:
            assert m.remember("ana", words)["success"]
        assert m.remember("eve", "My tram was on time.")["success"]
        assert heard(m) == [f"turn/user_ana/0000000{number}" for number in range(4)]


def heard(m: Mace, who: str = "ana") -> list[str]:
    answer = m.recall(who, "tram ferry kite bus", kinds=("turn",))
    assert answer["error_code"] is None, answer
    return [item["ref"] for item in answer["items"]]


def found(m: Mace, *, quick: bool = False) -> set[tuple[str, str]]:
    report = m.verify(read_only=True, quick=quick)
    return {
        (item["kind"], str(item["where"].get("key") or item["where"].get("ref") or item["where"].get("subject")))
        for item in report["findings"]
    }


def _deleted(sql: places.Sql, m: Mace) -> None:
    sql("delete from records where kind = 'turn' and record_key = ?", (FIRST,))


def _changed(sql: places.Sql, m: Mace) -> None:
    (body,) = sql("select body from records where kind = 'turn' and record_key = ?", (FIRST,))[0]
    held = json.loads(bytes(body))
    held["conversation"] = "0" * 32
    sql("update records set body = ? where kind = 'turn' and record_key = ?", (canon.dumps(held), FIRST))


def _other_words(sql: places.Sql, m: Mace) -> None:
    """The whole row of another turn, under this one's name."""
    body, signature = sql("select body, signature from records where kind = 'turn' and record_key = ?", (SECOND,))[0]
    sql("update records set body = ?, signature = ? where kind = 'turn' and record_key = ?", (body, signature, FIRST))


def _sealed_exchanged(sql: places.Sql, m: Mace) -> None:
    """Only the sealed words of another turn, in a row that the server's own key signs."""
    bodies = {
        row[0]: json.loads(bytes(row[1])) for row in sql("select record_key, body from records where kind = 'turn'")
    }
    body = {**bodies[FIRST], "sealed": bodies[SECOND]["sealed"]}
    made = records.make("turn", FIRST, body, governed.parts_of(m).world.keys.sign, parent="user_ana")
    sql(
        "update records set body = ?, signature = ? where kind = 'turn' and record_key = ?",
        (made.body, made.signature, FIRST),
    )


def _key_gone(sql: places.Sql, m: Mace) -> None:
    sql("delete from vault_keys where ref = ?", (f"turn/{FIRST}",))


def _key_exchanged(sql: places.Sql, m: Mace) -> None:
    (wrapped,) = sql("select wrapped from vault_keys where ref = ?", (f"turn/{SECOND}",))[0]
    sql("update vault_keys set wrapped = ? where ref = ?", (wrapped, f"turn/{FIRST}"))


def _key_changed(sql: places.Sql, m: Mace) -> None:
    (wrapped,) = sql("select wrapped from vault_keys where ref = ?", (f"turn/{FIRST}",))[0]
    sql("update vault_keys set wrapped = ? where ref = ?", (changed(bytes(wrapped)), f"turn/{FIRST}"))


def _unsaid(sql: places.Sql, m: Mace) -> None:
    sql("delete from event_subjects where subject = ?", (f"turn/{FIRST}",))


Attack = tuple[Callable[[places.Sql, Mace], None], str, str, bool]
ATTACKS: list[Attack] = [  # what it leaves to be found, and whether a quick look finds it, too
    (_deleted, "RECORD_MISSING", FIRST, True),
    (_changed, "RECORD_CHANGED", FIRST, True),
    (_other_words, "RECORD_CHANGED", FIRST, True),
    (_sealed_exchanged, "RECORD_CHANGED", FIRST, True),
    (_key_gone, "KEY_MISSING", f"turn/{FIRST}", True),
    (_key_exchanged, "KEY_UNREADABLE", f"turn/{FIRST}", False),
    (_key_changed, "KEY_UNREADABLE", f"turn/{FIRST}", False),
    (_unsaid, "SUBJECTS_CHANGED", f"turn/{FIRST}", True),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack[0].__name__)
def test_a_turn_that_was_tampered_with_is_found_and_not_given_out(place: places.Place, attack: Attack):
    do, kind, what, is_quick = attack
    filled(place)
    with place.open() as m, place.sql() as sql:
        do(sql, m)
    with place.open() as m:
        assert heard(m) == [f"turn/user_ana/0000000{number}" for number in (1, 2, 3)]
        assert heard(m, "eve") == ["turn/user_eve/00000000"]
        assert (kind, what) in found(m)
        assert ((kind, what) in found(m, quick=True)) is is_quick
        assert not m.verify()["ok"]
        assert m.remember("ana", "The train was on time.")["turn_ids"] == ["turn/user_ana/00000004"]


def test_a_forged_turn_is_no_turn_and_takes_no_number(place: places.Place):
    filled(place)
    with place.open() as m, place.sql() as sql:
        row = sql("select body, signature from records where kind = 'turn' and record_key = ?", (FIRST,))[0]
        sql(
            "insert into records (kind, record_key, parent, body, signature) values ('turn', ?, 'user_ana', ?, ?)",
            ("user_ana/00000004", *row),
        )
    with place.open() as m:
        assert len(heard(m)) == 4
        assert ("RECORD_CHANGED", "user_ana/00000004") in found(m), "its signature is another row's"
        assert m.remember("ana", "Another tram.")["turn_ids"] == ["turn/user_ana/00000005"]
        assert len(heard(m)) == 5


def test_a_row_signed_by_the_server_that_no_event_names_is_no_turn(place: places.Place):
    filled(place)
    with place.open() as m, place.sql() as sql:
        (body,) = sql("select body from records where kind = 'turn' and record_key = ?", (FIRST,))[0]
        made = records.make(
            "turn",
            "user_ana/00000004",
            json.loads(bytes(body)),
            governed.parts_of(m).world.keys.sign,
            parent="user_ana",
        )
        sql(
            "insert into records (kind, record_key, parent, body, signature) values ('turn', ?, 'user_ana', ?, ?)",
            (made.key, made.body, made.signature),
        )
    with place.open() as m:
        assert len(heard(m)) == 4
        assert ("ROW_UNNAMED", "user_ana/00000004") in found(m)


@pytest.mark.parametrize(
    "keys", [None, ["conversation/main"], [f"turn/{FIRST}"]], ids=["person", "conversation", "turn"]
)
def test_a_key_that_is_put_back_after_an_erasure_is_found_and_opens_nothing(
    place: places.Place, keys: list[str] | None
):
    filled(place)
    with place.sql(keep_triggers=True) as sql:
        rows = [
            (row[0], row[1], bytes(row[2]))
            for row in sql(f"select ref, parent, wrapped from {places.ALL_KEYS} where ref like '%user_ana%'")
        ]
    with place.open() as m:
        owner = governed.owned(m)
        asked = m.request_dsr("ana", "delete", owner.accounts.issue_identity_proof("ana")["proof"], keys)
        owner.vote(asked["request_id"], "owner", "approve")
        left = heard(m)
        assert m.verify()["ok"]
    back = [row for row in rows if row[0] == f"turn/{FIRST}" or (keys is None and row[0] == "person/user_ana")]
    with place.sql() as sql:
        places.put_back(sql, back)
    with place.open() as m:
        if keys is not None:
            assert heard(m) == left
        assert {("KEY_RETURNED", row[0]) for row in back} <= found(m)


def test_a_turn_key_that_is_put_back_alone_is_found(place: places.Place):
    filled(place)
    with place.sql(keep_triggers=True) as sql:
        row = sql("select ref, parent, wrapped from vault_keys where ref = ?", (f"turn/{FIRST}",))[0]
    with place.open() as m:
        governed.erase(m, "ana")
        assert m.remember("ana", "Hello again, tram.")["success"]  # under a new key of the person
    with place.sql() as sql:
        places.put_back(sql, [row])
    with place.open() as m:
        assert heard(m) == ["turn/user_ana/00000004"]
        assert ("KEY_RETURNED", f"turn/{FIRST}") in found(m)


def test_parts_of_an_index_are_never_trusted_and_made_again(place: places.Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(index, "PART", 2)
    filled(place)
    with place.open() as m:
        whole = m.recall("ana", "tram ferry kite bus", kinds=("turn",))["items"]
    breaks: list[Callable[[bytes], bytes]] = [changed, lambda _sealed: b"", lambda sealed: sealed[:-1]]
    for broken in breaks:
        with place.sql() as sql:
            parts = sql("select person, part, sealed from recall_indexes")
            assert {row[0] for row in parts} >= {"user_ana"}
            for person, part, sealed in parts:
                sql(
                    "update recall_indexes set sealed = ? where person = ? and part = ?",
                    (broken(bytes(sealed)), person, part),
                )
        with place.open() as m:
            assert m.recall("ana", "tram ferry kite bus", kinds=("turn",))["items"] == whole
            assert m.verify()["ok"], "nothing of the record was touched"
        with place.open() as m:
            healed = governed.parts_of(m).world.store.read(lambda tx: tx.indexes.parts("user_ana"))
            assert healed
            assert m.recall("ana", "tram ferry kite bus", kinds=("turn",))["items"] == whole


def test_the_index_of_another_person_opens_nothing(place: places.Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(index, "PART", 1)
    filled(place)
    with place.sql() as sql:
        (sealed,) = sql("select sealed from recall_indexes where person = 'user_ana' order by part")[0]
        sql("update recall_indexes set sealed = ?, key_ref = 'index/user_ana' where person = 'user_eve'", (sealed,))
    with place.open() as m:
        assert heard(m, "eve") == ["turn/user_eve/00000000"]


def test_an_erased_turn_is_in_no_index_that_is_put_back(place: places.Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(index, "PART", 2)
    filled(place)
    with place.sql(keep_triggers=True) as sql:
        parts: list[Any] = sql("select person, part, key_ref, sealed from recall_indexes where person = 'user_ana'")
        key = sql("select ref, parent, wrapped from vault_keys where ref = 'index/user_ana'")
    assert parts and key
    with place.open() as m:
        owner = governed.owned(m)
        proof = owner.accounts.issue_identity_proof("ana")["proof"]
        asked = m.request_dsr("ana", "delete", proof, [f"turn/{FIRST}"])
        owner.vote(asked["request_id"], "owner", "approve")
    with place.sql() as sql:
        sql("delete from recall_indexes where person = 'user_ana'")  # what was made of the turns that are left
        sql("delete from vault_keys where ref = 'index/user_ana'")
        places.put_back(sql, key)
        for row in parts:
            sql("insert into recall_indexes (person, part, key_ref, sealed) values (?, ?, ?, ?)", row)
    with place.open() as m:
        assert ("KEY_RETURNED", "index/user_ana") in found(m)
        assert heard(m) == [f"turn/user_ana/0000000{number}" for number in (1, 2, 3)]
