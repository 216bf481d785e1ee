"""Which candidates go into the package, and how much of each.

Pure. Selection walks the order and stops at the first candidate that does not fit, or when `max_items` are in:
that one and all after it are dropped. Nothing later is tried, however small it is.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from mace.memory.context.records import Record
from mace.memory.context.request import Budget

BYTES_PER_TOKEN = 4


class Selected(NamedTuple):
    rank: int
    record: Record
    excerpt: str
    excerpt_tokens: int


def excerpt_of(text: str, max_tokens: int) -> tuple[str, int]:
    """The stripped text cut to the bytes of so many tokens, never inside a code point; and its own tokens."""
    stripped = text.strip()
    encoded = stripped.encode()
    end = max_tokens * BYTES_PER_TOKEN
    if len(encoded) > end:
        while encoded[end] & 0xC0 == 0x80:  # a continuation byte: the code point began before the cut
            end -= 1
        encoded = encoded[:end]
        stripped = encoded.decode()
    return stripped, -(-len(encoded) // BYTES_PER_TOKEN)


def select(order: Iterable[int], record: Callable[[int], Record], budget: Budget) -> list[Selected]:
    """Take candidates in order while they fit."""
    selected: list[Selected] = []
    used = 0
    for rank in order:
        if len(selected) == budget.max_items:
            break
        found = record(rank)
        excerpt, tokens = excerpt_of(found.text, budget.per_item_max_excerpt_tokens)
        if used + tokens > budget.max_excerpt_tokens:
            break
        used += tokens
        selected.append(Selected(rank, found, excerpt, tokens))
    return selected
