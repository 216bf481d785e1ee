"""An invitation: the keys of a log for one more node, sealed with a passphrase.

scrypt makes the key from the passphrase, AES-256-GCM seals. Whoever has the file and the passphrase has the keys of the
server: send the two by different ways, and delete the file when the node has joined.
"""

import hashlib
from typing import Any

from mace.core import canon
from mace.core.errors import InvalidInput
from mace.providers.ports import Entropy

FORMAT = "mace-invitation/1"
MIN_PASSPHRASE_CHARS = 12
_SCRYPT = {"n": 1 << 15, "r": 8, "p": 1}
_NONCE_BYTES = 12


def _key(passphrase: str, salt: bytes) -> bytes:
    return hashlib.scrypt(passphrase.encode(), salt=salt, maxmem=1 << 26, dklen=32, **_SCRYPT)


def check_passphrase(passphrase: str) -> None:
    """Refuse a passphrase that can be guessed by trying."""
    if len(passphrase) < MIN_PASSPHRASE_CHARS:
        raise InvalidInput(f"the passphrase must have at least {MIN_PASSPHRASE_CHARS} characters")


def seal(keys: bytes, passphrase: str, entropy: Entropy) -> bytes:
    """Return the invitation file."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    check_passphrase(passphrase)
    salt, nonce = entropy.token(16), entropy.token(_NONCE_BYTES)
    sealed: bytes = nonce + AESGCM(_key(passphrase, salt)).encrypt(nonce, keys, FORMAT.encode())
    return canon.dumps({"format": FORMAT, "salt": salt.hex(), "sealed": sealed.hex()})


def unseal(invitation: bytes, passphrase: str) -> bytes:
    """Return the keys; `InvalidInput` where the file or the passphrase is not the right one."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        held: Any = canon.loads_once(invitation)
        if held["format"] != FORMAT:
            raise ValueError("format")
        salt, sealed = bytes.fromhex(held["salt"]), bytes.fromhex(held["sealed"])
    except (LookupError, TypeError, ValueError):
        raise InvalidInput(f"this file is not an invitation of format {FORMAT}") from None
    try:
        plain: bytes = AESGCM(_key(passphrase, salt)).decrypt(
            sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], FORMAT.encode()
        )
    except (InvalidTag, ValueError):
        raise InvalidInput("the passphrase does not open this invitation") from None
    return plain
