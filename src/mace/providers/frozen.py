"""A clock that stands still unless moved, and entropy that repeats: for tests and for showing determinism."""

import hashlib
from datetime import datetime, timedelta
from itertools import count


class FrozenClock:
    def __init__(self, at: datetime) -> None:
        self.at = at
        self.paused_ms: list[int] = []

    def now(self) -> datetime:
        return self.at

    def monotonic_ms(self) -> float:
        return self.at.timestamp() * 1000

    def pause_ms(self, milliseconds: int) -> None:
        self.paused_ms.append(milliseconds)

    def move(self, **span: float) -> None:
        self.at += timedelta(**span)


class CountingEntropy:
    """Distinct, repeatable bytes. Never for keys that protect anything."""

    def __init__(self, seed: str = "") -> None:
        self._seed = seed
        self._counter = count(1)  # `next` is safe between threads

    def token(self, size: int) -> bytes:
        block = hashlib.sha512(f"{self._seed}{next(self._counter)}".encode()).digest()
        return (block * (size // 64 + 1))[:size]
