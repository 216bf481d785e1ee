"""Context packages against `rg` and a bare parsing pass, and `phase7-v1` against BM25 with neighbours.

`rg -c -F -i` with the same terms on the same file is the time to beat for a warm query; one pass that parses each line
with orjson and hashes its normal form is the measure for the first one. All are wall times of things done in turns,
best of several; rg runs as its own process, as it does for its users.
"""

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from benchmarks.context.recall import BUDGETS, HELD_OUT, measure
from benchmarks.context.stores import terms, write_store
from benchmarks.measure import Row, rss_bytes
from mace.memory import context
from mace.storage.jsonl import JsonlStores

ROUNDS = 7


def run(full: bool) -> Iterable[Row]:
    yield from speed([100_000, 1_000_000] if full else [20_000])
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
            reader = JsonlStores(context, str(Path(folder) / f"cache{size}"), _later)
            for kind in ("rare", "ordinary", "everywhere"):
                select, whole = _ask(reader, store, terms(kind))
                yield Row(
                    f"{size:,} records, {kind}: select", 1000 * select, "ms", note=f"with hash {1000 * whole:.2f} ms"
                )
            store.unlink()


def recall(seeds: range) -> Iterator[Row]:
    found = measure(seeds)
    for budget in BUDGETS:
        bar = max(found[name][budget] for name in ("bm25+1", "bm25+2"))
        others = ", ".join(f"{name} {by[budget]:.3f}" for name, by in found.items() if name != "phase7-v1")
        yield Row(f"evidence recall in {budget} tokens", found["phase7-v1"][budget], "", bar, "at least", others)


def _speed_of(folder: Path, size: int) -> Iterator[Row]:
    store, cache = folder / f"{size}.jsonl", folder / f"cache{size}"
    write_store(store, size)
    name = f"{size:,} records"
    reader = JsonlStores(context, str(cache), _later)
    passes, firsts = [], []
    for _ in range(3 if size <= 100_000 else 2):
        passes.append(_timed(lambda: _parsing_pass(store)))
        shutil.rmtree(cache, ignore_errors=True)
        reader = JsonlStores(context, str(cache), _later)
        firsts.append(_timed(partial(_ask_once, reader, store, terms("ordinary"))))
    ratio = min(first / one for first, one in zip(firsts, passes, strict=True))
    yield Row(f"{name}: first query / parsing pass", ratio, "x", 4.0, note=f"{min(firsts):.2f} s / {min(passes):.2f} s")
    warm = 0.0
    for kind, limit in (("ordinary", 1.0), ("rare", 1.0), ("everywhere", 4.0)):
        rg = _grep(store, terms(kind))
        select, whole = _ask(reader, store, terms(kind))
        note = f"{1000 * whole:.1f} ms / {1000 * rg:.1f} ms"
        yield Row(f"{name}: warm query, {kind} terms / rg", whole / rg, "x", limit, note=note)
        if kind != "everywhere":
            yield Row(
                f"{name}: select and explain, {kind} terms / rg", select / rg, "x", 0.2, note=f"{1000 * select:.1f} ms"
            )
        warm = whole if kind == "ordinary" else warm
    yield from _memory(cache, store, name)
    extra = folder / "extra.jsonl"
    write_store(extra, 1000, seed=2)
    with store.open("ab") as file:
        file.write(extra.read_bytes())
    again = _timed(partial(_ask_once, reader, store, terms("ordinary")))
    yield Row(f"{name}: after 1,000 appended / warm", again / warm, "x", 3.0, note=f"{1000 * again:.1f} ms")
    store.unlink()


def _memory(cache: Path, store: Path, name: str) -> Iterator[Row]:
    index = sum(item.stat().st_size for item in cache.rglob("*") if item.is_file())
    yield Row(f"{name}: index / store", index / store.stat().st_size, "x", 1.5)
    before = rss_bytes()
    fresh = JsonlStores(context, str(cache), _later)
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


def _grep(store: Path, wanted: list[str]) -> float:
    command = ["rg", "-c", "-F", "-i", *(part for term in wanted for part in ("-e", term)), str(store)]
    return min(_timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)) for _ in range(ROUNDS))


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


if shutil.which("rg") is None and "MACE_BENCH_WITHOUT_RG" not in os.environ:
    raise SystemExit("this benchmark needs ripgrep (`apt-get install ripgrep`)")
