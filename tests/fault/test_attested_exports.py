"""An export of a log that lost rows: a stranger verifies what is left, and is told of the loss and whose word it is."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import places
from mace.core import canon
from mace.wiring.doors import verify_export

pytestmark = pytest.mark.breaks_its_store
Damage = Callable[[Any], object]


def _lived_in(place: places.Place) -> str:
    with place.open() as mace:
        first = mace.ask("what is 2 + 2?", "ana")
        for number in range(5):
            mace.sem_put(f"world/fact/thing_{number}/definition", f"thing {number}", "system")
        mace.checkpoint()
        return str(first["job_id"])


def _exported(place: places.Place) -> tuple[list[bytes], str, str]:
    with place.open() as mace:
        note = mace.checkpoint()  # first: that somebody exported is an event, too
        return list(mace.export()), note, mace.public_key()


def _attested(place: places.Place) -> None:
    with place.open() as mace:
        assert not mace.verify()["ok"]
        mace.attest("ana", "a disk lost rows; the backup does not have them either")
        assert mace.verify()["ok"]


DAMAGE: list[tuple[str, Damage]] = [
    ("one row", lambda sql: sql("delete from events where position = 4")),
    ("two rows apart", lambda sql: sql("delete from events where position in (3, 9)")),
    ("a stretch", lambda sql: sql("delete from events where position between 5 and 8")),
    ("the first row", lambda sql: sql("delete from events where position = 0")),
]


@pytest.mark.parametrize(("what", "damage"), DAMAGE, ids=[what for what, _ in DAMAGE])
def test_a_stranger_is_told_of_an_attested_loss(place: places.Place, what: str, damage: Damage):
    _lived_in(place)
    with place.sql() as sql:
        damage(sql)
    _attested(place)
    lines, note, key = _exported(place)
    found = verify_export(lines, note, key)
    assert found["ok"] is True, found
    assert {item["kind"] for item in found["findings"]} == {"ROW_MISSING"}
    assert all(item["attested"] for item in found["findings"])
    assert [(item["actor"], item["statement"][:11]) for item in found["attestations"]] == [("ana", "a disk lost")]


def test_without_the_admins_word_the_loss_is_a_finding(place: places.Place):
    _lived_in(place)
    with place.sql() as sql:
        sql("delete from events where position = 4")
    _attested(place)
    lines, note, key = _exported(place)
    header = json.loads(lines[0])
    for attestations in ([], [{**header["attestations"][0], "actor": "eve"}], ["x", None, {}]):
        forged = canon.dumps({**header, "attestations": attestations}) + b"\n"
        assert verify_export([forged, *lines[1:]], note, key)["ok"] is False


def test_a_word_covers_what_it_names_and_nothing_else(place: places.Place):
    _lived_in(place)
    with place.sql() as sql:
        sql("delete from events where position = 4")
    _attested(place)
    lines, note, key = _exported(place)
    assert verify_export([*lines[:8], *lines[9:]], note, key)["ok"] is False  # one more is gone
    changed = lines[6].replace(b'"event_type"', b'"event_tYpe"', 1)
    assert verify_export([*lines[:6], changed, *lines[7:]], note, key)["ok"] is False


def test_a_whole_log_has_no_words_in_its_header(mace_home: places.SqlitePlace):
    _lived_in(mace_home)
    lines, note, key = _exported(mace_home)
    assert "attestations" not in json.loads(lines[0])
    found = verify_export(lines, note, key)
    assert (found["ok"], found["findings"], found["attestations"]) == (True, [], [])
