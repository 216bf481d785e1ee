"""The port of experience over the keys of `keys.py` and the values of `values.py`; `View` says what there is.

`idx:` holds all levels of a pair, so reading episodes skips its rules: there are few of them.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from mace.core.errors import IntegrityFailure
from mace.storage.experience_ports import NEVER, NO_PAIR, ChangeRow, MegramRow, PairRow
from mace.storage.leveldb import keys, values
from mace.storage.leveldb.view import View
from mace.storage.ports import Exists

_BEHIND_ALL = b"\xff" * 8  # no key of ours begins so


class LevelDbRows:
    def __init__(self, view: View) -> None:
        self._view = view

    def cursor(self) -> int:
        data = self._view.get(keys.CURSOR)
        return -1 if data is None else values.read_integer(keys.CURSOR, data)

    def move_cursor(self, position: int) -> None:
        self._view.put(keys.CURSOR, b"%d" % position)

    def add(self, rows: Sequence[MegramRow]) -> None:
        put = self._view.put
        for row in rows:
            key = keys.megram(row.megram_id)
            if self._view.get(key) is not None:
                raise Exists("a row with this key exists")
            put(key, values.megram(row))
            put(keys.index(row.space, row.entity, row.megram_id), b"")
            put(keys.level(row.level, row.megram_id), b"")
            if row.level == "C":
                put(keys.rule(row.space, row.entity, row.megram_id), b"")

    def get(self, megram_id: str) -> MegramRow | None:
        key = keys.megram(megram_id)
        data = self._view.get(key)
        if data is None:
            return None
        row = values.read_megram(key, data)
        if row.megram_id != megram_id:
            values.damaged(key)
        return row

    def remove(self, megram_id: str) -> None:
        row = self.get(megram_id)
        delete = self._view.delete
        if row is not None:
            delete(keys.megram(megram_id))
            delete(keys.index(row.space, row.entity, megram_id))
            delete(keys.level(row.level, megram_id))
            delete(keys.rule(row.space, row.entity, megram_id))
        delete(keys.recall(megram_id))
        delete(keys.retired(megram_id))

    def forget(self, space: str, entity: str) -> int:
        gone = [row.megram_id for row in self._of_index(keys.index(space, entity)) if row.level in ("M", "K")]
        for megram_id in gone:
            self.remove(megram_id)
        return len(gone)

    def of_pair(self, space: str, entity: str, before: str = "", limit: int = 1000) -> list[MegramRow]:
        found = self._of_index(keys.index(space, entity), keys.index(space, entity, before) if before else b"")
        return list(islice((row for row in found if row.level in ("M", "K")), limit))

    def rules(self, space: str, entity: str) -> list[MegramRow]:
        found = self._of_index(keys.rule(space, entity))
        return [row for row in found if self._view.get(keys.retired(row.megram_id)) is None]

    def _of_index(self, prefix: bytes, stop: bytes = b"") -> Iterator[MegramRow]:
        """The rows that an index names, newest first."""
        for key, _ in self._view.items(prefix, stop or keys.end_of(prefix), reverse=True):
            try:
                row = self.get(keys.text_of(key[len(prefix) :]))
            except UnicodeDecodeError:
                row = None
            if row is None:  # an entry that names nothing
                values.damaged(key)
            yield row

    def scan(self, after: str = "", limit: int = 1000) -> list[MegramRow]:
        start = keys.megram(after) + b"\0" if after else keys.MEGRAMS
        found = self._view.items(start, keys.end_of(keys.MEGRAMS))
        return [values.read_megram(key, data) for key, data in islice(found, limit)]

    def counts(self) -> dict[str, int]:
        found: dict[bytes, int] = {}
        for key, _ in self._view.items(keys.LEVELS, keys.end_of(keys.LEVELS)):
            level = key.split(b":", 2)[1]
            found[level] = found.get(level, 0) + 1
        return {keys.text_of(level): found[level] for level in sorted(found)}

    def has_rows(self, space: str, entity: str) -> bool:
        prefix = keys.index(space, entity)
        return next(iter(self._view.items(prefix, keys.end_of(prefix))), None) is not None

    def retire(self, megram_id: str, change_id: str) -> None:
        if change_id:
            self._view.put(keys.retired(megram_id), change_id.encode())
        else:
            self._view.delete(keys.retired(megram_id))

    def retired_by(self, megram_ids: Sequence[str]) -> dict[str, str]:
        found = ((megram_id, keys.retired(megram_id)) for megram_id in megram_ids)
        return {
            megram_id: values.read_text(key, data)
            for megram_id, key in found
            if (data := self._view.get(key)) is not None
        }

    def recall(self, megram_ids: Sequence[str], at_us: int) -> None:
        for megram_id in megram_ids:
            key = keys.recall(megram_id)
            data = self._view.get(key)
            if data is None or values.read_instant(key, data) < at_us:
                self._view.put(key, values.instant(at_us).encode())

    def recalled_us(self, megram_ids: Sequence[str]) -> dict[str, int]:
        found = ((megram_id, keys.recall(megram_id)) for megram_id in megram_ids)
        return {
            megram_id: values.read_instant(key, data)
            for megram_id, key in found
            if (data := self._view.get(key)) is not None
        }

    def retirements(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        found = islice(self._named(keys.RETIRED, after), limit)
        return [(_id_of(key, keys.RETIRED), values.read_text(key, data)) for key, data in found]

    def recalls(self, after: str = "", limit: int = 1000) -> list[tuple[str, int]]:
        found = islice(self._named(keys.RECALLS, after), limit)
        return [(_id_of(key, keys.RECALLS), values.read_instant(key, data)) for key, data in found]

    def unrecall(self, megram_ids: Sequence[str]) -> None:
        for megram_id in megram_ids:
            self._view.delete(keys.recall(megram_id))

    def _named(self, prefix: bytes, after: str) -> Iterator[tuple[bytes, bytes]]:
        """What lies under a prefix, from behind this id on."""
        start = prefix + keys.part(after) + b"\0" if after else prefix
        return self._view.items(start, keys.end_of(prefix))

    def pair(self, space: str, entity: str) -> PairRow | None:
        return self._pair(keys.pair(space, entity))

    def _pair(self, key: bytes) -> PairRow | None:
        data = self._view.get(key)
        if data is None:
            return None
        row = values.read_pair(key, data)
        if keys.pair(row.space, row.entity) != key:
            values.damaged(key)
        return row

    def put_pairs(self, rows: Sequence[PairRow]) -> None:
        for row in rows:
            key = keys.pair(row.space, row.entity)
            before = self._pair(key)
            if before is not None and before.due_us != row.due_us:
                self._view.delete(keys.due(before.due_us, row.space, row.entity))
            self._view.put(key, values.pair(row))
            self._view.put(keys.due(row.due_us, row.space, row.entity), key)

    def pairs(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[PairRow]:
        found = self._view.items(keys.pair(*after) + b"\0", keys.end_of(keys.PAIRS))
        return [values.read_pair(key, data) for key, data in islice(found, limit)]

    def due(self, until_us: int, limit: int = 1000) -> list[PairRow]:
        found = []
        for key, pair_key in islice(self._view.items(keys.DUE, keys.due_until(until_us)), limit):
            row = self._pair(pair_key)
            if row is None:
                values.damaged(key)
            found.append(row)
        return found

    def change(self, change_id: str) -> ChangeRow | None:
        key = keys.change(change_id)
        data = self._view.get(key)
        return None if data is None else values.read_change(key, data)

    def put_change(self, row: ChangeRow) -> None:
        before = self.change(row.change_id)
        if before is not None:
            self._view.delete(keys.place(before.place, row.change_id))
        self._view.put(keys.change(row.change_id), values.change(row))
        self._view.put(keys.place(row.place, row.change_id), row.change_id.encode())

    def changes(self, limit: int = 100) -> list[ChangeRow]:
        found = []
        newest = self._view.items(keys.PLACES, keys.end_of(keys.PLACES), reverse=True)
        for key, change_id in islice(newest, limit):
            row = self.change(values.read_text(key, change_id))
            if row is None:
                values.damaged(key)
            found.append(row)
        return found

    def all_changes(self, after: str = "", limit: int = 1000) -> list[ChangeRow]:
        found = islice(self._named(keys.CHANGES, after), limit)
        return [values.read_change(key, data) for key, data in found]

    def clear(self, limit: int) -> int:
        for key in (keys.CURSOR, keys.pair(*NO_PAIR), keys.due(NEVER, *NO_PAIR)):
            self._view.delete(key)
        found = (key for key, _ in self._view.items(b"", _BEHIND_ALL) if not key.startswith(keys.RECALLS))
        gone = list(islice(found, limit))
        for key in gone:
            self._view.delete(key)
        return len(gone)

    def strays(self, limit: int = 1000) -> list[tuple[str, str]]:
        """Entries of indexes that are not those of a row, rows without theirs, and keys that nobody wrote."""
        found = (key for key, data in self._view.items(b"", _BEHIND_ALL) if not self._belongs(key, data))
        return [("experience.leveldb", key.decode(errors="backslashreplace")) for key in islice(found, limit)]

    def _belongs(self, key: bytes, data: bytes) -> bool:
        """Say whether an entry is one that its row has, or a row has all of its own; damage is told elsewhere."""
        try:
            if key.startswith(keys.MEGRAMS):
                return all(self._view.get(entry) is not None for entry in _entries(values.read_megram(key, data)))
            if key.startswith((keys.INDEX, keys.LEVELS, keys.RULES)):
                row = self.get(keys.text_of(key.rsplit(b":", 1)[1]))
                return row is not None and key in _entries(row)
            if key.startswith(keys.PAIRS):
                pair = values.read_pair(key, data)
                return self._view.get(keys.due(pair.due_us, pair.space, pair.entity)) == key
            if key.startswith(keys.DUE):
                due = self._pair(data)
                return due is not None and key == keys.due(due.due_us, due.space, due.entity)
            if key.startswith(keys.CHANGES):
                change = values.read_change(key, data)
                return self._view.get(keys.place(change.place, change.change_id)) == change.change_id.encode()
            if key.startswith(keys.PLACES):
                placed = self.change(data.decode())
                return placed is not None and key == keys.place(placed.place, placed.change_id)
        except (IntegrityFailure, ValueError):
            return key.startswith((keys.MEGRAMS, keys.PAIRS, keys.CHANGES))
        return key == keys.CURSOR or key.startswith((keys.RECALLS, keys.RETIRED))


def _entries(row: MegramRow) -> list[bytes]:
    """The names under which a row is found."""
    found = [keys.index(row.space, row.entity, row.megram_id), keys.level(row.level, row.megram_id)]
    return [*found, keys.rule(row.space, row.entity, row.megram_id)] if row.level == "C" else found


def _id_of(key: bytes, prefix: bytes) -> str:
    try:
        return keys.text_of(key[len(prefix) :])
    except UnicodeDecodeError:
        values.damaged(key)
