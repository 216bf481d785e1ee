"""`mace log checkpoint|prove|consistency|verify-proof`: small proofs for people who do not hold the log."""

from typing import Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

_OUT = click.option("-o", "--output", "file", metavar="FILE", help="Write it to a file.")
_FORCE = click.option("--force", is_flag=True, help="Overwrite a file that exists.")


@command("checkpoint")
@_OUT
@_FORCE
@click.pass_obj
def checkpoint(session: Session, file: str | None, force: bool) -> None:
    """Sign the head of the log and keep it outside the store.

    Give the note to somebody else, too: a cut or rolled back log can be seen back to the last checkpoint that whoever
    changed it could not reach.
    """
    from mace.engine.offline.proofs import read_note
    from mace.interfaces.cli.files import must_be_free, write_chunks

    must_be_free([file] if file else [], force)
    with session.open("checkpoint") as mace:
        note = mace.checkpoint()
        kept_in = mace.describe()["checkpoints_kept_in"]
    if file:
        write_chunks(file, iter([note.encode()]))
    head = read_note(note)
    value = {"note": note, "origin": head.origin, "size": head.size, "root": head.root.hex(), "kept_in": kept_in}
    output.show(session, value, note.rstrip("\n") if not file else f"Written: {file}")
    output.note(session, f"\nKept in {kept_in}.")


@command("prove")
@click.argument("event_id")
@_OUT
@_FORCE
@click.pass_obj
def prove(session: Session, event_id: str, file: str | None, force: bool) -> None:
    """Prove that an event is in the log; check the proof with `mace log verify-proof`."""
    from mace.engine.offline import proofs

    with session.open("prove_inclusion") as mace:
        proof = {"format": proofs.FORMAT, "kind": "inclusion", **mace.prove_inclusion(event_id)}
    _hand_over(session, proof, file, force)


@command("consistency")
@click.argument("old", type=click.IntRange(0))
@click.argument("new", type=click.IntRange(0))
@_OUT
@_FORCE
@click.pass_obj
def consistency(session: Session, old: int, new: int, file: str | None, force: bool) -> None:
    """Prove that the log of NEW events begins with the log of OLD events."""
    from mace.engine.offline import proofs

    with session.open("prove_consistency", read_only=True) as mace:
        proof = {"format": proofs.FORMAT, "kind": "consistency", **mace.prove_consistency(old, new)}
    _hand_over(session, proof, file, force)


def _hand_over(session: Session, proof: dict[str, Any], file: str | None, force: bool) -> None:
    from mace.core import canon
    from mace.interfaces.cli.files import must_be_free, write_chunks

    must_be_free([file] if file else [], force)
    if file:
        write_chunks(file, iter([canon.dumps(proof) + b"\n"]))
        output.show(session, {**proof, "file": file}, f"Written: {file}")
        output.note(session, f"Check it with: mace log verify-proof {file} --public-key FILE")
    else:
        session.shown.append(proof)
        output.print_json(proof)  # a proof is for a program either way


@command("verify-proof")
@click.argument("file", metavar="FILE|-")
@click.option("--public-key", required=True, metavar="FILE", help="The log's public key.")
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    metavar="FILE",
    help="For a consistency proof: the older checkpoint, then the newer.",
)
@click.pass_obj
def verify_proof(session: Session, file: str, public_key: str, checkpoints: tuple[str, ...]) -> None:
    """Check a proof with nothing but the public key."""
    from mace.interfaces.cli.errors import Refusal
    from mace.interfaces.cli.files import read_json, read_text
    from mace.wiring.doors import check_proof, make_envelope

    notes = [read_text(name) for name in checkpoints]
    verdict = check_proof(read_json(file), read_text(public_key), notes)
    if not verdict["ok"]:
        raise Refusal(make_envelope("INTEGRITY_FAILURE", {"reason": verdict["because"]}), verdict)
    pairs = [(name, value) for name, value in verdict["proved"].items()]
    output.show(session, verdict, [f"{output.style('OK', 'good')}  {verdict['because']}", *output.fields(pairs)])
