"""What only the LevelDB folder can break: a second process, damage, a full disk; and the keys, which are a promise."""

import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import experience_worker
from experience_samples import START_US, change, megram, megram_id, need_plyvel, pair
from experience_worker import check, project
from mace.core.errors import Conflict, IntegrityFailure, InvalidInput, PreconditionFailed, ServiceUnavailable
from mace.storage.experience_ports import Experience
from mace.storage.leveldb import LevelDbExperience, keys

WORKER = experience_worker.__file__


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    need_plyvel()
    return tmp_path / "experience"


@pytest.fixture
def store(folder: Path) -> Iterator[LevelDbExperience]:
    opened = LevelDbExperience(folder)
    yield opened
    opened.close()


def raw(folder: Path) -> Any:
    import plyvel

    return plyvel.DB(str(folder))


def everything(folder: Path) -> dict[bytes, bytes]:
    db = raw(folder)
    try:
        return dict(db.iterator())
    finally:
        db.close()


def fill(x: Experience) -> None:
    x.add([megram(1, "tool:shell", "path:/a%b"), megram(2, "s", "e", "C", f=1.0, k=0.0)])
    x.recall([megram_id(2)], START_US)
    x.retire(megram_id(2), "change-1")
    x.put_pairs([pair("s", "e", 7)])
    x.put_change(change("change-1", 3))
    x.move_cursor(5)


def test_the_keys_are_those_of_the_text(store: LevelDbExperience, folder: Path):
    store.write(fill)
    store.close()
    held = everything(folder)
    first, second = megram_id(1).encode(), megram_id(2).encode()
    assert held[b"megram:" + first] == (
        b'{"content":"%b","created_at":"2025-11-29T12:00:00.000001Z","entity":"path:/a%%b","f":0.8,"id":"%b","k":0.05,'
        b'"key_refs":["job/1","person/a"],"level":"M","marked":false,"place":1,"sigma":1,"space":"tool:shell",'
        b'"state":"success"}' % (b64encode(megram(1).content), first)
    )
    assert held[b"idx:tool%3Ashell:path%3A/a%25b:" + first] == b""
    assert held[b"idx:s:e:" + second] == b""
    assert held[b"lvl:M:" + first] == held[b"lvl:C:" + second] == b""
    assert held[b"recall:" + second] == b"2025-11-29T12:00:00.000000Z"
    assert held[b"cursor"] == b"5"
    assert sorted(key.partition(b":")[0] for key in held) == sorted(
        b"megram megram idx idx lvl lvl rule recall retired pair due change place cursor".split()
    )


def test_nothing_is_left_of_what_was_forgotten(store: LevelDbExperience, folder: Path):
    store.write(fill)
    store.write(lambda x: (x.forget("tool:shell", "path:/a%b"), x.remove(megram_id(2))))
    store.write(lambda x: x.put_pairs([pair("s", "e", 8)]))
    store.write(lambda x: x.put_change(change("change-1", 4)))
    store.close()
    kinds = [key.partition(b":")[0] for key in everything(folder)]
    assert sorted(kinds) == sorted([b"pair", b"due", b"change", b"place", b"cursor"])


@pytest.mark.parametrize("text", ["", "a", "%", ":", "%3A", "%253A", "a:b%c", "日本語:\U0001f600%"])
def test_a_part_comes_back_and_has_no_separator(text: str):
    assert keys.text_of(keys.part(text)) == text
    assert b":" not in keys.part(text)


def test_nul_in_a_tag_is_refused(store: LevelDbExperience):
    for unit in (
        lambda x: x.put_pairs([pair("a\0b", "c")]),
        lambda x: x.add([megram(1, "a\0b")]),
        lambda x: x.recall(["a\0b"], START_US),
    ):
        with pytest.raises(InvalidInput):
            store.write(unit)


def test_an_instant_that_no_calendar_holds_is_refused(store: LevelDbExperience):
    with pytest.raises(InvalidInput):
        store.write(lambda x: x.recall(["a"], 2**62))


def test_a_second_process_is_told_who_holds_it(store: LevelDbExperience, folder: Path):
    done = subprocess.run(
        [sys.executable, WORKER, "leveldb", str(folder.parent), "hold"],
        input="go\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert f"another process holds the experience in {folder}" in last
    with pytest.raises(Conflict, match="another process holds"):
        LevelDbExperience(folder)
    store.write(fill)  # and the first goes on
    store.close()
    done = subprocess.run(
        [sys.executable, WORKER, "leveldb", str(folder.parent), "count", "3"],
        input="go\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "open\n"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setitem(sys.modules, "plyvel", None)
    with pytest.raises(PreconditionFailed, match=r"pip install 'mace-runtime\[leveldb\]'"):
        LevelDbExperience(tmp_path / "x")
    assert not (tmp_path / "x").exists()


LOOKS = {
    b"megram:": lambda x: (x.scan(), x.get(megram_id(1)), x.of_pair("tool:shell", "path:/a%b"), x.rules("s", "e")),
    b"idx:": lambda x: x.of_pair("tool:shell", "path:/a%b"),
    b"rule:": lambda x: x.rules("s", "e"),
    b"recall:": lambda x: x.recalled_us([megram_id(2)]),
    b"retired:": lambda x: x.retired_by([megram_id(2)]),
    b"pair:": lambda x: (x.pairs(), x.pair("s", "e")),
    b"due:": lambda x: x.due(10),
    b"change:": lambda x: (x.change("change-1"), x.changes()),
    b"place:": lambda x: x.changes(),
    b"cursor": lambda x: x.cursor(),
}
DAMAGE = [b"", b"\xff\xfe", b"{}", b"[]", b"null", b'{"id":1}', b"[[[["]


@pytest.mark.parametrize("prefix", [b"megram:", b"recall:", b"pair:", b"due:", b"change:", b"cursor"])
@pytest.mark.parametrize("value", DAMAGE, ids=range(len(DAMAGE)))
def test_a_damaged_value_is_named(store: LevelDbExperience, folder: Path, prefix: bytes, value: bytes):
    store.write(fill)
    store.close()
    db = raw(folder)
    damaged = [key for key in dict(db.iterator()) if key.startswith(prefix)]
    for key in damaged:
        db.put(key, value)
    db.close()
    again = LevelDbExperience(folder)
    try:
        with pytest.raises(IntegrityFailure) as raised:
            again.read(LOOKS[prefix])
        assert any(repr(key.decode(errors="backslashreplace")) in str(raised.value) for key in damaged)
    finally:
        again.close()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", '"other"'),
        ("content", '"*not base64*"'),
        ("content", "7"),
        ("created_at", '"yesterday"'),
        ("created_at", '"2025-11-29T12:00:00"'),
        ("f", '"0.8"'),
        ("f", "true"),
        ("key_refs", '"abc"'),
        ("key_refs", "[1]"),
        ("marked", "0"),
        ("place", "1.5"),
        ("space", "null"),
    ],
)
def test_a_megram_with_a_damaged_field_is_named(store: LevelDbExperience, folder: Path, field: str, value: str):
    import orjson

    store.write(fill)
    store.close()
    db = raw(folder)
    key = b"megram:" + megram_id(1).encode()
    row = orjson.loads(db.get(key))
    row[field] = orjson.Fragment(value)
    db.put(key, orjson.dumps(row))
    db.close()
    again = LevelDbExperience(folder)
    try:
        with pytest.raises(IntegrityFailure, match=f"megram:{megram_id(1)}"):
            again.read(lambda x: x.get(megram_id(1)))
    finally:
        again.close()


@pytest.mark.parametrize("prefix", [b"idx:", b"rule:", b"due:", b"place:"])
def test_an_index_that_names_nothing_is_named(store: LevelDbExperience, folder: Path, prefix: bytes):
    store.write(fill)
    store.close()
    db = raw(folder)
    for key, _ in list(db.iterator()):
        if key.partition(b":")[0] in (b"megram", b"pair", b"change"):
            db.delete(key)
    db.close()
    again = LevelDbExperience(folder)
    try:
        with pytest.raises(IntegrityFailure, match=prefix.decode()):
            again.read(LOOKS[prefix])
    finally:
        again.close()


def _many(x: Experience) -> None:
    x.add([megram(number, content=bytes(2000)) for number in range(200)])


def test_damaged_files_are_damage_and_no_stack_trace(store: LevelDbExperience, folder: Path):
    store.write(_many)
    store.close()
    LevelDbExperience(folder).close()  # brings the log into a table
    tables = list(folder.glob("*.ldb"))
    assert tables
    for file in tables:
        data = bytearray(file.read_bytes())
        data[: len(data) // 2] = bytes(len(data) // 2)
        file.write_bytes(data)
    with pytest.raises(IntegrityFailure, match="move the folder away"):
        again = LevelDbExperience(folder)
        try:
            again.read(lambda x: x.scan())
        finally:
            again.close()


def test_a_log_that_was_damaged_in_the_middle_is_not_passed_over(store: LevelDbExperience, folder: Path):
    for number in range(100):
        store.write(lambda x, n=number: x.add([megram(n, content=bytes(2000))]))
    store.close()
    log = max(folder.glob("*.log"), key=lambda file: file.stat().st_size)
    data = bytearray(log.read_bytes())
    data[5000:5100] = b"\xff" * 100
    log.write_bytes(data)
    with pytest.raises(IntegrityFailure):
        LevelDbExperience(folder)


def test_a_half_written_tail_is_what_a_kill_leaves(store: LevelDbExperience, folder: Path):
    acknowledged = [store.write(project) for _ in range(20)]
    store.close()
    log = max(folder.glob("*.log"), key=lambda file: file.stat().st_size)
    log.write_bytes(log.read_bytes()[:-10])
    again = LevelDbExperience(folder)
    try:
        assert check(again, acknowledged[:-1]) == 19
    finally:
        again.close()


@pytest.mark.parametrize("what", ["a file", "under a file"])
def test_a_folder_that_cannot_be_used(tmp_path: Path, what: str):
    need_plyvel()
    (tmp_path / "file").write_text("x")
    place = tmp_path / "file" if what == "a file" else tmp_path / "file" / "x"
    with pytest.raises(ServiceUnavailable) as raised:
        LevelDbExperience(place)
    assert str(place) in str(raised.value)


def test_the_folder_is_the_owners_alone(store: LevelDbExperience, folder: Path):
    assert oct(folder.stat().st_mode & 0o777) == "0o700"


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path):
    need_plyvel()
    done = subprocess.run(
        [sys.executable, WORKER, "leveldb", str(tmp_path), "full"],
        input="go\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    _, failures, counts = done.stdout.splitlines()
    assert failures.split() == ["StorageFull"] * 3
    acknowledged, there = map(int, counts.split())
    assert there >= acknowledged
    store = LevelDbExperience(tmp_path / "experience")
    try:
        assert check(store, []) == there
    finally:
        store.close()
