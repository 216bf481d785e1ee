"""A changed byte in every column of every table of the ledger, made behind MACE's back, on both engines."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest

import attacks
import places
from mace.core import canon, seeds

LOG = seeds.log_id("1")  # of the log that has feedback

COLUMNS = {
    "events": ["position", "stream", "sequence_index", "event_id", "event_type", "body", "hash", "signature"],
    "records": ["kind", "record_key", "parent", "body", "signature"],
    "reflective_log_stage0": [
        "log_id",
        "created_at",
        "source",
        "query_id",
        "query_text_hash",
        "qcp_summary",
        "agents_invoked",
        "agent_outputs",
        "council_votes",
        "final_answer",
        "final_confidence",
        "repair_loops",
        "cache_hit",
        "sem_snapshot_hash",
        "runtime_metrics",
        "system_version",
        "signature",
    ],
    "tiles": ["level", "tile_index", "root"],
    "vault_keys": ["ref", "parent", "wrapped"],
    "notes": ["name", "value"],
}

# Which rows of a table are attacked: a name, and how to find one.
ROWS = {
    "events": {
        "a job's": "position = (select min(position) from events where stream <> 'system' and sequence_index = 1)",
        "the system's newest": "position = (select max(position) from events where stream = 'system')",
        "the first of all": "position = 0",
    },
    "records": {
        "an amendment": "kind = 'sealed_amendment' and record_key like '%/000000'",
        "a checkpoint": (
            "kind = 'checkpoint' and record_key = (select max(record_key) from records where kind = 'checkpoint')"
        ),
        "a quarantined payload": "kind = 'quarantine'",
        "feedback": "kind = 'sealed_user_feedback' and record_key like '%/000001'",
    },
    "reflective_log_stage0": {"a log": f"log_id = '{LOG}'"},
    "tiles": {"a tile": "level = 1 and tile_index = 0"},
    "vault_keys": {
        "a job's": "ref = (select min(ref) from vault_keys where ref like 'job/%')",
        "the quarantine's": "ref = (select max(ref) from vault_keys where ref like '%quarantine/%')",
    },
    "notes": {"the log's name": "name = 'log_name'"},
}


@dataclass
class Change:
    table: str
    column: str
    row: str
    before: dict[str, Any]
    after: Any


def change(place: places.Place, table: str, column: str, row: str) -> Change:
    """Change one value of one row."""
    columns = place.columns(table)
    with place.sql() as sql:
        (found,) = sql(f"select {', '.join(columns)} from {table} where {ROWS[table][row]}")
        before = dict(zip(columns, found, strict=True))
        after = attacks.changed(before[column])
        if column in ("position", "sequence_index"):
            after = before[column] + 5000  # a place that is free
        write(place, before, table, column, after)
    return Change(table, column, row, before, after)


def write(place: places.Place, row: dict[str, Any], table: str, column: str, value: Any) -> None:
    """Put a value into the row that is as given."""
    with place.sql() as sql:
        condition = " and ".join(f"{name} = ?" for name in PLACES[table])
        old = [row[name] for name in PLACES[table]]
        assert len(sql(f"select 1 from {table} where {condition}", old)) == 1
        sql(f"update {table} set {column} = ? where {condition}", (value, *old))


PLACES = {
    "events": ["position"],
    "records": ["kind", "record_key"],
    "reflective_log_stage0": ["log_id"],
    "tiles": ["level", "tile_index"],
    "vault_keys": ["ref"],
    "notes": ["name"],
}


def expected(made: Change) -> tuple[str, dict[str, Any]]:
    """The finding that must be among those that verification gives."""
    table, column, before, after = made.table, made.column, made.before, made.after
    if table == "events":
        if column == "position":
            return "ROW_MISSING", {"table": "events", "position": before["position"], "count": 1}
        kind = {"body": "CONTENT_CHANGED", "hash": "CONTENT_CHANGED", "signature": "BAD_SIGNATURE"}
        return kind.get(column, "COLUMN_MISMATCH"), {"table": "events", "position": before["position"]}
    if table == "records":
        where = {"table": table, "kind": before["kind"], "key": before["record_key"]}
        return "RECORD_CHANGED", {**where, **{"kind": {"kind": after}, "record_key": {"key": after}}.get(column, {})}
    if table == "reflective_log_stage0":
        return ("RECORD_MISSING" if column == "log_id" else "RECORD_CHANGED"), {"table": table, "key": before["log_id"]}
    if table == "tiles":
        where = {"level": before["level"], "index": before["tile_index"]}
        moved = {"level": {"level": after}, "tile_index": {"index": after}}.get(column, {})
        return "TILE_CHANGED", {"table": table, **where, **moved}
    if table == "vault_keys":
        return "KEY_UNREADABLE", {"table": table, "ref": after if column == "ref" else before["ref"]}
    return "WRONG_LOG", {"table": "notes", "name": "log_name"}


@pytest.mark.parametrize(
    ("table", "row", "column"),
    [(table, row, column) for table, columns in COLUMNS.items() for row in ROWS[table] for column in columns],
)
def test_a_changed_byte_in_any_column(built: places.Place, table: str, row: str, column: str):
    made = change(built, table, column, row)
    attacks.assert_found(built, [expected(made)])


def test_no_column_was_forgotten(built: places.Place):
    assert {table: built.columns(table) for table in COLUMNS} == COLUMNS


_OTHERWISE = str.maketrans("ab50", "cd41")


@pytest.mark.parametrize(
    ("table", "column", "row"),
    [
        ("events", "body", "a job's"),
        ("records", "body", "an amendment"),
        ("reflective_log_stage0", "final_answer", "a log"),
        ("vault_keys", "wrapped", "a job's"),
        ("notes", "value", "the log's name"),
    ],
)
def test_the_word_about_one_change_does_not_cover_the_next(built: places.Place, table: str, column: str, row: str):
    """The same place is changed again after the first change was attested: that is a new finding."""
    made = change(built, table, column, row)

    def again(sql: places.Sql) -> None:
        other = made.after[1:] if isinstance(made.after, bytes) else made.after.translate(_OTHERWISE)
        assert other not in (made.after, made.before[column])
        write(built, made.before, table, column, other)

    attacks.assert_found(built, [expected(made)], again=again)


@pytest.mark.parametrize(
    ("column", "value"),
    [("final_confidence", float("inf")), ("repair_loops", 2**60), ("created_at", ""), ("agent_outputs", '""')],
)
def test_values_that_nobody_could_have_written(built: places.Place, column: str, value: Any):
    with built.sql() as sql:
        sql(f"update reflective_log_stage0 set {column} = ? where log_id = ?", (value, LOG))
    attacks.assert_found(built, [("RECORD_CHANGED", {"table": "reflective_log_stage0", "key": LOG})])


@pytest.mark.parametrize("index", [2**40, 2**62])
def test_a_number_that_was_blown_up(built: places.Place, index: int):
    with built.sql() as sql:
        sql("update events set sequence_index = ? where position = 7", (index,))
    attacks.assert_found(built, [("COLUMN_MISMATCH", {"table": "events", "position": 7})])


@pytest.mark.parametrize("text", [b"", b"never", b"2026-13-40T00:00:00Z"])
def test_a_beginning_whose_instant_cannot_be_read(built: places.Place, text: bytes):
    """Every stream goes on from its first event; what cannot be read there stops nobody from saying so."""
    with built.sql() as sql:
        (body,) = sql("select body from events where stream = 'system' and sequence_index = 0")[0]
        started = canon.loads(body)["payload"]["started_at"].encode()
        spoilt = bytes(body).replace(b'"started_at":"' + started, b'"started_at":"' + text)
        assert spoilt != body
        sql("update events set body = ?, hash = ? where position = 0", (spoilt, sha256(spoilt).digest()))
    attacks.assert_found(built, [("BAD_SIGNATURE", {"table": "events", "position": 0})])


def test_a_changed_byte_in_the_file_itself(built: places.Place):
    """Not through SQL at all: the bytes of the file, where a signed body lies."""
    if not isinstance(built, places.SqlitePlace):
        return  # the files of a running server are checked by its own checksums
    with built.sql() as sql:
        (body,) = sql("select body from events where position = 9")[0]
        sql("pragma wal_checkpoint(truncate)")
    data = built.file.read_bytes()
    at = data.index(body) + len(body) // 2
    built.file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    attacks.assert_found(built, [("CONTENT_CHANGED", {"table": "events", "position": 9})])
