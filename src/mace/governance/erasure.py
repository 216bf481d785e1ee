"""Erasure: what goes with a person or a fact, and the papers that prove that it went.

Pure. Keys are not seen here, only their names; signing is passed in. A manifest says what was taken, never what it
said. A receipt can be checked by the person with the log's public key alone; its first line keeps it apart from
checkpoints, which the same key signs.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from mace.core import canon

RECEIPT_FORMAT = "mace-deletion-receipt/1"
FACT, JOB, EXPORT = "fact/", "job/", "export/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an erasure takes: names of vault keys, the facts and jobs behind them, and whether the person goes whole."""

    person: str
    whole: bool
    refs: tuple[str, ...]
    facts: tuple[str, ...]
    jobs: tuple[str, ...]


def plan(person: str, keys: Iterable[str] | None, held: Iterable[str], touching: Callable[[str], bool]) -> Plan:
    """Choose what goes: everything of the person, or some facts with the jobs that touched them.

    Exports hold facts too, so they go with any fact. `touching` says whether a job touched what is erased.
    """
    refs = sorted(held)
    if keys is not None:
        wanted = {FACT + key for key in keys}
        refs = [
            ref
            for ref in refs
            if ref in wanted or ref.startswith(EXPORT) or (ref.startswith(JOB) and touching(ref.removeprefix(JOB)))
        ]
    return Plan(
        person=person,
        whole=keys is None,
        refs=tuple(refs),
        facts=tuple(ref.removeprefix(FACT) for ref in refs if ref.startswith(FACT)),
        jobs=tuple(ref.removeprefix(JOB) for ref in refs if ref.startswith(JOB)),
    )


def manifest(
    done: Plan,
    *,
    dsr_id: str,
    approval_id: str,
    forensic_id: str | None,
    versions: Mapping[str, int],
    wrapped: Mapping[str, str],
    at: str,
) -> dict[str, Any]:
    """What was removed, for the record.

    `versions` are the last ones of each fact that lost their key, `wrapped` the SHA-256 of each wrapped key: one that
    is put back is known by it.
    """
    return {
        "dsr_id": dsr_id,
        "approval_id": approval_id,
        "person": done.person,
        "whole_person": done.whole,
        "facts": [{"key": key, "versions": versions[key]} for key in done.facts],
        "jobs": list(done.jobs),
        "keys_removed": list(done.refs) + ([f"person/{done.person}"] if done.whole else []),
        "wrapped_sha256": dict(sorted(wrapped.items())),
        "forensic_id": forensic_id,
        "restorable": forensic_id is not None,
        "at": at,
    }


def put_back_by(done: Plan, wrapped: Mapping[str, str]) -> list[str]:
    """The hashes of wrapped keys by which the event itself knows what is put back, whatever becomes of the manifest.

    Whoever goes whole loses the key that all others are wrapped in, so that one is enough.
    """
    wanted = [f"person/{done.person}"] if done.whole else done.refs
    return sorted({wrapped[ref] for ref in wanted if ref in wrapped})


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
    manifest_body: bytes,
    public_key: bytes,
    check: Callable[[bytes, bytes, bytes], bool],
) -> bool:
    """Say whether a receipt is the log's word about this manifest."""
    try:
        content = {name: value for name, value in signed.items() if name != "signature"}
        good = check(public_key, bytes.fromhex(signed["signature"]), receipt_message(content))
        return good and content["manifest_sha256"] == sha256(manifest_body).hexdigest()
    except (KeyError, TypeError, ValueError):
        return False
