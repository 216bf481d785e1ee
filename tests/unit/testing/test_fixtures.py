"""The fixtures, in a suite of their own: run by another pytest, as a user's suite is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mace

SUITE = """
import os
import pathlib

import pytest

import mace

pytest_plugins = ["mace.testing"]
SEEN = pathlib.Path(os.environ["SEEN"])


def test_ask_and_replay(mace_sandbox, mace_clock, mace_engine):
    m = mace_sandbox.open()
    SEEN.joinpath("folder").write_text(str(mace_sandbox.folder))
    mace_engine.reply("Because they can.")
    answer = m.ask("Why do quuxes blorp?", "ana")
    assert [request.prompt for request in mace_engine.asked if "Why do quuxes blorp?" in request.prompt]
    assert answer["answer"] == "Because they can."
    assert m.replay(answer["job_id"])["result"] == "MATCH"
    mace_clock.move(days=1)
    SEEN.joinpath(f"job-{len(list(SEEN.iterdir()))}").write_text(answer["job_id"])


@mace.program("support")
def support(job, question):
    return job.complete([{"role": "user", "content": question}])["text"]


def test_a_program(mace_sandbox):
    mace_sandbox.engine.reply("It is in Ghent.")
    m = mace_sandbox.open(programs=[support])
    answer = m.perform(support, "Where is my parcel?", "ana")
    assert answer["text"] == "It is in Ghent."
    assert [request.prompt for request in mace_sandbox.engine.asked] == ["Where is my parcel?"]
    assert m.replay(answer["job_id"])["result"] == "MATCH"


def test_the_store_is_there_when_it_is_opened_again(mace_sandbox):
    with mace_sandbox.open() as m:
        m.sem_put("user/profile/user_bob/food", "tea", "user")
    assert mace_sandbox.open().sem_get("user/profile/user_bob/food")["value"] == "tea"


def test_runtime_and_no_engine(mace_runtime, mace_sandbox):
    assert mace_runtime.ask("12 + 30")["answer"] == "12 + 30 = 42"
    other = mace_sandbox.open(language=None)
    assert other.ask("Blorp the quux")["answer"] is None


def test_fails(mace_sandbox):
    SEEN.joinpath("failing").write_text(str(mace_sandbox.folder))
    mace_sandbox.open().ask("12 + 30")
    raise AssertionError("on purpose")


def test_asks_too_often(mace_runtime):
    mace_runtime.ask("Why do quuxes blorp?")


def test_chat(mace_chat):
    openai = pytest.importorskip("openai")
    server = mace_chat(["Hello."])
    client = openai.OpenAI(base_url=server.url, api_key="any")
    said = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
    assert said.choices[0].message.content == "Hello."
"""


def run_suite(folder: Path, seen: Path, *chosen: str) -> str:
    (folder / "tmp").mkdir()
    home = folder / "home"
    home.mkdir()
    seen.mkdir(exist_ok=True)
    (folder / "test_suite.py").write_text(SUITE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MACE_", "XDG_", "PYTEST"))}
    environment = {
        **kept,
        "HOME": str(home),
        "TMPDIR": str(folder / "tmp"),
        "SEEN": str(seen),
        "MACE_LOCATION": str(folder / "not-here"),  # what the sandbox must not read
        "PYTHONPATH": str(Path(mace.__file__).parents[1]),
    }
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rfE", "--tb=line", "test_suite.py", *chosen]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("suite")
    return folder, run_suite(folder, folder / "seen")


def test_the_suite_ends_as_its_tests_do(suite: tuple[Path, str]) -> None:
    said = suite[1]
    assert "1 failed, 6 passed, 1 error" in said, said
    assert "FAILED test_suite.py::test_fails - AssertionError: on purpose" in said
    assert "ERROR test_suite.py::test_asks_too_often" in said
    assert "the scripted engine was asked once without a reply left, last: 'Why do quuxes blorp?'" in said


def test_no_folder_is_left_behind_also_by_a_test_that_failed(suite: tuple[Path, str]) -> None:
    folder = suite[0]
    for name in ("folder", "failing"):
        stood = Path((folder / "seen" / name).read_text())
        assert stood.is_relative_to(folder / "tmp")
        assert not stood.exists()
    assert list((folder / "tmp").glob("mace-*")) == []
    assert list((folder / "home").rglob("*")) == []
    assert not (folder / "not-here").exists()


def test_a_second_run_has_the_same_ids(suite: tuple[Path, str], tmp_path: Path) -> None:
    run_suite(tmp_path, tmp_path / "seen", "-k", "test_ask_and_replay")
    first, second = (
        next(item.read_text() for item in (folder / "seen").iterdir() if item.name.startswith("job-"))
        for folder in (suite[0], tmp_path)
    )
    assert first == second


def test_without_pytest_nothing_of_it_is_imported() -> None:
    code = "import sys, mace.testing; print('pytest' in sys.modules, 'openai' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(mace.__file__).parents[1])}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
