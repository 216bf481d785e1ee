"""`mace log attest|unhalt`: how a log goes on after an integrity failure. Nothing is repaired in place."""

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.options import totp_option
from mace.interfaces.cli.session import Session


@command("attest")
@click.option("--statement", required=True, metavar="TEXT", help="What happened and what was checked.")
@totp_option
@click.pass_obj
def attest(session: Session, statement: str, totp: str | None) -> None:
    """Sign off all current findings as an admin; the log then continues.

    Where the log contradicts a saved checkpoint, a new epoch starts.
    """
    session.must_be("attest findings", "admin")
    with session.open() as mace:
        value = mace.attest(mace.prove_role(session.actor, totp), statement)
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
@totp_option
@click.pass_obj
def unhalt(session: Session, incident_id: str, totp: str | None) -> None:
    """Allow replays again after all findings of an incident were attested."""
    session.must_be("lift a replay halt", "council", "admin")
    with session.open() as mace:
        value = mace.lift_replay_halt(incident_id, session.actor, totp)
    named = f"incident {output.clean(incident_id)}"
    if value["halting"]:
        told = f"The council decides whether {named} still halts replays: mace approve list"
    else:
        told = f"Replays are no longer halted by {named}."
    output.show(session, value, told)
