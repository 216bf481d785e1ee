"""Each line of the doctor is a pure judgement; here are its limits."""

from pathlib import Path

import pytest

from mace.interfaces.cli import health
from mace.interfaces.cli.health import Check
from mace.interfaces.cli.location import Found

_SQLITE = {"kind": "sqlite", "durability": "WAL, synchronous FULL"}


@pytest.mark.parametrize(
    ("check", "state", "says"),
    [
        (health.python((3, 11, 0)), "ok", "3.11.0"),
        (health.python((3, 10, 9)), "fail", "3.11"),
        (health.store({**_SQLITE, "engine": "SQLite 3.54.1"}), "ok", "3.54.1"),
        (health.store({**_SQLITE, "engine": "SQLite 3.51.2"}), "warn", "apsw"),
        (health.store({"kind": "postgres", "engine": "PostgreSQL 18.1", "durability": "on"}), "ok", "18.1"),
        (health.store({"kind": "postgres", "engine": "PostgreSQL 18.1", "durability": "off"}), "fail", "durable"),
        (health.key_mode(0o600, "k"), "ok", "0600"),
        (health.key_mode(0o640, "k"), "fail", "chmod 600"),
        (health.spill(0, "s"), "ok", "nothing"),
        (health.spill(2, "s"), "warn", "2 failures"),
        (health.incidents(0), "ok", "none"),
        (health.incidents(1), "warn", "incident list"),
        (health.disk(2 << 30, "/d"), "ok", "2.0 GiB"),
        (health.disk(1 << 29, "/d"), "warn", "0.5 GiB"),
        (health.disk(1 << 20, "/d"), "fail", "STORAGE_FULL"),
        (health.clock(2e9, None), "ok", "plausible"),
        (health.clock(2e9, 1.9e9), "ok", "later"),
        (health.clock(2e9, 2e9 + 299), "ok", "later"),
        (health.clock(2e9, 2e9 + 301), "warn", "301 s"),
        (health.clock(1e9, None), "fail", "set the clock"),
        *[(health.nothing_there(found, "/d"), "fail", "no MACE") for found in Found if found is not Found.MACE],
    ],
)
def test_a_line_of_the_doctor(check: Check, state: str, says: str):
    assert check.state == state
    assert says in check.detail + check.hint
    assert (state == "ok") == (check.hint == "")


def test_checkpoints_inside_the_data_are_a_warning(tmp_path: Path):
    inside = health.shelf(tmp_path / "data" / "c", tmp_path, tmp_path / "data", 3)
    beside = health.shelf(tmp_path / "c", tmp_path, tmp_path / "data", None)
    assert (inside.state, beside.state) == ("warn", "ok")
    assert "3 events" in inside.detail
    assert "none kept" in beside.detail


def test_a_shelf_that_cannot_be_written_fails(tmp_path: Path):
    missing = tmp_path / "no-such-folder"
    assert health.shelf(missing, missing, None, None).state == "fail"


def test_a_log_behind_its_checkpoints(tmp_path: Path):
    ahead = health.shelf(tmp_path, tmp_path, None, 225, events=179)
    assert (ahead.state, ahead.hint) == ("fail", "run mace log verify")
    assert health.shelf(tmp_path, tmp_path, None, 179, events=225).state == "ok"
