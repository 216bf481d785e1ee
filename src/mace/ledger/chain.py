"""The chain: each event commits to the one before it in its stream.

Pure. It stores nothing and holds no key; callers pass `sign`. The bytes built in `link` are what is hashed, signed and
stored: changing them breaks every old ledger (ADR 0003).
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.events import EVENT_TYPES, GENESIS_HASH, Head, NewEvent, Origin
from mace.core.seeds import event_id, seeded_timestamp


def link(
    head: Head | None,
    origin: Origin,
    event_type: str,
    payload: dict[str, Any],
    signed_by: str,
    sign: Callable[[bytes], str],
) -> NewEvent:
    """Return the event that follows `head` in its stream, hashed and signed."""
    if event_type not in EVENT_TYPES:
        raise ValueError(f"{event_type} is not an event type")
    index = 0 if head is None else head.sequence_index + 1
    identity = event_id(origin.job_seed, index, event_type)
    body = canon.dumps(
        {
            "event_id": identity,
            "event_type": event_type,
            "job_seed": origin.job_seed,
            "payload": payload,
            "prev_hash": GENESIS_HASH if head is None else head.hash.hex(),
            "sequence_index": index,
            "signed_by": signed_by,
            "stream": origin.stream,
            "timestamp_seeded": seeded_timestamp(origin.started_at, index),
            "trace_id": origin.trace_id,
        }
    )
    digest = sha256(body).digest()
    return NewEvent(origin.stream, index, bytes.fromhex(identity), event_type, body, digest, sign(digest))
