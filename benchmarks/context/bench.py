"""Context packages against `rg` and a bare parsing pass, and `phase7-v1` against BM25 with neighbours.

`rg -c -F -i` with the same terms on the same file is the time to beat for a warm query; one pass that parses each line
with orjson and hashes its normal form is the measure for the first one. All are wall times of things done in turns,
best of several; rg runs as its own process, as it does for its users. CPU time stands beside where it differs.
"""

import hashlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from benchmarks.context.recall import BUDGETS, HELD_OUT, STYLES, measure
from benchmarks.context.stores import terms, write_store
from benchmarks.context.talks import talks
from benchmarks.measure import Row, rss_bytes, wall_and_cpu
from mace.memory import context
from mace.storage.jsonl import JsonlStores

ROUNDS = 7


def run(full: bool) -> Iterable[Row]:
    yield from speed([100_000, 1_000_000] if full else [20_000])
    yield from curve([1_000, 10_000, 100_000, 1_000_000] if full else [1_000, 10_000])
    yield from talks([100_000, 1_000_000] if full else [20_000])
    yield from recall(range(HELD_OUT, HELD_OUT + (8 if full else 1)))


def speed(sizes: Iterable[int]) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        for size in sizes:
            yield from _speed_of(Path(folder), size)


def curve(sizes: Iterable[int]) -> Iterator[Row]:
    """How a warm query grows with the store."""
    with TemporaryDirectory() as folder:
        for size in sizes:
            store = Path(folder) / f"{size}.jsonl"
            write_store(store, size)
            reader = JsonlStores(context, str(Path(folder) / f"cache{size}"), _later, bytes(32))
            for kind in ("rare", "ordinary", "everywhere"):
                select, whole = _ask(reader, store, terms(kind))
                yield Row(
                    f"{size:,} records, {kind}: select", 1000 * select, "ms", note=f"with hash {1000 * whole:.2f} ms"
                )
            store.unlink()


def recall(seeds: range) -> Iterator[Row]:
    for style in STYLES:
        found = measure(seeds, style)
        for budget in BUDGETS:
            bar = max(found[name][budget] for name in ("bm25+1", "bm25+2"))
            others = ", ".join(f"{name} {by[budget]:.3f}" for name, by in found.items() if name != "phase7-v1")
            what = f"{style}: evidence recall in {budget} tokens"
            yield Row(what, found["phase7-v1"][budget], "", bar, "at least", others)


def _speed_of(folder: Path, size: int) -> Iterator[Row]:
    store, cache = folder / f"{size}.jsonl", folder / f"cache{size}"
    write_store(store, size)
    name = f"{size:,} records"
    reader = JsonlStores(context, str(cache), _later, bytes(32))
    passes, firsts = [], []
    ordinary = terms("ordinary")
    for _ in range(3):
        passes.append(wall_and_cpu(lambda: _parsing_pass(store)))
        shutil.rmtree(cache, ignore_errors=True)
        reader = JsonlStores(context, str(cache), _later, bytes(32))
        firsts.append(wall_and_cpu(partial(_ask_once, reader, store, ordinary)))
    (first, first_cpu), (one, one_cpu) = map(_least, (firsts, passes))
    note = f"{first:.2f} s / {one:.2f} s; CPU {first_cpu / one_cpu:.2f}x"
    yield Row(f"{name}: first query / parsing pass", first / one, "x", 4.0, note=note)
    warm = 0.0
    for kind, limit in (("ordinary", 1.0), ("rare", 1.0), ("everywhere", 4.0)):
        select, whole, rg = _ask_beside_rg(reader, store, terms(kind))
        warm = whole if kind == "ordinary" else warm
        if rg is None:
            what = f"{name}: warm query, {kind} terms, beside nothing: install ripgrep (`apt-get install ripgrep`)"
            yield Row(what, 0.0, "rg", 1.0, "at least", f"{1000 * whole:.1f} ms")
            continue
        note = f"{1000 * whole:.1f} ms / {1000 * rg:.1f} ms"
        yield Row(f"{name}: warm query, {kind} terms / rg", whole / rg, "x", limit, note=note)
        if kind != "everywhere":
            yield Row(
                f"{name}: select and explain, {kind} terms / rg", select / rg, "x", 0.2, note=f"{1000 * select:.1f} ms"
            )
    yield from _memory(cache, store, name)
    extra = folder / "extra.jsonl"
    write_store(extra, 1000, seed=2)
    added = extra.read_bytes()
    appends, warms = [], []
    for _ in range(3):
        warms.append(wall_and_cpu(partial(_ask_once, reader, store, ordinary)))
        with store.open("ab") as file:
            file.write(added)
        appends.append(wall_and_cpu(partial(_ask_once, reader, store, ordinary)))
    (again, again_cpu), (warm, warm_cpu) = map(_least, (appends, [*warms, (warm, warms[0][1])]))
    note = f"{1000 * again:.1f} ms; CPU {again_cpu / warm_cpu:.2f}x"
    limit_at_a_million = 3.0 if size >= 1_000_000 else None  # what 1,000 records cost by themselves weighs more in less
    yield Row(f"{name}: after 1,000 appended / warm", again / warm, "x", limit_at_a_million, note=note)
    store.unlink()


def _least(runs: list[tuple[float, float]]) -> tuple[float, float]:
    """The least wall time and the least CPU time of several runs."""
    return min(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def _memory(cache: Path, store: Path, name: str) -> Iterator[Row]:
    index = sum(item.stat().st_size for item in cache.rglob("*") if item.is_file())
    yield Row(f"{name}: index / store", index / store.stat().st_size, "x", 1.5)
    before = rss_bytes()
    fresh = JsonlStores(context, str(cache), _later, bytes(32))
    _ask_once(fresh, store, terms("everywhere"))
    yield Row(f"{name}: memory of a new reader / index", max(rss_bytes() - before, 0) / index, "x", 1.0)


def _ask_once(reader: JsonlStores, store: Path, wanted: list[str]) -> str:
    return _select(reader, store, wanted).package_hash


def _select(reader: JsonlStores, store: Path, wanted: list[str]) -> context.ContextPackage:
    request: dict[str, Any] = {
        "query": " ".join(wanted),
        "store_paths": [str(store)],
        "budget": {"max_excerpt_tokens": 2000},
    }
    package = context.read(request, reader)
    if isinstance(package, context.Refusal):
        raise RuntimeError(package.reason)
    context.explain(package)
    return package


def _ask(reader: JsonlStores, store: Path, wanted: list[str]) -> tuple[float, float]:
    """Seconds to select and explain, and for the whole package with its hash."""
    _ask_once(reader, store, wanted)
    select = min(_timed(lambda: _select(reader, store, wanted)) for _ in range(ROUNDS))
    return select, min(_timed(lambda: _ask_once(reader, store, wanted)) for _ in range(ROUNDS))


def _ask_beside_rg(reader: JsonlStores, store: Path, wanted: list[str]) -> tuple[float, float, float | None]:
    """The same, and the seconds of `rg -c -F -i` with the same terms, in turns; None where there is no rg."""
    if shutil.which("rg") is None:
        return *_ask(reader, store, wanted), None
    command = ["rg", "-c", "-F", "-i", *(part for term in wanted for part in ("-e", term)), str(store)]
    _ask_once(reader, store, wanted)
    rounds = [
        (
            _timed(lambda: _select(reader, store, wanted)),
            _timed(lambda: _ask_once(reader, store, wanted)),
            _timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)),
        )
        for _ in range(ROUNDS)
    ]
    select, whole, rg = map(min, zip(*rounds, strict=True))
    return select, whole, rg


def _parsing_pass(store: Path) -> int:
    count = 0
    with store.open("rb") as file:
        for line in file:
            record = orjson.loads(line)
            normal = {
                "memory_id": record["memory_id"],
                "refs": record.get("refs") or [],
                "tags": sorted({tag.lower() for tag in record.get("tags") or []}),
                "text": record["text"],
                "ts_utc": record.get("ts_utc"),
            }
            hashlib.sha256(orjson.dumps(normal, option=orjson.OPT_SORT_KEYS)).hexdigest()
            count += 1
    return count


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _later() -> int:
    """A clock that finds every store old enough not to be looked at twice."""
    return time.time_ns() + 10_000_000_000
