"""The index of a talk: for each stem the turns that have it, and what the scorer asks of every turn, as arrays.

Pure. A `TalkIndex` numbers its turns by place, in the order they were read. Stems of texts and stems of tags lie apart,
because a query may leave the tags out; turns share few sets of tags, so a stem of a tag leads to sets, and those to
turns. An index is never changed: what is added is an index of its own (indexes are laid end to end, or `merged`), what
is removed is built anew. Part of the scorer's version: any change here that changes a score is a new version.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

QUESTION: Final = 1  # the bits of `flags`
TIME: Final = 2
NUMBER: Final = 4
SELF: Final = 8

MAGIC: Final = b"MACE-TALK-INDEX-1\n"
ARRAYS: Final = (
    "lexicon",  # the stems, joined
    "lexicon_starts",
    "by_name",  # the stems' numbers in order of their bytes
    "offsets",  # of each stem in the next two
    "places",  # of the turns whose text has the stem, rising
    "counts",
    "hidden",  # entries of `places` whose text has the stem in a spelling that a search for it does not reach
    "set_offsets",  # of each stem in the next two
    "set_members",  # the sets of tags that have the stem, rising
    "set_counts",
    "lengths",  # words of each turn's text
    "flags",
    "speakers",  # number of each turn's speaker by its text; 0 is unknown
    "sets",  # number of each turn's set of tags; 0 is the empty one
    "set_speakers",  # by set: 0 when no tag names a speaker, else its number and one more
    "names",  # the speakers, joined; the first is ""
    "name_starts",
)
_UNSIGNED: Final = (np.uint8, np.uint16, np.uint32, np.uint64)
_HEAD: Final = 9  # of one array in bytes: its kind, and how many bytes it has
_MOST: Final = 1 << 40

Numbers = NDArray[np.unsignedinteger[Any]]
Places = NDArray[np.int64]


class NotATalkIndex(ValueError):
    """Bytes that are no index of a talk, or not of this version."""


class Postings(NamedTuple):
    """Turns and how often each has a stem, by rising place."""

    places: Places
    counts: Places


class TalkIndex:
    """Arrays over the turns of one stretch of talk; see `ARRAYS` for what each holds."""

    def __init__(self, arrays: Mapping[str, Numbers]) -> None:
        """Take arrays that `arrays()` gave; they are not looked at (`from_bytes` does that)."""
        self._arrays = arrays
        self.size = len(arrays["lengths"])
        self._lexicon = _Texts(arrays["lexicon"], arrays["lexicon_starts"])
        self._sorted = _Texts(arrays["lexicon"], arrays["lexicon_starts"], arrays["by_name"])

    def arrays(self) -> dict[str, Numbers]:
        return {name: self._arrays[name] for name in ARRAYS}

    @property
    def stems(self) -> Sequence[bytes]:
        return self._lexicon

    @cached_property
    def names(self) -> list[str]:
        """The speakers by number."""
        return [name.decode() for name in _Texts(self._arrays["names"], self._arrays["name_starts"])]

    @property
    def lengths(self) -> Numbers:
        return self._arrays["lengths"]

    @property
    def flags(self) -> Numbers:
        return self._arrays["flags"]

    def speakers(self, *, with_tags: bool) -> Numbers:
        """The number of each turn's speaker; a tag that names one goes before the text."""
        spoken, by_set = self._arrays["speakers"], self._arrays["set_speakers"]
        if not with_tags or not by_set.any():
            return spoken
        tagged = by_set.astype(np.int64)[self._arrays["sets"]]
        return np.where(tagged > 0, tagged - 1, spoken.astype(np.int64)).astype(np.uint32)

    def held(self, name: str, *, with_tags: bool) -> int:
        """In how many turns a search finds the stem."""
        at = self._number(name)
        if at is None:
            return 0
        low, high = self._bounds("offsets", at)
        hidden = self._hidden(low, high)
        members = self._members(at) if with_tags else None
        if members is None:
            return high - low - len(hidden)
        is_member = members > 0
        tagged = is_member.take(self._arrays["sets"].take(self._arrays["places"][low:high]))
        also = int(np.count_nonzero(tagged)) + len(hidden) - int(np.count_nonzero(tagged[hidden - low]))
        return int(self._set_sizes[is_member].sum()) + high - low - also

    def has_hidden(self, name: str) -> bool:
        """Whether some turn has the stem in a spelling that a search for it does not reach."""
        at = self._number(name)
        return at is not None and len(self._hidden(*self._bounds("offsets", at))) > 0

    def having(self, name: str, *, with_tags: bool, with_hidden: bool = False) -> Postings:
        """The turns in which a search finds the stem, or, `with_hidden`, all that have it."""
        at = self._number(name)
        if at is None:
            return Postings(np.empty(0, np.int64), np.empty(0, np.int64))
        low, high = self._bounds("offsets", at)
        places = self._arrays["places"][low:high].astype(np.int64)
        counts = self._arrays["counts"][low:high].astype(np.int64)
        hidden = self._hidden(low, high) - low
        members = self._members(at) if with_tags else None
        if members is None:
            if len(hidden) and not with_hidden:
                places, counts = np.delete(places, hidden), np.delete(counts, hidden)
            return Postings(places, counts)
        found = members.take(self._arrays["sets"])  # by place: how often its tags have the stem
        if len(hidden) and not with_hidden:
            left_out = hidden[found[places[hidden]] == 0]
            places, counts = np.delete(places, left_out), np.delete(counts, left_out)
        found[places] += counts
        places = np.flatnonzero(found)
        return Postings(places, found.take(places))

    def _members(self, at: int) -> Places | None:
        """By set of tags: how often it has the stem; None when none has."""
        low, high = self._bounds("set_offsets", at)
        if low == high:
            return None
        members = np.zeros(len(self._arrays["set_speakers"]), np.int64)
        members[self._arrays["set_members"][low:high]] = self._arrays["set_counts"][low:high]
        return members

    @cached_property
    def _set_sizes(self) -> Places:
        """How many turns have each set of tags."""
        return np.bincount(self._arrays["sets"], minlength=len(self._arrays["set_speakers"]))

    def _hidden(self, low: int, high: int) -> Places:
        hidden = self._arrays["hidden"]
        if not len(hidden):
            return np.empty(0, np.int64)
        first, last = np.searchsorted(hidden, [low, high])
        return hidden[first:last].astype(np.int64)

    def _number(self, name: str) -> int | None:
        wanted = name.encode()
        at = bisect_left(self._sorted, wanted)
        if at == len(self._sorted) or self._sorted[at] != wanted:
            return None
        return int(self._arrays["by_name"][at])

    def _bounds(self, name: str, at: int) -> tuple[int, int]:
        return int(self._arrays[name][at]), int(self._arrays[name][at + 1])

    def to_bytes(self) -> bytes:
        """All of it, for `from_bytes`; the same arrays give the same bytes."""
        heads, bodies = [MAGIC], []
        for values in self.arrays().values():
            values = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
            heads.append(bytes([values.dtype.itemsize]) + values.nbytes.to_bytes(8, "little"))
            bodies.append(values.tobytes())
        return b"".join(heads + bodies)

    @classmethod
    def from_bytes(cls, data: bytes | memoryview, *, trusted: bool = False) -> "TalkIndex":
        """The index that gave these bytes; raise `NotATalkIndex` for all that no index gives.

        Of `trusted` bytes, which nobody else can have made, only the lengths are looked at.
        """
        view = memoryview(data)
        at = len(MAGIC) + _HEAD * len(ARRAYS)
        if bytes(view[: len(MAGIC)]) != MAGIC or len(view) < at:
            raise NotATalkIndex("these bytes are no index of a talk of this version")
        arrays: dict[str, Numbers] = {}
        for number, name in enumerate(ARRAYS):
            head = bytes(view[len(MAGIC) + _HEAD * number :][:_HEAD])
            width, size = head[0], int.from_bytes(head[1:], "little")
            if width not in (1, 2, 4, 8) or size % width or size > len(view) - at:
                raise NotATalkIndex(f"the index of a talk is damaged: {name} does not fit")
            arrays[name] = np.frombuffer(view[at : at + size], f"<u{width}")
            at += size
        if at != len(view):
            raise NotATalkIndex("the index of a talk is damaged: there is something behind its end")
        if not trusted:
            _check(arrays)
        return cls(arrays)


def merged(indexes: Sequence[TalkIndex]) -> TalkIndex:
    """One index over the turns of several, laid end to end; no text is read again."""
    if len(indexes) == 1:
        return indexes[0]
    held = [index.arrays() for index in indexes]
    lexicon = sorted({name for index in indexes for name in index.stems})
    number_of = {name: number for number, name in enumerate(lexicon)}
    stems = [np.array([number_of[name] for name in index.stems], np.int64) for index in indexes]
    names: dict[str, int] = {"": 0}
    speakers, by_set, sets = [], [], []
    for index, arrays in zip(indexes, held, strict=True):
        new = np.array([names.setdefault(name, len(names)) for name in index.names], np.int64)
        speakers.append(new[arrays["speakers"]])
        tagged = arrays["set_speakers"].astype(np.int64)
        by_set.append(np.where(tagged > 0, new[np.maximum(tagged - 1, 0)] + 1, 0))
    places = _laid_end_to_end([index.size for index in indexes])
    firsts = _laid_end_to_end([len(arrays["set_speakers"]) for arrays in held])
    sets = [arrays["sets"].astype(np.int64) + first for arrays, first in zip(held, firsts, strict=True)]
    offsets, (joined, counts), spots = _joined(
        held, stems, len(lexicon), "offsets", (("places", places), ("counts", None))
    )
    set_offsets, (members, set_counts), _ = _joined(
        held, stems, len(lexicon), "set_offsets", (("set_members", firsts), ("set_counts", None))
    )
    hidden = np.concatenate([spot[arrays["hidden"]] for spot, arrays in zip(spots, held, strict=True)])
    return TalkIndex(
        packed(
            lexicon=lexicon,
            by_name=np.arange(len(lexicon)),
            offsets=offsets,
            places=joined,
            counts=counts,
            hidden=np.sort(hidden),
            set_offsets=set_offsets,
            set_members=members,
            set_counts=set_counts,
            lengths=np.concatenate([arrays["lengths"] for arrays in held]),
            flags=np.concatenate([arrays["flags"] for arrays in held]),
            speakers=np.concatenate(speakers),
            sets=np.concatenate(sets),
            set_speakers=np.concatenate(by_set),
            names=list(names),
        )
    )


def packed(*, lexicon: Iterable[bytes], names: Iterable[str], **arrays: NDArray[Any]) -> dict[str, Numbers]:
    """Arrays of an index, each in the smallest numbers that hold it."""
    made: dict[str, Numbers] = {}
    for name, starts, texts in (
        ("lexicon", "lexicon_starts", list(lexicon)),
        ("names", "name_starts", [name.encode() for name in names]),
    ):
        made[name] = np.frombuffer(b"".join(texts), np.uint8)
        made[starts] = least(np.cumsum([0, *map(len, texts)]))
    made.update({name: least(values) for name, values in arrays.items()})
    return {name: made[name] for name in ARRAYS}


def least(values: NDArray[Any]) -> Numbers:
    """The same numbers, in as few bytes as hold the largest."""
    most = int(values.max()) if len(values) else 0
    kind = next(kind for kind in _UNSIGNED if most <= np.iinfo(kind).max)
    return values.astype(kind)


def _joined(
    held: Sequence[Mapping[str, Numbers]],
    stems: Sequence[Places],
    size: int,
    bounds: str,
    columns: Sequence[tuple[str, Places | None]],
) -> tuple[Places, list[Places], list[Places]]:
    """Columns of several indexes by stem, those of one stem in the order of the indexes; and where each entry went."""
    totals = np.zeros(size, np.int64)
    ends = [arrays[bounds].astype(np.int64) for arrays in held]
    lengths = [end[1:] - end[:-1] for end in ends]
    for numbers, length in zip(stems, lengths, strict=True):
        totals[numbers] += length
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(totals)))
    upto = offsets[:-1].copy()
    spots = []
    for arrays, numbers, length in zip(held, stems, lengths, strict=True):
        starts = arrays[bounds][:-1].astype(np.int64)
        spots.append(np.repeat(upto[numbers] - starts, length) + np.arange(int(length.sum())))
        upto[numbers] += length
    made = []
    for name, moved in columns:
        column = np.empty(int(offsets[-1]), np.int64)
        for number, (arrays, spot) in enumerate(zip(held, spots, strict=True)):
            column[spot] = arrays[name].astype(np.int64) + (0 if moved is None else int(moved[number]))
        made.append(column)
    return offsets, made, spots


def _laid_end_to_end(sizes: Sequence[int]) -> Places:
    return np.cumsum([0, *sizes[:-1]]).astype(np.int64)


def _readable(values: Numbers) -> memoryview:
    """The memory of an array; a copy where it lies at an odd address, from which Python does not read numbers."""
    return np.require(values, requirements="A").data


class _Texts(Sequence[bytes]):
    """Texts joined into one array, as they lie or in another order."""

    def __init__(self, joined: Numbers, starts: Numbers, order: Numbers | None = None) -> None:
        self._joined, self._starts = joined.data, _readable(starts)  # quicker than arrays, one by one
        self._order = None if order is None else _readable(order)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[bytes]:
        joined, starts = self._joined.tobytes(), self._starts.tolist()
        order = range(len(self)) if self._order is None else self._order.tolist()
        return (joined[starts[place] : starts[place + 1]] for place in order)

    def __getitem__(self, place: int) -> bytes:  # type: ignore[override]
        if not 0 <= place < len(self):
            raise IndexError(place)
        if self._order is not None:
            place = self._order[place]
        return bytes(self._joined[self._starts[place] : self._starts[place + 1]])


def _check(arrays: Mapping[str, Numbers]) -> None:
    """Raise for arrays that do not fit together."""
    size, stems = len(arrays["lengths"]), len(arrays["lexicon_starts"]) - 1
    sets, names = len(arrays["set_speakers"]), len(arrays["name_starts"]) - 1
    for name, values in arrays.items():
        if len(values) and int(values.max()) >= _MOST:
            raise NotATalkIndex(f"the index of a talk is damaged: {name} is too large")
    fits = {
        "flags": len(arrays["flags"]) == size and bool((arrays["flags"] < 16).all()),
        "speakers": len(arrays["speakers"]) == size and _are_below(arrays["speakers"], names),
        "sets": len(arrays["sets"]) == size and _are_below(arrays["sets"], sets),
        "set_speakers": sets > 0 and _are_below(arrays["set_speakers"], names + 1),
        "places": _are_below(arrays["places"], size) and len(arrays["counts"]) == len(arrays["places"]),
        "set_members": _are_below(arrays["set_members"], sets)
        and len(arrays["set_counts"]) == len(arrays["set_members"]),
        "counts": bool(arrays["counts"].all()) and bool(arrays["set_counts"].all()),
        "hidden": _are_below(arrays["hidden"], len(arrays["places"])) and _is_rising(arrays["hidden"]),
        "by_name": np.array_equal(np.sort(arrays["by_name"]), np.arange(stems)),
        "lexicon": _are_bounds(arrays["lexicon_starts"], len(arrays["lexicon"])),
        "names": names > 0 and _are_bounds(arrays["name_starts"], len(arrays["names"])),
    }
    for bounds, column in (("offsets", "places"), ("set_offsets", "set_members")):
        ends = arrays[bounds]
        fits[bounds] = len(ends) == stems + 1 and _are_bounds(ends, len(arrays[column]))
        fits[column] = fits[column] and fits[bounds] and _rise_within(arrays[column], ends)
    wrong = [name for name, is_right in fits.items() if not is_right]
    if wrong:
        raise NotATalkIndex(f"the index of a talk is damaged: {wrong[0]} does not fit")
    lexicon = list(_Texts(arrays["lexicon"], arrays["lexicon_starts"], arrays["by_name"]))
    spoken = list(_Texts(arrays["names"], arrays["name_starts"]))
    if any(low >= high for low, high in pairwise(lexicon)) or spoken[0]:
        raise NotATalkIndex("the index of a talk is damaged: its stems are not in order")
    try:
        b"\n".join([*lexicon, *spoken]).decode()
        for text in (*lexicon, *spoken):
            text.decode()
    except UnicodeDecodeError:
        raise NotATalkIndex("the index of a talk is damaged: it has texts that are none") from None


def _are_below(values: Numbers, most: int) -> bool:
    return not len(values) or int(values.max()) < most


def _is_rising(values: Numbers) -> bool:
    return bool((values[1:] > values[:-1]).all())


def _are_bounds(ends: Numbers, size: int) -> bool:
    return len(ends) > 0 and int(ends[0]) == 0 and int(ends[-1]) == size and bool((ends[1:] >= ends[:-1]).all())


def _rise_within(values: Numbers, ends: Numbers) -> bool:
    """Whether the values rise between one bound and the next."""
    rises = np.ones(len(values) + 1, np.bool_)
    rises[1:-1] = values[1:] > values[:-1]
    rises[ends] = True
    return bool(rises.all())
