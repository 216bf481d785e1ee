"""`mace context` as people and programs use it: readable package, exact JSON, explanation, progress on a terminal."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from context_reference import context_package

_MAIN = "import sys; from mace.interfaces.cli import main; sys.exit(main(sys.argv[1:]))"
RECORDS = [
    {"memory_id": "a", "text": "The invoice of May was paid on 2 June.", "tags": ["invoice"]},
    {"memory_id": "b", "text": "The staging database lies in Frankfurt.", "ts_utc": "2024-05-06T07:08:09Z"},
    {"memory_id": "c", "text": "Bell \x07 and colour \x1b[31m of the database"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [json.dumps(record) for record in RECORDS]
    (tmp_path / "s.jsonl").write_text("\n".join(lines) + "\nno json\n")
    return tmp_path


def run(folder: Path, *arguments: str, terminal: bool = False) -> tuple[int, bytes, str]:
    """Exit code, standard output, and standard error, which may be a terminal."""
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ} | {
        "HOME": str(folder / "home"),
        "MACE_LOCATION": str(folder / "m"),
        "TERM": "xterm",
    }
    reader, writer = pty.openpty() if terminal else os.pipe()
    out = folder / "out"
    try:
        with out.open("wb") as file:  # not a pipe: nobody reads it while standard error is read
            process = subprocess.Popen(
                [sys.executable, "-c", _MAIN, *arguments], cwd=folder, env=environment, stdout=file, stderr=writer
            )
        os.close(writer)
        said = b""
        while True:
            try:
                piece = os.read(reader, 1 << 16)
            except OSError:  # how a terminal says that nobody writes to it any more
                break
            if not piece:
                break
            said += piece
        return process.wait(60), out.read_bytes(), said.decode()
    finally:
        os.close(reader)


@pytest.fixture
def home(folder: Path) -> Path:
    assert run(folder, "init")[0] == 0
    return folder


def test_a_package_can_be_read(home: Path) -> None:
    code, out, _ = run(home, "context", "staging database", "--store", "s.jsonl", "--budget", "40")
    shown = out.decode()
    assert code == 0
    assert shown.splitlines()[0].startswith("b  score 2, 10 tokens, s.jsonl")
    assert "  The staging database lies in Frankfurt." in shown
    assert "of 40 tokens" in shown
    assert "█" in shown
    assert "1 invalid_record_schema" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_json_is_the_exact_package(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = run(home, "context", "staging database", "--store", "s.jsonl", "--budget", "40", "--json")
    assert (code, err) == (0, "")
    monkeypatch.chdir(home)
    request: dict[str, Any] = {
        "query": "staging database",
        "store_paths": ["s.jsonl"],
        "budget": {"max_excerpt_tokens": 40},
    }
    assert json.loads(out) == context_package(request)


def test_the_explanation_names_terms_and_counts(home: Path) -> None:
    code, out, _ = run(home, "context", "staging database invoice", "--store", "s.jsonl", "--explain")
    assert code == 0
    shown = out.decode()
    assert "staging, database" in shown
    assert "dropped: invalid_record_schema" in shown
    told = json.loads(run(home, "context", "invoice", "--store", "s.jsonl", "--explain", "--json")[1])
    assert told["selected"][0] | {"recency_bonus": 0.0} == told["selected"][0]
    assert (told["selected"][0]["terms"], told["selected"][0]["tags"]) == (["invoice"], ["invoice"])


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["context", "x", "--store", "missing.jsonl"], 1, "store_paths[0] does not exist"),
        (["context", "  ", "--store", "s.jsonl"], 1, "query must not be empty"),
        (["context", "x"], 2, "--store"),
        (["context", "x", "--store", "s.jsonl", "--budget", "0"], 2, "--budget"),
        (["context", "x", "--store", "s.jsonl", "--now", "soon"], 1, "now_utc is not a timestamp"),
    ],
)
def test_what_is_wrong_is_said_with_its_exit_code(home: Path, arguments: list[str], code: int, word: str) -> None:
    found, out, err = run(home, *arguments)
    assert found == code
    assert word in out.decode() + err


@pytest.fixture
def large(home: Path) -> Path:
    text = " ".join(f"word{number}" for number in range(40))
    lines = (json.dumps({"memory_id": str(number), "text": f"{text} {number}"}) for number in range(3000))
    (home / "large.jsonl").write_text("\n".join(lines) + "\n")
    return home


@pytest.mark.parametrize("extra", [[], ["--explain"]])
def test_the_first_question_to_a_store_shows_progress_on_a_terminal_only(large: Path, extra: list[str]) -> None:
    asked = ["context", "word7", "--store", "large.jsonl", *extra]
    code, first, said = run(large, *asked, terminal=True)
    assert code == 0
    assert "Indexing" in said
    assert "100%" in said
    assert b"Indexing" not in first
    code, again, said = run(large, *asked, terminal=True)  # the index is there
    assert (code, said, again) == (0, "", first)


@pytest.mark.parametrize(("extra", "terminal"), [(["--json"], True), (["--quiet"], True), ([], False)])
def test_there_is_no_progress_for_programs(large: Path, extra: list[str], terminal: bool) -> None:
    code, _, said = run(large, "context", "word7", "--store", "large.jsonl", *extra, terminal=terminal)
    assert (code, said) == (0, "")


def test_a_question_that_quotes_a_store_shows_no_progress(large: Path) -> None:
    own_file = large / "home" / ".config" / "mace" / "mace.toml"
    own_file.parent.mkdir(parents=True)
    own_file.write_text(f'context_stores = "{large / "large.jsonl"}"\n')
    _, _, said = run(large, "ask", "what is word7", terminal=True)
    assert "Indexing" not in said
    assert list((large / "home").rglob("*.index"))  # it did read the store
