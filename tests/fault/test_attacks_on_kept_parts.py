"""Sealed parts and rows of jobs, changed, exchanged, deleted or added in the database: each is found, by its name."""

from pathlib import Path
from typing import Any

import pytest

import places
from attacks import changed
from governed import House, erase, owned, parts_of
from mace import wiring
from mace.core.errors import LogInvalid
from mace.engine.ledger.kept_parts import KeptParts
from mace.engine.runtime import Mace
from replay.test_corpus import FILES, unpacked
from replay.test_kept_parts import says_too_much

AGENTS = {"creative_agent": says_too_much}
pytestmark = pytest.mark.breaks_its_store


def found(m: Mace) -> list[tuple[str, dict[str, Any]]]:
    world, vault = parts_of(m).world, parts_of(m).vault
    return [(item.kind, item.where) for item in KeptParts(world.store, world.keys, vault).findings()]


def unnamed(m: Mace) -> list[tuple[str, str]]:
    world, vault = parts_of(m).world, parts_of(m).vault
    return [(table, key) for table, key, _ in KeptParts(world.store, world.keys, vault).unnamed()]


def filled(place: places.Place, root: Path) -> House:
    """A store with a part of every kind."""
    house = House(root, place=place, embedded=True)
    house.close()
    m = house.m = owned(place.open(agents=AGENTS, clock=house.clock, entropy=house.entropy))
    house.account("ann", "operator")
    m.ask("My name is Ana", "ana")
    m.ask("What is my favorite food?", "ana")
    m.ask("Write a poem", "ana")
    m.sem_put("world/fact/x/definition", "y", "system", job_seed="joined")
    m.ask("12 + 30", "bob", "joined")
    m.ask("12 + 31", "eve")
    m.grant_consent("ana", "Keep my address.")
    with pytest.raises(LogInvalid):
        m.write_reflective_log({"log_id": "nonsense"})
    proof = m.accounts.issue_identity_proof("ana")["proof"]
    assert m.request_dsr("ana", "export", proof)["success"]
    m.forensics.set_key(house.box.generate()[1])
    erase(m, "eve")
    return house


def test_a_whole_store_has_nothing_to_find(place: places.Place, tmp_path: Path):
    house = filled(place, tmp_path)
    assert found(house.m) == [] and unnamed(house.m) == []
    with place.sql(keep_triggers=True) as sql:
        kinds = {row[0].partition("/")[0] for row in sql("select ref from vault_blobs")}
    assert kinds >= {"input", "effect", "output", "verdict", "result", "expects", "artifact"}
    assert kinds >= {"consent", "quarantine", "second_factor", "export", "forensic"}
    house.close()


def test_every_part_deleted_changed_and_exchanged(place: places.Place, tmp_path: Path):
    house = filled(place, tmp_path)
    store, vault = house.g.world.store, house.g.vault
    with place.sql() as sql:
        rows = sql("select ref, key_ref, sealed from vault_blobs order by ref")
        erased = [row[0] for row in rows if store.read(lambda tx, row=row: tx.vault.key(row[1])) is None]
        kinds: dict[str, list[Any]] = {}
        for row in rows:
            if row[0] not in erased:
                kinds.setdefault(row[0].partition("/")[0], []).append(row)
        assert erased and vault
        for first, *_ in kinds.values():
            ref, key_ref, sealed = first[0], first[1], bytes(first[2])
            other = next(row for row in rows if row[0] != ref)
            sql("delete from vault_blobs where ref = ?", (ref,))
            assert [("RECORD_MISSING", ref)] == [(kind, where["ref"]) for kind, where in found(house.m)], ref
            for broken_key, broken in ((key_ref, changed(sealed)), (other[1], bytes(other[2])), (key_ref, b"")):
                sql("delete from vault_blobs where ref = ?", (ref,))
                sql("insert into vault_blobs (ref, key_ref, sealed) values (?, ?, ?)", (ref, broken_key, broken))
                assert [("RECORD_CHANGED", ref)] == [(kind, where["ref"]) for kind, where in found(house.m)], ref
            sql("delete from vault_blobs where ref = ?", (ref,))
            sql("insert into vault_blobs (ref, key_ref, sealed) values (?, ?, ?)", (ref, key_ref, sealed))
        assert found(house.m) == []
    house.close()


def test_rows_that_nothing_names(place: places.Place, tmp_path: Path):
    house = filled(place, tmp_path)
    with place.sql() as sql:
        [(key_ref, sealed)] = sql(
            "select key_ref, sealed from vault_blobs where ref like 'input/%' order by ref limit 1"
        )
        job = key_ref.removeprefix("job/")
        for ref in ("consent/nobodys", f"output/77/{job}", f"artifact/{job}/{'0' * 64}", "stray", f"result/{job}x"):
            sql("insert into vault_blobs (ref, key_ref, sealed) values (?, ?, ?)", (ref, key_ref, bytes(sealed)))
            assert found(house.m) == [("ROW_UNNAMED", {"table": "vault_blobs", "ref": ref})]
            assert unnamed(house.m) == [("vault_blobs", ref)]
            sql("delete from vault_blobs where ref = ?", (ref,))
        insert = "insert into jobs (stream, kind, status, opened_at, person, log_id) values (?, ?, ?, ?, ?, ?)"
        sql(insert, ("a job of nobody", "ask", "closed", "2026-01-01T00:00:00.000Z", "user_ana", "l"))
        assert found(house.m) == [("ROW_UNNAMED", {"table": "jobs", "stream": "a job of nobody"})]
    house.close()


def test_rows_of_jobs(place: places.Place, tmp_path: Path):
    house = filled(place, tmp_path)
    with place.sql() as sql:
        stream = sql("select stream from jobs where person = 'user_bob'")[0][0]
        for column in ("kind", "status", "opened_at", "person", "log_id"):
            [(before,)] = sql(f"select {column} from jobs where stream = ?", (stream,))
            sql(f"update jobs set {column} = ? where stream = ?", (f"{before}x", stream))
            assert found(house.m) == [("RECORD_CHANGED", {"table": "jobs", "stream": stream})]
            sql(f"update jobs set {column} = ? where stream = ?", (before, stream))
        assert found(house.m) == []
        sql("update jobs set stream = 'another' where stream = ?", (stream,))
        assert found(house.m) == [
            ("RECORD_MISSING", {"table": "jobs", "stream": stream}),
            ("ROW_UNNAMED", {"table": "jobs", "stream": "another"}),
        ]
    house.close()


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_stores_of_earlier_commits(file: Path, tmp_path: Path):
    _, settings = unpacked(file, tmp_path)
    with wiring.open_mace(settings=settings) as m:
        assert found(m) == []
