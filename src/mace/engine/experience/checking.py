"""Comparing what lies in the store of experience with what the ledger's events give.

The events up to the store's cursor are projected again, beside it, and every table is compared both ways: a row that
was changed, added or deleted is a finding of its own. The cursor may be behind the ledger, never ahead. Not derived
from events, and so not compared: when a rule was last asked for (only that there is such a Megram, and that it is not
earlier than an import said), and when the Dreamer looks at a pair again (its seal says that nobody else set it).
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from typing import Any, TypeVar

from mace.core import canon
from mace.core.errors import MaceError
from mace.engine.experience.feed import Feed, is_good
from mace.engine.experience.sealed_since import was_sealed
from mace.engine.experience.sealing import CLEARING, Seals
from mace.engine.kernel import missing_keys as gone
from mace.engine.kernel.world import World
from mace.ledger.findings import Finding, missing_key
from mace.storage.experience_ports import NO_PAIR, Experience, ExperienceStore, PairRow
from mace.storage.ports import Tx

K = TypeVar("K", str, tuple[str, str])
V = TypeVar("V")
Row = tuple[K, V]
Pages = Callable[[K], list[tuple[K, V]]]

_STEP = 2000
_CHANGED, _EXTRA, _MISSING = "was changed", "is there, and no event gives it", "is gone"


def missing_keys(world: World) -> Iterator[Finding]:
    """Keys that words of experience are sealed under, as the events say, and that are gone without a paper."""
    keys = world.keys

    def look(tx: Tx) -> tuple[int, list[str]]:
        events = tx.events.experience(after, _STEP)
        refs = {
            ref for event in events if is_good(keys, event) for ref in _key_refs(canon.loads(event.body)["payload"])
        }
        return (events[-1].position if events else -1), gone.missing(tx, sorted(refs), keys)

    after = -1
    while True:
        after, lost = world.store.read(look)
        yield from map(missing_key, lost)
        if after < 0:
            return


def _key_refs(payload: dict[str, Any]) -> Iterator[str]:
    """The keys of every sealed part of an event: a Megram, a rule, its successor, what an engine was asked."""
    imported = payload.get("megrams")  # of a change it is their number
    for held in [payload.get(name) for name in _SEALED] + (imported if isinstance(imported, list) else []):
        if isinstance(held, dict):
            yield from held["key_refs"]


_SEALED = ("megram", "rule", "successor", "asked")


def check(
    world: World, store: ExperienceStore, beside: Callable[[], ExperienceStore], scratch: Callable[[], Experience]
) -> Iterator[Finding]:
    """Yield what differs; `store` is the store itself, under the seals."""
    yield from missing_keys(world)
    seals, must_be_sealed = Seals(world.keys), was_sealed(world)
    with closing(beside()) as anew:
        ends = _Ends(world, Feed(world, anew, scratch))
        first = _reading("experience_cursor", lambda: store.read(lambda x: x.cursor()))
        if isinstance(first, Finding):
            yield first
            return
        ends.project(first)

        def look(x: Experience) -> list[Finding]:
            cursor = x.cursor()
            if cursor == CLEARING:  # somebody makes everything anew
                return []
            ends.project(cursor)  # others may have gone on meanwhile
            return anew.read(lambda y: list(_Comparison(x, y, seals, must_be_sealed).all(ends)))

        found = _reading("experience_cursor", lambda: store.read(look))
        yield from [found] if isinstance(found, Finding) else found


class _Ends:
    """How far the ledger goes, and projecting up to a place."""

    def __init__(self, world: World, feed: Feed) -> None:
        self._world = world
        self._feed = feed

    def project(self, cursor: int) -> None:
        self._feed.catch_up(until=cursor)

    def is_behind(self, cursor: int) -> bool:
        """Say whether there are events to project behind this position."""
        return bool(self._world.store.read(lambda tx: tx.events.experience(cursor, 1)))

    def is_a_place(self, cursor: int) -> bool:
        """Say whether there is an event that is projected at this position."""
        found = self._world.store.read(lambda tx: tx.events.experience(cursor - 1, 1))
        return bool(found) and found[0].position == cursor


class _Unreadable(Exception):
    """A row that cannot even be read; behind which one it lies."""


class _Comparison:
    def __init__(self, held: Experience, anew: Experience, seals: Seals, must_be_sealed: bool) -> None:
        self._held = held
        self._anew = anew  # without seals
        self._seals = seals
        note = held.pair(*NO_PAIR)
        # Rows of an earlier version have no seals; those are made anew by whoever writes first.
        self._sealed = note is not None or must_be_sealed

    def all(self, ends: _Ends) -> Iterator[Finding]:
        yield from self._cursor(ends)
        x, y = self._held, self._anew
        yield from self._table("megrams", self._megrams, lambda after: [(r.megram_id, r) for r in y.scan(after, _STEP)])
        yield from self._table("megram_retirements", self._retirements, lambda after: y.retirements(after, _STEP))
        yield from self._table(
            "experience_changes", self._changes, lambda after: [(r.change_id, r) for r in y.all_changes(after, _STEP)]
        )
        yield from self._pairs()
        yield from self._recalls(orphans=not ends.is_behind(x.cursor()))
        for table, key in x.strays():
            yield _finding(table, {"key": key}, "lies under another name than its own", key)

    def _cursor(self, ends: _Ends) -> Iterator[Finding]:
        position, note = self._held.cursor(), self._held.pair(*NO_PAIR)
        if note is None:  # nothing was projected yet, or by an earlier version
            is_sealed = not self._sealed or position == -1
        else:
            is_sealed = note.state == self._seals.cursor(position)
        if not is_sealed or (position != -1 and not ends.is_a_place(position)):
            yield _finding("experience_cursor", {"position": position}, "is not where the last projection left it", "")

    # Rows as they are stored, opened; one whose seal is wrong is as good as changed

    def _megrams(self, after: str, limit: int) -> list[tuple[str, Any]]:
        return [(row.megram_id, self._opened(row, self._seals.opened_megram)) for row in self._held.scan(after, limit)]

    def _changes(self, after: str, limit: int) -> list[tuple[str, Any]]:
        found = self._held.all_changes(after, limit)
        return [(row.change_id, self._opened(row, self._seals.opened_change)) for row in found]

    def _retirements(self, after: str, limit: int) -> list[tuple[str, Any]]:
        found = self._held.retirements(after, limit)
        if not self._sealed:
            return list(found)
        opened = ((name, held, self._seals.opened_retirement(name, held)) for name, held in found)
        return [(name, ("changed", held) if by is None else by) for name, held, by in opened]

    def _opened(self, row: V, opened: Callable[[V], V | None]) -> Any:
        if not self._sealed:
            return row
        plain = opened(row)
        return ("changed", row) if plain is None else plain

    def _table(
        self,
        table: str,
        held: Callable[[str, int], list[tuple[str, Any]]],
        anew: Callable[[str], list[tuple[str, Any]]],
    ) -> Iterator[Finding]:
        try:
            for key, is_row, must_be in _side_by_side(_read_on(held), _walk(anew, "")):
                yield from _compared(table, {"key": key}, is_row, must_be)
        except _Unreadable as failed:
            yield _finding(
                table, {"after": str(failed.args[0])}, f"has a row that cannot be read: {failed.args[1]}", ""
            )

    def _pairs(self) -> Iterator[Finding]:
        def held(after: tuple[str, str]) -> list[tuple[tuple[str, str], Any]]:
            found = self._held.pairs(after, _STEP)
            return [((r.space, r.entity), _state(self._opened(r, self._seals.opened_pair))) for r in found]

        def anew(after: tuple[str, str]) -> list[tuple[tuple[str, str], Any]]:
            return [((r.space, r.entity), r.state) for r in self._anew.pairs(after, _STEP)]

        try:
            for (space, entity), is_row, must_be in _side_by_side(_walk(held, NO_PAIR), _walk(anew, NO_PAIR)):
                yield from _compared("experience_pairs", {"space": space, "entity": entity}, is_row, must_be)
        except _FAILURES as error:
            yield _finding("experience_pairs", {}, f"has a row that cannot be read: {type(error).__name__}", str(error))

    def _recalls(self, *, orphans: bool) -> Iterator[Finding]:
        """Recalls outlast their Megrams while these are made anew: a store that is behind may have orphans."""

        def held(after: str) -> list[tuple[str, int]]:
            return self._held.recalls(after, _STEP)

        try:
            for megram_id, at_us in _walk(held, ""):
                where = {"key": megram_id}
                if orphans and self._anew.get(megram_id) is None:
                    yield _finding("megram_recalls", where, "is of a Megram that is not there", at_us)
            for megram_id, at_us in _walk(lambda after: self._anew.recalls(after, _STEP), ""):
                if self._held.recalled_us([megram_id]).get(megram_id, at_us - 1) < at_us:
                    yield _finding("megram_recalls", {"key": megram_id}, "is earlier than an import said", at_us)
        except _FAILURES as error:
            yield _finding("megram_recalls", {}, f"has a row that cannot be read: {type(error).__name__}", str(error))


_FAILURES = (MaceError, ValueError, TypeError, LookupError, AttributeError)


def _reading(table: str, look: Callable[[], V]) -> V | Finding:
    """What is read, or the finding that it cannot be."""
    try:
        return look()
    except (ValueError, TypeError, LookupError) as error:
        return _finding(table, {}, f"cannot be read: {type(error).__name__}", str(error))


def _walk(page: Callable[[K], list[tuple[K, V]]], after: K) -> Iterator[tuple[K, V]]:
    while rows := page(after):
        yield from rows
        after = rows[-1][0]


def _read_on(page: Callable[[str, int], list[tuple[str, Any]]]) -> Iterator[tuple[str, Any]]:
    """All rows by their key; where a page cannot be read, one by one up to the row that cannot."""
    after, limit = "", _STEP
    while True:
        try:
            rows = page(after, limit)
        except _FAILURES as error:
            if limit == 1:
                raise _Unreadable(after, f"{type(error).__name__}") from None
            limit = 1
            continue
        if not rows:
            return
        yield from rows
        after = rows[-1][0]


def _side_by_side(held: Iterator[tuple[K, Any]], anew: Iterator[tuple[K, Any]]) -> Iterator[tuple[K, Any, Any]]:
    """Every key of either side with what it has there; None where it has nothing. Both come in the same order."""
    one, other = next(held, None), next(anew, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            assert one is not None
            yield one[0], one[1], None
            one = next(held, None)
        elif one is None or other[0] < one[0]:
            yield other[0], None, other[1]
            other = next(anew, None)
        else:
            yield one[0], one[1], other[1]
            one, other = next(held, None), next(anew, None)


def _compared(table: str, where: dict[str, Any], is_row: Any, must_be: Any) -> Iterator[Finding]:
    if is_row == must_be:
        return
    what = _EXTRA if must_be is None else _MISSING if is_row is None else _CHANGED
    yield _finding(table, where, what, is_row)


def _state(row: Any) -> Any:
    return row.state if isinstance(row, PairRow) else row


def _finding(table: str, where: dict[str, Any], what: str, row: Any) -> Finding:
    name = " ".join(str(value) for value in where.values())
    evidence = {"sha256": sha256(repr(row).encode("utf-8", "surrogatepass")).hexdigest()}
    told = {key: value if isinstance(value, int) else _sayable(value) for key, value in where.items()}
    return Finding("PROJECTION_CHANGED", {"table": table, **told}, f"{table} {_sayable(name)} {what}", evidence)


def _sayable(text: Any) -> str:
    return str(text).encode("utf-8", "replace").decode()
