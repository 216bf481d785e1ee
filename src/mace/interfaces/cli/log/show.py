"""`mace log show`: recent logs, one log, or the timeline of a job."""

import re
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import Amendment, Event, ReflectiveLog
    from mace.engine.runtime import Mace

_HASH = re.compile(r"\b[0-9a-f]{64}\b")


@command("show")
@click.argument("what", metavar="[LOG_ID|JOB|EVENT_ID|system]", required=False)
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number of entries, newest first."
)
@options.unredacted_options
@click.pass_obj
def show(session: Session, what: str | None, limit: int, unredacted: bool, purpose: str | None) -> None:
    """Show recent logs, one log, or the events of a job.

    Without an argument: the newest reflective logs. With the id of a log: that log. With the id of a job, or `system`:
    its events in order. With the id of an event: that event.

    Personal data is shown as its hash, and what is sealed not at all. An admin reads one log or one event as it was
    written with --unredacted and --purpose, and with --totp where the admin is an account; that is on the record.
    """
    why = options.check_unredacted(unredacted, purpose)
    if unredacted:
        if what is None:
            raise click.UsageError("--unredacted needs the id of one log or one event")
        _unredacted(session, what, why)
        return
    with session.open("read_reflective_log", read_only=True) as mace:
        if what is None:
            logs = mace.recent_logs(limit)
            left_out = mace.left_out("recent_logs", limit)["left_out"]
            output.show(session, {"logs": logs, "left_out": left_out}, _recent(logs))
            output.tell_left_out(left_out, "log")
            return
        _one(session, mace, what, limit)


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
        record = mace.read_reflective_log(what)
    except NotFound:
        missing: MaceError = NotFound(what=f"log, job or event {what}")
    except PermissionDenied as error:
        if error.details.get("needs") != "second_factor":
            raise
        missing = error  # if it is a log; what is nobody's may be looked at without
    else:
        amendments = mace.amendments(what)
        output.show(session, {**record, "amendment_records": amendments}, _record(record, amendments))
        return
    try:
        events = _stream(mace, what)
        if events:
            value = {"stream": what, "events": events[-limit:], "events_in_all": len(events)}
            output.show(session, value, _timeline(events, limit))
            return
        events = _with_id(mace, what)
    except PermissionDenied:  # to somebody who may read logs and nothing else it is a log
        raise missing from None
    if not events:
        raise missing
    output.show(session, {"events": events}, [text for event in events for text in _event(event)])


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


def _recent(logs: "list[ReflectiveLog]") -> list[str]:
    if not logs:
        return ["No reflective logs yet."]
    rows = [
        (
            item["created_at"][:16].replace("T", " "),
            item["log_id"],
            f"{item['final_confidence']:.2f}",
            ("(amended) " if item["amendments"] else "") + _answer(item["final_answer"]),
        )
        for item in logs
    ]
    return output.table(("CREATED", "LOG", "CONF", "ANSWER"), rows)


def _answer(value: Any) -> str:
    """What was answered, in one line."""
    if isinstance(value, dict) and value.get("redaction_reason") == "ERASED":
        return "(erased)"
    if isinstance(value, dict) and "redaction_hash" in value:
        return f"(redacted: {output.clean(value['pii_type'])})"
    if isinstance(value, dict) and set(value) - {"cut"} == {"answer", "error_code"}:  # as `ask` writes it
        return f"({value['error_code']})" if value["answer"] is None else _answer(value["answer"])
    return " ".join(value.split()) if isinstance(value, str) else output.clean(value)


def _record(item: "ReflectiveLog", amendments: "list[Amendment]") -> list[str]:
    text = [
        output.style(f"Reflective log {output.clean(item['log_id'])}", "title"),
        *output.fields(
            [
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
            event["recorded_at"] or "(not recorded)",
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
