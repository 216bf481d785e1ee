"""The forensic key at `mace init`: asked for on a terminal, chosen by an option elsewhere, and said plainly if absent.

Its private half is written outside the store, or shown once, and never stays here. What would hurt: a public key set
whose private half was not kept; so the file comes first, and goes again when the key was surely not set.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mace.interfaces.cli import health, options, output
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ForensicKey
    from mace.engine.runtime import Mace

_PUBLIC = "mace-forensic-public-"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A key that somebody has, or a new one: to a file, or shown where there is no file."""

    public: str | None = None
    file: str | None = None


def in_words(number: int | None, *, shared: bool) -> str:
    """What a store says of its forensic key."""
    if number is not None:
        return f"number {number}; its private half must be on another machine"
    found = health.forensic_key(number, shared=shared)
    return f"{found.detail}; {found.hint}"


def chosen(session: Session, given: str | None, without: bool, *, asks: bool) -> Wanted | None:
    """What was chosen by options, or on a terminal; None for no key."""
    if given is not None and without:
        raise click.UsageError("--forensic-key and --no-forensic-key exclude each other")
    if given is not None and session.settings.is_postgres:
        raise click.UsageError("in a database shared by nodes an admin sets the forensic key: mace admin forensic-key")
    if given is not None:
        if given.startswith(_PUBLIC):
            return Wanted(public=given)
        options.must_be_outside(given, "the private forensic key", session.settings)
        return Wanted(file=given)
    is_terminal = sys.stdin.isatty() and sys.stderr.isatty() and not session.json
    if without or not asks or not is_terminal or session.settings.is_postgres:
        return None
    return _asked(session)


def _asked(session: Session) -> Wanted | None:
    from mace.core.errors import InvalidInput

    print(
        "A forensic key lets erased data be restored after a mistake, and keeps evidence closed to this node.\n"
        "Its private half must be kept on another machine.",
        file=sys.stderr,
    )
    if not click.confirm("Make one now?", default=True, err=True):
        return None
    while True:
        file: str = click.prompt("File for the private key, outside the store (- shows it once)", err=True)
        if file == "-":
            return Wanted()
        try:
            options.must_be_outside(file, "the private forensic key", session.settings)
        except InvalidInput as error:
            print(error, file=sys.stderr)
        else:
            return Wanted(file=file)


def carry_out(session: Session, mace: "Mace", wanted: Wanted | None) -> None:
    """Set the key; a new one's private half is kept first."""
    if wanted is None:
        return
    if wanted.public is not None:
        mace.forensics.set_key(wanted.public)
        return
    from mace.wiring.doors import make_forensic_key

    private, public = make_forensic_key()
    if wanted.file is None:
        mace.forensics.set_key(public)
        print(f"Private forensic key, shown this once: {private}", file=sys.stderr)
        return
    make(mace, wanted.file, private, public)
    output.note(session, f"Move {wanted.file} to another machine; on this one it protects nothing.")


def make(mace: "Mace", file: str, private: str, public: str) -> "ForensicKey":
    """Write the private key to a new file, then set the public one."""
    from mace.core.errors import AuthError, InvalidInput, PermissionDenied

    with options.private_file(file) as target:
        target.write(private.encode() + b"\n")
    try:
        return mace.forensics.set_key(public)
    except (AuthError, InvalidInput, PermissionDenied):
        Path(file).unlink()  # it was not set; after any other failure it may have been
        raise
