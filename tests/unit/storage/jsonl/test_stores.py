"""The reader notices what happens to a store, and needs its cache for nothing but speed."""

import errno
import json
import os
import random
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from context_reference import context_package
from mace.memory import context
from mace.storage.jsonl import JsonlStores, build, container
from mace.storage.jsonl import stores as stores_module

LATER_NS = 10_000_000_000


def line(number, text=None, **more):
    text = text if text is not None else f"record {number} says w{number % 7} and v{number % 11}"
    stamp = f"2024-01-{number % 28 + 1:02d}T00:00:{number % 60:02d}Z"
    return json.dumps(
        {"memory_id": f"m{number}", "text": text, "ts_utc": stamp, "tags": [f"T{number % 3}"]} | more
    ).encode()


def lines(first, last, end=b"\n"):
    return b"".join(line(number) + end for number in range(first, last))


class World:
    """A store, a cache and a clock."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = root / "stores" / "s.jsonl"
        self.cache = root / "cache"
        self.store.parent.mkdir()
        self.store.write_bytes(lines(0, 200))
        self.ahead_ns = LATER_NS  # by default every file looks old enough to be trusted
        self.parsed = 0
        self.reader = self.new_reader()

    def read_line(self, raw):
        self.parsed += 1
        return context.read_line(raw)

    def read_lines(self, lines):
        self.parsed += len(lines)
        return context.read_lines(lines)

    is_blank = staticmethod(context.is_blank)
    matching_text = staticmethod(context.matching_text)
    EntryWriter = context.EntryWriter

    def new_reader(self, cache="cache"):
        folder = None if cache is None else str(self.root / cache)
        return JsonlStores(self, folder, lambda: time.time_ns() + self.ahead_ns, bytes(32))

    def request(self, **more):
        return {
            "query": "w3 v5 t1 record",
            "store_paths": [str(self.store)],
            "budget": {"max_excerpt_tokens": 60},
        } | more

    def check(self, reader=None):
        """Read, compare with the reference, and say how many lines were parsed beyond those shown."""
        before = self.parsed
        package = context.read(self.request(), reader or self.reader)
        assert package.as_dict() == context_package(self.request())
        return self.parsed - before - len(package.selected) - 1


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def test_a_store_is_parsed_once(world):
    assert world.check() == 200
    assert world.check() == 0
    assert world.check(world.new_reader()) == 0


def test_an_append_parses_only_the_tail(world):
    world.check()
    for first in range(200, 200 + 5 * (stores_module.JOINED_PARTS - 1), 5):
        with world.store.open("ab") as file:
            file.write(lines(first, first + 5))
        assert world.check() == 5
    assert world.check(world.new_reader()) == 0


def test_many_appends_leave_few_parts_and_parse_a_record_few_times(world):
    world.store.write_bytes(b"")
    for number in range(300):
        with world.store.open("ab") as file:
            file.write(lines(number, number + 1))
        world.reader.open([str(world.store)])
    assert world.parsed <= 300 * 4
    assert len(index_files(world)) <= 7 * 4
    world.check()
    world.check(world.new_reader())


def test_an_append_is_noticed_by_a_new_process_too(world):
    world.check()
    with world.store.open("ab") as file:
        file.write(lines(200, 203))
    assert world.check(world.new_reader()) == 3


def test_a_last_line_without_a_line_end_is_read_again_when_it_grows(world):
    world.check()
    whole = line(300)
    with world.store.open("ab") as file:
        file.write(whole[:20])
    assert world.check() == 1
    with world.store.open("ab") as file:
        file.write(whole[20:])
    assert world.check() == 1
    with world.store.open("ab") as file:
        file.write(b"\n" + line(301))
    assert world.check() == 2
    assert world.check(world.new_reader()) == 1


def test_a_carriage_return_belongs_to_the_line_only_where_the_file_stops(world):
    world.store.write_bytes(lines(0, 3, b"\r\n") + b'{"memory_id":"x"}\r')
    world.check()
    with world.store.open("ab") as file:
        file.write(b"\n")
    world.check()


def keep_times(path, status):
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_an_edit_in_place_is_noticed_though_size_and_mtime_are_kept(world):
    world.check()
    status = world.store.stat()
    data = bytearray(world.store.read_bytes())
    at = data.index(b"record 100") + 7
    data[at : at + 3] = b"999"
    with world.store.open("r+b") as file:
        file.write(data)
    keep_times(world.store, status)
    assert world.check() == 200


def test_truncation_is_noticed(world):
    world.check()
    os.truncate(world.store, 5000)
    world.check()
    os.truncate(world.store, 0)
    world.check()
    world.store.write_bytes(lines(5, 9))
    world.check()


def test_replacement_is_noticed_also_by_a_file_of_equal_size_and_times(world):
    world.check()
    status = world.store.stat()
    other = world.root / "other"
    other.write_bytes(lines(0, 199) + line(199).replace(b"says", b"sags") + b"\n")
    assert other.stat().st_size == status.st_size
    keep_times(other, status)
    os.replace(other, world.store)
    assert world.check() == 200


def test_a_replacement_with_the_same_bytes_is_not_parsed_again(world):
    world.check()
    other = world.root / "other"
    other.write_bytes(world.store.read_bytes())
    os.replace(other, world.store)
    assert world.check() == 0


def test_a_young_file_is_looked_at_again_although_nothing_shows(world, monkeypatch):
    """An edit within the grain of the file's times leaves no trace in them."""
    world.ahead_ns = 0
    world.check()
    real = stores_module.signature_of
    frozen = real(world.store.stat())
    monkeypatch.setattr(stores_module, "signature_of", lambda status: frozen)
    data = world.store.read_bytes().replace(b"record 100", b"record 999")
    with world.store.open("r+b") as file:
        file.write(data)
    assert world.check() == 200
    world.ahead_ns = LATER_NS
    assert world.check() == 0


def test_stores_are_never_written(world):
    world.store.chmod(0o444)
    before = world.store.stat()
    world.check()
    world.check(world.new_reader())
    world.check(world.new_reader(None))
    after = world.store.stat()
    assert (after.st_mtime_ns, after.st_ctime_ns, after.st_ino) == (
        before.st_mtime_ns,
        before.st_ctime_ns,
        before.st_ino,
    )
    assert os.listdir(world.store.parent) == ["s.jsonl"]


def index_files(world):
    return sorted(world.cache.rglob("*.index"))


def manifest(world):
    (found,) = world.cache.rglob("manifest")
    return found


def test_the_cache_is_private(world):
    world.check()
    for path in world.cache.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_a_deleted_cache_is_done_without(world):
    world.check()
    for path in [*index_files(world), manifest(world)]:
        path.unlink()
    assert world.check() == 0  # what is mapped stays
    assert world.check(world.new_reader()) == 200


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_a_flipped_bit_anywhere_in_an_index_is_noticed(world, share):
    world.check()
    (path,) = index_files(world)
    data = bytearray(path.read_bytes())
    data[int(len(data) * share)] ^= 4
    path.write_bytes(data)
    assert world.check(world.new_reader()) == 200
    (path,) = index_files(world)
    data = bytearray(path.read_bytes())
    data[int(len(data) * share)] ^= 4
    with path.open("r+b") as file:
        file.write(data)
    assert world.check() == 0  # an index in use is a copy: nothing that happens to the cache reaches it


@pytest.mark.parametrize("size", [0, 1, 39, 1000])
def test_a_cut_index_is_noticed(world, size):
    world.check()
    (path,) = index_files(world)
    os.truncate(path, size)
    assert world.check() == 0  # the one in use is a copy
    os.truncate(path, size)
    assert world.check(world.new_reader()) == 200


@pytest.mark.parametrize("content", [b"", b"{}", b"\n{}", b"x" * 100, b"\xff\xfe"])
def test_a_damaged_manifest_is_noticed(world, content):
    world.check()
    manifest(world).write_bytes(content)
    assert world.check(world.new_reader()) == 200
    assert world.check(world.new_reader()) == 0


def test_an_index_of_other_bytes_under_the_same_name_is_noticed(world):
    world.check()
    (path,) = index_files(world)
    other = World(world.root / "elsewhere") if (world.root / "elsewhere").mkdir() is None else None
    other.store.write_bytes(lines(300, 500))
    other.check()
    path.write_bytes(index_files(other)[0].read_bytes())
    assert world.check(world.new_reader()) == 200


def test_two_spellings_of_a_path_have_packages_of_their_own(world, monkeypatch):
    monkeypatch.chdir(world.root)
    world.check()
    for spelling in ("stores/s.jsonl", "./stores//s.jsonl", "stores/../stores/s.jsonl"):
        request = world.request(store_paths=[spelling])
        package = context.read(request, world.reader).as_dict()
        assert package == context_package(request)
        assert package["selection"]["selected"][0]["store_path"] == "stores/s.jsonl"
    other = world.root / "elsewhere"
    (other / "stores").mkdir(parents=True)
    (other / "stores" / "s.jsonl").write_bytes(lines(7, 9))
    monkeypatch.chdir(other)
    request = world.request(store_paths=["stores/s.jsonl"])
    assert context.read(request, world.reader).as_dict() == context_package(request)


def test_a_cache_that_cannot_be_written_is_done_without(world):
    (world.root / "file").write_text("no folder")
    reader = world.new_reader("file")
    assert world.check(reader) == 200
    assert world.check(reader) == 0
    with world.store.open("ab") as file:
        file.write(lines(200, 203))
    assert world.check(reader) == 3


@pytest.mark.parametrize("after", [0, 30, 3000, 20_000])
def test_a_full_disk_moves_the_index_to_memory(world, monkeypatch, after):
    written = 0
    real = os.write

    def full(handle, data):
        nonlocal written
        if written + len(data) > after:
            if written < after:  # a short write first, as the system does
                count = real(handle, bytes(data)[: after - written])
                written += count
                return count
            raise OSError(errno.ENOSPC, "full")
        written += len(data)
        return real(handle, data)

    monkeypatch.setattr(container.os, "write", full)
    assert world.check() == 200
    assert world.check() == 0
    monkeypatch.undo()
    assert index_files(world) == []
    assert world.check(world.new_reader()) == 200


def test_a_real_limit_on_file_size_moves_the_index_to_memory(world):
    script = (
        "import resource, signal, sys, time\n"
        "from mace.memory import context\n"
        "from mace.storage.jsonl import JsonlStores\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "reader = JsonlStores(context, sys.argv[1], time.time_ns, bytes(32))\n"
        "request = {'query': 'w3 record', 'store_paths': [sys.argv[2]], 'budget': {'max_excerpt_tokens': 50}}\n"
        "print(context.read(request, reader).package_hash)\n"
    )
    assert resource.RLIMIT_FSIZE is not None
    found = run(script, str(world.cache), str(world.store))
    request = {"query": "w3 record", "store_paths": [str(world.store)], "budget": {"max_excerpt_tokens": 50}}
    assert found == context_package(request)["package_hash"]


def run(script, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    return done.stdout.strip()


ASK = (
    "import sys, time\n"
    "from mace.memory import context\n"
    "from mace.storage.jsonl import JsonlStores\n"
    "reader = JsonlStores(context, sys.argv[1], time.time_ns, bytes(32))\n"
    "request = {'query': 'w3 v5 record', 'store_paths': sys.argv[2:], 'budget': {'max_excerpt_tokens': 50}}\n"
    "package = context.read(request, reader)\n"
    "pieces = []\n"
    "package.write_json(pieces.append)\n"
    "import hashlib\n"
    "print(hashlib.sha256(b''.join(map(bytes, pieces))).hexdigest())\n"
)


def test_hash_seed_locale_and_order_of_paths_change_nothing(world):
    paths = [str(world.store)]
    for name in ("a", "z"):
        other = world.store.with_name(f"{name}.jsonl")
        other.write_bytes(lines(50, 150))
        paths.append(str(other))
    seen = {
        run(ASK, str(world.root / f"cache{seed}"), *order, PYTHONHASHSEED=str(seed), LC_ALL=locale, PYTHONUTF8="0")
        for seed, locale, order in [(0, "C", paths), (1, "C.UTF-8", paths[::-1]), (2, "tr_TR.UTF-8", paths * 2)]
    }
    assert len(seen) == 1


def test_processes_at_once_agree(world):
    processes = [
        subprocess.Popen([sys.executable, "-c", ASK, str(world.cache), str(world.store)], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert len({process.communicate()[0] for process in processes}) == 1
    assert all(process.returncode == 0 for process in processes)
    assert len(index_files(world)) == 1
    assert world.check() == 0


def test_threads_at_once_agree_while_the_store_grows(world):
    failures = []

    def work():
        try:
            for _ in range(20):
                package = context.read(world.request(), world.reader)
                entries = package["selection"]
                total = len(entries["selected"]) + len(entries["dropped"])
                assert total >= 200
                assert context.read(world.request(), world.reader).package_hash
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for first in range(200, 240):
        with world.store.open("ab") as file:
            file.write(lines(first, first + 1))
    for thread in threads:
        thread.join()
    assert failures == []
    world.check()


def test_a_store_that_changes_between_index_and_text_is_looked_at_again(world):
    """The text shown is the text that was indexed, or the reader starts over."""
    world.check()
    real = world.reader.open
    changes = iter([lines(10, 60), lines(3, 8)])

    def opened(paths, progress=None):
        view = real(paths, progress)
        for change in changes:
            with world.store.open("r+b") as file:
                file.truncate()
                file.write(change)
            break
        return view

    world.reader.open = opened
    assert context.read(world.request(), world.reader).as_dict() == context_package(world.request())


def test_the_package_can_be_hashed_after_the_store_is_gone(world):
    package = context.read(world.request(), world.reader)
    expected = context_package(world.request())
    world.store.unlink()
    assert package.package_hash == expected["package_hash"]
    assert package["selection"]["dropped"] == expected["selection"]["dropped"]


def test_a_cache_that_can_only_be_read_is_still_used(world, monkeypatch):
    world.check()
    monkeypatch.setattr(stores_module.Folder, "prepare", lambda self: False)
    assert world.check(world.new_reader()) == 0
    with world.store.open("ab") as file:
        file.write(lines(200, 203))
    reader = world.new_reader()
    assert world.check(reader) == 3
    assert world.check(reader) == 0
    assert len(index_files(world)) == 1


def test_many_stores_do_not_keep_all_their_files_open(world, monkeypatch):
    monkeypatch.setattr(stores_module, "_INDEXES_KEPT", 4)
    before = len(os.listdir("/proc/self/fd"))
    for number in range(40):
        path = world.store.with_name(f"{number}.jsonl")
        path.write_bytes(lines(number, number + 3))
        request = world.request(store_paths=[str(path)])
        assert context.read(request, world.reader).as_dict() == context_package(request)
    assert len(os.listdir("/proc/self/fd")) < before + 20


def test_progress_is_told_in_bytes_over_all_stores(world, monkeypatch):
    monkeypatch.setattr(stores_module, "_WORTH_TELLING", 1)
    monkeypatch.setattr(build, "READ_BYTES", 4096)
    monkeypatch.setattr(stores_module, "READ_BYTES", 4096)
    other = world.store.with_name("t.jsonl")
    other.write_bytes(lines(0, 50))
    total = world.store.stat().st_size + other.stat().st_size
    seen = []
    world.reader.open([str(world.store), str(other)], lambda *news: seen.append(news))
    assert seen == sorted(seen)
    assert seen[0][0] < world.store.stat().st_size
    assert seen[-1] == (total, total)
    assert len(seen) > 5
    seen.clear()
    world.reader.open([str(world.store), str(other)], lambda *news: seen.append(news))
    assert seen == []
    with other.open("ab") as file:
        file.write(lines(50, 60))
    total = world.store.stat().st_size + other.stat().st_size
    world.reader.open([str(world.store), str(other)], lambda *news: seen.append(news))
    assert seen[-1] == (total, total)


def test_what_takes_a_moment_is_not_reported(world):
    seen = []
    world.reader.open([str(world.store)], lambda *news: seen.append(news))
    assert seen == []


def test_long_lines_cross_the_blocks_a_store_is_read_in(world, monkeypatch):
    monkeypatch.setattr(build, "READ_BYTES", 64)
    monkeypatch.setattr(stores_module, "READ_BYTES", 64)
    world.store.write_bytes(
        lines(0, 5) + line(5, "long " * 500 + "w3") + b"\r\n\n  \n" + b"x" * 300 + b"\n" + line(6, "v5 " + "é" * 200)
    )
    world.check()
    with world.store.open("ab") as file:
        file.write(b"\n" + line(7, "w3 " * 100) + b"\n")
    world.check()
    world.check(world.new_reader())


def test_many_records_span_blocks_and_slices(world, monkeypatch):
    monkeypatch.setattr(build, "BLOCK_RECORDS", 64)
    monkeypatch.setattr(build, "_SLICE_RECORDS", 32)
    monkeypatch.setattr(build, "_FIRST_SLICE", 8)
    random_ = random.Random(4)
    body = [line(random_.randrange(400), f"w{random_.randrange(9)} r{random_.randrange(50)}") for _ in range(500)]
    world.store.write_bytes(b"\n".join(body) + b"\n")
    world.check()


def test_a_huge_line_is_a_record_like_any_other(world):
    world.store.write_bytes(line(1, "w3 " + "x" * 9_000_000) + b"\n" + line(2))
    world.check()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: None, errno.ENOENT),
        (lambda path: path.mkdir(), errno.EISDIR),
        (lambda path: os.mkfifo(path), errno.EINVAL),
        (lambda path: path.symlink_to(path), errno.ELOOP),
    ],
)
def test_what_is_no_file_is_refused(world, make, code):
    path = world.root / "odd"
    make(path)
    with pytest.raises(OSError) as caught:
        world.reader.open([str(path)])
    assert caught.value.errno == code
    assert caught.value.filename == str(path)
