"""Sums of rows: the order does not count, everything else does."""

import pytest

from mace.ledger.sums import KeyedSum

KEY = bytes(range(32))


def of(*rows: str, key: bytes = KEY) -> KeyedSum:
    made = KeyedSum(key)
    for row in rows:
        made.add(row)
    return made


def test_the_order_does_not_count():
    assert of("a", "b", "c") == of("c", "a", "b")
    assert of() == of()


@pytest.mark.parametrize("rows", [(), ("a",), ("a", "a"), ("a", "b", "b"), ("a", "\udcff")])
def test_another_set_has_another_sum(rows: tuple[str, ...]):
    assert of(*rows) != of("a", "b")


def test_another_key_gives_another_sum():
    assert of("a") != of("a", key=b"k" * 32)
    assert of("a") != "a"
