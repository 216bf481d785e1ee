"""A word covers damage as long as it is there: once it is found no more, the same damage done again is found anew."""

from collections.abc import Callable
from typing import Any

import pytest

import attacks
import lived
import mace
import places
from mace.core.errors import IntegrityFailure
from mace.engine.runtime import Mace

pytestmark = pytest.mark.breaks_its_store


def _settlements(opened: Mace) -> list[list[str]]:
    told = [item for item in opened.events("system") if item["event_type"] == "FINDINGS_SETTLED"]
    return [item["payload"]["finding_ids"] for item in told]


def _verified(place: places.Place) -> dict[str, Any]:
    return {**mace.verify(settings=place.settings)}


def _ids(report: dict[str, Any]) -> set[str]:
    return {item["finding_id"] for item in report["findings"]}


def _trigger(place: places.SqlitePlace) -> tuple[Callable[[], None], Callable[[], None]]:
    with place.sql(keep_triggers=True) as sql:
        ((words,),) = sql("select sql from sqlite_master where name = 'events_keep_update'")

    def run(statement: str) -> None:
        with place.sql(keep_triggers=True) as sql:
            sql(statement)

    return lambda: run("drop trigger events_keep_update"), lambda: run(words)


def _megram(place: places.SqlitePlace) -> tuple[Callable[[], None], Callable[[], None]]:
    def damage() -> None:
        with place.sql() as sql:
            sql("delete from megrams")

    def mend() -> None:
        with place.open() as opened:
            opened.experience.rebuild()

    return damage, mend


def _index(place: places.SqlitePlace) -> tuple[Callable[[], None], Callable[[], None]]:
    def damage() -> None:
        with place.sql() as sql:
            sql("delete from event_subjects where subject = 'account/ann'")

    return damage, lambda: None  # verification puts it right by itself


def _record(place: places.SqlitePlace) -> tuple[Callable[[], None], Callable[[], None]]:
    where = "where kind = 'account' and record_key = 'ann'"
    with place.sql() as sql:
        (row,) = sql(f"select kind, record_key, parent, body, signature from records {where}")

    def damage() -> None:
        with place.sql() as sql:
            sql(f"delete from records {where}")

    def mend() -> None:
        with place.sql() as sql:
            sql("insert into records values (?, ?, ?, ?, ?)", row)

    return damage, mend


DAMAGE = {"a trigger": _trigger, "a Megram": _megram, "an entry of the index": _index, "a record": _record}


def _build(place: places.SqlitePlace) -> None:
    attacks.build(place)
    with place.open() as opened:
        opened.accounts.create("ann", ["viewer"])
        lived.write(opened)
        opened.experience.flush()
    assert _verified(place)["ok"]


@pytest.mark.parametrize("what", DAMAGE)
def test_the_same_damage_done_again_is_found_again(mace_home: places.SqlitePlace, what: str):
    _build(mace_home)
    damage, mend = DAMAGE[what](mace_home)
    seen: set[str] = set()
    incidents: set[str] = set()
    for time in range(3):
        damage()
        report = _verified(mace_home)
        assert report["ok"] is False, f"time {time}"
        assert "not_recorded" not in report
        assert not _ids(report) & seen
        assert report["incident_id"] not in incidents
        seen |= _ids(report)
        incidents.add(report["incident_id"])
        with mace_home.open() as opened:
            opened.attest("owner", "Somebody had the database.")
            if what not in ("an entry of the index", "a Megram"):  # those are put right, or not served
                again = opened.verify()
                assert again["ok"]
                assert _ids({**again}) == _ids(report)  # still there, and covered
                assert len(_settlements(opened)) == time
        mend()
        assert _verified(mace_home)["ok"]
        with mace_home.open() as opened:
            told = _settlements(opened)
            assert len(told) == time + 1
            assert _ids(report) == set(told[-1])
            events = opened.describe()["events"]
            assert opened.verify()["ok"]
            assert opened.describe()["events"] == events  # said once


def test_what_was_put_back_and_taken_again_stops_what_depends_on_it(mace_home: places.SqlitePlace):
    _build(mace_home)
    damage, mend = _record(mace_home)
    with mace_home.open() as opened:
        token = opened.accounts.issue_token("ann")["token"]
    damage()
    with mace_home.open() as opened:
        opened.attest("owner", "Somebody had the database.")
        opened.authenticate(token)
    mend()
    assert _verified(mace_home)["ok"]
    damage()
    with mace_home.open() as opened, pytest.raises(IntegrityFailure, match="account ann is gone"):
        opened.authenticate(token)


@pytest.mark.parametrize("how", [{"quick": True}, {"read_only": True}])
def test_only_a_whole_verification_that_may_write_settles(mace_home: places.SqlitePlace, how: dict[str, bool]):
    _build(mace_home)
    damage, mend = _trigger(mace_home)
    damage()
    with mace_home.open() as opened:
        opened.attest("owner", "Somebody had the database.")
    mend()
    with mace_home.open() as opened:
        assert opened.verify(**how)["ok"]
        assert _settlements(opened) == []
    damage()
    report = _verified(mace_home)
    assert report["ok"]  # nobody has seen that it was put right: the word still covers it
    assert [item["attested"] for item in report["findings"]] == [True]


def test_a_settlement_that_nobody_signed_takes_no_cover_away(mace_home: places.SqlitePlace):
    _build(mace_home)
    damage, _ = _record(mace_home)
    damage()
    with mace_home.open() as opened:
        opened.attest("owner", "Somebody had the database.")
        (covered,) = opened.verify()["findings"]
    body = b'{"at":"","finding_ids":["' + covered["finding_id"].encode() + b'"],"settlement_id":"x"}'
    with mace_home.sql() as sql:
        sql("insert into records values ('settlement', 'x', '', ?, 'k1.record:00')", (body,))
    report = _verified(mace_home)
    assert {item["kind"] for item in report["findings"] if not item["attested"]} == {"RECORD_CHANGED"}
    assert covered["finding_id"] in {item["finding_id"] for item in report["findings"] if item["attested"]}


def test_a_settlement_that_is_taken_away_is_missed(mace_home: places.SqlitePlace):
    _build(mace_home)
    damage, mend = _trigger(mace_home)
    damage()
    with mace_home.open() as opened:
        opened.attest("owner", "Somebody had the database.")
    mend()
    assert _verified(mace_home)["ok"]
    with mace_home.sql() as sql:
        sql("delete from records where kind = 'settlement'")
    assert {(item["kind"], item["where"]["kind"]) for item in _verified(mace_home)["findings"]} == {
        ("RECORD_MISSING", "settlement")
    }
