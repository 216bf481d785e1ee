"""`mace jobs`: questions, programs and other jobs: what they are, how they stand, taking them up again, ending them."""

import re
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, get_args

import click

from mace.core.answers import JobKind, JobStatus
from mace.interfaces.cli import experience_export, options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.programs import program_option
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import CallView, Cancellation, Envelope, JobPage, JobView, Json, ProgramAnswer
    from mace.engine.runtime import Mace

_HERE = "mace.interfaces.cli.jobs"
_LOOKS = {"closed": "good", "failed": "bad", "abandoned": "bad", "interrupted": "warn", "waiting": "warn"}
_YES_OR_NO = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


@group(
    "jobs",
    {
        "list": (f"{_HERE}:list_jobs", "List jobs, newest first."),
        "show": (f"{_HERE}:show", "Show a job: its branches, calls, times, tokens and cost."),
        "resume": (f"{_HERE}:resume", "Take up a job again whose process was lost."),
        "cancel": (f"{_HERE}:cancel", "Ask a job to stop."),
        "answer": (f"{_HERE}:answer", "Answer a question that a job waits for."),
    },
)
def jobs() -> None:
    """List, show, resume, cancel and answer jobs: questions, programs, recorded blocks."""


@command("list")
@click.option("--person", metavar="USER", type=options.stored_text, help="Only jobs of this user.")
@click.option("--kind", type=click.Choice(get_args(JobKind)), help="Only jobs of this kind.")
@click.option("--program", metavar="NAME", type=options.stored_text, help="Only jobs of this program or block.")
@click.option("--status", type=click.Choice(get_args(JobStatus)), help="Only jobs in this state.")
@click.option("--since", type=experience_export.instant, metavar="INSTANT", help="Only jobs opened since then.")
@click.option("--cursor", metavar="JOB", type=options.stored_text, help="Show the jobs after this one in the list.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number of jobs, newest first."
)
@click.pass_obj
def list_jobs(
    session: Session,
    person: str | None,
    kind: "JobKind | None",
    program: str | None,
    status: "JobStatus | None",
    since: datetime | None,
    cursor: str | None,
    limit: int,
) -> None:
    """List jobs, newest first. Users see their own.

    \b
    mace jobs list --status failed --since 2026-06-01T00:00:00Z
    """
    with session.open("jobs.list", read_only=True) as mace:
        page = mace.jobs.list(
            person=person, kind=kind, program=program, status=status, since=since, cursor=cursor, limit=limit
        )
    output.show(session, page, _page(page))
    output.tell_left_out(page["left_out"], "job")
    if page["next_cursor"] is not None:
        output.note(session, f"There are more: add --cursor {page['next_cursor']}, or a greater --limit.")


@command("show")
@click.argument("job_id", metavar="JOB", type=options.stored_text)
@click.pass_obj
def show(session: Session, job_id: str) -> None:
    """Show a job: its branches, calls, times, tokens and cost.

    What was asked and answered is in its log (`mace log show`); a call shows its name and how it went, not its content.
    """
    with session.open("job", read_only=True) as mace:
        view = mace.job(job_id)
    output.show(session, view, _view(view))
    for question in view["waiting_for"]:
        told = f"mace jobs answer {view['job_id']} {question['question_id']}"
        output.note(session, f"\nTo say yes: {output.style(output.clean(f'{told} yes'), 'command')}")
        output.note(session, f"To say no: {output.style(output.clean(f'{told} no'), 'command')}")
        output.note(session, f"To say something else: {output.style(output.clean(f'{told} TEXT'), 'command')}")
    if view["status"] == "interrupted" and view["program"] is not None:
        told = f"mace jobs resume {view['job_id']} --program MODULE:NAME"
        output.note(session, f"\nTo take it up again: {output.style(told, 'command')}")


@command("resume")
@click.argument("job_id", metavar="JOB", type=options.stored_text)
@program_option
@click.option("--abandon", is_flag=True, help="Give the job up instead: it is closed as abandoned.")
@click.pass_obj
def resume(session: Session, job_id: str, programs: tuple[str, ...], abandon: bool) -> None:
    """Take up a job again whose process was lost.

    What was recorded is played from the record; no finished call is made twice. A call that had started is made again
    if it was declared idempotent, else its result is unknown. The function that the job was performed with is needed,
    in the version that was recorded:

    \b
    mace jobs resume JOB --program support.py
    mace jobs resume JOB --program agents.support:support

    Exit code 0 when the job closed with an answer; 1 when it failed, waits or was refused.
    """
    from mace.interfaces.cli.programs import load

    functions = load(programs)
    with session.open("resume", programs=functions) as mace:
        result = mace.resume(job_id, abandon=abandon)
        calls = [] if result["status"] != "failed" else _calls_of(mace, result["job_id"])
    _tell(session, result, calls, abandon=abandon)


@command("cancel")
@click.argument("job_id", metavar="JOB", type=options.stored_text)
@click.option("--reason", metavar="TEXT", type=options.stored_text, default="", help="Why; it stands on the record.")
@click.pass_obj
def cancel(session: Session, job_id: str, reason: str) -> None:
    """Ask a job to stop. One that runs stops at its next step; one that nobody plays is cancelled at once."""
    with session.open("cancel") as mace:
        view = mace.cancel(job_id, reason)
    stopped = view["status"] == "cancelled"
    told = "is cancelled" if stopped else f"is {view['status']}; it stops at its next step"
    output.show(session, view, f"Job {output.clean(view['job_id'])} {told}.")


@command("answer")
@click.argument("job_id", metavar="JOB", type=options.stored_text)
@click.argument("question_id", type=options.stored_text)
@click.argument("answer", metavar="ANSWER|-", type=options.stored_text)
@click.option("--text", "as_text", is_flag=True, help="Keep yes, no, true and false as texts.")
@click.option("--parse", is_flag=True, help="Read ANSWER as JSON (true, 3, {...}) or @FILE, not as a text.")
@click.pass_obj
def answer(session: Session, job_id: str, question_id: str, answer: str, as_text: bool, parse: bool) -> None:
    """Answer a question that a job waits for; `mace jobs show` lists them. With `-` it is read from standard input.

    yes, y and true say yes, and no, n and false say no, in any case: the job receives True or False. Anything else is a
    text.

    \b
    mace jobs answer JOB QUESTION_ID no
    mace jobs answer JOB QUESTION_ID "only the first one"
    """
    from mace.interfaces.cli.files import json_argument

    if as_text and parse:
        raise click.UsageError("--text and --parse contradict each other")
    words = options.words(answer)
    value: Json = json_argument(words, "ANSWER") if parse else words if as_text else said(words)
    with session.open("jobs.answer") as mace:
        view = mace.jobs.answer(job_id, question_id, value)
    output.show(session, view, f"Answered. Job {output.clean(view['job_id'])} is {view['status']}.")


def said(words: str) -> "bool | str":
    """An answer as a program asks for it: a yes or a no is a bool, so that no refusal counts as true."""
    return _YES_OR_NO.get(words.strip().casefold(), words)


# In words


def _page(page: "JobPage") -> list[str]:
    rows = [
        (
            item["opened_at"][:19].replace("T", " "),
            item["job_id"],
            program_of(item),
            item["status"],
            item["person"] or "nobody's",
            len(item["calls"]),
            item["tokens"],
            _cost(item),
        )
        for item in page["items"]
    ]
    header = ("OPENED", "JOB", "PROGRAM", "STATUS", "PERSON", "CALLS", "TOKENS", "COST")
    return output.table(header, rows) if rows else ["No jobs."]


def program_of(view: "JobView") -> str:
    """The program with its version, or the kind of a job that MACE itself decides."""
    if view["program"] is None:
        return view["kind"]
    return view["program"] if view["version"] is None else f"{view['program']} {view['version']}"


def _cost(view: "JobView") -> str:
    return "-" if view["cost"] is None else view["cost"]


def _view(view: "JobView") -> list[str]:
    pairs: list[tuple[str, Any]] = [
        ("program", program_of(view)),
        ("kind", view["kind"]),
        ("person", view["person"] or "nobody's"),
        ("opened", view["opened_at"]),
        ("closed", view["closed_at"] or "-"),
        ("log", view["log_id"] or "-"),
        ("life", f"{view['life']} (taken up again)" if view["life"] > 1 else "1"),
        ("held by", view["holder"] or "-"),
        ("tokens", view["tokens"]),
        ("cost", _cost(view)),
    ]
    if view["cancelled"] is not None:
        pairs.append(
            ("cancelled" if view["status"] == "cancelled" else "told to stop", _cancellation(view["cancelled"]))
        )
    if view["parent"] is not None:
        pairs.insert(0, ("branch of", view["parent"]))
    title = f"Job {output.clean(view['job_id'])}"
    status = output.style(view["status"], _LOOKS.get(view["status"], "title"))
    lines = [f"{output.style(title, 'title')}  {status}", *output.fields(pairs)]
    lines += _section("Waiting for", _questions(view))
    lines += _section(_counts(view), _calls(view["calls"]))
    return lines


def _cancellation(told: "Cancellation") -> str:
    why = "no reason given" if told["reason"] is None else told["reason"]
    return f"by {told['by']}" + ("" if told["at"] is None else f" at {told['at']}") + f": {why}"


def _section(title: str, body: list[str]) -> list[str]:
    return ["", output.style(title, "title"), *body] if body else []


def _questions(view: "JobView") -> list[str]:
    lines = []
    for item in view["waiting_for"]:
        until = f"asked {item['asked_at']}, until {item['expires_at']}"
        lines += output.fields([(item["question_id"], item["text"]), ("", f"({item['kind']}) {until}")])
    return lines


def _counts(view: "JobView") -> str:
    told = output.counted(len(view["calls"]), "call")
    branches = len(view["branches"])
    return told if not branches else f"{told}, {branches} branch" + ("es" if branches > 1 else "")


def _calls(calls: "list[CallView]") -> list[str]:
    """The tree: the job's own calls, then those of each branch under its name."""
    if not calls:
        return []
    rows: list[tuple[Any, ...]] = []
    ordered = sorted(calls, key=lambda call: (_in_order(call["branch"]), call["number"]))
    for branch, members in groupby(ordered, key=lambda call: call["branch"]):
        if branch:
            rows.append((branch, *[""] * 7))
        rows += [
            (
                ("  " if branch else "") + call["name"],
                call["number"],
                call["state"],
                "yes" if call["idempotent"] else "no",
                call["attempts"],
                call["started_at"],
                "-" if call["elapsed_ms"] is None else f"{call['elapsed_ms']} ms",
                call["error"] or "",
            )
            for call in members
        ]
    header = ("CALL", "#", "STATE", "IDEMPOTENT", "TRIES", "STARTED AT", "TOOK", "ERROR")
    return [f"  {line}" for line in output.table(header, rows, indent=2)]


def _in_order(branch: str) -> list[tuple[int, str]]:
    """`map[10]` after `map[2]`, and what branched off a branch right after it."""
    parts = re.split(r"(\d+)", branch)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _calls_of(mace: "Mace", job_id: str) -> "list[CallView]":
    from mace.core.errors import MaceError

    try:
        return mace.job(job_id)["calls"]
    except MaceError:  # whoever may resume a job need not be let to look at it
        return []


def why(error: "Envelope", calls: "list[CallView]") -> str:
    """Why a program failed: what it raised, and of a call that failed which one, and the kind of its failure."""
    reason = str(error["meta"].get("reason") or "")
    for call in calls:
        if call["error"] is not None and reason.startswith(f"call {call['name']} ({call['number']}) failed: "):
            return f"{reason} ({call['error']})"
    return reason


def _tell(session: Session, result: "ProgramAnswer", calls: "list[CallView]", *, abandon: bool) -> None:
    """What a job came to; a refusal where it came to no answer."""
    from mace.interfaces.cli.errors import Refusal
    from mace.wiring.doors import make_envelope

    shown = _result(result)
    if result["error"] is not None and result["status"] == "failed" and (reason := why(result["error"], calls)):
        shown += output.fields([("because", reason)])
    expected = ("abandoned",) if abandon else ("closed",)
    if result["status"] in expected:
        output.show(session, result, shown)
        return
    if result["error"] is not None:
        raise Refusal(result["error"], result, shown)
    reason = f"job {result['job_id']} is {result['status']}"
    raise Refusal(make_envelope("PRECONDITION_FAILED", {"reason": reason}), result, shown)


def _result(result: "ProgramAnswer") -> list[str]:
    lines = [] if result["text"] is None else [output.clean(result["text"], newlines=True)]
    pairs: list[tuple[str, Any]] = [("from", f"{item['kind']} {item['ref']}") for item in result["evidence"]]
    pairs += [
        ("program", f"{result['program']} {result['version']}"),
        ("status", result["status"]),
        ("resumed", "once" if result["resumed"] == 1 else f"{result['resumed']} times"),
        ("job", result["job_id"]),
    ]
    return lines + output.fields(pairs)
