"""What is kept of a (space, entity) as a whole, so that nobody has to read its Megrams again.

Pure. It packs to a fixed number of bytes that every store keeps as they are; a change of the packing changes stored
data. `evidence` is a hash chain over the events that brought the pair's Megrams or took them back, in the ledger's
order: whoever holds the ledger can compute it again.
"""

import struct
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from mace.memory.experience.potentials import Potentials, Sums

_HEAD = struct.Struct("<qqqqqqqq32s16s")
_COUNTS = struct.Struct("<qqqq")  # the head begins with them
_SUM_BYTES = len(Sums().packed())
_NO_CHANGE = b"\x00" * 16


@dataclass(slots=True)
class Pair:
    space: str
    entity: str
    live: Sums = field(default_factory=Sums)  # over all its M and K
    fresh: Sums = field(default_factory=Sums)  # over those that no rule was made of yet
    newest_us: int = 0
    count: int = 0  # M and K
    rules_for: int = 0  # live C entries with sigma > 0
    rules_against: int = 0
    since: int = -1  # the ledger's position of the first event about the pair
    last_written: int = -1  # ... of the last one that brought Megrams from outside, or took one back
    marked_through: int = -1  # what came up to here was made into rules
    held: int = 0  # 1: somebody rolled a change back, and nothing new has come since
    evidence: bytes = b"\x00" * 32
    last_change: str = ""

    def now(self, now_us: int) -> int:
        """Time does not run before the newest Megram."""
        return max(now_us, self.newest_us)

    def potentials(self, now_us: int) -> Potentials:
        return self.live.at(self.now(now_us))

    def count_in(self, f: float, sigma: float, k: float, created_us: int, *, marked: bool = False) -> None:
        self.live.add(f, sigma, k, created_us)
        if not marked:
            self.fresh.add(f, sigma, k, created_us)
        self.newest_us = max(self.newest_us, created_us)
        self.count += 1

    def witness(self, event_hash: bytes, megram_id: str) -> None:
        self.evidence = sha256(self.evidence + event_hash + megram_id.encode()).digest()

    def packed(self) -> bytes:
        change = bytes.fromhex(self.last_change) if self.last_change else _NO_CHANGE
        head = _HEAD.pack(
            self.newest_us,
            self.count,
            self.rules_for,
            self.rules_against,
            self.since,
            self.last_written,
            self.marked_through,
            self.held,
            self.evidence,
            change,
        )
        return head + self.live.packed() + self.fresh.packed()


class Counts(NamedTuple):
    """What a packed pair counts, read without the rest."""

    newest_us: int = 0
    megrams: int = 0  # M and K
    rules_for: int = 0
    rules_against: int = 0


def counts(state: bytes) -> Counts:
    return Counts._make(_COUNTS.unpack_from(state))


def unpacked(space: str, entity: str, state: bytes) -> Pair:
    newest, count, rules_for, against, since, written, marked, held, evidence, change = _HEAD.unpack_from(state)
    sums = state[_HEAD.size :]
    return Pair(
        space,
        entity,
        Sums(sums[:_SUM_BYTES]),
        Sums(sums[_SUM_BYTES:]),
        newest,
        count,
        rules_for,
        against,
        since,
        written,
        marked,
        held,
        evidence,
        "" if change == _NO_CHANGE else change.hex(),
    )
