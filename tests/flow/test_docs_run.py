"""The pages' Python is run, block by block in their order, in a directory of its own; blocks may assert, too."""

import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import openai
import pytest

import mace
from mace.core.answers import CallError
from mace.engine.runtime import Mace
from mace.interfaces.cli import main
from mace.testing import ChatReply, ToolCall, serve_chat
from mace.wiring.doors import clock_at

ROOT = Path(__file__).parents[2]
Names = dict[str, Any]


def blocks(page: str) -> list[tuple[int, str]]:
    """The Python blocks of a page, each with its line."""
    text = (ROOT / page).read_text("utf-8")
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [(text.count("\n", 0, match.start()) + 2, match.group(1)) for match in found]


@contextmanager
def nothing() -> Iterator[Names]:
    yield {}


@contextmanager
def imported() -> Iterator[Names]:
    yield {"mace": mace}


@contextmanager
def opened() -> Iterator[Names]:
    """Of pages that speak of an open store."""
    with mace.open(Path.cwd() / "my-agent") as m:
        yield {"m": m}


@contextmanager
def experienced() -> Iterator[Names]:
    """Of the page about experience: with a rule, a change and a Megram to name."""
    with mace.open(Path.cwd() / "my-agent", clock=clock_at(datetime(2026, 5, 20, 12, tzinfo=UTC))) as m:
        for day in range(1, 20, 2):
            at = f"2026-05-{day:02}T09:00:00Z"
            made = {"space": "tool:shell", "entity": "path:deploy.sh", "content": "check first", "state": "accept"}
            written = m.experience.write({**made, "created_at": at}, "solver")  # type: ignore[typeddict-item]
        [made_rule] = m.experience.dream()["promoted"]
        [rule] = m.experience.query_c("tool:shell", "path:deploy.sh")
        yield {
            "m": m,
            "rule_id": rule["id"],
            "change_id": made_rule["change_id"],
            "megram_id": written["megram_id"],
        }


_WITH_A_TOOL = [ChatReply(tool_calls=[ToolCall("find_parcel", {"number": 7})]), "It is in Ghent."]


@contextmanager
def with_a_model() -> Iterator[Names]:
    """Of pages that speak to a language engine: one on this machine, which the client finds as it finds its own."""
    with pytest.MonkeyPatch.context() as patch, serve_chat(_WITH_A_TOOL) as server:
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", "any")
        yield {}


PAGES: dict[str, Callable[[], Any]] = {
    "README.md": nothing,
    "docs/context.md": nothing,
    "docs/detection.md": nothing,
    "docs/experience.md": experienced,
    "docs/facts.md": nothing,
    "docs/governance.md": nothing,
    "docs/openai.md": with_a_model,
    "docs/privacy.md": opened,
    "docs/memory.md": nothing,
    "docs/programs.md": nothing,
    "docs/questions.md": imported,
}
ELSEWHERE = {"docs/agents.md", "docs/api.md", "docs/testing.md"}  # tests of their own; of the reference the first block


def run(page: str, given: Names, wanted: list[tuple[int, str]]) -> Names:
    names = {"__name__": "page", **given}
    for line, text in wanted:
        code = text.replace('mace.open("my-agent"', f"mace.open({str(Path.cwd() / 'my-agent')!r}")
        exec(compile("\n" * (line - 1) + code, page, "exec"), names)
    return names


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.syspath_prepend(str(tmp_path))  # sys.path is put back with it
    yield
    sys.modules.pop("mace_program_support", None)  # of `--program support.py`


_MARKS = {"docs/programs.md": [pytest.mark.breaks_its_store]}  # one of its programs diverges on purpose


@pytest.mark.parametrize("page", [pytest.param(page, marks=_MARKS.get(page, [])) for page in PAGES])
def test_every_block_runs(page: str):
    with PAGES[page]() as given:
        assert blocks(page)
        names = run(page, given, blocks(page))
    if isinstance(names.get("m"), Mace):
        names["m"].close()  # a page may leave it open


def test_the_first_block_of_the_reference_runs(capsys: pytest.CaptureFixture[str]):
    run("docs/api.md", {}, blocks("docs/api.md")[:1])
    assert capsys.readouterr().out == "Your favorite food is pizza.\n"


_MY_AGENT = """
import mace

@mace.program("support")
def support(job, question):
    return job.complete([{"role": "user", "content": question}])["text"]
"""


def test_the_page_about_tests_runs(tmp_path: Path):
    """Its plugin and its tests as files of their own; its server is asked as the page says."""
    (_, plugin), (_, tests), (line, server) = blocks("docs/testing.md")
    (tmp_path / "conftest.py").write_text(plugin)
    (tmp_path / "my_agent.py").write_text(_MY_AGENT)
    (tmp_path / "test_my_agent.py").write_text(tests)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_my_agent.py")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    asked = 'client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Where is parcel 7?"}])'
    names = run("docs/testing.md", {"openai": openai}, [(line, server.replace("    ...", f"    answer = {asked}"))])
    assert names["answer"].choices[0].message.tool_calls[0].function.name == "find_parcel"


def test_no_page_is_forgotten():
    pages = {str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]}
    assert {page for page in pages if blocks(page)} == {*PAGES, *ELSEWHERE}


def test_the_page_about_programs_names_everything_a_job_has():
    page = (ROOT / "docs" / "programs.md").read_text("utf-8")
    has = [name for name in vars(mace.Job) if not name.startswith("_")]
    assert [name for name in has if f"job.{name}" not in page and f"branch.{name}" not in page] == []


def test_and_every_way_a_call_fails():
    page = (ROOT / "docs" / "programs.md").read_text("utf-8")
    table = page.split("| `kind` | what happened |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [*get_args(CallError)]


_CHANGES = (  # what is another each time
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<id>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?"), "<time>"),
    (re.compile(r" +\d+ ms| +TOOK +"), " <took> "),
)


def same_each_time(text: str) -> str:
    for pattern, instead in _CHANGES:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_an_auditor_sees_what_the_first_page_shows(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    """Its program is run as a file, its commands are typed, and they print what the page says; `...` is anything."""
    code = blocks("README.md")[0][1].replace('mace.open("my-agent"', f"mace.open({str(tmp_path / 'my-agent')!r}")
    (tmp_path / "support.py").write_text(code, "utf-8")
    [console] = re.findall(
        r"^```console\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    job = ""
    for typed, shown in re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", console, re.MULTILINE):
        name, *arguments = shlex.split(typed, comments=True)
        if name == "export":
            assert arguments == ["MACE_LOCATION=my-agent"]
            continue
        capfd.readouterr()
        if name == "python":
            runpy.run_path(arguments[0], run_name="__main__")
        else:
            named = [job if _CHANGES[0][0].fullmatch(item) else item for item in arguments]
            assert main(["-C", str(tmp_path / "my-agent"), *named]) == 0
        printed = capfd.readouterr().out
        parts = [same_each_time(part) for part in shown.split("...\n")]
        assert same_each_time(printed).startswith(parts[0])
        assert same_each_time(printed).endswith(parts[-1])
        assert len(parts) > 1 or same_each_time(printed) == parts[0]
        with mace.open(tmp_path / "my-agent", read_only=True) as m:
            job = m.jobs.list()["items"][0]["job_id"]
    assert job
