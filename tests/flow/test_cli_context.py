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


def run(folder: Path, *arguments: str, terminal: bool = False, given: bytes = b"") -> tuple[int, bytes, str]:
    """Exit code, standard output, and standard error, which may be a terminal."""
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ} | {
        "HOME": str(folder / "home"),
        "MACE_LOCATION": str(folder / "m"),
        "TERM": "xterm",
    }
    reader, writer = pty.openpty() if terminal else os.pipe()
    out = folder / "out"
    (folder / "given").write_bytes(given)
    try:
        # No pipes: nobody reads from one while standard error is read.
        with (folder / "given").open("rb") as said_in, out.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, "-c", _MAIN, *arguments],
                cwd=folder,
                env=environment,
                stdin=said_in,
                stdout=file,
                stderr=writer,
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
    assert shown.splitlines()[0].startswith("b  score 1.4883, 10 tokens, s.jsonl")
    assert "  The staging database lies in Frankfurt." in shown
    assert "of 40 tokens" in shown
    assert "█" in shown
    assert "1 invalid_record_schema" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_json_is_the_exact_package(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["context", "staging database", "--store", "s.jsonl", "--budget", "40", "--json"]
    code, out, err = run(home, *asked, "--scorer", "phase6-v1", "--per-item", "40")
    assert (code, err) == (0, "")
    monkeypatch.chdir(home)
    request: dict[str, Any] = {
        "query": "staging database",
        "store_paths": ["s.jsonl"],
        "budget": {"max_excerpt_tokens": 40},
    }
    assert json.loads(out) == context_package(request)
    package = json.loads(run(home, *asked)[1])
    assert package["controller_version"] == "phase7-v1"
    assert package["budget"]["per_item_max_excerpt_tokens"] == 10


def test_the_explanation_names_terms_and_counts(home: Path) -> None:
    code, out, _ = run(home, "context", "staging database invoice", "--store", "s.jsonl", "--explain")
    assert code == 0
    shown = out.decode()
    assert "phase7-v1" in shown
    assert "dropped: invalid_record_schema" in shown
    older = ["--explain", "--scorer", "phase6-v1"]
    code, out, _ = run(home, "context", "staging database invoice", "--store", "s.jsonl", *older)
    assert "staging, database" in out.decode()
    told = json.loads(run(home, "context", "invoice", "--store", "s.jsonl", *older, "--json")[1])
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
        (["context", "read", "x", "--store", "missing.jsonl"], 1, "store_paths[0] does not exist"),
        (["context", "--store", "missing.jsonl", "x"], 1, "store_paths[0] does not exist"),
        (["context", "--json", "--store", "missing.jsonl", "x"], 1, "store_paths[0] does not exist"),
        (["context", "check", "missing.jsonl"], 1, "No such file"),
        (["context", "check"], 2, "STORE"),
        (["context", "append", "some words"], 1, "standard input has no records"),
        (["context", "append", "new.jsonl", "tea", "--input", "json"], 2, "--input"),
        (["context", "append", "new.jsonl", "a", "b", "--id", "x"], 2, "--id"),
        (["context", "append", "new.jsonl", "--tag", "x"], 2, "--tag"),
        (["context", "append", "new.jsonl", "a", "--at", "soon"], 1, "ts_utc is not a timestamp"),
        (["context", "append", "some words", "tea"], 1, "No such file"),
        (["context", "append", "no/such/folder.jsonl", "tea"], 1, "No such file"),
        (["context", "append", "s.jsonl", "tea"], 1, "the last line of the store (line 4) is no record"),
    ],
)
def test_what_is_wrong_is_said_with_its_exit_code(home: Path, arguments: list[str], code: int, word: str) -> None:
    found, out, err = run(home, *arguments)
    assert found == code
    assert word in out.decode() + err


def test_the_settings_say_what_a_query_leaves_open(home: Path) -> None:
    own_file = home / "home" / ".config" / "mace" / "mace.toml"
    own_file.parent.mkdir(parents=True)
    own_file.write_text(
        f'context_stores = "{home / "s.jsonl"}"\ncontext_budget_tokens = 30\ncontext_max_items = 1\n'
        'context_per_item_tokens = 7\ncontext_scorer = "phase6-v1"\n'
    )
    package = json.loads(run(home, "context", "staging", "--json")[1])
    assert package["controller_version"] == "phase6-v1"
    held = {"max_excerpt_tokens": 30, "per_item_max_excerpt_tokens": 7, "max_items": 1}
    assert package["budget"] | held == package["budget"]
    assert [item["memory_id"] for item in package["selection"]["selected"]] == ["b"]
    own_file.write_text('context_scorer = "phase8"\n')
    code, _, err = run(home, "context", "staging", "--store", "s.jsonl")
    assert code == 1
    assert "context_scorer must be one of phase6-v1, phase7-v1" in err


def test_what_is_spelled_like_a_command_can_be_asked_about(home: Path) -> None:
    assert run(home, "context", "append", "n.jsonl", "please check the oven")[0] == 0
    package = json.loads(run(home, "context", "read", "check", "--store", "n.jsonl", "--json")[1])
    assert len(package["selection"]["selected"]) == 1
    assert b"append" in run(home, "context", "--help")[1]


def test_texts_are_appended_and_found(home: Path) -> None:
    said = ["context", "append", "n.jsonl", "Ivo ordered tea.", "Żółw pije herbatę.", "--tag", "orders", "--json"]
    code, out, err = run(home, *said, "--at", "2026-05-06T07:08:09+02:00")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["appended"], told["redacted"], told["store_path"]) == (2, [], "n.jsonl")
    lines = [json.loads(line) for line in (home / "n.jsonl").read_text().splitlines()]
    assert [line["memory_id"] for line in lines] == told["memory_ids"]
    assert [line["text"] for line in lines] == ["Ivo ordered tea.", "Żółw pije herbatę."]
    assert {line["ts_utc"] for line in lines} == {"2026-05-06T05:08:09Z"}
    assert {tuple(line["tags"]) for line in lines} == {("orders",)}
    assert run(home, "context", "check", "n.jsonl")[0] == 0
    package = json.loads(run(home, "context", "what did Ivo order", "--store", "n.jsonl", "--json")[1])
    assert package["selection"]["selected"][0]["excerpt"] == "Ivo ordered tea."


def test_standard_input_is_records_a_document_or_a_text(home: Path) -> None:
    lines = "".join(json.dumps({"memory_id": f"r{number}", "text": f"note {number}"}) + "\n" for number in range(1200))
    code, out, _ = run(home, "context", "append", "n.jsonl", given=lines.encode())
    assert (code, b"Appended 1200 records to n.jsonl." in out) == (0, True)
    again = run(home, "context", "append", "n.jsonl", "--input", "json", given=b'[{"text": "a"}, "b"]')
    assert again[0] == 0
    letter = run(home, "context", "append", "n.jsonl", "--input", "text", "--id", "letter", given=b"Dear all,\n\nbye\n")
    assert letter[0] == 0
    held = [json.loads(line) for line in (home / "n.jsonl").read_text().splitlines()]
    assert [line["memory_id"] for line in held[:1200]] == [f"r{number}" for number in range(1200)]
    assert [line["text"] for line in held[1200:]] == ["a", "b", "Dear all,\n\nbye\n"]
    code, _, err = run(home, "context", "append", "n.jsonl", given=b'{"text": "x"}\n{"text": \n')
    assert code == 1
    assert "line 2 of standard input is not JSON" in err
    assert len((home / "n.jsonl").read_text().splitlines()) == 1203


def test_personal_data_is_cut_out_of_what_is_appended(home: Path) -> None:
    code, out, _ = run(home, "context", "append", "n.jsonl", "Call 212-555-0198.")
    assert (code, b"phone" in out) == (0, True)
    assert json.loads((home / "n.jsonl").read_text())["text"] == "Call [redacted]."


def test_a_retry_with_the_same_key_appends_once(home: Path) -> None:
    said = ["context", "append", "n.jsonl", "tea", "--idempotency-key", "k", "--json"]
    assert json.loads(run(home, *said)[1]) == json.loads(run(home, *said)[1])
    assert len((home / "n.jsonl").read_text().splitlines()) == 1


def test_a_check_names_bad_lines_by_their_numbers(home: Path) -> None:
    secret = b'{"memory_id": "a", "text": 5, "x": "hidden words"}\n\nno json\n{"memory_id": "b", "text": "fine"}\n'
    (home / "bad.jsonl").write_bytes(secret + b"\xff\xfe\n")
    code, out, err = run(home, "context", "check", "bad.jsonl")
    assert code == 1
    shown = out.decode() + err
    assert "line 1: has a text that is not a string (dropped)" in shown
    assert "line 3: is not valid JSON (dropped)" in shown
    assert "line 5: is not valid UTF-8 at byte 1 (dropped)" in shown
    assert "hidden" not in shown
    code, out, _ = run(home, "context", "check", "bad.jsonl", "--limit", "1", "--json")
    told = json.loads(out)
    assert (code, told["error_code"], told["ok"], told["more"]) == (1, "INVALID_INPUT", False, 2)
    assert [(item["line"], item["problem"]) for item in told["problems"]] == [(1, "wrong_type")]
    assert told["counts"] == {"wrong_type": 1, "not_json": 1, "not_utf8": 1}


def test_a_check_of_a_large_store_shows_progress_on_a_terminal_only(large: Path) -> None:
    code, out, said = run(large, "context", "check", "large.jsonl", terminal=True)
    assert (code, b"3000" in out) == (0, True)
    assert "Checking" in said
    assert run(large, "context", "check", "large.jsonl", "--json", terminal=True)[2] == ""


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
