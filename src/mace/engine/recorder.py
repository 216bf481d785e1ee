"""The recorder: opens streams and appends events to them, inside a unit of work.

Every verb that leaves a trace comes through here. A seed's stream is opened by the first verb that names it; others
join it. What no caller caused goes to the stream `system`.
"""

from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import IntegrityFailure, InvalidInput
from mace.core.events import SYSTEM_STREAM, NewEvent, Origin
from mace.core.times import iso_ms, parse_instant
from mace.engine.world import World
from mace.ledger.chain import link
from mace.storage.ports import Tx

MAX_SEED_CHARS = 512


def check_seed(job_seed: str) -> str:
    if not isinstance(job_seed, str) or not 0 < len(job_seed) <= MAX_SEED_CHARS:
        raise InvalidInput(f"a job_seed is a text of 1 to {MAX_SEED_CHARS} characters")
    if "\x00" in job_seed or any("\ud800" <= character <= "\udfff" for character in job_seed):
        raise InvalidInput("a job_seed holds no NUL and no lone surrogate")
    return job_seed


class Recorder:
    def __init__(self, world: World) -> None:
        self._world = world
        self._sign = world.keys.sign

    def now_ms(self) -> datetime:
        """Now, cut to the milliseconds that streams keep."""
        now = self._world.clock.now()
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def fresh_seed(self) -> str:
        return self._world.entropy.token(32).hex()

    def open(self, tx: Tx, job_seed: str, opened_by: dict[str, Any], signed_by: str = "system") -> Origin:
        """Return the stream of this seed, opening it if this is the first verb that names it."""
        return self._open(tx, seeds.job_id(job_seed), job_seed, opened_by, signed_by)

    def system(self, tx: Tx) -> Origin:
        return self._open(tx, SYSTEM_STREAM, self._world.keys.log_name, {"verb": "system"}, "system")

    def _open(self, tx: Tx, stream: str, job_seed: str, opened_by: dict[str, Any], signed_by: str) -> Origin:
        held = self._row(tx, stream, job_seed)
        if held is not None:
            return held
        if tx.events.head(stream) is not None:  # which also keeps other nodes out of the stream until we are done
            return self._row(tx, stream, job_seed) or self._from_first_event(tx, stream, job_seed)
        return self.start(tx, stream, job_seed, opened_by, signed_by)

    def start(self, tx: Tx, stream: str, job_seed: str, opened_by: dict[str, Any], signed_by: str = "system") -> Origin:
        """Open a stream of which nothing is there yet: one that was looked for, or whose seed was drawn just now."""
        origin = Origin(stream, job_seed, seeds.trace_id(job_seed), self.now_ms())
        tx.streams.add(origin)
        payload = {
            **opened_by,
            "started_at": iso_ms(origin.started_at),
            "system_version": self._world.system_version,
        }
        tx.events.append(link(None, origin, "JOB_OPENED", payload, signed_by, self._sign))
        return origin

    def _row(self, tx: Tx, stream: str, job_seed: str) -> Origin | None:
        """The row of a stream, if it is what it must be; nothing is signed on the word of a changed one."""
        try:
            held = tx.streams.get(stream)
        except IntegrityFailure:
            return self._from_first_event(tx, stream, job_seed)
        if held is None or (held.job_seed == job_seed and held.trace_id == seeds.trace_id(job_seed)):
            return held
        return self._from_first_event(tx, stream, job_seed)

    def _from_first_event(self, tx: Tx, stream: str, job_seed: str) -> Origin:
        """What all events of the stream share, from its signed beginning; verification names what became of the row."""
        started_at = self.now_ms()
        first = tx.events.at(stream, 0)
        if first is not None and sha256(first.body).digest() == first.hash:
            with suppress(ValueError, LookupError, TypeError):
                started_at = parse_instant(canon.loads(first.body)["payload"]["started_at"])
        return Origin(stream, job_seed, seeds.trace_id(job_seed), started_at)

    def append(
        self, tx: Tx, origin: Origin, event_type: str, payload: dict[str, Any], signed_by: str = "system"
    ) -> NewEvent:
        event = link(tx.events.head(origin.stream), origin, event_type, payload, signed_by, self._sign)
        tx.events.append(event)
        return event
