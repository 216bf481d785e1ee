"""What is put back in the copy of a file that SQLite does not take: as tables, without a file."""

import apsw
import pytest

from mace.storage.sql import shape
from mace.storage.sql.shape import Object
from mace.storage.sqlite.header import good_header, header_faults, unread_faults
from mace.storage.sqlite.mending import HeldRow, own_words


def _header() -> bytes:
    database = apsw.Connection(":memory:")
    database.execute("create table one (number integer)").fetchall()
    held = bytearray(database.serialize("main")[:100])
    held[18:20] = b"\2\2"
    held[92:96] = held[24:28]
    return bytes(held)


GOOD = _header()
SIZE = 4096 * int.from_bytes(GOOD[28:32], "big")


def test_a_database_that_sqlite_made_has_no_faults():
    assert header_faults(GOOD) == []
    assert unread_faults(GOOD, SIZE) == []
    assert unread_faults(GOOD[:18] + b"\1\1" + GOOD[20:], SIZE) == []


@pytest.mark.parametrize(
    ("byte", "told", "is_always"),
    [
        (0, 0, True),
        (15, 15, True),
        (16, 16, False),
        (17, 16, False),
        (18, 18, False),
        (20, 20, True),
        (22, 22, True),
        (31, 28, False),
        (47, 47, True),
        (52, 52, False),
        (59, 59, True),
        (64, 64, False),
        (80, 80, True),
        (40, None, False),  # counts the changes of the schema: any number will do
        (60, None, False),  # is for whoever uses the database
        (96, None, False),
    ],
)
def test_a_flipped_bit_of_the_header_is_named_and_put_back(byte: int, told: int | None, is_always: bool):
    for bit in range(8):
        held = bytearray(GOOD)
        held[byte] ^= 1 << bit
        assert [item.where["byte"] for item in unread_faults(bytes(held), SIZE)] == ([] if told is None else [told])
        assert bool(header_faults(bytes(held))) is is_always
        mended = good_header(bytes(held), SIZE, with_wal=True)
        assert unread_faults(mended, SIZE) == []
        if told is not None:
            assert mended == GOOD


def test_without_a_write_ahead_log_the_copy_has_none():
    assert good_header(GOOD, SIZE, with_wal=False)[18:20] == b"\1\1"
    assert good_header(b"", SIZE, with_wal=False)[:16] == b"SQLite format 3\0"


def test_the_number_of_pages_is_not_compared_while_some_wait_elsewhere():
    assert unread_faults(GOOD, None) == []
    assert [item.where["byte"] for item in unread_faults(GOOD, 2 * SIZE)] == [28]


@pytest.mark.parametrize("start", [44, 56])
def test_what_is_set_with_the_first_table_may_still_wait(start: int):
    held = GOOD[:start] + bytes(4) + GOOD[start + 4 :]
    assert [item.where["byte"] for item in header_faults(held)] == [start + 3]
    assert header_faults(held, waits=True) == []
    assert unread_faults(held, None) == []
    assert header_faults(held[:start] + b"\0\0\0\7" + held[start + 4 :], waits=True) != []


TABLE = Object("table", "cups", "cups", "CREATE TABLE cups (a)")
INDEX = Object("index", "cups_by_a", "cups", "CREATE INDEX cups_by_a ON cups (a)")
OWN = Object("index", "sqlite_autoindex_cups_1", "cups", "")
WANTED = {(item.type, item.name): item for item in (TABLE, INDEX, OWN)}


@pytest.mark.parametrize(
    ("held", "mended"),
    [
        ([TABLE, INDEX, OWN], {}),
        ([Object("table", "cupr", "cups", TABLE.sql), INDEX, OWN], {0: TABLE}),
        ([Object("table", "cups", "cupr", TABLE.sql), INDEX, OWN], {0: TABLE}),
        ([Object("table", "cups", "cups", "CREATE TABME cups (a)"), INDEX, OWN], {0: TABLE}),
        ([Object("tacle", "cups", "cups", TABLE.sql), INDEX, OWN], {0: TABLE}),
        ([TABLE, INDEX, Object("index", "sqlite_autoindex_cupr_1", "cups", "")], {2: OWN}),
        ([TABLE, Object("index", "cups_by_a", "cups", "")], {}),  # its own or the one with words: nobody can tell
        ([Object("table", "theirs", "theirs", "CREATE TABLE theirs (b)"), TABLE], {}),
        ([Object("table", "cupr", "cupr", TABLE.sql), INDEX], {}),  # two words: it may be another one
        ([], {}),
    ],
)
def test_a_row_of_which_one_word_changed_gets_its_own_words(held: list[Object], mended: dict[int, Object]):
    rows = [HeldRow(at, item) for at, item in enumerate(held)]
    assert {row.rowid: row.item for row in own_words(rows, WANTED)} == mended


def test_every_object_of_the_schema_is_told_apart_by_three_of_its_words():
    objects = shape.objects()
    for item in objects.values():
        for changed in (
            Object("x", item.name, item.table, item.sql),
            Object(item.type, "x", item.table, item.sql),
            Object(item.type, item.name, "x", item.sql),
            Object(item.type, item.name, item.table, "x"),
        ):
            rows = [HeldRow(at, changed if held == item else held) for at, held in enumerate(objects.values())]
            assert [row.item for row in own_words(rows, objects)] == [item]
