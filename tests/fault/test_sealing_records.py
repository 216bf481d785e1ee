"""What earlier versions wrote beside logs in plain is sealed once, on the record, and reads as before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import canaries
import governed
import older_stores
import places
import services
from mace.core import canon
from mace.core.errors import IntegrityFailure
from mace.engine.runtime import Mace
from mace.ledger.reflective import PLAIN_KINDS

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
OLDEST = next(file for file in older_stores.FILES if file.stem.endswith("-annotated"))
LATEST = Path(__file__).parent / "stores" / "annotated.zip"  # the last version that kept them in plain
WORDS = ["Gdynia", "gdynia-label", "gdynia-tag"]


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[OLDEST, LATEST], ids=["oldest", "latest"])
def file(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def older(
    engine: str, file: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[places.Place]:
    if engine == "sqlite":
        yield older_stores.unpack(file, tmp_path)
        return
    databases: services.Databases = request.getfixturevalue("databases")
    yield older_stores.on_postgres(file, tmp_path, databases, monkeypatch)


def logs_of(m: Mace, file: Path) -> list[str]:
    jobs = {job["job_id"]: job["log_id"] for job in m.jobs.list(limit=100)["items"]}
    return [str(jobs[told["job_id"]]) for told in older_stores.manifest(file)["questions"]]


def sealed_events(m: Mace) -> list[dict[str, Any]]:
    return [dict(item["payload"]) for item in m.events("system") if item["event_type"] == "RECORDS_SEALED"]


def assert_reads_as_written(m: Mace, log_id: str) -> None:
    log = m.read_reflective_log(log_id)
    assert log["user_feedback"] == ["I am Ana from Gdynia, and this is right", "I said so in Gdynia"]
    assert (log["ground_truth_label"], log["audit_tags"]) == (["gdynia-label"], [["gdynia-tag"]])
    first, second = m.amendments(log_id)
    assert (first["author"], first["changes"]) == ("kim", {"note": "Ana of Gdynia likes tea"})
    assert (second["author"], second["changes"], second["effect"]) == ("Kim of Gdynia", ["Gdynia"], "revalidate")
    assert log["amendments"] == [first["amendment_id"], second["amendment_id"]]


def test_they_are_sealed_once_and_read_as_before(older: places.Place, file: Path):
    with older.open() as m:
        for log_id in logs_of(m, file):
            assert_reads_as_written(m, log_id)
        events = sealed_events(m)
        assert sum(item["rows"] for item in events) == 12
        assert {held["kind"] for item in events for held in item["was"]} == set(PLAIN_KINDS)
        assert all(len(held["hash"]) == 64 for item in events for held in item["was"])
        assert m.verify()["findings"] == []
        assert {m.replay(told["job_id"])["result"] for told in older_stores.manifest(file)["questions"]} == {"MATCH"}
    with older.open() as m:
        assert sealed_events(m) == events  # not again
        assert m.verify(read_only=True)["findings"] == []
        assert canaries.in_rows(older, WORDS) == []
        for log_id in logs_of(m, file):  # and new ones come behind them
            m.update_reflective_log(log_id, {"user_feedback": "later"})
            added = m.amend(log_id, "bo", 1, "note")
            assert m.read_reflective_log(log_id)["user_feedback"][-1] == "later"
            assert [item["amendment_id"] for item in m.amendments(log_id)][2:] == [added["amendment_id"]]
        assert m.verify()["findings"] == []
    if older.kind == "sqlite":
        assert canaries.in_files(older.folder, WORDS) == []


def test_they_go_with_the_person_and_nobody_elses_do(older: places.Place, file: Path):
    with older.open() as m:
        of_ana, of_nobody = logs_of(m, file)
        governed.erase(m, "ana")
        log = m.read_reflective_log(of_ana)
        gone = {"redaction_reason": "ERASED"}
        assert (log["user_feedback"], log["ground_truth_label"]) == ([gone, gone], [gone])
        assert [item["changes"] for item in m.amendments(of_ana)] == [gone, gone]
        assert [item["author"] for item in m.amendments(of_ana)] == ["kim", ""]
        assert_reads_as_written(m, of_nobody)
        assert m.verify()["findings"] == []


def plain_row(m: Mace, kind: str) -> tuple[str, bytes]:
    (row, *_) = m._parts.world.store.read(lambda tx: tx.records.scan(kind, "", 1))
    return row.key, row.body


@pytest.mark.breaks_its_store
def test_a_row_that_was_changed_is_not_sealed_and_is_found(tmp_path: Path):
    place = older_stores.unpack(LATEST, tmp_path)
    with place.sql() as sql:
        ((key,),) = sql("select record_key from records where kind = 'user_feedback' limit 1")
        forged = canon.dumps({"at": "2026-01-01T00:00:00Z", "value": "forged"})
        sql("update records set body = ? where kind = 'user_feedback' and record_key = ?", (forged, key))
    with place.open() as m:
        (found,) = m.verify()["findings"]
        assert (found["kind"], found["where"]["key"]) == ("RECORD_CHANGED", key)
        assert plain_row(m, "user_feedback") == (key, forged)
        with pytest.raises(IntegrityFailure):
            m.read_reflective_log(key.partition("/")[0])
        assert sum(item["rows"] for item in sealed_events(m)) == 11


@pytest.mark.breaks_its_store
def test_a_sealed_row_that_is_gone_or_changed_is_found(tmp_path: Path):
    place = older_stores.unpack(LATEST, tmp_path)
    place.open().close()
    with place.sql() as sql:
        ((key,),) = sql("select record_key from records where kind = 'sealed_user_feedback' limit 1")
        sql("delete from records where kind = 'sealed_user_feedback' and record_key = ?", (key,))
        sql("update records set body = ? where kind = 'sealed_audit_tags'", (b"{}",))
    with place.open() as m:
        kinds = sorted((item["kind"], item["where"]["kind"]) for item in m.verify()["findings"])
        assert kinds == [("RECORD_CHANGED", "sealed_audit_tags")] * 2 + [("RECORD_MISSING", "sealed_user_feedback")]


def test_a_plain_row_that_comes_back_goes_again(tmp_path: Path):
    place, copy = older_stores.unpack(LATEST, tmp_path / "one"), older_stores.unpack(LATEST, tmp_path / "two")
    place.open().close()
    with copy.sql(keep_triggers=True) as sql:
        columns = "kind, record_key, parent, body, signature"
        rows = list(sql(f"select {columns} from records where kind = 'amendment'"))
    with place.sql() as sql:
        for row in rows:
            sql(f"insert into records ({columns}) values (?, ?, ?, ?, ?)", row)
    with place.open() as m:
        assert m.verify()["findings"] == []
        assert len(sealed_events(m)) == 4
    assert canaries.in_files(place.folder, WORDS) == []


def test_of_whoever_was_erased_before_nothing_is_kept(tmp_path: Path):
    """Earlier versions left feedback and amendments in plain when they erased a person: they go now."""
    place = older_stores.unpack(LATEST, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mace.wiring.assemble.Assembly.seal_records", lambda self: None)
        with place.open() as m:
            assert canaries.in_rows(place, WORDS)
            of_ana, of_nobody = logs_of(m, LATEST)
            assert_reads_as_written(m, of_ana)  # as they are, until they are sealed
            governed.erase(m, "ana")
            assert m.verify()["findings"] == []
    with place.open() as m:
        gone = {"redaction_reason": "ERASED"}
        assert m.read_reflective_log(of_ana)["user_feedback"] == [gone, gone]
        assert_reads_as_written(m, of_nobody)
        assert m.verify()["findings"] == []
        rows = m._parts.world.store.read(lambda tx: tx.records.children("sealed_user_feedback", of_ana))
        assert [canon.loads(row.body)["sealed"] for row in rows] == [None, None]
    assert canaries.in_files(place.folder, WORDS) == []


def test_no_other_record_can_be_deleted(place: places.Place):
    with place.open() as m:
        m.update_reflective_log(m.ask("What is 2 + 2?")["log_id"], {"user_feedback": "right"})
    with place.sql(keep_triggers=True) as sql, pytest.raises(Exception, match="refused"):
        sql("delete from records where kind = 'sealed_user_feedback'")
