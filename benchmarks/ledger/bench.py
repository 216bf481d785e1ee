"""Appending to and verifying a ledger on SQLite, durable at every commit (WAL, synchronous FULL).

The other side of a single append is the standard library's sqlite3 with the same columns and the same unique key, given
bytes that are ready: what MACE adds is the hash, the signature, the chain, its place in the tree and its other indexes.
Rates of whole batches are the best round's, by the clock; everything else is CPU time.
"""

import statistics
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from benchmarks.experience import pieces
from benchmarks.ledger.stores import BATCH, Ours, opened, raw_inserts
from benchmarks.measure import Row, cpu_of, in_turns, rss_bytes, wall_and_cpu
from mace.engine.ledger.kept_parts import KeptParts
from mace.engine.ledger.proofs import Proofs
from mace.ledger.checkpoint import Checkpoint, origin_of, sign

_SINGLES = 300
_QUICK_EVENTS, _FULL_EVENTS = 64_000, 1_000_000
_QUICK_LIVED, _FULL_LIVED = 20_000, 200_000
_QUICK_PUTS, _FULL_PUTS = 8_000, 100_000
_NOTES = 200
_PARTS = 10
_MIB = 1 << 20


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mace-bench-", dir=Path.cwd()) as name:
        yield Path(name)


def run(full: bool) -> Iterable[Row]:
    rounds = 25 if full else 9
    with _folder() as folder, opened(folder) as ours:
        yield _single(ours, folder, rounds)
        yield from _batches(ours, rounds)
        yield _many_writers(ours)
    with _folder() as folder, opened(folder) as ours:
        yield from _growth(ours, _FULL_EVENTS if full else _QUICK_EVENTS)
    with _folder() as folder, opened(folder) as ours:
        yield from _by_verbs(ours, _FULL_PUTS if full else _QUICK_PUTS)
        yield from _checkpoints(ours, rounds)
    with _folder() as folder:
        yield from _experience(folder, _FULL_LIVED if full else _QUICK_LIVED)


def _single(ours: Ours, folder: Path, rounds: int) -> Row:
    needed = _SINGLES * (rounds + 1)
    model = ours.stream("the bytes for the other side")
    for start in range(0, needed, BATCH):
        ours.append_many(model, min(BATCH, needed - start))
    insert = raw_inserts(folder / "raw.db", ours.rows(ours.size() - needed, needed))
    origin = ours.stream("single appends")

    def appends() -> None:
        for _ in range(_SINGLES):
            ours.append(origin)

    def inserts() -> None:
        for _ in range(_SINGLES):
            insert()

    mine, other, ratio = in_turns(appends, inserts, rounds)
    note = f"{mine / _SINGLES * 1e6:.0f} us against {other / _SINGLES * 1e6:.0f} us"
    return Row("one durable append, against a raw sqlite3 transaction", ratio, "x CPU", 2, note=note)


def _batches(ours: Ours, rounds: int) -> Iterable[Row]:
    origin = ours.stream("batches")
    commits = 100

    def work() -> None:
        for _ in range(commits):
            ours.append_many(origin, BATCH)

    work()
    measured = [wall_and_cpu(work) for _ in range(rounds)]
    events = commits * BATCH
    wall = events / min(wall for wall, _ in measured)
    cpu = events / statistics.median(cpu for _, cpu in measured)
    yield Row(f"batches of {BATCH}, by the clock, best round", wall, "events/s", 25_000, "at least")
    yield Row(f"batches of {BATCH}, per second of CPU", cpu, "events/s", 25_000, "at least")


def _many_writers(ours: Ours) -> Row:
    """Units of many threads share commits: each is still acknowledged only after its own is durable."""
    each, writers = 50, 64
    origins = [ours.stream(f"writer {number}") for number in range(writers)]

    def writer(number: int) -> None:
        for _ in range(each):
            ours.append(origins[number])

    before = ours.store.commits  # type: ignore[attr-defined] # counted by every adapter
    threads = [threading.Thread(target=writer, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    commits = ours.store.commits - before  # type: ignore[attr-defined]
    return Row(f"{writers} threads at once: events per commit", each * writers / commits, "events", 4, "at least")


def _growth(ours: Ours, events: int) -> Iterable[Row]:
    """Fill the log in parts; the last part must cost what the first did, and memory must not follow the log."""
    jobs = events // BATCH // _PARTS
    ours.jobs(0, jobs)  # the first part also warms up
    cost, held = [], []
    for part in range(1, _PARTS):
        cost.append(cpu_of(lambda start=part * jobs: ours.jobs(start, jobs)) / jobs / BATCH)  # type: ignore[misc]
        held.append(rss_bytes())
        if part == 1:
            verify_small = _verify(ours)
    size = ours.size()
    yield Row(
        f"appending to {size:,} events: cost of the last fifth against the first",
        statistics.mean(cost[-2:]) / statistics.mean(cost[:2]),
        "x CPU",
        1.5,
        note=f"{cost[0] * 1e6:.1f} us per event at first, {cost[-1] * 1e6:.1f} us at last",
    )
    yield Row("memory that appending took meanwhile", (held[-1] - held[0]) / _MIB, "MiB", 48)
    per_event, grown = _verify(ours)
    yield Row(
        f"full verification of {size:,} events, per second of CPU",
        1 / per_event,
        "events/s",
        60_000,
        "at least",
        note="hashes, signatures, chains, tree, columns; the aim is 150,000",
    )
    yield Row("verifying: cost of an event against a log a fifth as long", per_event / verify_small[0], "x CPU", 1.3)
    yield Row("memory that verification took", grown / _MIB, "MiB", 48)


def _verify(ours: Ours) -> tuple[float, float]:
    """CPU seconds per event, and by how much memory grew at most."""
    start, most = rss_bytes(), rss_bytes()

    def look(done: int, total: int) -> None:
        nonlocal most
        most = max(most, rss_bytes())

    found: dict[str, object] = {}
    cpu = cpu_of(lambda: found.update(ours.mace.verify(read_only=True, progress=look)))
    if not found["ok"]:
        raise RuntimeError(f"the log does not verify: {found['findings']}")
    return cpu / ours.size(), most - start


def _by_verbs(ours: Ours, puts: int) -> Iterable[Row]:
    """A log as verbs make it: facts of the world and of people, questions, reflective logs; each part by itself."""
    mace = ours.mace
    for number in range(puts):
        mace.sem_put(f"world/fact/thing_{number}/name", {"number": number}, "system_admin")
        if number % 8 == 0:
            mace.sem_put(f"user/profile/user_ann/thing_{number}", number, "user", user_id="ann")
        if number % 100 == 0:
            mace.ask(f"what is {number} + 1", user_id="ann")
    events = ours.size()

    def verified(quick: bool) -> float:
        found: dict[str, object] = {}
        cpu = min(cpu_of(lambda: found.update(mace.verify(read_only=True, quick=quick))) for _ in range(3))
        if not found["ok"]:
            raise RuntimeError(f"the log does not verify: {found['findings']}")
        return cpu

    quick = verified(quick=True)
    note = f"{events:,} events of verbs; hashes, signatures, chains, tree, rows both ways, the index; `--quick`"
    what = "verifying events and the rows they name, per second of CPU"
    yield Row(what, events / quick, "events/s", 60_000, "at least", note=note)
    world, vault = mace._parts.world, mace._parts.vault
    keys = cpu_of(lambda: list(mace._parts.verification._wrapped_keys()))
    parts = cpu_of(lambda: list(KeptParts(world.store, world.keys, vault).findings()))
    number = world.store.read(lambda tx: len(tx.vault.scan_keys("", 10**9)) + len(tx.vault.scan_blobs("", 10**9)))
    what = "opening every key and blob, per second of CPU"
    yield Row(what, number / (keys + parts), "keys and blobs/s", 2_000, "at least", note=f"{number:,} of them")
    inspected = cpu_of(world.store.inspect)
    what = "the file itself, its schema and types, per second of CPU"
    yield Row(what, events / inspected, "events/s", 60_000, "at least", note="what SQLite says of it included")
    yield Row("verifying everything, per second of CPU", events / verified(quick=False), "events/s", 15_000, "at least")


def _checkpoints(ours: Ours, rounds: int) -> Iterable[Row]:
    """Notes that are kept: one that an earlier verification saw, and a new one against Ed25519 alone."""
    keys = ours.mace._parts.world.keys
    origin = origin_of(keys.log_name, 0)
    heads = [Checkpoint(origin, number + 1, sha256(str(number).encode()).digest()) for number in range(_NOTES)]
    notes = [sign(head, keys.public_key(), keys.sign_note) for head in heads]
    signed = [(keys.sign_note(head.text().encode()), head.text().encode()) for head in heads]
    public_key = Ed25519PublicKey.from_public_bytes(keys.public_key())

    def fresh() -> None:
        proofs = Proofs(ours.mace._parts.world)
        for note in notes:
            proofs.open(note)

    def alone() -> None:
        for signature, message in signed:
            public_key.verify(signature, message)

    _, _, ratio = in_turns(fresh, alone, rounds)
    yield Row("a kept checkpoint that is new, against Ed25519's own check", ratio, "x CPU", 1.3)
    proofs = Proofs(ours.mace._parts.world)
    for note in notes:
        proofs.open(note)
    again = min(cpu_of(lambda: [proofs.open(note) for note in notes]) for _ in range(rounds)) / _NOTES
    yield Row("a kept checkpoint that an earlier verification saw", again * 1e6, "us of CPU", 20)


def _experience(folder: Path, count: int) -> Iterable[Row]:
    """Project all Megrams again beside the store, compare every row, and find nothing; then make them anew."""
    with pieces.opened(pieces.settings_in(folder)) as mace:
        pieces.on_the_ledger(mace, count, count // 10)
        mace.experience.flush()
        parts, found = mace._parts.experience_parts, []
        cpu = cpu_of(lambda: found.extend(parts.check()))
        if found:
            raise RuntimeError(f"the store is not what the ledger gives: {found[0]}")
        yield Row(
            f"re-projecting experience, {count:,} events: verified per second of CPU",
            count / cpu,
            "events/s",
            10_000,
            "at least",
            note="signatures, projection and every row compared; a part of `mace log verify`, not of --quick",
        )
        cpu = cpu_of(mace.experience.rebuild)
        yield Row("`mace experience rebuild`, per second of CPU", count / cpu, "events/s", 5_000, "at least")
