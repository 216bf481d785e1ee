"""The index over a person's turns: in memory while a process uses it, on the disk only in sealed parts.

A part covers the turns up to its number, from where the part before it ends; turns behind the last part are read one by
one. All of it follows from the turns and can go at any time: an erasure takes the key of the parts away with them, and
whoever asks next makes them anew. What somebody else put in a part's place does not open and is made again, too.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure
from mace.engine.kernel.vault import Vault
from mace.engine.people.turns import Kept, Turns
from mace.memory.context import talk_index
from mace.memory.context.instants import parse_us
from mace.memory.context.talk_build import build
from mace.memory.context.talk_index import TalkIndex
from mace.memory.people.statements import all_stated
from mace.memory.people.talks import Talks, without
from mace.memory.people.turns import Turn
from mace.storage.ports import Tx

PART = 512  # turns that wait unindexed before a part is made of them
_MOST_PARTS = 8  # then they become one
_MOST_AT_ONCE = 4096  # turns that one write puts into parts; the next one goes on
_MOST_BYTES = 256 << 20  # of the indexes that a process holds; the one that was not used for longest goes first
_VERSION = 1


def key_ref_of(person: str) -> str:
    """The key that the parts of a person's index are sealed under."""
    return f"index/{person}"


@dataclass(frozen=True)
class Held:
    """The turns of a person with these numbers, ready to be searched; places are by number."""

    numbers: NDArray[np.uint32]
    conversations: tuple[str, ...]  # keyed names
    conversation_of: NDArray[np.uint32]
    instants: NDArray[np.int64]  # microseconds
    index: TalkIndex
    damaged: tuple[int, ...]  # numbers of turns that are not what was kept
    stated: Mapping[str, tuple[int, ...]]  # by attribute: the numbers of the turns in which the person states it
    start: int  # the number of the first turn that was looked at
    stop: int  # the number behind the last turn that was looked at
    erasure: int  # the position of the person's last erasure, -1 without one

    @cached_property
    def talks(self) -> Talks:
        """The turns as the scorer reads them."""
        return Talks(self.index, self.conversation_of, self.instants)

    @cached_property
    def bytes_held(self) -> int:
        """About how much memory it takes, with what the scorer makes of it."""
        return 3 * sum(array.nbytes for array in self.index.arrays().values()) + 64 * len(self.numbers)


class TurnIndexes:
    """Makes, keeps and loads the indexes of people's turns."""

    def __init__(self, vault: Vault, turns: Turns) -> None:
        self._vault = vault
        self._turns = turns
        self._held: dict[str, Held] = {}  # the one that was used last stands last
        self._broken: set[str] = set()  # people whose parts did not open

    def forget(self) -> None:
        """Let go of every index in memory; after an erasure."""
        self._held.clear()

    # Parts on the disk

    def extend(self, tx: Tx, person: str) -> None:
        """Make parts of the turns that wait, if there are enough of them; inside the unit of a write."""
        if person in self._broken:
            tx.indexes.drop_all(person)
            self._broken.discard(person)
        count = self._turns.count(tx, person)
        last = tx.indexes.last(person)
        there = self._turns.first_there(tx, person, last) if count - last >= PART else None
        if there is None:
            return  # what waited was erased
        with suppress(IntegrityFailure):  # its key is damaged, which verification names: there is no part until then
            made = self._made(tx, person, last, min(there + _MOST_AT_ONCE, count), -1)
            if not made.damaged:  # else it is looked at anew until that was mended
                self._put(tx, person, made)
                self._join(tx, person)

    def _made(self, tx: Tx, person: str, first: int, stop: int, erasure: int) -> Held:
        made = held_of(list(self._turns.between(tx, person, first, stop)), first, stop, erasure)
        lost = self._turns.lost(tx, person, first, stop)
        return replace(made, damaged=tuple(sorted({*made.damaged, *lost}))) if lost else made

    def _put(self, tx: Tx, person: str, held: Held) -> None:
        ref = key_ref_of(person)
        sealed = self._vault.seal(tx, ref, person, to_bytes(held), _context(person, held.stop))
        tx.indexes.put(person, held.stop, ref, sealed)

    def _join(self, tx: Tx, person: str) -> None:
        """Make one part of many."""
        parts = tx.indexes.parts(person)
        if len(parts) <= _MOST_PARTS:
            return
        opened = self._opened(tx, person, parts)
        if opened is None:
            self._broken.add(person)
            return
        for number, _, _ in parts[:-1]:
            tx.indexes.drop(person, number)
        self._put(tx, person, merged(opened))

    def _opened(self, tx: Tx, person: str, parts: list[tuple[int, str, bytes]]) -> list[Held] | None:
        """The parts, or None where one of them is not what was made."""
        found: list[Held] = []
        try:
            for number, ref, sealed in parts:
                if ref != key_ref_of(person):
                    return None
                plain = self._vault.unseal(tx, ref, sealed, _context(person, number))
                if plain is None:
                    return None
                held = from_bytes(plain)
                if held.stop != number or held.start != (found[-1].stop if found else 0):
                    return None
                found.append(held)
        except (Erased, IntegrityFailure, ValueError, LookupError, TypeError):
            return None
        return found

    def heal(self, tx: Tx, person: str) -> None:
        """Put what this process holds in the place of parts that are gone, damaged or far behind; in a write's unit."""
        held = self._held.get(person)
        if held is None or held.damaged or held.erasure != self._turns.changed_at(tx, person):
            return
        if person in self._broken or held.stop - tx.indexes.last(person) >= PART:
            tx.indexes.drop_all(person)
            self._broken.discard(person)
            with suppress(IntegrityFailure):  # its key is damaged, which verification names
                self._put(tx, person, held)

    def without(self, tx: Tx, person: str, numbers: Collection[int]) -> Held | None:
        """What the parts hold of the other turns, before the key of the parts goes; None where they do not open."""
        opened = self._opened(tx, person, tx.indexes.parts(person))
        if not opened:
            return None
        whole = merged(opened)
        gone = frozenset(numbers)
        is_gone = np.isin(whole.numbers, np.array(sorted(gone), np.int64))
        names = [whole.conversations[at] for at in sorted(set(whole.conversation_of[~is_gone].tolist()))]
        number_of = {name: at for at, name in enumerate(names)}
        left = [number_of[whole.conversations[at]] for at in whole.conversation_of[~is_gone].tolist()]
        return Held(
            whole.numbers[~is_gone],
            tuple(names),
            np.array(left, np.uint32),
            whole.instants[~is_gone],
            without(whole.index, is_gone),
            (),
            _joined([{name: tuple(at for at in held if at not in gone) for name, held in whole.stated.items()}]),
            whole.start,
            whole.stop,
            -1,
        )

    def put_anew(self, tx: Tx, person: str, held: Held | None) -> None:
        """Drop all parts, and put what is left under a new key in their place."""
        tx.indexes.drop_all(person)
        if held is not None:
            with suppress(IntegrityFailure):
                self._put(tx, person, held)

    # In memory

    def held(self, tx: Tx, person: str) -> Held:
        """Everything of a person as this transaction sees it."""
        erasure = self._turns.changed_at(tx, person)
        count = self._turns.count(tx, person)
        known = self._held.get(person)
        is_older = known is not None and known.stop > count  # another thread looked later
        if known is None or known.erasure != erasure or is_older:
            known = self._loaded(tx, person, erasure)
        if known.stop < count:
            known = merged([known, self._made(tx, person, known.stop, count, erasure)], erasure)
        if not is_older:
            self._keep(person, known)
        return known

    def _loaded(self, tx: Tx, person: str, erasure: int) -> Held:
        parts = tx.indexes.parts(person)
        opened = self._opened(tx, person, parts)
        if opened is None:
            self._broken.add(person)
        return merged(opened, erasure) if opened else held_of([], 0, 0, erasure)

    def _keep(self, person: str, held: Held) -> None:
        self._held.pop(person, None)
        self._held[person] = held
        others = [(name, item.bytes_held) for name, item in list(self._held.items()) if name != person]
        most = _MOST_BYTES - held.bytes_held
        while others and sum(size for _, size in others) > most:
            self._held.pop(others.pop(0)[0], None)


def held_of(turns: list[Kept], start: int, stop: int, erasure: int) -> Held:
    """An index of turns that were read; without those that were erased or are damaged."""
    read = [(kept.number, kept.conversation, kept.turn) for kept in turns if kept.turn is not None]
    names = tuple(dict.fromkeys(conversation for _, conversation, _ in read))
    number_of = {name: at for at, name in enumerate(names)}
    return Held(
        np.array([number for number, _, _ in read], np.uint32),
        names,
        np.array([number_of[name] for _, name, _ in read], np.uint32),
        np.array([parse_us(turn.at) or 0 for _, _, turn in read], np.int64),
        build((turn.read_as, ()) for _, _, turn in read),
        tuple(kept.number for kept in turns if kept.is_damaged),
        _stated((number, turn) for number, _, turn in read),
        start,
        stop,
        erasure,
    )


def merged(parts: list[Held], erasure: int = -1) -> Held:
    """One index of several that follow each other."""
    names = tuple(dict.fromkeys(name for part in parts for name in part.conversations))
    number_of = {name: at for at, name in enumerate(names)}
    renumbered = [
        np.array([number_of[name] for name in part.conversations], np.uint32)[part.conversation_of]
        if len(part.conversations)
        else part.conversation_of
        for part in parts
    ]
    return Held(
        np.concatenate([part.numbers for part in parts]),
        names,
        np.concatenate(renumbered),
        np.concatenate([part.instants for part in parts]),
        talk_index.merged([part.index for part in parts]),
        tuple(number for part in parts for number in part.damaged),
        _joined(part.stated for part in parts),
        parts[0].start,
        parts[-1].stop,
        erasure,
    )


def to_bytes(held: Held) -> bytes:
    """A part as it is sealed: a head, then its arrays one after another."""
    index = held.index.to_bytes()
    arrays = [
        held.numbers.astype("<u4").tobytes(),
        held.conversation_of.astype("<u4").tobytes(),
        held.instants.astype("<i8").tobytes(),
        index,
    ]
    head = canon.dumps(
        {
            "version": _VERSION,
            "start": held.start,
            "stop": held.stop,
            "conversations": list(held.conversations),
            "stated": {name: list(numbers) for name, numbers in held.stated.items()},
            "bytes": [len(array) for array in arrays],
        }
    )
    return len(head).to_bytes(4, "little") + head + b"".join(arrays)


def from_bytes(data: bytes) -> Held:
    """A part as it was sealed; `ValueError` for anything else."""
    size = int.from_bytes(data[:4], "little")
    head: dict[str, Any] = canon.loads(data[4 : 4 + size])
    if head["version"] != _VERSION:
        raise ValueError("of another version")
    at, pieces = 4 + size, []
    for length in head["bytes"]:
        pieces.append(data[at : at + length])
        at += length
    if at != len(data) or len(pieces) != 4:
        raise ValueError("of another length")
    numbers, conversation_of = (np.frombuffer(piece, "<u4").astype(np.uint32) for piece in pieces[:2])
    instants = np.frombuffer(pieces[2], "<i8").astype(np.int64)
    index = TalkIndex.from_bytes(pieces[3], trusted=True)  # it was sealed by this server
    names = tuple(head["conversations"])
    stated = {str(name): tuple(map(int, held)) for name, held in head["stated"].items()}
    if not len(numbers) == len(conversation_of) == len(instants) == index.size:
        raise ValueError("of another length")
    if len(conversation_of) and int(conversation_of.max()) >= len(names):
        raise ValueError("of an unknown conversation")
    return Held(numbers, names, conversation_of, instants, index, (), stated, int(head["start"]), int(head["stop"]), -1)


def _stated(turns: Iterable[tuple[int, Turn]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for number, turn in turns:
        for one in all_stated(turn.content) if turn.role == "user" else ():
            found.setdefault(one.attribute, []).append(number)
    return {name: tuple(numbers) for name, numbers in found.items()}


def _joined(parts: Iterable[Mapping[str, tuple[int, ...]]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for part in parts:
        for name, numbers in part.items():
            if numbers:
                found[name] = found.get(name, ()) + numbers
    return found


def _context(person: str, number: int) -> str:
    return f"index/{person}/{number}"
