"""Which key may sign at which place of the log.

Pure. Rotating keys, or separating them by purpose, is an event; from its position on the new key signs, and no other.
A row has no order of its own: the position of the event that names it decides for it. What is passed in comes from the
key file, which nobody reaches who can only write to the database.
"""

from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum


class Standing(Enum):
    """What a good signature is worth at its place."""

    GOOD = "the key that signs there"
    RETIRED = "an older key, which may not sign any more"
    NOT_YET = "a key that was not in use yet"
    UNSEPARATED = "a key without a purpose, after keys were separated"


@dataclass(frozen=True, slots=True)
class Trust:
    """`changes` are the positions from which on each key signs, ascending; `separated_at` is the position from which
    on keys without a purpose (`k1:`) sign nothing, None where no key has a purpose yet."""

    separated_at: int | None
    changes: tuple[tuple[int, str], ...]

    def standing(self, key_id: str, position: int) -> Standing:
        """What a signature by this key (`k1`, or `k1.event`) is worth at a position of the log."""
        key, dot, _ = key_id.partition(".")
        if not dot:
            early = self.separated_at is None or position < self.separated_at
            return Standing.GOOD if early else Standing.UNSEPARATED
        at = bisect_right(self.changes, position, key=lambda change: change[0])
        if at and self.changes[at - 1][1] == key:
            return Standing.GOOD
        return Standing.RETIRED if any(held == key for _, held in self.changes[:at]) else Standing.NOT_YET

    def in_force(self, position: int) -> tuple[str | None, int | None]:
        """The key that signs by purposes at a position, and where the next one follows; None where there is none."""
        at = bisect_right(self.changes, position, key=lambda change: change[0])
        until = self.changes[at][0] if at < len(self.changes) else None
        return (self.changes[at - 1][1] if at else None), until

    def counts(self, key_id: str, position: int) -> bool:
        """Say whether a signature by this key counts at a position."""
        return self.standing(key_id, position) is Standing.GOOD
