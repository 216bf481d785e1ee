"""What the person who asked runs: check a receipt with the log's public key and nothing else of MACE's.

How Ed25519 is checked is passed in.
"""

from collections.abc import Mapping
from typing import Any, cast

from mace.core import canon
from mace.core.answers import DeletionReceipt, ReceiptCheck
from mace.core.errors import InvalidInput
from mace.governance import erasure, rectification
from mace.ledger.checkpoint import BadNote, CheckEd25519, parse_verifier_key

_CHECKS = {
    **dict.fromkeys(erasure.FORMATS, erasure.check_receipt),
    rectification.RECEIPT_FORMAT: rectification.check_receipt,
}


def check(
    receipt: Mapping[str, Any], verifier_key: str, manifest: Mapping[str, Any] | None, check_ed25519: CheckEd25519
) -> ReceiptCheck:
    """Say whether a receipt is the log's word; `InvalidInput` for what is no receipt, manifest or key."""
    is_signed = _CHECKS.get(str(receipt.get("format"))) if isinstance(receipt, Mapping) else None
    if is_signed is None:
        raise InvalidInput(f"not a receipt of format {' or '.join(_CHECKS)}")
    try:
        name, public_key = parse_verifier_key(verifier_key)
    except BadNote as error:
        raise InvalidInput(f"the public key: {error}") from None
    if name.removeprefix("mace/") != receipt.get("log_name"):
        return _no("the receipt is of another log than the public key")
    if not is_signed(receipt, None, public_key, check_ed25519):
        return _no("the receipt was changed, or the log did not sign it")
    if manifest is not None:
        try:
            body = canon.dumps(dict(manifest))
        except (TypeError, ValueError):
            raise InvalidInput("the manifest is damaged") from None
        if not is_signed(receipt, body, public_key, check_ed25519):
            return _no("the manifest is not the one that the receipt names")
    about = "the log signed this receipt" if manifest is None else "the log signed this receipt, about this manifest"
    return {"ok": True, "because": about, "receipt": cast(DeletionReceipt, dict(receipt))}


def _no(because: str) -> ReceiptCheck:
    return {"ok": False, "because": because, "receipt": None}
