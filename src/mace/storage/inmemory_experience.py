"""Experience in plain Python: what the port means, kept by nobody.

It belongs to a store in memory, whose units run one at a time and which undoes them through the list that is passed in.
Texts compare by code points here, which is the order of their UTF-8 bytes.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence
from heapq import merge, nlargest, nsmallest
from itertools import islice
from typing import Any, Generic, TypeVar

from mace.storage.experience_keys import pair_digest
from mace.storage.experience_ports import NO_PAIR, ChangeRow, MegramRow, PairRow
from mace.storage.ports import Exists

V = TypeVar("V")
Undo = list[Callable[[], None]]


class _Rows(Generic[V]):
    """A dict whose every change can be undone."""

    def __init__(self, undo: Undo) -> None:
        self.held: dict[Any, V] = {}
        self._undo = undo

    def set(self, key: Any, value: V) -> None:
        self._remember(key)
        self.held[key] = value

    def drop(self, key: Any) -> None:
        if key in self.held:
            self._remember(key)
            del self.held[key]

    def _remember(self, key: Any) -> None:
        if key in self.held:
            before = self.held[key]
            self._undo.append(lambda: self.held.__setitem__(key, before))
        else:
            self._undo.append(lambda: self.held.__delitem__(key))


class _Ids:
    """Ids in their order; those that come last in time come last here, so that adding is mostly appending."""

    def __init__(self, undo: Undo) -> None:
        self.held: list[str] = []
        self._undo = undo

    def add(self, megram_id: str) -> None:
        insort(self.held, megram_id)
        self._undo.append(lambda: self._take_out(megram_id))

    def drop(self, megram_id: str) -> None:
        self._take_out(megram_id)
        self._undo.append(lambda: insort(self.held, megram_id))

    def _take_out(self, megram_id: str) -> None:
        del self.held[bisect_left(self.held, megram_id)]


class InMemoryExperience:
    def __init__(self, undo: Undo) -> None:
        self._undo = undo
        self._cursor: _Rows[int] = _Rows(undo)
        self._megrams: _Rows[MegramRow] = _Rows(undo)
        self._ids = _Ids(undo)
        self._ids_of: dict[tuple[str, str, str], _Ids] = {}  # by space, entity and level
        self._retired: _Rows[str] = _Rows(undo)
        self._recalled: _Rows[int] = _Rows(undo)
        self._pairs: _Rows[PairRow] = _Rows(undo)
        self._changes: _Rows[ChangeRow] = _Rows(undo)

    def cursor(self) -> int:
        return self._cursor.held.get("cursor", -1)

    def move_cursor(self, position: int) -> None:
        self._cursor.set("cursor", position)

    def add(self, rows: Sequence[MegramRow]) -> None:
        for row in rows:
            if row.megram_id in self._megrams.held:
                raise Exists("a row with this key exists")
            self._megrams.set(row.megram_id, row)
            self._ids.add(row.megram_id)
            self._of(row.space, row.entity, row.level).add(row.megram_id)

    def get(self, megram_id: str) -> MegramRow | None:
        return self._megrams.held.get(megram_id)

    def remove(self, megram_id: str) -> None:
        row = self.get(megram_id)
        if row is not None:
            self._megrams.drop(megram_id)
            self._ids.drop(megram_id)
            self._of(row.space, row.entity, row.level).drop(megram_id)
        self._recalled.drop(megram_id)
        self._retired.drop(megram_id)

    def forget(self, space: str, entity: str) -> int:
        gone = [megram_id for level in ("M", "K") for megram_id in self._of(space, entity, level).held]
        for megram_id in gone:
            self.remove(megram_id)
        return len(gone)

    def of_pair(self, space: str, entity: str, before: str = "", limit: int = 1000) -> list[MegramRow]:
        by_level = []
        for level in ("M", "K"):
            ids = self._of(space, entity, level).held
            stop = bisect_left(ids, before) if before else len(ids)
            by_level.append(reversed(ids[max(stop - limit, 0) : stop]))
        return [self._megrams.held[found] for found in islice(merge(*by_level, reverse=True), limit)]

    def rules(self, space: str, entity: str) -> list[MegramRow]:
        ids = self._of(space, entity, "C").held
        return [self._megrams.held[found] for found in reversed(ids) if found not in self._retired.held]

    def scan(self, after: str = "", limit: int = 1000) -> list[MegramRow]:
        start = bisect_right(self._ids.held, after)
        return [self._megrams.held[found] for found in self._ids.held[start : start + limit]]

    def counts(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for (_, _, level), ids in self._ids_of.items():
            found[level] = found.get(level, 0) + len(ids.held)
        return {level: found[level] for level in sorted(found) if found[level]}

    def _of(self, space: str, entity: str, level: str) -> _Ids:
        return self._ids_of.setdefault((space, entity, level), _Ids(self._undo))

    def has_rows(self, space: str, entity: str) -> bool:
        return any(self._of(space, entity, level).held for level in ("M", "K", "C"))

    def retire(self, megram_id: str, change_id: str) -> None:
        if change_id:
            self._retired.set(megram_id, change_id)
        else:
            self._retired.drop(megram_id)

    def retired_by(self, megram_ids: Sequence[str]) -> dict[str, str]:
        return {found: self._retired.held[found] for found in megram_ids if found in self._retired.held}

    def recall(self, megram_ids: Sequence[str], at_us: int) -> None:
        for megram_id in megram_ids:
            if self._recalled.held.get(megram_id, at_us - 1) < at_us:
                self._recalled.set(megram_id, at_us)

    def recalled_us(self, megram_ids: Sequence[str]) -> dict[str, int]:
        return {found: self._recalled.held[found] for found in megram_ids if found in self._recalled.held}

    def retirements(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        return nsmallest(limit, (item for item in self._retired.held.items() if item[0] > after))

    def recalls(self, after: str = "", limit: int = 1000) -> list[tuple[str, int]]:
        return nsmallest(limit, (item for item in self._recalled.held.items() if item[0] > after))

    def unrecall(self, megram_ids: Sequence[str]) -> None:
        for megram_id in megram_ids:
            self._recalled.drop(megram_id)

    def pair(self, space: str, entity: str) -> PairRow | None:
        return self._pairs.held.get((space, entity))

    def put_pairs(self, rows: Sequence[PairRow]) -> None:
        for row in rows:
            self._pairs.set((row.space, row.entity), row)

    def pairs(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[PairRow]:
        found = nsmallest(limit, (tags for tags in self._pairs.held if tags > after))
        return [self._pairs.held[tags] for tags in found]

    def due(self, until_us: int, limit: int = 1000) -> list[PairRow]:
        found = (row for row in self._pairs.held.values() if row.due_us <= until_us)
        return nsmallest(limit, found, key=lambda row: (row.due_us, pair_digest(row.space, row.entity)))

    def change(self, change_id: str) -> ChangeRow | None:
        return self._changes.held.get(change_id)

    def put_change(self, row: ChangeRow) -> None:
        self._changes.set(row.change_id, row)

    def changes(self, limit: int = 100) -> list[ChangeRow]:
        return nlargest(limit, self._changes.held.values(), key=lambda row: (row.place, row.change_id))

    def all_changes(self, after: str = "", limit: int = 1000) -> list[ChangeRow]:
        found = nsmallest(limit, (change_id for change_id in self._changes.held if change_id > after))
        return [self._changes.held[change_id] for change_id in found]

    def clear(self, limit: int) -> int:
        self._cursor.drop("cursor")
        self._pairs.drop(NO_PAIR)
        gone = 0
        for megram_id in self._ids.held[:limit]:
            row, recalled = self._megrams.held[megram_id], self._recalled.held.get(megram_id)
            self.remove(row.megram_id)
            if recalled is not None:
                self._recalled.set(megram_id, recalled)
            gone += 1
        for table in (self._retired, self._pairs, self._changes):
            for key in list(islice(table.held, limit - gone)):
                table.drop(key)
                gone += 1
        return gone

    def strays(self, limit: int = 1000) -> list[tuple[str, str]]:
        return []
