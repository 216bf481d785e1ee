"""Processes that append to one context store at once, or are killed between any two steps of an append."""

import json
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import places
from fault.killing import environment
from fault.noter import STEPS, texts

DONE = ("written", "synced", "told")  # by then all of the append was in the file


def noter(place: places.Place, store: Path, name: str, step: str, nth: int, count: int) -> "subprocess.Popen[bytes]":
    program = str(Path(__file__).with_name("noter.py"))
    settings = json.dumps(asdict(place.settings))
    acks = str(store.with_suffix(f".{name}.acks"))
    arguments = [settings, str(store), name, step, str(nth), str(count), acks]
    return subprocess.Popen([sys.executable, program, *arguments], env=environment())


def acknowledged(store: Path, name: str) -> list[str]:
    path = store.with_suffix(f".{name}.acks")
    return path.read_text().split() if path.exists() else []


def held(store: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in store.read_text().splitlines()]


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_between_any_two_steps_loses_nothing_acknowledged(place: places.Place, tmp_path: Path, step: str):
    store = tmp_path / "notes.jsonl"
    with place.open():
        pass
    assert noter(place, store, "a", step, 2, 3).wait(60) == -signal.SIGKILL
    before = acknowledged(store, "a")
    assert len(before) == 3
    with place.open() as m:
        after = m.context.append(str(store), "after")
        assert after["success"], after
        wanted = [*texts("a", 1), *(texts("a", 2) if step in DONE else []), "after"]
        assert [line["text"] for line in held(store)] == wanted  # all of a call or nothing
        ids = [line["memory_id"] for line in held(store)]
        assert ids[:3] == before
        again = m.context.append(str(store), texts("a", 2), idempotency_key="a-2")
        assert again["success"]
        found = [line["text"] for line in held(store)]
        assert Counter(found) == Counter([*texts("a", 1), *texts("a", 2), "after"])  # once, whoever finished it
        assert set(again["memory_ids"]) <= {line["memory_id"] for line in held(store)}
        assert m.context.check(str(store))["ok"]  # type: ignore[typeddict-item]
        assert m.verify()["ok"]


@pytest.mark.parametrize("step", STEPS)
def test_a_retry_alone_settles_what_a_lost_process_left(mace_home: places.SqlitePlace, tmp_path: Path, step: str):
    store = tmp_path / "notes.jsonl"
    with mace_home.open():
        pass
    assert noter(mace_home, store, "a", step, 1, 1).wait(60) == -signal.SIGKILL
    with mace_home.open() as m:
        answer = m.context.append(str(store), texts("a", 1), idempotency_key="a-1")
        assert answer["success"]
        assert [line["memory_id"] for line in held(store)] == answer["memory_ids"]
        assert [line["text"] for line in held(store)] == texts("a", 1)
        assert m.context.append(str(store), texts("a", 1), idempotency_key="a-1") == answer
        assert m.verify()["ok"]


def test_what_others_wrote_behind_half_an_append_is_left_alone(mace_home: places.SqlitePlace, tmp_path: Path):
    store = tmp_path / "notes.jsonl"
    with mace_home.open():
        pass
    assert noter(mace_home, store, "a", "line", 1, 1).wait(60) == -signal.SIGKILL
    with store.open("a") as other:
        other.write('{"memory_id": "o", "text": "by another program"}\n')
    with mace_home.open() as m:
        assert m.context.append(str(store), "after")["success"]
        assert [line["text"] for line in held(store)] == [texts("a", 1)[0], "by another program", "after"]


def test_several_processes_append_whole_calls(place: places.Place, tmp_path: Path):
    store = tmp_path / "notes.jsonl"
    with place.open():
        pass
    names = ("a", "b", "c")
    running = [noter(place, store, name, "never", 0, 8) for name in names]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    found = [line["text"] for line in held(store)]
    calls = [found[at : at + 3] for at in range(0, len(found), 3)]
    assert sorted(calls) == sorted(texts(name, number) for name in names for number in range(1, 9))
    assert [name for name in names if len(acknowledged(store, name)) != 24] == []
    with place.open() as m:
        assert m.context.check(str(store))["ok"]  # type: ignore[typeddict-item]
        assert m.verify()["ok"]


def test_a_process_killed_among_others_harms_nobody(mace_home: places.SqlitePlace, tmp_path: Path):
    store = tmp_path / "notes.jsonl"
    with mace_home.open():
        pass
    running = [noter(mace_home, store, "a", "byte", 3, 9), noter(mace_home, store, "b", "never", 0, 9)]
    assert [process.wait(120) for process in running] == [-signal.SIGKILL, 0]
    with mace_home.open() as m:
        assert m.context.append(str(store), "after")["success"]
        found = [line["text"] for line in held(store)]
        mine = [text for text in found if text.startswith("a ")]
        assert mine == [*texts("a", 1), *texts("a", 2)]
        assert [text for text in found if text.startswith("b ")] == [
            text for number in range(1, 10) for text in texts("b", number)
        ]
        assert m.verify()["ok"]
