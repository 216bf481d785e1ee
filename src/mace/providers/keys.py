"""The server's keys in one file, mode 0600, beside the data unless a setting says where.

HMAC keys rotate. None of them signs anything itself: a key per purpose is derived from it by HKDF, so that nothing one
verb returns can pass for what another one signs. The first one, as it stands in the file, makes `pii_hash` and nothing
else. An Ed25519 key signs checkpoints; a master key wraps the keys of people, and can be changed; a key of the house
wraps what belongs to nobody (in an older file the first master key does). Whoever has this file can sign as the
server, which is why checkpoints are also kept elsewhere. Old keys stay, so that old signatures can be checked. From
where on each key signs, and from where on keys without a purpose count no more, is remembered here and not in the
database: whoever can write to that must not be able to turn it back. Keys and what they protect never appear in a text.
"""

import errno
import fcntl
import hashlib
import hmac
import os
import re
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from mace.core import canon
from mace.core.apart import is_kept_apart
from mace.core.errors import IntegrityFailure, MaceError, PreconditionFailed, ServiceUnavailable, StorageFull
from mace.core.purposes import Purpose
from mace.core.trust import Trust
from mace.providers.files import create_once, make_private_folder, write_whole
from mace.providers.ports import Entropy

_FORMAT = "mace-keys/1"
_TO_VERIFY = "mace log verify (mace.verify) tells more"
_NONCE_BYTES = 12
_SALT = b"mace/keys/1"  # of HKDF; it and the labels below are part of every signature
_TAG = "tag"
_MARK = struct.Struct(">H16s")  # the key's number, and half of the HMAC
_RAW_MARK_BYTES = 16  # of marks made before keys had purposes
_KEY_ID = re.compile("k([1-9][0-9]{0,4})")
_MAX_CIPHERS = 256
_MAX_SHELVES = 64  # of nodes that share a key file; names of containers come and go
_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))  # RFC 2104
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))


class KeysDamaged(PreconditionFailed):
    """The key file is there and can be read, and is not what was written."""


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


def derive(key: bytes, label: str) -> bytes:
    """HKDF-SHA256 (RFC 5869), both steps: one block of 32 bytes under a label."""
    extracted = hmac.digest(_SALT, key, "sha256")
    return hmac.digest(extracted, f"mace/{label}/1".encode() + b"\x01", "sha256")


def master_id_of(master: bytes) -> str:
    """By what a master key is known; it says nothing about the key."""
    return derive(master, "master id").hex()[:16]


def number_of(key_id: str) -> int:
    """The number in a key's id: 2 for `k2`; 0 for what is no id."""
    found = _KEY_ID.fullmatch(key_id)
    return int(found[1]) if found else 0


def _in_order(keys: list[dict[str, Any]]) -> tuple[tuple[int, str], ...]:
    """From where on each key signs. In an older copy that was told the last key, those between never signed."""
    found: list[tuple[int, str]] = []
    for item in sorted(keys, key=lambda item: number_of(item["id"]), reverse=True):
        since = item.get("since")
        if since is not None and (not found or since < found[-1][0]):
            found.append((since, item["id"]))
    return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class _Ring:
    """All HMAC keys, ready for use. Replaced as a whole and never changed: another thread may be signing."""

    signing: dict[Purpose, tuple[str, _Mac]]  # the beginning of a signature, and its key
    derived: dict[Purpose, dict[str, _Mac]]  # by id
    raw: dict[str, _Mac]  # by id, as they stand in the file
    settled: dict[Purpose, str]  # the id that signed last, as far as the file knows
    active: int  # the number of the key that signs; 0 before keys have purposes
    trust: Trust
    tag: _Mac

    @classmethod
    def of(cls, keys: list[dict[str, Any]], separated_at: int | None, pending: dict[str, Any] | None) -> "_Ring":
        secrets = {item["id"]: bytes.fromhex(item["key"]) for item in keys}
        if len(secrets) != len(keys) or not all(number_of(name) for name in secrets):
            raise ValueError("ids of keys")
        last = signer = keys[-1]["id"]
        if pending is not None:
            signer = pending["id"]
            secrets[signer] = bytes.fromhex(pending["key"])
        raw = {name: _Mac(key) for name, key in secrets.items()}
        derived = {
            purpose: {f"{name}.{purpose}": _Mac(derive(key, purpose)) for name, key in secrets.items()}
            for purpose in Purpose
        }
        by_purpose = separated_at is not None or pending is not None
        changes = _in_order(keys)
        return cls(
            signing={
                purpose: (f"{signer}.{purpose}:", derived[purpose][f"{signer}.{purpose}"])
                if by_purpose
                else (f"{signer}:", raw[signer])
                for purpose in Purpose
            },
            derived=derived,
            raw=raw,
            settled={purpose: last if separated_at is None else f"{last}.{purpose}" for purpose in Purpose},
            active=number_of(signer) if by_purpose else 0,
            trust=Trust(separated_at, changes),
            tag=_Mac(derive(bytes.fromhex(keys[0]["key"]), _TAG)),
        )


class KeyFile:
    def __init__(self, path: Path, entropy: Entropy, *, keep: bool = True) -> None:
        self._path = path
        self._entropy = entropy
        self._keep = keep  # False: what is learnt stays in memory
        self._ciphers: dict[bytes, Any] = {}
        self._pending: dict[str, Any] | None = None
        self._is_listed: Callable[[str, bytes], bool] = lambda _key_id, _digest: False
        self._ask_store: Callable[[], None] = lambda: None
        self._load()

    @classmethod
    def open(cls, path: Path, entropy: Entropy, *, create: bool = True) -> "KeyFile":
        """Load the key file, making it first if there is none; several processes may try at once."""
        if create and not path.exists():
            try:
                make_private_folder(path.parent)
                create_once(path, canon.dumps(cls._fresh(entropy)))
            except OSError as error:
                raise _cannot_write(path, error) from None
        return cls(path, entropy, keep=create)

    @staticmethod
    def _fresh(entropy: Entropy) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "log_name": entropy.token(32).hex(),
            "hmac": [{"id": "k1", "key": entropy.token(32).hex(), "since": 0}],
            "separated_at": 0,
            "checkpoint_seed": entropy.token(32).hex(),
            "master": entropy.token(32).hex(),
            "house": entropy.token(32).hex(),
            "names": 2,
        }

    def _load(self) -> None:
        try:
            content = canon.loads_once(self._path.read_bytes())
            mode = stat.S_IMODE(self._path.stat().st_mode)
        except OSError as error:
            raise ServiceUnavailable(f"cannot read the key file {self._path}: {error.strerror}") from None
        except ValueError:
            raise KeysDamaged(f"the key file {self._path} is damaged; {_TO_VERIFY}; restore a copy of it") from None
        if mode & 0o077:
            raise PreconditionFailed(f"the key file {self._path} is readable by others; run chmod 600 on it")
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise KeysDamaged(
                f"the key file {self._path} is not of format {_FORMAT}; {_TO_VERIFY}; restore a copy of it"
            )
        try:
            self._use(content)
            self._masters = [bytes.fromhex(content[name]) for name in ("master", "next_master") if name in content]
            self._master = self._masters[0]
            self._house = bytes.fromhex(content["house" if "house" in content else "master"])
            self.log_name: str = content["log_name"]
            bytes.fromhex(content["checkpoint_seed"])  # it is used later, and must be there
            if not all(isinstance(place, str) for place in content.get("shelves", {}).values()):
                raise TypeError
        except (AttributeError, LookupError, TypeError, ValueError):
            raise KeysDamaged(f"the key file {self._path} is damaged; {_TO_VERIFY}; restore a copy of it") from None

    def _use(self, content: dict[str, Any]) -> None:
        self._ring = _Ring.of(content["hmac"], content.get("separated_at"), self._pending)
        self._content = content

    # Signatures

    def sign(self, purpose: Purpose, digest: bytes) -> str:
        prefix, key = self._ring.signing[purpose]
        return prefix + key.digest(digest).hex()

    def check(self, purpose: Purpose, digest: bytes, signature: str) -> bool:
        key_id, _, given = signature.partition(":")
        ring = self._ring
        if key_id == ring.settled[purpose]:
            key = ring.derived[purpose].get(key_id) or ring.raw[key_id]
            return hmac.compare_digest(key.digest(digest).hex().encode(), given.encode())
        return self._check_other(purpose, digest, key_id, given)

    def _check_other(self, purpose: Purpose, digest: bytes, key_id: str, given: str) -> bool:
        """By another key than the present one: it must be known, and it must have signed when it was in use."""
        if not self.is_genuine(purpose, digest, f"{key_id}:{given}"):
            return False
        ring = self._ring
        if key_id == ring.settled[purpose] or ring.signing[purpose][0] == f"{key_id}:":
            return True
        is_raw, separated_at = key_id in ring.raw, ring.trust.separated_at
        if is_raw and separated_at is None:
            return True
        match purpose:
            case Purpose.EVENT:
                return not is_raw or separated_at != 0  # its position decides: `counts_at`
            case Purpose.RECORD | Purpose.LOG:
                return self._is_listed(key_id, digest)
            case Purpose.SPILL:
                return not is_raw
            case _:
                return False

    def is_genuine(self, purpose: Purpose, digest: bytes, signature: str) -> bool:
        """Say whether a key that is known made this signature, whether it still may or not."""
        key_id, _, given = signature.partition(":")
        key = self._known(purpose, key_id)
        return key is not None and hmac.compare_digest(key.digest(digest).hex().encode(), given.encode())

    def counts_at(self, signature: str, position: int) -> bool:
        """Say whether the key of a signature is the one that signs at this position of the log."""
        key_id = signature.partition(":")[0]
        if not self._ring.trust.counts(key_id, position):
            self._ask_store()  # for a change that was committed since we looked
        return self._ring.trust.counts(key_id, position)

    @property
    def trust(self) -> Trust:
        return self._ring.trust

    def _known(self, purpose: Purpose, key_id: str) -> _Mac | None:
        ring = self._ring
        found = ring.derived[purpose].get(key_id) or ring.raw.get(key_id)
        if found is None and number_of(key_id.removesuffix(f".{purpose}")):
            for look in (self._load, self._ask_store):  # another process may have rotated the key, or another node
                look()
                ring = self._ring
                found = ring.derived[purpose].get(key_id) or ring.raw.get(key_id)
                if found is not None:
                    break
        return found

    def consult(self, is_listed: Callable[[str, bytes], bool], ask_store: Callable[[], None]) -> None:
        """Say where to ask whether a row is from when an older key signed, and for changes that others made."""
        self._is_listed, self._ask_store = is_listed, ask_store

    # Changing the key that signs

    @property
    def active_number(self) -> int:
        return self._ring.active

    @property
    def is_separated(self) -> bool:
        return self._ring.trust.separated_at is not None

    @property
    def names_form(self) -> int:
        """By which rules names were given from the beginning of this place; 1 where earlier versions gave them."""
        return 2 if self._content.get("names") == 2 else 1

    @property
    def is_changing(self) -> bool:
        return self._pending is not None

    def begin_change(self, *, fresh: bool) -> str:
        """Sign with a new key, or with the last one by purposes, until it is kept or dropped; return its id."""
        last = self._content["hmac"][-1]
        made = {"id": f"k{number_of(last['id']) + 1}", "key": self._entropy.token(32).hex()} if fresh else last
        self._pending = {"id": made["id"], "key": made["key"]}
        self._use(self._content)
        return str(made["id"])

    def drop_change(self) -> None:
        """The change did not come to stand: sign as before."""
        self._pending = None
        self._use(self._content)

    def wrapped(self, key_id: str) -> bytes:
        """An HMAC key under the master key, for other nodes."""
        every = [*self._content["hmac"], *([self._pending] if self._pending else [])]
        key = next(bytes.fromhex(item["key"]) for item in every if item["id"] == key_id)
        return self.seal_here(key, f"signing_key/{self.log_name}/{key_id}")

    def is_by(self, key_id: str, wrapped: bytes, purpose: Purpose, digest: bytes, signature: str) -> bool:
        """Say whether a key that was wrapped by a node of this log made a signature, whether it is known yet or not."""
        try:
            mac = _Mac(derive(self._unwrapped(key_id, wrapped), purpose))
        except IntegrityFailure:
            return False
        expected = f"{key_id}.{purpose}:{mac.digest(digest).hex()}"
        return hmac.compare_digest(expected.encode(), signature.encode())

    def _unwrapped(self, key_id: str, wrapped: bytes) -> bytes:
        return self.unseal_here(wrapped, f"signing_key/{self.log_name}/{key_id}")

    def keep_change(self, key_id: str, wrapped: bytes, since: int, *, separates: bool, again: bool = False) -> None:
        """A change is on the ledger at position `since`: write it to the file, and sign with that key from now on.

        A position that is known is not moved by what the database says, unless the file knew that one, too: it was told
        `again` to an older copy of the log, and the newer one is back.
        """
        key = self._unwrapped(key_id, wrapped).hex()

        def changed(content: dict[str, Any]) -> dict[str, Any]:
            held: dict[str, Any] = next((item for item in content["hmac"] if item["id"] == key_id), {})
            known = [] if held.get("since") is None else [held["since"], *held.get("was", ())]
            place = since if again or not known or since in known else known[0]
            was = [position for position in known if position != place]
            entry = {"id": key_id, "key": key, "since": place, **({"was": was} if was else {})}
            others = [item for item in content["hmac"] if item["id"] != key_id]
            keys = sorted([*others, entry], key=lambda item: number_of(item["id"]))
            first = separates and content.get("separated_at") is None
            return {**content, "hmac": keys, **({"separated_at": since} if first else {})}

        if self._pending is not None and number_of(self._pending["id"]) <= number_of(key_id):
            self._pending = None
        if not self._keep:
            self._use(changed(self._content))
            return
        try:
            with self._locked():  # one at a time: a key that another one overwrites is lost
                content = canon.loads(self._path.read_bytes())
                if changed(content) != content:
                    write_whole(self._path, canon.dumps(changed(content)))
                self._load()
        except OSError as error:
            self._use(changed(self._content))
            raise _cannot_write(self._path, error) from None

    def key_ids(self) -> list[str]:
        return [item["id"] for item in self._content["hmac"]]

    # Tags and marks

    def pii_mac(self, message: bytes) -> bytes:
        """HMAC-SHA256 under the first key, for `pii_hash` alone: callers choose what it is over and see the result."""
        first = self._content["hmac"][0]
        return hmac.digest(bytes.fromhex(first["key"]), message, "sha256")

    def tag(self, use: str, message: bytes) -> str:
        """A keyed hash, in hex, by which something is found again; the same over all rotations."""
        return self._ring.tag.digest(use.encode() + b"\0" + message).hex()

    def older_tag(self, message: bytes) -> str | None:
        """The tag as it was made before keys had purposes; None where nothing can have one."""
        return None if self._ring.trust.separated_at == 0 else self.pii_mac(message).hex()

    def mark(self, message: bytes) -> bytes:
        """A short MAC of a wrapped key, with the number of its key."""
        key = self._ring.signing[Purpose.SEAL][1]
        if not self._ring.active:
            return self.pii_mac(message)[:_RAW_MARK_BYTES]
        return _MARK.pack(self._ring.active, key.digest(message)[:_RAW_MARK_BYTES])

    def is_marked(self, message: bytes, mark: bytes) -> bool:
        if len(mark) == _RAW_MARK_BYTES:
            return not self.is_separated and hmac.compare_digest(self.pii_mac(message)[:_RAW_MARK_BYTES], mark)
        if len(mark) != _MARK.size:
            return False
        number, given = _MARK.unpack(mark)
        key = self._known(Purpose.SEAL, f"k{number}.{Purpose.SEAL}")
        return key is not None and hmac.compare_digest(key.digest(message)[:_RAW_MARK_BYTES], given)

    def keyed_hash(self, key: bytes, message: bytes) -> str:
        """HMAC-SHA256 in hex. Written out: OpenSSL's own takes as long to set up as both hashes take."""
        block = _block(key)
        inner = hashlib.sha256(block.translate(_INNER_PAD) + message).digest()
        return hashlib.sha256(block.translate(_OUTER_PAD) + inner).hexdigest()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One process at a time changes the file."""
        lock = os.open(self._path.with_name(f"{self._path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def remembered_shelf(self, node: str) -> str | None:
        """Where the checkpoints of this node were kept last; None before the first one was."""
        found: str | None = self._content.get("shelves", {}).get(node)
        return found

    def remember_shelf(self, node: str, place: str) -> None:
        """Write down where this node's checkpoints are kept, so that a shelf that moved can be named."""
        try:
            with self._locked():
                self._load()
                others = [item for item in self._content.get("shelves", {}).items() if item[0] != node]
                shelves = dict([*others[1 - _MAX_SHELVES :], (node, place)])
                write_whole(self._path, canon.dumps({**self._content, "shelves": shelves}))
                self._load()
        except OSError as error:
            raise _cannot_write(self._path, error) from None

    # Checkpoints and sealing

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
        return key, self.seal(parent or self._above(context), key, f"key/{context}")

    def unwrap(self, context: str, wrapped: bytes, parent: bytes | None) -> bytes:
        if parent is not None or not is_kept_apart(context):
            return self.unseal(parent or self._house, wrapped, f"key/{context}")
        for master in self._every_master():
            with suppress(IntegrityFailure):
                return self.unseal(master, wrapped, f"key/{context}")
        raise IntegrityFailure("sealed data does not open with its key; run verify")

    def _above(self, context: str) -> bytes:
        """What wraps a key that has no other key above it: the master key wraps those that can be taken away."""
        return self._master if is_kept_apart(context) else self._house

    def seal_here(self, plain: bytes, context: str) -> bytes:
        return self.seal(self._house, plain, f"here/{context}")

    def unseal_here(self, sealed: bytes, context: str) -> bytes:
        return self.unseal(self._house, sealed, f"here/{context}")

    # The master key

    def _every_master(self) -> Iterator[bytes]:
        """The master keys that are known, then those that the file has now: another process may have made a new one."""
        yield from self._masters
        with suppress(ServiceUnavailable):
            self._load()
        yield from self._masters

    @property
    def master_id(self) -> str:
        return master_id_of(self._master)

    @property
    def is_master_changing(self) -> bool:
        return len(self._masters) > 1

    def use_master(self, master_id: str) -> bool:
        """Wrap with this master key from now on; say whether it is known here."""
        for master in self._every_master():
            if master_id_of(master) == master_id:
                self._master = master
                return True
        return False

    def begin_master(self) -> str:
        """Make a new master key and write it down beside the one in use, durably; return its id."""
        made = self._entropy.token(32)
        self._rewrite(lambda content: {**content, "next_master": made.hex()})
        return master_id_of(made)

    def wrap_anew(self, context: str, key: bytes) -> bytes:
        """Wrap a key under the master key that was begun."""
        return self.seal(self._masters[-1], key, f"key/{context}")

    def settle_master(self, master_id: str) -> None:
        """The keys are wrapped by this one: the other one that the file has goes, and is overwritten."""
        if not self._keep:
            self.use_master(master_id)
            return

        def settled(content: dict[str, Any]) -> dict[str, Any]:
            other = content.get("next_master")
            if other is None:
                return content
            rest = {name: value for name, value in content.items() if name != "next_master"}
            if master_id_of(bytes.fromhex(other)) == master_id:
                return {**rest, "house": content.get("house", content["master"]), "master": other}
            return rest if master_id_of(bytes.fromhex(content["master"])) == master_id else content

        self._rewrite(settled, wipe=True)
        self.use_master(master_id)
        self.forget()

    def _rewrite(self, changed: Callable[[dict[str, Any]], dict[str, Any]], *, wipe: bool = False) -> None:
        try:
            with self._locked():
                content = canon.loads(self._path.read_bytes())
                if changed(content) != content:
                    write_whole(self._path, canon.dumps(changed(content)), wipe=wipe)
                self._load()
        except OSError as error:
            raise _cannot_write(self._path, error) from None

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
            raise IntegrityFailure("sealed data does not open with its key; run verify") from None

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

    try:
        _verifier(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=16)
def _verifier(public_key: bytes) -> Any:
    """A public key made ready once: one log checks thousands of notes with it."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(public_key)
