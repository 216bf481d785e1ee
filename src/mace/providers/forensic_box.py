"""Sealing to a public key whose private half is not on this node: HPKE (RFC 9180), X25519, HKDF-SHA256, AES-256-GCM.

Whoever has the node, its keys and its database can put things into the forensic store and take none out. The private
key comes in with the admin who opens something, is used, and is not kept.
"""

from typing import Any

from mace.core.errors import InvalidInput

_INFO = b"mace-forensic/1/"
PRIVATE_PREFIX = "mace-forensic-private-"
PUBLIC_PREFIX = "mace-forensic-public-"


class HpkeBox:
    def generate(self) -> tuple[str, str]:
        """Make a key pair: (private, public) as texts. The private one belongs somewhere else."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        private = X25519PrivateKey.generate()
        return PRIVATE_PREFIX + private.private_bytes_raw().hex(), PUBLIC_PREFIX + _raw(private.public_key()).hex()

    def check_public(self, public: str) -> None:
        """Raise `InvalidInput` for what is not a public key."""
        _public(public)

    def belongs(self, private: str, public: str) -> bool:
        return _raw(_private(private).public_key()) == _raw(_public(public))

    def seal(self, public: str, plain: bytes, context: str) -> bytes:
        sealed: bytes = _suite().encrypt(plain, _public(public), _INFO + context.encode())
        return sealed

    def unseal(self, private: str, sealed: bytes, context: str) -> bytes:
        """Return what was sealed; `InvalidInput` when this key does not open it."""
        from cryptography.exceptions import InvalidTag

        try:
            plain: bytes = _suite().decrypt(sealed, _private(private), _INFO + context.encode())
        except (InvalidTag, ValueError):
            raise InvalidInput("private_key does not match the forensic key of this entry") from None
        return plain


def _suite() -> Any:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def _raw(public: Any) -> bytes:
    raw: bytes = public.public_bytes_raw()
    return raw


def _public(text: str) -> Any:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

    return X25519PublicKey.from_public_bytes(_bytes(text, PUBLIC_PREFIX, "public"))


def _private(text: str) -> Any:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.from_private_bytes(_bytes(text, PRIVATE_PREFIX, "private"))


def _bytes(text: str, prefix: str, name: str) -> bytes:
    """The key's bytes; the complaint never repeats what was given, which may be the other key."""
    plain = text.strip()
    try:
        raw = bytes.fromhex(plain.removeprefix(prefix)) if plain.startswith(prefix) else b""
    except ValueError:
        raw = b""
    if len(raw) != 32:
        raise InvalidInput(f"not a forensic {name} key")
    return raw
