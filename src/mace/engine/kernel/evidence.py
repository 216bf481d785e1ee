"""Evidence that is about people: below the outer key of its entry it lies under a key of each of them.

So it goes with the first of them who is erased, whoever has the forensic key. What is nobody's has the outer key alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mace.engine.kernel.vault import Vault
from mace.governance.erasure import evidence_refs
from mace.storage.ports import Tx


def seal_for(tx: Tx, vault: Vault, entry_id: str, people: Sequence[str], plain: bytes) -> bytes:
    """Seal under a key of each of these people."""
    sealed = plain
    for ref, person in zip(evidence_refs(entry_id, people), people, strict=True):
        sealed = vault.seal(tx, ref, person, sealed, f"blob/{ref}")
    return sealed


def opened(tx: Tx, vault: Vault, entry: Mapping[str, Any]) -> bytes | None:
    """What an entry holds as it was given to be kept, perhaps sealed to the forensic key; None once it is erased."""
    held = vault.blob(tx, f"forensic/{entry['entry_id']}")
    for ref in reversed(evidence_refs(entry["entry_id"], entry.get("people", ()))):
        held = None if held is None else vault.unseal(tx, ref, held, f"blob/{ref}")
    return held
