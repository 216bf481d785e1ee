"""`mace log export`: the log as a file that a stranger can check, with what the stranger needs beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session


@command("export")
@click.argument("file", metavar="FILE|-")
@click.option("--checkpoint", metavar="FILE", help="File for the signed checkpoint (default: beside the export).")
@click.option("--public-key", metavar="FILE", help="File for the public key (default: beside the export).")
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
@click.pass_obj
def export(session: Session, file: str, checkpoint: str | None, public_key: str | None, force: bool) -> None:
    """Write the log to a file that anyone can verify.

    FILE gets one event per line, FILE.checkpoint the signed head, FILE.pub the public key. To `-` only the log is
    written, and the report goes to standard error; name the other two files if you want them. Nothing personal is in
    an export: events hold hashes of what is personal.
    """
    from mace.interfaces.cli.files import must_be_free, write_chunks

    note_file = checkpoint or (None if file == "-" else f"{file}.checkpoint")
    key_file = public_key or (None if file == "-" else f"{file}.pub")
    must_be_free([name for name in (file, note_file, key_file) if name], force)
    with session.open("checkpoint") as mace:  # which is signed first: the export then holds at least what it covers
        note = mace.checkpoint()
        total = mace.describe()["events"]
        with output.Progress(session, "Exporting") as progress:
            size = write_chunks(file, _counted(mace.export(), total, progress))
        key = mace.public_key()
    for name, text in ((note_file, note), (key_file, key + "\n")):
        if name:
            write_chunks(name, iter([text.encode()]))
    value: dict[str, Any] = {
        "export": file,
        "bytes": size,
        "checkpoint_file": note_file,
        "public_key_file": key_file,
        "checkpoint": note,
        "public_key": key,
    }
    if file == "-":
        session.shown.append(value)
        if session.json:
            output.print_json(value, err=True)
        return
    pairs = [("export", f"{file}  ({size} bytes)"), ("checkpoint", note_file), ("public key", key_file)]
    output.show(session, value, output.fields(pairs))
    names = [Path(name).name for name in (file, note_file or "", key_file or "")]
    command_line = f"mace log verify {names[0]} --checkpoint {names[1]} --public-key {names[2]}"
    output.note(session, f"\nAnyone can check it with these three files:\n  {output.style(command_line, 'command')}")
    output.note(session, "Send the public key through another channel than the export.")


def _counted(lines: Iterator[bytes], total: int, progress: output.Progress) -> Iterator[bytes]:
    for at, line in enumerate(lines):
        if at % 2000 == 0:
            progress(min(at, total), total)
        yield line
