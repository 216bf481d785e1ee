"""Turns as they are kept: each a signed record, its words sealed under a key of its own below its person's key.

So one turn can be taken away, one conversation, or everything, and the record stays whole. An event names every turn;
what no event names was never said, and what is not as its event says is not given out.
"""

import base64
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from mace.core import canon
from mace.core.errors import Conflict, Erased, IntegrityFailure
from mace.core.subjects import references
from mace.core.turn_ids import KIND, parse_turn_id, turn_id_of
from mace.engine.kernel.bound import Bound, Named
from mace.engine.kernel.gate import Gate
from mace.engine.kernel.journal import Journal
from mace.engine.kernel.let_in import LetIn, told_by
from mace.engine.kernel.missing_keys import is_erased, missing
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance.spans import spans_of
from mace.ledger import records, rows
from mace.memory.people.turns import Turn, from_plain
from mace.storage.ports import Record, Tx

EVENT = "TURNS_REMEMBERED"
_PER_EVENT = 50  # turns that one event names: reading one turn reads its event
_PAGE = 500
_MOST_LOOKED_FOR = 2000  # turns without a key
_FEW = 2000  # turns whose keys are asked for one by one, rather than for all of a person


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn that was read: what was said, in which conversation, and whether it may be given out."""

    turn_id: str
    number: int
    conversation: str  # the keyed name of its conversation
    turn: Turn | None  # None where it was erased, or is damaged
    let_in: LetIn | None = None
    is_damaged: bool = False  # nobody erased it, and it is not what was kept


class Turns:
    """Keeps turns and reads them."""

    def __init__(self, world: World, vault: Vault, bound: Bound, gate: Callable[[], Gate]) -> None:
        self._world = world
        self._vault = vault
        self._bound = bound
        self._gate = gate

    def count(self, tx: Tx, person: str) -> int:
        """How many turns of a person were ever kept, which is the number of the next one."""
        last = tx.events.last_under(f"{KIND}/{person}/")
        parsed = None if last is None else parse_turn_id(last)
        if last is not None and parsed is None:
            raise IntegrityFailure("the index of turns was changed; run verify")
        number = 0 if parsed is None else parsed[1] + 1
        while tx.records.get(KIND, turn_id_of(person, number).removeprefix(f"{KIND}/")) is not None:
            number += 1  # a row that is nobody's: no turn takes its place
        return number

    def changed_at(self, tx: Tx, person: str) -> int:
        """The position of the last erasure or restore of something of a person, -1 without one."""
        at = -1
        for event in tx.events.about(f"erased/{person}"):
            at = max(at, event.position)
            try:
                dsr_id = str(canon.loads(event.body)["payload"]["dsr_id"])
            except (ValueError, LookupError, TypeError):
                continue  # changed, which verification names
            back = tx.events.about(f"erasure_restored/{dsr_id}", 1)
            at = max(at, back[0].position if back else -1)
        return at

    def next_ids(self, tx: Tx, person: str, count: int) -> list[str]:
        """The ids that the next turns of a person will have."""
        first = self.count(tx, person)
        return [turn_id_of(person, first + at) for at in range(count)]

    def conversation(self, tx: Tx, person: str, conversation_id: str) -> str:
        """What a conversation is called outside its turns: a hash that says nothing once the person is erased."""
        return self._vault.person_hash(tx, person, b"conversation\0" + conversation_id.encode())[:32]

    def add(
        self,
        tx: Tx,
        journal: Journal,
        person: str,
        turns: Sequence[tuple[Turn, LetIn | None]],
        *,
        also: Sequence[Mapping[str, str]] = (),
        talk: Mapping[str, str] | None = None,
        by: str = "system",
    ) -> list[str]:
        """Keep turns of one conversation in their order and return their ids.

        `also` are rows that the event names, `talk` is what it says of the conversation (`conversations`).
        """
        tx.lock(f"turns/{person}")
        first = self.count(tx, person)
        conversation = self.conversation(tx, person, turns[0][0].conversation_id)
        made = [
            self._made(tx, person, first + at, conversation, turn, let_in) for at, (turn, let_in) in enumerate(turns)
        ]
        for start in range(0, len(made), _PER_EVENT):
            part = made[start : start + _PER_EVENT]
            for record in part:
                self._bound.add(tx, record)
            named: list[Mapping[str, str]] = [records.reference(record) for record in part]
            payload = {
                "person": person,
                "conversation": conversation,
                "turns": len(part),
                "records": named + (list(also) if start == 0 else []),
                **((talk or {}) if start == 0 else {}),
            }
            journal.event(tx, EVENT, payload, by)
        return [turn_id_of(person, first + at) for at in range(len(made))]

    def _made(self, tx: Tx, person: str, number: int, conversation: str, turn: Turn, let_in: LetIn | None) -> Record:
        turn_id = turn_id_of(person, number)
        sealed = self._vault.seal(tx, turn_id, person, turn.plain(), turn_id)
        body: dict[str, Any] = {
            "person": person,
            "conversation": conversation,
            "key": turn_id,
            "sealed": base64.b64encode(sealed).decode(),
        }
        if let_in is not None:
            body["let_in"] = let_in.payload()
        return records.make(KIND, turn_id.removeprefix(f"{KIND}/"), body, self._world.keys.sign, parent=person)

    # Reading

    def between(self, tx: Tx, person: str, first: int, stop: int) -> Iterator[Kept]:
        """The turns with these numbers that have a key, by number; what is damaged comes without its words.

        What has no key was erased, or verification names it: of very many turns that are gone none is looked at.
        """
        there: Sequence[int] = range(first, stop)
        is_few = len(there) <= _FEW
        if not is_few:
            there = [number for number in self._there(tx, person) if first <= number < stop]
        names: dict[str, str] = {}  # of conversations, as they are called now: a restore comes with another key
        for at in range(0, len(there), _PAGE):
            page = there[at : at + _PAGE]
            named = self._bound.names_between(tx, KIND, turn_id_of(person, page[0]), turn_id_of(person, page[-1]))
            for number in page:
                held = named.get(turn_id_of(person, number).removeprefix(f"{KIND}/"))
                if held is None or (is_few and tx.vault.key(turn_id_of(person, number)) is None):
                    continue
                kept = self._kept(tx, person, number, held)
                if kept.turn is not None:
                    talk = kept.turn.conversation_id
                    if talk not in names:
                        names[talk] = self.conversation(tx, person, talk)
                    kept = replace(kept, conversation=names[talk])
                yield kept

    @staticmethod
    def _there(tx: Tx, person: str) -> list[int]:
        """The numbers of the turns of a person that have a key, in order."""
        found = map(parse_turn_id, tx.vault.keys_under(f"person/{person}", f"{KIND}/"))
        return sorted(parsed[1] for parsed in found if parsed is not None and parsed[0] == person)

    def lost(self, tx: Tx, person: str, first: int, stop: int) -> list[int]:
        """The numbers of turns that lost their keys and that nobody erased; of very many without one none is named."""
        there = set(self._there(tx, person)) if stop - first > _FEW else None
        refs = [
            turn_id_of(person, number)
            for number in range(first, stop)
            if (tx.vault.key(turn_id_of(person, number)) is None if there is None else number not in there)
        ]
        gone = missing(tx, refs, self._world.keys) if len(refs) <= _MOST_LOOKED_FOR else []
        return [parsed[1] for parsed in map(parse_turn_id, gone) if parsed is not None]

    def is_erased(self, tx: Tx, turn_id: str) -> bool:
        """Say whether a paper says that a turn was erased."""
        return is_erased(tx, turn_id, self._world.keys)

    def first_there(self, tx: Tx, person: str, start: int) -> int | None:
        """The number of the first turn from there on that has a key."""
        return next((number for number in self._there(tx, person) if number >= start), None)

    def one(self, tx: Tx, turn_id: str) -> Kept | None:
        """One turn, held against its event; None where no event names it."""
        parsed = parse_turn_id(turn_id)
        if parsed is None:
            return None
        named = self._bound.one_of_many(tx, KIND, turn_id.removeprefix(f"{KIND}/"))
        return None if named is None else self._kept(tx, *parsed, named)

    def _kept(self, tx: Tx, person: str, number: int, named: Named) -> Kept:
        body = self._bound.if_intact(tx, KIND, named)
        turn_id = turn_id_of(person, number)
        if body is None:
            return Kept(turn_id, number, "", None, is_damaged=True)
        let_in = told_by(body["let_in"]) if "let_in" in body else None
        try:
            plain = self._vault.unseal(tx, turn_id, base64.b64decode(body["sealed"]), turn_id)
        except (IntegrityFailure, ValueError, TypeError):  # verification names it
            return Kept(turn_id, number, body["conversation"], None, let_in, is_damaged=True)
        turn = None if plain is None else from_plain(plain)
        return Kept(turn_id, number, body["conversation"], turn, let_in)

    def is_served(self, tx: Tx, person: str, kept: Kept) -> bool:
        """Say whether a turn may be given out: not once it was erased, or when only an ended consent covers it."""
        if kept.turn is None:
            return False
        return kept.let_in is None or self._gate().stands(tx, person, kept.let_in).served

    def exists(self, tx: Tx, turn_id: str) -> bool:
        """Say whether a turn of this id was ever kept."""
        return self._bound.happened(tx, KIND, turn_id.removeprefix(f"{KIND}/"))

    def of_conversations(self, tx: Tx, person: str, conversations: Collection[str]) -> list[str]:
        """The ids of the turns of these conversations that are still there, by their keyed names."""
        stop = self.count(tx, person)
        return [kept.turn_id for kept in self.between(tx, person, 0, stop) if kept.conversation in conversations]

    def no_longer_served(self, tx: Tx, person: str) -> list[str]:
        """The ids of the turns of a person that only ended consents cover."""
        if not tx.events.is_spoken_of(f"consents/{person}"):
            return []  # nobody ever asked this person
        found = []
        after, below = f"{person}/", f"{person}/"
        while page := [row for row in tx.records.scan(KIND, after) if row.key.startswith(below)]:
            for row in page:
                if b'"let_in"' in row.body and tx.vault.key(f"{KIND}/{row.key}") is not None:
                    with suppress(IntegrityFailure):  # which is verification's
                        kept = self.one(tx, f"{KIND}/{row.key}")
                        if kept is not None and kept.turn is not None and not self.is_served(tx, person, kept):
                            found.append(kept.turn_id)
            after = page[-1].key
        return found

    def forget_answers(self, tx: Tx, person: str, numbers: Collection[int]) -> int:
        """Drop what was answered to retried calls that kept one of these turns; return how many."""
        dropped = 0
        for first, last in spans_of(numbers):
            for start in range(first, last + 1, _PAGE):
                end = min(start + _PAGE - 1, last)
                for event in tx.events.about_between(turn_id_of(person, start), turn_id_of(person, end)):
                    for held in references(canon.loads(event.body)["payload"]):
                        if held["kind"] == rows.IDEMPOTENCY:
                            dropped += tx.idempotency.drop(held["key"])
        return dropped

    def key_of(self, tx: Tx, turn_id: str) -> bytes:
        """The key that a turn is sealed under; `Conflict` where it was erased."""
        try:
            return self._vault.open_key(tx, turn_id)
        except Erased:
            raise Conflict("the turns of this idempotency_key were erased since; use a new idempotency_key") from None
