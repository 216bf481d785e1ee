"""`m.forensics`: the forensic store, and reads that show what others see redacted. Each look is on the record."""

from typing import cast

from mace.core.answers import (
    ApprovalView,
    CanaryReport,
    ForensicContent,
    ForensicEntry,
    ForensicKey,
    QuarantineEntry,
    ReflectiveLog,
    RestoreAnswer,
    UnredactedEvent,
)
from mace.engine.arguments import Canaries, Id, Line, Progress
from mace.engine.groups.base import Group
from mace.engine.verbs import verb


class ForensicsGroup(Group):
    """The forensic store and unredacted reads; for admins, with a purpose that goes onto the record."""

    @verb("forensics.set_key")
    def set_key(self, public_key: Line) -> ForensicKey:
        """Name the public key that entries are sealed to from now on; earlier ones stay with theirs."""
        return cast(ForensicKey, self._parts.forensics.set_key(public_key, self._by))

    @verb("forensics.entries")
    def entries(self) -> list[ForensicEntry]:
        """What the store holds: names and times, not contents."""
        return cast(list[ForensicEntry], self._parts.forensics.entries())

    @verb("forensics.read")
    def read(self, entry_id: Id, private_key: Line | None, *, purpose: Line) -> ForensicContent:
        """Show an entry. The private key is used and forgotten."""
        return cast(ForensicContent, self._parts.forensics.read(entry_id, private_key, self._by, purpose=purpose))

    @verb("forensics.restore")
    def restore(self, dsr_id: Id, private_key: Line, *, purpose: Line) -> RestoreAnswer:
        """Bring back what a deletion took, with the forensic private key; newer data of the person stays as it is."""
        return cast(RestoreAnswer, self._parts.erasing.restore(dsr_id, private_key, self._by, purpose=purpose))

    @verb("forensics.request_purge")
    def request_purge(self, id: Id) -> ApprovalView:
        """Ask that something be destroyed for good: the keys of an erasure (the request's id, or their entry's),
        evidence (its entry's id), or what was quarantined (its quarantine id).
        """
        return cast(ApprovalView, self._parts.erasing.request_purge(id, self._by))

    @verb("forensics.search")
    def search(self, words: Canaries, *, purpose: Line, progress: Progress | None = None) -> CanaryReport:
        """Say in which rows of the store these words stand, sealed rows included; leaves an `admin_access_event`.

        For words that were planted to see where they go, personal ones too. They are kept nowhere, and what stands
        around them is not shown. `progress(rows, rows_in_all)` is called now and then.
        """
        found = self._parts.canaries.search([*words], self._by, purpose=purpose, progress=progress)
        return cast(CanaryReport, found)

    @verb("forensics.read_log")
    def read_log(self, log_id: Id, *, purpose: Line) -> ReflectiveLog:
        """A reflective log as it was written; leaves an `admin_access_event`."""
        return cast(ReflectiveLog, self._parts.unredacted.log(log_id, self._by, purpose=purpose))

    @verb("forensics.read_event")
    def read_event(self, event_id: Id, *, purpose: Line) -> list[UnredactedEvent]:
        """Events of this id with their sealed contents; leaves an `admin_access_event`."""
        return cast(list[UnredactedEvent], self._parts.unredacted.event(event_id, self._by, purpose=purpose))

    @verb("forensics.read_quarantine")
    def read_quarantine(self, quarantine_id: Id, *, purpose: Line) -> QuarantineEntry:
        """A quarantined payload or row as it was found; leaves an `admin_access_event`."""
        return cast(QuarantineEntry, self._parts.unredacted.quarantined(quarantine_id, self._by, purpose=purpose))
