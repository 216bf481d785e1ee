"""What doors need of the world without an open MACE: envelopes, the clock, and checks for strangers.

`engine.offline` does the work; here it gets the system's clock, its randomness and Ed25519.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mace.providers.ports import Clock
from mace.settings import Settings

if TYPE_CHECKING:
    from mace.core.answers import ReceiptCheck


def now() -> datetime:
    """The time of this machine's clock, UTC."""
    from mace.providers.system import SystemClock

    return SystemClock().now()


def clock_at(instant: datetime) -> Clock:
    """A clock that stands still, for `open_mace(clock=)`: a demonstration plays on the same day every time."""
    from mace.providers.frozen import FrozenClock

    return FrozenClock(instant)


def make_envelope(code: str, details: dict[str, Any]) -> dict[str, Any]:
    """Build the standard envelope of a failure that belongs to no job."""
    from mace.engine.offline import envelopes
    from mace.providers.system import SystemClock, SystemEntropy

    return envelopes.make_envelope(code, details, SystemClock(), SystemEntropy())


def envelope_of(error: Exception) -> dict[str, Any]:
    """Build the standard envelope of any exception."""
    from mace.engine.offline import envelopes
    from mace.providers.system import SystemClock, SystemEntropy

    return envelopes.envelope_of(error, SystemClock(), SystemEntropy())


def new_conversation() -> str:
    """A name for a conversation that nobody has; letters alone, so that it is nobody's number."""
    from mace.providers.system import SystemEntropy

    return "chat-" + SystemEntropy().token(8).hex().translate(str.maketrans("0123456789", "ghjklmnpqr"))


def waiting(settings: Settings) -> dict[str, Any]:
    """What waits for a store that may be down: how many failures, in which file, and the outage they tell of."""
    from mace.governance.outages import outage_in
    from mace.providers.keys import KeyFile
    from mace.providers.spill import SpillFile
    from mace.providers.system import SystemClock, SystemEntropy
    from mace.wiring import data_folder, keys_path

    keys = KeyFile.open(keys_path(settings), SystemEntropy(), create=False)
    spill = SpillFile(data_folder(settings) / "spill.bin", keys.sign, keys.check, settings.spill_bytes)
    entries = spill.entries()
    outage = outage_in(entries)
    told = None if outage is None else outage.to_json(SystemClock().now())
    return {"spilled_waiting": len(entries), "spill_file": spill.place(), "outage": told}


def verify_export(lines: Iterable[bytes], note: str, verifier_key: str) -> dict[str, Any]:
    """Check an exported log with nothing but a checkpoint and the public key."""
    from mace.engine.offline import proofs
    from mace.providers.keys import check_ed25519

    return proofs.check_export(lines, note, verifier_key, check_ed25519)


def check_proof(proof: Any, verifier_key: str, notes: Sequence[str]) -> dict[str, Any]:
    """Check a proof of inclusion or, with the older and the newer checkpoint in `notes`, of consistency."""
    from mace.engine.offline import proofs
    from mace.providers.keys import check_ed25519

    return proofs.check_proof(proof, verifier_key, notes, check_ed25519)


def check_receipt(
    receipt: Mapping[str, Any], public_key: str, manifest: Mapping[str, Any] | None = None
) -> "ReceiptCheck":
    """Check the receipt of a deletion or rectification with nothing but the log's public key.

    With its manifest also that it is about that one.

    Raises `InvalidInput` for what is no receipt or no public key.
    """
    from mace.engine.offline import receipts
    from mace.providers.keys import check_ed25519

    return receipts.check(receipt, public_key, manifest, check_ed25519)


def make_forensic_key() -> tuple[str, str]:
    """Make a key pair of the forensic store: (private, public). The private one belongs on another machine."""
    from mace.providers.forensic_box import HpkeBox

    return HpkeBox().generate()


def open_second_factor(account: str, sealed: str, private_key: str) -> dict[str, str]:
    """Open a second factor that was sealed to a member's key: `{account, secret, uri}`."""
    import base64

    from mace.core import canon
    from mace.core.errors import InvalidInput
    from mace.engine.governance.council import factor_context
    from mace.providers.forensic_box import HpkeBox

    try:
        held = base64.b64decode(sealed.strip(), validate=True)
    except ValueError:
        raise InvalidInput("sealed must be the base64 text that mace account enrol printed") from None
    try:
        opened: dict[str, str] = canon.loads(HpkeBox().unseal(private_key, held, factor_context(account)))
    except InvalidInput:
        raise InvalidInput("this key does not open this second factor, or it is another account's") from None
    return opened
