"""Rows of older stores that no event names: adopted once, then never again.

Earlier versions wrote some rows without an event that names them. The first opening by this version lists them in
`ROWS_ADOPTED` events, and from then on they are bound like all others. That is a step of the upgrade (`upgrade.py`),
and the key file remembers that it was done: nothing in the database has it done again. A record or a log is adopted
only if its own signature is good, an alias only if the event that added it says the same. What was forged before cannot
be told from what was written, where a row carries no signature: that is the price of the older form, and is paid once.

Facts and their history are not among them: every version named them, so a row there without an event is nobody's.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.purposes import Check, Purpose
from mace.core.subjects import subject_of
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.ledger import records, reflective, rows
from mace.storage.ports import AliasRow, Tx

EVENT = "ROWS_ADOPTED"
ALL = "*"  # as the table of the last event: everything was looked at
ROWS_PER_EVENT = 200


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it may be adopted: where to go on after it, how an event names it, and whether it is good."""

    place: Any
    kind: str
    key: str
    hash: str
    is_good: Callable[[], bool]


Page = Callable[[Tx, Any], Sequence[Row]]  # the rows after a place, at most as many as an event holds


def _always() -> bool:
    return True


class Adoption:
    """Names the rows of an older store."""

    def __init__(self, world: World, recorder: Recorder, bound: Bound) -> None:
        self._world = world
        self._recorder = recorder
        self._bound = bound
        check = world.keys.check
        self._tables: dict[str, Page] = {
            "records": lambda tx, after: _records(tx, after, check),
            "reflective_log_stage0": lambda tx, after: _logs(tx, after, check),
            rows.REGISTRY: _registry,
            rows.ALIASES: lambda tx, after: _aliases(tx, after, self._is_as_added),
            rows.IDEMPOTENCY: _idempotency,
            rows.BLOBS: _blobs,
            rows.JOBS: _jobs,
        }

    def in_unit(self, tx: Tx) -> None:
        """Adopt everything in the caller's unit, and say how many rows that were."""
        adopted = sum(self._all_of(tx, table) for table in self._tables)
        self._append(tx, {"table": ALL, "rows": adopted})

    def _all_of(self, tx: Tx, table: str) -> int:
        """Adopt the rows of a table, so many to an event; return how many."""
        waiting: list[dict[str, str]] = []
        adopted = 0
        after: Any = None
        while page := self._tables[table](tx, after):
            after = page[-1].place
            waiting += self._unnamed(tx, page)
            while len(waiting) >= ROWS_PER_EVENT:
                some, waiting = waiting[:ROWS_PER_EVENT], waiting[ROWS_PER_EVENT:]
                adopted += self._name(tx, table, some)
        return adopted + (self._name(tx, table, waiting) if waiting else 0)

    def _name(self, tx: Tx, table: str, some: list[dict[str, str]]) -> int:
        digest = canon.hash_of(some)
        self._append(tx, {"table": table, "rows": len(some), "digest": digest, "records": some})
        return len(some)

    @staticmethod
    def _unnamed(tx: Tx, page: Sequence[Row]) -> Iterator[dict[str, str]]:
        known = tx.subjects.known([subject_of(row.kind, row.key) for row in page])
        for row in page:
            if subject_of(row.kind, row.key) not in known and row.is_good():
                yield rows.reference(row.kind, row.key, row.hash)

    def _append(self, tx: Tx, payload: dict[str, Any]) -> None:
        self._recorder.append(tx, self._recorder.system(tx), EVENT, payload)

    def _is_as_added(self, tx: Tx, row: AliasRow) -> bool:
        newest = self._bound.newest(tx, f"alias/{row.phrase}")
        if newest is None:
            return False
        said = newest[1]["payload"]
        return (said.get("target"), said.get("source")) == (row.target, row.source)


def _records(tx: Tx, after: Any, check: Check) -> list[Row]:
    return [
        Row(
            (row.kind, row.key),
            row.kind,
            row.key,
            sha256(row.body).hexdigest(),
            partial(records.is_signed, row, check),
        )
        for row in tx.records.scan_all(after or ("", ""), ROWS_PER_EVENT)
    ]


def _logs(tx: Tx, after: Any, check: Check) -> list[Row]:
    found = []
    for columns in tx.logs.scan(after or "", ROWS_PER_EVENT):
        digest = sha256(reflective.signed_bytes(columns))

        def is_good(digest: bytes = digest.digest(), signature: str = columns["signature"]) -> bool:
            return check(Purpose.LOG, digest, signature)

        found.append(Row(columns["log_id"], "reflective_log", columns["log_id"], digest.hexdigest(), is_good))
    return found


def _registry(tx: Tx, after: Any) -> list[Row]:
    return [
        Row(slot, rows.REGISTRY, slot, rows.registry_hash(slot, identity), _always)
        for slot, identity in tx.registry.scan(after or "", ROWS_PER_EVENT)
    ]


def _aliases(tx: Tx, after: Any, is_as_added: Callable[[Tx, AliasRow], bool]) -> list[Row]:
    return [
        Row(row.phrase, rows.ALIASES, row.phrase, rows.alias_hash(row), partial(is_as_added, tx, row))
        for row in tx.aliases.scan(after or "", ROWS_PER_EVENT)
    ]


def _idempotency(tx: Tx, after: Any) -> list[Row]:
    return [
        Row(held[0], rows.IDEMPOTENCY, held[0], rows.idempotency_hash(*held), _always)
        for held in tx.idempotency.scan(after or "", ROWS_PER_EVENT)
    ]


def _blobs(tx: Tx, after: Any) -> list[Row]:
    return [
        Row(held[0], rows.BLOBS, held[0], rows.blob_hash(*held), _always)
        for held in tx.vault.scan_blobs(after or "", ROWS_PER_EVENT)
    ]


def _jobs(tx: Tx, after: Any) -> list[Row]:
    return [
        Row(row.stream, rows.JOBS, row.stream, rows.job_hash(row), _always)
        for row in tx.jobs.scan(after or "", ROWS_PER_EVENT)
    ]
