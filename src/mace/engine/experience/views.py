"""Looking at everything at once: all pairs with their potentials, and how one pair came to its own."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from mace.core.errors import InvalidInput
from mace.memory.experience import dreaming, megrams, pairs
from mace.memory.experience.potentials import Sums
from mace.storage.experience_ports import Experience, ExperienceStore, MegramRow, PairRow

_MAX_ROWS_OF_A_HISTORY = 100_000


class Views:
    """Read-only views of all experience: pairs, and the history of one pair."""

    def __init__(self, store: ExperienceStore) -> None:
        self._store = store

    def rules(self, part: str | None, limit: int, after: str | None) -> list[MegramRow]:
        """The live rules of all pairs, or of those with a tag that contains this; from behind one of them on."""
        last = None if after is None else self._store.read(lambda x: x.get(after))
        if after is not None and (last is None or last.level != megrams.RULE):
            raise InvalidInput("after must be the id of a rule")
        found: list[MegramRow] = []
        if last is not None and _has(last.space, last.entity, part):
            beside = self._store.read(lambda x: x.rules(last.space, last.entity))
            found = [row for row in beside if row.megram_id < last.megram_id]
        for page in pair_pages(self._store, ("", "") if last is None else (last.space, last.entity)):
            if len(found) >= limit:
                break
            wanted = [row for row in page if _has(row.space, row.entity, part) and _has_rules(row)]
            found += self._store.read(partial(_rules_of, rows=wanted, limit=limit - len(found)))
        return found[:limit]

    def pairs(self, now_us: int, part: str | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for page in pair_pages(self._store):
            for row in page:
                if not _has(row.space, row.entity, part):
                    continue
                pair = pairs.unpacked(row.space, row.entity, row.state)
                if pair.count or pair.rules_for or pair.rules_against:
                    live = pair.potentials(now_us)
                    found.append(
                        {
                            "space": pair.space,
                            "entity": pair.entity,
                            "attention": live.attention,
                            "decision": live.decision,
                            "action": live.action,
                            "megrams": pair.count,
                            "rules": pair.rules_for + pair.rules_against,
                            "newest_at": megrams.iso_of(pair.newest_us) if pair.count else None,
                            "due_at": megrams.iso_of(row.due_us) if 0 < row.due_us < 2**55 else None,
                            "fades_at": _instant(dreaming.forgotten_us(pair, now_us)),
                        }
                    )
        return sorted(found, key=lambda item: (-item["attention"], item["space"], item["entity"]))

    def history(self, space: str, entity: str, now_us: int, points: int) -> dict[str, Any]:
        """Add the Megrams up in the order of their time and look at the sums at instants between."""
        found: list[MegramRow] = []
        while len(found) < _MAX_ROWS_OF_A_HISTORY:
            before = found[-1].megram_id if found else ""
            page = self._store.read(partial(_page_of_pair, space=space, entity=entity, before=before))
            found += page
            if not page:
                break
        found.reverse()
        if not found:
            return {"points": [], "megrams": 0, "cut": False}
        end = max(now_us, found[-1].created_us)
        start = found[0].created_us
        sums, at, told = Sums(), 0, []
        for number in range(points):
            instant = start + (end - start) * number // (points - 1)
            while at < len(found) and found[at].created_us <= instant:
                row = found[at]
                sums.add(row.f, row.sigma, row.k, row.created_us)
                at += 1
            live = sums.at(instant)
            told.append({"at": megrams.iso_of(instant), "attention": live.attention, "decision": live.decision})
        return {"points": told, "megrams": len(found), "cut": len(found) >= _MAX_ROWS_OF_A_HISTORY}


def _page_of_pair(x: Experience, space: str, entity: str, before: str) -> list[MegramRow]:
    return x.of_pair(space, entity, before, 5000)


def _page_of_pairs(x: Experience, after: tuple[str, str]) -> list[PairRow]:
    return x.pairs(after, 5000)


def _has(space: str, entity: str, part: str | None) -> bool:
    """Say whether a tag contains this, which is folded; whatever the case."""
    return part is None or part in space.casefold() or part in entity.casefold()


def _has_rules(row: PairRow) -> bool:
    pair = pairs.unpacked(row.space, row.entity, row.state)
    return bool(pair.rules_for or pair.rules_against)


def _rules_of(x: Experience, rows: list[PairRow], limit: int) -> list[MegramRow]:
    found: list[MegramRow] = []
    for row in rows:
        if len(found) >= limit:
            break
        found += x.rules(row.space, row.entity)
    return found


def pair_pages(store: ExperienceStore, after: tuple[str, str] = ("", "")) -> Iterator[list[PairRow]]:
    """All pairs, or those behind this one, a page at a time."""
    while page := store.read(partial(_page_of_pairs, after=after)):
        yield page
        after = (page[-1].space, page[-1].entity)


def _instant(microseconds: int) -> str | None:
    """An instant as text, or None when it lies beyond the calendar."""
    return megrams.iso_of(microseconds) if microseconds < 2**55 else None
