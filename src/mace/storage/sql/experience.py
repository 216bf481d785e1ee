"""The port of experience over named statements (`experience.sql`), shared by SQLite and PostgreSQL.

Rows come by the thousand when the ledger is caught up with, so what is added goes through `run_many`. A pair's rows are
found by the digest of its tags. Levels are asked for one by one: an index serves "newest first" only within a level.
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure
from mace.storage.experience_keys import pair_digest
from mace.storage.experience_ports import NO_PAIR, ChangeRow, MegramRow, PairRow

Run = Callable[[str, tuple[Any, ...]], list[tuple[Any, ...]]]
RunMany = Callable[[str, Sequence[tuple[Any, ...]]], None]

_ABOVE_ALL_IDS = "\U0010ffff"  # an id begins with a hex digit
_STEP = 2000
_AT_ONCE = 16  # ids that one statement takes
_SHORT_BYTES = 2000  # both tags together; an index row of PostgreSQL ends at about 2700


class SqlExperience:
    def __init__(self, run: Run, run_many: RunMany | None = None) -> None:
        self._run = run
        self._run_many = run_many or self._one_by_one

    def _one_by_one(self, name: str, rows: Sequence[tuple[Any, ...]]) -> None:
        for row in rows:
            self._run(name, row)

    def cursor(self) -> int:
        rows = self._run("experience_cursor", ())
        return int(rows[0][0]) if rows else -1

    def move_cursor(self, position: int) -> None:
        self._run("experience_move_cursor", (position,))

    def add(self, rows: Sequence[MegramRow]) -> None:
        self._run_many(
            "megram_add",
            [
                (
                    row.megram_id,
                    pair_digest(row.space, row.entity),
                    row.level,
                    row.created_us,
                    row.space,
                    row.entity,
                    row.content,
                    canon.dumps(list(row.key_refs)).decode(),
                    row.state,
                    row.f,
                    row.sigma,
                    row.k,
                    row.place,
                    int(row.marked),
                )
                for row in rows
            ],
        )

    def get(self, megram_id: str) -> MegramRow | None:
        rows = self._run("megram_get", (megram_id,))
        return _megram(rows[0]) if rows else None

    def remove(self, megram_id: str) -> None:
        for name in ("megram_remove", "megram_unrecall", "megram_unretire"):
            self._run(name, (megram_id,))

    def forget(self, space: str, entity: str) -> int:
        pair = (pair_digest(space, entity),)
        count, recalls, retirements = self._run("megram_count_of_pair", pair)[0]
        if recalls:  # there hardly ever are any, and a dream may forget pairs by the thousand
            self._run("megram_forget_recalls", pair)
        if retirements:
            self._run("megram_forget_retirements", pair)
        if count:
            self._run("megram_forget", pair)
        return int(count)

    def of_pair(self, space: str, entity: str, before: str = "", limit: int = 1000) -> list[MegramRow]:
        pair, below = pair_digest(space, entity), before or _ABOVE_ALL_IDS
        by_level = [map(_megram, self._run("megram_of_pair", (pair, level, below, limit))) for level in ("M", "K")]
        return list(islice(merge(*by_level, key=attrgetter("megram_id"), reverse=True), limit))

    def rules(self, space: str, entity: str) -> list[MegramRow]:
        return [_megram(row) for row in self._run("megram_rules", (pair_digest(space, entity),))]

    def scan(self, after: str = "", limit: int = 1000) -> list[MegramRow]:
        return [_megram(row) for row in self._run("megram_scan", (after, limit))]

    def counts(self) -> dict[str, int]:
        return {row[0]: int(row[1]) for row in self._run("megram_counts", ())}

    def has_rows(self, space: str, entity: str) -> bool:
        return bool(self._run("megram_any", (pair_digest(space, entity),)))

    def retire(self, megram_id: str, change_id: str) -> None:
        if change_id:
            self._run("megram_retire", (megram_id, change_id))
        else:
            self._run("megram_unretire", (megram_id,))

    def retired_by(self, megram_ids: Sequence[str]) -> dict[str, str]:
        return dict(self._about("megram_retired_by", megram_ids))

    def recall(self, megram_ids: Sequence[str], at_us: int) -> None:
        self._run_many("megram_recall", [(megram_id, at_us) for megram_id in megram_ids])

    def recalled_us(self, megram_ids: Sequence[str]) -> dict[str, int]:
        return dict(self._about("megram_recalled_us", megram_ids))

    def retirements(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        return [(row[0], row[1]) for row in self._run("retirement_scan", (after, limit))]

    def recalls(self, after: str = "", limit: int = 1000) -> list[tuple[str, int]]:
        return [(row[0], row[1]) for row in self._run("recall_scan", (after, limit))]

    def unrecall(self, megram_ids: Sequence[str]) -> None:
        self._run_many("megram_unrecall", [(megram_id,) for megram_id in megram_ids])

    def _about(self, name: str, megram_ids: Sequence[str]) -> Iterator[tuple[str, Any]]:
        for start in range(0, len(megram_ids), _AT_ONCE):
            some = tuple(megram_ids[start : start + _AT_ONCE])
            for row in self._run(name, some + some[-1:] * (_AT_ONCE - len(some))):
                yield row[0], row[1]

    def pair(self, space: str, entity: str) -> PairRow | None:
        rows = self._run("pair_get", (pair_digest(space, entity),))
        return PairRow(*rows[0]) if rows else None

    def put_pairs(self, rows: Sequence[PairRow]) -> None:
        self._run_many(
            "pair_put",
            [
                (
                    pair_digest(row.space, row.entity),
                    row.space,
                    row.entity,
                    int(len(row.space.encode()) + len(row.entity.encode()) > _SHORT_BYTES),
                    row.state,
                    row.due_us,
                )
                for row in rows
            ],
        )

    def pairs(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[PairRow]:
        parts = [
            [PairRow(*row) for row in self._run(name, (*after, limit))] for name in ("pair_scan", "pair_scan_long")
        ]
        return list(islice(merge(*parts, key=attrgetter("space", "entity")), limit))

    def due(self, until_us: int, limit: int = 1000) -> list[PairRow]:
        return [PairRow(*row) for row in self._run("pair_due", (until_us, limit))]

    def change(self, change_id: str) -> ChangeRow | None:
        rows = self._run("change_get", (change_id,))
        return ChangeRow(*rows[0]) if rows else None

    def put_change(self, row: ChangeRow) -> None:
        self._run("change_put", (row.change_id, row.kind, row.space, row.entity, row.place, row.body, row.undone_by))

    def changes(self, limit: int = 100) -> list[ChangeRow]:
        return [ChangeRow(*row) for row in self._run("change_recent", (limit,))]

    def all_changes(self, after: str = "", limit: int = 1000) -> list[ChangeRow]:
        return [ChangeRow(*row) for row in self._run("change_scan", (after, limit))]

    def clear(self, limit: int) -> int:
        self._run("experience_no_cursor", ())
        self._run("pair_remove", (pair_digest(*NO_PAIR),))
        gone = 0
        for name in ("megram_clear", "retirement_clear", "pair_clear", "change_clear"):
            if gone < limit:
                gone += len(self._run(name, (limit - gone,)))
        return gone

    def strays(self, limit: int = 1000) -> list[tuple[str, str]]:
        """Rows that would be looked for under another pair than the one they name."""
        found: list[tuple[str, str]] = []
        after = ""
        while len(found) < limit and (page := self._run("megram_digests", (after, _STEP))):
            found += [("megrams", row[0]) for row in page if bytes(row[1]) != pair_digest(row[2], row[3])]
            after = page[-1][0]
        last = b""
        while len(found) < limit and (page := self._run("pair_digests", (last, _STEP))):
            crooked = [bytes(row[0]) for row in page if bytes(row[0]) != pair_digest(row[1], row[2])]
            found += [("experience_pairs", digest.hex()) for digest in crooked]
            last = bytes(page[-1][0])
        return found[:limit]


def _megram(row: tuple[Any, ...]) -> MegramRow:
    megram_id, level, created_us, space, entity, content, key_refs, state, f, sigma, k, place, marked = row
    try:
        refs = tuple(canon.loads(key_refs))
    except (ValueError, TypeError):
        raise IntegrityFailure(f"the row of Megram {megram_id} is damaged") from None
    return MegramRow(
        megram_id, level, created_us, space, entity, content, refs, state, f, sigma, k, place, bool(marked)
    )
