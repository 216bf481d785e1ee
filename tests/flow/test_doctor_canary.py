"""`mace doctor --canary`: somebody plants words and sees where they went; the words themselves are never repeated."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import canaries
import mace as mace_package
from mace.interfaces.cli import main

pytestmark = pytest.mark.stage1
WORD, PLAIN = "zanzibarquokka", "tasmanwombat"
KEY = "user/profile/user_bob/diary"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Callable[..., tuple[int, str]]:
    """Run a command in this process; the answer is (exit code, what it printed)."""
    for name in [name for name in os.environ if name.startswith(("MACE_", "XDG_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USER", "ana")
    monkeypatch.setenv("MACE_LOCATION", str(tmp_path / "m"))
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str]:
        capfdbinary.readouterr()
        code = main([*arguments])
        came = capfdbinary.readouterr()
        return code, (came.out + came.err).decode()

    assert call("init", "--bare")[0] == 0
    return call


def found(run: Callable[..., tuple[int, str]], *words: str) -> list[tuple[int, str, str, bool, str | None]]:
    arguments = [part for word in words for part in ("--canary", word)]
    code, told = run("doctor", *arguments, "--json")
    assert code == 0
    assert not any(word in told for word in words), "a word is called by its number"
    return [
        (item["word"], " ".join(item["where"].values()), item["form"], item["sealed"], item["person"])
        for item in json.loads(told)["findings"]
    ]


def test_words_are_found_where_they_went(run: Callable[..., tuple[int, str]], tmp_path: Path):
    assert found(run, WORD, PLAIN) == []
    with mace_package.open(tmp_path / "m") as m:
        m.sem_put(KEY, f"dear {WORD}", "user")
        m.ask(f"write about the {WORD}", user_id="bob")
        m.sem_put("world/fact/animal/name", PLAIN, "system_admin")
    hits = found(run, WORD, PLAIN)
    sealed = [hit for hit in hits if hit[0] == 1]
    assert {(hit[3], hit[4]) for hit in sealed} == {(True, "user_bob")}, "all of it lies under the person's key"
    assert any("sem_history" in hit[1] for hit in sealed)
    assert any("vault_blobs" in hit[1] for hit in sealed)
    plain = [hit for hit in hits if hit[0] == 2]
    assert {hit[3] for hit in plain} == {False}
    assert any(hit[1].endswith("mace.db") or "mace.db-wal" in hit[1] for hit in plain)
    assert any("facts" in hit[1] for hit in plain)
    code, text = run("doctor", "--canary", WORD)
    assert code == 0
    assert "sealed" in text
    assert WORD not in text
    assert "dear" not in text, "what stands around it is not shown"


def test_the_search_leaves_its_event_and_keeps_no_word(run: Callable[..., tuple[int, str]], tmp_path: Path):
    assert found(run, WORD) == []
    assert found(run, WORD) == [], "the first search left nothing of it"
    with mace_package.open(tmp_path / "m") as m:
        looks = [e["payload"] for e in m.events("system") if e["event_type"] == "admin_access_event"]
    assert [(look["what"], look["which"]) for look in looks] == [("canary_search", "1 words")] * 2


def test_words_come_from_a_file_which_is_not_searched(run: Callable[..., tuple[int, str]], tmp_path: Path):
    words = tmp_path / "tmp" / "words.txt"
    words.write_text(f"{WORD}\n\n{PLAIN}\n")
    (tmp_path / "tmp" / "left.bin").write_bytes(PLAIN.encode("utf-16-le"))
    code, told = run("doctor", "--canary-file", str(words), "--json")
    assert code == 0
    shown = json.loads(told)
    assert shown["words"] == 2
    assert [(item["word"], item["form"], item["where"]["file"]) for item in shown["findings"]] == [
        (2, "UTF-16", str(tmp_path / "tmp" / "left.bin"))
    ]


@pytest.mark.parametrize("word", ["abc", "  "])
def test_what_stands_in_every_file_is_refused(run: Callable[..., tuple[int, str]], word: str):
    assert run("doctor", "--canary", word)[0] != 0


@pytest.mark.parametrize("word", ["123-45-6789", "ghp_" + "q7Zr2LmX9vBt4KsW8yHc3NdJ6fGp1TaE5uRo", "bo.b@example.org"])
def test_personal_words_are_looked_for_and_left_nowhere(run: Callable[..., tuple[int, str]], tmp_path: Path, word: str):
    assert found(run, word) == []
    listed = tmp_path / "words.txt"
    listed.write_text(f"{word}\n")
    code, told = run("doctor", "--canary-file", str(listed), "--json")
    assert (code, json.loads(told)["findings"]) == (0, [])
    code, told = run("doctor", "--canary", word, "--canary", "abc")
    assert code != 0
    assert word not in told
    listed.unlink()
    assert canaries.in_files(tmp_path, [word]) == [], "no event, log, or temporary file has it"
