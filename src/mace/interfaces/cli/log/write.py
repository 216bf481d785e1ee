"""`mace log write|amend|annotate`: what may be added to the record. Nothing here can change it."""

from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import AmendEffect

_EFFECTS = ("note", "override_suggestion", "revalidate")


@command("write")
@click.argument("file", metavar="FILE|-")
@click.option("--about", "person", metavar="USER", type=options.stored_text, help="The person the log is about.")
@click.option("--consent", "consent_id", metavar="ID", help="Id of the consent that covers personal data in the log.")
@click.pass_obj
def write(session: Session, file: str, person: str | None, consent_id: str | None) -> None:
    """Write a reflective log from a JSON object in FILE, or in standard input.

    With --about it belongs to that person: it is in their export and goes with their erasure. Personal data that no
    consent covers is redacted. A payload that breaks the schema or a limit is refused and kept, sealed, in quarantine;
    the refusal names the id.
    """
    from mace.interfaces.cli.files import read_json

    payload = read_json(file)
    with session.open("write_reflective_log") as mace:
        log_id = mace.write_reflective_log(payload, user_id=person, consent_id=consent_id)
    output.show(session, {"log_id": log_id}, f"Written: {output.clean(log_id)}")


@command("amend")
@click.argument("log_id")
@click.option("--author", metavar="ID", help="Id of the author, not a name (default: the user).")
@click.option("--changes", required=True, metavar="JSON|@FILE", help="The corrections, as JSON or @FILE.")
@click.option(
    "--effect", type=click.Choice(_EFFECTS), default="note", show_default=True, help="Effect of the correction."
)
@click.pass_obj
def amend(session: Session, log_id: str, author: str | None, changes: str, effect: "AmendEffect") -> None:
    """Add a correction to a log; the log itself is unchanged."""
    from mace.interfaces.cli.files import json_argument

    corrected: Any = json_argument(changes, "--changes")
    with session.open("amend") as mace:
        amendment = mace.amend(log_id, author or session.speaker(mace) or mace.caller.name, corrected, effect)
    output.show(
        session,
        amendment,
        f"Amendment {amendment['amendment_id']} was added to log {output.clean(log_id)}, which is unchanged.",
    )


@command("annotate")
@click.argument("log_id")
@click.option("--feedback", multiple=True, metavar="TEXT", help="What a user said about the answer.")
@click.option("--label", multiple=True, metavar="TEXT", help="The correct answer, if known later.")
@click.option("--tag", multiple=True, metavar="TEXT", help="Tag for auditors.")
@click.pass_obj
def annotate(
    session: Session, log_id: str, feedback: tuple[str, ...], label: tuple[str, ...], tag: tuple[str, ...]
) -> None:
    """Append feedback, a label or a tag to a log; earlier ones are kept."""
    given = {"user_feedback": feedback, "ground_truth_label": label, "audit_tags": tag}
    if not any(given.values()):
        raise click.UsageError("Give at least one of --feedback, --label, --tag.")
    rounds = max(map(len, given.values()))
    with session.open("update_reflective_log") as mace:
        for at in range(rounds):
            record = mace.update_reflective_log(
                log_id, {name: values[at] for name, values in given.items() if at < len(values)}
            )
    kept = {name: value for name, value in record.items() if name in given}
    output.show(session, {"log_id": log_id, **kept}, output.fields(kept.items()))
