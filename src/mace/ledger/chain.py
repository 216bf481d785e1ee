"""The chain: each event commits to the one before it in its stream.

Pure. It stores nothing and holds no key; callers pass `sign`. The bytes built in `link` are what is hashed, signed and
stored: changing them breaks every old ledger (ADR 0003).
"""

from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.events import EVENT_TYPES, GENESIS_HASH, Head, NewEvent, Origin
from mace.core.purposes import Purpose, Sign
from mace.core.seeds import event_id, seeded_timestamp
from mace.core.subjects import subjects_of


def link(
    head: Head | None,
    origin: Origin,
    event_type: str,
    payload: dict[str, Any],
    signed_by: str,
    sign: Sign,
    recorded_at: str | None = None,
) -> NewEvent:
    """Return the event that follows `head` in its stream, hashed and signed.

    `recorded_at` is None only to build an event again that was written before there was such a time.
    """
    if event_type not in EVENT_TYPES:
        raise ValueError(f"{event_type} is not an event type")
    index = 0 if head is None else head.sequence_index + 1
    identity = event_id(origin.job_seed, index, event_type)
    said = {
        "event_id": identity,
        "event_type": event_type,
        "job_seed": origin.job_seed,
        "payload": payload,
        "prev_hash": GENESIS_HASH if head is None else head.hash.hex(),
        "recorded_at": recorded_at,
        "sequence_index": index,
        "signed_by": signed_by,
        "stream": origin.stream,
        "timestamp_seeded": seeded_timestamp(origin.started_at, index),
        "trace_id": origin.trace_id,
    }
    if recorded_at is None:
        del said["recorded_at"]
    body = canon.dumps(said)
    digest = sha256(body).digest()
    signature = sign(Purpose.EVENT, digest)
    named = subjects_of(event_type, payload)
    return NewEvent(origin.stream, index, bytes.fromhex(identity), event_type, body, digest, signature, named)
