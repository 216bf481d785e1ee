"""What a trial is opened with: a clock that stands still and entropy that repeats. Never for a store that matters."""

from mace.providers.frozen import CountingEntropy, FrozenClock

__all__ = ["CountingEntropy", "FrozenClock"]
