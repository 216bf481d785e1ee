"""Every example runs to its end, in a process and a home of its own, and says what it is there to show."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mace
import services

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
REAL_MODEL = "MACE_TEST_MODEL_URL"  # of a small model that speaks the OpenAI protocol and can call tools

SAYS = {
    "openai_loop.py": [
        "before: Parcel 7 is in Ghent.",
        "after:  Parcel 7 is in Ghent.",
        "replay: MATCH",
        "parcels 1 for user_ana, closed",
        "the log verifies: True",
    ],
    "chat_memory.py": [
        "before: I do not know where you live.",
        "after:  At the tennis club of Lyon.",
        "user: I moved to Lyon, and I play tennis on Sundays.",
        "on the ledger: MEMORY_RECALLED",
        "somebody else is told: ''",
        "the log verifies: True",
    ],
    "tools_and_approval.py": [
        "a person is asked: Refund 40 euros? and says yes",
        "You get 40 euros back.  (paid so far: [40])",
        "a person is asked: Refund 40 euros? and says no",
        "I am sorry, there is no refund.  (paid so far: [40])",
        "replay: MATCH",
    ],
    "parallel_research.py": [
        "killed: 3 of 6 calls are on the record",
        "Aarhus is a town by the sea.\nBergen is a town by the sea.",
        "resumed: asked again were ",
        "replay: MATCH; the log verifies: True",
    ],
}


def run(command: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command with nothing of this process's environment but the way to Python and to the sources."""
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    environment = {
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(Path(mace.__file__).parents[1]),
        **more,
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    ran = run([sys.executable, str(EXAMPLES / name)], tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert [line for line in SAYS[name] if line not in ran.stdout] == [], ran.stdout
    left = [path for part in ("home", "tmp") for path in (tmp_path / part).rglob("*")]
    assert left == []


AUDITED = [
    "parcels 1  closed  user_ana",
    "find_parcel",
    "EFFECT_DONE",
    "events, read-only",
    "MATCH  ",
    "OK  the event is in the log that the checkpoint names",
    "held to the checkpoint",
]


def test_an_auditor_needs_the_shell_alone(tmp_path: Path) -> None:
    ran = run(["bash", str(EXAMPLES / "auditor.sh")], tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert [line for line in AUDITED if line not in ran.stdout] == [], ran.stdout
    left = [path for part in ("home", "tmp") for path in (tmp_path / part).rglob("*")]
    assert left == []


def test_an_auditor_looks_at_a_store_that_is_named(tmp_path: Path) -> None:
    store, program = str(tmp_path / "kept"), str(EXAMPLES / "parallel_research.py")
    for _ in range(2):  # an example can be run a second time in the same place
        kept = run([sys.executable, program, store], tmp_path)
        assert kept.returncode == 0, kept.stdout + kept.stderr
    ran = run(["bash", str(EXAMPLES / "auditor.sh"), store, program], tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("research 1  closed") == 2, ran.stdout
    (tmp_path / "kept" / "people.db").write_bytes(b"")
    broken = run(["bash", str(EXAMPLES / "auditor.sh"), store, program], tmp_path)
    assert broken.returncode != 0, broken.stdout


def test_every_example_is_run_and_told_of() -> None:
    there = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".sh")}
    assert there - {"common.py"} == {*SAYS, "auditor.sh"}
    told = (EXAMPLES / "README.md").read_text("utf-8")
    assert [name for name in sorted(there - {"common.py"}) if f"[{name}]({name})" not in told] == []


@pytest.mark.long
def test_the_loop_runs_on_a_real_small_model(tmp_path: Path) -> None:
    url = os.environ.get(REAL_MODEL)
    if not url:
        services.cannot_run("openai_loop.py on a real small model", f"{REAL_MODEL} names none")
    model = os.environ.get("MACE_TEST_MODEL", "")
    ran = run([sys.executable, str(EXAMPLES / "openai_loop.py")], tmp_path, EXAMPLE_MODEL_URL=url, EXAMPLE_MODEL=model)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "replay: MATCH" in ran.stdout
    assert "the log verifies: True" in ran.stdout
