"""A write that failed says whether it waits; what goes on in the background goes on after an error."""

import json
import re
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from fact_helpers import refusing
from mace.core.errors import ServiceUnavailable
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS
from mace.providers.background import Background
from mace.wiring.checkpoints import Checkpointer


@pytest.mark.parametrize(("puts", "size"), [(160, 8000), (100, 16000)])
def test_every_answer_says_whether_the_write_is_queued(place: places.Place, puts: int, size: int):
    place.settings = replace(place.settings, spill_bytes=1 << 20)
    with place.open() as mace:
        mace._parts.world.clock.pause_ms = lambda _: None  # type: ignore[method-assign]
        with refusing(place):
            answers = [mace.sem_put(f"world/fact/bulk/k{at}", "x" * size, "system") for at in range(puts)]
        assert {answer["error_code"] for answer in answers} == {"SEM_WRITE_FAIL"}
        assert all(answer["error"]["meta"]["queued"] is answer["queued"] for answer in answers)
        said = [f"world/fact/bulk/k{at}" for at, answer in enumerate(answers) if answer["queued"]]
        assert 0 < len(said) < puts
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))  # brings in what waited
        assert sorted(item["key"] for item in mace.modules.queued_writes()) == sorted(said)
        assert all(item["applied"] for item in mace.modules.retry_queued())
        kept = {key for key in (f"world/fact/bulk/k{at}" for at in range(puts)) if mace.sem_get(key)["exists"]}
        assert kept == set(said)


def test_what_has_no_room_in_the_spill_file_is_told_to_the_log(place: places.Place, caplog: pytest.LogCaptureFixture):
    place.settings = replace(place.settings, spill_bytes=4096)
    with place.open() as mace:
        mace._parts.world.clock.pause_ms = lambda _: None  # type: ignore[method-assign]
        with refusing(place):
            answer = mace.sem_put("world/fact/tea/colour", "Lapislazuli" * 400, "system")
        assert answer["queued"] is False
    assert "WRITE_QUEUED could not be kept in the spill file" in caplog.text
    assert "Lapis" not in caplog.text


def test_a_closed_store_and_a_full_one_queue_nothing(mace_home: places.SqlitePlace):
    mace_home.open().close()
    with mace_home.open(read_only=True) as mace:
        assert mace.sem_put("world/fact/tea/colour", "green", "system")["queued"] is False


@pytest.mark.parametrize("was_there", [True, False])
def test_what_waited_is_erased_with_its_fact_also_if_that_is_written_again(place: places.Place, was_there: bool):
    key = "user/profile/user_ana/favorite_color"

    def put(value: str) -> Any:
        return mace.sem_put(key, value, "user", user_id="ana")

    with place.open() as mace:
        mace._parts.world.clock.pause_ms = lambda _: None  # type: ignore[method-assign]
        governed.with_forensic_key(mace)
        if was_there:
            mace.raise_for(put("red"))
        with refusing(place, "sem_history"):
            assert put("Lapislazuli")["queued"] is True
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))  # brings in what waited
        assert len(mace.modules.queued_writes()) == 1
        governed.erase(mace, "user_ana")
        assert mace.verify()["findings"] == []
        mace.raise_for(put("blue"))
        assert mace.verify()["findings"] == []
        with refusing(place, "sem_history"):
            assert put("yellow")["queued"] is True
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "black", "system"))
        assert len(mace.modules.queued_writes()) == 1  # what was erased waits no longer
    with place.open() as mace:
        [later] = mace.modules.retry_queued()
        assert (later["error_code"], later["applied"]) == (None, True)
        assert mace.modules.queued_writes() == []
        assert mace.sem_get(key)["value"] == "yellow"
        assert mace.verify()["findings"] == []
    with place.sql() as sql:
        sql("update vault_blobs set sealed = ? where ref = ?", (bytes(80), f"queued/{later['queued_id']}"))
    with place.open() as mace:  # what was taken in after the erasure was not erased by it
        (found,) = mace.verify()["findings"]
        assert (found["kind"], found["where"]["ref"]) == ("RECORD_CHANGED", f"queued/{later['queued_id']}")


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), MemoryError(), ValueError("?")])
def test_background_work_goes_on_after_any_error(error: Exception):
    done = threading.Event()
    calls: list[int] = []

    def soon() -> None:
        calls.append(1)
        if len(calls) == 1:
            work.wake()
            raise error
        done.set()

    work = Background(soon, lambda about: None, settle_s=60, interval_s=0, first_s=60)
    work.wake()
    try:
        assert done.wait(10)
    finally:
        work.stop()


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), MemoryError()])
def test_checkpoints_go_on_after_any_error(
    mace_home: places.SqlitePlace, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    """The thread meets an error at every step that it takes, once, and publishes in the end."""
    with mace_home.open() as mace:
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))
        published, swept = threading.Event(), threading.Event()

        def failing_once(then: Callable[[], None]) -> Callable[[Mace], None]:
            failed: list[int] = []

            def run(_: Mace) -> None:
                if not failed:
                    failed.append(1)
                    raise error
                then()

            return run

        monkeypatch.setattr(Mace, "checkpoint", failing_once(published.set))
        monkeypatch.setattr(Mace, "sweep", failing_once(swept.set))
        timer = Checkpointer(5)
        timer.start(mace, mace._parts.world)
        timer._published = -1
        try:
            assert published.wait(10)
            assert swept.wait(10)
        finally:
            timer.stop()


WITHOUT_DESCRIPTORS = """
import os, resource, sys
import mace
from mace.core.errors import ServiceUnavailable

m = mace.open(sys.argv[1])
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
said = []
for call in (
    lambda: m.ask("what is 2+2", user_id="ana"),
    lambda: m.sem_get("world/fact/tea/colour"),
    lambda: m.sem_put("world/fact/tea/colour", "green", "system"),
):
    try:
        call()
        said.append("answered")
    except ServiceUnavailable:
        said.append("unavailable")
for descriptor in held:
    os.close(descriptor)
assert m.sem_put("world/fact/tea/colour", "green", "system")["success"], said
assert m.sem_get("world/fact/tea/colour")["value"] == "green"
assert m.ask("what is 2+2", user_id="ana")["error"] is None
m.close()
print(" ".join(said))
"""


def test_without_free_descriptors_verbs_answer_or_say_that_they_cannot(mace_home: places.SqlitePlace, tmp_path: Path):
    mace_home.open().close()
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DESCRIPTORS, mace_home.settings.location],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
        env={"PYTHONPATH": ":".join(sys.path), "MACE_CHECKPOINT_DIR": str(tmp_path / "notes"), "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) <= {"answered", "unavailable"}


EVERY_VERB = """
import io, json, os, sys
import mace
from mace.core.errors import MaceError
from mace.engine.verbs import VERBS


class Words(dict):
    def __missing__(self, name):  # the id of something
        return "1" * 36


m = mace.open(sys.argv[1])
token = sys.argv[2]
given = {"m": m, "token": token, "answer": Words(), "open": lambda *_: ["{}"], "file": io.BytesIO(), "payload": {}}
examples = {row.name: row.example for row in VERBS if not row.planned}
examples |= {name: f"m.{name}" for name in sys.argv[3].split()}
examples |= {"authenticate": "m.authenticate(token)", "owner": "m.owner('ana')", "user": "m.on_behalf_of('ana')"}
examples |= {"view": "m.acting_as(m.caller).accounts.list()"}
examples |= {"role": "m.acting_as(m.owner(roles=['viewer'])).events('x')"}
calls = {name: compile(text.removeprefix("await "), name, "exec") for name, text in examples.items()}
for name in sys.argv[4:]:
    getattr(m, name)
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
said = {}
for name, call in calls.items():
    try:
        exec(call, {}, Words(given))
    except MaceError as error:
        said[name] = error.code
    except BaseException as error:
        said[name] = repr(error)
    else:
        said[name] = "answered"
for descriptor in held:
    os.close(descriptor)
assert m.sem_put("world/fact/tea/colour", "green", "system")["success"], said
assert m.authenticate(token).name == "ana"
assert [item["name"] for item in m.accounts.list()] == ["ana"]
assert m.experience.rules() == []
assert m.ask("what is 2+2", user_id="ana")["error"] is None
m.close()
print(json.dumps(said))
"""
GROUPS = "accounts approvals experience forensics incidents jobs modules"


@pytest.mark.parametrize("used", ["", GROUPS], ids=["no group was used before", "every group was"])
def test_without_free_descriptors_no_verb_raises_what_is_not_maces(
    mace_home: places.SqlitePlace, tmp_path: Path, used: str
):
    with mace_home.open() as mace:
        mace.accounts.create("ana", ["viewer"])
        token = mace.accounts.issue_token("ana")["token"]
    done = subprocess.run(
        [sys.executable, "-c", EVERY_VERB, mace_home.settings.location, token, GROUPS, *used.split()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
        env={"PYTHONPATH": ":".join(sys.path), "MACE_CHECKPOINT_DIR": str(tmp_path / "notes"), "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said.keys() >= {row.name for row in VERBS if not row.planned} | {"authenticate", "owner", *GROUPS.split()}
    assert {name: word for name, word in said.items() if not re.fullmatch("answered|[A-Z_]+", word)} == {}
    assert {said[name] for name in GROUPS.split()} == {"answered" if used else "SERVICE_UNAVAILABLE"}


def test_a_spill_file_that_is_a_folder_is_said_so(mace_home: places.SqlitePlace):
    mace_home.open().close()
    (mace_home.folder / "spill.bin").unlink()
    (mace_home.folder / "spill.bin").mkdir()
    with pytest.raises(ServiceUnavailable, match=r"cannot use the spill file .*: Is a directory"):
        mace_home.open()
