"""The always-replay mode itself: it must see every question, and it must be able to fail."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import places
from mace import program
from replay import always, odd_agents

INNER = """
import pytest
from mace import wiring
from mace.settings import Settings
import mace as mace_module
from replay import odd_agents, tree_programs

def opened(tmp_path, **options):
    settings = Settings(location=str(tmp_path / "m"), checkpoint_dir=str(tmp_path / "c"), checkpoint_interval_ms=0)
    return wiring.open_mace(settings=settings, **options)

def test_asks(tmp_path):
    with opened(tmp_path) as mace:
        mace.ask("12 + 30")
        mace.ask("What is my name?", "ana")

def test_with_an_agent_that_has_a_name(tmp_path):
    with opened(tmp_path, agents={"generic_agent": odd_agents.echoes}) as mace:
        mace.ask("Blorp the quux")

def test_with_an_agent_that_has_none(tmp_path):
    agent = lambda task: odd_agents.echoes(task)
    with opened(tmp_path, agents={"generic_agent": agent}) as mace:
        mace.ask("Blorp the quux")

def test_performs(tmp_path):
    with opened(tmp_path, programs=tree_programs.ALL) as mace:
        assert mace.perform("tree", 1)["status"] == "closed"
        assert mace.perform(tree_programs.async_tree, 2, "ana")["status"] == "closed"

def test_performs_what_has_no_name(tmp_path):
    def made(number):
        @mace_module.program("made", version="1")
        def program(job, given):
            return job.call("counted", {"number": number}, lambda request: request["number"])
        return program
    for number in range(2):  # two functions under one name: each is replayed with its own
        with opened(tmp_path) as mace:
            assert mace.perform(made(number), None)["answer"] == number

def test_performs_in_a_loop(tmp_path):
    import asyncio
    with opened(tmp_path) as mace:
        assert asyncio.run(mace.aperform(tree_programs.async_tree, 3))["status"] == "closed"

%s
def test_breaks(tmp_path):
    with opened(tmp_path) as mace:
        job = mace.ask("12 + 30")["job_id"]
    import apsw
    connection = apsw.Connection(str(tmp_path / "m" / "mace.db"))
    guards = [name for name, in connection.execute("select name from sqlite_master where type = 'trigger'")]
    for name in guards:
        connection.execute(f"drop trigger {name}")
    connection.execute("delete from vault_blobs")
    connection.close()
"""


def run_inside(tmp_path: Path, mark: str, switch: str) -> subprocess.CompletedProcess[str]:
    """Run a small suite of its own with the plugin."""
    (tmp_path / "test_inner.py").write_text(INNER % mark)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MACE_")}
    environment |= {
        "MACE_ALWAYS_REPLAY": switch,
        "MACE_TEST_SERVICES": str(tmp_path / "services"),
        "PYTHONPATH": os.pathsep.join([str(Path(always.__file__).parent.parent), *sys.path]),
    }
    command = [sys.executable, "-m", "pytest", "-p", "replay.always", "-p", "no:cacheprovider", "-p", "no:randomly"]
    return subprocess.run(
        [*command, "--rootdir", str(tmp_path), "--basetemp", str(tmp_path / "base"), str(tmp_path / "test_inner.py")],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("mark", "switch", "code", "says"),
    [
        ("@pytest.mark.breaks_its_store", "1", 0, "6 questions and programs in 4 stores, 3 hash seeds: all match"),
        ("", "1", 1, "7 questions and programs in 5 stores, 3 hash seeds: 3 did not match"),
        ("", "0", 0, "7 passed"),
    ],
    ids=["on", "on, and a broken store", "off"],
)
def test_a_suite_under_it(tmp_path: Path, mark: str, switch: str, code: int, says: str):
    done = run_inside(tmp_path, mark, switch)
    assert says in done.stdout, done.stdout + done.stderr
    assert done.returncode == code
    if code:
        assert "test_inner.py::test_breaks" in done.stdout
        assert "MISSING_PERSISTED_AGENT_OUTPUT" in done.stdout


@pytest.fixture
def noted(mace_home: places.SqlitePlace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setenv("MACE_TEST_SERVICES", str(tmp_path / "services"))

    def keep(agents: dict[str, Any]) -> Path:
        with mace_home.open(agents=agents) as mace:
            jobs = [mace.ask("Blorp the quux")["job_id"], mace.ask("12 + 30", "ana")["job_id"]]
        always._keep("a test", always._Asked(mace_home.settings, agents, jobs))
        return tmp_path / "services" / "asked"

    return keep


def test_a_batch_finds_named_agents_again(noted: Any):
    assert always.run_batches(noted({"generic_agent": odd_agents.echoes}), 2) == []


def test_a_program_that_diverges_is_found(mace_home: places.SqlitePlace):
    words = ["one"]

    @program("says", version="1")
    def says(job: Any, given: Any) -> Any:
        return job.call("said", {"word": words[0]}, lambda request: request)

    with mace_home.open() as mace:
        job = mace.perform(says, None)["job_id"]
    asked = always._Asked(mace_home.settings, {}, [job], {("says", "1"): says})
    always._keep("a test", asked)
    words[0] = "two"
    with pytest.raises(AssertionError, match="REPLAY_DIVERGENCE"):
        always._keep("a test", asked)
    words[0] = "one"


def test_a_batch_says_what_did_not_match_and_where(noted: Any):
    folder = noted({"generic_agent": odd_agents.echoes})
    manifest = next(folder.glob("*/manifest.json"))
    manifest.write_text(manifest.read_text().replace("odd_agents:echoes", "odd_agents:baseless"))
    wrong = always.run_batches(folder, 2)
    assert len(wrong) == 2
    assert "REPLAY_DIVERGENCE" in wrong[0] and "a test" in wrong[0] and wrong[1].startswith("hash seed 2")


def test_a_batch_that_dies_is_no_success(noted: Any):
    folder = noted({"generic_agent": odd_agents.echoes})
    next(folder.glob("*/manifest.json")).write_text("not json")
    assert "the batch ended with 1" in always.run_batches(folder, 1)[0]


def test_agents_without_a_name_are_replayed_at_once(mace_home: places.SqlitePlace):
    words = ["one"]
    agents = {"generic_agent": lambda task: odd_agents.echoes(SimpleNamespace(text=words[0]))}  # type: ignore[arg-type]
    with mace_home.open(agents=agents) as mace:
        job = mace.ask("Blorp the quux")["job_id"]
    asked = always._Asked(mace_home.settings, agents, [job])
    always._keep("a test", asked)
    words[0] = "two"
    with pytest.raises(AssertionError, match="REPLAY_DIVERGENCE"):
        always._keep("a test", asked)
    words[0] = "one"


@pytest.mark.parametrize(("value", "seeds"), [(None, 0), ("0", 0), ("1", 3), ("long", 12)])
def test_how_many_hash_seeds(monkeypatch: pytest.MonkeyPatch, value: str | None, seeds: int):
    monkeypatch.delenv("MACE_TEST_ALWAYS_REPLAY", raising=False)
    if value is not None:
        monkeypatch.setenv("MACE_TEST_ALWAYS_REPLAY", value)
    assert always.hash_seeds() == seeds
