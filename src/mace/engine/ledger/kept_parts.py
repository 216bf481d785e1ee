"""Verification of what lies beside the events: sealed parts and rows of jobs, in both directions.

Every part that an event, a signed record or a log implies is there, opens under its own name and has the hash that the
ledger says; every row is implied by something. What was erased by right is passed over: a paper took its key away. Of
parts that nothing has a hash of (consent words, secrets, evidence, queued writes, what older jobs expected next), that
they open is the proof. Reads go in pieces: memory grows with the jobs that have not ended, not with the log.
"""

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure, KeyMissing
from mace.core.events import StoredEvent
from mace.engine.kernel.job_ledger import JobLedger
from mace.engine.kernel.missing_keys import is_erased, queued_is_erased
from mace.engine.kernel.vault import Vault
from mace.ledger import jobs, parts, records
from mace.ledger.findings import Finding, missing_key
from mace.ledger.jobs import JobFold, JobTold
from mace.ledger.parts import Hashed, Part, PartsOfStream
from mace.ledger.rows import blob_hash, job_hash
from mace.ledger.sums import KeyedSum
from mace.providers.ports import Keys
from mace.storage.ports import JobRow, Record, Store, Tx

Adopted = Callable[[str, str, str], bool]  # table, key, hash of the row: named when an older store was first opened
_STEP = 2000
_TYPES = parts.EVENT_TYPES | jobs.EVENT_TYPES
_BEGIN = frozenset({"JOB_BEGUN", "SNAPSHOT_TAKEN"})  # a job in a stream that is there already
_SAY_MORE = _BEGIN | {"JOB_ABANDONED", "PERSON_ANSWERED"}  # something about jobs, also where their stream has none


class KeptParts:
    """Checks sealed parts and rows of jobs against the ledger."""

    def __init__(self, store: Store, keys: Keys, vault: Vault) -> None:
        self._store = store
        self._keys = keys
        self._vault = vault
        self._jobs = JobLedger(keys)
        self._open: dict[str, tuple[JobFold, PartsOfStream]] = {}
        self._key_of_sums = bytes.fromhex(keys.tag("kept_parts", b""))  # nobody knows it who only has the rows
        self._named_parts = KeyedSum(self._key_of_sums)
        self._named_jobs = KeyedSum(self._key_of_sums)
        self._given_up: set[str] = set()
        self._last: tuple[str, bytes] = ("", b"")

    def findings(self, adopted: Adopted = lambda _table, _key, _digest: False) -> Iterator[Finding]:
        """All that is missing, changed or unnamed; what `adopted` knows counts as named."""
        yield from self._events()
        yield from self._records()
        yield from self._logs()
        for table, key, digest in self.unnamed():
            if not adopted(table, key, digest):
                what = "ref" if table == "vault_blobs" else "stream"
                yield Finding("ROW_UNNAMED", {"table": table, what: key}, f"no event names {key}", {"sha256": digest})

    def unnamed(self) -> Iterator[tuple[str, str, str]]:
        """Rows that nothing names, as (table, key, hash of the row): of older stores these may be adopted.

        After `findings` walked the log it looks only where the sums differ; alone it looks at every row.
        """
        yield from self._unnamed_blobs()
        yield from self._unnamed_jobs()

    # From the ledger to the rows

    def _events(self) -> Iterator[Finding]:
        start = 0
        while True:
            found, after = self._store.read(lambda tx, start=start: self._batch(tx, start))  # type: ignore[misc]
            yield from found
            if after is None:
                break
            start = after
        for stream in sorted(self._open):
            yield from self._store.read(lambda tx, stream=stream: self._still_open(tx, stream))  # type: ignore[misc]
        self._open.clear()

    def _batch(self, tx: Tx, start: int) -> tuple[list[Finding], int | None]:
        rows = tx.events.scan(start, _STEP)
        found: list[Finding] = []
        for row in rows:
            if row.event_type in _TYPES:
                try:
                    if row.stream in self._open or row.sequence_index <= 0 or row.event_type in _SAY_MORE:
                        found += self._event(tx, row, canon.loads(row.body))
                except (ValueError, LookupError, TypeError, AttributeError):
                    continue  # no event at all: the walk over events names it
        return found, rows[-1].position + 1 if rows else None

    def _event(self, tx: Tx, row: StoredEvent, said: dict[str, Any]) -> Iterator[Finding]:
        stream, event_type, payload = row.stream, row.event_type, said["payload"]
        if event_type == "JOB_ABANDONED" and payload.get("job_id") != stream:
            self._given_up.add(str(payload.get("job_id")))
        held = self._open.get(stream)
        if held is None:
            held = self._begun(tx, row, said)
            if held is None:
                if event_type == "PERSON_ANSWERED":  # a verb's stream: whoever answered a job
                    for _name, part in PartsOfStream(stream).feed(event_type, payload):
                        yield from self._check(tx, part)
                return
        else:
            held[0].feed(event_type, said)
        for _name, part in held[1].feed(event_type, payload):
            yield from self._check(tx, part)
        if event_type == "JOB_CLOSED" and "kept" not in payload:
            expects = Part(f"expects/{stream}", held[1].key_ref)
            if tx.vault.blob(expects.ref) is not None:
                yield from self._check(tx, expects)
        told = held[0].job
        if told is not None and event_type == "JOB_CLOSED":
            del self._open[stream]
            yield from self._row(tx, told)

    def _begun(self, tx: Tx, row: StoredEvent, said: dict[str, Any]) -> tuple[JobFold, PartsOfStream] | None:
        """Begin to follow a stream with the event that begins a job in it."""
        fold = JobFold(row.stream)
        if row.sequence_index > 0:
            if row.event_type not in _BEGIN:
                return None
            first = tx.events.at(row.stream, 0)
            if first is not None:
                fold.feed("JOB_OPENED", canon.loads(first.body))
        fold.feed(row.event_type, said)
        if fold.job is None:
            return None
        held = self._open[row.stream] = (fold, PartsOfStream(row.stream, fold.job.root))
        return held

    def _still_open(self, tx: Tx, stream: str) -> list[Finding]:
        """A job that had not ended when the walk came by: how it stands now, in one look."""
        told = self._jobs.told(tx, stream)
        if told is None:
            return []
        given_up = told.status == "running" and stream in self._given_up
        return list(self._row(tx, replace(told, status="abandoned") if given_up else told))

    def _row(self, tx: Tx, told: JobTold) -> Iterator[Finding]:
        row = tx.jobs.get(told.stream)
        if row is not None:
            self._named_jobs.add(told.stream)
        finding = jobs.finding_of(row, told, self._jobs.known_person(tx, told), told.stream)
        if finding is not None:
            yield finding

    def _records(self) -> Iterator[Finding]:
        after = ("", "")

        def look(tx: Tx) -> tuple[list[Record], list[Finding]]:
            rows = tx.records.scan_all(after)
            implied = (self._of_record(record) for record in rows)
            return rows, [item for part in implied if part is not None for item in self._check(tx, part)]

        while True:
            rows, found = self._store.read(look)
            yield from found
            if not rows:
                return
            after = (rows[-1].kind, rows[-1].key)

    def _of_record(self, record: Record) -> Part | None:
        if not records.is_signed(record, self._keys.check):
            return None  # a finding of its own; it names nothing
        try:
            return parts.of_record(record.kind, record.key, canon.loads(record.body))
        except (ValueError, LookupError, TypeError, AttributeError):
            return None

    def _logs(self) -> Iterator[Finding]:
        after = ""

        def look(tx: Tx) -> tuple[str, list[Finding]]:
            rows = tx.logs.scan(after)
            named = [part for columns in rows for part in self._of_log(tx, columns).values()]
            return (rows[-1]["log_id"] if rows else ""), [item for part in named for item in self._check(tx, part)]

        while True:
            after, found = self._store.read(look)
            yield from found
            if not after:
                return

    def _of_log(self, tx: Tx, columns: dict[str, Any]) -> dict[str, Part]:
        """The artifacts of a log; none where it cannot be read, which is erased or a finding of its own."""
        try:
            held = canon.loads(columns["agent_outputs"])
            context = f"log/{columns['log_id']}/agent_outputs"
            plain = self._keys.unseal(self._key(tx, held["key"]), base64.b64decode(held["sealed"]), context)
            return parts.of_log(canon.loads(plain))
        except (Erased, IntegrityFailure, ValueError, LookupError, TypeError, AttributeError):
            return {}

    def _check(self, tx: Tx, part: Part) -> Iterator[Finding]:
        where = {"table": "vault_blobs", "ref": part.ref}
        if part.key_ref.startswith("job/"):
            where["stream"] = part.key_ref.removeprefix("job/")
        held = tx.vault.blob(part.ref)
        if held is None:
            gone = tx.vault.key(part.key_ref) is None and is_erased(tx, part.key_ref, self._keys)
            if not gone:
                yield Finding("RECORD_MISSING", where, f"{part.ref} is gone")
            return
        self._named_parts.add(part.ref)
        key_ref, sealed = held
        if part.key_ref and key_ref != part.key_ref:
            yield Finding("RECORD_CHANGED", where, f"{part.ref} is not what was sealed")
            return
        try:
            key = self._key(tx, key_ref)
        except KeyMissing:
            if tx.vault.key(key_ref) is None:  # else it is a key above, which is found where keys are looked at
                yield missing_key(key_ref)
            return
        except (Erased, IntegrityFailure):
            return  # erased by right; or its key is a finding
        try:
            plain = self._keys.unseal(key, sealed, f"blob/{part.ref}")
        except (Erased, IntegrityFailure):
            if not self._waited_and_was_erased(tx, part):
                yield Finding("RECORD_CHANGED", where, f"{part.ref} is not what was sealed")
            return
        if part.hashed is not Hashed.NOT and self._hash(part, key, plain) != part.digest:
            yield Finding("RECORD_CHANGED", where, f"{part.ref} is not what its event says")

    def _waited_and_was_erased(self, tx: Tx, part: Part) -> bool:
        kind, _, queued_id = part.ref.partition("/")
        return kind == "queued" and queued_is_erased(tx, queued_id, part.key_ref.removeprefix("fact/"), self._keys)

    def _key(self, tx: Tx, ref: str) -> bytes:
        """A key; the parts of a job come one after another, and all lie under one."""
        if self._last[0] != ref:
            self._last = (ref, self._vault.open_key(tx, ref))
        return self._last[1]

    def _hash(self, part: Part, key: bytes, plain: bytes) -> str:
        return self._keys.keyed_hash(key, plain) if part.hashed is Hashed.KEYED else sha256(plain).hexdigest()

    # From the rows to the ledger

    def _unnamed_blobs(self) -> Iterator[tuple[str, str, str]]:
        there = KeyedSum(self._key_of_sums)
        for ref, _digest in self._blobs():
            there.add(ref)
        if there == self._named_parts:
            return
        for ref, digest in self._blobs():  # something is not named, or somebody is writing: look at each by itself
            if not self._store.read(lambda tx, ref=ref: self._is_named(tx, ref)):  # type: ignore[misc]
                yield "vault_blobs", ref, digest

    def _blobs(self) -> Iterator[tuple[str, str]]:
        after = ""

        def look(tx: Tx) -> list[tuple[str, str, bytes]]:
            return tx.vault.scan_blobs(after)

        while rows := self._store.read(look):
            for ref, key_ref, sealed in rows:
                yield ref, blob_hash(ref, key_ref, sealed)
            after = rows[-1][0]

    def _is_named(self, tx: Tx, ref: str) -> bool:
        """Say whether anything implies this part, in one look; what is gone meanwhile needs no name."""
        kind, _, name = ref.partition("/")
        if tx.vault.blob(ref) is None:
            return True
        if kind in _KIND_OF_RECORD:
            record = tx.records.get(_KIND_OF_RECORD[kind], name)
            part = None if record is None else self._of_record(record)
            return part is not None and part.ref == ref
        stream = name.partition("/")[0] if kind == "artifact" else ref.rpartition("/")[2]
        rows = tx.events.of_stream(stream)
        try:
            if kind == "artifact":
                said = [canon.loads(row.body)["payload"] for row in rows if row.event_type == "REFLECTIVE_LOG_WRITTEN"]
                logs = [tx.logs.get(payload["log_id"]) for payload in said]
                return any(ref in self._of_log(tx, columns) for columns in logs if columns) or is_erased(
                    tx, f"job/{stream}", self._keys
                )
            told = self._jobs.told(tx, stream)
            named = parts.of_stream(
                stream, ((row.event_type, row.body) for row in rows), "" if told is None else told.root
            )
            unhashed = [row for row in rows if row.event_type == "JOB_CLOSED" and b'"kept"' not in row.body]
            return any(part.ref == ref for part in named.values()) or (kind == "expects" and bool(unhashed))
        except (ValueError, LookupError, TypeError, AttributeError):
            return False

    def _unnamed_jobs(self) -> Iterator[tuple[str, str, str]]:
        there = KeyedSum(self._key_of_sums)
        for row in self._rows():
            there.add(row.stream)
        if there == self._named_jobs:
            return
        for row in self._rows():
            if self._store.read(lambda tx, stream=row.stream: self._jobs.told(tx, stream)) is None:  # type: ignore[misc]
                yield "jobs", row.stream, job_hash(row)

    def _rows(self) -> Iterator[JobRow]:
        after = ""

        def look(tx: Tx) -> list[JobRow]:
            return tx.jobs.scan(after, 500)

        while rows := self._store.read(look):
            yield from rows
            after = rows[-1].stream


_KIND_OF_RECORD = {
    "consent": "consent",
    "export": "dsr_request",
    "forensic": "forensic_entry",
    "quarantine": "quarantine",
    "queued": "spilled",
    "second_factor": "second_factor",
}
