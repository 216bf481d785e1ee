"""Checkpoints: the tree's head as a C2SP signed note, and what a stranger needs to check one.

Pure: the Ed25519 operations are passed in. The origin names the log and, after an attested roll-back, the epoch; the
signature's key name is the origin, as the checkpoint format asks for.
"""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

_ED25519 = b"\x01"
CheckEd25519 = Callable[[bytes, bytes, bytes], bool]  # (public key, signature, message)


class BadNote(ValueError):
    """The text is not a checkpoint of this log, or its signature is not good."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @property
    def epoch(self) -> int:
        head, _, tail = self.origin.rpartition("/epoch-")
        return int(tail) if head and _is_number(tail) else 0


def _is_number(text: str) -> bool:
    """ASCII digits without leading zeros, as the checkpoint format writes sizes."""
    return text.isascii() and text.isdecimal() and len(text) <= 18 and (text == "0" or text[0] != "0")


def origin_of(log_name: str, epoch: int) -> str:
    base = f"mace/{log_name}"
    return base if epoch == 0 else f"{base}/epoch-{epoch}"


def key_hash(name: str, public_key: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + _ED25519 + public_key).digest()[:4]


def verifier_key(log_name: str, public_key: bytes) -> str:
    """The public key in the note format's own form: name, key hash and key in one line."""
    name = origin_of(log_name, 0)
    encoded = base64.b64encode(_ED25519 + public_key).decode()
    return f"{name}+{key_hash(name, public_key).hex()}+{encoded}"


def parse_verifier_key(text: str) -> tuple[str, bytes]:
    """Return (name, public key) of a verifier key line; raise BadNote for anything else."""
    parts = text.strip().split("+", 2)
    try:
        name, given_hash, encoded = parts
        raw = base64.b64decode(encoded, validate=True)
    except (ValueError, binascii.Error):
        raise BadNote("not a verifier key (name+hash+key)") from None
    if len(raw) != 33 or raw[:1] != _ED25519:
        raise BadNote("not an Ed25519 verifier key")
    if key_hash(name, raw[1:]).hex() != given_hash:
        raise BadNote("the verifier key's hash does not fit its key")
    return name, raw[1:]


def sign(checkpoint: Checkpoint, public_key: bytes, sign_message: Callable[[bytes], bytes]) -> str:
    text = checkpoint.text()
    signature = sign_message(text.encode())
    blob = base64.b64encode(key_hash(checkpoint.origin, public_key) + signature).decode()
    return f"{text}\n— {checkpoint.origin} {blob}\n"


def parse(note: str) -> tuple[Checkpoint, list[tuple[str, bytes]], bytes]:
    """Return the checkpoint, its (name, key hash + signature) lines and the signed bytes."""
    text, separator, tail = note.partition("\n\n")
    lines = text.split("\n")
    if not separator or len(lines) < 3 or not all(lines) or not tail.endswith("\n"):
        raise BadNote("not a signed checkpoint")
    try:
        if not _is_number(lines[1]):
            raise ValueError
        checkpoint = Checkpoint(lines[0], int(lines[1]), base64.b64decode(lines[2], validate=True))
        signatures = []
        for line in tail[:-1].split("\n"):
            dash, name, blob = line.split(" ")
            if dash != "—":
                raise ValueError
            signatures.append((name, base64.b64decode(blob, validate=True)))
    except (ValueError, binascii.Error):
        raise BadNote("not a signed checkpoint") from None
    if len(checkpoint.root) != 32:
        raise BadNote("a root has 32 bytes")
    return checkpoint, signatures, (text + "\n").encode()


def open_note(note: str, log_name: str, public_key: bytes, check: CheckEd25519) -> Checkpoint:
    """Return the checkpoint if it is of this log and signed by this key; raise BadNote otherwise."""
    checkpoint, signatures, message = parse(note)
    if checkpoint.origin != origin_of(log_name, checkpoint.epoch):
        raise BadNote("a checkpoint of another log")
    expected = key_hash(checkpoint.origin, public_key)
    for name, blob in signatures:
        if name == checkpoint.origin and blob[:4] == expected and check(public_key, blob[4:], message):
            return checkpoint
    raise BadNote("no good signature by this log's key")
