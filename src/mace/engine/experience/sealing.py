"""Rows of experience that say themselves whether somebody changed them.

What is projected from the ledger gets a keyed seal over all its columns, the place of its event among them, when it is
written; whoever reads a row through here has it checked, and a row that was changed, moved to another pair or made by
somebody else is an `IntegrityFailure`, never an answer. Stores need not know: the seal lies behind what they keep
unread (a Megram's content, a pair's state, a change's body, the reason of a retirement). The cursor's seal is the state
of the pair without tags. That rows are missing, or that an older one was put back, no seal can tell: the pair's counts
do in part, and verification does (`checking`).
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from typing import NoReturn, TypeVar

from mace.core.errors import IntegrityFailure, PreconditionFailed
from mace.providers.ports import Keys
from mace.storage.experience_ports import NEVER, NO_PAIR, ChangeRow, Experience, ExperienceStore, MegramRow, PairRow

T = TypeVar("T")

CLEARING = -2  # a cursor that says: the rows are being deleted, to be made anew
SEAL_BYTES = 16
_FEW = 100  # rows that are asked for at once, and so perhaps often
_MAX_KNOWN = 2000  # rows that are kept opened
_KEY = b"mace-experience-rows/1"
_MEGRAM = struct.Struct("<cqqddd?HI")
_NUMBERS = struct.Struct("<cqI")
_REMEDY = "run `mace log verify`, then `mace experience rebuild`"


class MadeBefore(PreconditionFailed):
    """The rows are from an earlier version, which did not seal them; whoever may write makes them anew."""


def changed(what: str) -> NoReturn:
    """Say that a row is not what its events give."""
    raise IntegrityFailure(f"{what} is not what the ledger says; {_REMEDY}")


class Seals:
    """Makes and checks seals. The key is derived from the server's first one, which stays over rotations."""

    def __init__(self, keys: Keys) -> None:
        self._key = bytes.fromhex(keys.tag("experience", _KEY))

    def _of(self, message: bytes) -> bytes:
        """BLAKE2b with a key: one hash, where HMAC takes two, and this is done for every row that is read."""
        return blake2b(message, digest_size=SEAL_BYTES, key=self._key).digest()

    def megram(self, row: MegramRow) -> bytes:
        # No part of a sealed row holds NUL, and how many parts there are is in the head: there is one way to read it.
        parts = (row.megram_id, row.level, row.space, row.entity, row.state, *row.key_refs)
        texts = "\0".join(parts).encode("utf-8", "surrogatepass")
        head = _MEGRAM.pack(
            b"m", row.created_us, row.place, row.f, row.sigma, row.k, row.marked, len(parts), len(texts)
        )
        return self._of(head + texts + row.content)

    def pair(self, row: PairRow) -> bytes:
        texts = f"{row.space}\0{row.entity}".encode("utf-8", "surrogatepass")
        return self._of(_NUMBERS.pack(b"p", row.due_us, len(texts)) + texts + row.state)

    def change(self, row: ChangeRow) -> bytes:
        parts = (row.change_id, row.kind, row.space, row.entity, row.undone_by)
        texts = "\0".join(parts).encode("utf-8", "surrogatepass")
        return self._of(_NUMBERS.pack(b"c", row.place, len(texts)) + texts + row.body)

    def retirement(self, megram_id: str, change_id: str) -> bytes:
        texts = f"{megram_id}\0{change_id}".encode("utf-8", "surrogatepass")
        return self._of(_NUMBERS.pack(b"r", 0, len(texts)) + texts)

    def cursor(self, position: int) -> bytes:
        return self._of(_NUMBERS.pack(b"k", position, 0))

    # Opening: what was sealed, or None where that is not so

    def opened_megram(self, row: MegramRow) -> MegramRow | None:
        plain = replace_content(row, row.content[:-SEAL_BYTES])
        return plain if _is(self.megram, plain, row.content) else None

    def opened_pair(self, row: PairRow) -> PairRow | None:
        plain = PairRow(row.space, row.entity, row.state[:-SEAL_BYTES], row.due_us)
        return plain if _is(self.pair, plain, row.state) else None

    def opened_change(self, row: ChangeRow) -> ChangeRow | None:
        plain = replace(row, body=row.body[:-SEAL_BYTES])
        return plain if _is(self.change, plain, row.body) else None

    def opened_retirement(self, megram_id: str, held: str) -> str | None:
        change_id, _, seal = held.rpartition(":")
        return change_id if seal == self.retirement(megram_id, change_id).hex() else None


R = TypeVar("R")


def _is(seal: Callable[[R], bytes], row: R, held: bytes) -> bool:
    try:
        return len(held) >= SEAL_BYTES and seal(row) == held[-SEAL_BYTES:]
    except (struct.error, TypeError, ValueError):  # numbers and types that were never sealed
        return False


def replace_content(row: MegramRow, content: bytes) -> MegramRow:
    """The row with other content; `dataclasses.replace` takes ten times as long, and this is done for every row."""
    return MegramRow(
        row.megram_id,
        row.level,
        row.created_us,
        row.space,
        row.entity,
        content,
        row.key_refs,
        row.state,
        row.f,
        row.sigma,
        row.k,
        row.place,
        row.marked,
    )


class SealedStore:
    """A store of experience whose rows are sealed on their way in and checked on their way out."""

    def __init__(self, store: ExperienceStore, keys: Keys, was_sealed: Callable[[], bool]) -> None:
        self._store = store
        self._seals = Seals(keys)
        self._known = Known()
        self._was_sealed = was_sealed  # asked only where there are no seals: then they were taken away, or never were

    def write(self, unit: Callable[[Experience], T]) -> T:
        with self._never_older():
            return self._store.write(lambda x: unit(SealedRows(x, self._seals, self._known)))

    def read(self, look: Callable[[Experience], T]) -> T:
        with self._never_older():
            return self._store.read(lambda x: look(SealedRows(x, self._seals, self._known)))

    @contextmanager
    def _never_older(self) -> Iterator[None]:
        """A store that was sealed once is never taken for one of an earlier version."""
        try:
            yield
        except MadeBefore:
            if self._was_sealed():
                changed("the seal of experience")
            raise

    def describe(self) -> dict[str, str]:
        return self._store.describe()

    def close(self) -> None:
        self._store.close()


class Known:
    """What was found sealed before, as it was stored and opened: a row that is still the same is not checked again."""

    __slots__ = ("cursor", "megrams", "pairs")

    def __init__(self) -> None:
        self.cursor: int | None = None
        self.pairs: dict[tuple[str, str], tuple[PairRow, PairRow]] = {}
        self.megrams: dict[str, tuple[MegramRow, MegramRow]] = {}


class SealedRows:
    __slots__ = ("_known", "_seals", "_x")

    def __init__(self, x: Experience, seals: Seals, known: Known) -> None:
        self._x = x
        self._seals = seals
        self._known = known

    # The cursor

    def cursor(self) -> int:
        position = self._x.cursor()
        if self._known.cursor != position:
            self._check_cursor(position)
            self._known.cursor = position
        return position

    def _check_cursor(self, position: int) -> None:
        note = self._x.pair(*NO_PAIR)
        if note is None:
            if position != -1 or self._x.scan("", 1) or self._x.pairs(NO_PAIR, 1):
                raise MadeBefore("experience was written by an earlier version of MACE; open it once for writing")
        elif note.state != self._seals.cursor(position):
            changed("the cursor of experience")

    def move_cursor(self, position: int) -> None:
        self._x.move_cursor(position)
        self._x.put_pairs([PairRow(*NO_PAIR, self._seals.cursor(position), NEVER)])

    # Megrams

    def _megram(self, row: MegramRow) -> MegramRow:
        found = self._seals.opened_megram(row)
        return changed(f"Megram {row.megram_id}") if found is None else found

    def add(self, rows: Sequence[MegramRow]) -> None:
        self._x.add([replace_content(row, row.content + self._seals.megram(row)) for row in rows])

    def get(self, megram_id: str) -> MegramRow | None:
        row = self._x.get(megram_id)
        return None if row is None else self._megram(row)

    def remove(self, megram_id: str) -> None:
        self._x.remove(megram_id)

    def forget(self, space: str, entity: str) -> int:
        return self._x.forget(space, entity)

    def of_pair(self, space: str, entity: str, before: str = "", limit: int = 1000) -> list[MegramRow]:
        return self._of(space, entity, self._x.of_pair(space, entity, before, limit))

    def rules(self, space: str, entity: str) -> list[MegramRow]:
        return self._of(space, entity, self._x.rules(space, entity))

    def _of(self, space: str, entity: str, rows: list[MegramRow]) -> list[MegramRow]:
        found = [self._megram(row) for row in rows] if len(rows) > _FEW else [self._often(row) for row in rows]
        for row in found:
            if row.space != space or row.entity != entity:  # an index was told that it belongs here
                changed(f"the pair of Megram {row.megram_id}")
        return found

    def _often(self, row: MegramRow) -> MegramRow:
        """Open a row that is likely to be asked for again."""
        known = self._known.megrams
        seen = known.get(row.megram_id)
        if seen is not None and seen[0] == row:
            return seen[1]
        found = self._megram(row)
        if len(known) >= _MAX_KNOWN:
            known.clear()
        known[row.megram_id] = (row, found)
        return found

    def scan(self, after: str = "", limit: int = 1000) -> list[MegramRow]:
        return [self._megram(row) for row in self._x.scan(after, limit)]

    def counts(self) -> dict[str, int]:
        return self._x.counts()

    def has_rows(self, space: str, entity: str) -> bool:
        return self._x.has_rows(space, entity)

    # About Megrams

    def retire(self, megram_id: str, change_id: str) -> None:
        seal = f":{self._seals.retirement(megram_id, change_id).hex()}" if change_id else ""
        self._x.retire(megram_id, change_id + seal)

    def _reason(self, megram_id: str, held: str) -> str:
        found = self._seals.opened_retirement(megram_id, held)
        return changed(f"the retirement of {megram_id}") if found is None else found

    def retired_by(self, megram_ids: Sequence[str]) -> dict[str, str]:
        return {name: self._reason(name, held) for name, held in self._x.retired_by(megram_ids).items()}

    def retirements(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        return [(name, self._reason(name, held)) for name, held in self._x.retirements(after, limit)]

    def recall(self, megram_ids: Sequence[str], at_us: int) -> None:
        self._x.recall(megram_ids, at_us)

    def recalled_us(self, megram_ids: Sequence[str]) -> dict[str, int]:
        return self._x.recalled_us(megram_ids)

    def recalls(self, after: str = "", limit: int = 1000) -> list[tuple[str, int]]:
        return self._x.recalls(after, limit)

    def unrecall(self, megram_ids: Sequence[str]) -> None:
        self._x.unrecall(megram_ids)

    # Pairs

    def _pair(self, row: PairRow) -> PairRow:
        found = self._seals.opened_pair(row)
        return changed("what is known of a pair") if found is None else found

    def pair(self, space: str, entity: str) -> PairRow | None:
        row = self._x.pair(space, entity)
        if row is None:
            return None
        known = self._known.pairs
        seen = known.get((space, entity))
        if seen is not None and seen[0].state == row.state and seen[0] == row:
            return seen[1]
        if row.space != space or row.entity != entity:
            changed("the name of a pair")
        found = self._pair(row)
        if len(known) >= _MAX_KNOWN:
            known.clear()
        known[space, entity] = (row, found)
        return found

    def put_pairs(self, rows: Sequence[PairRow]) -> None:
        seal = self._seals.pair
        self._x.put_pairs([PairRow(row.space, row.entity, row.state + seal(row), row.due_us) for row in rows])

    def pairs(self, after: tuple[str, str] = NO_PAIR, limit: int = 1000) -> list[PairRow]:
        return [self._pair(row) for row in self._x.pairs(after, limit)]

    def due(self, until_us: int, limit: int = 1000) -> list[PairRow]:
        return [self._pair(row) for row in self._x.due(until_us, limit)]

    # Changes

    def _change(self, row: ChangeRow) -> ChangeRow:
        found = self._seals.opened_change(row)
        return changed(f"change {row.change_id} of a pair") if found is None else found

    def change(self, change_id: str) -> ChangeRow | None:
        row = self._x.change(change_id)
        return None if row is None else self._change(row)

    def put_change(self, row: ChangeRow) -> None:
        self._x.put_change(replace(row, body=row.body + self._seals.change(row)))

    def changes(self, limit: int = 100) -> list[ChangeRow]:
        return [self._change(row) for row in self._x.changes(limit)]

    def all_changes(self, after: str = "", limit: int = 1000) -> list[ChangeRow]:
        return [self._change(row) for row in self._x.all_changes(after, limit)]

    # Making anew

    def clear(self, limit: int) -> int:
        """Delete rows, and let the cursor say so until none is left."""
        gone = self._x.clear(limit)
        self.move_cursor(CLEARING if gone else -1)
        return gone

    def strays(self, limit: int = 1000) -> list[tuple[str, str]]:
        return self._x.strays(limit)
