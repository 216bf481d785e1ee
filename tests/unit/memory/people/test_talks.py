"""What a person said, laid out by conversation; and the index of what is left when turns go."""

import random

import numpy as np
import pytest

from mace.memory.context.talk_build import build
from mace.memory.context.talk_index import TalkIndex
from mace.memory.people.talks import reordered, without

_WORDS = ("went", "garden", "o'brien", "it's", "Anna", "seven", "children", "music", "when", "My", "Paris", "été")


def turns(rng: random.Random) -> list[tuple[str, tuple[str, ...]]]:
    said = []
    for _ in range(rng.randint(1, 12)):
        words = " ".join(rng.choices(_WORDS, k=rng.randint(1, 8)))
        said.append((f"{rng.choice(['', 'Anna: ', 'Bob: '])}{words}{rng.choice('.?')}", ()))
    return said


def told(index: TalkIndex) -> dict[str, object]:
    """What an index says, whatever the order of its arrays."""
    names = sorted(stem.decode() for stem in index.stems)
    spoken = index.speakers(with_tags=False).tolist()
    return {
        "stems": names,
        "postings": [[part.tolist() for part in index.having(name, with_tags=False)] for name in names],
        "hidden": [index.having(name, with_tags=False, with_hidden=True).places.tolist() for name in names],
        "lengths": index.lengths.tolist(),
        "flags": index.flags.tolist(),
        "speakers": [index.names[number] for number in spoken],
        "names": sorted(index.names),
    }


@pytest.mark.parametrize("seed", range(60))
def test_an_index_without_turns_is_that_of_the_others(seed: int) -> None:
    rng = random.Random(seed)
    said = turns(rng)
    is_gone = np.array([rng.random() < 0.4 for _ in said], np.bool_)
    left = [turn for turn, gone in zip(said, is_gone.tolist(), strict=True) if not gone]
    made = without(build(said), is_gone)
    assert told(made) == told(build(left))
    assert told(TalkIndex.from_bytes(made.to_bytes())) == told(made)  # nothing in it is out of place


@pytest.mark.parametrize("seed", range(60))
def test_turns_at_other_places_say_the_same(seed: int) -> None:
    rng = random.Random(seed)
    said = turns(rng)
    order = list(range(len(said)))
    rng.shuffle(order)
    made = reordered(build(said), np.array(order, np.int64))
    assert told(made) == told(build([said[at] for at in order]))
    assert told(TalkIndex.from_bytes(made.to_bytes())) == told(made)
