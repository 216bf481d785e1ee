"""Jobs through the command line: a program runs in a process of its own, is killed, listed, shown, resumed, cancelled.

The program's file is what a user would have: it is performed by a script, and named to `mace jobs resume --program`.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import places
from mace.interfaces.cli import main

ERRAND = '''
import os
import signal
import sys
import time
from pathlib import Path

import mace

HERE = Path(__file__).parent


def made(name):
    with (HERE / "made.txt").open("a") as file:
        file.write(name + "\\n")


def trouble(name):
    """What the test wants to happen in this call, once."""
    wish = HERE / f"{name}.wish"
    if wish.exists():
        wanted = wish.read_text()
        if wanted == "die":
            wish.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        while wish.exists():
            time.sleep(0.02)


def look(request):
    made("look")
    trouble("look")
    return {"found": request["what"]}


def note(request):
    made("note")
    trouble("note")
    return request


def send(request):
    made("send")
    trouble("send")
    return {"sent": True}


@mace.program("errand", version="3")
def errand(job, input):
    found = job.call("look", {"what": input["item"]}, look, idempotent=True)
    with job.branch("side") as side:
        side.call("note", {"n": 1}, note)
    sent = job.call("send", {"item": found["found"]}, send)
    return job.answer(f"sent {found['found']}", evidence=[sent])


@mace.program("asks")
def asks(job, input):
    said = job.ask_person(input, wait_ms=60_000)
    return job.answer(f"they said {said}")


if __name__ == "__main__":
    with mace.open(sys.argv[1], programs=[errand, asks]) as m:
        answer = m.perform(sys.argv[2], __import__("json").loads(sys.argv[3]), user_id="ana", job_seed=sys.argv[4])
        print(answer["job_id"], answer["status"], flush=True)
'''
ON_SQLITE = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
OTHER_VERSION = ERRAND.replace('version="3"', 'version="4"')


class Shop:
    """A store, the program's file, and the command line."""

    def __init__(self, root: Path, place: places.Place, capture: Any) -> None:
        self.root = root
        self.place = place
        self.file = root / "errand.py"
        self.file.write_text(ERRAND)
        self._capture = capture

    def mace(self, *arguments: str) -> tuple[int, Any]:
        self._capture.readouterr()
        code = main([*arguments, "--json"])
        out = self._capture.readouterr().out
        return code, json.loads(out) if out else None

    def said(self, *arguments: str) -> tuple[int, str, str]:
        self._capture.readouterr()
        code = main([*arguments])
        told = self._capture.readouterr()
        return code, told.out.decode(), told.err.decode()

    def start(self, program: str, given: Any, seed: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, str(self.file), self.place.settings.location, program, json.dumps(given), seed]
        return subprocess.Popen(words, cwd=self.root, stdout=subprocess.PIPE)

    def wish(self, call: str, what: str) -> Path:
        wish = self.root / f"{call}.wish"
        wish.write_text(what)
        return wish

    def made(self) -> list[str]:
        file = self.root / "made.txt"
        return file.read_text().split() if file.exists() else []

    def killed(self, call: str, seed: str = "S") -> str:
        """The id of a job whose process was killed in a call."""
        self.wish(call, "die")
        process = self.start("errand", {"item": "tea"}, seed)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        return self.only()

    def only(self) -> str:
        code, page = self.mace("jobs", "list")
        assert code == 0
        [item] = page["items"]
        return str(item["job_id"])

    def until(self, holds: Callable[[], Any]) -> Any:
        for _ in range(3000):
            found = holds()
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError("it never came to that")


@pytest.fixture
def shop(place: places.Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Iterator[Shop]:
    for name in [name for name in os.environ if name.startswith(("MACE_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USER", "ana")
    for name in ("location", "checkpoint_dir"):
        monkeypatch.setenv(f"MACE_{name.upper()}", getattr(place.settings, name))
    monkeypatch.chdir(tmp_path)
    known, path = set(sys.modules), list(sys.path)
    made = Shop(tmp_path, place, capfdbinary)
    assert made.mace("init", "--bare")[0] == 0
    yield made
    sys.path[:] = path
    for name in set(sys.modules) - known:
        if name.startswith("mace_program_") or name == "errand":
            del sys.modules[name]


def calls_of(view: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(call["branch"], call["number"], call["name"], call["state"]) for call in view["calls"]]


@ON_SQLITE
def test_a_job_that_ran_is_listed_shown_replayed_and_its_log_says_whose(shop: Shop):
    process = shop.start("errand", {"item": "tea"}, "S")
    out, _ = process.communicate(timeout=60)
    job, status = out.decode().split()
    assert status == "closed"
    code, view = shop.mace("jobs", "show", job)
    assert code == 0
    assert (view["kind"], view["program"], view["version"], view["status"]) == ("program", "errand", "3", "closed")
    assert (view["person"], view["parent"], view["life"], view["waiting_for"]) == ("user_ana", None, 1, [])
    assert calls_of(view) == [("", 0, "look", "done"), ("", 1, "send", "done"), ("side", 0, "note", "done")]
    assert [call["idempotent"] for call in view["calls"]] == [True, False, False]
    assert len(view["branches"]) == 1 and view["closed_at"] is not None
    assert shop.mace("jobs", "list")[1]["items"] == [view]
    assert shop.mace("jobs", "list", "--kind", "ask")[1]["items"] == []
    assert shop.mace("jobs", "list", "--program", "errand")[1]["items"] == [view]
    assert shop.mace("jobs", "list", "--program", "asks")[1]["items"] == []
    branch = shop.mace("jobs", "show", view["branches"][0])[1]
    assert (branch["parent"], branch["program"], branch["person"]) == (job, "errand", "user_ana")
    assert [call["name"] for call in branch["calls"]] == ["note"]
    code, text, _ = shop.said("jobs", "show", job)
    assert code == 0
    for part in (f"Job {job}  closed", "errand 3", "user_ana", "3 calls, 1 branch", "side", "look", "send", "note"):
        assert part in text
    [log] = shop.mace("log", "show", "--program", "errand", "--person", "ana")[1]["logs"]
    assert (log["log_id"], log["program"], log["version"]) == (view["log_id"], "errand", "3")
    assert log["question"] == '{"item":"tea"}'
    assert shop.mace("log", "show", "--program", "asks")[1]["logs"] == []
    assert "errand 3" in shop.said("log", "show")[1]
    code, text, _ = shop.said("log", "show", log["log_id"])
    assert code == 0
    for part in ("errand 3", "user_ana", '{"item":"tea"}', "call:look", "call 0 of branch side", "call:send"):
        assert part in text
    assert shop.mace("replay", job)[1]["result"] == "NO_PROGRAM"
    assert shop.mace("replay", job, "--program", "errand.py")[1]["result"] == "MATCH"


@pytest.mark.parametrize(
    ("call", "made", "state"),
    [
        ("look", ["look", "look", "note", "send"], "done"),  # declared harmless: made again
        ("send", ["look", "note", "send"], "unknown"),  # nobody knows whether it was sent
    ],
)
def test_a_killed_job_is_resumed_and_no_finished_call_is_made_twice(shop: Shop, call: str, made: list[str], state: str):
    job = shop.killed(call)
    code, answer = shop.mace("jobs", "resume", job, "--program", "errand.py:errand")
    assert shop.made() == made
    view = shop.mace("jobs", "show", job)[1]
    assert {item["name"]: item["state"] for item in view["calls"]}[call] == state
    assert view["life"] == 2
    if state == "done":
        assert (code, answer["status"], answer["text"], answer["resumed"]) == (0, "closed", "sent tea", 1)
    else:
        assert (code, answer["status"], answer["error_code"]) == (1, "failed", "AGENT_ERROR")
        assert [item["error"] for item in view["calls"] if item["name"] == call] == ["unknown_result"]
        assert [item["log_id"] for item in shop.mace("log", "show", "--error")[1]["logs"]] == [view["log_id"]]
    assert shop.mace("replay", job, "--program", "errand")[1]["result"] == "MATCH"
    assert shop.mace("log", "verify", "--as", "auditor")[1]["findings"] == []
    code, over = shop.mace("jobs", "resume", job, "--program", "errand.py")
    assert (code, over["developer_message"]) == (1, f"Conflict: the job is {answer['status']}.")


@ON_SQLITE
def test_a_killed_job_says_how_to_go_on(shop: Shop):
    job = shop.killed("send")
    view = shop.mace("jobs", "show", job)[1]
    assert view["status"] in ("running", "interrupted")  # until somebody has looked for its process
    assert calls_of(view)[-2:] == [("", 1, "send", "started"), ("side", 0, "note", "done")]
    assert shop.mace("sweep")[0] == 0
    assert shop.mace("jobs", "list", "--status", "interrupted")[1]["items"][0]["job_id"] == job
    code, text, hint = shop.said("jobs", "show", job)
    assert (code, "interrupted" in text) == (0, True)
    assert f"mace jobs resume {job} --program" in hint


@ON_SQLITE
def test_jobs_are_chosen_by_the_state_they_are_shown_in(shop: Shop):
    job = shop.killed("send")

    def listed(status: str) -> list[tuple[str, str]]:
        items = shop.mace("jobs", "list", "--status", status)[1]["items"]
        return [(item["job_id"], item["status"]) for item in items]

    for _ in range(2):  # before and after it stands on the record that its process was lost
        assert listed("interrupted") == [(job, "interrupted")]
        for status in ("running", "waiting", "closed", "failed", "cancelled", "abandoned"):
            assert listed(status) == [], status
        assert shop.mace("sweep")[0] == 0


@ON_SQLITE
def test_a_job_that_was_killed_while_it_waited_is_listed_as_interrupted(shop: Shop):
    process = shop.start("asks", "May I?", "S")
    shop.until(lambda: shop.mace("jobs", "list", "--status", "waiting")[1]["items"])
    assert shop.mace("jobs", "list", "--status", "running")[1]["items"] == []
    process.kill()
    process.communicate(timeout=60)
    shop.until(lambda: shop.mace("jobs", "list", "--status", "interrupted")[1]["items"])
    assert shop.mace("jobs", "list", "--status", "waiting")[1]["items"] == []


@ON_SQLITE
@pytest.mark.parametrize("programs", [[], ["--program", "other.py"]])
def test_without_the_recorded_version_a_job_stays_interrupted(shop: Shop, programs: list[str]):
    job = shop.killed("look")
    (shop.root / "other.py").write_text(OTHER_VERSION)
    code, told = shop.mace("jobs", "resume", job, *programs)
    assert (code, told["error_code"]) == (1, "PRECONDITION_FAILED")
    assert "errand" in told["developer_message"] and "3" in told["developer_message"]
    assert shop.mace("jobs", "show", job)[1]["status"] in ("running", "interrupted")
    assert shop.mace("jobs", "resume", job, "--program", "errand.py")[1]["status"] == "closed"


@ON_SQLITE
def test_a_replay_says_how_a_job_stands_that_has_no_end(shop: Shop):
    job = shop.killed("send")
    for status, words in (("interrupted", ["jobs", "resume", job, "--abandon"]), ("abandoned", ["jobs", "list"])):
        code, text, told = shop.said("replay", job, "--program", "errand.py")
        assert (code, "MISSING_PERSISTED_AGENT_OUTPUT" in text) == (1, True)
        assert f"The job is {status}: it has no end that could be compared." in told
        assert "which is running" not in text  # until somebody has looked for its process, the record says so
        assert shop.mace(*words)[0] == 0


@ON_SQLITE
def test_a_replay_without_the_function_says_what_is_missing(shop: Shop):
    shop.start("errand", {"item": "tea"}, "S").communicate(timeout=60)
    code, text, told = shop.said("replay", shop.only())
    assert (code, "NO_PROGRAM" in text) == (1, True)
    assert "the function that the job was performed with is not here" in told and "--program MODULE:NAME" in told
    assert "conflicts with something already done" not in told


@ON_SQLITE
def test_blocks_do_not_fail_a_replay_of_the_last_jobs(shop: Shop):
    import mace

    shop.start("errand", {"item": "tea"}, "S").communicate(timeout=60)
    with mace.open(shop.place.settings.location) as m:
        block = m.record("May it go?", "Yes.")["job_id"]
    code, value = shop.mace("replay", "--last", "2", "--program", "errand.py")
    assert (code, value["matched"], value["checked"]) == (0, 1, 1)
    assert shop.mace("replay", block)[0] == 0
    assert f"CHECKED  {block}" in shop.said("replay", block)[1]
    code, value = shop.mace("replay", "--last", "2")
    assert (code, value["error_code"], value["matched"], value["checked"]) == (1, "CONFLICT", 0, 1)


@ON_SQLITE
def test_a_failed_resume_names_the_call(shop: Shop):
    job = shop.killed("send")
    code, text, _ = shop.said("jobs", "resume", job, "--program", "errand.py")
    assert code == 1
    assert "call send (1) failed: " in text and "(unknown_result)" in text


@ON_SQLITE
def test_a_job_can_be_given_up(shop: Shop):
    job = shop.killed("send")
    code, answer = shop.mace("jobs", "resume", job, "--abandon")
    assert (code, answer["status"]) == (0, "abandoned")
    assert shop.mace("jobs", "show", job)[1]["status"] == "abandoned"
    code, _, told = shop.said("jobs", "resume", job, "--program", "errand.py")
    assert code == 1 and "the job is abandoned" in told
    assert shop.made() == ["look", "note", "send"]


@ON_SQLITE
def test_a_job_that_nobody_plays_is_cancelled_at_once(shop: Shop):
    job = shop.killed("send")
    code, view = shop.mace("jobs", "cancel", job, "--reason", "wrong item")
    assert (code, view["status"]) == (0, "cancelled")
    assert shop.mace("jobs", "list", "--status", "cancelled")[1]["items"][0]["job_id"] == job
    assert shop.mace("jobs", "resume", job, "--program", "errand.py")[0] == 1
    assert shop.mace("log", "verify", "--as", "auditor")[1]["findings"] == []


def test_a_running_job_is_cancelled_from_another_process(shop: Shop):
    wish = shop.wish("look", "wait")
    process = shop.start("errand", {"item": "tea"}, "S")
    shop.until(lambda: "look" in shop.made())
    code, text, _ = shop.said("jobs", "cancel", shop.only())
    assert code == 0 and "stops at its next step" in text
    wish.unlink()
    out, _ = process.communicate(timeout=60)
    job, status = out.decode().split()
    assert status == "cancelled" and shop.made() == ["look"]
    assert shop.mace("jobs", "show", job)[1]["status"] == "cancelled"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["yes"], "they said True"),
        (["No"], "they said False"),
        (["no", "--text"], "they said no"),
        (["later"], "they said later"),
        (['{"n":3}', "--parse"], "they said {'n': 3}"),
    ],
)
def test_a_question_of_a_job_is_answered_from_another_process(shop: Shop, words: list[str], told: str):
    process = shop.start("asks", "May I?", "S")
    view = shop.until(lambda: (shop.mace("jobs", "list", "--status", "waiting")[1]["items"] or [None])[0])
    [question] = view["waiting_for"]
    assert question["text"] == "May I?"
    code, text, hint = shop.said("jobs", "show", view["job_id"])
    assert (code, "May I?" in text) == (0, True)
    for answer in ("yes", "no", "TEXT"):
        assert f"mace jobs answer {view['job_id']} {question['question_id']} {answer}" in hint
    assert shop.mace("jobs", "answer", view["job_id"], question["question_id"], *words)[0] == 0
    out, _ = process.communicate(timeout=60)
    assert out.decode().split()[1] == "closed"
    assert shop.mace("log", "show")[1]["logs"][0]["final_answer"]["answer"] == told


def test_an_answer_is_a_text_or_json_and_not_both(shop: Shop):
    assert shop.said("jobs", "answer", "J", "Q", "no", "--text", "--parse")[0] == 2


@ON_SQLITE
@pytest.mark.parametrize("words", [["show"], ["cancel"], ["resume", "--program", "errand.py"]])
def test_a_job_that_is_not_there_is_not_found(shop: Shop, words: list[str]):
    code, told = shop.mace("jobs", words[0], "no-such-job", *words[1:])
    assert (code, told["error_code"]) == (1, "NOT_FOUND")


@ON_SQLITE
def test_somebody_else_sees_no_job_of_ana(shop: Shop):
    job = shop.killed("send")
    bob = ("--as", "user", "--user", "bob")
    assert shop.mace("jobs", "list", *bob)[1]["items"] == []
    for words in (["show", job], ["cancel", job], ["resume", job, "--program", "errand.py"]):
        code, told = shop.mace("jobs", *words, *bob)
        assert (code, told["error_code"]) == (1, "NOT_FOUND"), words
    assert shop.mace("jobs", "show", job, "--as", "user", "--user", "ana")[0] == 0
