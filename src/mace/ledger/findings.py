"""What verification can find, and what an admin's word about findings covers.

Pure. A finding has an id that follows from what it says, so finding it twice is once; the row as found is part of it,
so the word about one change does not cover the next one in the same place. An attestation is signed twice: like every
record with the server's HMAC key, and with the checkpoints' Ed25519 key, because it can set aside checkpoints and
whoever stole only the HMAC key must not be able to.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.events import StoredEvent
from mace.core.purposes import Check
from mace.ledger import records
from mace.ledger.checkpoint import CheckEd25519, Checkpoint
from mace.storage.ports import Damage, Record

KINDS = {
    "CONTENT_CHANGED": "the stored bytes do not have the stored hash",
    "BAD_SIGNATURE": "the signature is not by a key of this server",
    "COLUMN_MISMATCH": "a column says something else than the signed bytes",
    "CHAIN_BROKEN": "an event does not follow from the one before it in its stream",
    "ROW_MISSING": "a row that must be there is gone",
    "ORDER_CHANGED": "events of a stream stand in another order than they were written",
    "LOG_CUT": "the log is shorter than a checkpoint kept of it: its tail was cut or it was rolled back",
    "TREE_MISMATCH": "the log is not the one a checkpoint was made of: it was rewritten or rolled back and continued",
    "TILE_CHANGED": "a kept subtree root is not that of its events",
    "RECORD_CHANGED": "a record is not what was signed",
    "RECORD_MISSING": "a record that an event names is gone",
    "ROW_UNNAMED": "a row that no event names",
    "SUBJECTS_CHANGED": "the index of what events speak of is not that of the events",
    "KEY_RETIRED": "the signature is by an older key, which was not in use any more",
    "KEY_UNREADABLE": "a wrapped key was changed, or the master key does not open it",
    "KEY_MISSING": "a wrapped key is gone, and no deletion manifest says that it was erased",
    "PROJECTION_CHANGED": "what was derived from events is not what they give",
    "KEY_RETURNED": "a wrapped key that was erased is there again",
    "CHECKPOINT_FORGED": "a kept checkpoint is not signed by this log's key",
    "SHELF_MOVED": "the checkpoints kept of this log outside the database are not where they were",
    "WRONG_LOG": "the database belongs to another log than the keys",
    "KEY_FILE_DAMAGED": "the key file is not what was written; bring back a copy of it",
    "ROW_UNREADABLE": "a row holds what cannot stand there: another type, no value, or text that is not UTF-8",
    "FILE_DAMAGED": "the database file contradicts itself; what can be read was checked; restore a backup",
    "SCHEMA_CHANGED": "a table, index, trigger or view is not what MACE made",
    "NOT_CHECKED": "a part could not be read at all, and so it was not checked",
    "MANY_MORE": "more was found than is listed one by one",
}

CONTRADICTIONS = (
    "LOG_CUT",
    "TREE_MISMATCH",
)  # one thing at two moments: the log denies a checkpoint kept of it


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str
    where: dict[str, Any]
    detail: str
    evidence: dict[str, Any] = field(default_factory=dict)  # the row as found, for quarantine; not shown
    again: int = 0  # how often the very same was attested and then found no more

    @property
    def finding_id(self) -> str:
        kind = "CONTRADICTION" if self.kind in CONTRADICTIONS else self.kind
        finding_id = canon.hash_of({"evidence": self.evidence, "kind": kind, "where": self._place()})
        for _ in range(self.again):
            finding_id = id_of_next(finding_id)
        return finding_id

    def _place(self) -> dict[str, Any]:
        """Where it was found; a number that somebody blew up is told as text."""
        return {name: str(value) if _too_big(value) else value for name, value in self.where.items()}

    def shown(self) -> dict[str, Any]:
        return {
            "finding_id": self.finding_id,
            "kind": self.kind,
            "meaning": KINDS[self.kind],
            "where": self._place(),
            "detail": self.detail,
        }


def id_of_next(finding_id: str) -> str:
    """The id of the same finding when it is found again after it was settled."""
    return canon.hash_of({"again": finding_id})


def _too_big(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > canon.MAX_SAFE_INTEGER


def forged_checkpoint(note: str, why: str) -> Finding:
    digest = sha256(note.encode()).hexdigest()
    return Finding("CHECKPOINT_FORGED", {"table": "checkpoints", "note_sha256": digest}, why, {"note": note})


def changed_event(kind: str, row: StoredEvent, detail: str) -> Finding:
    where = {
        "table": "events",
        "position": row.position,
        "stream": row.stream,
        "sequence_index": row.sequence_index,
        "event_type": row.event_type,
    }
    evidence = {
        "body": row.body.hex(),
        "event_id": row.event_id.hex(),
        "hash": row.hash.hex(),
        "signature": row.signature,
    }
    return Finding(kind, where, detail, evidence)


def _of_record(kind: str, key: str) -> dict[str, Any]:
    return {"table": "records", "kind": kind, "key": key}


def changed_record(row: Record) -> Finding:
    evidence = {"body": row.body.hex(), "parent": row.parent, "signature": row.signature}
    detail = f"{row.kind} {row.key} is not what was signed"
    return Finding("RECORD_CHANGED", _of_record(row.kind, row.key), detail, evidence)


def missing_record(kind: str, key: str) -> Finding:
    return Finding("RECORD_MISSING", _of_record(kind, key), f"{kind} {key} is gone")


def damage_found(damage: Damage) -> Finding:
    """What is wrong with the store itself, as a finding."""
    return Finding(damage.kind, damage.where, damage.detail, damage.evidence)


def not_checked(part: str, error: Exception) -> Finding:
    """A part whose verification broke off: what it holds nobody foresaw."""
    return Finding("NOT_CHECKED", {"table": part}, f"{part} could not be checked to its end: {type(error).__name__}")


def held_elsewhere(part: str, error: Exception) -> Finding:
    """A part that could not be looked at because another process has it: that passes, so nobody need answer for it."""
    return Finding("NOT_CHECKED", {"table": part, "held": True}, f"{part} was not checked: {error}")


def is_held(where: Mapping[str, Any]) -> bool:
    """Whether a finding says only that somebody else has the part: it is told, never recorded nor attested."""
    return where.get("held") is True


def missing_key(ref: str) -> Finding:
    return Finding("KEY_MISSING", {"table": "vault_keys", "ref": ref}, f"key {ref} is gone")


def returned_key(ref: str, stored: bytes) -> Finding:
    where = {"table": "vault_keys", "ref": ref}
    evidence = {"sha256": sha256(stored).hexdigest()}  # a copy would outlive the erasure
    return Finding("KEY_RETURNED", where, f"key {ref} was erased and is there again", evidence)


@dataclass(slots=True)
class Attested:
    """All that admins said so far: covered findings, stand-ins for lost leaves, and how the log went on.

    A word covers damage for as long as it is found. Once a verification does not find it any more, it is `settled`:
    the same damage done again is a finding of its own, with an id of its own.
    """

    said: set[str] = field(default_factory=set)  # ids of findings
    settled: set[str] = field(default_factory=set)  # those of them that were found no more
    lost_leaves: dict[int, bytes] = field(default_factory=dict)
    continued_from: dict[int, int] = field(default_factory=dict)  # by epoch: the size it took over

    def add(self, content: dict[str, Any]) -> None:
        """Take in what an attestation says, whose seals were checked."""
        self.said.update(content["finding_ids"])
        self.lost_leaves.update({leaf["position"]: bytes.fromhex(leaf["hash"]) for leaf in content["lost_leaves"]})
        if content["epoch"] is not None:
            self.continued_from[content["epoch"]] = content["continued_from"]

    @property
    def findings(self) -> "Covered":
        """What is covered at present, by the ids that findings have when they are first found."""
        return Covered(self)

    def as_now(self, finding: Finding) -> Finding:
        """The finding as the one that it is at present: the first of its kind, or one after others were settled."""
        first = replace(finding, again=0)
        finding_id, times = first.finding_id, 0
        while finding_id in self.settled:
            finding_id, times = id_of_next(finding_id), times + 1
        return replace(first, again=times) if times != finding.again else finding

    @property
    def epoch(self) -> int:
        return max(self.continued_from, default=0)

    def counts(self, checkpoint: Checkpoint) -> bool:
        """A checkpoint of an earlier epoch counts as far as the log was taken over from it."""
        later = [size for epoch, size in self.continued_from.items() if epoch > checkpoint.epoch]
        return not later or checkpoint.size <= min(later)


@dataclass(frozen=True, slots=True)
class Covered:
    """The findings that an admin's word covers at present."""

    _word: Attested

    def __contains__(self, finding_id: object) -> bool:
        while isinstance(finding_id, str) and finding_id in self._word.settled:
            finding_id = id_of_next(finding_id)
        return finding_id in self._word.said


_HIDES_OTHERS = frozenset({"FILE_DAMAGED", "NOT_CHECKED"})


def to_settle(word: Attested, found: Container[str], kinds: Iterable[str], *, quick: bool) -> list[str]:
    """The attested findings that a verification found no more; none where it could not look everywhere."""
    if quick or not _HIDES_OTHERS.isdisjoint(kinds):
        return []
    return sorted(finding_id for finding_id in word.said - word.settled if finding_id not in found)


def attestation_message(log_name: str, content: dict[str, Any]) -> bytes:
    """What the Ed25519 key signs of an attestation; nothing else that it signs begins like this."""
    said = {name: value for name, value in content.items() if name != "seal"}
    return b"mace-attestation/1\n" + log_name.encode() + b"\n" + canon.dumps(said)


def attested_by(
    rows: Iterable[Record],
    log_name: str,
    public_key: bytes,
    check: Check,
    check_ed25519: CheckEd25519,
    settlements: Iterable[Record] = (),
) -> Attested:
    """Sum up the attestations that carry both signatures; others are findings themselves.

    A settlement takes cover away and never gives any: the server's signature is enough for it.
    """
    word = Attested()
    for row in settlements:
        if records.is_signed(row, check):
            word.settled.update(canon.loads(row.body)["finding_ids"])
    for row in rows:
        if records.is_signed(row, check):
            content = canon.loads(row.body)
            if is_sealed(content, log_name, public_key, check_ed25519):
                word.add(content)
    return word


def is_sealed(content: Any, log_name: str, public_key: bytes, check_ed25519: CheckEd25519) -> bool:
    """Say whether an attestation carries the Ed25519 seal; one made with the HMAC key alone does not."""
    try:
        return check_ed25519(public_key, bytes.fromhex(content["seal"]), attestation_message(log_name, content))
    except (AttributeError, LookupError, TypeError, ValueError):
        return False
