"""What voters look at before they vote: whose data it is, how much of it, and by which proof it was asked for.

Names, numbers and types, never what anybody wrote. What is damaged is not shown; the vote itself looks at it again.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from mace.core.errors import IntegrityFailure
from mace.engine.kernel.bound import Bound
from mace.governance.approvals import Kind
from mace.governance.erasure import CONVERSATION, FACT, INDEX, TURN, removed_by
from mace.storage.ports import Tx

_COUNTED = {"fact": "facts", "job": "jobs", "consent": "consents", "export": "exports", "turn": "turns"}


def amounts(refs: Iterable[str]) -> dict[str, int]:
    """How many keys of each kind these are: what lies under each of them goes or stays as one."""
    found = dict.fromkeys((*_COUNTED.values(), "other"), 0)
    for ref in refs:
        if ref.startswith(INDEX):
            continue  # follows from the turns, and is nothing by itself
        found[_COUNTED.get(ref.partition("/")[0], "other")] += 1
    return found


class Asked:
    """Tells what an approval request asks for, as far as it is kept elsewhere."""

    def __init__(self, bound: Bound, takes: Callable[[Tx, dict[str, Any]], list[str]] | None) -> None:
        self._bound = bound
        self._takes = takes  # the keys that a deletion would take now

    def of(self, tx: Tx, held: dict[str, Any]) -> dict[str, Any]:
        """What one request asks for; nothing where that can no longer be read."""
        with suppress(IntegrityFailure):
            return self._of(tx, held)
        return {}

    def _of(self, tx: Tx, held: dict[str, Any]) -> dict[str, Any]:
        wanted = held["details"]
        match held["kind"]:
            case Kind.ERASURE if wanted.get("action") == "purge":
                return self._purge(tx, wanted)
            case Kind.ERASURE | Kind.RECTIFICATION:
                return self._erasure(tx, wanted["dsr_id"])
            case Kind.PROMOTION:
                return {"person": wanted["person"], "keys": [wanted["key"]], "pii_types": wanted["pii_types"]}
            case Kind.POLICY_CHANGE:
                content = self._bound.record(tx, "policy_text", wanted.get("policy_sha256", ""))
                return {} if content is None else {"policy_text": content["text"]}
        return {}

    def _erasure(self, tx: Tx, dsr_id: str) -> dict[str, Any]:
        content = self._bound.record(tx, "dsr_request", dsr_id)
        if content is None:
            return {}
        told = {name: content[name] for name in ("person", "keys", "created_at", "identity")}
        if "asked_by" in content["identity"]:
            told["asked_by"] = content["identity"]["asked_by"]
        if content.get("jobs") is not None:
            refs = [f"job/{job_id}" for job_id in content["jobs"]]
            return {**told, "jobs": content["jobs"], "amounts": amounts(refs)}
        if content["kind"] == "delete" and self._takes is not None:
            refs = self._takes(tx, content)
        else:
            refs = [key if key.startswith(TURN) else FACT + key for key in content["keys"] or ()]
        proof = self._proof(tx, content["person"], content["identity"].get("proof_id"))
        return {**told, "amounts": amounts(refs), **({} if proof is None else {"proof": proof})}

    def _proof(self, tx: Tx, person: str, proof_id: str | None) -> dict[str, Any] | None:
        """The proof of identity that was given, without its code: by whom it was issued, and when it was used."""
        if proof_id is None:
            return None
        for key, content in self._bound.children(tx, "identity_proof", person):
            if content["proof_id"] == proof_id:
                used = self._bound.record(tx, "identity_proof_used", key)
                return {
                    "proof_id": proof_id,
                    "issued_by": content["by"],
                    "issued_at": content.get("issued_at"),
                    "used_at": None if used is None else used["at"],
                }
        return None

    def _purge(self, tx: Tx, wanted: dict[str, Any]) -> dict[str, Any]:
        if "quarantine_id" in wanted:
            content = self._bound.record(tx, "quarantine", wanted["quarantine_id"])
            return {} if content is None else {**_whose(wanted), "quarantined": self._quarantined(tx, content)}
        told: dict[str, Any] = _whose(wanted)
        entry = self._bound.record(tx, "forensic_entry", wanted["forensic_id"])
        if entry is not None:
            told["entry"] = {name: entry[name] for name in ("entry_id", "kind", "about", "forensic_key", "at")}
        manifest = self._bound.record(tx, "deletion_manifest", wanted["dsr_id"]) if "dsr_id" in wanted else None
        if manifest is not None:
            keys = None if manifest["whole_person"] else _named_in(manifest)
            told |= {**self._erasure(tx, wanted["dsr_id"]), "person": manifest["person"], "keys": keys}
            told["amounts"] = amounts(removed_by(manifest))
        return told

    def _quarantined(self, tx: Tx, content: dict[str, Any]) -> dict[str, Any]:
        quarantine_id = content["quarantine_id"]
        return {
            "quarantine_id": quarantine_id,
            "what": content["what"],
            "at": content.get("at"),
            "payloads": len(quarantined_with(tx, self._bound, quarantine_id)),
        }


def _named_in(manifest: dict[str, Any]) -> list[str]:
    """What a manifest about a part of a person is about: facts, and turns and conversations that were asked for."""
    asked = manifest.get("keys_requested") or ()
    return [
        *(item["key"] for item in manifest["facts"]),
        *(key for key in asked if key.startswith((TURN, CONVERSATION))),
    ]


def _whose(wanted: dict[str, Any]) -> dict[str, Any]:
    """Whom a purge is about, if anybody."""
    return {name: wanted[name] for name in ("person", "people") if name in wanted}


def quarantined_with(tx: Tx, bound: Bound, quarantine_id: str) -> list[str]:
    """Everything in quarantine that lies under the key of one: that one alone, unless an older version kept it."""
    held = tx.vault.blob(f"quarantine/{quarantine_id}")
    if held is None or held[0] == f"quarantine/{quarantine_id}":
        return [quarantine_id]
    blobs = ((named.key, tx.vault.blob(f"quarantine/{named.key}")) for named in bound.names(tx, "quarantine"))
    return sorted(key for key, blob in blobs if blob is not None and blob[0] == held[0])
