"""Facts when things break for real: kills, refused and full databases, lost answers, a server that is gone.

Nothing is half written, nothing is reported as saved that is not, and everything that failed is on the record.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

import places
import services
from fact_helpers import COLOR, DONE, OHM, at_noon, full, kept_bytes, refusing, stream_of, types
from mace.core import seeds
from mace.core.errors import ServiceUnavailable
from mace.engine.runtime import Mace
from mace.settings import Settings
from mace.storage.ports import APPEND_BOUNDARIES
from mace.wiring import open_mace


def alerts(mace: Mace) -> list[tuple[str, str]]:
    events = [event["payload"] for event in mace.events("system") if event["event_type"] == "ADMIN_ALERT"]
    return [(payload["code"], payload["severity"]) for payload in events]


# Kills

_WRITER = """
import json, os, signal, sys
from mace.settings import Settings
from mace.wiring import open_mace

settings, boundary, nth = Settings(**json.loads(sys.argv[1])), sys.argv[2], int(sys.argv[3])
hits, armed = 0, False

def hook(name):
    global hits
    if armed and name == boundary:
        hits += 1
        if hits == nth:
            os.kill(os.getpid(), signal.SIGKILL)

mace = open_mace(settings=settings, boundary=hook)
armed = True
for number in range(nth + 1):
    for key in ("user/profile/user_tuff/count", "world/fact/count/value"):
        mace.sem_put(key, number, "system")
        print(key, number, flush=True)
"""


@pytest.mark.parametrize("boundary", APPEND_BOUNDARIES)
def test_a_put_killed_anywhere_is_whole_or_nothing(place: places.Place, boundary: str):
    place.open().close()
    settings = json.dumps(asdict(place.settings))
    command = [sys.executable, "-c", _WRITER, settings, boundary, "3"]
    process = subprocess.run(command, stdout=subprocess.PIPE, timeout=60, check=False)
    assert process.returncode == -signal.SIGKILL
    acknowledged = dict(line.split() for line in process.stdout.decode().splitlines())
    assert acknowledged
    with place.open() as mace:
        for key in ("user/profile/user_tuff/count", "world/fact/count/value"):
            found = mace.sem_get(key)
            history = mace.sem_history(key)
            assert found["value"] == (history[-1]["value"] if history else None)
            if key in acknowledged:
                assert found["value"] >= int(acknowledged[key])
            for row in history:  # each has its event, and verification looks at what the events say
                assert types(mace, row["job_id"]) == ["JOB_OPENED", "SEM_PUT"]
        assert mace.verify()["ok"]


# Answers that get lost


@pytest.mark.parametrize("key", [COLOR, OHM])
@pytest.mark.parametrize("job_seed", [None, "seed-1"])
def test_a_put_whose_answer_got_lost_is_not_written_twice(place: places.Place, key: str, job_seed: str | None):
    """The commit goes through, the word of it does not; the retry finds what it was about to write."""
    left = itertools.count(-1, -1)

    def lose_once(name: str) -> None:
        if armed and name == "after commit" and next(left) == -1:
            raise ServiceUnavailable("the connection is gone")

    armed = False
    with place.open(boundary=lose_once, clock=at_noon()) as mace:
        mace.sem_put(key, "green", "system", job_seed=job_seed)
        armed = True
        assert mace.sem_put(key, "blue", "system", job_seed=job_seed) == DONE
        assert [row["value"] for row in mace.sem_history(key)] == ["green", "blue"]
        assert mace.sem_get(key)["value"] == "blue"
        assert mace.verify()["ok"]


# Refusals of the database


def test_every_attempt_is_on_the_record_and_the_third_failure_in_a_row_is_critical(place: places.Place):
    with place.open(clock=at_noon()) as mace:
        with refusing(place):
            for seed in ("a", "b"):
                assert mace.sem_put(COLOR, "x", "user", job_seed=seed)["error_code"] == "SEM_WRITE_FAIL"
        told = [("SERVICE_UNAVAILABLE", "critical")] * 2
        assert alerts(mace) == told
    with place.open(clock=at_noon()) as mace:  # counting goes on after a restart
        with refusing(place):
            mace.sem_put(COLOR, "x", "user", job_seed="c")
        told += [("SERVICE_UNAVAILABLE", "critical"), ("SEM_WRITE_FAIL", "critical")]
        assert alerts(mace) == told
        assert mace.sem_put(COLOR, "x", "user") == DONE  # and a write that works ends the row
        with refusing(place):
            mace.sem_put(COLOR, "y", "user", job_seed="d")
        assert alerts(mace) == [*told, ("SERVICE_UNAVAILABLE", "critical")]
    with place.open(clock=at_noon()) as mace:
        with refusing(place):
            mace.sem_put(COLOR, "y", "user", job_seed="e")
        assert alerts(mace)[-1] == ("SERVICE_UNAVAILABLE", "critical")
        for seed in "abcde":
            assert types(mace, seeds.job_id(seed))[1:4] == [
                "SERVICE_UNAVAILABLE",
                "RETRY_ATTEMPT",
                "MEMORY_WRITE_FAIL",
            ]
        assert mace.verify()["ok"]


def test_the_retry_saves_what_the_first_attempt_could_not(place: places.Place):
    clock = at_noon()
    with place.open(clock=clock) as mace:
        refusal = refusing(place)
        refusal.__enter__()
        pause = clock.pause_ms

        def repair(milliseconds: int) -> None:
            pause(milliseconds)
            refusal.__exit__(None, None, None)

        clock.pause_ms = repair  # type: ignore[method-assign]
        assert mace.sem_put(COLOR, "blue", "user", job_seed="seed-1") == DONE
        assert mace.sem_get(COLOR)["value"] == "blue"
        told = ["JOB_OPENED", "SERVICE_UNAVAILABLE", "RETRY_ATTEMPT", "SEM_PUT"]
        assert types(mace, seeds.job_id("seed-1")) == told
        assert mace.verify()["ok"]


def test_a_refused_row_of_any_table_stores_nothing_of_a_put(place: places.Place):
    tables = ("facts", "sem_history", "vault_keys", "key_registry", "idempotency")
    with place.open(clock=at_noon()) as mace:
        for number, table in enumerate(tables):
            key = f"user/profile/user_u{number}/color"
            with refusing(place, table):
                answer = mace.sem_put(key, "blue", "user", user_id=f"u{number}", idempotency_key=table)
            assert answer["error_code"] == "SEM_WRITE_FAIL", table
            assert mace.sem_history(key) == []
            assert mace.sem_get(key)["exists"] is False
            assert mace.sem_put(key, "blue", "user", user_id=f"u{number}", idempotency_key=table) == DONE
        assert mace.verify()["ok"]


def test_events_that_cannot_be_stored_wait_in_the_spill_file(place: places.Place):
    """The database takes no event at all: what happened is kept beside it and comes in when it can."""
    with place.open(clock=at_noon()) as mace:
        with refusing(place, "events"):
            answer = mace.sem_put(COLOR, "Lapislazuli", "user", job_seed="seed-1")
            assert answer["error_code"] == "SEM_WRITE_FAIL"
            blocked = mace.sem_put(COLOR, "123-45-6789", "user", job_seed="seed-2")
            assert blocked["error_code"] == "PRIVACY_BLOCKED"
            assert mace.describe()["spilled_waiting"] > 0
        kept = kept_bytes(place)
        assert b"Lapislazuli" not in kept  # what waits is sealed
        assert b"123-45-6789" not in kept
        assert mace.sem_put(OHM, "V = I R", "system") == DONE
        assert mace.describe()["spilled_waiting"] == 0
        assert [name for name in types(mace, seeds.job_id("seed-1")) if name != "WRITE_QUEUED"] == [
            "JOB_OPENED",
            "SERVICE_UNAVAILABLE",
            "RETRY_ATTEMPT",
            "MEMORY_WRITE_FAIL",
        ]
        assert types(mace, seeds.job_id("seed-2")) == ["JOB_OPENED", "PII_FLAGGED", "PRIVACY_BLOCKED"]
        assert ("SERVICE_UNAVAILABLE", "critical") in alerts(mace)
        assert mace.sem_get(COLOR)["exists"] is False
        assert mace.verify()["ok"]
        (retried,) = mace.modules.retry_queued()
        assert (retried["key"], retried["applied"]) == (COLOR, True)
        assert mace.sem_get(COLOR)["value"] == "Lapislazuli"


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["PERMISSION_DENIED"] * 2, []),
        (["PERMISSION_DENIED"] * 3, [("PERMISSION_DENIED", "warning")]),
        (["PERMISSION_DENIED"] * 6, [("PERMISSION_DENIED", "warning")] * 2),
        (["INVALID_INPUT"] * 5, []),
        (["PERMISSION_DENIED", "PRIVACY_BLOCKED"] * 2, []),
    ],
)
def test_refusals_alert_on_the_third_in_ten_minutes(
    mace_home: places.SqlitePlace, codes: list[str], expected: list[tuple[str, str]]
):
    calls: dict[str, Callable[[Mace], Any]] = {
        "PERMISSION_DENIED": lambda mace: mace.sem_put(OHM, "x", "user"),
        "INVALID_INPUT": lambda mace: mace.sem_put(OHM, "x", None),
        "PRIVACY_BLOCKED": lambda mace: mace.sem_put(OHM, "123-45-6789", "system"),
    }
    for code in codes:  # each in a process of its own, as commands are
        with mace_home.open(clock=at_noon()) as mace:
            assert calls[code](mace)["error_code"] == code
    with mace_home.open(clock=at_noon()) as mace:
        assert alerts(mace) == expected


def test_refusals_far_apart_do_not_alert(mace_home: places.SqlitePlace):
    clock = at_noon()
    with mace_home.open(clock=clock) as mace:
        for _ in range(4):
            mace.sem_put(OHM, "x", "user")
            clock.at += timedelta(minutes=6)
        assert alerts(mace) == []


# A full disk


def test_a_full_store_still_reads_and_recovers(place: places.Place):
    with place.open(clock=at_noon()) as mace:
        mace.sem_put(COLOR, "blue", "user")
        with full(place, mace):
            answers = [mace.sem_put(f"world/fact/n{at}/value", "x" * 16_000, "system") for at in range(3)]
            assert {answer["error_code"] for answer in answers} == {"STORAGE_FULL"}
            assert mace.sem_get(COLOR)["value"] == "blue"
            assert mace.sem_get("world/fact/n0/value")["exists"] is False
        assert mace.sem_list("world", "system_admin") == []
        assert mace.sem_put(OHM, "V = I R", "system") == DONE
        for answer in answers:
            assert types(mace, stream_of(answer)) == ["JOB_OPENED", "STORAGE_FULL"]
        assert alerts(mace) == [("STORAGE_FULL", "critical")] * 3
        assert mace.verify()["ok"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own that holds four megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "mace-test", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        services.cannot_run("facts on a full disk", "a tmpfs cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path):
    settings = Settings(
        location=str(small_disk / "mace"),
        checkpoint_dir=str(tmp_path / "checkpoints"),
        checkpoint_interval_ms=0,
        spill_bytes=64 * 1024,
    )
    with open_mace(settings=settings, clock=at_noon()) as mace:
        mace.sem_put(COLOR, "blue", "user")
        ballast = small_disk / "ballast"
        stored = 0
        with ballast.open("wb") as file:
            while os.statvfs(small_disk).f_bavail > 20:
                file.write(b"\0" * 65536)
                file.flush()
        for number in range(400):
            answer = mace.sem_put(f"world/fact/n{number}/value", "x" * 4000, "system")
            if answer["error_code"]:
                break
            stored += 1
        assert answer["error_code"] == "STORAGE_FULL"
        assert answer["user_message"] == "My memory is full right now; I can’t store new information."
        assert mace.sem_get(COLOR)["value"] == "blue"
        ballast.unlink()
        assert mace.sem_put(OHM, "V = I R", "system") == DONE
        assert len(mace.sem_list("world/fact", "system_admin")) == stored + 1
        assert types(mace, stream_of(answer)) == ["JOB_OPENED", "STORAGE_FULL"]
        assert mace.verify()["ok"]


# Somebody else in the way


def test_another_process_that_holds_the_database_too_long(mace_home: places.SqlitePlace):
    mace_home.settings = replace(mace_home.settings, busy_timeout_ms=20)
    with mace_home.open(clock=at_noon()) as mace:
        mace.sem_put(COLOR, "green", "user")
        other = apsw.Connection(str(mace_home.file))
        other.execute("begin immediate")
        answer = mace.sem_put(COLOR, "blue", "user")
        assert answer["error_code"] == "SEM_WRITE_FAIL"
        assert mace.sem_get(COLOR)["value"] == "green"  # readers are not in the way
        other.execute("rollback")
        assert mace.sem_put(COLOR, "blue", "user") == DONE
        assert "MEMORY_WRITE_FAIL" in types(mace, stream_of(answer))


# A server that is gone


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[services.OwnServer]:
    if os.environ.get(services.URL_VARIABLE):
        services.cannot_run("facts while PostgreSQL is down", "the server named by the environment is not ours to stop")
    folder = tmp_path_factory.mktemp("server")
    for parent in (folder, *folder.parents):
        if parent.owner() == folder.owner() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)  # the server's own user must get through
    server = services.OwnServer(folder)
    server.create()
    yield server
    if server.is_running():
        server.stop("immediate")


def test_a_server_that_goes_away_and_comes_back(own_server: services.OwnServer, tmp_path: Path):
    settings = Settings(
        location=own_server.url,
        checkpoint_dir=str(tmp_path / "state" / "checkpoints"),
        checkpoint_interval_ms=0,
        spill_bytes=64 * 1024,
        postgres_connect_timeout_s=1,
    )
    with open_mace(settings=settings) as mace:
        assert mace.sem_put(COLOR, "green", "user") == DONE
        own_server.stop("immediate")
        answer = mace.sem_put(COLOR, "blue", "user", job_seed="seed-1")
        assert (answer["error_code"], answer["user_message"]) == (
            "SEM_WRITE_FAIL",
            "I tried to save that but my memory failed. I might not remember this next time.",
        )
        found = mace.sem_get(COLOR)
        assert (found["exists"], found["value"], found["error_code"]) == (False, None, "DATA_UNAVAILABLE")
        assert found["error"]["status"] == 503
        with pytest.raises(ServiceUnavailable):  # a list, or nothing that could be taken for one
            mace.sem_list("user", "system_admin")
        own_server.start()
        assert mace.sem_list("user", "system_admin") == [COLOR]
        assert mace.sem_put(OHM, "V = I R", "system") == DONE
        assert mace.sem_get(COLOR)["value"] == "green"
        assert [name for name in types(mace, seeds.job_id("seed-1")) if name != "WRITE_QUEUED"] == [
            "JOB_OPENED",
            "SERVICE_UNAVAILABLE",
            "RETRY_ATTEMPT",
            "MEMORY_WRITE_FAIL",
        ]
        assert [item["key"] for item in mace.modules.queued_writes()] == [COLOR]
        assert mace.verify()["ok"]


def test_a_server_that_is_gone_before_the_first_verb(own_server: services.OwnServer, tmp_path: Path):
    settings = Settings(
        location=own_server.url,
        checkpoint_dir=str(tmp_path / "state" / "checkpoints"),
        checkpoint_interval_ms=0,
        spill_bytes=64 * 1024,
        postgres_connect_timeout_s=1,
        keys_file=str(tmp_path / "keys.json"),
    )
    other = services.database_url(own_server.url, "first_verb")
    with psycopg.connect(own_server.url, autocommit=True) as connection:
        connection.execute("create database first_verb")
    with open_mace(settings=replace(settings, location=other)) as mace:
        own_server.stop("immediate")
        try:
            assert mace.sem_put(COLOR, "blue", "user")["error_code"] == "SEM_WRITE_FAIL"
            assert mace.sem_delete(COLOR, "user")["error_code"] == "SEM_WRITE_FAIL"
            assert mace.sem_put(COLOR, "123-45-6789", "user")["error_code"] == "SEM_WRITE_FAIL"  # who consented?
            assert mace.sem_get(COLOR)["error_code"] == "DATA_UNAVAILABLE"
        finally:
            own_server.start()
        assert mace.sem_put(COLOR, "green", "user") == DONE
        assert len(mace.modules.queued_writes()) == 1  # what was flagged waits nowhere
        assert mace.verify()["ok"]
