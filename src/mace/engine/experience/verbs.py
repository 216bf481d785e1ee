"""Experience as callers hold it: `m.experience`.

A write is on the ledger when it is acknowledged and reaches the store of experience after that; whoever asks sees
everything that was acknowledged before, by any process. Only the solver and an admin write. Time comes from the caller
or the clock port.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from mace.core.errors import InvalidInput, MaceError, NotFound, PermissionDenied
from mace.engine.experience import rows
from mace.engine.experience.contents import Contents
from mace.engine.experience.feed import Feed
from mace.engine.experience.views import Views
from mace.engine.kernel.cleaning import CUT, is_personal
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.gate import FlaggedWrite, Gate, blocked
from mace.engine.kernel.journal import Journal, VerbJournal
from mace.engine.kernel.persons import enter_person
from mace.engine.kernel.privacy import Flag, check_user_id, flags_in_text
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.memory.experience import megrams, pairs, potentials
from mace.memory.experience.megrams import EPISODE, MATRIX, NewMegram, Quanta
from mace.storage.experience_ports import Experience, ExperienceStore, MegramRow
from mace.storage.ports import Closed, Tx

if TYPE_CHECKING:
    from mace.engine.experience.dreams import Dreams
    from mace.engine.experience.transfer import Transfer

T = TypeVar("T")

WRITERS = ("solver", "system_admin")
MAX_RECENT = 1000
_KEY = "experience"  # what refusals and failures are about; a tag may not be fit to be named


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperienceDeps:
    """What wiring chose: the store, a place to project beside it, and who is told that there is work."""

    store: ExperienceStore
    scratch: Callable[[], Experience]
    wake: Callable[[], None]  # something is on the ledger that the store does not have
    settle: Callable[[int], None]  # a task has ended at this instant: time to dream, in a while
    stop: Callable[[], None]  # no more of either
    persona: str
    read_only: bool


class ExperienceVerbs:
    """The verbs of `m.experience`: write, query, dream, roll back, export and import."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        failures: Callable[[], Failures],
        gate: Callable[[], Gate],
        chosen: ExperienceDeps,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._failures = failures
        self._gate = gate
        self._chosen = chosen
        self._store = chosen.store
        self._feed = Feed(world, chosen.store, chosen.scratch)
        self._contents = Contents(world.keys, vault)
        self._dreams: Dreams | None = None
        self._transfer: Transfer | None = None

    # Writing

    def write(
        self,
        megram: dict[str, Any],
        source: str,
        *,
        user_id: str | None = None,
        job_seed: str | None = None,
        consent_id: str | None = None,
    ) -> dict[str, Any]:
        """Keep one experience; `{success, megram_id, error_code}`. It is on the ledger when this returns."""
        journal = VerbJournal(self._recorder, "experience.write", None if job_seed is None else check_seed(job_seed))
        try:
            new = megrams.read_new(megram)
        except InvalidInput as error:
            return self._refused(journal, error)
        answer = self._keep(journal, new, MATRIX[new.state], source, user_id, consent_id)
        if answer["success"] and new.state in megrams.TERMINAL_STATES:
            # Never later than now: one Megram from a wrong clock would let everything else be forgotten.
            self._chosen.settle(min(int(answer["megram_id"][:16], 16), self.now_us(None)))
        return answer

    def record_negative_feedback(
        self,
        rule_id: str,
        content: str,
        source: str = "solver",
        *,
        user_id: str | None = None,
        job_seed: str | None = None,
        consent_id: str | None = None,
    ) -> dict[str, Any]:
        """Say that a rule was wrong: one Megram against it, in its own pair."""
        journal = VerbJournal(self._recorder, "experience.write", None if job_seed is None else check_seed(job_seed))
        try:
            words = megrams.read_content(content)
            rule = self._seeing_all(lambda x: x.get(_an_id(rule_id)))
            if rule is None or rule.level != megrams.RULE:
                raise NotFound(what="a rule with this rule_id")
        except (InvalidInput, NotFound) as error:
            return self._refused(journal, error)
        new = NewMegram(
            space=rule.space, entity=rule.entity, content=words, state=megrams.FEEDBACK_STATE, created_us=None
        )
        quanta = Quanta(megrams.FEEDBACK_STRENGTH, -rule.sigma, megrams.SLOWEST)
        return self._keep(journal, new, quanta, source, user_id, consent_id)

    def _keep(
        self,
        journal: VerbJournal,
        new: NewMegram,
        quanta: Quanta,
        source: str,
        user_id: str | None,
        consent_id: str | None,
    ) -> dict[str, Any]:
        try:
            if source not in WRITERS:
                raise PermissionDenied(actor=_actor(source), action="write experience")
            if user_id is not None:
                check_user_id(user_id)
            flags = self._flags(new, journal.job_seed)
        except MaceError as error:
            return self._refused(journal, error)

        def unit(tx: Tx) -> dict[str, Any]:
            person = None if user_id is None else enter_person(tx, journal, user_id)
            if flags:
                wanted = FlaggedWrite(key=_KEY, person=person, flags=tuple(flags), consent_id=consent_id)
                self._gate().admit(tx, journal, wanted)
            return {"success": True, "megram_id": self.write_in(tx, journal, new, quanta, source, person)}

        answer = self._failures().put_answer(journal, _KEY, unit)
        if answer["success"]:
            self._chosen.wake()
            return {**answer, "error_code": None}
        return answer

    def write_in(
        self, tx: Tx, journal: Journal, new: NewMegram, quanta: Quanta, source: str, person: str | None
    ) -> str:
        """Put a Megram on the ledger inside a unit; what was flagged in it was admitted before."""
        created_us = megrams.to_us(self._world.clock.now()) if new.created_us is None else new.created_us
        head = tx.events.head(journal.stream)
        index = 1 if head is None else head.sequence_index + 1
        # With the log's name: the same seed somewhere else gives another Megram, which may be imported here.
        megram_id = megrams.megram_id(created_us, f"{self._world.keys.log_name}/{journal.stream}/{index}")
        sealed, refs = self._contents.seal(tx, new.content, megram_id, f"job/{journal.stream}", person)
        row = MegramRow(
            megram_id, EPISODE, created_us, new.space, new.entity, sealed, refs, new.state, *quanta, -1, False
        )
        journal.event(tx, "MEGRAM_WRITTEN", {"megram": rows.to_json(row)}, signed_by=source)
        return megram_id

    def _flags(self, new: NewMegram, job_seed: str) -> list[Flag]:
        """What is personal in the content. Tags stand in plain sight and cannot be erased: there nothing may be."""
        for tag in (new.space, new.entity):
            if is_personal(tag):
                _, flags = flags_in_text(self._world.keys, tag, job_seed)
                raise blocked(FlaggedWrite(key=CUT, person=None, flags=tuple(flags), consent_id=None))
        return flags_in_text(self._world.keys, new.content, job_seed)[1] if new.content else []

    def _refused(self, journal: VerbJournal, error: MaceError) -> dict[str, Any]:
        return self._failures().refuse(journal, error, {"key": _KEY})

    # Asking

    def query_mk(self, space: str, entity: str, now: str | datetime | None = None) -> dict[str, Any]:
        """How much attention a pair deserves, which way it points, and what that advises."""
        megrams.read_pair(space, entity)
        now_us = self.now_us(now)
        row = self._seeing_all(lambda x: x.pair(space, entity))
        found = potentials.Potentials(0.0, 0.0)
        if row is not None:
            found = pairs.unpacked(space, entity, row.state).potentials(now_us)
        return {"attention": found.attention, "decision": found.decision, "action": found.action}

    def query_c(self, space: str, entity: str, now: str | datetime | None = None) -> list[dict[str, Any]]:
        """The rules of a pair, newest first; being asked for keeps them fresh."""
        megrams.read_pair(space, entity)
        now_us = self.now_us(now)
        found = self._seeing_all(lambda x: x.rules(space, entity))
        if found and not self._chosen.read_only:
            ids = [row.megram_id for row in found]
            self._store.write(lambda x: x.recall(ids, now_us))
        texts = self._texts(found)
        return [
            {"id": row.megram_id, "space": space, "entity": entity, "content": text or "", "sigma": row.sigma}
            for row, text in zip(found, texts, strict=True)
        ]

    def query_recent(
        self, space: str, entity: str, n: int = 10, now: str | datetime | None = None
    ) -> list[dict[str, Any]]:
        """The newest Megrams of a pair with their words and what is left of their weight."""
        megrams.read_pair(space, entity)
        if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= MAX_RECENT:
            raise InvalidInput(f"n must be an integer from 0 to {MAX_RECENT}")
        now_us = self.now_us(now)

        def look(x: Experience) -> tuple[list[MegramRow], dict[str, int]]:
            newest = x.of_pair(space, entity, "", n) if n else []
            return newest, x.recalled_us([row.megram_id for row in newest])

        found, recalled = self._seeing_all(look)
        now_us = max([now_us, *(row.created_us for row in found[:1])])  # time does not run before the newest
        return [
            {
                **rows.shown(row, text, recalled.get(row.megram_id)),
                "weight": potentials.weight(row.f, row.k, row.created_us, now_us),
            }
            for row, text in zip(found, self._texts(found), strict=True)
        ]

    @property
    def persona(self) -> str:
        """Level T: who the agent is, from the settings; nobody writes it."""
        return self._chosen.persona

    # Dreaming

    @property
    def dreams(self) -> "Dreams":
        """The Dreamer, built when first used."""
        if self._dreams is None:
            from mace.engine.experience.dreams import Dreams

            self._dreams = Dreams(self._world, self._recorder, self._store, self._feed, self._contents)
        return self._dreams

    def dream(self, now: str | datetime | None = None, dry_run: bool = False) -> dict[str, Any]:
        """Consolidate, demote and forget what is due; with `dry_run` say what would be, and why."""
        if dry_run:
            self._catch_up()
        journal = VerbJournal(self._recorder, "dream")
        return self.dreams.dream(self.now_us(now), journal, dry_run=dry_run)

    def roll_back(self, change_id: str, source: str = "system_admin") -> dict[str, Any]:
        """Undo a change of the Dreamer, the last one of its pair; for admins."""
        if source != "system_admin":
            raise PermissionDenied(actor=_actor(source), action="roll back a dream")
        return self.dreams.roll_back(change_id)

    def changes(self, limit: int = 100) -> list[dict[str, Any]]:
        """What the Dreamer changed, newest first."""
        self._catch_up()
        return self.dreams.changes(limit)

    # Seeing and moving everything

    @property
    def transfer(self) -> "Transfer":
        """Export and import, built when first used."""
        if self._transfer is None:
            from mace.engine.experience.transfer import Transfer

            self._transfer = Transfer(self._world, self._recorder, self._store, self._feed, self._contents)
        return self._transfer

    def pairs(self, now: str | datetime | None = None) -> list[dict[str, Any]]:
        """Every pair with its potentials, the strongest first."""
        now_us = self.now_us(now)
        self._catch_up()
        return Views(self._store).pairs(now_us)

    def history(self, space: str, entity: str, now: str | datetime | None = None, points: int = 60) -> dict[str, Any]:
        """How a pair's potentials came to be: their values at instants from its first Megram to now."""
        megrams.read_pair(space, entity)
        now_us = self.now_us(now)
        self._catch_up()
        return Views(self._store).history(space, entity, now_us, points)

    def export(self, actor: str = "system_admin") -> Iterator[bytes]:
        """Everything as lines, lifecycle included; the same bytes for the same state."""
        self._catch_up()
        return self.transfer.export(actor)

    def import_lines(
        self, lines: Iterable[str | bytes], source: str, progress: Callable[[int, int], None] | None = None
    ) -> dict[str, Any]:
        """Take in what `export` wrote, here or elsewhere; what is there already is left alone."""
        if source != "system_admin":
            raise PermissionDenied(actor=_actor(source), action="import experience")
        answer = self.transfer.take_in(lines, progress)
        self._catch_up()
        return answer

    # Life

    def flush(self) -> int:
        """Bring everything that was acknowledged into the store; return how many events that were."""
        return self._feed.catch_up()

    def describe(self) -> dict[str, Any]:
        """Return the kind of store, its counts, and how far it is behind the ledger."""
        cursor, counts = self._store.read(lambda x: (x.cursor(), x.counts()))
        return {
            **self._store.describe(),
            "megrams": counts,
            "projected_through": cursor,
            "behind": self._feed.is_behind(cursor),
        }

    def close(self) -> None:
        """Let the background work end and bring in what waits; the verbs go on working until the MACE is closed."""
        self._chosen.stop()
        if not self._chosen.read_only:
            with suppress(Closed):
                self.flush()

    def now_us(self, now: str | datetime | None) -> int:
        """Return a time in microseconds since 1970; None means now."""
        return megrams.to_us(self._world.clock.now() if now is None else megrams.read_instant(now, "now"))

    def _seeing_all(self, look: Callable[[Experience], T]) -> T:
        """Read, with everything in sight that was acknowledged before."""
        cursor, found = self._store.read(lambda x: (x.cursor(), look(x)))
        if self._chosen.read_only or not self._feed.is_behind(cursor):
            return found
        self._feed.catch_up()
        return self._store.read(look)

    def _catch_up(self) -> None:
        if not self._chosen.read_only:
            self._feed.catch_up()

    def _texts(self, found: list[MegramRow]) -> list[str | None]:
        if not found:
            return []
        return self._world.store.read(lambda tx: [self._contents.open(tx, row) for row in found])


def _an_id(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= 64 or not value.isascii():
        raise InvalidInput("rule_id must be an ASCII string of 1 to 64 characters")
    return value


def _actor(source: Any) -> str:
    """A caller's word for itself goes onto the ledger only when it is fit to be there."""
    if isinstance(source, str) and 0 < len(source) <= 64 and source.isprintable() and not is_personal(source):
        return source
    return "unknown"
