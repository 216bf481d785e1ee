"""The database's own guards, and writes that nobody would find again: refused, never acknowledged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

import places
import services
from mace.core.errors import IntegrityFailure, MaceError, PreconditionFailed, ServiceUnavailable
from mace.engine.runtime import Mace
from payloads import log_payload

REFUSED = (apsw.ConstraintError, psycopg.Error)
KEY = "world/fact/tea/colour"

# By the key, by what else must be unique, and by the rowid that SQLite gave the row.
REPLACEMENTS = {
    "events by key": "insert or replace into events select position, 'other', 9, event_id, event_type, body, hash,"
    " signature from events where position = 1",
    "events by stream": "insert or replace into events select 99999, stream, sequence_index, event_id, event_type,"
    " body, hash, 'k1:00' from events where position = 1",
    "records by key": "insert or replace into records select kind, record_key, parent, x'7b7d', signature from records"
    " limit 1",
    "records by rowid": "insert or replace into records (rowid, kind, record_key, parent, body, signature)"
    " select rowid, 'account', 'zed', parent, body, signature from records limit 1",
    "logs by key": "insert or replace into reflective_log_stage0 select log_id, created_at, source, query_id,"
    " query_text_hash, qcp_summary, agents_invoked, agent_outputs, council_votes, final_answer, 0.01, repair_loops,"
    " cache_hit, sem_snapshot_hash, runtime_metrics, system_version, signature from reflective_log_stage0 limit 1",
    "logs by rowid": "insert or replace into reflective_log_stage0 (rowid, log_id, created_at, source, query_id,"
    " query_text_hash, qcp_summary, agents_invoked, agent_outputs, council_votes, final_answer, final_confidence,"
    " repair_loops, cache_hit, sem_snapshot_hash, runtime_metrics, system_version, signature)"
    " select rowid, 'other', created_at, source, query_id, query_text_hash, qcp_summary, agents_invoked, agent_outputs,"
    " council_votes, final_answer, 0.01, repair_loops, cache_hit, sem_snapshot_hash, runtime_metrics, system_version,"
    " signature from reflective_log_stage0 limit 1",
    "history by key": "insert or replace into sem_history select fact_key, version, x'30', key_ref, source, actor,"
    " written_at, value_hash, applied, deleted, stream from sem_history limit 1",
    "history by rowid": "insert or replace into sem_history (rowid, fact_key, version, content, key_ref, source, actor,"
    " written_at, value_hash, applied, deleted, stream) select rowid, 'world/fact/x/y', 7, content, key_ref, source,"
    " actor, written_at, value_hash, applied, deleted, stream from sem_history limit 1",
    "registry": "insert or replace into key_registry select slot, 'mallory' from key_registry limit 1",
    "blobs by key": "insert or replace into vault_blobs select ref, key_ref, x'00' from vault_blobs limit 1",
    "blobs by rowid": "insert or replace into vault_blobs (rowid, ref, key_ref, sealed)"
    " select rowid, 'other', key_ref, sealed from vault_blobs limit 1",
}


def _fill(mace: Mace) -> None:
    mace.write_reflective_log(log_payload("one"))
    mace.raise_for(mace.sem_put(KEY, "green", "system"))
    mace.raise_for(mace.sem_put("user/profile/user_ana/food", "soup", "user", user_id="ana"))
    mace.ask("what is 2+2", user_id="ana")


@pytest.fixture
def filled(place: places.Place) -> places.Place:
    with place.open() as mace:
        _fill(mace)
    return place


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_nothing_is_put_in_the_place_of_an_immutable_row(mace_home: places.SqlitePlace, name: str):
    with mace_home.open() as mace:
        _fill(mace)
    before = mace_home.content()
    with mace_home.sql(keep_triggers=True) as sql:
        table = REPLACEMENTS[name].split(" into ")[1].split()[0]
        assert sql(f"select count(*) from {table}")[0][0], "there must be a row to replace"
        with pytest.raises(apsw.ConstraintError, match="the row exists"):
            sql(REPLACEMENTS[name])
    assert mace_home.content() == before


def test_a_sealed_part_that_is_put_again_stays_the_first(filled: places.Place):
    with filled.open() as mace:
        store = mace._parts.world.store
        ref, key_ref, sealed = store.read(lambda tx: tx.vault.scan_blobs())[0]
        store.write(lambda tx: tx.vault.put_blob(ref, key_ref, b"other"))
        assert store.read(lambda tx: tx.vault.blob(ref)) == (key_ref, sealed)


@pytest.mark.parametrize("statement", ["update vault_blobs set ref = ref || 'x'", "delete from vault_blobs"])
def test_sealed_parts_are_neither_changed_nor_deleted(filled: places.Place, statement: str):
    with filled.sql(keep_triggers=True) as sql, pytest.raises(REFUSED, match="vault_blobs is append-only"):
        sql(statement)


def test_no_event_stands_before_the_first(filled: places.Place):
    with filled.sql(keep_triggers=True) as sql, pytest.raises(REFUSED, match=r"position 0|events_from_zero"):
        sql(
            "insert into events select -1, stream, sequence_index + 1, event_id, event_type, body, hash, 'k1:00'"
            " from events where stream = 'system' order by sequence_index desc limit 1"
        )


def _swallow(place: places.Place, table: str, when: str = "insert", condition: str = "true") -> None:
    with place.sql(keep_triggers=True) as sql:
        if place.kind == "sqlite":
            sql(f"create trigger quiet before {when} on {table} when {condition} begin select raise(ignore); end")
        else:
            sql("create function quiet() returns trigger language plpgsql as 'begin return null; end'")
            sql(
                f"create trigger quiet before {when} on {table} for each row when ({condition})"
                " execute function quiet()"
            )


WRITES: dict[str, Callable[[Mace], Any]] = {
    "events": lambda mace: mace.sem_put(KEY, "black", "system"),
    "event_subjects": lambda mace: mace.accounts.create("eve", ["viewer"]),
    "sem_history": lambda mace: mace.sem_put(KEY, "black", "system"),
    "facts": lambda mace: mace.sem_put(KEY, "black", "system"),
    "records": lambda mace: mace.amend(mace.recent_logs(1)[0]["log_id"], "ana", {"note": "x"}, "note"),
    "reflective_log_stage0": lambda mace: mace.write_reflective_log(log_payload("two")),
    "vault_blobs": lambda mace: mace.ask("what is 2+3", user_id="ana"),
    "vault_keys": lambda mace: mace.sem_put("user/profile/user_bob/food", "soup", "user", user_id="bob"),
}


@pytest.mark.parametrize("table", WRITES)
def test_a_row_that_the_database_swallows_is_not_acknowledged(filled: places.Place, table: str):
    with filled.sql(keep_triggers=True) as sql:
        before = sql(f"select count(*) from {table}")
    with filled.open() as mace:
        _swallow(filled, table)
        try:
            answer = WRITES[table](mace)
        except MaceError as error:
            answer = {"error": error.code}
        assert answer["error"], answer
        assert answer.get("success") is not True
    with filled.sql(keep_triggers=True) as sql:
        assert sql(f"select count(*) from {table}") == before


def test_an_index_row_that_a_rule_swallows_is_not_acknowledged(databases: services.Databases, tmp_path: Path):
    place = places.PostgresPlace(tmp_path, databases)
    with place.open() as mace:
        with place.sql() as sql:
            before = sql("select count(*) from events")
            sql("create rule quiet as on insert to event_subjects do instead nothing")
        with pytest.raises(IntegrityFailure, match="did not keep"):
            mace.accounts.create("eve", ["viewer"])
        with place.sql() as sql:
            assert sql("select count(*) from events") == before


def test_an_index_that_is_built_again_is_whole_or_not_built(filled: places.Place):
    with filled.open() as mace:
        _swallow(filled, "event_subjects")
        store = mace._parts.world.store
        with pytest.raises(IntegrityFailure, match="did not keep"):
            store.write(lambda tx: tx.subjects.add_all([("account/eve", 1), ("account/eve", 2)]))


def test_a_revocation_that_the_database_swallows_is_not_acknowledged(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.accounts.create("ann", ["viewer"])
        token = mace.accounts.issue_token("ann")
        _swallow(mace_home, "records", condition="new.kind = 'token_revoked'")
        with pytest.raises(IntegrityFailure, match="did not keep"):
            mace.accounts.revoke_token("ann", token["token_id"])


def test_an_erasure_that_the_database_swallows_is_not_acknowledged(filled: places.Place):
    with filled.open() as mace:
        _swallow(filled, "vault_keys", "delete")
        store = mace._parts.world.store
        (ref, *_), *_ = store.read(lambda tx: tx.vault.scan_keys())
        with pytest.raises(IntegrityFailure, match="did not keep"):
            store.write(lambda tx: tx.vault.drop_key(ref))


def _remove(file: Path) -> None:
    file.unlink()


def _move(file: Path) -> None:
    file.rename(file.with_name("elsewhere.db"))


def _replace(file: Path) -> None:
    copy = file.with_name("copy.db")
    copy.write_bytes(file.read_bytes())
    copy.rename(file)


@pytest.mark.parametrize("attack", [_remove, _move, _replace])
def test_nothing_is_saved_to_a_file_that_is_not_there_any_more(
    mace_home: places.SqlitePlace, attack: Callable[[Path], None]
):
    with mace_home.open() as mace:
        mace.raise_for(mace.sem_put(KEY, "green", "system"))
        attack(mace_home.file)
        for _ in range(2):
            answer = mace.sem_put(KEY, "black", "system")
            assert (answer["success"], answer["applied"], answer["error_code"]) == (False, False, "SEM_WRITE_FAIL")
            assert "removed or replaced" in str(answer["error"]["developer_message"])
        with pytest.raises(ServiceUnavailable, match="removed or replaced"):
            mace.write_reflective_log(log_payload("two"))


def test_what_was_queued_while_the_file_was_elsewhere_is_written_once(mace_home: places.SqlitePlace):
    elsewhere = mace_home.file.with_name("elsewhere.db")
    with mace_home.open() as mace:
        mace.raise_for(mace.sem_put(KEY, "green", "system"))
        before = mace.describe()["events"]
        mace_home.file.rename(elsewhere)
        answers = [mace.sem_put(KEY, value, "system") for value in ("black", "white")]
        assert [(answer["success"], answer["queued"]) for answer in answers] == [(False, True)] * 2
        elsewhere.rename(mace_home.file)
        with mace_home.sql(keep_triggers=True) as sql:
            assert sql("select count(*) from events") == [(before,)]  # nothing reached the file that was moved
        mace.raise_for(mace.sem_put("world/fact/tea/origin", "China", "system"))  # brings in what waited
        assert [item["applied"] for item in mace.modules.retry_queued()] == [True, True]
        assert [item["value"] for item in mace.sem_history(KEY)] == ["green", "black", "white"]
        assert mace.verify()["ok"]


@pytest.mark.breaks_its_store
def test_a_database_that_does_not_list_a_step_says_so(filled: places.Place):
    with filled.sql(keep_triggers=True) as sql:
        sql("delete from schema_steps where number = 3")
    for read_only in (True, False):
        with pytest.raises(IntegrityFailure, match=r"does not list step 0003.*restore a backup"):
            filled.open(read_only=read_only)


@pytest.mark.breaks_its_store
def test_a_database_that_does_not_list_its_last_step_says_so(filled: places.Place):
    with filled.sql(keep_triggers=True) as sql:
        sql("delete from schema_steps where number = (select max(number) from schema_steps)")
    with pytest.raises(IntegrityFailure, match=r"do not fit its own list of steps.*restore a backup"):
        filled.open()
    with pytest.raises(PreconditionFailed, match="older than this version"):
        filled.open(read_only=True)


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("attack", ["delete from schema_steps", "drop table schema_steps"])
def test_a_database_without_its_list_of_steps_says_so(filled: places.Place, attack: str):
    with filled.sql(keep_triggers=True) as sql:
        sql(attack)
    for read_only in (True, False):
        with pytest.raises(IntegrityFailure, match=r"list of steps is empty.*restore a backup"):
            filled.open(read_only=read_only)


def test_a_list_of_steps_that_is_no_text_says_so(mace_home: places.SqlitePlace):
    mace_home.open().close()
    with mace_home.sql(keep_triggers=True) as sql:
        sql("update schema_steps set name = cast(x'ff' as text) where number = 3")
    for read_only in (True, False):
        with pytest.raises(IntegrityFailure, match=r"list of steps cannot be read.*restore a backup"):
            mace_home.open(read_only=read_only)
