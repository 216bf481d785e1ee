"""Jobs as the ledger tells them: asked wherever a job decides who may see it, whether it may be joined, how it replays.

The table of jobs is an index for lists: whoever changes or deletes a row there changes no answer. Whose a job is stands
in its events; where they were written before they said so, the key above the job's key tells, which is sealed, or the
deletion manifest that took that key away.
"""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

from mace.core import canon
from mace.core.errors import IntegrityFailure
from mace.core.events import StoredEvent
from mace.core.purposes import Purpose
from mace.engine.kernel.missing_keys import is_erased
from mace.engine.kernel.vault import Vault
from mace.ledger.jobs import EVENT_TYPES, JobFold, JobTold
from mace.providers.ports import Keys
from mace.storage.ports import JobRow, Tx

_REMEMBERED = 256  # streams that are joined again and again are not read from their beginning each time


@dataclass(slots=True)
class _Read:
    fold: JobFold
    next: int = 0


class JobLedger:
    """Reads jobs from their streams."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._vault = Vault(keys)
        self._read: OrderedDict[str, _Read] = OrderedDict()

    def told(self, tx: Tx, stream: str) -> JobTold | None:
        """The job of a stream, or None where there is none."""
        return self._folded(tx, stream).job

    def look(self, tx: Tx, stream: str) -> JobRow | None:
        """A job with whose it is; `IntegrityFailure` where nothing can tell that any more."""
        told = self.told(tx, stream)
        if told is None:
            return None
        person = self.person(tx, told)
        status = self.status(tx, told)
        return JobRow(
            told.stream, told.kind, status, told.opened_at, person, told.log_id, "", told.parent, told.root, told.life
        )

    def status(self, tx: Tx, told: JobTold) -> str:
        """How a job stands; that one was given up stood in the system's stream before it stood in its own."""
        if told.status != "running":
            return told.status
        row = tx.jobs.get(told.stream)
        given_up = row is not None and row.status == "abandoned" and told.stream in self.given_up(tx)
        return "abandoned" if given_up else "running"

    @staticmethod
    def given_up(tx: Tx) -> set[str]:
        """The jobs that older versions gave up."""
        found = tx.events.of_type("JOB_ABANDONED", 1_000_000)
        return {str(canon.loads(row.body)["payload"].get("job_id")) for row in found}

    def person(self, tx: Tx, told: JobTold) -> str:
        """Whose job it is; empty for nobody's."""
        person = self.known_person(tx, told)
        if person is not None:
            return person
        row = tx.jobs.get(told.stream)
        if row is not None and row.person and is_erased(tx, f"job/{told.tree}", self._keys):
            return row.person
        raise IntegrityFailure(f"whose job {told.stream} is cannot be told; run verify")

    def owner(self, tx: Tx, stream: str) -> str | None:
        """Whose the job of a stream is, empty for nobody's, None where there is no job; the table is not believed."""
        told, row = self.told(tx, stream), tx.jobs.get(stream)  # both always: how much is read tells nothing
        if told is None and row is None:
            return None
        return self.person(tx, told or JobTold(stream, "", "", "", None, ""))

    def speaks(self, tx: Tx, stream: str) -> str | None:
        """Whose words lie in a stream, that of a job or of a verb; empty for nobody's, None where nothing is sealed."""
        fold = self._folded(tx, stream)
        if fold.job is not None:
            return self.person(tx, fold.job)
        if not fold.seals:
            return None
        return self.known_person(tx, JobTold(stream, "", "", "", None, ""))

    def known_person(self, tx: Tx, told: JobTold) -> str | None:
        """Whose job it is as far as its events or its key say."""
        if told.person is not None:
            return told.person
        ref = f"job/{told.tree}"
        held = tx.vault.key(ref)
        if held is None or not self._vault.is_intact(ref, held[0], held[1]):
            return None
        return held[0].removeprefix("person/")

    def is_erased(self, tx: Tx, stream: str) -> bool:
        """Say whether what lies under the key of this stream's job was taken away by right."""
        fold = self._folded(tx, stream)
        ref = f"job/{stream if fold.job is None else fold.job.tree}"
        return fold.seals and tx.vault.key(ref) is None and is_erased(tx, ref, self._keys)

    def _folded(self, tx: Tx, stream: str) -> JobFold:
        read = self._read.pop(stream, None) or _Read(JobFold(stream))
        for row in tx.events.of_stream(stream, read.next):
            read.next = row.sequence_index + 1
            self._feed(read.fold, row)
        if read.next:  # of a stream that is not there nothing is remembered
            self._read[stream] = read
            if len(self._read) > _REMEMBERED:
                self._read.popitem(last=False)
        return read.fold

    def _feed(self, fold: JobFold, row: StoredEvent) -> None:
        if row.event_type not in EVENT_TYPES:
            fold.feed(row.event_type, {})
            return
        try:
            said = canon.loads(row.body)
            job = said["payload"].get("job")
            if job is not None and not self._is_signed(row):  # its word about a person counts for nothing
                said["payload"]["job"] = {**job, "person": None}
            fold.feed(row.event_type, said)
        except (ValueError, LookupError, TypeError, AttributeError):
            return  # verification names it

    def _is_signed(self, row: StoredEvent) -> bool:
        return sha256(row.body).digest() == row.hash and self._keys.check(Purpose.EVENT, row.hash, row.signature)
