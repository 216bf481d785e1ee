"""The server's keys in one file, mode 0600, beside the data unless a setting says where.

HMAC keys sign events and rotate; an Ed25519 key signs checkpoints; a master key wraps everyone else's keys. Whoever
has this file can sign as the server, which is why checkpoints are also kept elsewhere. Old HMAC keys stay, so that old
signatures can be checked. Keys and what they protect never appear in a text.
"""

import errno
import fcntl
import hashlib
import hmac
import stat
from functools import cache
from pathlib import Path
from typing import Any

from mace.core import canon
from mace.core.errors import Erased, MaceError, PreconditionFailed, ServiceUnavailable, StorageFull
from mace.providers.files import create_once, write_whole
from mace.providers.ports import Entropy

_FORMAT = "mace-keys/1"
_NONCE_BYTES = 12
_MAX_CIPHERS = 256
_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))  # RFC 2104
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))


def _block(key: bytes) -> bytes:
    """A key as HMAC-SHA256 uses it: one block of the hash."""
    return (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")


class _Mac:
    """HMAC-SHA256 under one key with the key's part done in advance: a third of the cost for short messages."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        block = _block(key)
        self._inner = hashlib.sha256(block.translate(_INNER_PAD))
        self._outer = hashlib.sha256(block.translate(_OUTER_PAD))

    def digest(self, message: bytes) -> bytes:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()


class KeyFile:
    def __init__(self, path: Path, entropy: Entropy) -> None:
        self._path = path
        self._entropy = entropy
        self._ciphers: dict[bytes, Any] = {}
        self._load()

    @classmethod
    def open(cls, path: Path, entropy: Entropy, *, create: bool = True) -> "KeyFile":
        """Load the key file, making it first if there is none; several processes may try at once."""
        if create and not path.exists():
            try:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                create_once(path, canon.dumps(cls._fresh(entropy)))
            except OSError as error:
                raise _cannot_write(path, error) from None
        return cls(path, entropy)

    @staticmethod
    def _fresh(entropy: Entropy) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "log_name": entropy.token(32).hex(),
            "hmac": [{"id": "k1", "key": entropy.token(32).hex()}],
            "checkpoint_seed": entropy.token(32).hex(),
            "master": entropy.token(32).hex(),
        }

    def _load(self) -> None:
        try:
            content = canon.loads(self._path.read_bytes())
            mode = stat.S_IMODE(self._path.stat().st_mode)
        except OSError as error:
            raise ServiceUnavailable(f"cannot read the key file {self._path}: {error.strerror}") from None
        except ValueError:
            raise PreconditionFailed(f"the key file {self._path} is damaged") from None
        if mode & 0o077:
            raise PreconditionFailed(f"the key file {self._path} is readable by others; run chmod 600 on it")
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise PreconditionFailed(f"the key file {self._path} is not of format {_FORMAT}")
        try:
            self._hmac = {item["id"]: _Mac(bytes.fromhex(item["key"])) for item in content["hmac"]}
            self._active = list(self._hmac.items())[-1]  # both in one step: another thread may be signing
            self._master = bytes.fromhex(content["master"])
            self.log_name: str = content["log_name"]
        except (LookupError, TypeError, ValueError):
            raise PreconditionFailed(f"the key file {self._path} is damaged") from None
        self._content = content

    def sign(self, digest: bytes) -> str:
        key_id, key = self._active
        return f"{key_id}:{key.digest(digest).hex()}"

    def check(self, digest: bytes, signature: str) -> bool:
        key_id, _, given = signature.partition(":")
        key = self._hmac.get(key_id)
        if key is None:
            if not self._reload_for(key_id):
                return False
            key = self._hmac[key_id]
        return hmac.compare_digest(key.digest(digest).hex().encode(), given.encode())

    def _reload_for(self, key_id: str) -> bool:
        """Another process may have rotated the key since we read the file."""
        if len(key_id) <= 16 and key_id.startswith("k"):
            self._load()
        return key_id in self._hmac

    def mac(self, message: bytes) -> bytes:
        first = self._content["hmac"][0]  # stays the same over rotations: hashes of one value must stay comparable
        return hmac.digest(bytes.fromhex(first["key"]), message, "sha256")

    def keyed_hash(self, key: bytes, message: bytes) -> str:
        """HMAC-SHA256 in hex. Written out: OpenSSL's own takes as long to set up as both hashes take."""
        block = _block(key)
        inner = hashlib.sha256(block.translate(_INNER_PAD) + message).digest()
        return hashlib.sha256(block.translate(_OUTER_PAD) + inner).hexdigest()

    def rotate(self) -> str:
        """Add a key and sign with it from now on. One at a time: a key that another one overwrites is lost for ever."""
        try:
            with self._path.with_name(f"{self._path.name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self._load()
                number = 1 + max(int(item["id"][1:]) for item in self._content["hmac"])
                fresh = {"id": f"k{number}", "key": self._entropy.token(32).hex()}
                content = {**self._content, "hmac": [*self._content["hmac"], fresh]}
                write_whole(self._path, canon.dumps(content))
                self._load()
                return f"k{number}"
        except OSError as error:
            raise _cannot_write(self._path, error) from None

    def key_ids(self) -> list[str]:
        return [item["id"] for item in self._content["hmac"]]

    def public_key(self) -> bytes:
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        raw: bytes = self._signing_key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return raw

    def sign_note(self, message: bytes) -> bytes:
        signature: bytes = self._signing_key().sign(message)
        return signature

    def _signing_key(self) -> Any:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(self._content["checkpoint_seed"]))

    def new_wrapped_key(self, context: str, parent: bytes | None) -> tuple[bytes, bytes]:
        key = self._entropy.token(32)
        return key, self.seal(parent or self._master, key, f"key/{context}")

    def unwrap(self, context: str, wrapped: bytes, parent: bytes | None) -> bytes:
        return self.unseal(parent or self._master, wrapped, f"key/{context}")

    def seal_here(self, plain: bytes, context: str) -> bytes:
        return self.seal(self._master, plain, f"here/{context}")

    def unseal_here(self, sealed: bytes, context: str) -> bytes:
        return self.unseal(self._master, sealed, f"here/{context}")

    def seal(self, key: bytes, plain: bytes, context: str) -> bytes:
        nonce = self._entropy.token(_NONCE_BYTES)
        sealed: bytes = nonce + self._cipher(key).encrypt(nonce, plain, context.encode())
        return sealed

    def unseal(self, key: bytes, sealed: bytes, context: str) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            plain: bytes = self._cipher(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], context.encode())
            return plain
        except (InvalidTag, ValueError):
            raise Erased("sealed data does not open with its key") from None

    def _cipher(self, key: bytes) -> Any:
        """AES-GCM under a key, made ready once: that takes twice as long as sealing a fact with it."""
        cipher = self._ciphers.get(key)
        if cipher is None:
            if len(self._ciphers) >= _MAX_CIPHERS:
                self._ciphers.clear()
            cipher = self._ciphers[key] = _aes_gcm()(key)
        return cipher

    def forget(self) -> None:
        self._ciphers.clear()


@cache
def _aes_gcm() -> Any:
    """The cipher, imported with the first thing that is sealed or opened."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM


def _cannot_write(path: Path, error: OSError) -> MaceError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull(f"no space for the key file {path}")
    return ServiceUnavailable(f"cannot write the key file {path}: {error.strerror}")


def check_ed25519(public_key: bytes, signature: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
