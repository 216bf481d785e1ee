"""Asking a pair with a long history beside one with a short one, catching up from a backlog, and the Dreamer's passes.

Asking is compared in turns in one process, by CPU time. Rates and passes are by the clock, because that is what is
promised. PostgreSQL takes part when `MACE_BENCH_POSTGRES_URL` names an empty database.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.experience import pieces
from benchmarks.experience.pieces import NOW, SPACE
from benchmarks.measure import Row, in_turns, wall_and_cpu
from mace.engine.runtime import Mace

_ASKED = 200  # times in one measurement
_SHORT = 1000
_LONG, _LONG_QUICK = 1_000_000, 100_000
_BACKLOG, _BACKLOG_QUICK = 100_000, 30_000
_DREAMT, _DREAMT_QUICK = (1_000_000, 100_000), (100_000, 10_000)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mace-bench-", dir=Path.cwd()) as name:
        yield Path(name)


def run(full: bool) -> Iterable[Row]:
    with _folder() as folder, pieces.adapters(folder) as adapters:
        for name, mace in adapters.items():
            yield _asking(name, mace, _LONG if full else _LONG_QUICK, 15 if full else 7)
    with _folder() as folder:
        yield from _backlog(folder, _BACKLOG if full else _BACKLOG_QUICK)
    with _folder() as folder:
        yield from _dreaming(folder, *(_DREAMT if full else _DREAMT_QUICK))


def _asking(name: str, mace: Mace | str, count: int, rounds: int) -> Row:
    what = f"query_mk with {count:,} Megrams against {_SHORT:,}, {name}"
    if isinstance(mace, str):
        return Row(what, 0, "x CPU", note=f"not run: {mace}")  # a figure without a target
    x = mace.experience
    pieces.fill_pair(mace._parts.experience_parts.store, "path:short", _SHORT, 0)
    pieces.fill_pair(mace._parts.experience_parts.store, "path:long", count, _SHORT)

    def ask(entity: str) -> None:
        for _ in range(_ASKED):
            x.query_mk(SPACE, entity, NOW)

    ours, theirs, ratio = in_turns(lambda: ask("path:long"), lambda: ask("path:short"), rounds)
    note = f"{ours / _ASKED * 1e6:.0f} us against {theirs / _ASKED * 1e6:.0f} us"
    return Row(what, ratio, "x CPU", 2, note=note)


def _backlog(folder: Path, count: int) -> Iterable[Row]:
    with pieces.opened(pieces.settings_in(folder)) as mace:
        pieces.on_the_ledger(mace, count, count // 10)
        wall, cpu = wall_and_cpu(mace.experience.flush)
        held = mace.experience.describe()
        if held["behind"] or held["megrams"] != {"M": count}:
            raise RuntimeError(f"not all of it was brought in: {held}")
        note = f"{count:,} Megrams in {count // 10:,} pairs, {cpu:.1f} s of CPU"
        what = "from a backlog on the ledger into SQLite"
        yield Row(f"{what}, by the clock", count / wall, "Megrams/s", 10_000, "at least", note)
        yield Row(
            f"{what}, per second of CPU", count / cpu, "Megrams/s", note="for reading; the clock is what is promised"
        )


def _dreaming(folder: Path, count: int, pairs: int) -> Iterable[Row]:
    """The same targets for the quick form, which is a tenth of the work."""
    with pieces.opened(pieces.settings_in(folder)) as mace:
        x = mace.experience
        pieces.fill_pairs(mace._parts.experience_parts.store, count, pairs)
        for what, target in (("first pass", 10.0), ("pass with nothing new", 1.0), ("pass after 1,000 new", 1.0)):
            if what == "pass after 1,000 new":
                pieces.on_the_ledger(mace, 1000, 1000, first=10**9)
            reports = []
            wall, cpu = wall_and_cpu(lambda reports=reports: reports.append(x.dream(NOW)))
            report = reports[0]
            changed = {name: len(report[name]) for name in ("promoted", "demoted", "forgotten", "failed")}
            told = ", ".join(f"{number} {name}" for name, number in changed.items() if number)
            note = f"looked at {report['looked_at']:,}{'; ' if told else ''}{told}; {cpu:.2f} s of CPU"
            yield Row(f"Dreamer, {count:,} Megrams in {pairs:,} pairs: {what}", wall, "s", target, note=note)
