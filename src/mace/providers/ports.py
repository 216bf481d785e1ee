"""What the engine asks of the world, and what it may answer with instead of a result.

Adapters stand beside, each in a module of its own that only wiring names; the port to a language engine is
`models.port`. What an adapter raises for the engine to act on is defined here: an engine that imported it from an
adapter would not know it from another one. Tests may pass a frozen clock, never a fake key.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeVar

from mace.core.purposes import Purpose
from mace.core.trust import Trust

T = TypeVar("T")


class Clock(Protocol):
    def now(self) -> datetime: ...  # UTC, with its zone
    def monotonic_ms(self) -> float: ...  # for measuring spans only
    def pause_ms(self, milliseconds: int) -> None: ...  # the seeded delay before a retry


class Entropy(Protocol):
    def token(self, size: int) -> bytes: ...


class Keys(Protocol):
    """The server's keys. A signature names its key and what it is for: `k1.event`. Keys rotate, and an older key counts
    only for what it signed while it was in use."""

    log_name: str  # the id of the log these keys were made for

    def sign(self, purpose: Purpose, digest: bytes) -> str: ...  # "keyid:hex" of the HMAC-SHA256
    def check(self, purpose: Purpose, digest: bytes, signature: str) -> bool: ...  # for events ask `counts_at` as well
    def is_genuine(self, purpose: Purpose, digest: bytes, signature: str) -> bool: ...  # by a known key, retired or not
    def counts_at(self, signature: str, position: int) -> bool: ...  # whether its key is the one that signs there
    @property
    def trust(self) -> Trust: ...
    def consult(self, is_listed: Callable[[str, bytes], bool], ask_store: Callable[[], None]) -> None: ...
    def pii_mac(self, message: bytes) -> bytes: ...  # HMAC-SHA256 under the first key; for `pii_hash` alone
    def tag(self, use: str, message: bytes) -> str: ...  # a keyed hash to find something by, the same over rotations
    def older_tag(self, message: bytes) -> str | None: ...  # as it was made before keys had purposes
    def mark(self, message: bytes) -> bytes: ...  # a short MAC behind a wrapped key
    def is_marked(self, message: bytes, mark: bytes) -> bool: ...
    def keyed_hash(self, key: bytes, message: bytes) -> str: ...  # HMAC-SHA256 in hex under a data key
    @property
    def active_number(self) -> int: ...  # of the key that signs, 2 for `k2`; 0 before keys have purposes
    @property
    def is_separated(self) -> bool: ...
    @property
    def names_form(self) -> int: ...  # 1 where earlier versions gave names
    @property
    def is_changing(self) -> bool: ...
    def begin_change(self, *, fresh: bool) -> str: ...  # sign with a new key, or with the last one by purposes
    def drop_change(self) -> None: ...  # sign as before
    def keep_change(
        self, key_id: str, wrapped: bytes, since: int, *, separates: bool, again: bool = False
    ) -> None: ...  # it is committed; only `again` moves a position that is known
    def wrapped(self, key_id: str) -> bytes: ...  # an HMAC key under the master key
    def is_by(self, key_id: str, wrapped: bytes, purpose: Purpose, digest: bytes, signature: str) -> bool: ...
    def key_ids(self) -> list[str]: ...  # the active one last
    def public_key(self) -> bytes: ...  # Ed25519, of the checkpoints
    def sign_note(self, message: bytes) -> bytes: ...
    def new_wrapped_key(self, context: str, parent: bytes | None) -> tuple[bytes, bytes]: ...  # (key, wrapped)
    def unwrap(self, context: str, wrapped: bytes, parent: bytes | None) -> bytes: ...
    @property
    def master_id(self) -> str: ...  # of the master key that wraps the keys of people
    @property
    def is_master_changing(self) -> bool: ...  # whether the file has a second one
    def use_master(self, master_id: str) -> bool: ...  # False where this node does not have it
    def begin_master(self) -> str: ...  # write a new one down, beside the one in use; its id
    def wrap_anew(self, context: str, key: bytes) -> bytes: ...  # under that one
    def settle_master(self, master_id: str) -> None: ...  # this one stays, the other one goes
    def seal_here(self, plain: bytes, context: str) -> bytes: ...  # under a key of the node's own
    def unseal_here(self, sealed: bytes, context: str) -> bytes: ...
    def seal(self, key: bytes, plain: bytes, context: str) -> bytes: ...
    def unseal(self, key: bytes, sealed: bytes, context: str) -> bytes: ...
    def forget(self) -> None: ...  # let go of everybody else's keys that are held in memory


class Process(NamedTuple):
    """A process: `place` is its machine and what its number is counted in, `started` tells apart who had a number."""

    place: str
    pid: int
    started: str


class Processes(Protocol):
    def me(self) -> Process: ...
    def number(self) -> int: ...  # of this one, also after a fork
    def is_gone(self, other: Process) -> bool: ...  # surely; False where it cannot be seen from here


class Heart(Protocol):
    """Calls something every `beat_s` seconds while it says that it is of use."""

    @property
    def beat_s(self) -> float: ...
    def start(self, beat: Callable[[], bool]) -> None: ...
    def stop(self) -> None: ...


class TimedOut(Exception):
    """What was run did not end in time, and was stopped or left behind."""

    def __init__(self, limit_ms: float | None = None) -> None:
        super().__init__("out of time" if limit_ms is None else f"stopped after {limit_ms} ms")
        self.limit_ms = limit_ms


class Stopped(Exception):
    """What was awaited was left because it is not wanted any more."""


class Crashed(Exception):
    """There is no result: the function raised, or its process died. `detail` names it without its arguments."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Computer(Protocol):
    """Computes a named pure function in a process that can be stopped; raises `TimedOut` or `Crashed`."""

    def compute(self, function: str, arguments: Mapping[str, Any], limit_ms: int) -> Any: ...
    def close(self) -> None: ...


class Done(NamedTuple):
    """A step that ended: its key, and what it returned or raised."""

    key: int
    good: bool
    value: Any


class Crew(Protocol):
    """Steps that run at the same time. Their ends are handed over one by one, in the order in which they come."""

    def submit(self, key: int, step: Callable[[], Any]) -> None: ...
    def next(self, limit_ms: float | None) -> Done | None: ...  # None: nothing ended in that time
    def cancel(self, key: int) -> None: ...  # its end is not wanted any more


class Runner(Protocol):
    """Runs steps of somebody else's code; raises what a step raises, or `TimedOut` when it takes too long."""

    def run(self, step: Callable[[], T], limit_ms: float) -> T: ...
    def crew(self) -> Crew: ...
    def drive(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T: ...  # to its end, also where a loop runs
    # Await something, and leave it when its time is over (`TimedOut`) or `stop` says why (`Stopped`).
    async def watched(
        self, work: Awaitable[T], limit_ms: float, stop: Callable[[], str | None], look_ms: float
    ) -> T: ...
    async def aside(self, step: Callable[[], T]) -> T: ...
    def close(self) -> None: ...


class SecondFactor(Protocol):
    """One-time codes; the engine remembers which were used."""

    def provisioning_uri(self, secret: str, account: str) -> str: ...  # what an authenticator app reads
    def step_of(self, secret: str, code: str, at: datetime, window_steps: int) -> int | None: ...


class Box(Protocol):
    """Seals to a public key; whoever has the private half opens. `InvalidInput` for what is not a key of it."""

    def generate(self) -> tuple[str, str]: ...  # (private, public)
    def check_public(self, public: str) -> None: ...
    def seal(self, public: str, plain: bytes, context: str) -> bytes: ...
    def unseal(self, private: str, sealed: bytes, context: str) -> bytes: ...


class Shelf(Protocol):
    """Where checkpoints are kept outside the database."""

    def keep(self, note: str, is_good: Callable[[str], bool]) -> None: ...  # unless a good newer one is kept
    def notes(self) -> Iterator[str]: ...  # oldest first
    def newest_first(self) -> Iterator[str]: ...
    def latest(self) -> str | None: ...
    def place(self) -> str: ...
    def was_in(self) -> str | None: ...  # where notes of this log were kept last
    def former(self) -> "Shelf | None": ...  # that one, if it is another and can be read
    def settle(self) -> None: ...  # notes are kept here from now on


class Spill(Protocol):
    """Where failure events and queued writes wait while the database is down."""

    def add(self, entry: dict[str, Any]) -> None: ...
    def entries(self) -> list[dict[str, Any]]: ...
    def clear(self, merged: list[dict[str, Any]]) -> None: ...  # these are in the ledger
    def place(self) -> str: ...
