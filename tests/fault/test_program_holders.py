"""One job, one process: one that was stopped and overtaken changes nothing any more; of two that resume one wins."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import places
from fault import killing
from governed import parts_of
from mace import Mace, MaceError
from mace.core.errors import Conflict
from mace.engine.kernel.holding import Holding
from mace.providers import heart
from replay import held_programs, tree_programs

BEAT_S = 0.7
SEED = "held"
ROOT = killing.job_of(SEED)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(heart, "BEAT_S", BEAT_S)
    monkeypatch.setattr(tree_programs, "calls_to", str(tmp_path / "calls"))


class Held:
    """A process in a job."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid

    def hears(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def goes_on(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def told(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.hears())
        return said

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def process(
    place: places.Place, calls: Path, do: str = "perform", where: str = "call", *, waits: bool = True
) -> Iterator[Held]:
    settings = asdict(place.settings)
    said = {"do": do, "where": where, "seed": SEED, "settings": settings, "calls": str(calls), "waits": waits}
    child = Held(
        subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("held.py")), json.dumps({**said, "beat_s": BEAT_S})],
            env=killing.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    )
    try:
        yield child
    finally:
        child.kill()


def ledger(place: places.Place) -> list[tuple[Any, ...]]:
    """Everything that a job leaves in a store."""
    with place.sql(keep_triggers=True) as sql:
        return [
            *sql("select position, stream, sequence_index, signature from events order by position"),
            *sql("select stream, status, holder, life from jobs order by stream"),
            *sql("select ref, key_ref from vault_blobs order by ref"),
        ]


def resumed(m: Mace) -> dict[str, Any]:
    """Take the job up as soon as whoever had it is taken for lost."""
    while True:
        try:
            return dict(m.resume(ROOT))
        except Conflict as error:
            assert str(error) == "the job is running"
            time.sleep(BEAT_S / 5)


@pytest.mark.parametrize("where", ["call", "caught", "branch", "between"])
def test_a_stopped_process_that_was_overtaken_changes_nothing(place: places.Place, tmp_path: Path, where: str):
    place.open().close()
    calls = tmp_path / "calls"
    with process(place, calls, where=where) as old, place.open(programs=[held_programs.held]) as m:
        assert old.hears() == "waiting"
        with pytest.raises(Conflict, match="the job is running"):
            m.resume(ROOT)
        old.signal(signal.SIGSTOP)
        answer = resumed(m)
        assert (answer["status"], answer["resumed"]) == ("closed", 1)
        before = ledger(place)
        old.signal(signal.SIGCONT)
        old.goes_on()
        told = old.told()
        assert (told["status"], told["error"]["error_code"], told["answer"]) == ("interrupted", "CONFLICT", None)
        assert ledger(place) == before
        assert m.verify()["ok"]
        assert m.replay(ROOT)["result"] == "MATCH"
    made = killing.lines(calls)
    late = {"late0 late", "map0 do", "map1 do", "- last"}
    assert {call for pid, call in made if pid == old.pid} & late == set()  # not even tried
    assert sorted(call for pid, call in made if pid == os.getpid() and call in late) == sorted(late)


@pytest.mark.parametrize("where", ["call", "between"])
def test_a_process_that_was_only_taken_for_lost_changes_nothing_either(place: places.Place, tmp_path: Path, where: str):
    """Somebody noticed that its beats stopped, and nobody took the job up yet."""
    place.open().close()
    calls = tmp_path / "calls"
    with process(place, calls, where=where) as old, place.open(programs=[held_programs.held]) as m:
        assert old.hears() == "waiting"
        old.signal(signal.SIGSTOP)
        while m.events(ROOT)[-1]["event_type"] != "JOB_INTERRUPTED":
            time.sleep(BEAT_S / 5)
            m.sweep()
        before = ledger(place)
        old.signal(signal.SIGCONT)
        old.goes_on()
        told = old.told()
        assert (told["status"], told["error"]["error_code"]) == ("interrupted", "CONFLICT")
        assert ledger(place) == before
        answer = m.resume(ROOT)
        assert (answer["status"], answer["resumed"], answer["answer"]) == ("closed", 1, 7 if where == "call" else 6)
        assert m.replay(ROOT)["result"] == "MATCH"


@pytest.mark.parametrize("how", ["goes on", "is told to stop"])
def test_two_processes_that_both_believe_to_have_a_job(place: places.Place, tmp_path: Path, how: str):
    """The older one goes on, or is interrupted at the keyboard, while the younger one is in the middle of it."""
    place.open().close()
    calls = tmp_path / "calls"
    with ExitStack() as both:
        old = both.enter_context(process(place, calls, where="between"))
        assert old.hears() == "waiting"
        old.signal(signal.SIGSTOP)
        time.sleep(BEAT_S * 4)
        new = both.enter_context(process(place, calls, "resume", "between"))
        assert new.hears() == "waiting"
        before = ledger(place)
        if how == "is told to stop":
            old.signal(signal.SIGCONT)
            time.sleep(BEAT_S)  # a signal that meets it stopped may be taken by any of its threads, and wakes nobody
            old.signal(signal.SIGINT)
            assert old.told() == {"refused": "KeyboardInterrupt"}
        else:
            old.signal(signal.SIGCONT)
            old.goes_on()
            assert old.told()["error"]["error_code"] == "CONFLICT"
        assert ledger(place) == before
        new.goes_on()
        answer = new.told()
        assert (answer["status"], answer["resumed"]) == ("closed", 1)
    with place.open(programs=[held_programs.held]) as m:
        assert m.verify()["ok"]
        assert m.replay(ROOT)["result"] == "MATCH"


def killed(place: places.Place, calls: Path) -> None:
    """A job whose process is gone."""
    place.open().close()
    with process(place, calls) as old:
        assert old.hears() == "waiting"
        old.kill()


def assert_one_won(place: places.Place, calls: Path, answers: list[dict[str, Any]]) -> None:
    won = [item for item in answers if "refused" not in item]
    assert [(item["status"], item["resumed"]) for item in won] == [("closed", 1)]
    others = [item for item in answers if "refused" in item]
    assert len(others) == len(answers) - 1
    assert all(item["refused"] == "CONFLICT" for item in others), others
    made = [call for _, call in killing.lines(calls)]
    assert sorted(made) == sorted(set(made))
    with place.open(programs=[held_programs.held]) as m:
        lives = [event for event in m.events(ROOT) if event["event_type"] == "JOB_RESUMED"]
        assert len(lives) == 1
        assert m.verify()["ok"]
        assert m.replay(ROOT)["result"] == "MATCH"


@pytest.mark.parametrize("instances", [1, 2], ids=["of one MACE", "of two"])
def test_two_threads_resume_at_once(place: places.Place, tmp_path: Path, instances: int):
    calls = tmp_path / "calls"
    killed(place, calls)
    answers: list[dict[str, Any]] = []
    together = threading.Barrier(4)
    with ExitStack() as opened:
        maces = [opened.enter_context(place.open(programs=[held_programs.held])) for _ in range(instances)]

        def resume(m: Mace) -> None:
            together.wait()
            try:
                answers.append(dict(m.resume(ROOT)))
            except MaceError as error:
                answers.append({"refused": error.code})

        threads = [threading.Thread(target=resume, args=(maces[number % instances],)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert_one_won(place, calls, answers)


def test_two_processes_resume_at_once(place: places.Place, tmp_path: Path):
    calls = tmp_path / "calls"
    killed(place, calls)
    with ExitStack() as both:
        children = [both.enter_context(process(place, calls, "go", waits=False)) for _ in range(2)]
        assert [child.hears() for child in children] == ["ready", "ready"]
        for child in children:
            child.goes_on()
        answers = [child.told() for child in children]
    assert_one_won(place, calls, answers)


@pytest.mark.parametrize("verb", ["perform", "resume"])
def test_between_its_commit_and_its_first_beat_a_job_is_nobody_elses(
    place: places.Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
):
    """Also not for another thread of the same process, which knows best what that process plays."""
    if verb == "resume":
        killed(place, tmp_path / "calls")
    begin, tried = Holding.begin, []

    with place.open(programs=[held_programs.held]) as m:

        def meanwhile(self: Holding, stream: str) -> None:
            if not tried:
                tried.append(stream)
                with pytest.raises(Conflict, match="the job is running"):
                    m.resume(ROOT)
                m.sweep()
            begin(self, stream)

        monkeypatch.setattr(Holding, "begin", meanwhile)
        answer = m.resume(ROOT) if verb == "resume" else m.perform("held", "call", "ana", SEED)
        assert tried == [ROOT]
        assert (answer["status"], answer["resumed"]) == ("closed", int(verb == "resume"))
        assert "JOB_INTERRUPTED" not in [event["event_type"] for event in m.events(ROOT)]
        assert not parts_of(m).holding._running  # and it beats for nobody in the end
