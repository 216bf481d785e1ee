"""Which consent let a fact in: what the event of its write says, in older stores the `PII_CONSENT` before it.

A version of a fact never changes, so neither does the answer. Whether that consent still holds is governance's to say
(`gate.Gate.stands`); what no consent let in never ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mace.core.subjects import references
from mace.engine.kernel.bound import Bound
from mace.storage.ports import Tx


@dataclass(frozen=True, slots=True)
class LetIn:
    """The consent that a write of flagged data was let in by, and the types of what was found in it."""

    consent_id: str
    grant: int  # 0 for the first time it was given
    types: tuple[str, ...]

    def payload(self) -> dict[str, Any]:
        """What the event of the write says of it."""
        told: dict[str, Any] = {"consent_id": self.consent_id, "pii_types": list(self.types)}
        return {**told, "grant": self.grant} if self.grant else told


def told_by(put: Mapping[str, Any]) -> LetIn | None:
    """What the event of a write says about its consent."""
    consent_id = put.get("consent_id")
    if not isinstance(consent_id, str):
        return None
    return LetIn(consent_id, int(put.get("grant", 0)), tuple(put.get("pii_types", ())))


def told_before(bound: Bound, tx: Tx, key: str, version: int, stream: str) -> LetIn | None:
    """The consent whose use stands in the stream just before the write of this version, for older writes.

    A use is about the next write of its key in the stream, and about no later one.
    """
    used: dict[str, Any] | None = None
    for event in tx.events.of_stream(stream):
        if event.event_type not in ("PII_CONSENT", "SEM_PUT"):
            continue
        said = bound.said(tx, event)
        payload = {} if said is None else said["payload"]
        if payload.get("key") != key:
            continue
        if event.event_type == "PII_CONSENT":
            used = payload if payload.get("action") == "used" else used
            continue
        if any(held["kind"] == "sem_history" and held["key"] == f"{key}@{version}" for held in references(payload)):
            return used_by(used)
        used = None
    return None


def used_by(used: Mapping[str, Any] | None) -> LetIn | None:
    """What a use of a consent, which the event of an older write does not name, let in."""
    if used is None:
        return None
    return LetIn(str(used["consent_id"]), 0, tuple(sorted({item["pii_type"] for item in used.get("pii", ())})))


def uses_of_approval(bound: Bound, tx: Tx, key: str, request_id: str) -> str | None:
    """The value hash of the first write under a key that was let in by this approval; None where there was none."""
    for event in reversed(tx.events.about(f"sem_history/{key}", 1_000_000)):
        said = bound.said(tx, event)
        if said is None or "value_hash" not in said["payload"]:
            continue
        before = [row for row in tx.events.of_stream(event.stream) if row.sequence_index < event.sequence_index]
        for row in reversed(before):
            if row.event_type not in ("PII_CONSENT", "SEM_PUT"):
                continue
            told = bound.said(tx, row)
            payload = {} if told is None else told["payload"]
            if payload.get("key") != key:
                continue
            if row.event_type == "PII_CONSENT" and request_id in payload.get("approvals", ()):
                return str(said["payload"]["value_hash"])
            break
    return None
