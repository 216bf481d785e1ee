"""Rows of the small tables as events name them: what is hashed of each, and what is found where one differs.

Pure. These rows carry no signature of their own; the event that names one holds its hash, under the name of its table.
"""

from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.ledger.findings import Finding
from mace.storage.ports import AliasRow, JobRow

REGISTRY = "key_registry"
ALIASES = "aliases"
IDEMPOTENCY = "idempotency"
BLOBS = "vault_blobs"
JOBS = "jobs"


def registry_hash(slot: str, identity: str) -> str:
    return canon.hash_of({"identity": identity, "slot": slot})


def alias_hash(row: AliasRow) -> str:
    return canon.hash_of(
        {"added_at": row.added_at, "phrase": row.phrase, "source": row.source, "target": row.target},
    )


def idempotency_hash(token: str, request_hash: str, answer: bytes) -> str:
    return canon.hash_of({"answer": sha256(answer).hexdigest(), "request_hash": request_hash, "token": token})


def blob_hash(ref: str, key_ref: str, sealed: bytes) -> str:
    return canon.hash_of({"key_ref": key_ref, "ref": ref, "sealed": sha256(sealed).hexdigest()})


def job_hash(row: JobRow) -> str:
    """Of a job without its status, which changes and follows from the events of its stream."""
    return canon.hash_of(
        {
            "kind": row.kind,
            "log_id": row.log_id,
            "opened_at": row.opened_at,
            "person": row.person,
            "stream": row.stream,
        }
    )


def reference(table: str, key: str, digest: str) -> dict[str, str]:
    """How an event's payload names a row of a table without kinds (field `records`)."""
    return {"kind": table, "key": key, "hash": digest}


def missing_row(table: str, key: str) -> Finding:
    return Finding("RECORD_MISSING", {"table": table, "key": key}, f"{table} {key} is gone")


def changed_row(table: str, key: str, digest: str) -> Finding:
    """`digest` is the hash of the row as found: a copy could outlive an erasure."""
    return Finding(
        "RECORD_CHANGED",
        {"table": table, "key": key},
        f"{table} {key} is not what its event names",
        {"row_hash": digest},
    )


def unnamed_row(table: str, key: str, digest: str, kind: str = "") -> Finding:
    where: dict[str, Any] = {"table": table, **({"kind": kind} if kind else {}), "key": key}
    return Finding("ROW_UNNAMED", where, f"no event names {kind or table} {key}", {"row_hash": digest})
