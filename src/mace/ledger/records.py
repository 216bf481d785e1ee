"""Immutable documents beside the events: what is signed of one, and how an event names it.

Pure. An event that names a document carries its hash, so the tree covers documents too.
"""

from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.purposes import Check, Purpose, Sign
from mace.storage.ports import Record


def digest_of(kind: str, key: str, parent: str, body: bytes) -> bytes:
    """What is signed: every column, and the body by its hash."""
    return sha256(canon.dumps({"body": sha256(body).hexdigest(), "key": key, "kind": kind, "parent": parent})).digest()


def make(kind: str, key: str, content: dict[str, Any], sign: Sign, parent: str = "") -> Record:
    body = canon.dumps(content)
    return Record(kind, key, parent, body, sign(Purpose.RECORD, digest_of(kind, key, parent, body)))


def reference(record: Record) -> dict[str, str]:
    """How an event's payload names a document (field `record`)."""
    return {"kind": record.kind, "key": record.key, "hash": sha256(record.body).hexdigest()}


def is_signed(record: Record, check: Check) -> bool:
    return check(Purpose.RECORD, digest_of(record.kind, record.key, record.parent, record.body), record.signature)
