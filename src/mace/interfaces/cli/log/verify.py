"""`mace log verify`: the whole store, or an exported log alone with a checkpoint and the public key."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

_SHOWN = 20
_RESTORE = "Keep a copy of the store as it is for whoever looks into it, and restore a backup."


@command("verify")
@click.argument("export", required=False, type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--checkpoint", metavar="FILE", help="The signed checkpoint to check an exported log against.")
@click.option("--public-key", metavar="FILE", help="The log's public key.")
@click.option("--read-only", is_flag=True, help="Report findings without writing anything (for auditors).")
@click.option("--quick", is_flag=True, help="Leave out opening every key and blob, experience, and the file itself.")
@click.option("--all", "every", is_flag=True, help="List findings that an admin has attested, too.")
@click.pass_obj
def verify(
    session: Session,
    export: str | None,
    checkpoint: str | None,
    public_key: str | None,
    read_only: bool,
    quick: bool,
    every: bool,
) -> None:
    """Check every byte of the store, or an exported log alone.

    Without EXPORT: every event, every row against the event that names it, keys and sealed parts, experience, the file
    and its schema, and every kept checkpoint. What is found is named, quarantined and becomes an incident. Idempotent.

    With EXPORT: needs only --checkpoint and --public-key, no server keys and no database.
    """
    if export is None:
        if checkpoint or public_key:
            raise click.UsageError("--checkpoint and --public-key need an EXPORT: mace log verify EXPORT ...")
        _store(session, read_only, quick, every)
    elif quick:
        raise click.UsageError("--quick is for the store; an EXPORT holds events only")
    elif not checkpoint or not public_key:
        raise click.UsageError("EXPORT needs --checkpoint FILE and --public-key FILE.")
    else:
        _export(session, export, checkpoint, public_key, every)


def _store(session: Session, read_only: bool, quick: bool, every: bool) -> None:
    reads = read_only or session.only_reads
    with output.Progress(session, "Verifying") as progress:
        result: dict[str, Any] = {**session.verify(read_only=reads, quick=quick, progress=progress)}
    about = output.counted(result["events"], "event") + (", read-only" if result["read_only"] else "")
    _conclude(session, result, about + (", quick" if quick else ""), every)


def _export(session: Session, export: str, checkpoint: str, public_key: str, every: bool) -> None:
    from mace.core.errors import InvalidInput
    from mace.interfaces.cli.files import read_text
    from mace.wiring.doors import verify_export

    note, key = read_text(checkpoint), read_text(public_key)
    with click.open_file(export, "rb") as file, output.Progress(session, "Verifying") as progress:
        lines = _counted(file, 0 if export == "-" else Path(export).stat().st_size, progress)
        try:
            result = verify_export(lines, note, key)
        except InvalidInput as error:
            raise InvalidInput(f"{export}: {error}") from None
    covered = result["covered_by_checkpoint"]
    about = f"{output.counted(result['events'], 'event')}, the first {covered} held to the checkpoint"
    _conclude(session, result, about, every)
    for item in result["attestations"]:
        told = f"{item['actor']} attested at {item['at'][:19]}: {item['statement']}"
        output.note(session, output.clean(told))
    after = result["events"] - covered
    if after:
        output.note(session, f"The last {after} events came after the checkpoint: only their chains cover them.")


def _counted(file: Any, total: int, progress: output.Progress) -> Iterator[bytes]:
    done = 0
    for at, line in enumerate(file):
        done += len(line)
        if at % 5000 == 0 and total:
            progress(done, total)
        yield line


def _conclude(session: Session, result: Mapping[str, Any], about: str, every: bool) -> None:
    """Say OK, or refuse with every finding; those that an admin has attested do not count, and are one line."""
    from mace.interfaces.cli.errors import Refusal
    from mace.wiring.doors import make_envelope

    findings = result["findings"]
    known = _attested([item for item in findings if item.get("attested")], result, every)
    if result["ok"]:
        output.show(session, result, [f"{output.style('OK', 'good')}  {output.clean(about)}", *known])
        return
    new = [item for item in findings if not item.get("attested")]
    reason = f"{output.counted(result.get('findings_in_all', len(findings)), 'finding')} in {about}"
    details: dict[str, Any] = {"reason": reason}
    if result.get("incident_id"):
        details["incident_id"] = result["incident_id"]
    text = [f"{output.style('NOT OK', 'bad')}  {output.clean(reason)}"]
    for item in new[:_SHOWN]:
        text += ["", *_finding(item, result)]
    if len(new) > _SHOWN:
        text.append(f"\n... and {len(new) - _SHOWN} more; --json shows them")
    text += ["", *known] if known else []
    if result.get("incident_id"):
        text += ["", f"Incident {result['incident_id']} (mace incident show {result['incident_id']})", ""]
    if result.get("not_recorded"):
        text += ["", f"What was found could not be recorded: {output.clean(result['not_recorded'])}", _RESTORE, ""]
    raise Refusal(make_envelope("INTEGRITY_FAILURE", details), result, text)


def _attested(known: list[Mapping[str, Any]], result: Mapping[str, Any], every: bool) -> list[str]:
    """One line for what was answered for, or all of it."""
    if every:
        return [text for item in known for text in _finding(item, result)]
    return [f"{output.counted(len(known), 'finding')} attested, --all lists them"] if known else []


def _finding(item: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    where = ", ".join(f"{name} {output.clean(value)}" for name, value in item["where"].items())
    pairs = [("row", where), ("detail", item["detail"])]
    if item.get("attested"):
        pairs.append(("attested", "signed off by an admin"))
    elif result.get("incident_id"):
        pairs.append(("quarantine", item["finding_id"]))
    else:
        pairs.append(("finding", item["finding_id"]))
    return [f"{output.style(item['kind'], 'bad')}: {item['meaning']}", *output.fields(pairs)]
