"""What somebody can do who has the database and the server's keys: rewrite an event and sign the chain anew.

Only signatures kept elsewhere show that (`verify`); replay has to find it by playing the job again.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import places
from mace.core import canon
from mace.core.events import Head, Origin
from mace.core.purposes import Purpose
from mace.core.times import parse_instant
from mace.ledger import reflective
from mace.ledger.chain import link
from mace.providers.keys import KeyFile
from mace.providers.system import SystemEntropy

Payload = dict[str, Any]


def keys_of(place: places.Place) -> KeyFile:
    return KeyFile.open(Path(place.folder) / "keys.json", SystemEntropy(), create=False)


def rewrite_event(place: places.Place, job_id: str, event_type: str, change: Callable[[Payload], Payload]) -> int:
    """Change the payload of the first event of that type, sign it and everything after it; return its index."""
    keys = keys_of(place)
    with place.sql() as sql:
        rows = sql("select sequence_index, body from events where stream = ? order by sequence_index", (job_id,))
        bodies = [canon.loads(bytes(body)) for _, body in rows]
        first = bodies[0]
        started_at = parse_instant(first["payload"]["started_at"])
        origin = Origin(job_id, first["job_seed"], first["trace_id"], started_at)
        at = next(index for index, body in enumerate(bodies) if body["event_type"] == event_type)
        head = Head(at - 1, bytes.fromhex(bodies[at]["prev_hash"]))
        for body in bodies[at:]:
            payload = change(body["payload"]) if body["sequence_index"] == at else body["payload"]
            event = link(
                head, origin, body["event_type"], payload, body["signed_by"], keys.sign, body.get("recorded_at")
            )
            sql(
                "update events set body = ?, hash = ?, signature = ? where stream = ? and sequence_index = ?",
                (event.body, event.hash, event.signature, job_id, event.sequence_index),
            )
            head = Head(event.sequence_index, event.hash)
    return at


def rewrite_log(place: places.Place, job_id: str, log_id: str, column: str, value: Any) -> None:
    """Change a column of a reflective log, sign it, and let its event name the new hash."""
    keys = keys_of(place)
    names = place.columns("reflective_log_stage0")
    with place.sql() as sql:
        [row] = sql(f"select {', '.join(names)} from reflective_log_stage0 where log_id = ?", (log_id,))
        columns = {**dict(zip(names, row, strict=True)), column: value}
        digest = sha256(reflective.signed_bytes(columns))
        sql(
            f"update reflective_log_stage0 set {column} = ?, signature = ? where log_id = ?",
            (value, keys.sign(Purpose.LOG, digest.digest()), log_id),
        )
    rewrite_event(
        place,
        job_id,
        "REFLECTIVE_LOG_WRITTEN",
        lambda payload: {**payload, "record": {**payload["record"], "hash": digest.hexdigest()}},
    )
