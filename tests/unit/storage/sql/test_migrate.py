"""Numbered steps and named statements: found in the package, in order, each once."""

import re
from pathlib import Path
from typing import Any

import apsw
import pytest

import mace.storage.sql.tables as tables
from mace.core.canon import sha256_hex
from mace.core.errors import PreconditionFailed
from mace.storage.ports import Exists, PastFact
from mace.storage.sql import migrate, statements
from mace.storage.sqlite import SqliteStore

PACKAGES = ("mace.storage.sqlite", "mace.storage.postgres")


@pytest.mark.parametrize("package", PACKAGES)
def test_steps_are_numbered_from_one_without_gaps(package: str):
    steps = statements.migrations(package)
    assert [step[0] for step in steps] == list(range(1, len(steps) + 1))
    assert all(re.fullmatch(r"\d{4}_[a-z_]+\.sql", step[1]) for step in steps)


def test_both_engines_have_the_same_steps():
    sqlite, postgres = (statements.migrations(package) for package in PACKAGES)
    assert [step[1] for step in sqlite] == [step[1] for step in postgres]


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_still_to_run(package: str):
    steps = statements.migrations(package)
    done = {number: (name, digest) for number, name, digest, _ in steps}
    assert migrate.missing_steps({}, package) == steps
    assert migrate.missing_steps(done, package) == []
    assert migrate.missing_steps({1: done[1]}, package) == steps[1:]
    with pytest.raises(PreconditionFailed, match=f"{steps[0][1]} differs"):
        migrate.missing_steps({**done, 1: (steps[0][1], "other")}, package)
    with pytest.raises(PreconditionFailed, match="newer than this version"):
        migrate.missing_steps({**done, 99: ("0099_later.sql", "x")}, package)


def test_every_statement_is_used_and_every_used_one_is_there():
    text = "\n".join(file.read_text("utf-8") for file in Path(tables.__file__).parent.glob("*.py"))
    named = statements.load()
    assert set(re.findall(r'_run(?:_many)?\(\s*"([a-z_]+)"', text)) <= set(named)
    assert [name for name in named if f'"{name}"' not in text] == ["event_insert"]  # which the engines run themselves


def test_the_same_statements_for_both_drivers():
    ours, theirs = statements.load("?"), statements.load("%s")
    assert {name: text.replace("?", "%s") for name, text in ours.items()} == theirs
    assert not any("%" in text.replace("%s", "") for text in theirs.values())  # a literal % would need another


def test_a_database_built_with_an_earlier_wording_is_at_home_here(tmp_path: Path):
    ledger, facts, *_ = statements.migrations("mace.storage.sqlite")
    key, index = ",\n  primary key (fact_key, version)\n) strict, without rowid;\n", "\n) strict;\n"
    history = facts[3].index("create table sem_history")
    end = facts[3].index(index, history)
    rest = facts[3][end + len(index) :].partition("(fact_key, version);\n")[2]
    earlier = facts[3][:end] + key + rest
    assert sha256_hex(earlier) in migrate.AS_GOOD[facts[1]]
    database = apsw.Connection(str(tmp_path / "mace.db"))
    database.execute(migrate.LEDGER_OF_STEPS)
    for (number, name, _, _), text in ((ledger, ledger[3]), (facts, earlier)):
        database.execute(text)
        database.execute("insert into schema_steps values (?, ?, ?)", (number, name, sha256_hex(text)))
    held = ("world/fact/a/b", 1, b"0", "", "system", "system", "2025-01-01T00:00:00Z", "h", 1, 0, "s")
    database.execute("insert into sem_history values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", held)
    database.close()
    store = SqliteStore(tmp_path / "mace.db")
    row = PastFact("world/fact/a/b", 2, b"1", "", "system", "system", "2026-01-01T00:00:00Z", "h", True, False, "s")
    store.write(lambda tx: tx.facts.add_history(row))
    with pytest.raises(Exists):
        store.write(lambda tx: tx.facts.add_history(row))
    before = PastFact(*held[:8], True, False, "s")
    assert store.read(lambda tx: tx.facts.history("world/fact/a/b")) == [before, row]
    store.close()
    SqliteStore(tmp_path / "fresh.db").close()
    assert _schema(tmp_path / "mace.db") == _schema(tmp_path / "fresh.db")


def _schema(path: Path) -> list[tuple[Any, ...]]:
    database = apsw.Connection(str(path))
    rows = list(database.execute("select type, name, tbl_name, sql from sqlite_master order by type, name"))
    database.close()
    return rows


KNOWN = [(1, "0001_a.sql", "a" * 64), (2, "0002_b.sql", "b" * 64), (3, "0003_c.sql", "c" * 64)]
A, B, C = (("0001_a.sql", "a" * 64), ("0002_b.sql", "b" * 64), ("0003_c.sql", "c" * 64))


@pytest.mark.parametrize(
    ("done", "version"),
    [
        ({1: A, 2: B, 3: C}, "this"),
        ({1: A, 2: B}, "older"),
        ({1: A}, "older"),
        ({1: A, 2: B, 3: C, 4: ("0004_d.sql", "d" * 64)}, "newer"),
        ({1: A, 2: B, 3: C, 4: ("0004_d.sql", "d" * 64), 5: ("0005_e.sql", "e" * 64)}, "newer"),
        ({}, "changed"),
        ({1: A, 3: C}, "changed"),
        ({2: B, 3: C}, "changed"),
        ({1: A, 2: B, 7: C}, "changed"),
        ({1: A, 2: B, 3: C, 5: ("0005_e.sql", "e" * 64)}, "changed"),
        ({1: A, 2: B, 3: C, 4: ("0003_c.sql", "d" * 64)}, "changed"),
        ({1: A, 2: B, 3: C, 4: ("0004_d.sql", "c" * 64)}, "changed"),
        ({1: A, 2: B, 3: C, 4: ("0004_d.sql", "d" * 63)}, "changed"),
        ({1: A, 2: B, 3: C, 4: (None, "d" * 64)}, "changed"),
        ({1: A, 2: ("0002_b.sql", "x" * 64), 3: C}, "changed"),
        ({1: A, 2: ("0002_x.sql", "b" * 64), 3: C}, "changed"),
        ({-1: A, 2: B, 3: C}, "changed"),
    ],
)
def test_what_a_list_of_steps_says(done: dict[int, tuple[str, str]], version: str):
    assert migrate.version_of(done, KNOWN) == version


def test_what_the_later_steps_make():
    assert migrate.made_after("mace.storage.sqlite", 8) == {
        "jobs_held",
        "jobs_of_tree",
        "ledger_head",
        "people_head",
        "recall_indexes",
        "records_keep_rows",
    }
    assert "events" not in migrate.made_after("mace.storage.sqlite", 1)
