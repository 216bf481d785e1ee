"""Running jobs and the processes that hold them: two real processes, one stopped, killed or with a wrong clock."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

import places
from mace.core import seeds
from mace.engine.kernel.holding import is_lost
from mace.engine.runtime import Mace
from mace.providers import heart
from mace.providers.frozen import FrozenClock
from mace.providers.ports import Process
from mace.providers.processes import Processes
from mace.storage.ports import HolderRow

BEAT_S = 0.7
_HOLDS = """
import json, sys
from mace import wiring
from mace.agent import Evidence, Reply
from mace.providers import heart
from mace.settings import Settings

said = json.loads(sys.argv[1])
heart.BEAT_S = said.pop("beat_s")

def waits(task):
    print("asked", flush=True)
    sys.stdin.readline()
    return Reply(text="at last", evidence=(Evidence(kind="operation", ref="waiting", text="at last"),))

with wiring.open_mace(settings=Settings(**said), agents={"generic_agent": waits}) as m:
    answer = m.ask("Blorp the quux", "ana", "held")
    print(json.dumps([answer["answer"], answer["error"] and answer["error"]["error_code"]]), flush=True)
"""


@contextmanager
def holder(place: places.Place) -> Iterator[subprocess.Popen[str]]:
    """Another process in the middle of a question."""
    with place.open():
        pass  # the store is there
    held = place.settings
    said = {
        "location": held.location,
        "checkpoint_dir": held.checkpoint_dir,
        "checkpoint_interval_ms": 0,
        "agent_timeout_ms": 120_000,
        "spill_bytes": held.spill_bytes,
        "beat_s": BEAT_S,
    }
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, json.dumps(said)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None and child.stdout.readline() == "asked\n"
        yield child
    finally:
        child.kill()
        child.wait()


def ends(child: subprocess.Popen[str]) -> list[str | None]:
    """Let the question be answered; what its process was told."""
    assert child.stdin is not None and child.stdout is not None
    child.stdin.close()
    told: list[str | None] = json.loads(child.stdout.read().splitlines()[-1])
    return told


def status(m: Mace) -> str:
    return m.jobs.list()["items"][0]["status"]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heart, "BEAT_S", BEAT_S)


def test_a_living_job_is_nobodys_to_give_up_whatever_the_clock_says(place: places.Place):
    with holder(place) as child:
        for year in (1999, 2099):
            with place.open(clock=FrozenClock(datetime(year, 1, 1, tzinfo=UTC))) as m:
                assert (m.sweep()["abandoned_jobs"], status(m)) == (0, "running")
        time.sleep(5 * BEAT_S)  # longer than a holder may be silent: its heart goes on beating
        with place.open() as m:
            assert m.sweep()["abandoned_jobs"] == 0
            assert ends(child) == ["at last", None]
            assert status(m) == "closed"
            assert m.replay(seeds.job_id("held"))["result"] in ("MATCH", "REPLAY_DIVERGENCE")  # its agent is not ours
            assert m.verify()["ok"]


def test_a_stopped_process_loses_its_job_and_cannot_end_it_afterwards(place: places.Place):
    with holder(place) as child, place.open() as m:
        assert m.sweep()["abandoned_jobs"] == 0
        child.send_signal(signal.SIGSTOP)
        while m.sweep()["abandoned_jobs"] == 0:  # ends when the beats stopped coming
            time.sleep(0.1)
        assert status(m) == "abandoned"
        child.send_signal(signal.SIGCONT)
        assert ends(child) == [None, "CONFLICT"]
        types = [event["event_type"] for event in m.events(seeds.job_id("held"))]
        assert types == ["JOB_OPENED", "JOB_ABANDONED"]
        assert (status(m), m.verify()["ok"]) == ("abandoned", True)
        assert m.sem_put("world/fact/x/definition", "y", "system", job_seed="held")["success"]  # joined again


def test_a_killed_process_loses_its_job_at_once(place: places.Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(heart, "BEAT_S", 1_000_000.0)  # its silence would not be noticed
    with holder(place) as child, place.open() as m:
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert (m.sweep()["abandoned_jobs"], status(m)) == (1, "abandoned")
        told = m.replay(seeds.job_id("held"))
        assert (told["result"], told["incident_id"]) == ("MISSING_PERSISTED_AGENT_OUTPUT", None)


def test_a_job_that_could_not_be_ended_is_given_up_by_its_own_process(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        with mace_home.sql(keep_triggers=True) as sql:
            refuse = "begin select raise(abort, 'no'); end"
            sql(f"create trigger refused before insert on reflective_log_stage0 {refuse}")
        assert m.ask("12 + 30")["answer"] is None
        with mace_home.sql(keep_triggers=True) as sql:
            sql("drop trigger refused")
            assert sql("select status from jobs") == [("running",)]
        assert status(m) == "abandoned"  # shown so at once, and on the record with the next sweep
        assert (m.sweep()["abandoned_jobs"], status(m)) == (1, "abandoned")


ROW = HolderRow("h", "m/b/p", 7, "1", "clock", 100.0)


@pytest.mark.parametrize(
    ("row", "clock", "now", "gone", "lost"),
    [
        (None, "clock", 100.0, False, True),  # nobody knows it
        (ROW, "clock", 100.0, False, False),
        (ROW, "clock", 115.0, False, False),  # three beats to the instant
        (ROW, "clock", 115.1, False, True),
        (ROW, "clock", 50.0, False, False),  # later than now: it beat after we looked
        (ROW, "clock", 100.0, True, True),
        (ROW, "another", 100.0, False, True),  # the machine was started anew
    ],
)
def test_when_a_holder_is_lost(row: HolderRow | None, clock: str, now: float, gone: bool, lost: bool):
    assert is_lost(row, clock, now, 5.0, gone=gone) is lost


def test_processes_are_seen_on_this_machine_only():
    processes = Processes()
    me = processes.me()
    machine, boot, space = me.place.split("/")
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    assert not processes.is_gone(me)
    assert processes.is_gone(me._replace(pid=child.pid))
    assert processes.is_gone(me._replace(started="0"))  # the number was used again
    assert processes.is_gone(me._replace(place=f"{machine}/earlier/{space}"))
    assert not processes.is_gone(Process(f"elsewhere/{boot}/{space}", child.pid, "0"))
    assert not processes.is_gone(Process(f"{machine}/{boot}/another", child.pid, "0"))
