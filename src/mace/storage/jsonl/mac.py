"""Checksums nobody can aim at: GMAC under a random key that never leaves the cache.

A store's bytes are checked after every change and an index each time it is opened, so this must be fast: AES-GCM's own
authenticator runs an order of magnitude faster than SHA-256. Two texts agree by chance once in about 2^100, and who
does not know the key cannot search for such a pair. The fixed nonce is harmless: nothing is encrypted, and the tags
are only ever compared here. Not for anything a stranger should check; such hashes are SHA-256.
"""

from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE: Final = bytes(12)


def new_key() -> bytes:
    return AESGCM.generate_key(128)


class Mac:
    """The checksum of bytes that arrive one after the other."""

    def __init__(self, key: bytes) -> None:
        self._stream = Cipher(algorithms.AES(key), modes.GCM(_NONCE)).encryptor()

    def update(self, data: bytes | memoryview) -> None:
        if len(data):
            self._stream.authenticate_additional_data(data)

    def hex(self) -> str:
        self._stream.finalize()
        return self._stream.tag.hex()


def mac_of(key: bytes, data: bytes | memoryview) -> str:
    mac = Mac(key)
    mac.update(data)
    return mac.hex()
