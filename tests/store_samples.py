"""Rows to put into a store: events with real hashes, and texts and bytes that are easily damaged on the way."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from mace.core.events import Head, NewEvent, Origin
from mace.core.purposes import Purpose
from mace.ledger.chain import link
from mace.storage.ports import Tx

STARTED = datetime(2025, 11, 29, 12, 0, 0, 250_000, UTC)

ODD_TEXTS = [
    "plain",
    " spaces at both ends ",
    'O\'Hara "quoted" \\ back % _ ? %s $1 :name',
    "zwölf Äpfel, 日本語, ไทย, עברית",
    "e\u0301 is not \u00e9",
    "\U0001f600\U0010ffff\u0000"[:2],
    "tab\tnew\nline\r\n\x7f\x1b",
    "\u200b\u2028\u2029\ufeff\ufffd",
    "x" * 5000,
]
ODD_BYTES = [b"", b"\x00", bytes(range(256)), b"\xff\xfe\x00" * 3000, "é".encode("latin-1")]


def origin(name: str) -> Origin:
    return Origin(name, f"seed of {name}", sha256(name.encode()).hexdigest()[:32], STARTED)


def sign(purpose: Purpose, digest: bytes) -> str:
    return "k1:" + sha256(b"key" + digest).hexdigest()


def event(stream: str, head: Head | None = None, payload: dict[str, Any] | None = None, kind: str = "") -> NewEvent:
    event_type = kind or ("JOB_OPENED" if head is None else "SEM_PUT")
    return link(head, origin(stream), event_type, payload or {}, "system", sign)


def append(tx: Tx, stream: str, count: int = 1, kind: str = "") -> list[NewEvent]:
    """Append as the engine does: from the head, inside a unit."""
    made = []
    for _ in range(count):
        head = tx.events.head(stream)
        made.append(event(stream, head, {"n": 0 if head is None else head.sequence_index + 1}, kind))
        tx.events.append(made[-1])
    return made
