"""Rows of a log without a store: made, signed, and made again by somebody who has the key."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

from mace.core.events import Head, NewEvent, Origin, StoredEvent
from mace.core.purposes import Purpose
from mace.ledger import tree
from mace.ledger.chain import link
from mace.ledger.checkpoint import Checkpoint

STARTED = datetime(2025, 11, 29, 12, tzinfo=UTC)


def sign(purpose: Purpose, digest: bytes) -> str:
    return "k1:" + sha256(f"key of {purpose}".encode() + digest).hexdigest()


def check(purpose: Purpose, digest: bytes, signature: str) -> bool:
    return signature == sign(purpose, digest)


def stored(position: int, event: NewEvent) -> StoredEvent:
    return StoredEvent(
        position,
        event.stream,
        event.sequence_index,
        event.event_id,
        event.event_type,
        event.body,
        event.hash,
        event.signature,
    )


def log(size: int, streams: int = 3) -> list[StoredEvent]:
    """A log whose streams take turns."""
    heads: dict[int, Head] = {}
    rows = []
    for position in range(size):
        number = position % streams
        origin = Origin(f"s{number}", f"seed-{number}", "t" * 32, STARTED)
        head = heads.get(number)
        event = link(head, origin, "JOB_OPENED" if head is None else "SEM_PUT", {"n": position}, "system", sign)
        heads[number] = Head(event.sequence_index, event.hash)
        rows.append(stored(position, event))
    return rows


def signed_again(row: StoredEvent, body: bytes) -> StoredEvent:
    """The row as somebody makes it who has the key."""
    digest = sha256(body).digest()
    return replace(row, body=body, hash=digest, signature=sign(Purpose.EVENT, digest))


def head_of(rows: list[StoredEvent], size: int, origin: str = "mace/x") -> Checkpoint:
    return Checkpoint(origin, size, tree.root_of(row.hash for row in rows[:size]))
