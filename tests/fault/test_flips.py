"""A bit of a store falls over, anywhere: `mace.verify` finds it, or it changes nothing, and it never raises."""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import attacks
import flips
import mace
import places
from mace.core.answers import VerifyReport
from mace.core.errors import IntegrityFailure, MaceError, NotFound, PreconditionFailed, ServiceUnavailable
from mace.interfaces.cli import main
from mace.settings import Settings
from mace.storage.sqlite import mending

pytestmark = pytest.mark.breaks_its_store

FLIPS = 350
_AT_ONCE = 35
_PARTS = [
    pytest.param(part, marks=() if part < 1 else (pytest.mark.long,)) for part in range(FLIPS // _AT_ONCE)
]  # the rest with `make test-long`
_FEW = [pytest.param(range(15), id="some"), pytest.param(range(15, 50), id="all", marks=pytest.mark.long)]


@pytest.fixture
def good(tmp_path_factory: pytest.TempPathFactory) -> places.SqlitePlace:
    return flips.base(tmp_path_factory)


class Broken:
    """A copy of the store in which one bit after the other falls over; each time everything else is as it was."""

    def __init__(self, good: places.SqlitePlace, root: Path) -> None:
        copy = attacks.copy_of(good, root / "copy")
        assert isinstance(copy, places.SqlitePlace)
        self.place = copy
        self._kept = root / "kept"
        self._shelf = Path(copy.settings.checkpoint_dir)
        shutil.copytree(copy.folder, self._kept / "data")
        shutil.copytree(self._shelf, self._kept / "shelf")

    def anew(self) -> places.SqlitePlace:
        for kept, folder in ((self._kept / "data", self.place.folder), (self._kept / "shelf", self._shelf)):
            shutil.rmtree(folder)
            shutil.copytree(kept, folder)
        return self.place

    def with_a_bit(self, at: int, bit: int, name: str = "mace.db") -> places.SqlitePlace:
        flips.flip(self.anew().folder / name, at, bit)
        return self.place


@pytest.fixture
def broken(good: places.SqlitePlace, tmp_path: Path) -> Broken:
    return Broken(good, tmp_path)


def _assert_answered(report: VerifyReport, about: str) -> None:
    """Whoever may write is told where what was found went, or why it went nowhere."""
    assert report["ok"] or report["findings"], about
    if not report["ok"]:
        assert report["incident_id"] is not None or report["not_recorded"], about


def _each_is_found_or_changes_nothing(
    good: places.SqlitePlace, broken: Broken, used: list[int], numbers: range, seed: str
) -> None:
    before = flips.rows_of(good.file)
    for number in numbers:
        drawn = random.Random(f"{seed}{number}")
        at, bit = drawn.choice(used), drawn.randrange(8)
        about = f"flip {number}: byte {at} bit {bit}"
        place = broken.with_a_bit(at, bit)
        if mace.verify(settings=place.settings, read_only=True)["ok"]:
            after = flips.rows_of(place.file)
            assert {name for name in before if after[name] != before[name]} == set(), about
        _assert_answered(mace.verify(settings=broken.with_a_bit(at, bit).settings), about)


@pytest.mark.parametrize("part", _PARTS)
def test_a_flipped_bit_is_found_or_changes_nothing(good: places.SqlitePlace, broken: Broken, part: int):
    """Seeded flips all over what is used, the first page and root pages included."""
    numbers = range(part * _AT_ONCE, (part + 1) * _AT_ONCE)
    _each_is_found_or_changes_nothing(good, broken, flips.used_places(good.file), numbers, "")


@pytest.mark.parametrize("numbers", _FEW)
def test_a_flipped_bit_of_the_first_page_is_found_or_changes_nothing(
    good: places.SqlitePlace, broken: Broken, numbers: range
):
    used = flips.used_places(good.file, of="pageno = 1")
    _each_is_found_or_changes_nothing(good, broken, used, numbers, "page 1/")


@pytest.mark.parametrize("numbers", _FEW)
def test_a_flipped_bit_of_a_row_of_the_list_of_tables_is_found_or_changes_nothing(
    good: places.SqlitePlace, broken: Broken, numbers: range
):
    used = flips.words_of_the_schema(good.file)
    _each_is_found_or_changes_nothing(good, broken, used, numbers, "schema/")


@pytest.mark.parametrize("numbers", _FEW)
def test_a_flipped_bit_of_the_key_file_is_answered(broken: Broken, numbers: range):
    size = (broken.anew().folder / "keys.json").stat().st_size
    for number in numbers:
        drawn = random.Random(f"keys/{number}")
        at, bit = drawn.randrange(size), drawn.randrange(8)
        place = broken.with_a_bit(at, bit, "keys.json")
        report = mace.verify(settings=place.settings, read_only=True)
        assert report["ok"] is not bool(report["findings"]), f"flip {number}: byte {at} bit {bit}"


# What SQLite itself stumbles over


def _with_a_changed_event(broken: Broken) -> int:
    """Some tampering that must be found beside everything else; return where."""
    place = broken.anew()
    with place.sql() as sql:
        ((position, body),) = sql("select position, body from events where event_type = 'SEM_PUT' order by 1 limit 1")
        sql("update events set body = ? where position = ?", (attacks.changed(body), position))
    with place.sql(keep_triggers=True) as sql:
        sql("pragma wal_checkpoint(truncate)")
    return int(position)


def _found(report: VerifyReport, kind: str, **where: Any) -> bool:
    return any(item["kind"] == kind and where.items() <= item["where"].items() for item in report["findings"])


@pytest.fixture
def no_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where private copies are made; none is left there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("byte", [0, 5, 15, 16, 17, 19, 20, 21, 22, 23, 28, 31, 47, 59])
def test_a_header_that_sqlite_does_not_take_is_named_and_the_rest_is_checked(
    broken: Broken, no_copies: Path, byte: int
):
    other = _with_a_changed_event(broken)
    place = broken.place
    flips.flip(place.file, byte, 2)
    held = place.file.read_bytes()
    report = mace.verify(settings=place.settings, read_only=True)
    damaged = [item["where"] for item in report["findings"] if item["kind"] == "FILE_DAMAGED"]
    named = [where for where in damaged if where.get("page") == 1 and 0 <= byte - where.get("byte", -99) < 16]
    # A number of pages that is too small for the file is taken by SQLite, which then misses the pages behind it.
    assert named or (28 <= byte < 32 and damaged), report
    assert _found(report, "CONTENT_CHANGED", table="events", position=other)
    assert not _found(report, "NOT_CHECKED")
    assert place.file.read_bytes() == held


def test_every_byte_of_the_header(broken: Broken, no_copies: Path):
    events = mace.verify(settings=broken.anew().settings, read_only=True)["events"]
    for byte in range(0, 100, 3):
        report = mace.verify(settings=broken.with_a_bit(byte, byte % 8).settings, read_only=True)
        assert report["ok"] or _found(report, "FILE_DAMAGED"), f"byte {byte}"
        assert report["events"] == events, f"byte {byte}"


def test_what_waits_in_the_write_ahead_log_is_checked_too(broken: Broken, no_copies: Path, tmp_path: Path):
    place = broken.anew()
    with place.open() as opened:
        opened.raise_for(opened.sem_put("world/fact/milk/colour", "white", "system"))
        assert (place.folder / "mace.db-wal").stat().st_size > 0
        shutil.copytree(place.folder, tmp_path / "crashed")
        events = opened.describe()["events"]
    broken.anew()
    for name in ("mace.db", "mace.db-wal"):
        shutil.copy(tmp_path / "crashed" / name, place.folder / name)
    flips.flip(place.file, 1, 3)
    report = mace.verify(settings=place.settings, read_only=True)
    assert _found(report, "FILE_DAMAGED", page=1, byte=1), report
    assert report["events"] == events
    mended = mending.mend(place.file)
    assert mended.file is not None
    assert len(flips.rows_of(mended.file)["events"]) == events
    mended.remove()


@pytest.mark.parametrize("name", ["events", "notes", "records", "vault_keys", "schema_steps"])
@pytest.mark.parametrize("before", ["", "CREATE TABLE "])
def test_a_table_whose_words_changed_in_the_list_of_tables_is_named_and_still_checked(
    broken: Broken, no_copies: Path, name: str, before: str
):
    other = _with_a_changed_event(broken)
    place = broken.place
    words = f"{before}{name} (" if before else f"table{name}{name}"
    at = place.file.read_bytes().find(words.encode())
    assert at >= 0
    flips.flip(place.file, at + len(words) - 3, 0)
    report = mace.verify(settings=place.settings, read_only=True)
    assert _found(report, "SCHEMA_CHANGED"), report
    if name != "notes" or not before:
        assert _found(report, "CONTENT_CHANGED", table="events", position=other), report


def test_the_first_page_overwritten(broken: Broken, no_copies: Path):
    place = broken.anew()
    with place.file.open("r+b") as file:
        file.write(bytes(4096))
    with pytest.raises(IntegrityFailure, match=r"damaged.*mace log verify \(mace.verify\) tells more"):
        place.open()
    report = mace.verify(settings=place.settings)
    assert _found(report, "FILE_DAMAGED", page=1), report
    assert "the store opens for reading only" in report["not_recorded"]


@pytest.mark.parametrize("content", [b"", b"x", b"no database at all" * 500])
def test_a_file_that_is_no_database(broken: Broken, no_copies: Path, content: bytes):
    place = broken.anew()
    place.file.write_bytes(content)
    report = mace.verify(settings=place.settings, read_only=True)
    assert report["ok"] is False
    assert _found(report, "FILE_DAMAGED") or _found(report, "SCHEMA_CHANGED"), report


def test_what_is_found_goes_on_the_record_where_the_store_takes_it(broken: Broken):
    _with_a_changed_event(broken)
    report = mace.verify(settings=broken.place.settings)
    assert "not_recorded" not in report
    with broken.place.open() as opened:
        assert report["incident_id"] in [item["incident_id"] for item in opened.incidents.list()]
    assert mace.verify(settings=broken.place.settings)["incident_id"] == report["incident_id"]


def test_a_damaged_key_file_is_named_and_the_events_are_checked(broken: Broken):
    other = _with_a_changed_event(broken)
    keys = broken.place.folder / "keys.json"
    keys.write_bytes(b"[" + keys.read_bytes())
    with pytest.raises(PreconditionFailed, match=r"damaged.*mace log verify \(mace.verify\) tells more"):
        broken.place.open()
    report = mace.verify(settings=broken.place.settings)
    assert _found(report, "KEY_FILE_DAMAGED", file=str(keys))
    assert _found(report, "CONTENT_CHANGED", position=other)
    assert _found(report, "NOT_CHECKED", table="*")
    assert report["events"] > other
    assert report["not_recorded"]


@pytest.mark.parametrize("key", ["checkpoint_seed", "master", "log_name", "hmac", "format"])
def test_a_key_file_that_lacks_something_is_named(broken: Broken, key: str):
    keys = broken.anew().folder / "keys.json"
    held = json.loads(keys.read_bytes())
    del held[key]
    keys.write_text(json.dumps(held))
    assert _found(mace.verify(settings=broken.place.settings), "KEY_FILE_DAMAGED")


# What is no damage raises


def _raises(error: type[MaceError], settings: Settings, words: str) -> None:
    for read_only in (True, False):
        with pytest.raises(error, match=words):
            mace.verify(settings=settings, read_only=read_only)


def test_where_nothing_is_nothing_is_made(tmp_path: Path, broken: Broken):
    empty = tmp_path / "nothing"
    with pytest.raises(NotFound) as raised:
        mace.verify(empty)
    assert raised.value.details["hint"] == f"create one with: mace init {empty}"
    assert not empty.exists()
    (tmp_path / "others").mkdir()
    with pytest.raises(NotFound):
        mace.verify(tmp_path / "others")
    assert list((tmp_path / "others").iterdir()) == []


def test_a_store_without_its_keys_says_where_they_should_be(broken: Broken):
    (broken.anew().folder / "keys.json").unlink()
    _raises(PreconditionFailed, broken.place.settings, r"its keys are not at .*keys\.json")
    assert not (broken.place.folder / "keys.json").exists()


def test_a_key_file_that_others_can_read_says_what_to_do(broken: Broken):
    (broken.anew().folder / "keys.json").chmod(0o644)
    _raises(PreconditionFailed, broken.place.settings, "chmod 600")


def test_a_file_that_cannot_be_read_says_so(broken: Broken):
    place = broken.anew()
    place.file.unlink()
    place.file.mkdir()
    _raises(ServiceUnavailable, place.settings, "SQLite|mace.db")


def test_a_store_of_another_version_is_not_damaged(broken: Broken):
    place = broken.anew()
    with place.sql(keep_triggers=True) as sql:
        ((newest,),) = sql("select max(number) from schema_steps")
        sql("insert into schema_steps values (?, ?, ?)", (newest + 1, f"{newest + 1:04d}_later.sql", "ab" * 32))
    _raises(PreconditionFailed, place.settings, "newer than this version")
    place = broken.anew()
    with place.sql(keep_triggers=True) as sql:
        sql("delete from schema_steps where number > 8")
        sql("drop table ledger_head")  # as before the ninth step
        sql("drop table people_head")
        sql("drop trigger records_keep_rows")
        sql("drop index jobs_held")
        sql("drop index jobs_of_tree")
        sql("drop table recall_indexes")
    with pytest.raises(PreconditionFailed, match="older than this version"):
        mace.verify(settings=place.settings, read_only=True)


# The command line uses the same


@pytest.fixture
def cli(
    broken: Broken, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    monkeypatch.setenv("MACE_LOCATION", broken.place.settings.location)
    monkeypatch.setenv("MACE_CHECKPOINT_DIR", broken.place.settings.checkpoint_dir)
    monkeypatch.setenv("MACE_CHECKPOINT_INTERVAL_MS", "0")

    def run(*words: str) -> tuple[int, str]:
        code = main(list(words))
        told = capsys.readouterr()
        return code, told.out + told.err

    return run


@pytest.mark.parametrize("name", ["mace.db", "keys.json"])
def test_log_verify_and_doctor_tell_of_a_file_that_does_not_open(
    broken: Broken, no_copies: Path, cli: Callable[..., tuple[int, str]], name: str
):
    broken.with_a_bit(1, 2, name)
    words = "page 1, byte 1" if name == "mace.db" else "keys.json is damaged"
    code, told = cli("log", "verify")
    assert code == 1
    assert ("FILE_DAMAGED" if name == "mace.db" else "KEY_FILE_DAMAGED") in told
    assert words in told
    assert "could not be recorded" in told
    code, told = cli("doctor")
    assert code == 1
    assert words in told
    assert "mace log verify" in told


def test_roles_that_may_not_verify_are_told_nothing_of_a_damaged_store(
    broken: Broken, cli: Callable[..., tuple[int, str]]
):
    broken.with_a_bit(1, 2)
    for role in ("user", "viewer"):
        code, told = cli("--as", role, "log", "verify")
        assert code == 1
        assert "byte 1" not in told
