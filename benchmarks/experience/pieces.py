"""Big histories, quickly: backlogs on the ledger in big units, and pairs with as many Megrams as wanted in any store.

Everything goes through the engine's own pieces: the recorder appends, the feed projects, the verbs answer.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mace.engine.experience import rows
from mace.engine.runtime import Mace
from mace.memory.experience import megrams
from mace.memory.experience.pairs import Pair
from mace.providers.frozen import FrozenClock
from mace.settings import Settings
from mace.storage.experience_in_store import InStore
from mace.storage.experience_ports import Experience, ExperienceStore, MegramRow, PairRow
from mace.storage.inmemory import InMemoryStore
from mace.wiring import open_mace

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOW_US = megrams.to_us(NOW)
SPACE = "tool:shell"
_STATES = tuple(megrams.MATRIX)
_UNIT = 5000
_WORDS = b"x" * 180  # as long as sealed words usually are


def settings_in(folder: Path, **more: Any) -> Settings:
    return Settings(
        location=str(folder / "mace"),
        checkpoint_dir=str(folder / "shelf"),
        checkpoint_interval_ms=0,
        dream_settle_ms=3_600_000,
        dream_interval_ms=0,
        **more,
    )


@contextmanager
def opened(settings: Settings) -> Iterator[Mace]:
    """Time stands still, and nothing runs by itself."""
    with open_mace(settings=settings, clock=FrozenClock(NOW)) as mace:
        mace._parts.experience_parts.chosen.stop()
        yield mace


def megram(number: int, entity: str, state: str, age_us: int) -> MegramRow:
    created = NOW_US - age_us
    return MegramRow(
        megrams.megram_id(created, f"bench/{number}"),
        megrams.EPISODE,
        created,
        SPACE,
        entity,
        _WORDS,
        (),  # as after an erasure: nobody reads the words here
        state,
        *megrams.MATRIX[state],
        number,
        False,
    )


def on_the_ledger(mace: Mace, count: int, pairs: int, first: int = 0) -> None:
    """Append so many Megrams in streams of a thousand, in big units."""
    store, recorder = mace._parts.world.store, mace._parts.recorder
    for start in range(first, first + count, _UNIT):

        def unit(tx: Any, start: int = start) -> None:
            origin = None
            for number in range(start, min(start + _UNIT, first + count)):
                if origin is None or number % 1000 == 0:
                    origin = recorder.open(tx, f"backlog-{number}", {"verb": "bench"})
                row = megram(
                    number, f"path:{number % pairs}", _STATES[number % 7], (number * 7919) % (20 * megrams.DAY_US)
                )
                recorder.append(tx, origin, "MEGRAM_WRITTEN", {"megram": rows.to_json(row)})

        store.write(unit)


def fill_pair(store: ExperienceStore, entity: str, count: int, first: int) -> None:
    """Give one pair so many Megrams, the oldest first, as a projection would."""
    pair = Pair(SPACE, entity, since=0)
    for start in range(0, count, 50_000):
        part = [
            megram(first + number, entity, _STATES[number % 7], (count - number) * 1_000_000)  # one each second
            for number in range(start, min(start + 50_000, count))
        ]
        for row in part:
            pair.count_in(row.f, row.sigma, row.k, row.created_us)

        def unit(x: Experience, part: list[MegramRow] = part) -> None:
            x.add(part)
            x.put_pairs([PairRow(SPACE, entity, pair.packed(), 0)])
            x.move_cursor(-1)

        store.write(unit)


def fill_pairs(store: ExperienceStore, count: int, pairs: int) -> None:
    """Spread so many Megrams over so many pairs, all of which are to be looked at."""
    each = count // pairs
    for start in range(0, pairs, 5000):
        part: list[MegramRow] = []
        kept: list[PairRow] = []
        for number in range(start, min(start + 5000, pairs)):
            pair = Pair(SPACE, f"path:{number}", since=0)
            for at in range(each):
                # Most pairs are mixed and stay as they are; some are due to be promoted or forgotten.
                state = "accept" if number % 1000 == 7 else _STATES[(number + at) % 7]
                age = 300 * megrams.DAY_US if number % 1000 == 3 else (number * 7919 + at) % (10 * megrams.DAY_US)
                age = 0 if state == "accept" and number % 1000 == 7 else age
                row = megram(number * each + at, pair.entity, state, age)
                part.append(row)
                pair.count_in(row.f, row.sigma, row.k, row.created_us)
            kept.append(PairRow(SPACE, pair.entity, pair.packed(), 0))

        def unit(x: Experience, part: list[MegramRow] = part, kept: list[PairRow] = kept) -> None:
            x.add(part)
            x.put_pairs(kept)

        store.write(unit)


@contextmanager
def adapters(folder: Path) -> Iterator[dict[str, Mace | str]]:
    """A MACE on each adapter there is, or why there is none; in memory it is one whose store was exchanged."""
    with ExitStack() as stack:
        found: dict[str, Mace | str] = {}
        for name in ("in memory", "SQLite", "LevelDB", "PostgreSQL"):
            found[name] = _adapter(name, folder, stack)
        yield found


def _adapter(name: str, folder: Path, stack: ExitStack) -> Mace | str:
    settings = settings_in(folder / name.replace(" ", "-"))
    if name == "PostgreSQL":
        url = os.environ.get("MACE_BENCH_POSTGRES_URL", "")
        if not url:
            return "MACE_BENCH_POSTGRES_URL names no empty database"
        settings = replace(settings, location=url)
    if name == "LevelDB":
        try:
            import plyvel  # noqa: F401
        except ImportError:
            return "plyvel is not installed"
        settings = replace(settings, experience_store="leveldb")
    mace = stack.enter_context(opened(settings))
    if name == "in memory":
        held = InStore(InMemoryStore())
        mace._parts.experience_parts.store = held
        mace._parts.experience_parts.feed._store = held
    return mace
