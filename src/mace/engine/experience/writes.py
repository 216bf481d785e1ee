"""Putting a Megram on the ledger, and taking one back: who may, and in which words it is recorded.

The solver and an admin write, and every agent that the list of writing agents names, under its own name
(`agent:<id>`). The list is read with each write, and a module that is blocked or quarantined may not write, as with
facts. The event's `signed_by` says who wrote; a row of the store leads to its event.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mace.core import canon
from mace.core.errors import InvalidInput, MaceError, NotFound, PermissionDenied
from mace.engine.experience import arguments, rows
from mace.engine.experience.consented import KEY as _KEY
from mace.engine.experience.parts import ExperienceParts
from mace.engine.experience.projection import RETRACTED
from mace.engine.kernel.cleaning import CUT, flags_in_name, is_personal
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.gate import FlaggedWrite, Gate, blocked
from mace.engine.kernel.journal import Journal, VerbJournal
from mace.engine.kernel.let_in import LetIn
from mace.engine.kernel.persons import enter_person, person_of
from mace.engine.kernel.privacy import Flag, check_user_id, flags_in_text
from mace.memory import facts
from mace.memory.experience import megrams, pairs
from mace.memory.experience.megrams import EPISODE, NewMegram, Quanta
from mace.storage.experience_ports import Experience, MegramRow
from mace.storage.ports import Tx

ADMIN = "system_admin"
WRITERS = ("solver", ADMIN)


class ExperienceWrites:
    def __init__(
        self,
        parts: ExperienceParts,
        failures: Callable[[], Failures],
        gate: Callable[[], Gate],
        listed: Callable[[Tx], Sequence[str]],  # the ids of the agents that may write
    ) -> None:
        self._parts = parts
        self._world = parts.world
        self._failures = failures
        self._gate = gate
        self._listed = listed

    def refused(self, journal: VerbJournal, error: MaceError) -> dict[str, Any]:
        return self._failures().refuse(journal, error, {"key": _KEY})

    def keep(
        self,
        journal: VerbJournal,
        new: NewMegram,
        quanta: Quanta,
        source: str,
        user_id: str | None,
        consent_id: str | None,
    ) -> dict[str, Any]:
        """Write a Megram as a verb; refusals and failures are answers with their envelope."""
        try:
            self._check_writer(source, "write experience")
            if user_id is not None:
                check_user_id(user_id)
            arguments.consent(consent_id)
            self._check_instant(new)
            flags = self._flags(new, journal.job_seed)
        except MaceError as error:
            return self.refused(journal, error)

        def unit(tx: Tx) -> dict[str, Any]:
            journal.origin(tx)  # first: a job that was erased is not joined, and gets no fresh key
            self._authorise(tx, source, "write experience")
            person = None if user_id is None else person_of(self._world.slots, tx, user_id)
            journal.join_for(tx, person)
            if user_id is not None:
                enter_person(self._world.slots, tx, journal, user_id)
            let_in = None
            if flags:
                wanted = FlaggedWrite(
                    key=_KEY,
                    person=person,
                    flags=tuple(flags),
                    consent_id=consent_id,
                    content=canon.dumps(new.content),
                )
                let_in = self._gate().admit(tx, journal, wanted)
            return {"success": True, "megram_id": self._write_in(tx, journal, new, quanta, source, person, let_in)}

        answer = self._failures().put_answer(journal, _KEY, unit)
        if answer["success"]:
            self._parts.chosen.wake()
            return {**answer, "error_code": None}
        return answer

    def _write_in(
        self,
        tx: Tx,
        journal: Journal,
        new: NewMegram,
        quanta: Quanta,
        source: str,
        person: str | None,
        let_in: LetIn | None,
    ) -> str:
        """Put a Megram on the ledger inside a unit; what was flagged in it was admitted before."""
        created_us = self._parts.now_us() if new.created_us is None else new.created_us
        head = tx.events.head(journal.stream)
        index = 1 if head is None else head.sequence_index + 1
        # With the log's name: the same seed somewhere else gives another Megram, which may be imported here.
        megram_id = megrams.megram_id(created_us, f"{self._world.keys.log_name}/{journal.stream}/{index}")
        sealed, refs = self._parts.contents.seal(tx, new.content, megram_id, f"job/{journal.stream}", person)
        row = MegramRow(
            megram_id, EPISODE, created_us, new.space, new.entity, sealed, refs, new.state, *quanta, -1, False
        )
        told = {} if let_in is None else let_in.payload()
        journal.event(tx, "MEGRAM_WRITTEN", {"megram": rows.to_json(row), **told}, signed_by=source)
        return megram_id

    def _flags(self, new: NewMegram, job_seed: str) -> list[Flag]:
        """What is personal in the content. Tags stand in plain sight and cannot be erased: there nothing may be."""
        for tag in (new.space, new.entity):
            if is_personal(tag):
                flags = flags_in_name(self._world.keys, tag, job_seed)
                raise blocked(FlaggedWrite(key=CUT, person=None, flags=tuple(flags), consent_id=None))
        return flags_in_text(self._world.keys, new.content, job_seed)[1] if new.content else []

    def _check_instant(self, new: NewMegram) -> None:
        if new.created_us is not None and new.created_us - self._parts.now_us() > megrams.MAX_AHEAD_US:
            raise InvalidInput(
                f"created_at must not be more than {megrams.MAX_AHEAD_US // 1_000_000} seconds ahead of the clock"
            )

    # Who may

    @staticmethod
    def _check_writer(source: Any, action: str) -> None:
        """Refuse at once whoever can be on no list."""
        if source not in WRITERS and not facts.is_agent(source):
            raise PermissionDenied(actor=arguments.actor_name(source), action=action)

    def _authorise(self, tx: Tx, source: str, action: str) -> None:
        """Look at the list and at the state of the module, as they are in this very unit."""
        if source in WRITERS:
            return
        listed = source.removeprefix(facts.AGENT_PREFIX) in self._listed(tx)
        if not listed or not self._gate().may_write(tx, source):
            raise PermissionDenied(actor=arguments.actor_name(source), action=action)

    def _author(self, tx: Tx, row: MegramRow) -> str:
        """Who wrote a Megram, as its event says; nobody, where that event cannot be trusted."""
        found = tx.events.scan(row.place, 1)
        if not found or found[0].position != row.place or not self._parts.feed.is_good(found[0]):
            return ""
        return str(canon.loads(found[0].body)["signed_by"])

    # Taking back

    def retract(self, journal: VerbJournal, megram_id: str, source: str) -> dict[str, Any]:
        """Take a Megram back as a verb; a second time does nothing and says so."""
        try:
            self._check_writer(source, "retract experience")
            arguments.stored_id(megram_id, "megram_id")
            row, pair, rules, is_gone = self._parts.seeing_all(lambda x: _seen(x, megram_id))
            if row is None and not is_gone:
                raise NotFound(what="this Megram")
        except MaceError as error:
            return self.refused(journal, error)

        def unit(tx: Tx) -> dict[str, Any]:
            self._authorise(tx, source, "retract experience")
            if row is not None and not is_gone:
                if source != ADMIN and self._author(tx, row) != source:
                    raise NotFound(what="this Megram")  # what others wrote is no better than what is not there
                payload = {"megram_id": megram_id, "space": row.space, "entity": row.entity}
                journal.event(tx, "MEGRAM_RETRACTED", payload, signed_by=source)
            return {"success": True, "megram_id": megram_id}

        answer = self._failures().put_answer(journal, _KEY, unit)
        if not answer["success"]:
            return answer
        self._parts.catch_up()
        used = row is not None and row.level == EPISODE and (row.marked or row.place <= pair.marked_through)
        return {**answer, "was_retracted": is_gone, "rules": rules if used else [], "error_code": None}


def _seen(x: Experience, megram_id: str) -> tuple[MegramRow | None, pairs.Pair, list[str], bool]:
    """A Megram, its pair, the live rules of that pair, and whether the Megram was taken back before."""
    row = x.get(megram_id)
    is_gone = x.retired_by([megram_id]).get(megram_id) == RETRACTED
    if row is None:
        return None, pairs.Pair("", ""), [], is_gone
    held = x.pair(row.space, row.entity)
    pair = pairs.Pair("", "") if held is None else pairs.unpacked(row.space, row.entity, held.state)
    return row, pair, [rule.megram_id for rule in x.rules(row.space, row.entity)], is_gone
