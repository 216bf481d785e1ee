"""What a stranger runs: check a proof or an exported log with the log's public key and nothing else of MACE's.

Nothing in a proof file is believed: the event shown is the one whose bytes were hashed, the root is the one the
checkpoint's signature covers. How Ed25519 is checked is passed in.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput
from mace.ledger import export
from mace.ledger.checkpoint import BadNote, CheckEd25519, Checkpoint, open_note, parse, parse_verifier_key
from mace.ledger.tree import check_consistency, check_inclusion

FORMAT = "mace-proof/1"


def check_export(lines: Iterable[bytes], note: str, verifier_key: str, check: CheckEd25519) -> dict[str, Any]:
    """Check an exported log against a checkpoint; what it finds is in the answer.

    Raises `InvalidInput` for what is not an exported log, `IntegrityFailure` for a checkpoint that is not of this log
    or not signed by this key.
    """
    try:
        return export.verify(lines, note, verifier_key, check)
    except export.NotAnExport as error:
        raise InvalidInput(str(error)) from None
    except BadNote as error:
        raise IntegrityFailure(str(error)) from None


def read_note(note: str) -> Checkpoint:
    """Return what a checkpoint says, unchecked; `InvalidInput` for what is not one."""
    try:
        return parse(note)[0]
    except BadNote as error:
        raise InvalidInput(str(error)) from None


def check_proof(proof: Any, verifier_key: str, notes: Sequence[str], check: CheckEd25519) -> dict[str, Any]:
    """Return {ok, because, proved}; raise `InvalidInput` for what is not a proof at all."""
    if not isinstance(proof, dict) or proof.get("format") != FORMAT:
        raise InvalidInput(f"not a proof file of format {FORMAT}")
    try:
        name, public_key = parse_verifier_key(verifier_key)
    except BadNote as error:
        raise InvalidInput(f"the public key: {error}") from None
    log_name = name.removeprefix("mace/")

    def opened(note: str) -> Checkpoint:
        return open_note(note, log_name, public_key, check)

    try:
        if proof["kind"] == "inclusion":
            return _inclusion(proof, opened(proof["checkpoint"]))
        if proof["kind"] == "consistency":
            if len(notes) != 2:
                raise InvalidInput("consistency proofs need two checkpoints: --checkpoint OLD --checkpoint NEW")
            return _consistency(proof, opened(notes[0]), opened(notes[1]))
    except BadNote as error:
        return _no(f"the checkpoint: {error}")
    except InvalidInput:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidInput("the proof is damaged") from None
    raise InvalidInput("kind of proof must be inclusion or consistency")


def _inclusion(proof: dict[str, Any], head: Checkpoint) -> dict[str, Any]:
    body = proof["body"].encode()
    path = [bytes.fromhex(step) for step in proof["proof"]]
    if not check_inclusion(sha256(body).digest(), proof["leaf_index"], head.size, path, head.root):
        return _no("the path does not lead from the event to the checkpoint's root")
    event = canon.loads_once(body)
    proved = {"position": proof["leaf_index"], "of events": head.size, "log": head.origin, **event}
    return {"ok": True, "because": "the event is in the log that the checkpoint names", "proved": proved}


def _consistency(proof: dict[str, Any], old: Checkpoint, new: Checkpoint) -> dict[str, Any]:
    path = [bytes.fromhex(step) for step in proof["proof"]]
    if not check_consistency(old.size, new.size, path, old.root, new.root):
        return _no("the newer log does not begin with the older one, or this is another pair's proof")
    proved = {"older": f"{old.size} events", "newer": f"{new.size} events", "log": new.origin}
    return {"ok": True, "because": "the log only grew between the two checkpoints", "proved": proved}


def _no(because: str) -> dict[str, Any]:
    return {"ok": False, "because": because, "proved": {}}
