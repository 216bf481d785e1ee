"""`m.jobs`: jobs by kind, person and status."""

from datetime import datetime
from typing import TypeAlias, cast

from mace.core.answers import DsrAnswer, JobKind, JobPage, JobStatus, JobView
from mace.core.errors import IntegrityFailure, InvalidInput
from mace.core.times import parse_instant
from mace.engine.arguments import Count, Id, Ids, Instant
from mace.engine.groups.base import Group, called
from mace.engine.kernel.persons import person_of
from mace.engine.verbs import verb
from mace.storage.ports import JobRow, Tx

MAX_LISTED = 1_000
_PAGE = 500  # rows looked at at a time
Rows: TypeAlias = list[JobRow]


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
        status: JobStatus | None = None,
        since: Instant | None = None,
        cursor: Id | None = None,
        limit: Count = 50,
    ) -> JobPage:
        """Jobs that the caller may see, newest first; `next_cursor` gives the next page, None when there is none."""
        sees = (
            (lambda owner: True)
            if self._is_owners or self._caller._is_owner or person
            else self._desk.sees(self._caller, "jobs.list")
        )
        wanted = min(limit, MAX_LISTED)
        from_when = None if since is None else _instant(since)

        def look(tx: Tx) -> JobPage:
            who = None if person is None else person_of(self._parts.world.slots, tx, person)

            def fits(row: JobRow) -> bool:
                theirs = sees(row.person) if who is None else row.person == who
                return theirs and kind in (None, row.kind) and status in (None, row.status)

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
                    elif fits(told):
                        found.append(told)
            more = len(found) > wanted
            items = found[:wanted]
            return {
                "items": [_view(row) for row in items],
                "next_cursor": items[-1].stream if more and items else None,
                "left_out": left_out,
            }

        return self._parts.world.store.read(look)

    @verb("jobs.request_erasure")
    def request_erasure(self, job_ids: Ids) -> DsrAnswer:
        """Ask that jobs without a person be erased, by their ids; decided as a person's deletion is.

        What they received, did and answered goes, with experience that was written under the same seed.
        """
        return cast(DsrAnswer, self._parts.requests.request_jobs([*job_ids], self._by))

    def _told(self, tx: Tx, row: JobRow) -> JobRow | None:
        """The job as its events tell it: the table is an index, and nobody sees a job because somebody changed it."""
        try:
            return self._parts.recorder.jobs.look(tx, row.stream)
        except IntegrityFailure:
            return None  # verification names it


def _instant(since: str | datetime) -> datetime:
    try:
        return parse_instant(since if isinstance(since, str) else since.isoformat())
    except ValueError:
        raise InvalidInput("since must be a time in ISO 8601 with its zone") from None


def _view(row: JobRow) -> JobView:
    view: JobView = {
        "job_id": row.stream,
        "kind": row.kind,  # type: ignore[typeddict-item]  # the store keeps what this code wrote
        "status": row.status,  # type: ignore[typeddict-item]  # likewise
        "person": row.person or None,
        "opened_at": row.opened_at,
        "log_id": row.log_id,
    }
    return view
