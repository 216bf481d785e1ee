"""`mace admin forensic-key` and `mace admin forensics`: the store that this node can fill and not read.

The private key is written once, elsewhere, and never stays here. What would hurt: a private key inside the location, or
a public key set whose private half was not kept; so the file comes first, and goes again only when the key
was surely not set.
"""

from typing import TYPE_CHECKING

import click

from mace.interfaces.cli import forensic_choice, options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ForensicEntry

_HERE = "mace.interfaces.cli.forensics"


@command("forensic-key")
@click.argument("file")
@click.pass_obj
def forensic_key(session: Session, file: str) -> None:
    """Make a forensic key pair: the private key goes to FILE, outside the location, the public one is used from now on.

    Move FILE to another machine. Without it, data erased from now on cannot be restored.
    """
    from mace.wiring.doors import make_forensic_key

    options.must_be_outside(file, "this key", session.settings)
    private, public = make_forensic_key()
    with session.open("forensics.set_key") as mace:
        done = forensic_choice.make(mace, file, private, public)
    pairs = [("public key", done["public_key"]), ("private key", file), ("number", done["number"])]
    output.show(session, {**done, "private_key_file": file}, output.fields(pairs, ""))
    output.note(session, "Move the private key to another machine; on this one it protects nothing.")


@group(
    "forensics",
    {
        "list": (f"{_HERE}:list_entries", "List forensic entries: names and times, not contents."),
        "read": (f"{_HERE}:read", "Read an entry with the private key, on the record."),
    },
)
def forensics() -> None:
    """Look into the forensic store."""


@command("list")
@click.pass_obj
def list_entries(session: Session) -> None:
    """List forensic entries: names and times, not contents."""
    with session.open("forensics.entries", read_only=True) as mace:
        found = mace.forensics.entries()
        left_out = mace.left_out("forensics.entries")["left_out"]
    rows = [(item["entry_id"], item["at"][:19], item["kind"], _state(item), item["about"]) for item in found]
    header = ("ENTRY", "AT", "KIND", "STATE", "ABOUT")
    value = {"entries": found, "left_out": left_out}
    output.show(session, value, output.table(header, rows) if rows else ["No forensic entries."])
    output.tell_left_out(left_out, "forensic record")


def _state(item: "ForensicEntry") -> str:
    if item["purged"]:
        return "purged"
    return "sealed under this node's keys" if item["forensic_key"] is None else f"sealed to key {item['forensic_key']}"


@command("read")
@click.argument("entry_id", metavar="ID", type=options.stored_text)
@click.option(
    "--key-file",
    metavar="FILE|-",
    help="File with the forensic private key (- asks for it; also MACE_FORENSIC_KEY); not needed for entries from "
    "before the key was set.",
)
@click.option(
    "--purpose",
    required=True,
    metavar="TEXT",
    help="Purpose of the access; it is stored unencrypted on the ledger.",
    type=options.stored_text,
)
@click.pass_obj
def read(session: Session, entry_id: str, key_file: str | None, purpose: str) -> None:
    """Read an entry; that you did is an `admin_access_event`. It may hold what a person wrote, or keys."""
    key = options.forensic_key(key_file, session.environ)
    with session.open("forensics.read") as mace:
        content = mace.forensics.read(entry_id, key, purpose=purpose)
    output.show(session, {"entry_id": entry_id, "content": content}, output.clean(content))
