"""Potentials: how much attention a pair deserves, and which way it points.

Pure. A pair's Megrams are never summed again: for each decay constant there is one running sum, scaled to a reference
instant, so an answer costs the same after one Megram and after a million. Sums are compensated and the reference moves
only when numbers would grow too large; the plain sum (`plain`) is what they must equal within 1e-9. `math.exp` and no
vector library: its results are the same on every processor.
"""

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mace.memory.experience.megrams import DAY_US, DECAYS

_GROWS_TO = 300.0  # the exponent beyond which a sum is scaled down; exp(300) is far from overflow
_SUMS = struct.Struct("<" + "qdddd" * len(DECAYS))
_NOTHING = (0, 0.0, 0.0, 0.0, 0.0) * len(DECAYS)
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Potentials:
    attention: float
    decision: float

    @property
    def action(self) -> str:
        return action(self.attention, self.decision)


def action(attention: float, decision: float) -> str:
    """What the potentials of a pair advise; they are compared after rounding."""
    strong, way = round(attention, _DECIMALS), round(decision, _DECIMALS)
    if strong < 0.5:
        return "Ignore"
    if way > 0.2:
        return "Exploit"
    if way < -0.2:
        return "Avoid"
    return "Caution"


def weight(f: float, k: float, created_us: int, now_us: int) -> float:
    """What is left of one Megram; one that was made later than now counts whole."""
    return abs(f) * math.exp(-k * max(0, now_us - created_us) / DAY_US)


def plain(megrams: Iterable[tuple[float, float, float, int]], now_us: int) -> Potentials:
    """The sums as the text writes them, over (f, sigma, k, created_us)."""
    rows = list(megrams)
    now = max([now_us, *(created for *_, created in rows)])
    left = [(f, sigma, math.exp(-k * (now - created) / DAY_US)) for f, sigma, k, created in rows]
    return Potentials(
        math.fsum(abs(f) * rest for f, _, rest in left), math.fsum(sigma * f * rest for f, sigma, rest in left)
    )


class Sums:
    """The running sums of a pair: for each decay a reference instant and two compensated sums scaled to it."""

    __slots__ = ("_numbers",)

    def __init__(self, packed: bytes = b"") -> None:
        # For each decay: reference, attention and what its additions lost, decision and what its additions lost.
        # They lie flat, as they are packed: catching up packs and unpacks a pair for nearly every Megram.
        self._numbers: tuple[Any, ...] = _SUMS.unpack(packed) if packed else _NOTHING

    def packed(self) -> bytes:
        return _SUMS.pack(*self._numbers)

    def is_empty(self) -> bool:
        return not any(self._numbers[1::5])

    def add(self, f: float, sigma: float, k: float, created_us: int) -> None:
        at = 5 * DECAYS.index(k)
        reference, attention, lost_a, decision, lost_d = self._numbers[at : at + 5]
        if attention == 0.0:
            reference = created_us
        exponent = k * (created_us - reference) / DAY_US
        if exponent > _GROWS_TO:
            shrink = math.exp(-exponent)
            attention, lost_a, decision, lost_d = (
                attention * shrink,
                lost_a * shrink,
                decision * shrink,
                lost_d * shrink,
            )
            reference, exponent = created_us, 0.0
        grown = abs(f) * math.exp(exponent)
        attention, lost_a = _added(attention, lost_a, grown)
        signed = sigma * grown if f >= 0 else -sigma * grown
        decision, lost_d = _added(decision, lost_d, signed)
        part = (reference, attention, lost_a, decision, lost_d)
        self._numbers = (*self._numbers[:at], *part, *self._numbers[at + 5 :])

    def by_decay(self, now_us: int) -> list[tuple[float, float, float]]:
        """For each decay that counts: k, its attention and its decision at this instant."""
        found = []
        for at, k in enumerate(DECAYS):
            reference, attention, lost_a, decision, lost_d = self._numbers[5 * at : 5 * at + 5]
            if attention:
                rest = math.exp(max(-k * (now_us - reference) / DAY_US, -745.0))
                found.append((k, (attention + lost_a) * rest, (decision + lost_d) * rest))
        return found

    def at(self, now_us: int) -> Potentials:
        """The potentials at an instant, which must not lie before the newest Megram."""
        parts = self.by_decay(now_us)
        return Potentials(math.fsum(part[1] for part in parts), math.fsum(part[2] for part in parts))


def _added(total: float, lost: float, more: float) -> tuple[float, float]:
    """Add with the rounding error kept beside (Neumaier)."""
    result = total + more
    if abs(total) >= abs(more):
        lost += (total - result) + more
    else:
        lost += (more - result) + total
    return result, lost
