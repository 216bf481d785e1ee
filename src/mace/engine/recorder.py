"""The recorder: opens streams and appends events to them, inside a unit of work.

Every verb that leaves a trace comes through here. A seed's stream is opened by the first verb that names it; others
join it. What no caller caused goes to the stream `system`.
"""

from datetime import datetime
from typing import Any

from mace.core import seeds
from mace.core.errors import InvalidInput
from mace.core.events import SYSTEM_STREAM, NewEvent, Origin
from mace.core.times import from_ms, iso_ms, to_ms
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
        return from_ms(to_ms(self._world.clock.now()))

    def fresh_seed(self) -> str:
        return self._world.entropy.token(32).hex()

    def open(self, tx: Tx, job_seed: str, opened_by: dict[str, Any], signed_by: str = "system") -> Origin:
        """Return the stream of this seed, opening it if this is the first verb that names it."""
        return self._open(tx, seeds.job_id(job_seed), job_seed, opened_by, signed_by)

    def system(self, tx: Tx) -> Origin:
        return self._open(tx, SYSTEM_STREAM, self._world.keys.log_name, {"verb": "system"}, "system")

    def _open(self, tx: Tx, stream: str, job_seed: str, opened_by: dict[str, Any], signed_by: str) -> Origin:
        held = tx.streams.get(stream)
        if held is not None:
            return held
        origin = Origin(stream, job_seed, seeds.trace_id(job_seed), self.now_ms())
        tx.streams.add(origin)
        payload = {
            **opened_by,
            "started_at": iso_ms(origin.started_at),
            "system_version": self._world.system_version,
        }
        self.append(tx, origin, "JOB_OPENED", payload, signed_by)
        return origin

    def append(
        self, tx: Tx, origin: Origin, event_type: str, payload: dict[str, Any], signed_by: str = "system"
    ) -> NewEvent:
        event = link(tx.events.head(origin.stream), origin, event_type, payload, signed_by, self._sign)
        tx.events.append(event)
        return event
