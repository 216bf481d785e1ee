"""`mace consent`: what a person agreed to, and what would need it. Texts are never repeated in a refusal."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

import click

from mace.core.answers.choices import ConsentPurpose, PiiType
from mace.core.times import parse_instant
from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ConsentScope, ConsentView

_HERE = "mace.interfaces.cli.consent"


@group(
    "consent",
    {
        "grant": (f"{_HERE}:grant", "Record a person's consent."),
        "revoke": (f"{_HERE}:revoke", "Revoke a consent."),
        "list": (f"{_HERE}:list_consents", "List the consents of a person, with their texts."),
        "check": (f"{_HERE}:check", "Check a text for personal data and whether it may be stored."),
    },
)
def consent() -> None:
    """Record, revoke, list and check consent."""


@command("grant")
@click.argument("person", metavar="USER", type=options.stored_text)
@click.argument("text", type=options.stored_text)
@click.option("--persistent", is_flag=True, help="Valid until it expires, not for one job only; needs --expires.")
@click.option(
    "--expires",
    metavar="INSTANT",
    help="End of a persistent consent, such as 2027-01-31T00:00:00Z.",
    type=options.stored_text,
)
@click.option(
    "--seed", metavar="TEXT", help="Seed of the job it is for (default: a new one).", type=options.stored_text
)
@click.option(
    "--type",
    "data_types",
    multiple=True,
    metavar="TYPE",
    type=click.Choice(get_args(PiiType)),
    help=f"Type of data it covers; repeat for several (default: every type). One of: {', '.join(get_args(PiiType))}.",
)
@click.option(
    "--purpose",
    "purposes",
    multiple=True,
    metavar="PURPOSE",
    type=click.Choice(get_args(ConsentPurpose)),
    default=("store",),
    help="store: keep it, and let the agents of MACE use it (default); process: also send it to a language engine.",
)
@click.pass_obj
def grant(
    session: Session,
    person: str,
    text: str,
    persistent: bool,
    expires: str | None,
    seed: str | None,
    data_types: "tuple[PiiType, ...]",
    purposes: "tuple[ConsentPurpose, ...]",
) -> None:
    """Record that USER agreed to TEXT (`-`: read from standard input), for one job or until it expires.

    Pass the id it prints on: `mace fact put KEY VALUE --consent ID`.
    """
    if persistent and expires is None:
        raise click.UsageError("--persistent needs --expires")
    if expires is not None and not persistent:
        raise click.UsageError("--expires needs --persistent; a consent for one job ends with the job")
    scope: ConsentScope = "persistent" if persistent else "job"
    with session.open("grant_consent") as mace:
        given = mace.grant_consent(person, options.words(text), scope, seed, expires, data_types or None, purposes)
    pairs: list[tuple[str, Any]] = [
        ("consent", given["consent_id"]),
        ("scope", given["scope"]),
        ("types", _types(given["data_types"])),
        ("purposes", ", ".join(given["purposes"])),
    ]
    pairs += [("until", given["expires_at"])] if persistent else [("job seed", given["job_seed"])]
    output.show(session, given, [output.style("Granted.", "good"), *output.fields(pairs)])


@command("revoke")
@click.argument("consent_id", metavar="ID", type=options.stored_text)
@click.pass_obj
def revoke(session: Session, consent_id: str) -> None:
    """Revoke a consent; what only it covers is no longer shown, and its deletion is requested. Idempotent."""
    with session.open("revoke_consent") as mace:
        done = mace.revoke_consent(consent_id)
    output.show(session, done, "Revoked." if done["event_id"] else "Already revoked.")
    if done["dsr_id"] is not None:
        output.note(
            session, f"What only it covers waits to be deleted: mace approve vote {done['dsr_id']} yes|no|abstain"
        )


@command("list")
@click.argument("person", metavar="USER", type=options.stored_text)
@click.pass_obj
def list_consents(session: Session, person: str) -> None:
    """List the consents of a person, with their texts."""
    from mace.wiring.doors import now

    with session.open("consents") as mace:
        found = mace.consents(person)
    rows = [
        (
            item["consent_id"],
            item["scope"],
            _types(item["data_types"]),
            ", ".join(item["purposes"]),
            item["granted_at"][:19],
            _state(item, now()),
            item["text"] or "erased",
        )
        for item in found
    ]
    header = ("CONSENT", "SCOPE", "TYPES", "PURPOSES", "GRANTED", "STATE", "WORDS")
    output.show(session, {"consents": found}, output.table(header, rows) if rows else ["No consents."])


def _types(data_types: "list[PiiType] | None") -> str:
    return "all" if data_types is None else ", ".join(data_types)


def _state(item: "ConsentView", now: datetime) -> str:
    if item["revoked_at"]:
        return f"revoked {item['revoked_at'][:19]}"
    if item["expires_at"] is None:
        return "for its job"
    has_expired = parse_instant(item["expires_at"]) <= now
    return f"{'expired' if has_expired else 'until'} {item['expires_at'][:19]}"


@command("check")
@click.argument("text", type=options.stored_text)
@click.option(
    "--consent", "consent_id", metavar="ID", help="Id of a consent that may cover it.", type=options.stored_text
)
@click.option(
    "--seed", metavar="TEXT", help="Seed of the job it is for (default: a new one).", type=options.stored_text
)
@click.pass_obj
def check(session: Session, text: str, consent_id: str | None, seed: str | None) -> None:
    """Look for personal data in TEXT (`-`: standard input) for --user: allowed, consent_required or redacted.

    Nothing of the text is stored; that it was checked is, with keyed hashes of what was found.
    """
    with session.open("detect_and_handle") as mace:
        told = mace.detect_and_handle(options.words(text), session.speaker(mace), seed, consent_id)
    found = [f"{item['pii_type']} ({item['sensitivity']})" for item in told["findings"]]
    pairs: list[tuple[str, Any]] = [
        ("found", "\n".join(found) or "nothing"),
        ("consent", told["consent"]),
        ("reads", told["payload"]),
    ]
    pairs += [("approval", told["request_id"])] if told["request_id"] else []
    look = "good" if told["status"] == "allowed" else "warn"
    output.show(session, told, [output.style(told["status"], look), *output.fields(pairs)])
