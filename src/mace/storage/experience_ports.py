"""What a store of experience must do, whatever it is made of. One contract suite runs on every adapter.

The ledger comes first: what lies here was projected from its events, up to the one the cursor names, and could be
projected again. A unit of work is all or nothing, durable when `write` returns, and holds everybody else's units off;
the rows it adds and the cursor it moves therefore stand or fall together. Rows are added and deleted, never edited;
only what is about them changes (recalls, retirements, the state of a pair).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")

NEVER = 2**63 - 1  # a `due_us` that no clock reaches
NO_PAIR = ("", "")  # a row under these tags is its owner's own note: `pairs` never lists it


@dataclass(frozen=True, slots=True)
class MegramRow:
    megram_id: str  # begins with created_us in hex: ids sort as instants do
    level: str  # M, K or C
    created_us: int  # microseconds since 1970
    space: str
    entity: str
    content: bytes  # sealed
    key_refs: tuple[str, ...]  # the keys it is sealed under, the outermost first; every one is needed
    state: str
    f: float
    sigma: float
    k: float
    place: int  # the ledger's position of the event that brought it
    marked: bool  # it was consolidated before it came here


@dataclass(frozen=True, slots=True)
class PairRow:
    """What is known of a (space, entity) as a whole; `state` is packed by its owner and means nothing here."""

    space: str
    entity: str
    state: bytes
    due_us: int  # when the Dreamer must look at it again; 0: at once


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change of the Dreamer; `body` is canonical JSON with all that undoing it needs."""

    change_id: str
    kind: str
    space: str
    entity: str
    place: int
    body: bytes
    undone_by: str  # the change that rolled it back, or ""


class Experience(Protocol):
    def cursor(self) -> int: ...  # the position of the last event that was projected; -1: none yet
    def move_cursor(self, position: int) -> None: ...

    def add(self, rows: Sequence[MegramRow]) -> None: ...  # `Exists` when an id is taken
    def get(self, megram_id: str) -> MegramRow | None: ...
    def remove(self, megram_id: str) -> None: ...
    def forget(self, space: str, entity: str) -> int: ...  # delete the pair's M and K, their recalls too; how many
    def of_pair(self, space: str, entity: str, before: str = "", limit: int = 1000) -> list[MegramRow]:
        """Levels M and K, newest first, those whose id is below `before` where it is given."""
        ...

    def rules(self, space: str, entity: str) -> list[MegramRow]: ...  # level C, not retired, newest first
    def scan(self, after: str = "", limit: int = 1000) -> list[MegramRow]: ...  # all levels, by id
    def counts(self) -> dict[str, int]: ...  # rows by level, those that there are

    def has_rows(self, space: str, entity: str) -> bool: ...  # of any level, retired ones too

    def retire(self, megram_id: str, change_id: str) -> None: ...  # "" takes it back; there need be no such row
    def retired_by(self, megram_ids: Sequence[str]) -> dict[str, str]: ...  # of those that are retired
    def recall(self, megram_ids: Sequence[str], at_us: int) -> None: ...  # never moves an instant backwards
    def recalled_us(self, megram_ids: Sequence[str]) -> dict[str, int]: ...  # of those that were recalled
    def retirements(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]: ...  # all, by id
    def recalls(self, after: str = "", limit: int = 1000) -> list[tuple[str, int]]: ...  # all, by id
    def unrecall(self, megram_ids: Sequence[str]) -> None: ...

    def pair(self, space: str, entity: str) -> PairRow | None: ...
    def put_pairs(self, rows: Sequence[PairRow]) -> None: ...  # replaces
    def pairs(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[PairRow]:
        """By space and entity, in the order of their UTF-8 bytes."""
        ...

    def due(self, until_us: int, limit: int = 1000) -> list[PairRow]: ...  # due_us <= until_us, earliest first

    def change(self, change_id: str) -> ChangeRow | None: ...
    def put_change(self, row: ChangeRow) -> None: ...  # replaces, which only ever sets `undone_by`
    def changes(self, limit: int = 100) -> list[ChangeRow]: ...  # by place, newest first
    def all_changes(self, after: str = "", limit: int = 1000) -> list[ChangeRow]: ...  # by id

    def clear(self, limit: int) -> int:
        """Delete up to so many of all rows but recalls, unread; how many there were. Cursor and `NO_PAIR` go too."""
        ...

    def strays(self, limit: int = 1000) -> list[tuple[str, str]]:
        """What only this store has and contradicts its rows (a digest, an entry of an index): table and key."""
        ...


class ExperienceStore(Protocol):
    def write(self, unit: Callable[[Experience], T]) -> T: ...
    def read(self, look: Callable[[Experience], T]) -> T: ...  # one consistent snapshot; must not write
    def describe(self) -> dict[str, str]: ...  # for `doctor`: kind, place; no secrets
    def close(self) -> None: ...
