"""Pieces of a buffer in another order agree with plain slicing."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.storage.jsonl.gather import gather


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=70), min_size=1, max_size=90), st.randoms())
def test_gathering_is_slicing_in_another_order(strings, random):
    data = b"".join(strings)
    starts = np.cumsum([0, *map(len, strings)])
    order = list(range(len(strings)))
    random.shuffle(order)
    joined = b"".join(map(bytes, gather(memoryview(data), starts, np.array(order))))
    assert joined == b"".join(strings[at] for at in order)
