"""Words and postings agree with plain Python on texts nobody chose."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.storage.jsonl.postings import Block, build_block
from mace.storage.jsonl.words import Interner

pieces = st.sampled_from(["a", "ab", "abc", "xy", "\0", "\x01", "é", "日本", "longword", "z" * 9, "q" * 17, "\x1b"])
words_ = st.lists(pieces, min_size=1, max_size=4).map("".join)
texts_ = st.lists(st.one_of(words_, st.sampled_from([" ", "\n", "\t", "\x1c", "\x0b"])), max_size=12).map(" ".join)


def index(texts, text_bytes=None):
    interner = Interner()
    joined = b"".join(text.encode() + b"\n" for text in texts)
    sizes = np.array([len(text.encode()) for text in texts], np.int64)
    numbers, counts = interner.number(joined, sizes)
    places = np.repeat(np.arange(len(texts), dtype=np.uint16), counts)
    size = len(joined) if text_bytes is None else text_bytes
    return interner, numbers, counts, Block(build_block(numbers, places, interner.words, len(texts), size))


@settings(max_examples=300, deadline=None)
@given(st.lists(texts_, min_size=1, max_size=12))
def test_every_word_of_every_text_is_numbered(texts):
    interner, numbers, counts, _ = index(texts)
    found = [interner.words[number].decode() for number in numbers.tolist()]
    assert found == [word for text in texts for word in text.split()]
    assert counts.tolist() == [len(text.split()) for text in texts]


@settings(max_examples=300, deadline=None)
@given(st.lists(texts_, min_size=1, max_size=80), st.lists(words_, min_size=1, max_size=5), st.booleans())
def test_a_block_finds_exactly_the_texts_that_contain_a_term(texts, terms, with_pieces):
    _, _, _, block = index(texts)
    if not with_pieces:
        block._arrays = {name: value for name, value in block._arrays.items() if "piece" not in name}
    for term in terms:
        found = block.having(term.encode())
        flags = [False] * len(texts) if found is None else found.flags.tolist()
        for place in [] if found is None or found.open is None else found.open.tolist():
            flags[place] = term in texts[place]
        assert flags == [any(term in word for word in text.split()) for text in texts]


@settings(max_examples=200, deadline=None)
@given(st.lists(texts_, min_size=1, max_size=20), st.lists(words_, min_size=2, max_size=3), st.booleans())
def test_a_phrase_leaves_open_every_text_that_has_it(texts, words, with_pieces):
    _, _, _, block = index(texts)
    if not with_pieces:
        block._arrays = {name: value for name, value in block._arrays.items() if "piece" not in name}
    found = block.having_phrase([word.encode() for word in words])
    still_open = set() if found is None else set(found.open.tolist())
    for place, text in enumerate(texts):
        if " ".join(words) in " ".join(text.split()):
            assert place in still_open


def test_words_that_share_a_table_place_or_a_prefix_stay_apart():
    words = [f"{a}{b}" for a in ("w", "wo", "longer-word-", "a-very-long-word-indeed-") for b in range(40_000)]
    interner, numbers, _, _ = index([" ".join(words[at : at + 500]) for at in range(0, len(words), 500)])
    assert [interner.words[number] for number in numbers.tolist()] == [word.encode() for word in words]


def test_a_dictionary_that_grew_large_starts_over(monkeypatch):
    monkeypatch.setattr("mace.storage.jsonl.words._MAX_WORDS", 3)
    interner = Interner()
    interner.number(b"a b c d\n", np.array([7]))
    assert interner.forget_if_large()
    numbers, _ = interner.number(b"d a\n", np.array([3]))
    assert [interner.words[number] for number in numbers.tolist()] == [b"d", b"a"]


def test_nearly_every_text_is_found_without_the_lists_of_rare_words():
    texts = [f"common m{n}e" for n in range(30_000)] + ["odd"] * 3
    _, _, _, block = index(texts)
    found = block.having(b"m")
    assert found.open is not None
    assert found.open.tolist() == [30_000, 30_001, 30_002]
