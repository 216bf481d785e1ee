"""Appending records to a context store: through the privacy gate, on the ledger, all of a call or nothing.

The file and the ledger cannot be written in one step, so there are three: the ledger says that an append was started,
where, and the keyed hash of each line; the file gets the lines, durably; the ledger says that it was done. All of it
under the lock of the store. Whoever appends next, or tries the same again, settles what a lost process left: lines that
are all there count as appended, those of half a call are taken away. Nothing of it is told before the last step.

A store is a plain file of the operator that no erasure reaches. So consent lets nothing into it: whatever is found
above low is cut out, whoever writes.
"""

from collections.abc import Callable, Sequence
from errno import EDQUOT, EFBIG, EIO, ENOSPC, EROFS, ESTALE
from typing import Any, TypeVar

from mace.core import canon
from mace.core.errors import (
    Conflict,
    IntegrityFailure,
    InvalidInput,
    MaceError,
    ServiceUnavailable,
    StorageFull,
    WrongType,
)
from mace.core.texts import is_storable
from mace.core.times import iso_us
from mace.engine.context.confined import lies_in
from mace.engine.context.naming import path_on_ledger
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import check_idempotency_key, is_personal
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.privacy import Flag, screen
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.ledger import rows
from mace.memory.context.appending import MAX_BYTES, NewRecord, ending_of, left_by, line_of, new_records
from mace.memory.context.ports import LockedStore, StoreWriter
from mace.memory.context.records import read_line
from mace.storage.ports import Tx

T = TypeVar("T")

STARTED, APPENDED, UNDONE = "CONTEXT_APPEND_STARTED", "CONTEXT_APPENDED", "CONTEXT_APPEND_UNDONE"
SUFFIX = ".jsonl"  # of a new or empty store: a text given where the path belongs makes no file
_WAIT_S = 30.0
_MAX_PATH = 4_096
_MAX_VALUES = 10_000
_VERB = "context.append"


class _Append:
    """One call: what is to be written where, and under which names."""

    def __init__(self, path: str, records: list[NewRecord], flags: list[Flag], actor: str) -> None:
        self.path = path  # as packages name it
        self.records = records
        self.flags = flags
        self.actor = actor
        self.redacted = sorted({flag.pii_type for flag in flags})
        self.named: tuple[str, str] | None = None  # token and request hash of an idempotency key


class ContextAppending:
    """Appends to context stores."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        bound: Bound,
        failures: Callable[[], Failures],
        writer: Callable[[], StoreWriter],
        listed: Sequence[str],
        of_people: Sequence[str] = (),
    ) -> None:
        self._world = world
        self._keys = world.keys
        self._recorder = recorder
        self._bound = bound
        self._failures = failures
        self._writer = writer
        self._listed = listed
        self._of_people = of_people  # stores of one person each: the owner's to fill

    def append(
        self, store: Any, records: Any, idempotency_key: Any, *, path: str, actor: str, only_listed: bool
    ) -> dict[str, Any]:
        """Append records to the store; `path` is how packages name it. Refusals are answers with their envelope."""
        journal = VerbJournal(self._recorder, _VERB)
        try:
            real = self._real(store, only_listed)
            wanted = self._wanted(path, records, journal.job_seed, actor)
            if idempotency_key is not None:
                check_idempotency_key(idempotency_key)
                request = canon.dumps([real, [record.to_json() for record in wanted.records]])  # without what was cut
                name = f"{_VERB}/{actor}/{real}/{idempotency_key}"
                wanted.named = (
                    self._keys.tag("idempotency-token", name.encode()),
                    self._keys.tag("idempotency", request),
                )
        except MaceError as error:
            return self._failures().refuse(journal, error, {"key": "context"})
        about = f"context/{path_on_ledger(self._keys, path)}"
        writer = self._writer()
        try:
            with writer.locked(real, _WAIT_S, may_make=real.endswith(SUFFIX)) as file:
                if writer.real(store) != real:  # a link on the way was changed meanwhile
                    raise InvalidInput("store leads somewhere else since; try again")
                return self._append(journal, file, real, wanted, about)
        except OSError as error:
            return self._failures().refuse(journal, _told(error), {"key": about})
        except MaceError as error:
            return self._failures().refuse(journal, error, {"key": about})

    # What is to be written

    def _real(self, store: Any, only_listed: bool) -> str:
        if not isinstance(store, str):
            raise WrongType(f"store must be a str, got {type(store).__name__}")
        if not 0 < len(store) <= _MAX_PATH or not is_storable(store):
            raise InvalidInput(f"store must be a path of 1 to {_MAX_PATH} characters, without NUL")
        real = self._writer().real(store)
        listed = lies_in(real, [self._writer().real(root) for root in self._listed])
        if only_listed and (not listed or real in [self._writer().real(path) for path in self._of_people]):
            raise InvalidInput("store is none that the settings context_stores and context_roots list")
        return real

    def _wanted(self, path: str, given: Any, job_seed: str, actor: str) -> _Append:
        records = new_records(given)
        try:
            encoded = canon.dumps(given)
        except (canon.NotCanonical, RecursionError, TypeError):
            raise InvalidInput("records must be JSON in Unicode") from None
        if len(encoded) > MAX_BYTES:
            raise InvalidInput(f"records has {len(encoded)} bytes as JSON, at most {MAX_BYTES} are allowed in one call")
        if canon.values_in(given) > _MAX_VALUES:
            raise InvalidInput(f"records has more than {_MAX_VALUES} values")
        flags: list[Flag] = []
        kept = []
        for record in records:
            if record.memory_id is not None and is_personal(record.memory_id):
                raise InvalidInput("memory_id must not contain personal data: it is a name that is repeated everywhere")
            said = {"text": record.text, "tags": record.tags, "refs": record.refs}
            passed = screen(self._keys, said, job_seed)
            flags += passed.flags
            clean = passed.value
            kept.append(NewRecord(record.memory_id, record.ts_utc, clean["text"], clean["tags"], clean["refs"]))
        return _Append(path, kept, flags, actor)

    # The three steps

    def _append(
        self, journal: VerbJournal, file: LockedStore, real: str, wanted: _Append, about: str
    ) -> dict[str, Any]:
        store_id = self._keys.tag("context_store", f"{real}\0{file.inode}".encode())
        self._settle(file, store_id)
        first = self._read(lambda tx: self._first_answer(tx, wanted))
        if first is not None:
            return first
        lines, ids = self._lines(journal, wanted)
        if self._ending(file, real) == "open":
            lines[0] = b"\n" + lines[0]
        started = {
            "store": path_on_ledger(self._keys, wanted.path),
            "store_id": store_id,
            "offset": file.size,
            "bytes": sum(map(len, lines)),
            "count": len(lines),
            "lines": [[len(line), self._tag(line)] for line in lines],
            "redacted": wanted.redacted,
        }
        if wanted.named is not None:
            started["idempotency"] = list(wanted.named)

        def start(tx: Tx) -> dict[str, Any]:
            for flag in wanted.flags:
                journal.event(tx, "PII_FLAGGED", flag.payload())
            journal.event(tx, STARTED, started, signed_by=wanted.actor)
            return {"success": True}

        answer = self._failures().put_answer(journal, about, start)
        if not answer["success"]:
            return answer
        try:
            file.append(b"".join(lines))
        except OSError:
            self._finish(journal, about, UNDONE, started, {}, wanted.actor)
            raise
        return self._finish(journal, about, APPENDED, started, _done(wanted.path, ids, wanted.redacted), wanted.actor)

    def _lines(self, journal: VerbJournal, wanted: _Append) -> tuple[list[bytes], list[str]]:
        """The lines, and the ids of their records; an id that is not given follows from the call's own."""
        ids = [
            record.memory_id or f"m-{canon.sha256_hex(f'{self._keys.log_name}/{journal.stream}/{place}')[:20]}"
            for place, record in enumerate(wanted.records)
        ]
        now = iso_us(self._world.clock.now())
        return [line_of(record, name, now) for record, name in zip(wanted.records, ids, strict=True)], ids

    def _ending(self, file: LockedStore, real: str) -> str:
        """How the store ends; nothing is ever glued to half a line, or put into a file that is no store."""
        last, has_end = file.last_line()
        ending = ending_of(last, has_end=has_end)
        if ending == "broken":
            raise Conflict(
                f"the last line of the store (line {file.count_lines()}) is no record: it is torn, or somebody is "
                "writing it, or this is no store; mend or remove that line, then try again (mace context check)"
            )
        if ending == "empty" and not real.endswith(SUFFIX):
            raise InvalidInput(f"store is new or empty, and its name does not end with {SUFFIX}")
        return ending

    def _finish(
        self,
        journal: VerbJournal,
        about: str,
        event_type: str,
        started: dict[str, Any],
        answer: dict[str, Any],
        actor: str,
    ) -> dict[str, Any]:
        """Put the end of an append on the ledger, with its answer where it has an idempotency key."""

        payload = {name: started[name] for name in ("store", "store_id", "offset", "bytes", "count")}
        if event_type == APPENDED:
            payload["redacted"] = started["redacted"]
        named = started.get("idempotency") if event_type == APPENDED else None  # token and request hash

        def unit(tx: Tx) -> dict[str, Any]:
            if named is not None:
                kept = canon.dumps({**answer, "store_path": started["store"]})  # a path may be personal
                token, request = named
                tx.idempotency.add(token, request, kept)
                payload["records"] = [
                    rows.reference(rows.IDEMPOTENCY, token, rows.idempotency_hash(token, request, kept))
                ]
            journal.event(tx, event_type, payload, signed_by=actor)
            return {"success": True}

        ended = self._failures().put_answer(journal, about, unit)
        return answer if ended["success"] else ended

    def _tag(self, line: bytes) -> str:
        return str(self._keys.tag("context_line", line)[:12])

    # What a lost process left

    def _settle(self, file: LockedStore, store_id: str) -> None:
        """Bring the last append of this store to its end, if nobody did."""
        started = self._read(lambda tx: self._unfinished(tx, store_id))
        if started is None:
            return
        offset, pieces = started["offset"], [(length, tag) for length, tag in started["lines"]]
        held = file.read(offset, offset + started["bytes"]) if file.size >= offset else b""
        left = left_by(pieces, held, self._tag)
        journal = VerbJournal(self._recorder, _VERB)
        about = f"context/{started['store']}"
        if left == "complete":
            ids = [read_line(line).memory_id for line in held.strip(b"\n").split(b"\n")]
            answer = _done(started["store"], ids, started["redacted"])
            ended = self._finish(journal, about, APPENDED, started, answer, "system")
        else:
            if left == "torn":
                file.cut(offset)
            ended = self._finish(journal, about, UNDONE, started, {"success": True}, "system")
        if not ended["success"]:
            raise ServiceUnavailable("an earlier append to this store could not be brought to its end; try again")

    def _unfinished(self, tx: Tx, store_id: str) -> dict[str, Any] | None:
        """What the newest event of this store says, if that is the start of an append."""
        newest = self._bound.newest(tx, f"context_store/{store_id}")
        return newest[1]["payload"] if newest is not None and newest[0].event_type == STARTED else None

    def _first_answer(self, tx: Tx, wanted: _Append) -> dict[str, Any] | None:
        """What was answered to this idempotency key before, as the event of that append names it."""
        if wanted.named is None:
            return None
        token, request = wanted.named
        held = tx.idempotency.get(token)
        event = self._bound.named(tx, rows.IDEMPOTENCY, token)
        if held is None and event is None:
            return None
        if held is None or event is None or rows.idempotency_hash(token, *held) != event.hash:
            raise IntegrityFailure("what is kept of this idempotency_key was changed; run verify, and use another key")
        if held[0] != request:
            raise Conflict("idempotency_key was already used for a different append")
        return {**canon.loads(held[1]), "store_path": wanted.path}

    def _read(self, look: Callable[[Tx], T]) -> T:
        return self._world.store.read(look)


def _done(path: str, ids: list[str], redacted: list[str]) -> dict[str, Any]:
    return {
        "success": True,
        "applied": True,
        "error_code": None,
        "store_path": path,
        "memory_ids": ids,
        "redacted": redacted,
    }


def _told(error: OSError) -> MaceError:
    """A failure of the file as callers hear it; the path is theirs, and is not repeated."""
    if error.errno in (ENOSPC, EDQUOT, EFBIG):
        return StorageFull("no space left for the store")
    if isinstance(error, TimeoutError):
        return ServiceUnavailable("another process holds the store; try again")
    if isinstance(error, PermissionError) or error.errno == EROFS:
        return InvalidInput("store cannot be written: it is read-only, or another account's")
    if error.errno in (EIO, ESTALE):
        return ServiceUnavailable(f"the store cannot be written: {error.strerror}")
    return InvalidInput(f"store cannot be opened for appending: {error.strerror or 'not a file'}")
