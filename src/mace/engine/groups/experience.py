"""`m.experience`: past outcomes of tools and targets, and what they suggest."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, cast

from mace.core.answers import (
    ChangeDetails,
    ChangeView,
    DreamReport,
    ExperienceDescription,
    ExperienceImport,
    ExperienceRebuilt,
    MegramAnswer,
    MegramView,
    MkPotentials,
    NewMegram,
    PairHistory,
    PairView,
    RetractAnswer,
    SopRecord,
)
from mace.core.errors import InvalidInput
from mace.engine.arguments import ByVerb, Count, Id, Instant, Line, Lines, Progress
from mace.engine.experience.parts import Shows
from mace.engine.experience.service import MAX_RECALLED
from mace.engine.groups.base import Group
from mace.engine.verbs import verb

_ENVELOPE = ByVerb("a bad value is answered with an envelope")
Tag = Annotated[str, ByVerb("tags have rules of their own")]


class ExperienceGroup(Group):
    """Megrams: what happened with a tool and its target, how it decays, and the rules made of it."""

    @verb("experience.write")
    def write(
        self,
        megram: Annotated[NewMegram, _ENVELOPE],
        source: Annotated[str | None, _ENVELOPE] = None,
        *,
        user_id: Id | None = None,
        job_seed: Line | None = None,
        consent_id: Id | None = None,
    ) -> MegramAnswer:
        """Keep one experience; it is on the ledger when this returns. For the solver, admins and listed agents."""
        if source is None:
            raise InvalidInput("source is required: solver, system_admin or agent:<id>")
        answer = self._parts.experience.write(
            cast(dict[str, Any], megram), source, user_id=user_id, job_seed=job_seed, consent_id=consent_id
        )
        return cast(MegramAnswer, answer)

    @verb("experience.record_negative_feedback")
    def record_negative_feedback(
        self,
        rule_id: Annotated[str, _ENVELOPE],
        content: Annotated[str, _ENVELOPE],
        source: Annotated[str | None, _ENVELOPE] = None,
        *,
        user_id: Id | None = None,
        job_seed: Line | None = None,
        consent_id: Id | None = None,
    ) -> MegramAnswer:
        """Say that a rule was wrong: one Megram against it, in its own pair."""
        answer = self._parts.experience.record_negative_feedback(
            rule_id, content, source or "solver", user_id=user_id, job_seed=job_seed, consent_id=consent_id
        )
        return cast(MegramAnswer, answer)

    @verb("experience.query_mk")
    def query_mk(self, space: Tag, entity: Tag, now: Instant | None = None) -> MkPotentials:
        """The potentials of a pair: attention, decision, and the action they suggest."""
        return cast(MkPotentials, self._parts.experience.query_mk(space, entity, now))

    @verb("experience.query_c")
    def query_c(
        self, space: Tag, entity: Tag, now: Instant | None = None, limit: Count = MAX_RECALLED
    ) -> list[SopRecord]:
        """The newest rules about a pair, newest first; being asked for keeps them fresh."""
        shows = self._shows("experience.query_c")
        return cast(list[SopRecord], self._parts.experience.query_c(space, entity, now, limit, shows=shows))

    @verb("experience.query_recent")
    def query_recent(self, space: Tag, entity: Tag, n: Count = 10, now: Instant | None = None) -> list[MegramView]:
        """The newest contents of a pair, newest first."""
        shows = self._shows("experience.query_recent")
        return cast(list[MegramView], self._parts.experience.query_recent(space, entity, n, now, shows=shows))

    @verb("experience.rules")
    def rules(self, search: Line | None = None, limit: Count = 100, after: Id | None = None) -> list[SopRecord]:
        """All live rules, by pair; `search` keeps those with a tag that contains it, `after` goes on behind one."""
        shows = self._shows("experience.rules")
        return cast(list[SopRecord], self._parts.experience.rules(search, limit, after, shows=shows))

    def _shows(self, verb: str) -> Shows | None:
        """Whose words the caller is shown: their own and nobody's; others' count, and are read by an admin alone."""
        return None if self._is_owners else self._desk.shows(self._caller, verb)

    @verb("experience.retract")
    def retract(
        self, megram_id: Annotated[str, _ENVELOPE], source: Line | None = None, *, job_seed: Line | None = None
    ) -> RetractAnswer:
        """Take a Megram back: it no longer counts, and a rule no longer stands. For whoever wrote it, and admins."""
        answer = self._parts.experience.retract(megram_id, source or "system_admin", job_seed=job_seed)
        return cast(RetractAnswer, answer)

    @verb("experience.pairs")
    def pairs(
        self, search: Line | None = None, now: Instant | None = None, limit: Count | None = None
    ) -> list[PairView]:
        """Every pair with its potentials, the strongest first; `search` keeps those with a tag that contains it."""
        return cast(list[PairView], self._parts.experience.pairs(search, now, limit))

    @verb("experience.history")
    def history(self, space: Tag, entity: Tag, now: Instant | None = None, points: Count = 60) -> PairHistory:
        """How the potentials of a pair came to be, for a plot."""
        return cast(PairHistory, self._parts.experience.history(space, entity, now, points))

    @verb("experience.changes")
    def changes(self, limit: Count = 100) -> list[ChangeView]:
        """What dreams changed, newest first."""
        return cast(list[ChangeView], self._parts.experience.changes(limit))

    @verb("experience.change")
    def change(self, change_id: Id) -> ChangeDetails:
        """One change of the Dreamer, with what the language engine was asked for it and answered."""
        return cast(ChangeDetails, self._parts.experience.change(change_id))

    @verb("experience.persona")
    def persona(self) -> str:
        """The persona text from the settings."""
        return self._parts.experience.persona

    @verb("experience.describe")
    def describe(self) -> ExperienceDescription:
        """What the store of experience is, and how far it has come; no contents."""
        return cast(ExperienceDescription, self._parts.experience.describe())

    @verb("experience.flush")
    def flush(self) -> int:
        """Bring everything that is on the ledger into the store; return how much there was."""
        return self._parts.experience.flush()

    @verb("experience.dream")
    def dream(self, now: Instant | None = None, dry_run: bool = False) -> DreamReport:
        """Consolidate experience into rules and forget what faded; `dry_run` shows what would change."""
        return cast(DreamReport, self._parts.experience.dream(now, dry_run))

    @verb("experience.roll_back")
    def roll_back(self, change_id: Id, source: Line | None = None) -> ChangeView:
        """Undo a change that a dream made, the last one of its pair."""
        return cast(ChangeView, self._parts.experience.roll_back(change_id, source or "system_admin"))

    @verb("experience.export")
    def export(self) -> Iterator[bytes]:
        """All Megrams as JSON lines; on the record."""
        return self._parts.experience.export(self._by)

    @verb("experience.import_lines")
    def import_lines(
        self,
        lines: Annotated[Iterable[str | bytes], Lines()],
        source: Line | None = None,
        progress: Progress | None = None,
    ) -> ExperienceImport:
        """Load exported Megrams; what is known already is left alone."""
        return cast(ExperienceImport, self._parts.experience.import_lines(lines, source or "system_admin", progress))

    @verb("experience.rebuild")
    def rebuild(self, progress: Progress | None = None) -> ExperienceRebuilt:
        """Make everything anew from the ledger, after verification found it changed; on the record."""
        return cast(ExperienceRebuilt, self._parts.experience.rebuild(self._by, progress))
