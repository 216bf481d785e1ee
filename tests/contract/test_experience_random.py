"""Whatever is done in whatever order, every store of experience holds what the one in memory holds."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import experience_samples
import services
from experience_samples import HOSTILE_TAGS, START_US, change, megram, megram_id, open_at, pair
from mace.storage.experience_ports import NEVER, Experience
from mace.storage.ports import Exists

Step = tuple[str, tuple[Any, ...]]

FEW_TAGS = ("a", "a:b", HOSTILE_TAGS[-2])  # so that steps meet
TAGS = st.sampled_from(FEW_TAGS)
NUMBERS = st.integers(0, 8)
IDS = NUMBERS.map(megram_id)
LEVELS = st.sampled_from("MKC")
DUE = st.sampled_from([-5, 0, 1, 2, 2**50, NEVER])
LIMITS = st.sampled_from([1, 2, 3, 1000])
ROWS = st.builds(megram, NUMBERS, TAGS, TAGS, LEVELS)
PAIRS = st.builds(pair, TAGS, TAGS, DUE, st.binary(max_size=4))
CHANGES = st.builds(change, st.sampled_from("abc"), st.integers(0, 4), undone_by=st.sampled_from(["", "z"]))


def steps_of(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.tuples(st.just(name), st.tuples(*arguments))


WRITES = st.one_of(
    steps_of("move_cursor", st.integers(-1, 2**45)),
    steps_of("add", st.lists(ROWS, min_size=1, max_size=6, unique_by=lambda row: row.megram_id)),
    steps_of("remove", IDS),
    steps_of("forget", TAGS, TAGS),
    steps_of("retire", IDS, st.sampled_from(["", "c1", "c2"])),
    steps_of("recall", st.lists(IDS, min_size=1, max_size=4), st.integers(START_US, START_US + 3)),
    steps_of("put_pairs", st.lists(PAIRS, min_size=1, max_size=5)),
    steps_of("put_change", CHANGES),
)
READS = st.one_of(
    steps_of("of_pair", TAGS, TAGS, st.one_of(st.just(""), IDS), LIMITS),
    steps_of("rules", TAGS, TAGS),
    steps_of("scan", st.one_of(st.just(""), IDS), LIMITS),
    steps_of("retired_by", st.lists(IDS, max_size=20)),
    steps_of("recalled_us", st.lists(IDS, max_size=20)),
    steps_of("pairs", st.one_of(st.just(("", "")), st.tuples(TAGS, TAGS)), LIMITS),
    steps_of("due", DUE, LIMITS),
    steps_of("changes", LIMITS),
    steps_of("pair", TAGS, TAGS),
    steps_of("get", IDS),
    steps_of("counts"),
    steps_of("cursor"),
)
UNITS = st.lists(
    st.tuples(
        st.lists(st.one_of(WRITES, WRITES, READS), min_size=2, max_size=12), st.sampled_from([False] * 4 + [True])
    ),
    min_size=2,
    max_size=8,
)


class Refused(Exception):
    """What a unit raises that changed its mind."""


def run(steps: list[Step], refuse: bool) -> Callable[[Experience], list[Any]]:
    def unit(x: Experience) -> list[Any]:
        said = [getattr(x, name)(*arguments) for name, arguments in steps]
        seen = everything(x)
        if refuse:
            raise Refused
        return [said, seen]

    return unit


def outcome(write: Callable[[Callable[[Experience], Any]], Any], unit: Callable[[Experience], Any]) -> Any:
    try:
        return write(unit)
    except (Exists, Refused) as error:
        return type(error)


def everything(x: Experience) -> list[Any]:
    ids = [megram_id(number) for number in range(9)]
    by_tags = [(x.of_pair(*tag), x.rules(*tag), x.pair(*tag)) for tag in product(FEW_TAGS, repeat=2)]
    about = [x.retired_by(ids), x.recalled_us(ids), x.pairs(), x.due(NEVER), x.changes()]
    return [x.cursor(), x.counts(), x.scan(), by_tags, about]


def agree(kind: str, place: str, units: list[tuple[list[Step], bool]]) -> None:
    memory, _ = open_at("memory", "")
    other, close = open_at(kind, place)
    try:
        for steps, refuse in units:
            assert outcome(other.write, run(steps, refuse)) == outcome(memory.write, run(steps, refuse))
            assert other.read(everything) == memory.read(everything)
    finally:
        close()
    again, close = open_at(kind, place)
    try:
        assert again.read(everything) == memory.read(everything)
    finally:
        close()


def quick(examples: int) -> Any:
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


@quick(100)
@given(units=UNITS)
def test_sqlite_agrees_with_memory(tmp_path: Path, units: list[tuple[list[Step], bool]]):
    with TemporaryDirectory(dir=tmp_path) as place:
        agree("sqlite", place, units)


@quick(100)
@given(units=UNITS)
def test_leveldb_agrees_with_memory(tmp_path: Path, units: list[tuple[list[Step], bool]]):
    experience_samples.need_plyvel()
    with TemporaryDirectory(dir=tmp_path) as place:
        agree("leveldb", place, units)


@quick(30)
@given(units=UNITS)
def test_postgres_agrees_with_memory(databases: services.Databases, units: list[tuple[list[Step], bool]]):
    agree("postgres", databases.new(), units)


@pytest.mark.long
@quick(800)
@given(units=UNITS)
def test_leveldb_and_sqlite_agree_with_memory_at_length(tmp_path: Path, units: list[tuple[list[Step], bool]]):
    experience_samples.need_plyvel()
    for kind in ("sqlite", "leveldb"):
        with TemporaryDirectory(dir=tmp_path) as place:
            agree(kind, place, units)
