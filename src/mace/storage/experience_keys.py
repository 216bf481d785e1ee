"""The short name of a pair of tags, the same in every store of experience.

Tags may be longer than an index of PostgreSQL takes (a third of a page), and an index over long texts is slow anywhere.
Stores of experience find a pair's rows by this digest, and among pairs that are due at the same instant it gives the
order. It is stored: another formula would lose every row that is there.
"""

from hashlib import sha256


def pair_digest(space: str, entity: str) -> bytes:
    """SHA-256 over both tags; the length of the first keeps `a` + `bc` and `ab` + `c` apart."""
    first = space.encode()
    return sha256(b"%d:%b%b" % (len(first), first, entity.encode())).digest()[:16]
