"""What the engine asks of the world. Adapters stand beside; tests may pass a frozen clock, never a fake key."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Protocol


class Clock(Protocol):
    def now(self) -> datetime: ...  # UTC, with its zone
    def monotonic_ms(self) -> float: ...  # for measuring spans only
    def pause_ms(self, milliseconds: int) -> None: ...  # the seeded delay before a retry


class Entropy(Protocol):
    def token(self, size: int) -> bytes: ...


class Keys(Protocol):
    """The server's keys. Signatures name their key, so that keys can rotate and old signatures still count."""

    log_name: str  # the id of the log these keys were made for

    def sign(self, digest: bytes) -> str: ...  # "keyid:hex" of the HMAC-SHA256
    def check(self, digest: bytes, signature: str) -> bool: ...
    def mac(self, message: bytes) -> bytes: ...  # HMAC-SHA256 under the server key, e.g. for `pii_hash`
    def rotate(self) -> str: ...  # the new key's id
    def key_ids(self) -> list[str]: ...  # the active one last
    def public_key(self) -> bytes: ...  # Ed25519, of the checkpoints
    def sign_note(self, message: bytes) -> bytes: ...
    def new_wrapped_key(self, context: str, parent: bytes | None) -> tuple[bytes, bytes]: ...  # (key, wrapped)
    def unwrap(self, context: str, wrapped: bytes, parent: bytes | None) -> bytes: ...
    def seal(self, key: bytes, plain: bytes, context: str) -> bytes: ...
    def unseal(self, key: bytes, sealed: bytes, context: str) -> bytes: ...


class Shelf(Protocol):
    """Where checkpoints are kept outside the database."""

    def keep(self, note: str) -> None: ...  # unless a newer one of the same origin is kept
    def notes(self) -> Iterator[str]: ...  # oldest first
    def latest(self) -> str | None: ...
    def place(self) -> str: ...


class Spill(Protocol):
    """Where failure events and queued writes wait while the database is down."""

    def add(self, entry: dict[str, Any]) -> None: ...
    def entries(self) -> list[dict[str, Any]]: ...
    def clear(self, upto: int) -> None: ...  # the first `upto` entries are merged
    def place(self) -> str: ...
