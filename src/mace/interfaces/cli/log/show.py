"""`mace log show`: recent logs, one log, or the timeline of a job.

People are shown `recorded_at`, when something was written by the clock of its node; older versions did not record it.
"""

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

import click

from mace.core.answers import ErrorCode
from mace.interfaces.cli import experience_export, options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mace.core.answers import Amendment, Event, LogView, Recalled, ReflectiveLog
    from mace.engine.groups.jobs import ErrorFilter
    from mace.engine.runtime import Mace

_ANY = "any"
_RECALLED = "MEMORY_RECALLED"
_STATES = {
    "there": "",
    "changed": "(changed since) ",
    "withheld": "[withheld: consent ended]",
    "erased": "[erased]",
}
_NOT_RECORDED = "(not recorded)"
_HASH = re.compile(r"\b[0-9a-f]{64}\b")


@command("show")
@click.argument("what", metavar="[LOG_ID|JOB|EVENT_ID|system]", required=False)
@click.option("--person", metavar="USER", type=options.stored_text, help="Only logs of this user.")
@click.option(
    "--since", type=experience_export.instant, metavar="INSTANT", help="Only logs recorded at this time or later."
)
@click.option("--until", type=experience_export.instant, metavar="INSTANT", help="Only logs recorded before this time.")
@click.option("--program", metavar="NAME", type=options.stored_text, help="Only logs of this program.")
@click.option(
    "--error",
    is_flag=False,
    flag_value=_ANY,
    metavar="[CODE]",
    type=click.Choice([_ANY, *get_args(ErrorCode)]),
    help="Only jobs that failed or were cancelled, or those with this error code, such as PRIVACY_BLOCKED; a cancelled "
    "job has CONFLICT.",
)
@click.option("--cursor", metavar="LOG_ID", type=options.stored_text, help="Show the logs after this one in the list.")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number of entries, newest first."
)
@options.unredacted_options
@click.pass_obj
def show(
    session: Session,
    what: str | None,
    person: str | None,
    since: datetime | None,
    until: datetime | None,
    program: str | None,
    error: "ErrorFilter | None",
    cursor: str | None,
    limit: int,
    unredacted: bool,
    purpose: str | None,
) -> None:
    """Show recent logs, one log, or the events of a job.

    Without an argument: the newest reflective logs, as the options choose them; users see their own. With the id of a
    log: that log. With the id of a job, or `system`: its events in order. With the id of an event: that event. What a
    job or `mace recall` put into a prompt about a person is shown by the id of the log, the job, or the receipt, to
    those who may read it; what was erased since reads [erased].

    Personal data is shown as its hash, and what is sealed not at all. What was asked is shown to the person, to admins
    and to the owner. An admin reads one log or one event as it was written with --unredacted and --purpose, and with
    --totp where the admin is an account; that is on the record.

    \b
    mace log show --program support --error --since 2026-06-01T00:00:00Z
    """
    filters = {"person": person, "since": since, "until": until, "program": program, "error": error, "cursor": cursor}
    given = [f"--{name}" for name, value in filters.items() if value is not None]
    if given and (what is not None or unredacted):
        raise click.UsageError(f"{', '.join(given)} {'is' if len(given) == 1 else 'are'} for the list of logs")
    why = options.check_unredacted(unredacted, purpose)
    if unredacted:
        if what is None:
            raise click.UsageError("--unredacted needs the id of one log or one event")
        _unredacted(session, what, why)
        return
    if what is not None:
        with session.open("jobs.log", read_only=True) as mace:
            _one(session, mace, what, limit)
        return
    with session.open("jobs.logs", read_only=True) as mace:
        page = mace.jobs.logs(
            person=person, since=since, until=until, program=program, error=error, cursor=cursor, limit=limit
        )
    value = {"logs": page["items"], "next_cursor": page["next_cursor"], "left_out": page["left_out"]}
    output.show(session, value, _recent(page["items"], is_whole=not given))
    output.tell_left_out(page["left_out"], "log")
    if page["next_cursor"] is not None:
        output.note(session, f"There are more: add --cursor {page['next_cursor']}, or a greater --limit.")


def _unredacted(session: Session, what: str, purpose: str) -> None:
    if _HASH.fullmatch(what):
        with session.open("forensics.read_event") as mace:
            events = mace.forensics.read_event(what, purpose=purpose)
            output.show(session, {"events": events}, [text for event in events for text in _event(event)])
            return
    with session.open("forensics.read_log") as mace:
        record = mace.forensics.read_log(what, purpose=purpose)
        amendments = mace.amendments(what)
    output.show(session, {**record, "amendment_records": amendments}, _record(record, amendments))


def _one(session: Session, mace: "Mace", what: str, limit: int) -> None:
    from mace.core.errors import MaceError, NotFound, PermissionDenied

    try:
        record = mace.jobs.log(what)
    except NotFound:
        missing: MaceError = NotFound(what=f"log, job or event {what}")
    except PermissionDenied as error:
        if error.details.get("needs") != "second_factor":
            raise
        missing = error  # if it is a log; what is nobody's may be looked at without
    else:
        amendments = mace.amendments(what)
        recalls = _of_job(session, mace, record["job_id"])
        value = {**record, "amendment_records": amendments, "recalls": recalls}
        output.show(session, value, [*_record(record, amendments, _about(record)), *_recalls_text(recalls)])
        return
    try:
        events = _stream(mace, what)
        if events:
            recalls = _recalled(session, mace, events) or _of_job(session, mace, what)
            value = {"stream": what, "events": events[-limit:], "events_in_all": len(events), "recalls": recalls}
            output.show(session, value, [*_timeline(events, limit), *_recalls_text(recalls)])
            return
        events = _with_id(mace, what)
    except PermissionDenied:  # to somebody who may read logs and nothing else it is a log, or a receipt of their own
        recalls = _receipt(session, mace, what, None)
        if not recalls:
            raise missing from None
        output.show(session, {"events": [], "recalls": recalls}, _recalls_text(recalls)[1:])
        return
    if not events:
        raise missing
    recalls = _recalled(session, mace, events)
    text = [text for event in events for text in _event(event)]
    output.show(session, {"events": events, "recalls": recalls}, [*text, *_recalls_text(recalls)])


def _of_job(session: Session, mace: "Mace", job_id: str | None) -> "list[Recalled]":
    """What a job put into prompts about its person, as far as whoever looks may read it."""
    from mace.core.errors import MaceError

    if not isinstance(job_id, str):
        return []
    try:
        job = mace.job(job_id)
    except MaceError:  # no job that can be shown, or not to them
        return []
    return [item for receipt in job["recalls"] for item in _receipt(session, mace, receipt, job["person"])]


def _recalled(session: Session, mace: "Mace", events: "list[Event]") -> "list[Recalled]":
    """What recalls among these events put into prompts."""
    return [
        item
        for event in events
        if event["event_type"] == _RECALLED
        for item in _receipt(session, mace, event["event_id"], str(event["payload"]["person"]))
    ]


def _receipt(session: Session, mace: "Mace", receipt: str, person: str | None) -> "list[Recalled]":
    from mace.core.errors import InvalidInput, NotFound, PermissionDenied

    try:
        return [mace.recalled(person or session.actor, receipt)]
    except (NotFound, PermissionDenied, InvalidInput):
        return []


def _recalls_text(recalls: "list[Recalled]") -> list[str]:
    """What was put into prompts, line by line; what was erased since says so."""
    text: list[str] = []
    for recall in recalls:
        by = f"by job {recall['job_id']}, " if recall["job_id"] else ""
        text += ["", output.style(f"Put into a prompt about {output.clean(recall['person'])}", "title")]
        text.append(f"  {by}{output.counted(recall['tokens'], 'token')}, receipt {recall['receipt']}")
        rows = [
            (
                item["kind"],
                (item["at"] or "")[:19].replace("T", " "),
                item["ref"],
                (_STATES[item["state"]] + (item["text"] or "")).strip(),
            )
            for item in recall["items"]
        ]
        text += [f"  {line}" for line in output.table(("KIND", "AT", "REF", "READS"), rows, indent=2)] if rows else []
    return text


def _stream(mace: "Mace", what: str) -> "list[Event]":
    from mace.core.errors import NotFound

    try:
        return mace.events(what)
    except NotFound:
        return []


def _with_id(mace: "Mace", what: str) -> "list[Event]":
    from mace.core.errors import InvalidInput, NotFound

    try:
        return mace.event(what)
    except (InvalidInput, NotFound):
        return []


def _recent(logs: "list[LogView]", *, is_whole: bool) -> list[str]:
    if not logs:
        return ["No reflective logs yet." if is_whole else "No such reflective logs."]
    rows = [
        (
            (item["recorded_at"] or _NOT_RECORDED)[:19].replace("T", " "),
            item["log_id"],
            item["person"] or "nobody's",
            _program(item),
            f"{item['final_confidence']:.2f}",
            ("" if item["question"] is None else f"{_answer(item['question'])} -> ")
            + ("(amended) " if item["amendments"] else "")
            + _answer(item["final_answer"]),
        )
        for item in logs
    ]
    return output.table(("RECORDED AT", "LOG", "PERSON", "PROGRAM", "CONF", "QUESTION -> ANSWER"), rows)


def _program(item: "LogView") -> str:
    """The program with its version, or the kind of a job that MACE itself decided; a log handed in has neither."""
    if item["program"] is None:
        return item["kind"] or "(none)"
    return item["program"] if item["version"] is None else f"{item['program']} {item['version']}"


def _about(item: "LogView") -> list[tuple[str, Any]]:
    """What the job of a log tells of it."""
    told: list[tuple[str, Any]] = [
        ("recorded", item["recorded_at"] or _NOT_RECORDED),
        ("person", item["person"] or "nobody's"),
        ("program", _program(item)),
    ]
    if item["question"] is not None:
        told.append(("question", _unless_gone(item["question"])))
    elif item.get("damaged"):
        told.append(("question", "(damaged; run mace log verify)"))
    if item["error_code"] is not None:
        told.append(("error", item["error_code"]))
    return told


def _answer(value: Any) -> str:
    """What was answered, in one line."""
    if isinstance(value, dict) and value.get("redaction_reason") == "ERASED":
        return "(erased)"
    if isinstance(value, dict) and "redaction_hash" in value:
        return f"(redacted: {output.clean(value['pii_type'])})"
    if isinstance(value, dict) and set(value) - {"cut"} == {"answer", "error_code"}:  # as `ask` writes it
        return f"({value['error_code']})" if value["answer"] is None else _answer(value["answer"])
    return " ".join(value.split()) if isinstance(value, str) else output.clean(value)


def _record(item: "ReflectiveLog", amendments: "list[Amendment]", about: "Sequence[tuple[str, Any]]" = ()) -> list[str]:
    text = [
        output.style(f"Reflective log {output.clean(item['log_id'])}", "title"),
        *output.fields(
            [
                *about,
                ("created", item["created_at"]),
                ("job", item["job_id"]),
                ("source", item["source"]),
                ("query", f"{_answer(item['query_id'])} (sha256 {_answer(item['query_text_hash'])[:16]}…)"),
                ("asked for", _unless_gone(item["qcp_summary"])),
                ("answer", item["final_answer"]),
                ("confidence", item["final_confidence"]),
                ("repair loops", item["repair_loops"]),
                ("from cache", "yes" if item["cache_hit"] else "no"),
                ("agents", _agents(item["agents_invoked"])),
                ("facts read", _unless_gone(item["sem_snapshot_hash"])),
                ("metrics", _unless_gone(item["runtime_metrics"])),
                ("version", _unless_gone(item["system_version"])),
                ("signature", item["signature"]),
            ]
        ),
    ]
    text += _section("Agent outputs", _outputs(item["agent_outputs"]))
    text += _section("Council", _votes(item["council_votes"]))
    text += _section("Amendments", _amendments(amendments))
    for name in ("user_feedback", "ground_truth_label", "audit_tags"):
        text += _section(
            name.replace("_", " ").capitalize(), [f"  {output.clean(_unless_gone(value))}" for value in item[name]]
        )
    return text


def _unless_gone(value: Any) -> Any:
    """A value as it is, or that it was erased or redacted."""
    is_gone = isinstance(value, dict) and (value.keys() == {"redaction_reason"} or "redaction_hash" in value)
    return _answer(value) if is_gone else value


def _agents(agents: Any) -> str:
    return ", ".join(map(_answer, agents)) or "none" if isinstance(agents, list) else _answer(agents)


def _section(title: str, body: list[str]) -> list[str]:
    return ["", output.style(title, "title"), *body] if body else []


def _outputs(outputs: Any) -> list[str]:
    if not isinstance(outputs, list):
        return [f"  {_answer(outputs)}"]
    text = []
    for item in outputs:
        cost = f"confidence {item['confidence']}, {item['tokens']} tokens, {item['time_ms']} ms"
        text += output.fields([(item["agent_id"], cost), ("", _answer(item["text"]))])
        text += output.fields([("", f"because: {step}") for step in item["reasoning_trace"]], "  " + " " * 4)
        if item.get("artifact_url"):
            text += output.fields([("", f"in full: {item['artifact_url']}")])
    return text


def _votes(votes: Any) -> list[str]:
    if not isinstance(votes, list):
        return [f"  {_answer(votes)}"]
    text = []
    for item in votes:
        scores = ", ".join(f"{name} {score}" for name, score in sorted(item["scores"].items()))
        text += output.fields([(item["council_agent_id"], f"{'approves' if item['approve'] else 'rejects'}: {scores}")])
        for name, label in (("suggested_changes", "suggests"), ("note", "notes")):
            if item.get(name):
                text += output.fields([("", f"{label}: {item[name]}")])
    return text


def _amendments(amendments: "list[Amendment]") -> list[str]:
    text = []
    for item in amendments:
        author = item["author"] or "(erased)"
        said = _unless_gone(item["changes"])
        text += output.fields([(item["effect"], f"by {author} at {item['created_at']}"), ("", said)])
    return text


def _timeline(events: "list[Event]", limit: int) -> list[str]:
    rows = [
        (
            event["sequence_index"],
            event["recorded_at"] or _NOT_RECORDED,
            event["event_type"],
            event["signed_by"],
            ", ".join(f"{name}={_short(value)}" for name, value in _told(event)),
        )
        for event in events[-limit:]
    ]
    text = output.table(("#", "RECORDED AT", "EVENT", "BY", "WHAT"), rows)
    if len(events) > limit:
        text.append(output.style(f"({len(events) - limit} earlier events; --limit shows more)", "dim"))
    return text


def _told(event: "Event") -> list[tuple[str, Any]]:
    """What a reader of a timeline looks for; the reference to a record and a repeated name are for programs."""
    left_out = ("record", "event", "timestamp")
    return [(name, value) for name, value in sorted(event["payload"].items()) if name not in left_out]


def _short(value: Any) -> str:
    """A value in a timeline: of a hash its beginning, which is enough to recognise it; `--json` has it whole."""
    return _HASH.sub(lambda found: found[0][:8] + "…", output.clean(value))


def _event(event: "Event") -> list[str]:
    return [
        output.style(f"Event {output.clean(event['event_id'])}", "title"),
        *output.fields([(name, value) for name, value in event.items() if name != "event_id"]),
    ]
