"""The verbs of experience, behind `m.experience`.

A write is on the ledger when it is acknowledged and reaches the store of experience after that; whoever asks sees
everything that was acknowledged before, by any process. Time comes from the caller or the clock port. Arguments are
checked here as well as at the surface: no verb fails in a store's words.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from mace.core.errors import Closed, InvalidInput, NotFound, PermissionDenied
from mace.core.texts import is_storable
from mace.engine.experience import agreement, arguments, rows
from mace.engine.experience.parts import ExperienceParts, Shows
from mace.engine.experience.sealing import MadeBefore
from mace.engine.experience.views import Views
from mace.engine.experience.writes import ADMIN, ExperienceWrites
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.gate import Gate
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.recorder import check_seed
from mace.memory.experience import megrams, pairs, potentials
from mace.memory.experience.megrams import MATRIX, NewMegram, Quanta
from mace.storage.experience_ports import Experience, MegramRow
from mace.storage.ports import Tx

MAX_RECENT = 1000
MAX_RECALLED = 10  # rules that a planner is given, unless it asks for more


class ExperienceService:
    """Past outcomes for a pair of tags, what they suggest, and the rules that were made of them.

    A Megram is one outcome for a pair (`space`, `entity`), such as `tool:shell` and `path:deploy.sh`. It loses weight
    with time. The sums over a pair give attention, decision and an action. The Dreamer makes rules of what happened
    often enough, demotes rules that are contradicted, and forgets what has no weight left.
    """

    def __init__(
        self,
        parts: ExperienceParts,
        failures: Callable[[], Failures],
        gate: Callable[[], Gate],
        listed: Callable[[Tx], Sequence[str]],
    ) -> None:
        self._parts = parts
        self._writes = ExperienceWrites(parts, failures, gate, listed)

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
        """Store one outcome; `{success, megram_id, error_code}`. It is on the ledger when this returns.

        `source` is `solver`, `system_admin`, or `agent:<id>` of an agent that the fact
        `mace/config/agents/allowed_writes` lists. `created_at` may lie at most 300 seconds ahead of the clock.
        """
        journal = self._journal("experience.write", job_seed)
        try:
            new = megrams.read_new(megram)
            new = replace(new, entity=arguments.fit_entity(self._parts.world.keys, new.entity))
        except InvalidInput as error:
            return self._writes.refused(journal, error)
        answer = self._writes.keep(journal, new, MATRIX[new.state], source, user_id, consent_id)
        if answer["success"] and new.state in megrams.TERMINAL_STATES:
            # Never later than now: one Megram from a wrong clock would let everything else be forgotten.
            self._parts.chosen.settle(min(int(answer["megram_id"][:16], 16), self._parts.now_us()))
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
        """Say that a rule was wrong: one Megram against it, in its own pair. For those who may `write`."""
        journal = self._journal("experience.write", job_seed)
        try:
            words = megrams.read_content(content)
            arguments.stored_id(rule_id, "rule_id")
            rule = self._parts.seeing_all(lambda x: x.get(rule_id))
            if rule is None or rule.level != megrams.RULE:
                raise NotFound(what="this rule")
        except (InvalidInput, NotFound) as error:
            return self._writes.refused(journal, error)
        new = NewMegram(
            space=rule.space, entity=rule.entity, content=words, state=megrams.FEEDBACK_STATE, created_us=None
        )
        quanta = Quanta(megrams.FEEDBACK_STRENGTH, -rule.sigma, megrams.SLOWEST)
        return self._writes.keep(journal, new, quanta, source, user_id, consent_id)

    def retract(self, megram_id: str, source: str = ADMIN, *, job_seed: str | None = None) -> dict[str, Any]:
        """Take a Megram back: it no longer counts, and a rule no longer stands. For whoever wrote it, and admins.

        Answers `{success, megram_id, was_retracted, rules, error_code}`. `was_retracted` says that it had been taken
        back before, and nothing was done. `rules` names the live rules of the pair if the Megram had gone into one:
        rules stay until they are contradicted, rolled back or retracted themselves.
        """
        return self._writes.retract(self._journal("experience.retract", job_seed), megram_id, source)

    def _journal(self, verb: str, job_seed: str | None) -> VerbJournal:
        return VerbJournal(self._parts.recorder, verb, None if job_seed is None else check_seed(job_seed))

    def _pair(self, space: str, entity: str) -> tuple[str, str]:
        """The tags of a pair as they are stored."""
        space, entity = arguments.pair(space, entity)
        return space, arguments.fit_entity(self._parts.world.keys, entity)

    # Asking

    def query_mk(self, space: str, entity: str, now: str | datetime | None = None) -> dict[str, Any]:
        """How much attention a pair deserves, which way it points, and what that suggests."""
        space, entity = self._pair(space, entity)
        now_us = self._parts.now_us(now)
        row = self._parts.seeing_all(lambda x: agreement.known_pair(x, space, entity))
        found = potentials.Potentials(0.0, 0.0)
        if row is not None:
            found = pairs.unpacked(space, entity, row.state).potentials(now_us)
        return {"attention": found.attention, "decision": found.decision, "action": found.action}

    def query_c(
        self,
        space: str,
        entity: str,
        now: str | datetime | None = None,
        limit: int = MAX_RECALLED,
        *,
        shows: Shows | None = None,
    ) -> list[dict[str, Any]]:
        """The newest rules of a pair, newest first; being asked for keeps them fresh."""
        space, entity = self._pair(space, entity)
        arguments.whole_number(limit, "limit", 1, arguments.MAX_LISTED)
        now_us = self._parts.now_us(now)
        found = self._parts.seeing_all(lambda x: agreement.standing_rules(x, space, entity))[:limit]
        if found and not self._parts.chosen.read_only:
            ids = [row.megram_id for row in found]
            self._parts.store.write(lambda x: x.recall(ids, now_us))
        return self._sop_records(found, shows)

    def query_recent(
        self,
        space: str,
        entity: str,
        n: int = 10,
        now: str | datetime | None = None,
        *,
        shows: Shows | None = None,
    ) -> list[dict[str, Any]]:
        """The newest Megrams of a pair with their words and what is left of their weight."""
        space, entity = self._pair(space, entity)
        arguments.whole_number(n, "n", 0, MAX_RECENT)
        now_us = self._parts.now_us(now)

        def look(x: Experience) -> tuple[list[MegramRow], dict[str, int]]:
            newest = agreement.newest(x, space, entity, n) if n else []
            return newest, x.recalled_us([row.megram_id for row in newest])

        found, recalled = self._parts.seeing_all(look)
        now_us = max([now_us, *(row.created_us for row in found[:1])])  # time does not run before the newest
        return [
            {
                **rows.shown(row, text, recalled.get(row.megram_id)),
                "weight": potentials.weight(row.f, row.k, row.created_us, now_us),
            }
            for row, text in zip(found, self._parts.texts(found, shows), strict=True)
        ]

    def rules(
        self, search: str | None = None, limit: int = 100, after: str | None = None, *, shows: Shows | None = None
    ) -> list[dict[str, Any]]:
        """All live rules, by pair and newest first within one; listing does not keep them fresh.

        `search` keeps those whose space or entity contains it, whatever the case. `after` is the id of the last rule
        of the page before.
        """
        part = arguments.search_words(search)
        arguments.whole_number(limit, "limit", 1, arguments.MAX_LISTED)
        if after is not None:
            arguments.stored_id(after, "after")
        self._parts.catch_up()
        return self._sop_records(Views(self._parts.store).rules(part, limit, after), shows)

    def pairs(
        self, search: str | None = None, now: str | datetime | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        """Every pair with its potentials, the strongest first; `search` keeps those with a tag that contains it."""
        part = arguments.search_words(search)
        if limit is not None:
            arguments.whole_number(limit, "limit", 1, arguments.MAX_LISTED)
        now_us = self._parts.now_us(now)
        self._parts.catch_up()
        return Views(self._parts.store).pairs(now_us, part)[:limit]

    def history(self, space: str, entity: str, now: str | datetime | None = None, points: int = 60) -> dict[str, Any]:
        """How a pair's potentials came to be: their values at instants from its first Megram to now."""
        space, entity = self._pair(space, entity)
        arguments.whole_number(points, "points", 2, 1000)
        now_us = self._parts.now_us(now)
        self._parts.catch_up()
        return Views(self._parts.store).history(space, entity, now_us, points)

    @property
    def persona(self) -> str:
        """Level T: who the agent is, from the settings; nobody writes it."""
        return self._parts.chosen.persona

    # Dreaming

    def dream(self, now: str | datetime | None = None, dry_run: bool = False) -> dict[str, Any]:
        """Make rules, demote and forget what is due; with `dry_run` say what would change, and why."""
        arguments.flag(dry_run, "dry_run")
        now_us = self._parts.now_us(now)
        if dry_run:
            self._parts.catch_up()
        return self._parts.dreams.dream(now_us, VerbJournal(self._parts.recorder, "dream"), dry_run=dry_run)

    def roll_back(self, change_id: str, source: str = ADMIN) -> dict[str, Any]:
        """Undo a change of the Dreamer, the last one of its pair; for admins."""
        if source != ADMIN:
            raise PermissionDenied(actor=arguments.actor_name(source), action="roll back a dream")
        return self._parts.dreams.roll_back(arguments.stored_id(change_id, "change_id"))

    def changes(self, limit: int = 100) -> list[dict[str, Any]]:
        """What the Dreamer changed, newest first."""
        arguments.whole_number(limit, "limit", 1, arguments.MAX_LISTED)
        self._parts.catch_up()
        return self._parts.dreams.changes(limit)

    def change(self, change_id: str) -> dict[str, Any]:
        """One change of the Dreamer, with what the language engine was asked for it and answered.

        `asked` is None where no engine was asked, or somebody whose words were quoted has been erased.
        """
        arguments.stored_id(change_id, "change_id")
        self._parts.catch_up()
        return self._parts.dreams.change(change_id)

    # Moving everything

    def export(self, actor: str = ADMIN) -> Iterator[bytes]:
        """Everything as lines, lifecycle included; the same bytes for the same state. Recorded under `actor`."""
        if isinstance(actor, str) and len(actor) <= 64 and not is_storable(actor):
            raise InvalidInput("actor must not contain NUL or unpaired surrogates")
        check_words(actor, "actor", 64)
        self._parts.catch_up()
        return self._parts.transfer.export(actor)

    def import_lines(
        self, lines: Iterable[str | bytes], source: str, progress: Callable[[int, int], None] | None = None
    ) -> dict[str, Any]:
        """Take in what `export` wrote, here or elsewhere, whatever its dates; what is here already is left alone."""
        if source != ADMIN:
            raise PermissionDenied(actor=arguments.actor_name(source), action="import experience")
        arguments.progress(progress)
        answer = self._parts.transfer.take_in(arguments.lines(lines), progress)
        self._parts.catch_up()
        return answer

    # Life

    def rebuild(self, actor: str = ADMIN, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Delete what was projected and project the ledger's events again; on the record under `actor`.

        Answers `{events, megrams, pairs, changes}`. For a store that verification found changed. When rules were last
        asked for stays. A process that dies meanwhile leaves it to whoever asks or writes next.
        """
        check_words(actor, "actor", 64)
        arguments.progress(progress)
        return self._parts.rebuilding.run(actor, progress)

    def flush(self) -> int:
        """Bring everything that was acknowledged into the store; return how many events that were."""
        return self._parts.feed.catch_up()

    def describe(self) -> dict[str, Any]:
        """Where experience is kept, how many Megrams there are by level, and whether the store is behind the ledger."""
        counts = self._parts.store.read(lambda x: x.counts())
        try:
            cursor = self._parts.store.read(lambda x: x.cursor())
        except MadeBefore:
            cursor = -1
        behind = self._parts.feed.is_behind(cursor)
        return {**self._parts.store.describe(), "megrams": counts, "projected_through": cursor, "behind": behind}

    def close(self) -> None:
        """Let the background work end and bring in what waits; the verbs go on working until the MACE is closed."""
        self._parts.chosen.stop()
        if not self._parts.chosen.read_only:
            with suppress(Closed):
                self.flush()

    def _sop_records(self, found: list[MegramRow], shows: Shows | None) -> list[dict[str, Any]]:
        return [
            {"id": row.megram_id, "space": row.space, "entity": row.entity, "content": text or "", "sigma": row.sigma}
            for row, text in zip(found, self._parts.texts(found, shows), strict=True)
        ]
