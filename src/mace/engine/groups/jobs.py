"""`m.jobs`: jobs by kind, person and status."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal, TypeAlias, cast

from mace.core.answers import (
    DsrAnswer,
    ErrorCode,
    JobKind,
    JobPage,
    JobStatus,
    JobView,
    JsonInput,
    LogPage,
    LogView,
)
from mace.core.errors import IntegrityFailure, InvalidInput
from mace.core.times import parse_instant
from mace.engine.arguments import AnyJson, Count, Id, Ids, Instant, Line
from mace.engine.groups.base import Group, called
from mace.engine.kernel.persons import person_of
from mace.engine.ledger.log_views import LogFilter
from mace.engine.programs.views import may_stand_as
from mace.engine.verbs import verb
from mace.storage.ports import JobRow, Tx

MAX_LISTED = 1_000
_PAGE = 500  # rows looked at at a time
Rows: TypeAlias = list[JobRow]


ErrorFilter: TypeAlias = Literal[ErrorCode, "any"]
_JobViews: TypeAlias = list[JobView]  # `list` is a verb below


class JobsGroup(Group):
    """Jobs by kind, person and status."""

    def __call__(self, limit: int = 20) -> _JobViews:
        """The newest jobs; use `list()`."""
        called("jobs", "list()")
        return self.list(limit=limit)["items"]

    @verb("jobs.list")
    def list(
        self,
        *,
        person: Id | None = None,
        kind: JobKind | None = None,
        program: Line | None = None,
        status: JobStatus | None = None,
        since: Instant | None = None,
        conversation_id: Line | None = None,
        cursor: Id | None = None,
        limit: Count = 50,
    ) -> JobPage:
        """Jobs that the caller may see, newest first; `next_cursor` gives the next page, None when there is none.

        `status` is the one that a job is shown with: one whose process was lost is `interrupted` at once.
        `conversation_id`: the questions of this conversation of `person`.
        """
        if conversation_id is not None and person is None:
            raise InvalidInput("conversation_id needs a person: a conversation is one person's")
        sees = self._sees("jobs.list", person)
        wanted = min(limit, MAX_LISTED)
        from_when = None if since is None else _instant(since, "since")

        def look(tx: Tx) -> JobPage:
            who = None if person is None else person_of(self._parts.world.slots, tx, person)
            talk = None
            if conversation_id is not None and who is not None:
                talk = frozenset(self._parts.conversations.jobs(tx, who, conversation_id))

            def fits(row: JobRow) -> bool:
                theirs = sees(row.person) if who is None else row.person == who
                if talk is not None and row.stream not in talk:
                    return False
                stands = status is None or may_stand_as(row.status, status)
                return theirs and kind in (None, row.kind) and stands

            views = self._parts.job_views
            found: Rows = []
            left_out = 0
            before = cursor or ""
            at = tx.jobs.get(before) if before else None
            if before and (at is None or not fits(at)):  # somebody else's is no better than none
                raise InvalidInput("cursor must be a next_cursor of the same list")
            while len(found) <= wanted and (page := tx.jobs.recent(_PAGE, before)):
                before = page[-1].stream
                if from_when is not None:
                    page = [row for row in page if parse_instant(row.opened_at) >= from_when]
                for row in filter(fits, page):
                    if len(found) > wanted:
                        break
                    told = self._told(tx, row)
                    if told is None:
                        left_out += len(found) < wanted
                    elif program is not None and self._program(tx, row) != program:
                        continue
                    elif fits(told) and status in (None, views.status(tx, told)):
                        found.append(told)
            more = len(found) > wanted
            items = found[:wanted]
            return {
                "items": [views.view(tx, row.stream) for row in items],
                "next_cursor": items[-1].stream if more and items else None,
                "left_out": left_out,
            }

        return self._parts.world.store.read(look)

    @verb("jobs.logs")
    def logs(
        self,
        *,
        person: Id | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        program: Line | None = None,
        error: ErrorFilter | None = None,
        cursor: Id | None = None,
        limit: Count = 50,
    ) -> LogPage:
        """Reflective logs that the caller may see, newest first, with person, program and question of their jobs.

        `since` and `until` (before then) are about `recorded_at`, or `created_at` in older stores; `error` is a code,
        or `any`. Questions are for the person, an admin and the owner; personal data in them is redacted.
        """
        sees = self._sees("jobs.logs", person)
        reads_words = self._desk.reads_words(self._caller)
        since_when = None if since is None else _instant(since, "since")
        until_when = None if until is None else _instant(until, "until")

        def look(tx: Tx) -> LogPage:
            wanted = LogFilter(
                person=None if person is None else person_of(self._parts.world.slots, tx, person),
                since=since_when,
                until=until_when,
                program=program,
                error=error,
            )
            views, most = self._parts.log_views, min(limit, MAX_LISTED)
            return cast(LogPage, views.page(tx, wanted, sees, reads_words, cursor=cursor, limit=most))

        return self._parts.world.store.read(look)

    @verb("jobs.log")
    def log(self, log_id: Id) -> LogView:
        """A reflective log as `read_reflective_log` gives it, with person, program and question of its job."""
        reads_words = self._desk.reads_words(self._caller)
        views = self._parts.log_views
        return cast(LogView, self._parts.world.store.read(lambda tx: views.one(tx, log_id, reads_words)))

    @verb("jobs.answer")
    def answer(self, job_id: Id, question_id: Id, value: Annotated[JsonInput, AnyJson()]) -> JobView:
        """Answer a question that a job put to its person (`waiting_for` of `m.job`)."""
        store, views, mailbox = self._parts.world.store, self._parts.job_views, self._parts.performing.mailbox
        told, streams = store.read(lambda tx: views.whole(tx, job_id))
        mailbox.answer(told, streams, question_id, value, self._by)
        return store.read(lambda tx: views.view(tx, told.stream))

    @verb("jobs.request_erasure")
    def request_erasure(self, job_ids: Ids) -> DsrAnswer:
        """Ask that jobs without a person be erased, by their ids; decided as a person's deletion is.

        What they received, did and answered goes, with experience that was written under the same seed.
        """
        return cast(DsrAnswer, self._parts.requests.request_jobs([*job_ids], self._by))

    def _sees(self, verb: str, person: str | None) -> Callable[[str], bool]:
        """Whose things a list may hold; where it names a person, that was decided before."""
        if self._is_owners or self._caller._is_owner or person:
            return lambda owner: True
        sees: Callable[[str], bool] = self._desk.sees(self._caller, verb)
        return sees

    def _program(self, tx: Tx, row: JobRow) -> str | None:
        told = self._parts.recorder.jobs.told(tx, row.stream)
        return None if told is None or told.said is None else told.said.get("program")

    def _told(self, tx: Tx, row: JobRow) -> JobRow | None:
        """The job as its events tell it: the table is an index, and nobody sees a job because somebody changed it."""
        try:
            return self._parts.recorder.jobs.look(tx, row.stream)
        except IntegrityFailure:
            return None  # verification names it


def _instant(given: str | datetime, name: str) -> datetime:
    try:
        return parse_instant(given if isinstance(given, str) else given.isoformat())
    except ValueError:
        raise InvalidInput(f"{name} must be a time in ISO 8601 with its zone") from None
