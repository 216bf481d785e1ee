"""The index of a talk in the cache is for speed alone: whatever is there, packages are those of the plain scorer.

A file of a talk is used again by the next reader, and by nobody when it is damaged, cut, of another store, of another
format or of a part that the store no longer has: then it is made anew.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import phase7_reference
from mace.memory import context
from mace.memory.context import controller
from mace.storage.jsonl import JsonlStores, cache, stores
from mace.storage.jsonl.cache import drop_all
from mace.storage.jsonl.container import NONCE

SEAL = bytes(range(32))
LATER_NS = 10_000_000_000
SECRET = "zyzzogeton"
SAID = (
    f"{SECRET}s kayak kayaks Kayaking bought buy the Rosa Rosa's sister Lisbon May 2023 I my don't O'Brien obrien "
    "three 7 yesterday party happy happily ran running naïve İstanbul 北京 mice good was yes a_b"
).split(" ")
QUERIES = [
    "When did Rosa buy a kayak?",
    f"what {SECRET} did I see in May 2023",
    "how many mice has obrien",
    "the",
    "speaker ann 北京 running",
    "nothing matches",
]


def turn(number: int) -> bytes:
    r = random.Random(number)
    record: dict[str, Any] = {
        "memory_id": f"m{number}",
        "text": r.choice(["", "Ann: ", "Rosa: "]) + " ".join(r.choices(SAID, k=r.randint(0, 9))) + r.choice(["", "?"]),
    }
    if number % 5:
        record["ts_utc"] = f"2023-05-{number // 40 % 28 + 1:02d}T{number // 4 % 24:02d}:{number % 60:02d}:00Z"
    if number % 3 == 0:
        record["tags"] = r.sample(["speaker:ann", "kayak trip", "Lisbon"], r.randint(0, 2))
    return json.dumps(record).encode() + b"\n"


def turns(first: int, last: int) -> bytes:
    return b"".join(map(turn, range(first, last)))


class Rule:
    """The rule of the context room, which counts the turns that are put into indexes of talks."""

    def __init__(self) -> None:
        self.indexed = 0
        rule = self

        class Counting(context.TalkBuilder):
            def add_numbered(self, texts: Any, *rest: Any) -> None:
                rule.indexed += len(texts)
                super().add_numbered(texts, *rest)

        self.TalkBuilder = Counting

    def __getattr__(self, name: str) -> Any:
        return getattr(context, name)


class World:
    def __init__(self, root: Path, records: int = 120, name: str = "s.jsonl") -> None:
        self.store, self.cache = root / name, root / "cache"
        self.store.write_bytes(turns(0, records))
        self.rule = Rule()
        self.reader = self.new_reader()

    def new_reader(self) -> JsonlStores:
        return JsonlStores(self.rule, str(self.cache), lambda: time.time_ns() + LATER_NS, SEAL)

    def request(self, query: str, version: str = "phase7-v1") -> dict[str, Any]:
        return {
            "query": query,
            "store_paths": [str(self.store)],
            "budget": {"max_excerpt_tokens": 200},
            "controller_version": version,
        }

    def check(self, reader: JsonlStores | None = None, queries: list[str] = QUERIES) -> int:
        """Compare with the plain scorer, which has no cache; say how many turns were indexed for it."""
        before = self.rule.indexed
        found = [package_of(self.request(query), reader or self.reader) for query in queries]
        indexed = self.rule.indexed - before
        plain = JsonlStores(context, None, time.time_ns)
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(controller.SCORERS, "phase7-v1", phase7_reference.score_candidates)
            expected = [package_of(self.request(query), plain) for query in queries]
        assert found == expected
        return indexed

    def check_anew(self, queries: list[str] = QUERIES) -> int:
        return self.check(self.new_reader(), queries)

    def manifest(self) -> dict[str, Any]:
        (path,) = (item.parent for item in self.cache.rglob("manifest"))
        return cache._unsealed(path, SEAL)

    def talk_files(self) -> list[Path]:
        (folder,) = (item.parent for item in self.cache.rglob("manifest"))
        return [folder / part["talk"]["name"] for part in self.manifest()["parts"] if part["talk"] is not None]

    def files(self) -> list[Path]:
        return sorted(self.cache.rglob("*.index"))

    def append(self, data: bytes) -> None:
        with self.store.open("ab") as file:
            file.write(data)


def package_of(request: dict[str, Any], reader: JsonlStores) -> tuple[bytes, str]:
    package = context.read(request, reader)
    assert isinstance(package, context.ContextPackage), package
    pieces: list[bytes] = []
    package.write_json(lambda data: pieces.append(bytes(data)))
    return b"".join(pieces), json.dumps(context.explain(package))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_talk_is_indexed_once_and_used_by_the_next_reader(world: World) -> None:
    assert world.check() == 120
    assert world.check() == 0
    assert len(world.talk_files()) == 1
    assert (
        sorted(world.talk_files() + [path for path in world.files() if path not in world.talk_files()]) == world.files()
    )
    assert len(world.files()) == 2  # the words and the talk
    before = [path.read_bytes() for path in world.files()]
    assert world.check_anew() == 0
    assert [path.read_bytes() for path in world.files()] == before


def test_a_talk_asked_for_after_the_words_gets_its_index_beside_theirs(world: World) -> None:
    for reader in (world.reader, world.new_reader()):
        context.read(world.request("kayak", "phase6-v1"), reader)
        assert (world.rule.indexed, world.talk_files(), len(world.files())) == (0, [], 1)
    words = world.files()
    assert world.check() == 120
    assert len(world.talk_files()) == 1
    assert set(world.files()) == {*words, *world.talk_files()}
    assert world.check_anew() == 0
    context.read(world.request("kayak", "phase6-v1"), world.new_reader())
    assert len(world.files()) == 2  # whoever asks for words alone leaves the talk where it is


@pytest.mark.parametrize("way", ["with the words", "after the words"])
def test_both_ways_to_build_it_hold_the_same(world: World, way: str) -> None:
    """In one go with the words, or from a part that is there already."""
    if way == "after the words":
        context.read(world.request("kayak", "phase6-v1"), world.reader)
    first = [package_of(world.request(query), world.reader) for query in QUERIES]
    other = JsonlStores(context, None, time.time_ns)
    assert first == [package_of(world.request(query), other) for query in QUERIES]


def test_damage_anywhere_in_the_file_of_a_talk_is_noticed(tmp_path: Path) -> None:
    world = World(tmp_path, 12)
    world.check()
    queries = QUERIES[:1]
    (path,) = world.talk_files()
    size = path.stat().st_size
    places = sorted({*range(40), *range(40, size - 60, 41), *range(size - 60, size)})
    for at in places:
        (path,) = world.talk_files()  # another name each time: it was made anew
        data = bytearray(path.read_bytes())
        data[at] ^= 1 << at % 8
        path.write_bytes(data)
        assert world.check_anew(queries) == 12, at
        assert world.check_anew(queries) == 0, at
    assert world.check() == 0  # the first reader used its own copy all the time
    assert len(world.files()) == 2


@pytest.mark.parametrize("left", [0, 1, NONCE, NONCE + 39, NONCE + 41, 0.5, -41, -40, -1])
def test_a_cut_file_of_a_talk_is_noticed(world: World, left: float) -> None:
    world.check()
    (path,) = world.talk_files()
    size = path.stat().st_size
    os.truncate(path, int(size * left) if isinstance(left, float) else left if left >= 0 else size + left)
    assert world.check() == 0  # what is in use is a copy
    assert world.check_anew() == 120
    assert world.check_anew() == 0


@pytest.mark.parametrize("what", ["gone", "longer", "folder", "pipe", "words", "link to nothing"])
def test_whatever_lies_in_the_place_of_a_talk_it_is_made_anew(world: World, what: str) -> None:
    world.check()
    (path,) = world.talk_files()
    (words,) = [item for item in world.files() if item != path]
    data = path.read_bytes()
    path.unlink()
    if what == "longer":
        path.write_bytes(data + b"x")
    elif what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "words":
        shutil.copy(words, path)
    elif what == "link to nothing":
        path.symlink_to(path.parent / "nothing")
    assert world.check_anew() == 120
    assert world.check_anew() == 0


def test_the_talk_of_another_store_is_not_taken(tmp_path: Path) -> None:
    """Also not one of as many records that was sealed under the same key."""
    world = World(tmp_path)
    (tmp_path / "other").mkdir()
    other = World(tmp_path / "other")
    other.store.write_bytes(turns(500, 620))
    for each in (world, other):
        assert each.check() == 120
    shutil.copy(other.talk_files()[0], world.talk_files()[0])
    assert world.check_anew() == 120
    assert world.check_anew() == other.check_anew() == 0


def test_the_talk_of_a_store_that_was_edited_is_not_taken(world: World) -> None:
    world.check()
    data = world.store.read_bytes()
    status = world.store.stat()
    world.store.write_bytes(data.replace(b"kayak", b"party"))
    os.utime(world.store, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert world.check() == 120
    assert world.check_anew() == 0
    assert len(world.files()) == 2


def test_a_talk_of_another_format_is_made_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    older_format = cache.TALK_FORMAT - 1
    for module in (cache, stores):
        monkeypatch.setattr(module, "TALK_FORMAT", older_format)
    assert world.check() == 120
    assert world.check_anew() == 0
    (older,) = world.talk_files()
    monkeypatch.undo()
    assert world.check_anew() == 120
    assert world.manifest()["parts"][0]["talk"]["format"] == cache.TALK_FORMAT
    assert not older.exists()
    assert world.check_anew() == 0


@pytest.mark.parametrize(
    "talk",
    [{}, {"format": 1}, [], "x", {"format": 1, "name": 7, "mac": ""}, {"format": 1, "name": "../x", "mac": ""}],
)
def test_what_a_manifest_says_of_a_talk_is_not_trusted(world: World, talk: Any) -> None:
    """A whole manifest of ours with an entry that this version does not write."""
    world.check()
    folder = cache.Folder(str(world.cache), str(world.store), SEAL)
    kept = folder.load(())
    assert kept is not None
    for part in kept.parts:
        part.talk = talk
        assert folder.load_talk(part, kept.key) is None


def test_an_append_indexes_only_what_was_appended(world: World) -> None:
    world.check()
    for first in (120, 150, 151):
        world.append(turns(first, first + 30 if first == 120 else first + 1))
        assert world.check() == (30 if first == 120 else 1)
        assert world.check_anew() == 0
    assert len(world.talk_files()) == len(world.manifest()["parts"])


def test_after_many_appends_packages_are_those_of_a_fresh_build(tmp_path: Path) -> None:
    """Parts are joined now and then: their talks go with them."""
    world = World(tmp_path, 3)
    for number in range(3, 60):
        world.append(turns(number, number + 1))
        world.check(queries=QUERIES[:1])
        if number % 10 == 0:
            world.check_anew()
    assert world.check_anew() == 0
    parts = world.manifest()["parts"]
    assert len(parts) < 20
    assert len(world.files()) == 2 * len(parts)


def test_a_last_line_without_its_end_belongs_to_the_talk_but_not_to_the_cache(world: World) -> None:
    world.check()
    line = turn(120)
    world.append(line[:-1])
    assert world.check() == 1
    assert world.check_anew() == 1  # kept in memory alone
    assert len(world.files()) == 2
    world.append(b"\n" + turn(121))
    world.check()
    assert world.check_anew() == 0


def test_a_cache_that_cannot_be_written_is_done_without(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.cache.write_bytes(b"no folder")
    assert world.check() == 120
    assert world.check() == 0
    assert world.check_anew() == 120


ASK = (
    "import sys, time\n"
    "from mace.memory import context\n"
    "from mace.storage.jsonl import JsonlStores\n"
    "reader = JsonlStores(context, sys.argv[1], lambda: time.time_ns() + 10**10, bytes(range(32)))\n"
    "sys.stdin.readline()\n"
    "for query in sys.argv[3:]:\n"
    "    request = {'query': query, 'store_paths': [sys.argv[2]], 'budget': {'max_excerpt_tokens': 200},\n"
    "               'controller_version': 'phase7-v1'}\n"
    "    print(context.read(request, reader).package_hash, flush=True)\n"
)


@pytest.mark.parametrize("words_first", [False, True])
def test_processes_at_once_agree_and_leave_one_index(tmp_path: Path, words_first: bool) -> None:
    world = World(tmp_path, 3000)
    if words_first:
        context.read(world.request("kayak", "phase6-v1"), world.reader)
    command = [sys.executable, "-c", ASK, str(world.cache), str(world.store), *QUERIES]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for process in processes:  # all have started when the first is let go
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    plain = JsonlStores(context, None, time.time_ns)
    expected = [json.loads(package_of(world.request(query), plain)[0])["package_hash"] for query in QUERIES]
    assert said == [expected] * 3
    assert len(world.files()) == 2
    before = world.rule.indexed
    package_of(world.request(QUERIES[0]), world.new_reader())
    assert world.rule.indexed == before


def test_a_reader_whose_cache_is_taken_away_goes_on(world: World) -> None:
    """Another process appends, builds and removes while this one reads."""
    world.check()
    other = world.new_reader()
    world.append(turns(120, 150))
    world.check(other)
    shutil.rmtree(world.cache)
    assert world.check() == 30  # what it has is a copy; only what was appended is new to it
    world.check(other)
    assert world.check_anew() == 150  # the manifest that was written meanwhile names files that are gone
    assert world.check_anew() == 0


def test_an_erasure_drops_the_talk_too(world: World) -> None:
    world.check()
    assert drop_all(str(world.cache), SEAL) == 1
    assert list(world.cache.iterdir()) == []
    assert drop_all(str(world.cache), SEAL) == 0
    assert world.check_anew() == 120


def test_no_word_of_a_store_lies_in_the_cache(world: World) -> None:
    """Nor a stem of one, nor a speaker, nor a tag; and nobody else may read what is there."""
    world.check()
    world.append(turns(120, 160))
    world.check()
    held = [path.read_bytes() for path in world.cache.rglob("*") if path.is_file()]
    assert len(held) == 6  # two parts with words and talk each, the manifest, the lock
    for word in (SECRET, f"{SECRET}s", "kayak", "rosa", "lisbon", "speaker:ann", "naïve", "北京", "MACE-", "lexicon"):
        for spelled in (word.encode(), word.encode("utf-16-le"), word.encode()[::-1]):
            if len(spelled) > 4:
                assert not any(spelled in data for data in held), word
    for path in world.cache.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
    sections, *_ = cache.open_sections(world.talk_files()[0], bytes.fromhex(world.manifest()["key"]), SEAL)
    assert SECRET.encode() in bytes(sections.raw("0/lexicon")), "the search would have found it"


TEXTS = st.lists(st.sampled_from([*SAID, "?", "Ann:", ". "]), max_size=7).map(" ".join)
RECORDS = st.fixed_dictionaries(
    {"text": TEXTS},
    optional={
        "ts_utc": st.integers(0, 90).map(lambda hours: f"2023-05-{hours // 24 + 1:02d}T{hours % 24:02d}:00:00Z"),
        "tags": st.lists(st.sampled_from(["speaker:rosa", "kayak trip", "May", ""]), max_size=2),
    },
)
ASKED = st.lists(st.sampled_from([*SAID, "When did", "how many", "who"]), min_size=1, max_size=5).map(" ".join)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(RECORDS, max_size=12), min_size=1, max_size=3), st.lists(ASKED, min_size=1, max_size=3))
def test_packages_from_the_cache_are_the_plain_scorers(batches: list[list[dict[str, Any]]], asked: list[str]) -> None:
    """Batch by batch: by the reader that was there before, and by one that finds all of it in the cache."""
    with TemporaryDirectory() as folder:
        world = World(Path(folder), 0)
        number = 0
        for batch in batches:
            for record in batch:
                number += 1
                # A word in each turn: where only tags match, and no turn has a word, the plain scorer divides by zero.
                world.append(
                    json.dumps({"memory_id": f"m{number}", **record, "text": f"{record['text']} so"}).encode() + b"\n"
                )
            world.check(queries=asked)
            assert world.check_anew(asked) == 0
