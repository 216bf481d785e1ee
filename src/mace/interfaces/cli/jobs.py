"""`mace jobs`: questions and other jobs, newest first."""

from datetime import datetime
from typing import TYPE_CHECKING, get_args

import click

from mace.core.answers import JobKind, JobStatus
from mace.interfaces.cli import experience_export, options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import JobPage

_HERE = "mace.interfaces.cli.jobs"


@group("jobs", {"list": (f"{_HERE}:list_jobs", "List jobs, newest first.")})
def jobs() -> None:
    """List questions and other jobs."""


@command("list")
@click.option("--person", metavar="USER", type=options.stored_text, help="Only jobs of this user.")
@click.option("--kind", type=click.Choice(get_args(JobKind)), help="Only jobs of this kind.")
@click.option("--status", type=click.Choice(get_args(JobStatus)), help="Only jobs in this state.")
@click.option("--since", type=experience_export.instant, metavar="INSTANT", help="Only jobs opened since then.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number of jobs, newest first."
)
@click.pass_obj
def list_jobs(
    session: Session,
    person: str | None,
    kind: "JobKind | None",
    status: "JobStatus | None",
    since: datetime | None,
    limit: int,
) -> None:
    """List jobs, newest first. Users see their own.

    \b
    mace jobs list --status failed --since 2026-06-01T00:00:00Z
    """
    with session.open("jobs.list", read_only=True) as mace:
        page = mace.jobs.list(person=person, kind=kind, status=status, since=since, limit=limit)
    output.show(session, page, _text(page))
    output.tell_left_out(page["left_out"], "job")
    if page["next_cursor"] is not None:
        output.note(session, "There are more; --limit shows them.")


def _text(page: "JobPage") -> list[str]:
    rows = [
        (item["opened_at"][:19], item["job_id"], item["kind"], item["status"], item["person"] or "nobody's")
        for item in page["items"]
    ]
    return output.table(("OPENED", "JOB", "KIND", "STATUS", "PERSON"), rows) if rows else ["No jobs."]
