"""What each event of the ledger does to the store of experience. The same events always give the same rows.

A change of the Dreamer names the pair's last change and its last Megram as it saw them; if either has moved since, the
event does nothing, here and in every other projection. Changes of one pair form a stack: only the last one can be
rolled back. A pair that was rolled back is left alone until something new happens to it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mace.core import canon
from mace.core.events import StoredEvent
from mace.engine.experience import rows, sealing
from mace.memory.experience import pairs
from mace.memory.experience.megrams import RULE, read_instant, to_us
from mace.memory.experience.pairs import Pair
from mace.memory.experience.potentials import Sums
from mace.storage.experience_ports import NEVER, ChangeRow, Experience, MegramRow, PairRow

# The M and K of a pair as they stood before the event at a position, from the ledger.
Past = Callable[[str, str, int, int], list[MegramRow]]
Key = tuple[str, str]
Shelf = dict[str, list[MegramRow]]  # what a forgetting took away, by the change's id
IMPORTED = "imported"  # stands for the change that retired a rule elsewhere
RETRACTED = "retracted"  # ... for whoever took a Megram back; stays when its row goes, so that nothing revives it


def apply(
    x: Experience,
    events: Sequence[StoredEvent],
    past: Past,
    only: Key | None = None,
    shelf: Shelf | None = None,
    *,
    careful: bool = False,
) -> None:
    """Project events in their order, all of them or those about one pair.

    Whoever projects a pair from its first event gives a `shelf` for what is forgotten on the way: a roll-back then
    takes it from there and need not go back itself. `careful` looks for each Megram whether it is there already.
    """
    batch = _Batch(x, past, only, shelf, careful)
    for event in events:
        batch.take(event, canon.loads(event.body)["payload"])
    batch.write()


class _Batch:
    """Rows and pairs are written together at the end, or before something that must find them."""

    def __init__(self, x: Experience, past: Past, only: Key | None, shelf: Shelf | None, careful: bool) -> None:
        self._x = x
        self._past = past
        self._only = only
        self._shelf = shelf
        self._careful = careful
        self._pairs: dict[Key, Pair] = {}
        self._rows: list[MegramRow] = []

    def take(self, event: StoredEvent, payload: dict[str, Any]) -> None:
        match event.event_type:
            case "MEGRAM_WRITTEN":
                self._add(rows.from_json(payload["megram"], event.position), event)
            case "EXPERIENCE_IMPORTED":
                self._import(event, payload)
            case "MEGRAM_RETRACTED":
                if self._only is None or self._only == (payload["space"], payload["entity"]):
                    self._retract(event, payload)
            case kind if self._only is None or self._only == (payload["space"], payload["entity"]):
                self._change(kind, event, payload)

    def write(self) -> None:
        self._write_rows()
        if self._pairs:
            self._x.put_pairs([PairRow(p.space, p.entity, p.packed(), _due_us(p)) for p in self._pairs.values()])
            self._pairs = {}

    def _write_rows(self) -> None:
        if self._rows:
            self._x.add(self._rows)
            self._rows = []

    def _pair(self, space: str, entity: str, position: int) -> Pair:
        key = (space, entity)
        pair = self._pairs.get(key)
        if pair is None:
            held = self._x.pair(space, entity)
            pair = Pair(space, entity, since=position) if held is None else pairs.unpacked(space, entity, held.state)
            self._pairs[key] = pair
        return pair

    def _add(self, row: MegramRow, event: StoredEvent) -> None:
        if self._only is not None and self._only != (row.space, row.entity):
            return
        if self._careful:
            self.write()
            if self._x.get(row.megram_id) is not None:  # it came from elsewhere before
                return
        pair = self._pair(row.space, row.entity, event.position)
        self._rows.append(row)
        pair.witness(event.hash, row.megram_id)
        pair.last_written = event.position
        pair.held = 0
        if row.level == RULE:
            _count_rule(pair, row.sigma, 1)
        else:
            pair.count_in(row.f, row.sigma, row.k, row.created_us, marked=row.marked)

    def _import(self, event: StoredEvent, payload: dict[str, Any]) -> None:
        self.write()
        for item in payload["megrams"]:
            row = rows.from_json(item, event.position, marked=item["marked"])
            if self._only is not None and self._only != (row.space, row.entity):
                continue
            if self._is_retracted(row.megram_id):  # an old file does not bring it back
                continue
            if self._x.get(row.megram_id) is None:
                self._add(row, event)
                self.write()
                if item["retired"]:
                    self._x.retire(row.megram_id, IMPORTED)
                    _count_rule(self._pair(row.space, row.entity, event.position), row.sigma, -1)
            if item["last_recalled_at"] is not None:
                recalled = to_us(read_instant(item["last_recalled_at"], "last_recalled_at"))
                self._x.recall([row.megram_id], recalled)
        for space, entity in payload["held"]:
            if self._only is None or self._only == (space, entity):
                self._pair(space, entity, event.position).held = 1

    # Taking back

    def _retract(self, event: StoredEvent, payload: dict[str, Any]) -> None:
        """One Megram counts no longer; whatever the Dreamer decided while it still did is overtaken.

        A row of M or K goes, a rule is retired. The changes of the pair stay as they are, and so do rules that were
        made of it.
        """
        self.write()
        megram_id = payload["megram_id"]
        if self._is_retracted(megram_id):
            return
        row, was_retired = self._x.get(megram_id), bool(self._x.retired_by([megram_id]))
        if row is None:  # forgotten meanwhile: if that is rolled back, this one stays away
            self._x.retire(megram_id, RETRACTED)
            return
        pair = self._pair(row.space, row.entity, event.position)
        if row.level != RULE:
            self._x.remove(megram_id)
            self._count_again(pair, pair.count - 1)
        elif not was_retired:
            _count_rule(pair, row.sigma, -1)
        self._x.retire(megram_id, RETRACTED)
        pair.witness(event.hash, megram_id)
        pair.last_written = event.position

    def _is_retracted(self, megram_id: str) -> bool:
        return self._x.retired_by([megram_id]).get(megram_id) == RETRACTED

    # Changes

    def _change(self, kind: str, event: StoredEvent, payload: dict[str, Any]) -> None:
        pair = self._pair(payload["space"], payload["entity"], event.position)
        if kind == "EXPERIENCE_ROLLED_BACK":
            if pair.last_change == payload["undoes"]:
                self._roll_back(pair, payload)
            return
        if pair.last_change != payload["after"] or pair.last_written != payload["through"]:
            return  # overtaken
        body: dict[str, Any] = {"previous": pair.last_change}
        if kind == "EXPERIENCE_PROMOTED":
            body |= self._promote(pair, event, payload)
        elif kind == "EXPERIENCE_DEMOTED":
            body |= self._demote(pair, event, payload)
        elif kind == "EXPERIENCE_FORGOTTEN":
            self._forget(pair, payload["change_id"])
        told = {name: payload[name] for name in ("kind", "attention", "decision", "why", "at", "evidence_hash")}
        if "by" in payload:  # events of earlier versions do not say it
            told["by"] = payload["by"]
        change_id = payload["change_id"]
        pair.last_change = change_id
        self._x.put_change(
            ChangeRow(
                change_id, payload["kind"], pair.space, pair.entity, event.position, canon.dumps({**told, **body}), ""
            )
        )

    def _promote(self, pair: Pair, event: StoredEvent, payload: dict[str, Any]) -> dict[str, Any]:
        before = pair.marked_through
        pair.marked_through = event.position  # everything that is there now
        pair.fresh = Sums()
        if payload["rule"] is None:  # the same words stand already
            return {"marked_through": before, "rule_id": payload["confirms"], "confirmed": True}
        row = rows.from_json(payload["rule"], event.position)
        self._rows.append(row)
        _count_rule(pair, row.sigma, 1)
        return {"marked_through": before, "rule_id": row.megram_id, "confirmed": False}

    def _demote(self, pair: Pair, event: StoredEvent, payload: dict[str, Any]) -> dict[str, Any]:
        row = rows.from_json(payload["successor"], event.position)
        self._rows.append(row)
        self._x.retire(payload["rule_id"], payload["change_id"])
        _count_rule(pair, row.sigma, -1)
        pair.count_in(row.f, row.sigma, row.k, row.created_us)
        return {"rule_id": payload["rule_id"], "successor_id": row.megram_id}

    def _forget(self, pair: Pair, change_id: str) -> None:
        self._write_rows()  # what this very batch brought goes too; pairs can wait, and then go in all together
        if self._shelf is not None:
            self._shelf[change_id] = all_of_pair(self._x, pair.space, pair.entity)
        self._x.forget(pair.space, pair.entity)
        pair.live, pair.fresh, pair.count, pair.newest_us = Sums(), Sums(), 0, 0

    def _roll_back(self, pair: Pair, payload: dict[str, Any]) -> None:
        self.write()
        self._pairs[pair.space, pair.entity] = pair
        change = self._x.change(payload["undoes"])
        if change is None:
            return
        body = canon.loads(change.body)
        left = pair.count
        if change.kind == "promotion":
            pair.marked_through = body["marked_through"]
            if not body["confirmed"] and not self._is_retracted(body["rule_id"]):
                self._x.retire(body["rule_id"], payload["change_id"])
                self._count_rule_of(pair, body["rule_id"], -1)
        elif change.kind == "demotion":
            left -= self._x.get(body["successor_id"]) is not None
            self._x.remove(body["successor_id"])
            if not self._is_retracted(body["rule_id"]):
                self._x.retire(body["rule_id"], "")
                self._count_rule_of(pair, body["rule_id"], 1)
        else:
            gone = self._gone(pair, change)
            taken = self._x.retired_by([row.megram_id for row in gone])
            back = [row for row in gone if taken.get(row.megram_id) != RETRACTED]
            back = [row for row in back if self._x.get(row.megram_id) is None]  # an import may have been first
            self._x.add(back)
            left += len(back)
        self._count_again(pair, left)
        pair.last_change = body["previous"]
        pair.held = 1
        self._x.put_change(
            ChangeRow(
                change.change_id,
                change.kind,
                change.space,
                change.entity,
                change.place,
                change.body,
                payload["change_id"],
            )
        )

    def _gone(self, pair: Pair, change: ChangeRow) -> list[MegramRow]:
        if self._shelf is not None:
            return self._shelf[change.change_id]
        return self._past(pair.space, pair.entity, pair.since, change.place)

    def _count_rule_of(self, pair: Pair, rule_id: str, more: int) -> None:
        row = self._x.get(rule_id)
        if row is not None:
            _count_rule(pair, row.sigma, more)

    def _count_again(self, pair: Pair, count: int) -> None:
        """Sum a pair anew from its rows; after a roll-back or a retraction: floats cannot be taken out of a sum.

        `count` is how many rows there must be: what somebody deleted must not be left out for good.
        """
        pair.live, pair.fresh, pair.count, pair.newest_us = Sums(), Sums(), 0, 0
        for row in all_of_pair(self._x, pair.space, pair.entity):
            marked = row.marked or row.place <= pair.marked_through
            pair.count_in(row.f, row.sigma, row.k, row.created_us, marked=marked)
        if pair.count != count:
            sealing.changed("the number of Megrams of a pair")


def all_of_pair(x: Experience, space: str, entity: str) -> list[MegramRow]:
    """All M and K of a pair, newest first."""
    found: list[MegramRow] = []
    while page := x.of_pair(space, entity, found[-1].megram_id if found else "", 5000):
        found += page
    return found


def _due_us(pair: Pair) -> int:
    """Whatever happened to a pair, the Dreamer looks at it; unless it is held or nothing is left that could change."""
    return NEVER if pair.held or not pair.count else 0


def _count_rule(pair: Pair, sigma: float, more: int) -> None:
    if sigma > 0:
        pair.rules_for += more
    else:
        pair.rules_against += more
