"""Chapter: anybody's own agent. It runs, is killed and taken up again; a lie is caught, a person erased, all replayed.

The agent is a file of its own (`support_agent.py`, copied into the folder of the demo) and runs as a process of its
own, so that the kill is a real one. Each of its tools writes a line to `outside.txt` when it is really called.
"""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw

from mace.core import seeds
from mace.interfaces.cli.demo.stage import Chapter, Stage, Step

_FILE = "support.py"
_ASKED = {"ana": "Where is parcel A-1042? My email is ana.reyes@mail.example", "bo": "Where is parcel B-7?"}
_JOB = {name: seeds.job_id(f"demo-{name}") for name in _ASKED}
_WITH = ("--program", _FILE)
_WAIT_S = 60


def _outside(stage: Stage) -> list[str]:
    """The tools that were really called, in their order."""
    file = stage.folder / "outside.txt"
    return file.read_text("utf-8").split() if file.exists() else []


def _started(stage: Stage, name: str) -> "subprocess.Popen[bytes]":
    """The agent as a process of its own."""
    import mace

    environ = {**stage.environ, "PYTHONPATH": str(Path(mace.__file__).resolve().parents[1])}
    return subprocess.Popen(  # noqa: S603
        [sys.executable, _FILE, _ASKED[name], name], cwd=stage.folder, env=environ, stdout=subprocess.PIPE
    )


def _run(stage: Stage) -> None:
    text = (Path(__file__).parent / "support_agent.py").read_text("utf-8")
    (stage.folder / _FILE).write_text(text, "utf-8")
    stage.mace("init", "-q", show=False)
    stage.shell("sed -n '/^@mace/,/^$/p' support.py")
    stage.lines(text[text.index("@mace") :].split("\n\n")[0])
    stage.shell(f'python {_FILE} "{_ASKED["ana"]}" ana')
    said = _started(stage, "ana").communicate(timeout=_WAIT_S)[0].decode()
    stage.lines(said)
    stage.expect("it answers", "Lyon" in said)
    shown = stage.mace("jobs", "show", _JOB["ana"]).value
    calls = [(call["branch"], call["name"]) for call in shown["calls"]]
    stage.expect("each call is on the record, with its branch", len(calls) == 4 and ("rules", "read_rules") in calls)
    raw = b"".join(path.read_bytes() for path in stage.location.rglob("*") if path.is_file())
    stage.expect("what was said lies sealed: no file shows it", b"A-1042" not in raw and b"open a ticket" not in raw)


def _kill(stage: Stage) -> None:
    before = len(_outside(stage))
    (stage.folder / "slow").touch()
    stage.shell(f'python {_FILE} "{_ASKED["bo"]}" bo &   # the model takes long; kill -9 $!')
    child = _started(stage, "bo")
    try:
        until = time.monotonic() + _WAIT_S
        while _outside(stage)[before:][-1:] != ["chat"] and child.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        child.kill()
        child.communicate()
        (stage.folder / "slow").unlink()
    stage.expect("killed while it waited for the model", child.returncode == -signal.SIGKILL)
    resumed = stage.mace("jobs", "resume", _JOB["bo"], *_WITH).value
    stage.expect("another process took it up and came to the answer", resumed["resumed"] == 1)
    made = _outside(stage)[before:]
    stage.lines(f"really called: {', '.join(made)}")
    stage.expect("no finished call was made twice: one ticket", made.count("open_ticket") == 1)
    stage.expect("the one that was cut off may be repeated, and was", made.count("chat") == 2)
    stage.expect("cut and resumed, it replays", stage.mace("replay", _JOB["bo"], *_WITH).value["result"] == "MATCH")
    stage.expect("and a replay calls nobody", len(_outside(stage)) == before + len(made))


def _lie(stage: Stage) -> None:
    stage.shell("cp -r my-agent copy && sqlite3 copy/mace.db   # past the triggers: no ticket was ever opened")
    shutil.copytree(stage.location, stage.folder / "copy")
    shutil.copytree(stage.elsewhere, stage.folder / "copy-elsewhere")
    environ = {
        **stage.environ,
        "MACE_LOCATION": str(stage.folder / "copy"),
        "MACE_CHECKPOINT_DIR": str(stage.folder / "copy-elsewhere"),
    }
    database = apsw.Connection(str(stage.folder / "copy" / "mace.db"))
    try:
        found = database.execute(
            "select position, sequence_index from events where stream = ? and event_type = 'EFFECT_STARTED'"
            " and instr(body, cast('open_ticket' as blob))",
            (_JOB["bo"],),
        )
        ((position, index),) = found
        named = "select sql from sqlite_master where type = 'trigger' and name = 'events_keep_update'"
        trigger = str(database.execute(named).get)
        database.execute("drop trigger events_keep_update")
        database.execute(
            "update events set body = cast(replace(cast(body as text), 'open_ticket', 'read_ticket') as blob)"
            " where position = ?",
            (position,),
        )
        database.execute(trigger)
    finally:
        database.close()
    played = stage.mace("-C", "copy", "replay", _JOB["bo"], *_WITH, exit_code=1, environ=environ, lines=6).value
    difference = played["first_difference"]
    stage.expect(
        f"replay refuses, and names event {index} of the job",
        played["result"] == "INTEGRITY_FAILURE" and difference["where"]["sequence_index"] == index,
    )
    checked = stage.mace("-C", "copy", "log", "verify", exit_code=1, environ=environ, lines=5).value
    where = [item["where"].get("position") for item in checked["findings"]]
    stage.expect(f"verification names the row: position {position}", where == [position])


def _erase(stage: Stage) -> None:
    code = stage.mace("dsr", "proof", "ana", "-q", show=False).value["proof"]
    stage.mace("dsr", "export", "ana", "--proof", code, "-o", "ana.json")
    package = (stage.folder / "ana.json").read_text("utf-8")
    stage.expect("she takes along what was asked and called for her", "A-1042" in package and "B-7" not in package)
    stage.expect("without her email address: it was cut out before anything was kept", "reyes" not in package)
    code = stage.mace("dsr", "proof", "ana", "-q", show=False).value["proof"]
    asked = stage.mace("dsr", "delete", "ana", "--proof", code, show=False).value["dsr_id"]
    stage.mace("approve", "vote", asked, "yes", lines=3)
    receipt = stage.mace("dsr", "show", asked, show=False).value["receipt"]
    stage.expect("she gets a signed receipt", len(receipt["signature"]) == 128)


def _replay(stage: Stage) -> None:
    gone = stage.mace("replay", _JOB["ana"], *_WITH, exit_code=1, lines=3).value
    stage.expect("her job cannot be played any more", gone["result"] == "INPUT_ERASED")
    still = stage.mace("replay", _JOB["bo"], *_WITH).value
    stage.expect("Bo's still can, to the byte", still["result"] == "MATCH")
    checked = stage.mace("log", "verify").value
    stage.expect("and the whole log verifies", checked["ok"] and not checked["findings"])


CHAPTER = Chapter(
    "agent",
    "Your own agent, on the record",
    [
        Step("An agent runs", "Any function whose calls go through `job`; each is sealed, signed, then used.", _run),
        Step("It is killed and resumed", "With SIGKILL, in the middle of a call.", _kill),
        Step("A lie is caught", "Somebody rewrites the record of a call in a copy of the database.", _lie),
        Step(
            "A person is erased", "She takes her data along; then the keys of all that is hers are destroyed.", _erase
        ),
        Step("Everything replays", "What was not erased is decided again, and every byte compared.", _replay),
    ],
)
