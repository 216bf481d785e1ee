"""Amendments and annotations that earlier versions kept in plain: sealed once, on the first opening for writing.

Each gets a sealed record in its place and the plain row goes. `RECORDS_SEALED` names the new row and the hash of the
old one, which the event of that time still names: verification follows from one to the other (`was_sealed`). What is
not what its event says stays where it is, for verification to find. Where the person was erased before, the words
should have gone then: they go now.
"""

from collections.abc import Callable
from contextlib import suppress

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure, MaceError, NotFound
from mace.core.events import StoredEvent
from mace.core.subjects import subject_of
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.journal import SystemJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.engine.ledger.logs import LogVerbs
from mace.ledger import records
from mace.ledger.reflective import PLAIN_KINDS, sealed_kind
from mace.storage.ports import Record, Tx

EVENT = "RECORDS_SEALED"
ROWS_PER_EVENT = 200


class SealingRecords:
    """Seals what earlier versions wrote beside logs."""

    def __init__(self, world: World, recorder: Recorder, bound: Bound, logs: LogVerbs) -> None:
        self._store = world.store
        self._recorder = recorder
        self._bound = bound
        self._logs = logs

    def run(self) -> int:
        """Seal everything, so many rows to a unit; return how many. What a dying process left is done the next time."""
        sealed = 0
        for kind in PLAIN_KINDS:
            after = ""
            while True:
                done, last = self._store.write(lambda tx, kind=kind, after=after: self._unit(tx, kind, after))  # type: ignore[misc]
                sealed += done
                if last is None:
                    break
                after = last
        if sealed:
            self._scrub()
        return sealed

    def _scrub(self) -> None:
        """No plain words in free pages and logs either; that some may be left must be known."""
        try:
            self._store.scrub(records=True)
        except MaceError as error:
            alert = {"about": EVENT, "reason": f"free pages were not cleared: {error.code}"}
            self._store.write(lambda tx: SystemJournal(self._recorder).event(tx, "ADMIN_ALERT", alert))

    def _unit(self, tx: Tx, kind: str, after: str) -> tuple[int, str | None]:
        tx.lock("records_sealed")  # another node may be doing the same
        rows = tx.records.scan(kind, after, ROWS_PER_EVENT)
        now, before = [], []
        for row in rows:
            if self._bound.happened(tx, sealed_kind(kind), row.key):
                tx.records.drop(kind, row.key)  # somebody put it back: it is sealed
                continue
            made = self._made(tx, row)
            if made is not None:
                tx.records.add(made)
                tx.records.drop(kind, row.key)
                now.append(records.reference(made))
                before.append(records.reference(row))
        if now:
            payload = {"rows": len(now), "records": now, "was": before}
            self._recorder.append(tx, self._recorder.system(tx), EVENT, payload)
        return len(now), rows[-1].key if rows else None

    def _made(self, tx: Tx, row: Record) -> Record | None:
        """The sealed record for a row that is what its event says; None for any other."""
        with suppress(IntegrityFailure, NotFound):
            named = self._bound.named(tx, row.kind, row.key)
            content = None if named is None else self._bound.if_intact(tx, row.kind, named)
            if content is None:
                return None
            key_ref = self._logs.key_of(tx, row.parent)
            try:
                return self._logs.beside.sealed(tx, row.kind, row.key, row.parent, key_ref, content)
            except Erased:
                return self._logs.beside.sealed(tx, row.kind, row.key, row.parent, key_ref, content, erased=True)
        return None


def was_sealed(tx: Tx, is_own: Callable[[StoredEvent], bool], kind: str, key: str, digest: str) -> bool:
    """Say whether a row that is gone, and had this hash, was sealed by an event of this server."""
    if kind not in PLAIN_KINDS:
        return False
    events = tx.events.about(subject_of(sealed_kind(kind), key), 16)
    told = (canon.loads(event.body)["payload"] for event in events if event.event_type == EVENT and is_own(event))
    return any({"kind": kind, "key": key, "hash": digest} in payload["was"] for payload in told)
