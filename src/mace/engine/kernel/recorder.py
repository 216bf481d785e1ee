"""The recorder: opens streams and appends events to them, inside a unit of work.

Every verb that leaves a trace comes through here. A seed's stream is opened by the first verb that names it; others
join it. What no caller caused goes to the stream `system`.
"""

import re
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import InvalidInput
from mace.core.events import SYSTEM_STREAM, Head, NewEvent, Origin, StoredEvent
from mace.core.purposes import Purpose
from mace.core.texts import is_storable
from mace.core.times import iso_ms, parse_instant
from mace.engine.kernel.job_ledger import JobLedger
from mace.engine.kernel.world import World
from mace.ledger.chain import link
from mace.storage.ports import Tx

MAX_SEED_CHARS = 512
_MAX_GOOD = 1000
_DRAWN = re.compile(r"[0-9a-f]{64}")  # as one is drawn when none is given


def check_seed(job_seed: str) -> str:
    """Return a valid job seed, or raise `InvalidInput`."""
    if not isinstance(job_seed, str) or not 0 < len(job_seed) <= MAX_SEED_CHARS:
        raise InvalidInput(f"job_seed must be a string of 1 to {MAX_SEED_CHARS} characters")
    if not is_storable(job_seed):
        raise InvalidInput("job_seed must not contain NUL or unpaired surrogates")
    if not _DRAWN.fullmatch(job_seed) and _is_personal(job_seed):
        raise InvalidInput("job_seed must not contain personal data: it is stored unencrypted on the ledger")
    return job_seed


@lru_cache(maxsize=4096)
def _is_personal(job_seed: str) -> bool:
    from mace.engine.kernel.cleaning import holds_personal, is_hidden_in

    return holds_personal(job_seed) or is_hidden_in(job_seed)


def origin_of(first: NewEvent | StoredEvent) -> Origin:
    """What the first event of a stream says that all its events share; the caller has checked who signed it."""
    said = canon.loads(first.body)
    return Origin(first.stream, said["job_seed"], said["trace_id"], parse_instant(said["payload"]["started_at"]))


class Recorder:
    """Opens streams and appends signed events to them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._sign = world.keys.sign
        self._made = b""  # the hash of the event that was made last
        self._good: dict[str, bytes] = {}  # by stream: the head that was last seen to be good
        self.jobs = JobLedger(world.keys)

    def now_ms(self) -> datetime:
        """Now, cut to the milliseconds that streams keep."""
        now = self._world.clock.now()
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def recorded_at(self, tx: Tx) -> str:
        """The time of a unit: the clock is read once, when its first event is linked, and holds for all of them."""
        at = tx.noted.get("recorded_at")
        if at is None:
            at = tx.noted["recorded_at"] = iso_ms(self._world.clock.now())
        return at

    def fresh_seed(self) -> str:
        """Return a new random job seed."""
        return self._world.entropy.token(32).hex()

    def open(self, tx: Tx, job_seed: str, opened_by: dict[str, Any], signed_by: str = "system") -> Origin:
        """Return the stream of this seed, opening it if this is the first verb that names it."""
        return self._open(tx, seeds.job_id(job_seed), job_seed, opened_by, signed_by)

    def system(self, tx: Tx) -> Origin:
        """Return the origin of the system stream, opening it if needed."""
        return self._open(tx, SYSTEM_STREAM, self._world.keys.log_name, {"verb": "system"}, "system")

    def _open(self, tx: Tx, stream: str, job_seed: str, opened_by: dict[str, Any], signed_by: str) -> Origin:
        if tx.events.head(stream) is None:  # which also keeps other nodes out of the stream until we are done
            return self.start(tx, stream, job_seed, opened_by, signed_by)
        return self._begun(tx, stream, job_seed)

    def start(self, tx: Tx, stream: str, job_seed: str, opened_by: dict[str, Any], signed_by: str = "system") -> Origin:
        """Open a stream of which nothing is there yet: one that was looked for, or whose seed was drawn just now."""
        origin = Origin(stream, job_seed, seeds.trace_id(job_seed), self.now_ms())
        started_at = seeds.started_text(origin.started_at)
        payload = {**opened_by, "started_at": started_at, "system_version": self._world.system_version}
        at = tx.noted.setdefault("recorded_at", started_at)  # the clock has just been read
        event = link(None, origin, "JOB_OPENED", payload, signed_by, self._sign, at)
        tx.events.append(event)
        self._made = event.hash
        return origin

    def origin(self, tx: Tx, stream: str) -> Origin | None:
        """What all events of a stream share, as its first event says; None where that is not what was signed."""
        first = tx.events.first(stream)
        if first is not None and self._is_signed(first):
            with suppress(ValueError, LookupError, TypeError):
                return origin_of(first)
        return None

    def _begun(self, tx: Tx, stream: str, job_seed: str) -> Origin:
        """What all events of the stream share; nothing is signed on the word of a changed beginning."""
        first = tx.events.at(stream, 0) or tx.events.first(stream)  # with its position, once it has one
        started_at = self.now_ms()
        if first is not None and self._is_signed(first):
            with suppress(ValueError, LookupError, TypeError):
                started_at = origin_of(first).started_at
        return Origin(stream, job_seed, seeds.trace_id(job_seed), started_at)

    def _is_signed(self, event: NewEvent | StoredEvent) -> bool:
        keys = self._world.keys
        if sha256(event.body).digest() != event.hash or not keys.check(Purpose.EVENT, event.hash, event.signature):
            return False
        return isinstance(event, NewEvent) or keys.counts_at(event.signature, event.position)

    def _head(self, tx: Tx, stream: str) -> Head | None:
        """The newest event of a stream, to link the next one to; what a stranger put there is passed over."""
        head = tx.events.head(stream)
        if head is None or self._made == head.hash or self._good.get(stream) == head.hash:
            return head
        row = tx.events.at(stream, head.sequence_index)
        if row is None or self.is_own(row):  # a unit's own events are not there yet
            if len(self._good) >= _MAX_GOOD:
                self._good.clear()
            self._good[stream] = head.hash
            return head
        good = self.good_before(tx, stream, head.sequence_index)
        return head if good is None else Head(head.sequence_index, good[1])  # none good: what is there, for what it is

    def is_own(self, row: StoredEvent) -> bool:
        """Say whether an event is what this server wrote, in its place."""
        if row.position < 0 or not self._is_signed(row):
            return False
        said = canon.loads(row.body)
        return bool(said["stream"] == row.stream and said["sequence_index"] == row.sequence_index)

    def good_before(self, tx: Tx, stream: str, index: int) -> tuple[int, bytes] | None:
        """Position and hash of the last event of this server before an index of a stream."""
        for earlier in range(index - 1, -1, -1):
            row = tx.events.at(stream, earlier)
            if row is not None and self.is_own(row):
                return row.position, row.hash
        return None

    def append(
        self, tx: Tx, origin: Origin, event_type: str, payload: dict[str, Any], signed_by: str = "system"
    ) -> NewEvent:
        """Append an event to a stream."""
        at = self.recorded_at(tx)
        event = link(self._head(tx, origin.stream), origin, event_type, payload, signed_by, self._sign, at)
        tx.events.append(event)
        self._made = event.hash
        return event
