"""What verification can find. A finding has an id that follows from what it says, so finding it twice is once."""

from dataclasses import dataclass, field
from typing import Any

from mace.core import canon

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
    "KEY_UNREADABLE": "a wrapped key was changed and cannot be opened",
    "CHECKPOINT_FORGED": "a kept checkpoint is not signed by this log's key",
    "WRONG_LOG": "the database belongs to another log than the keys",
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

    @property
    def finding_id(self) -> str:
        kind = "CONTRADICTION" if self.kind in CONTRADICTIONS else self.kind
        return canon.hash_of({"evidence": self.evidence, "kind": kind, "where": self.where})

    def shown(self) -> dict[str, Any]:
        return {
            "finding_id": self.finding_id,
            "kind": self.kind,
            "meaning": KINDS[self.kind],
            "where": self.where,
            "detail": self.detail,
        }
