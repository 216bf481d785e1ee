"""Erasure reaches what waits, what runs, what lies in logs and caches, and nobody comes back through any of it.

Each test plants a word, erases, and looks for the word in every row (sealed ones opened with the node's own keys) and
in every file of the place.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

import governed
import payloads
import places
from mace.core import canon
from mace.core.errors import Conflict, NotFound, ServiceUnavailable
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from mace.providers.models.port import ModelAnswer, ModelRequest
from mace.wiring import canary_files

pytestmark = [pytest.mark.stage1, pytest.mark.critical]

DIARY = "user/profile/user_bob/diary"
CITY = "user/profile/user_bob/city"
WORD = "zanzibarquokka"


class Engine:
    """A language engine that answers with one text, after it did what it was told to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.then: Callable[[], object] = lambda: None

    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        self.then()
        return ModelAnswer(self.text, 1, 1, "test", "test", "stop", 1)


def traces(m: Mace, *words: str) -> list[str]:
    """Where the words stand in the rows of a MACE, sealed or not."""
    found = governed.owned(m).forensics.search(list(words or (WORD,)), purpose="test")["findings"]
    return [f"{item['where']} {item['form']} sealed={item['sealed']} {item['person']}" for item in found]


def in_files(place: places.Place, *words: str) -> list[str]:
    """In which files of a place the words stand."""
    roots = [place.folder, Path(place.settings.checkpoint_dir).parent]
    needles = canary_files.Needles(list(words or (WORD,)))
    return [
        str(path) for root in roots for path in root.rglob("*") if path.is_file() and needles.find(path.read_bytes())
    ]


@contextmanager
def failing(m: Mace) -> Iterator[None]:
    """The store takes no write."""
    store = m._parts.world.store

    def down(_unit: Any) -> Any:
        raise ServiceUnavailable("down")

    store.write = down  # type: ignore[method-assign]
    try:
        yield
    finally:
        del store.write  # type: ignore[method-assign]


def request(m: Mace, keys: list[str] | None = None, user: str = "bob") -> str:
    m = governed.owned(m)
    proof = m.accounts.issue_identity_proof(user)["proof"]
    asked = m.request_dsr(user, "delete", proof, keys)
    assert asked["request_id"] is not None
    return asked["request_id"]


def approve(m: Mace, request_id: str) -> Any:
    done = governed.owned(m).vote(request_id, "owner", "approve")
    assert done["status"] == "approved"
    return done["result"]


# What waits


@pytest.mark.parametrize("keys", [None, [DIARY]], ids=["person", "one fact"])
@pytest.mark.parametrize("taken_in", [True, False], ids=["in the store", "in the spill file"])
def test_what_was_erased_while_it_waited_waits_no_longer(place: places.Place, keys: list[str] | None, taken_in: bool):
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(CITY, "gdynia", "user")
        with failing(m):
            assert m.sem_put(DIARY, f"dear {WORD}", "user")["error"]["meta"]["queued"]
            assert m.sem_put("user/profile/user_eve/diary", "mine", "user")["error"]["meta"]["queued"]
        if taken_in:
            m._parts.spilling.merge()
            assert [item["key"] for item in m.modules.queued_writes()] == [DIARY, "user/profile/user_eve/diary"]
        approve(m, request(m, keys))
        assert [item["key"] for item in m.modules.queued_writes()] == ["user/profile/user_eve/diary"]
        assert [item["key"] for item in m.modules.retry_queued()] == ["user/profile/user_eve/diary"]
        assert m.verify()["ok"]


@pytest.mark.parametrize("keys", [None, [DIARY]], ids=["person", "one fact"])
def test_nobody_comes_back_through_another_process_s_spill_file(place: places.Place, keys: list[str] | None):
    with place.open() as m1, place.open() as m2:
        governed.with_forensic_key(m1)
        m1.sem_put(CITY, "gdynia", "user")
        with failing(m1):
            answer = m1.sem_put(DIARY, f"dear {WORD}", "user")
        assert answer["error"]["meta"]["queued"]
        assert traces(m1), "it waits in the spill file"
        result = approve(m2, request(m2, keys))
        assert traces(m2) == []
        m1.sem_put("user/profile/user_eve/city", "oslo", "user")
        assert [item["applied"] for item in m1.modules.retry_queued()] in ([], [False])
        assert not m1.sem_get(DIARY)["exists"]
        assert traces(m1) == []
        assert result["receipt"]["format"] == "mace-deletion-receipt/2"
        assert m1.verify()["ok"]
    assert in_files(place) == []


def test_what_was_queued_before_a_manifest_and_arrives_after_it_is_dropped(place: places.Place):
    """As from another node, whose spill file nobody else can merge."""
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(CITY, "gdynia", "user")
        with failing(m):
            m.sem_put(DIARY, f"dear {WORD}", "user")
        entries = m._parts.world.spill.entries()
        m._parts.world.spill.clear(entries)
        approve(m, request(m))
        for entry in entries:
            m._parts.world.spill.add(entry)
        m._parts.spilling.merge()
        assert m.modules.queued_writes() == []
        assert m.modules.retry_queued() == []
        assert not m.sem_get(DIARY)["exists"]
        assert traces(m) == []
        held = m._parts.world.store.read(lambda tx: tx.vault.keys_under("person/user_bob"))
        assert held == [], "no fresh key was made for it"
        assert m.verify()["findings"] == []


def test_a_retry_that_meets_an_erasure_writes_nothing(place: places.Place):
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(CITY, "gdynia", "user")
        with failing(m):
            m.sem_put(DIARY, f"dear {WORD}", "user")
        m._parts.spilling.merge()
        asked = request(m)
        queued = m._parts.queued
        put = queued._facts.put

        def late(*args: Any, **options: Any) -> Any:
            approve(m, asked)
            return put(*args, **options)

        queued._facts.put = late  # type: ignore[method-assign]
        outcome = m.modules.retry_queued()
        assert [(item["applied"], item["error_code"]) for item in outcome] == [(False, "CONFLICT")]
        assert traces(m) == []
        assert m.verify()["ok"]


def test_a_second_try_of_a_write_does_not_undo_an_erasure_in_between(place: places.Place):
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(CITY, "gdynia", "user")
        asked = request(m)
        store = m._parts.world.store
        write = store.write
        tries: list[int] = []

        def once_down(unit: Any) -> Any:
            if getattr(unit, "__qualname__", "").startswith("FactVerbs.put."):
                tries.append(1)
                if len(tries) == 1:

                    def fails(tx: Any) -> None:
                        unit(tx)
                        raise ServiceUnavailable("down")

                    try:
                        write(fails)
                    finally:
                        approve(m, asked)
            return write(unit)

        store.write = once_down  # type: ignore[method-assign]
        answer = m.sem_put(DIARY, f"dear {WORD}", "user")
        del store.write  # type: ignore[method-assign]
        assert len(tries) == 2
        assert (answer["success"], answer["error_code"]) == (False, "CONFLICT")
        assert traces(m) == []


# What runs


@pytest.mark.parametrize("keys", [None, [CITY]], ids=["person", "one fact"])
def test_a_question_that_runs_while_its_person_is_erased_leaves_nothing(place: places.Place, keys: list[str] | None):
    engine = Engine(f"A poem about {WORD}.")
    with place.open(language=engine) as m:
        governed.with_forensic_key(m)
        m.sem_put(CITY, "gdynia", "user")
        asked = request(m, keys)
        engine.then = lambda: approve(m, asked)
        answer = m.ask(f"write a poem about the {WORD}", user_id="bob", job_seed="running")
        assert answer["error"]["error_code"] == "CONFLICT"
        assert answer["answer"] is None
        job = answer["job_id"]
        assert [item["status"] for item in m.jobs.list()["items"]] == ["abandoned"]
        assert m.replay(job)["result"] == "INPUT_ERASED"
        assert traces(m) == []
        engine.then = lambda: None
        assert m.ask("write a poem", user_id="bob", job_seed="running")["error"]["error_code"] == "CONFLICT"
        late = m.experience.write(
            {"space": "shell", "entity": "env:x", "content": WORD, "state": "accept"},
            "solver",
            user_id="bob",
            job_seed="running",
        )
        assert late["error_code"] == "CONFLICT"
        assert traces(m) == []
        assert m.verify()["ok"]
    assert in_files(place) == []


# What lies in logs of the store


def wrapped(m: Mace, *prefixes: str) -> list[bytes]:
    found = m._parts.world.store.read(lambda tx: tx.vault.scan_keys())
    return [row[2] for row in found if row[0].startswith(prefixes)]


def test_wrapped_keys_are_wiped_when_the_last_reader_is_gone(mace_home: places.SqlitePlace):
    place = mace_home
    with place.open() as m:
        m.sem_put(DIARY, f"dear {WORD}", "user")
        secrets = wrapped(m, "fact/", "person/")
        assert len(secrets) == 2

        def left() -> bool:
            files = [place.file, *place.folder.glob("mace.db-*")]
            return any(secret in path.read_bytes() for path in files for secret in secrets)

        reader = apsw.Connection(str(place.file))
        reader.execute("begin")
        reader.execute("select count(*) from events").fetchall()
        asked = request(m)
        approve(m, asked)
        assert left(), "the reader keeps them in the write-ahead log"
        assert m.dsr(asked)["status"] == "clearing"
        receipt = m.dsr(asked)["receipt"]
        assert receipt is not None
        assert "old_bytes" in [item["what"] for item in receipt["stays"]]
        assert m.sweep()["erasures_cleared"] is False
        alerts = [event for event in m.events("system") if event["event_type"] == "ADMIN_ALERT"]
        assert [alert["payload"]["about"] for alert in alerts] == ["ERASURE"], "told once"
        reader.execute("rollback")
        m.sem_put("user/profile/user_eve/city", "oslo", "user")
        assert m.dsr(asked)["status"] == "completed", "the next commit wiped them"
        assert not left()
        assert [event["payload"] for event in m.events("system") if event["event_type"] == "ERASURE_CLEARED"] == [
            {"dsr_id": asked}
        ]
        assert m.sweep()["erasures_cleared"] is True
        assert m.verify()["ok"]
        reader.close()


@pytest.mark.parametrize("by", ["sweep", "close", "opening"])
def test_wiping_is_tried_again(mace_home: places.SqlitePlace, by: str):
    place = mace_home
    m = place.open()
    m.sem_put(DIARY, "x", "user")
    reader = apsw.Connection(str(place.file))
    reader.execute("begin")
    reader.execute("select count(*) from events").fetchall()
    asked = request(m)
    approve(m, asked)
    assert m.dsr(asked)["status"] == "clearing"
    if by == "opening":
        m.close()
        with place.open(read_only=True) as looking:
            assert looking.dsr(asked)["status"] == "clearing"
    reader.execute("rollback")
    reader.close()
    if by == "sweep":
        assert m.sweep()["erasures_cleared"] is True
        assert m.dsr(asked)["status"] == "completed"
    m.close()
    with place.open() as again:
        assert again.dsr(asked)["status"] == "completed"
        assert again.verify()["ok"]


def test_on_postgres_an_older_transaction_keeps_old_rows_and_that_is_said(tmp_path: Path, databases: Any):
    import psycopg

    place = places.PostgresPlace(tmp_path, databases)
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(DIARY, "x", "user")
        asked = request(m)
        with psycopg.connect(place.settings.location) as reader:
            reader.execute("set transaction isolation level repeatable read")
            reader.execute("select count(*) from events").fetchall()
            approve(m, asked)
            assert governed.owned(m).dsr(asked)["status"] == "clearing"
            reader.rollback()
        assert m.sweep()["erasures_cleared"] is True
        assert governed.owned(m).dsr(asked)["status"] == "completed"
        assert m.verify()["ok"]


# The papers


def test_a_partial_erasure_names_what_it_did_not_touch(place: places.Place):
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(CITY, "gdynia", "user")
        m.sem_put(DIARY, "rain", "user")
        m.grant_consent("bob", "keep my city", "persistent", expires_at="2035-01-01T00:00:00Z")
        m.ask("what is 2+2", user_id="bob")
        megram = {"space": "shell", "entity": "env:x", "state": "accept"}
        m.experience.write({**megram, "content": "he lives in Gdynia"}, "solver", user_id="bob")
        m.experience.write({**megram, "content": "he is tall"}, "solver", user_id="bob")
        result = approve(m, request(m, [CITY]))
        assert result["manifest"]["not_touched"] == {"consents": 1, "facts": 1, "jobs": 2}
        assert result["manifest"]["keys_requested"] == [CITY]
        counted = {item["what"]: item["count"] for item in result["receipt"]["stays"] if "count" in item}
        assert counted == {"consents": 1, "facts": 1, "jobs": 2}
        assert {item["what"]: item["count"] for item in result["receipt"]["gone"]} == {"facts": 1, "jobs": 1}
        assert all(item["why"] for item in result["receipt"]["stays"])
        assert "gdynia" not in canon.dumps(result).decode().casefold()
        assert {where for where in traces(m, "gdynia") if "consent" not in where} == set()


def test_imported_experience_goes_with_the_fact_it_quotes_or_by_its_name(tmp_path: Path):
    house = governed.House(tmp_path / "one")
    megram = {"space": "shell", "entity": "env:x", "state": "accept"}
    for words in (f"he lives in {WORD}", "he is tall"):
        house.m.experience.write({**megram, "content": words}, "solver", user_id="bob")
    lines = list(house.m.experience.export())
    house.close()
    other = governed.House(tmp_path / "two", entropy="two")
    m = other.m
    m.sem_put(CITY, WORD, "user")
    head, *rest = lines
    for line in rest:  # each in an import, and so under a key, of its own
        m.experience.import_lines([head, line])
    ids = {canon.loads(line)["content"]: canon.loads(line)["id"] for line in rest}
    first = approve(m, request(m, [CITY]))
    assert [ref.split("/")[0] for ref in first["manifest"]["keys_removed"]] == ["experience", "fact"]
    assert first["manifest"]["not_touched"] == {"experience": 1}
    assert traces(m) == []
    second = approve(m, request(m, [f"experience/{ids['he is tall']}"]))
    assert [ref.split("/")[0] for ref in second["manifest"]["keys_removed"]] == ["experience"]
    assert traces(m, "he is tall") == []
    assert m.verify()["ok"]
    other.close()


def test_facts_about_the_world_can_be_named(place: places.Place):
    key = "world/person/bob_smith/birthplace"
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(key, WORD, "system_admin")
        m.sem_put(CITY, "gdynia", "user")
        result = approve(m, request(m, [CITY, key]))
        assert not m.sem_get(key)["exists"]
        stays = {item["what"]: item.get("count") for item in result["receipt"]["stays"]}
        assert stays["unsealed_facts"] == 1
        assert m.verify()["ok"]


def test_a_restore_is_seen_and_what_was_restored_is_not_purged(tmp_path: Path):
    house = governed.House(tmp_path)
    private, public = house.box.generate()
    house.g.forensics.set_key(public, "owner")
    m = house.m
    m.sem_put(DIARY, "rain", "user")
    asked = request(m)
    approve(m, asked)
    assert m.dsr(asked)["status"] == "completed"
    assert m.dsr(asked)["restored"] is None
    purge = m.forensics.request_purge(asked)
    m.forensics.restore(asked, private, purpose="an error")
    held = m.dsr(asked)
    assert held["status"] == "restored"
    assert held["restored"] is not None
    assert held["restored"]["facts"] == [DIARY]
    with pytest.raises(Conflict):
        m.forensics.request_purge(asked)
    with pytest.raises(Conflict):
        m.vote(purge["request_id"], "owner", "approve")
    assert m.sem_get(DIARY)["value"] == "rain"
    assert not any(event["event_type"] == "FORENSIC_PURGED" for event in m.events("system"))
    house.close()


# What is nobody's


def test_a_job_of_nobody_is_erased_by_its_id(place: places.Place):
    with place.open(language=Engine(f"A poem about {WORD}.")) as m:
        governed.with_forensic_key(m)
        job = m.ask(f"write a poem about the {WORD}")["job_id"]
        other = m.ask("what is 2+2")["job_id"]
        theirs = m.ask("what is 2+2", user_id="bob")["job_id"]
        m.experience.write(
            {"space": "shell", "entity": "env:x", "content": f"so {WORD}", "state": "accept"},
            "solver",
            job_seed="lived",
        )
        owned = governed.owned(m)
        with pytest.raises(NotFound):
            owned.jobs.request_erasure([theirs])
        with pytest.raises(NotFound):
            owned.jobs.request_erasure([job, "0" * 32])
        asked = owned.jobs.request_erasure([job, _stream("lived")])
        assert asked["status"] == "awaiting approval"
        assert m.replay(job)["result"] == "MATCH"
        result = approve(m, str(asked["request_id"]))
        assert result["manifest"]["jobs"] == sorted([job, _stream("lived")])
        assert m.replay(job)["result"] == "INPUT_ERASED"
        assert m.replay(other)["result"] == "MATCH"
        assert m.replay(theirs)["result"] == "MATCH"
        assert traces(m) == []
        assert owned.dsr(str(asked["dsr_id"]))["status"] == "completed"
        assert m.verify()["ok"]
    with place.open() as again:
        assert again.verify()["ok"]
        assert traces(again) == []


def _stream(seed: str) -> str:
    from mace.core import seeds

    return seeds.job_id(seed)


def test_jobs_of_nobody_are_erased_when_their_time_is_over(mace_home: places.SqlitePlace):
    mace_home.settings = replace(mace_home.settings, anonymous_retention_days=30)
    clock = FrozenClock(governed.START)
    with mace_home.open(clock=clock, language=Engine(f"A poem about {WORD}.")) as m:
        old = m.ask(f"write a poem about the {WORD}")["job_id"]
        theirs = m.ask("what is 2+2", user_id="bob")["job_id"]
        assert m.sweep()["erased_jobs"] == 0
        clock.move(days=29)
        new = m.ask("what is 3+3")["job_id"]
        assert m.sweep()["erased_jobs"] == 0
        assert m.replay(old)["result"] == "MATCH"
        clock.move(days=1)
        assert m.sweep()["erased_jobs"] == 1
        assert [m.replay(job)["result"] for job in (old, new, theirs)] == ["INPUT_ERASED", "MATCH", "MATCH"]
        assert traces(m) == []
        clock.move(days=29)
        assert m.sweep()["erased_jobs"] == 1
        assert m.replay(new)["result"] == "INPUT_ERASED"
        assert m.verify()["ok"]


def test_without_a_retention_period_nothing_is_too_old(mace_home: places.SqlitePlace):
    clock = FrozenClock(governed.START)
    with mace_home.open(clock=clock) as m:
        job = m.ask("what is 2+2")["job_id"]
        clock.move(days=10_000)
        assert m.sweep()["erased_jobs"] == 0
        assert m.replay(job)["result"] == "MATCH"


@pytest.mark.breaks_its_store
def test_a_key_of_nobody_s_job_that_is_put_back_opens_nothing(place: places.Place):
    with place.open() as m:
        governed.with_forensic_key(m)
        job = m.ask("what is 2+2")["job_id"]
        owned = governed.owned(m)
        held = next(row for row in m._parts.world.store.read(lambda tx: tx.vault.scan_keys()) if row[0] == f"job/{job}")
        approve(m, str(owned.jobs.request_erasure([job])["request_id"]))
    with place.open() as m:
        m._parts.world.store.write(lambda tx: tx.vault.add_key(*held))
        assert m.replay(job)["result"] == "INTEGRITY_FAILURE"
        assert [item["kind"] for item in m.verify()["findings"]] == ["KEY_RETURNED"]


# Caches


@pytest.mark.parametrize(("scorer", "files"), [("phase6-v1", 1), ("phase7-v1", 2)])
def test_indexes_of_context_stores_hold_no_words_and_go_with_an_erasure(
    mace_home: places.SqlitePlace, tmp_path: Path, scorer: str, files: int
):
    cache = tmp_path / "cache"
    mace_home.settings = replace(mace_home.settings, context_cache_dir=str(cache))
    store = tmp_path / "notes.jsonl"
    store.write_text("".join(f'{{"memory_id": "m{n}", "text": "note {n} about {WORD}"}}\n' for n in range(50)))
    raw = cache / ("0" * 40)
    raw.mkdir(parents=True)
    (raw / "1-0.index").write_bytes(WORD.encode())
    ask: dict[str, object] = {"query": WORD, "store_paths": [str(store)], "budget": {"max_excerpt_tokens": 100}}
    ask["controller_version"] = scorer  # one has an index of words, the other one of talks as well
    needles = canary_files.Needles([WORD])

    def indexes() -> list[Path]:
        return sorted(cache.rglob("*.index"))

    def words() -> list[Path]:
        return [path for path in cache.rglob("*") if path.is_file() and needles.find(path.read_bytes())]

    with mace_home.open() as m:
        first = m.memory_read(ask)
        assert first["selection"]["selected"]
        assert not raw.exists(), "indexes of before are removed"
        assert len(indexes()) == files
        assert words() == []
    with mace_home.open() as m:
        before = indexes()
        assert m.memory_read(ask)["package_hash"] == first["package_hash"]
        assert indexes() == before, "the index was read, not built again"
        m.sem_put(DIARY, "rain", "user")
        approve(m, request(m))
        assert indexes() == []
    with mace_home.open() as m:
        m.memory_read(ask)
        assert indexes()
    store.unlink()
    other = tmp_path / "other.jsonl"
    other.write_text('{"memory_id": "a", "text": "something else"}\n')
    with mace_home.open() as m:
        m.memory_read({**ask, "store_paths": [str(other)]})
        assert len(indexes()) == files, "the index of a store that is gone goes too"


def test_a_log_of_nobody_is_erased_by_the_job_that_it_names(place: places.Place):
    with place.open() as m:
        governed.with_forensic_key(m)
        log_id = m.write_reflective_log(payloads.log_payload(final_answer=f"dear {WORD}"))
        [recent] = m.recent_logs()
        assert recent["job_id"] == m.read_reflective_log(log_id)["job_id"]
        assert recent["job_id"] == governed.owned(m).forensics.read_log(log_id, purpose="test")["job_id"]
        asked = governed.owned(m).jobs.request_erasure([recent["job_id"]])["request_id"]
        assert asked is not None
        approve(m, asked)
        assert traces(m) == []
        assert m.read_reflective_log(log_id)["final_answer"] == {"redaction_reason": "ERASED"}
        assert m.verify()["ok"]
