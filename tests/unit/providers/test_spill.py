"""The spill file: preallocated, framed and signed; damage is told, not hidden, and hides nothing behind it."""

import os
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.core.errors import ServiceUnavailable, StorageFull
from mace.core.purposes import Purpose
from mace.providers import spill as spill_module
from mace.providers.spill import SpillFile


def sign(purpose: Purpose, digest: bytes) -> str:
    return "k1:" + sha256(f"key of {purpose}".encode() + digest).hexdigest()


def check(purpose: Purpose, digest: bytes, signature: str) -> bool:
    return signature == sign(purpose, digest)


def entry(number: int, filler: str = "") -> dict[str, Any]:
    return {"spill_id": f"id-{number}", "event_type": "STORAGE_FULL", "verb": "test", "filler": filler}


@pytest.fixture
def spill(tmp_path: Path) -> SpillFile:
    made = SpillFile(tmp_path / "spill.bin", sign, check, 8192)
    made.prepare()
    return made


def ids(spill: SpillFile) -> list[str]:
    return [item["spill_id"] for item in spill.entries()]


def damage(spill: SpillFile, at: int, data: bytes) -> None:
    with Path(spill.place()).open("r+b") as file:
        file.seek(at)
        file.write(data)


def used(spill: SpillFile) -> int:
    return len(Path(spill.place()).read_bytes().rstrip(b"\0"))


def test_the_space_is_taken_in_advance(spill: SpillFile):
    status = os.stat(spill.place())
    assert status.st_size == 8192
    assert status.st_blocks * 512 >= 8192
    spill.add(entry(1))
    spill.prepare()
    assert ids(spill) == ["id-1"]
    assert os.stat(spill.place()).st_size == 8192
    assert oct(status.st_mode & 0o777) == "0o600"


def test_without_a_file_nothing_waits(tmp_path: Path):
    assert SpillFile(tmp_path / "none", sign, check).entries() == []
    assert not (tmp_path / "none").exists()


def test_entries_come_back_in_order_and_survive_opening_again(spill: SpillFile):
    entries = [entry(number, "é" * number) for number in range(5)]
    for item in entries:
        spill.add(item)
    assert SpillFile(Path(spill.place()), sign, check, 8192).entries() == entries


def test_cleared_entries_are_gone_and_others_stay(spill: SpillFile):
    entries = [entry(number) for number in range(4)]
    for item in entries:
        spill.add(item)
    spill.clear(entries[:2])
    assert spill.entries() == entries[2:]
    spill.add(entry(9))
    spill.clear([entries[3]])
    assert ids(spill) == ["id-2", "id-9"]
    spill.clear(spill.entries())
    assert spill.entries() == []
    assert used(spill) == 0  # all of the space is there again
    assert os.stat(spill.place()).st_size == 8192


def test_clearing_by_somebody_who_is_late_takes_nothing_else(spill: SpillFile):
    spill.add(entry(1))
    seen = spill.entries()
    spill.clear(seen)
    spill.add(entry(2))
    spill.clear(seen)
    assert ids(spill) == ["id-2"]


def test_a_full_file_refuses_and_keeps_what_it_has(spill: SpillFile):
    spill.add(entry(1))
    with pytest.raises(StorageFull):
        spill.add(entry(2, "x" * 9000))
    count = 1
    with pytest.raises(StorageFull):
        while True:
            spill.add(entry(3, "x" * 500))
            count += 1
    assert len(spill.entries()) == count
    spill.clear(spill.entries())
    spill.add(entry(4))
    assert ids(spill) == ["id-4"]


@pytest.mark.parametrize("at", [0, 2, 4, 9, 10, 40, 100, 140])
def test_a_changed_byte_is_told_and_hides_nothing_behind_it(spill: SpillFile, at: int):
    for number in range(3):
        spill.add(entry(number))
    before = Path(spill.place()).read_bytes()[at]
    damage(spill, at, bytes([before ^ 0xFF]))
    found = spill.entries()
    assert [item["spill_id"] for item in found][-2:] == ["id-1", "id-2"]
    told = [item for item in found if item["event_type"] == "INTEGRITY_FAILURE"]
    assert told
    assert all("torn or were changed" in item["reason"] for item in told)
    assert spill.entries() == found  # the same each time, so it is merged once
    spill.clear(found)
    assert spill.entries() == []
    assert used(spill) == 0


@pytest.mark.parametrize("kept", [1, 3, 5, 11, 40, 120])
def test_an_entry_that_a_crash_tore_is_told(spill: SpillFile, kept: int):
    spill.add(entry(1))
    start = used(spill)
    spill.add(entry(2))
    damage(spill, start + kept, b"\0" * (used(spill) - start - kept))
    found = spill.entries()
    assert found[0] == entry(1)
    assert [item["event_type"] for item in found[1:]] == ["INTEGRITY_FAILURE"]
    spill.add(entry(3))
    assert ids(spill)[0] == "id-1"
    assert ids(spill)[-1] == "id-3"


def test_an_entry_by_another_key_is_not_believed(spill: SpillFile, tmp_path: Path):
    foreign = SpillFile(Path(spill.place()), lambda purpose, digest: "k1:foreign", check, 8192)
    spill.add(entry(1))
    foreign.add({**entry(2), "event_type": "KEY_ROTATED"})
    spill.add(entry(3))
    assert [item["event_type"] for item in spill.entries()] == ["STORAGE_FULL", "INTEGRITY_FAILURE", "STORAGE_FULL"]


@pytest.mark.parametrize("emptied", ["body", "nothing"])
def test_a_crash_while_clearing_brings_nothing_back(spill: SpillFile, emptied: str):
    """The mark is written first; whatever of the emptying is missing, the entry stays merged."""
    spill.add(entry(1))
    end = used(spill)
    spill.add(entry(2))
    body = Path(spill.place()).read_bytes()
    damage(spill, 0, b"MDON" + (end - 10).to_bytes(4, "big") + b"\0\0")
    if emptied == "body":
        damage(spill, 10, b"\0" * (end - 10))
    assert ids(spill) == ["id-2"]
    spill.clear([])
    assert ids(spill) == ["id-2"]
    assert Path(spill.place()).read_bytes()[:end] == b"\0" * end
    assert body[end:] == Path(spill.place()).read_bytes()[end:]


def test_a_file_of_random_bytes_is_no_crash(spill: SpillFile):
    damage(spill, 0, os.urandom(4000))
    assert all(item["event_type"] == "INTEGRITY_FAILURE" for item in spill.entries())
    spill.clear(spill.entries())
    assert spill.entries() == []


def test_many_threads_lose_nothing(tmp_path: Path):
    files = [SpillFile(tmp_path / "spill.bin", sign, check, 1 << 18) for _ in range(4)]

    def work(number: int) -> None:
        for index in range(25):
            files[number].add(entry(number * 100 + index))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(set(ids(files[0]))) == 100


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["add", "clear", "damage"]), st.integers(0, 400)), max_size=12))
def test_whatever_happens_good_entries_are_read(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]):
    spill = SpillFile(tmp_path_factory.mktemp("spill") / "spill.bin", sign, check, 16384)
    spill.prepare()
    for number, (step, amount) in enumerate(steps):
        if step == "add":
            spill.add(entry(number, "x" * amount))
            assert ids(spill)[-1] == f"id-{number}"
        elif step == "clear":
            spill.clear(spill.entries()[: amount % 4])
        elif used(spill):
            damage(spill, amount % used(spill), bytes([amount % 255 + 1]))
        found = spill.entries()
        assert spill.entries() == found
    spill.clear(spill.entries())
    assert spill.entries() == []


def test_a_file_that_somebody_made_huge_is_not_read_whole(spill: SpillFile, monkeypatch: pytest.MonkeyPatch):
    spill.add(entry(1))
    with Path(spill.place()).open("r+b") as file:
        file.truncate(1 << 30)
        file.seek((1 << 30) - 10)
        file.write(b"MSPL")
    read: list[int] = []
    pread = os.pread

    def counted(descriptor: int, count: int, offset: int) -> bytes:
        read.append(count)
        return pread(descriptor, count, offset)

    monkeypatch.setattr(spill_module.os, "pread", counted)
    found = spill.entries()
    assert found[0] == entry(1)
    assert [item["event_type"] for item in found[1:]] == ["INTEGRITY_FAILURE"]
    assert str(1 << 30) in found[1]["reason"]
    assert spill.entries() == found  # the same each time, so it is merged once
    spill.add(entry(2))
    spill.clear(found)
    assert ids(spill) == ["id-2"]
    assert os.stat(spill.place()).st_size <= 16 << 20
    assert max(read) <= 16 << 20


def test_what_an_earlier_larger_setting_kept_is_still_read(tmp_path: Path):
    larger = SpillFile(tmp_path / "spill.bin", sign, check, 1 << 20)
    larger.prepare()
    for number in range(40):
        larger.add(entry(number, "x" * 1000))
    smaller = SpillFile(tmp_path / "spill.bin", sign, check, 4096)
    assert ids(smaller) == [f"id-{number}" for number in range(40)]


def test_a_file_of_nothing_but_beginnings_is_gone_through_once(tmp_path: Path):
    made = SpillFile(tmp_path / "spill.bin", sign, check, 1 << 20)
    (tmp_path / "spill.bin").write_bytes(b"MSPL\x00\x0f" * 170_000)
    found = made.entries()
    assert len(found) <= 1_001
    made.clear(found)
    assert made.entries() == []


@pytest.mark.parametrize("kind", ["directory", "fifo", "link to nowhere"])
def test_what_is_no_file_is_told_by_its_name(tmp_path: Path, kind: str):
    path = tmp_path / "spill.bin"
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(tmp_path / "no" / "such" / "place")
    made = SpillFile(path, sign, check, 8192)
    with pytest.raises(ServiceUnavailable, match=r"spill\.bin"):
        made.prepare()
    with pytest.raises(ServiceUnavailable, match=r"spill\.bin"):
        made.add(entry(1))
