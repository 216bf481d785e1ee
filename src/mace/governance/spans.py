"""Spans of numbers: how papers name many turns in few words.

Pure. A span is `[first, last]`, both of them in it; spans are sorted and do not meet.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

Spans = list[list[int]]


def spans_of(numbers: Iterable[int]) -> Spans:
    """The spans that hold exactly these numbers."""
    found: Spans = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def numbers_in(spans: Iterable[Sequence[int]]) -> Iterator[int]:
    """Every number in these spans."""
    for first, last in spans:
        yield from range(first, last + 1)


def count_of(spans: Iterable[Sequence[int]]) -> int:
    """How many numbers there are in these spans."""
    return sum(last - first + 1 for first, last in spans)


def holds(spans: Sequence[Sequence[int]], number: int) -> bool:
    """Say whether a number is in one of these spans."""
    at = bisect_right(spans, number, key=lambda span: span[0]) - 1
    return at >= 0 and number <= spans[at][1]


def without(spans: Iterable[Sequence[int]], others: Sequence[Sequence[int]]) -> Spans:
    """What is in these spans and not in the others."""
    left: Spans = []
    at = 0
    for first, last in spans:
        start = first
        while at < len(others) and others[at][1] < start:
            at += 1
        here = at
        while here < len(others) and others[here][0] <= last:
            if others[here][0] > start:
                left.append([start, others[here][0] - 1])
            start = max(start, others[here][1] + 1)
            here += 1
        if start <= last:
            left.append([start, last])
    return left


def meet(spans: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> bool:
    """Say whether some number is in both."""
    at = there = 0
    while at < len(spans) and there < len(others):
        if spans[at][1] < others[there][0]:
            at += 1
        elif others[there][1] < spans[at][0]:
            there += 1
        else:
            return True
    return False
