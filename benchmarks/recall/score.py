"""What was found of a question's evidence, and how much of a ranking fits into a budget. Pure.

A token is `ceil(UTF-8 bytes / 4)` of the whole text that would go into a prompt, for every side alike.
"""

from collections.abc import Collection, Iterable, Sequence


def tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)


def found(evidence: Sequence[Sequence[str]], taken: Collection[str]) -> list[bool]:
    """Say for each group of turns whether one of them was taken."""
    return [any(turn in taken for turn in group) for group in evidence]


def share(evidence: Sequence[Sequence[str]], taken: Collection[str]) -> float:
    """The part of the groups that was found."""
    hits = found(evidence, taken)
    return sum(hits) / len(hits)


def with_neighbours(order: Iterable[int], size: int, reach: int) -> list[int]:
    """Places by rank, each followed by those around it that did not come before."""
    seen: dict[int, None] = {}
    for at in order:
        for near in (at, *(at + way * step for step in range(1, reach + 1) for way in (1, -1))):
            if 0 <= near < size:
                seen.setdefault(near)
    return list(seen)


def fill(order: Iterable[int], texts: Sequence[str], budget: int) -> list[int]:
    """The places whose texts fit, one per line; what is too long is passed over for what comes after it."""
    room, taken = budget * 4, []
    for at in order:
        size = len(texts[at].encode()) + bool(taken)  # a line break before all but the first
        if size <= room:
            room -= size
            taken.append(at)
    return taken
