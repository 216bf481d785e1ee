"""Rectification: what a person wants corrected, and the papers that prove that it was.

Pure. A manifest names the facts that were corrected and which version took the place of which, never what either said.
A receipt can be checked by the person with the log's public key alone; its first line keeps it apart from everything
else that the same key signs.
"""

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from mace.core import canon

RECEIPT_FORMAT = "mace-rectification-receipt/1"
MAX_CHANGES = 1000


def problem_with(kind: str, keys: object, changes: Mapping[str, Any] | None) -> str | None:
    """Say what is wrong with what a subject request brings along; None when it fits its kind."""
    if kind == "rectify":
        if keys is not None:
            return "keys must not be given for a rectification; changes names the facts"
        if not changes or len(changes) > MAX_CHANGES:
            return f"changes must give a new value for 1 to {MAX_CHANGES} keys"
        return None
    return None if changes is None else "changes may only be given for a rectification"


def manifest(
    facts: Iterable[tuple[str, int, int]], *, dsr_id: str, approval_id: str, person: str, at: str
) -> dict[str, Any]:
    """What was corrected, for the record: each key with the version that stood and the one that stands now."""
    return {
        "dsr_id": dsr_id,
        "approval_id": approval_id,
        "person": person,
        "corrected": [{"key": key, "former": former, "version": version} for key, former, version in sorted(facts)],
        "at": at,
    }


def receipt(dsr_id: str, manifest_body: bytes, log_name: str, at: str) -> dict[str, Any]:
    return {
        "format": RECEIPT_FORMAT,
        "dsr_id": dsr_id,
        "log_name": log_name,
        "manifest_sha256": sha256(manifest_body).hexdigest(),
        "at": at,
    }


def receipt_message(content: Mapping[str, Any]) -> bytes:
    """The bytes that are signed."""
    return RECEIPT_FORMAT.encode() + b"\n" + canon.dumps(dict(content))


def check_receipt(
    signed: Mapping[str, Any],
    manifest_body: bytes | None,
    public_key: bytes,
    check: Callable[[bytes, bytes, bytes], bool],
) -> bool:
    """Say whether a receipt is the log's word about this manifest; without one, whether it is the log's word at all."""
    try:
        content = {name: value for name, value in signed.items() if name != "signature"}
        if content["format"] != RECEIPT_FORMAT:
            return False
        good = check(public_key, bytes.fromhex(signed["signature"]), receipt_message(content))
        return good and (manifest_body is None or content["manifest_sha256"] == sha256(manifest_body).hexdigest())
    except (KeyError, TypeError, ValueError):
        return False
