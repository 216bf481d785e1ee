"""The only clock and the only randomness."""

import os
import time
from datetime import UTC, datetime


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_ms(self) -> float:
        return time.monotonic_ns() / 1e6

    def now_ns(self) -> int:
        return time.time_ns()

    def pause_ms(self, milliseconds: int) -> None:
        time.sleep(milliseconds / 1000)


class SystemEntropy:
    def token(self, size: int) -> bytes:
        return os.urandom(size)
