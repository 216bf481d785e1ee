"""`mace incident`: what went wrong, as it lies on the ledger, and that somebody has seen it."""

from typing import TYPE_CHECKING

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import IncidentView

_HERE = "mace.interfaces.cli.incident"


@group(
    "incident",
    {
        "list": (f"{_HERE}:list_incidents", "List incidents, newest first."),
        "show": (f"{_HERE}:show_incident", "Show one incident."),
        "ack": (f"{_HERE}:acknowledge", "Acknowledge an incident."),
        "report": (f"{_HERE}:report", "Report a security incident."),
        "violation": (f"{_HERE}:violation", "Report a module that broke the policy and take it offline."),
    },
)
def incident() -> None:
    """List, show, acknowledge and report incidents."""


@command("list")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number of incidents.")
@click.pass_obj
def list_incidents(session: Session, limit: int) -> None:
    """List incidents, newest first."""
    with session.open("incidents.list", read_only=True) as mace:
        found = list(reversed(mace.incidents.list()))
    rows = [
        (item["incident_id"], item["created_at"][:19], item["severity"], _state(item), item["summary"])
        for item in found[:limit]
    ]
    text = output.table(("INCIDENT", "CREATED", "SEVERITY", "STATE", "SUMMARY"), rows) if rows else ["No incidents."]
    output.show(session, {"incidents": found[:limit], "incidents_in_all": len(found)}, text)


@command("show")
@click.argument("incident_id", type=options.stored_text)
@click.pass_obj
def show_incident(session: Session, incident_id: str) -> None:
    """Show one incident."""
    with session.open("incidents.show", read_only=True) as mace:
        item = mace.incidents.show(incident_id)
    output.show(session, item, _text(item))
    if item["halting"]:
        output.note(session, "\nLook at a row with: mace admin quarantine ID")
        output.note(session, "When you know what happened: mace log attest --statement '...', then")
        output.note(session, f"mace log unhalt {item['incident_id']}")


@command("ack")
@click.argument("incident_id", type=options.stored_text)
@click.pass_obj
def acknowledge(session: Session, incident_id: str) -> None:
    """Acknowledge an incident as an admin. Idempotent."""
    with session.open("incidents.acknowledge") as mace:
        item = mace.incidents.acknowledge(incident_id)
    output.show(session, item, _text(item))


@command("report")
@click.argument("reason", type=options.stored_text)
@click.option(
    "--job",
    "jobs",
    multiple=True,
    metavar="JOB",
    type=options.stored_text,
    help="Job whose replays are halted; may be repeated.",
)
@click.pass_obj
def report(session: Session, reason: str, jobs: tuple[str, ...]) -> None:
    """Report a security incident and halt replays of the jobs it affects.

    REASON is stored unencrypted on the ledger and must not contain personal data.
    """
    with session.open("incidents.report") as mace:
        made = mace.incidents.report(reason, jobs=list(jobs) or None)
        item = mace.incidents.show(made["incident_id"])
    output.show(session, {**item, **made}, _text(item))


@command("violation")
@click.argument("module_id", metavar="MODULE", type=options.stored_text)
@click.argument("rule", type=options.stored_text)
@click.pass_obj
def violation(session: Session, module_id: str, rule: str) -> None:
    """Report that MODULE broke RULE: it goes offline, its writes are blocked, and the evidence is kept.

    Bring it back with `mace admin recover`, or quarantine it with `mace approve quarantine`.
    """
    with session.open("incidents.report_violation") as mace:
        made = mace.incidents.report_violation(module_id, rule)
        item = mace.incidents.show(made["incident_id"])
    output.show(session, {**item, **made}, _text(item))


def _state(item: "IncidentView") -> str:
    seen = "acknowledged" if item["acknowledged"] else "new"
    return f"{seen}, replays halted" if item["halting"] else seen


def _text(item: "IncidentView") -> list[str]:
    seen = item["acknowledged"]
    return [
        output.style(f"Incident {output.clean(item['incident_id'])}", "title"),
        *output.fields(
            [
                ("kind", item["kind"]),
                ("severity", item["severity"]),
                ("created", item["created_at"]),
                ("summary", item["summary"]),
                ("acknowledged", f"{seen['at']} by {seen['actor']}" if seen else "no"),
                ("replays", f"halted: {', '.join(item['halts'])}" if item["halting"] else "not halted"),
                ("about", "\n".join(item["about"])),
            ]
        ),
    ]
