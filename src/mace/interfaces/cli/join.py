"""`mace join`: one more node for a store in PostgreSQL."""

import os
from pathlib import Path

import click

from mace.core.errors import PermissionDenied
from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session


@command("join")
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--invite", is_flag=True, help="On a node of the store: write the invitation FILE.")
@click.option(
    "--passphrase-file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the passphrase from this file instead of asking for it.",
)
@click.pass_obj
def join(session: Session, file: Path, invite: bool, passphrase_file: Path | None) -> None:
    """Join a store in PostgreSQL as one more node, with an invitation from another node.

    On a node of the store: `mace join --invite FILE`. On the new one: `mace join FILE -C URL`. FILE holds
    the keys of the server under a passphrase: send both by different ways, and delete the file afterwards.
    """
    from mace.wiring import joining

    output.hear_warnings(session)
    if session.role is not None or session.totp is not None:
        raise PermissionDenied(
            actor=f"{session.actor} as {session.role or 'an account'}",
            action="hand out or take the server's keys: whoever holds the key file does, without --as and --totp",
        )
    words = _passphrase(passphrase_file, confirm=invite)
    if invite:
        _write(file, joining.invite(session.settings, words, session.actor))
        output.show(session, {"invitation": str(file)}, f"The invitation is in {output.clean(str(file))} (mode 0600).")
        output.note(session, f"On the new node: mace join {output.clean(str(file))} -C URL")
        return
    try:
        invitation = file.read_bytes()
    except OSError as error:
        raise click.ClickException(f"cannot read {file}: {error.strerror}") from None
    done = joining.join(session.settings, invitation, words)
    text = f"Joined the log {done['log_name'][:16]}. The keys are in {output.clean(done['keys_file'])}."
    output.show(session, {"joined": True, **done}, text)
    output.note(session, "Delete the invitation now: whoever has it and the passphrase has the keys of the server.")


def _passphrase(file: Path | None, *, confirm: bool) -> str:
    if file is not None:
        return file.read_text("utf-8").strip("\r\n")
    asked: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
    return asked


def _write(file: Path, content: bytes) -> None:
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from None
    with os.fdopen(descriptor, "wb") as target:
        target.write(content)
