"""The index of a talk: what it says of turns is what `turn_of` says; its bytes come back or are refused."""

import math
import random

import numpy as np
import pytest

from mace.memory.context.english import stem, words_of
from mace.memory.context.exact import added, exact_sums, falling_order, recency_bonuses, rounded_exactly
from mace.memory.context.phase7 import Recency, score_turns
from mace.memory.context.phase7_query import probes, query_from, turn_of
from mace.memory.context.ports import NO_INSTANT
from mace.memory.context.scoring import half_lives, total
from mace.memory.context.talk import Talk
from mace.memory.context.talk_build import TalkBuilder, build
from mace.memory.context.talk_index import NUMBER, QUESTION, SELF, TIME, NotATalkIndex, TalkIndex, merged

SAID = (
    "Ivo: O'Brien don't dont Don’t can't ran running run I my We? ? 2024 three Monday dogs' 'tis a''b naïve straße "
    "İstanbul ΣΟΦΟΣ _x_y z_z obrien x's o’brien’s o'brien's 北京 🙂 \t \n said , \" \u00a0 \x1f \0 im I'm #12 (May) 7."
)
TAGS = ["speaker:ann", "travel bag", "don't", "speaker: ", "speaker:ivo", "running"]
STARTS = ["", "Ann: ", "[1 May] Bob: ", 'Carl said, "']


def turns_of(r: random.Random, most: int) -> list[tuple[str, tuple[str, ...]]]:
    said = SAID.split(" ")
    return [
        (
            r.choice(STARTS) + " ".join(r.choices(said, k=r.randint(0, 8))),
            tuple(sorted({r.choice(TAGS) for _ in range(r.randint(0, 2))})),
        )
        for _ in range(r.randint(0, most))
    ]


def is_found(name: str, text: str, tags: tuple[str, ...]) -> bool:
    """Whether a search for the stem reaches a turn that has it."""
    in_tags = any(name in map(stem, words_of(tag)) for tag in tags)
    return in_tags or any(probe in text.lower() for probe in probes(name))


@pytest.mark.parametrize("seed", range(150))
def test_an_index_says_what_the_turns_say(seed):
    r = random.Random(seed)
    turns = turns_of(r, 12)
    cut = r.randint(0, len(turns))
    whole = build(turns)
    for index in (
        whole,
        TalkIndex.from_bytes(whole.to_bytes()),
        merged([build(turns[:cut]), build(turns[cut:])]),
        merged([build([turn]) for turn in turns] or [build([])]),
    ):
        assert index.size == len(turns)
        for with_tags in (False, True):
            expected = [turn_of(text, tags if with_tags else ()) for text, tags in turns]
            assert index.lengths.tolist() == [turn.length for turn in expected]
            speakers = [index.names[number] for number in index.speakers(with_tags=with_tags).tolist()]
            assert speakers == [turn.speaker for turn in expected]
            assert index.flags.tolist() == [
                QUESTION * turn.is_question
                | TIME * turn.has_time
                | NUMBER * turn.has_number
                | SELF * turn.is_about_self
                for turn in expected
            ]
            for name in {name for turn in expected for name in turn.stems} | {"absent"}:
                held = [(place, turn.stems[name]) for place, turn in enumerate(expected) if name in turn.stems]
                found = [
                    (place, count)
                    for place, count in held
                    if is_found(name, turns[place][0], turns[place][1] if with_tags else ())
                ]
                whole_list = index.having(name, with_tags=with_tags, with_hidden=True)
                assert list(zip(*map(np.ndarray.tolist, whole_list), strict=True)) == held
                visible = index.having(name, with_tags=with_tags)
                assert list(zip(*map(np.ndarray.tolist, visible), strict=True)) == found
                assert index.held(name, with_tags=with_tags) == len(found)


def test_bytes_of_merged_indexes_come_back():
    turns = turns_of(random.Random(7), 40)
    index = merged([build(turns[:5]), build(turns[5:])])
    assert TalkIndex.from_bytes(index.to_bytes()).to_bytes() == index.to_bytes()


@pytest.mark.parametrize("before", range(8))
def test_bytes_are_read_from_any_address(before):
    turns = [(f"Ann: {' '.join(f'word{number}x{at}' for at in range(9))}", ()) for number in range(40)]
    index = build(turns)
    read = TalkIndex.from_bytes(memoryview(bytes(before) + index.to_bytes())[before:], trusted=True)
    assert list(read.stems) == list(index.stems)
    assert [read.stems[at] for at in range(len(read.stems))] == list(index.stems)
    assert merged([read, build(turns)]).to_bytes() == merged([index, build(turns)]).to_bytes()


def test_a_builder_goes_on_after_a_cut():
    turns = turns_of(random.Random(3), 60) + turns_of(random.Random(4), 60)
    builder = TalkBuilder()
    pieces = []
    for low in range(0, len(turns), 7):
        held = turns[low : low + 7]
        builder.add([text for text, _ in held], [tags for _, tags in held])
        pieces.append(builder.finish())
    joined, whole = merged(pieces), build(turns)
    assert sorted(joined.stems) == sorted(whole.stems)
    for name in map(bytes.decode, whole.stems):
        one, other = (index.having(name, with_tags=True) for index in (joined, whole))
        assert one.places.tolist() == other.places.tolist()
        assert one.counts.tolist() == other.counts.tolist()


@pytest.mark.parametrize("seed", range(40))
def test_damaged_bytes_are_refused_or_harmless(seed):
    """Whatever is changed: a clear error, or an index that can be asked."""
    r = random.Random(seed)
    data = bytearray(build(turns_of(random.Random(11), 30)).to_bytes())
    refused = 0
    for _ in range(120):
        broken = bytearray(data)
        for _ in range(r.choice([1, 1, 3])):
            broken[r.randrange(len(broken))] = r.randrange(256)
        if r.random() < 0.2:
            del broken[r.randrange(len(broken)) :]
        try:
            index = TalkIndex.from_bytes(bytes(broken))
        except NotATalkIndex:
            refused += 1
            continue
        for name in list(index.stems):
            places, _ = index.having(name.decode(), with_tags=True, with_hidden=True)
            assert not len(places) or places.max() < index.size
            index.held(name.decode(), with_tags=True)
        assert len(index.speakers(with_tags=True)) == index.size
        assert max(index.speakers(with_tags=True).tolist(), default=0) < len(index.names)
    assert refused > 20


@pytest.mark.parametrize("data", [b"", b"x" * 500, build([("a", ())]).to_bytes()[:-1], build([]).to_bytes() + b"\0"])
def test_other_bytes_are_refused(data):
    with pytest.raises(NotATalkIndex):
        TalkIndex.from_bytes(data)


class Held:
    """Turns in memory, newest last, as another provider than the stores may hold them."""

    def __init__(self, turns: list[tuple[str, tuple[str, ...]]], sizes: list[int]) -> None:
        count = len(turns)
        ranks = np.arange(count, dtype=np.uint32)[::-1].copy()
        instants = np.arange(count, dtype=np.int64) * 60_000_000
        cut = count // 2
        self.talk = Talk([build(turns[:cut]), build(turns[cut:])], sizes, instants, ranks)
        self._turns = turns
        self.read: set[int] = set()

    def turn(self, place: int) -> tuple[str, tuple[str, ...]]:
        self.read.add(place)
        return self._turns[place]


def test_turns_held_elsewhere_are_scored_by_the_same_port():
    turns = [(f"we walked the dog around block {number}", ()) for number in range(200)]
    turns[50] = ("Where did you buy the kayak?", ("speaker:ann",))
    turns[51] = ("In Lisbon, from Rosa!", ("speaker:ivo",))
    turns[150] = ("the kayak of another conversation", ())
    held = Held(turns, [100, 100])
    scored = score_turns(held, query_from("Who sold the kayak?"), np.empty(0, np.uint32))
    best = [int(held.talk.places[rank]) for rank in scored.head[:3]]
    assert set(best) == {50, 51, 150}
    assert scored.reasons(51).near == ("kayak",)
    assert scored.reasons(50).own == ("kayak",)
    assert scored.reasons(10) == ((), (), ())
    assert len(held.read) < 20  # only the best are read
    recent = score_turns(held, query_from("kayak"), np.array([149], np.uint32), Recency(200 * 60_000_000, 1))
    assert len(recent.head) == 199
    assert 149 not in recent.head.tolist()
    assert (np.diff(recent.scores[held.talk.places[recent.head]]) <= 0).all()


def test_a_talk_needs_as_much_of_everything():
    with pytest.raises(ValueError, match="an instant, a rank and a store for each turn"):
        Talk([build([("a", ())])], [2], np.zeros(1, np.int64), np.zeros(1, np.uint32))


# Exact arithmetic


def test_sums_are_those_of_fsum():
    r = random.Random(5)
    for rows in (1, 2, 3, 13, 40):
        drawn = [r.choice([0.0, r.random() * 10 ** r.randint(-9, 2)]) for _ in range(300 * rows)]
        values = np.array(drawn).reshape(rows, 300)
        assert exact_sums(values).tolist() == [math.fsum(column) for column in values.T.tolist()]
    hard = np.array([[1.0, 2.0**53], [2.0**-53, 1.0], [2.0**-106, 2.0**-60], [2.0**-160, 2.0**-160]])
    assert exact_sums(hard).tolist() == [math.fsum(column) for column in hard.T.tolist()]


def test_roundings_are_those_of_round():
    r = random.Random(6)
    values = [r.random() * 10 ** r.randint(-14, 5) for _ in range(3000)]
    values += [(2 * r.randint(0, 10**13) + 1) / 2e12 for _ in range(3000)]  # as near to a tie as a double can be
    values += [0.5e-12, 1.5e-12, 2.5e-12, 0.0, 1e16, 4503.599627370497]
    assert rounded_exactly(np.array(values)).tolist() == [round(value, 12) for value in values]


def test_bonuses_are_those_of_the_first_scorer():
    r = random.Random(8)
    now = 1_700_000_000_000_000
    ages = [r.randint(-(10**12), 10 ** r.randint(1, 17)) for _ in range(4000)] + [0, 1, 86_400_000_000 * 30]
    instants = [now - age for age in ages]
    for days in (1, 30, 4000, 2**53 - 1):
        found = recency_bonuses(np.array([*instants, NO_INSTANT]), now, days).tolist()
        assert found == [*(total(0, half_lives(now - instant, days)) for instant in instants), 0.0]


def test_what_is_added_is_rounded_again():
    r = random.Random(9)
    for most in (1, 400, 5000):
        scores = [round(r.random() * most, 12) for _ in range(2000)]
        bonuses = [round(r.random(), 12) for _ in range(2000)]
        expected = [round(score + bonus, 12) for score, bonus in zip(scores, bonuses, strict=True)]
        assert added(np.array(scores), np.array(bonuses)).tolist() == expected


@pytest.mark.parametrize("most", [1e-12, 1.0, 30.0, 300.0, 9000.0])
def test_the_order_is_by_falling_score_then_rank(most):
    r = random.Random(10)
    scores = [round(r.choice([r.random(), 0.5, 0.25]) * most, 12) for _ in range(5000)]
    ranks = r.sample(range(20_000), 5000)
    expected = [rank for _, rank in sorted(zip([-score for score in scores], ranks, strict=True))]
    assert falling_order(np.array(scores), np.array(ranks, np.uint32)).tolist() == expected
