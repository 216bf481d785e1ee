"""Appending to files: locked, whole or not at all, never through a link or into what is no file."""

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mace.storage.jsonl import appending
from mace.storage.jsonl.appending import JsonlAppender


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\ntwo\n")
    return path


def held(path: Path, wait_s: float = 1.0, *, may_make: bool = True):
    return JsonlAppender().locked(str(path), wait_s, may_make=may_make)


def test_what_is_appended_stands_behind_what_was_there(store: Path):
    with held(store) as file:
        assert (file.size, file.count_lines(), file.last_line()) == (8, 2, (b"two", True))
        file.append(b"three\n")
        assert file.read(4, 100) == b"two\nthree\n"
    assert store.read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("content", "last", "lines"),
    [
        (b"", (b"", False), 0),
        (b"\n", (b"", True), 1),
        (b"a", (b"a", False), 1),
        (b"a\r\n", (b"a", True), 1),
        (b"a\nb\r", (b"b\r", False), 2),
        (b"a\n\n", (b"", True), 2),
        (b"a\n" + b"x" * 20_000 + b"\n", (b"x" * 20_000, True), 2),
        (b"x" * 20_000, (b"x" * 20_000, False), 1),
        (b"a\n" + b"x" * (5 << 20), None, 2),
    ],
)
def test_how_a_file_ends(tmp_path: Path, content: bytes, last: tuple[bytes, bool] | None, lines: int):
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    with held(path) as file:
        assert file.count_lines() == lines
        if last is None:
            assert len(file.last_line()[0]) > 4 << 20  # long enough to be no record
        else:
            assert file.last_line() == last


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path):
    path = tmp_path / "new.jsonl"
    with pytest.raises(FileNotFoundError), held(path, may_make=False):
        pass
    with held(path) as file:
        file.append(b"a\n")
    assert path.stat().st_mode & 0o777 == 0o600


def test_only_one_holds_a_store_also_under_another_name(store: Path, tmp_path: Path):
    other = tmp_path / "hard.jsonl"
    other.hardlink_to(store)
    with held(store), pytest.raises(TimeoutError), held(other, 0.02):
        pass
    with held(other):
        pass


def test_threads_wait_for_each_other(store: Path):
    def write(number: int) -> None:
        for _ in range(20):
            with held(store, 30) as file:
                size = file.size
                file.append(b"%d\n" % number)
                assert file.size == size + 2

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = store.read_bytes().splitlines()[2:]
    assert sorted(lines) == sorted(b"%d" % number for number in range(4) for _ in range(20))


def test_a_file_that_was_replaced_while_it_was_waited_for_is_opened_again(store: Path, tmp_path: Path):
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with held(store):
            entered.set()
            leave.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(30)
    (tmp_path / "new").write_bytes(b"new\n")
    (tmp_path / "new").replace(store)
    with held(store, 30) as file:
        file.append(b"more\n")
    leave.set()
    thread.join()
    assert store.read_bytes() == b"new\nmore\n"


def test_a_write_that_fails_half_way_leaves_nothing(store: Path, monkeypatch: pytest.MonkeyPatch):
    write = os.write
    calls = iter([3, 0])

    def half(number: int, data: bytes) -> int:
        allowed = next(calls)
        if not allowed:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(number, bytes(data[:allowed]))

    monkeypatch.setattr(appending.os, "write", half)
    with held(store) as file, pytest.raises(OSError, match="space"):
        file.append(b"three\n")
    assert store.read_bytes() == b"one\ntwo\n"


def test_a_system_that_gives_no_more_space_leaves_nothing(store: Path):
    """The real thing: the kernel takes some of it, then refuses."""
    program = (
        "import resource, sys\n"
        "from mace.storage.jsonl.appending import JsonlAppender\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "with JsonlAppender().locked(sys.argv[1], 1, may_make=False) as file:\n"
        "    try:\n"
        "        file.append(b'x' * 200 + b'\\n')\n"
        "    except OSError as error:\n"
        "        print(error.errno, file.size)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(store)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(errno.EFBIG), "8"]
    assert store.read_bytes() == b"one\ntwo\n"


def test_what_somebody_wrote_without_the_lock_is_not_cut_off(store: Path, monkeypatch: pytest.MonkeyPatch):
    def fails(number: int) -> None:
        with store.open("ab") as other:
            other.write(b"theirs\n")
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(appending.os, "fsync", fails)
    with held(store) as file, pytest.raises(OSError, match="broken"):
        file.append(b"ours\n")
    assert store.read_bytes() == b"one\ntwo\nours\ntheirs\n"


def test_what_is_no_writable_file_is_refused(store: Path, tmp_path: Path):
    link = tmp_path / "link.jsonl"
    link.symlink_to(store)
    assert JsonlAppender().real(str(link)) == str(store)
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    for path in (link, tmp_path / "pipe.jsonl", tmp_path / "folder.jsonl", Path("/dev/null"), tmp_path / "no" / "f"):
        with pytest.raises(OSError), held(path):
            pass
    with pytest.raises(FileNotFoundError), JsonlAppender().locked("a\0b", 1, may_make=True):
        pass
    store.chmod(0o444)
    with pytest.raises(PermissionError), held(store):
        pass
    assert store.read_bytes() == b"one\ntwo\n"
