"""A second implementation of the tree, word for word from RFC 6962 section 2.1: slow, recursive, plain.

It shares no line with `mace.ledger.tree`. Proofs are checked by rebuilding the root from the definition of the path.
"""

from hashlib import sha256

Leaves = list[bytes]


def _k(n: int) -> int:
    """The largest power of two smaller than n (k < n <= 2k)."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def mth(d: Leaves) -> bytes:
    if not d:
        return sha256().digest()
    if len(d) == 1:
        return sha256(b"\x00" + d[0]).digest()
    k = _k(len(d))
    return sha256(b"\x01" + mth(d[:k]) + mth(d[k:])).digest()


def path(m: int, d: Leaves) -> Leaves:
    n = len(d)
    if n == 1:
        return []
    k = _k(n)
    if m < k:
        return [*path(m, d[:k]), mth(d[k:])]
    return [*path(m - k, d[k:]), mth(d[:k])]


def proof(m: int, d: Leaves) -> Leaves:
    return _subproof(m, d, True)


def _subproof(m: int, d: Leaves, b: bool) -> Leaves:
    n = len(d)
    if m == n:
        return [] if b else [mth(d)]
    k = _k(n)
    if m <= k:
        return [*_subproof(m, d[:k], b), mth(d[k:])]
    return [*_subproof(m - k, d[k:], False), mth(d[:k])]


def root_from_path(leaf: bytes, m: int, n: int, steps: Leaves) -> bytes:
    """Undo `path`: fold the audit path of leaf m in a tree of n leaves back into the root."""
    if n == 1:
        if steps:
            raise ValueError("too long")
        return sha256(b"\x00" + leaf).digest()
    k = _k(n)
    *inner, last = steps
    if m < k:
        return sha256(b"\x01" + root_from_path(leaf, m, k, inner) + last).digest()
    return sha256(b"\x01" + last + root_from_path(leaf, m - k, n - k, inner)).digest()
