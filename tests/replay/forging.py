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
from mace.engine.kernel.vault import Vault
from mace.ledger import reflective
from mace.ledger.chain import link
from mace.providers.keys import KeyFile
from mace.providers.system import SystemEntropy

Payload = dict[str, Any]


def keys_of(place: places.Place) -> KeyFile:
    return KeyFile.open(Path(place.folder) / "keys.json", SystemEntropy(), create=False)


def rewrite_event(place: places.Place, job_id: str, event_type: str, change: Callable[[Payload], Payload]) -> int:
    """Change the payload of the first event of that type, sign it and everything after it; return its index."""
    at = next(index for index, body in enumerate(bodies(place, job_id)) if body["event_type"] == event_type)
    rewrite_at(place, job_id, at, change)
    return at


def bodies(place: places.Place, stream: str) -> list[dict[str, Any]]:
    """The events of a stream."""
    with place.sql(keep_triggers=True) as sql:
        rows = sql("select body from events where stream = ? order by sequence_index", (stream,))
    return [canon.loads(bytes(body)) for (body,) in rows]


def rewrite_at(place: places.Place, stream: str, at: int, change: Callable[[Payload], Payload]) -> str:
    """Change the payload of one event, sign it and everything after it; return the hash of the last one."""
    keys, found = keys_of(place), bodies(place, stream)
    first = found[0]
    origin = Origin(stream, first["job_seed"], first["trace_id"], parse_instant(first["payload"]["started_at"]))
    head = Head(at - 1, bytes.fromhex(found[at]["prev_hash"]))
    with place.sql() as sql:
        for body in found[at:]:
            payload = change(body["payload"]) if body["sequence_index"] == at else body["payload"]
            event = link(
                head, origin, body["event_type"], payload, body["signed_by"], keys.sign, body.get("recorded_at")
            )
            sql(
                "update events set body = ?, hash = ?, signature = ? where stream = ? and sequence_index = ?",
                (event.body, event.hash, event.signature, stream, event.sequence_index),
            )
            head = Head(event.sequence_index, event.hash)
    return head.hash.hex()


def rewrite_result(place: places.Place, root: str, stream: str, effect: int, change: Callable[[bytes], bytes]) -> int:
    """Change the recorded result of a call of a program, in the job itself or in a branch, and make all else fit.

    It is sealed anew, its event names its new hash, and whatever names the last event of the stream is signed anew.
    """
    keys, ref = keys_of(place), f"effect/{effect}/{stream}"
    with place.open() as m:
        world = m._parts.world
        data_key = world.store.read(lambda tx: Vault(world.keys).open_key(tx, f"job/{root}"))
    with place.sql() as sql:
        [(sealed,)] = sql("select sealed from vault_blobs where ref = ?", (ref,))
        plain = change(keys.unseal(data_key, bytes(sealed), f"blob/{ref}"))
        sql("update vault_blobs set sealed = ? where ref = ?", (keys.seal(data_key, plain, f"blob/{ref}"), ref))
    found = bodies(place, stream)
    at = next(
        index
        for index, body in enumerate(found)
        if body["event_type"] == "EFFECT_DONE" and body["payload"].get("effect") == effect
    )
    digest = keys.keyed_hash(data_key, plain)
    head = rewrite_at(place, stream, at, lambda payload: {**payload, "result_hash": digest})
    while stream != root:
        child, stream = stream, bodies(place, stream)[0]["payload"]["job"]["parent"]
        head = _rewrite_fan_in(place, stream, child, head)
    return at


def _rewrite_fan_in(place: places.Place, stream: str, branch: str, head: str) -> str:
    for index, body in enumerate(bodies(place, stream)):
        listed = body["payload"].get("branches", []) if body["event_type"] == "FAN_IN" else []
        if any(item["job_id"] == branch for item in listed):
            now = [{**item, "hash": head} if item["job_id"] == branch else item for item in listed]
            return rewrite_at(place, stream, index, lambda payload, now=now: {**payload, "branches": now})  # type: ignore[misc]
    raise LookupError(branch)


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
