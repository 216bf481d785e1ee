"""`mace log attest|unhalt`: how a log goes on after an integrity failure. Nothing is repaired in place."""

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session


@command("attest")
@click.option("--statement", required=True, metavar="TEXT", help="What happened and what was checked.")
@click.pass_obj
def attest(session: Session, statement: str) -> None:
    """Sign off all current findings as an admin; the log then continues.

    Where the log contradicts a saved checkpoint, a new epoch starts.
    """
    with session.open("attest") as mace:
        value = mace.attest(mace.caller.name, statement)
    pairs = [
        ("attestation", value["attestation_id"]),
        ("by", value["actor"]),
        ("findings", "\n".join(value["finding_ids"])),
    ]
    if value.get("epoch") is not None:
        pairs.append(("new epoch", str(value["epoch"])))
    output.show(session, value, [output.style("Attested.", "good"), *output.fields(pairs)])


@command("unhalt")
@click.argument("incident_id")
@click.pass_obj
def unhalt(session: Session, incident_id: str) -> None:
    """Allow replays again after all findings of an incident were attested."""
    with session.open("incidents.lift_halt") as mace:
        value = mace.incidents.lift_halt(incident_id)
    named = f"incident {output.clean(incident_id)}"
    if value["halting"]:
        told = f"The council decides whether {named} still halts replays: mace approve show {value['request_id']}"
    else:
        told = f"Replays are no longer halted by {named}."
    output.show(session, value, told)
