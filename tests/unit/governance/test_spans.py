"""Spans of numbers, against the plain sets they stand for."""

import random

import pytest

from mace.governance import spans

pytestmark = pytest.mark.stage1


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([], []),
        ([7], [[7, 7]]),
        ([3, 1, 2, 2], [[1, 3]]),
        ([0, 1, 3, 4, 6], [[0, 1], [3, 4], [6, 6]]),
    ],
)
def test_spans_of_numbers(numbers: list[int], found: list[list[int]]):
    assert spans.spans_of(numbers) == found
    assert list(spans.numbers_in(found)) == sorted(set(numbers))
    assert spans.count_of(found) == len(set(numbers))


def test_they_agree_with_sets():
    dice = random.Random(7)
    for _ in range(300):
        first, second = ({dice.randrange(30) for _ in range(dice.randrange(20))} for _ in range(2))
        one, two = spans.spans_of(first), spans.spans_of(second)
        assert {number for number in range(-2, 33) if spans.holds(one, number)} == first
        assert spans.without(one, two) == spans.spans_of(first - second)
        assert spans.meet(one, two) == bool(first & second)
