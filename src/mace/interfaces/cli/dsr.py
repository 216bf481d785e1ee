"""`mace dsr`: a person's requests about their own data, from the proof of identity to the receipt, and the way back."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import DeletionManifest, DeletionReceipt, DsrAnswer, DsrView, ExportPackage

_HERE = "mace.interfaces.cli.dsr"


@group(
    "dsr",
    {
        "proof": (f"{_HERE}:proof", "Create a one-time code for an identified person."),
        "export": (f"{_HERE}:export", "Export everything stored about a person."),
        "delete": (f"{_HERE}:delete", "Request that facts, or everything of a person, be erased."),
        "show": (f"{_HERE}:show", "Show a request with its status, manifest and receipt."),
        "restore": (f"{_HERE}:restore", "Restore erased data with the forensic key."),
        "purge": (f"{_HERE}:purge", "Request that the keys of an erasure be destroyed for good."),
    },
)
def dsr() -> None:
    """Export and erase what belongs to a person."""


_RECEIPT = ("log_name", "manifest_sha256", "signature")


def _proof_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--proof` and `--proof-file`; the command gets the code as `code`."""

    @wraps(function)
    def asked(*args: Any, proof_given: str | None, proof_file: str | None, **rest: Any) -> None:
        from mace.interfaces.cli import secret

        session: Session = click.get_current_context().find_root().obj
        code = secret.needed(proof_given, proof_file, "proof", "One-time code of the person", session.environ)
        function(*args, code=code, **rest)

    shown = (
        "The one-time code of the person; others on this machine can see an argument, - asks for it (also MACE_PROOF)."
    )
    with_file = click.option("--proof-file", metavar="FILE", help="File with the one-time code.")(asked)
    return click.option("--proof", "proof_given", metavar="CODE|-", help=shown)(with_file)


@command("proof")
@click.argument("person", metavar="USER", type=options.stored_text)
@click.pass_obj
def proof(session: Session, person: str) -> None:
    """Create a one-time code for USER, whom you have identified; valid once, for one hour."""
    with session.open("accounts.issue_identity_proof") as mace:
        made = mace.accounts.issue_identity_proof(person)
    output.show(session, made, output.fields([("code", made["proof"]), ("good until", made["expires_at"])], ""))
    output.note(session, "Give it to the person; it is not shown again.")


@command("export")
@click.argument("person", metavar="USER", type=options.stored_text)
@_proof_option
@click.option("-o", "--output", "file", metavar="FILE", help="Write the exact bytes to this file (mode 0600).")
@click.pass_obj
def export(session: Session, person: str, code: str, file: str | None) -> None:
    """Export everything stored about USER: facts with history, consents, questions with answers.

    The same state gives the same bytes. `-o -` writes them to standard output and nothing else.
    """
    from mace.core import canon

    to_file = file is not None and file != "-"
    if to_file:
        options.must_be_outside(str(file), "an export", session.settings)
    with options.private_file(str(file)) if to_file else nullcontext() as target:
        with session.open("request_dsr") as mace:
            answer = mace.request_dsr(person, "export", code)
            if not answer["success"]:
                _refused(answer)
        package = answer["package"]
        plain = canon.dumps(package)
        if target is not None:
            target.write(plain)
    if file == "-":
        from mace.interfaces.cli import files

        session.shown.append(package)
        files.write_chunks("-", iter([plain]))
        return
    if file is None:
        output.show(session, answer, _package_text(package))
        return
    told = {name: value for name, value in answer.items() if name != "package"}
    pairs = [("request", answer["dsr_id"]), ("file", file), ("sha256", answer["package_sha256"])]
    output.show(session, {**told, "file": file, "bytes": len(plain)}, ["Exported.", *output.fields(pairs)])


@command("delete")
@click.argument("person", metavar="USER", type=options.stored_text)
@click.argument("keys", nargs=-1, metavar="[KEY]...", type=options.stored_text)
@_proof_option
@click.pass_obj
def delete(session: Session, person: str, keys: tuple[str, ...], code: str) -> None:
    """Request that these facts of USER, or without KEY everything of USER, be erased. Needs approval."""
    _check_keys(keys)
    with session.open("request_dsr") as mace:
        answer = mace.request_dsr(person, "delete", code, list(keys) or None)
        if not answer["success"]:
            _refused(answer)
    what = output.counted(len(keys), "fact") if keys else "everything"
    pairs = [("request", answer["dsr_id"]), ("erases", what), ("status", answer["status"])]
    output.show(session, answer, output.fields(pairs, ""))
    output.note(session, f"To decide: mace approve vote {answer['request_id']} yes|no|abstain")


def _check_keys(keys: tuple[str, ...]) -> None:
    """A wrong key is wrong usage; it may be anything a person typed, so its place is named and not its text."""
    from mace.engine.offline.arguments import check_key

    for number, key in enumerate(keys, 1):
        try:
            check_key(key)
        except ValueError as error:
            raise click.UsageError(f"KEY {number}: {error}") from None


def _refused(answer: "DsrAnswer") -> None:
    from mace.interfaces.cli.errors import Refusal

    raise Refusal(answer["error"], {name: value for name, value in answer.items() if name != "error"})


def _package_text(package: "ExportPackage") -> list[str]:
    import orjson

    pretty = orjson.dumps(package, None, orjson.OPT_INDENT_2).decode()
    return [output.clean(pretty, newlines=True)]


@command("show")
@click.argument("dsr_id", metavar="ID", type=options.stored_text)
@click.pass_obj
def show(session: Session, dsr_id: str) -> None:
    """Show a request with its status, manifest and receipt. Exported data is not shown again."""
    with session.open("dsr", read_only=True) as mace:
        held = mace.dsr(dsr_id)
    kept = held["package"] is not None
    told = {name: value for name, value in held.items() if name != "package"}
    output.show(session, {**told, "package_kept": kept}, _text(held, kept))


def _text(held: "DsrView", kept: bool) -> list[str]:
    pairs: list[tuple[str, Any]] = [
        ("kind", held["kind"]),
        ("status", held["status"]),
        ("person", held["person"]),
        ("asked", held["created_at"]),
    ]
    if held["kind"] == "delete":
        pairs.append(("about", keys_text(held.get("keys"))))
    else:
        pairs.append(("package", "kept, sealed under the person's key" if kept else "erased"))
    text = [output.style(f"Request {output.clean(held['dsr_id'])}", "title"), *output.fields(pairs)]
    if held["manifest"] is not None:
        text += paper_text(held["manifest"], held["receipt"])
    return text


def keys_text(keys: list[str] | None) -> str:
    """What a deletion is about."""
    return "\n".join(keys) if keys else "everything of the person"


def paper_text(manifest: "DeletionManifest", receipt: "DeletionReceipt | None") -> list[str]:
    """The papers of an erasure: what went, never what it said."""
    facts = [item["key"] for item in manifest["facts"]]
    pairs: list[tuple[str, Any]] = [
        ("erased", manifest["at"]),
        ("facts", "\n".join(facts) or "none"),
        ("jobs", len(manifest["jobs"])),
        ("keys removed", len(manifest["keys_removed"])),
        ("restorable", "with the forensic key" if manifest["restorable"] else "no: the keys are destroyed"),
    ]
    text = [output.style("Manifest", "title"), *output.fields(pairs)]
    if receipt is not None:
        pairs = [(name, value) for name, value in receipt.items() if name in _RECEIPT]
        text += [output.style("Receipt", "title"), *output.fields(pairs)]
    return text


@command("restore")
@click.argument("dsr_id", metavar="ID", type=options.stored_text)
@click.option(
    "--key-file",
    metavar="FILE|-",
    help="File with the forensic private key (- asks for it; also MACE_FORENSIC_KEY).",
)
@click.option(
    "--purpose",
    required=True,
    metavar="TEXT",
    help="Purpose of the access; it is stored unencrypted on the ledger.",
    type=options.stored_text,
)
@click.pass_obj
def restore(session: Session, dsr_id: str, key_file: str | None, purpose: str) -> None:
    """Restore erased data; what the person wrote since is unchanged."""
    key = options.forensic_key(key_file, session.environ)
    if key is None:
        raise click.UsageError("Missing option '--key-file': give it or MACE_FORENSIC_KEY; --key-file - asks for it")
    with session.open("forensics.restore") as mace:
        done = mace.forensics.restore(dsr_id, key, purpose=purpose)
    pairs = [
        ("facts", "\n".join(done["facts"]) or "none"),
        ("keys", len(done["keys_restored"])),
        ("superseded", len(done["keys_superseded"])),
    ]
    output.show(session, done, [output.style("Restored.", "good"), *output.fields(pairs)])


@command("purge")
@click.argument("dsr_id", metavar="ID", type=options.stored_text)
@click.pass_obj
def purge(session: Session, dsr_id: str) -> None:
    """Request that the keys of an erasure be destroyed for good. It waits for approval."""
    with session.open("forensics.request_purge") as mace:
        asked = mace.forensics.request_purge(dsr_id)
    output.show(session, asked, f"Requested: {asked['request_id']}.")
    output.note(session, f"To decide: mace approve vote {asked['request_id']} yes|no|abstain")
