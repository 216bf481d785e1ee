"""`mace dsr`: a person's requests about their own data, from the proof of identity to the receipt, and the way back."""

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import (
        DeletionManifest,
        DeletionReceipt,
        DsrAnswer,
        DsrView,
        ExportPackage,
        RectificationManifest,
    )

_HERE = "mace.interfaces.cli.dsr"


@group(
    "dsr",
    {
        "proof": (f"{_HERE}:proof", "Create a one-time code for an identified person."),
        "export": (f"{_HERE}:export", "Export everything stored about a person."),
        "delete": (f"{_HERE}:delete", "Request that facts, or everything of a person, be erased."),
        "delete-jobs": (f"{_HERE}:delete_jobs", "Request that jobs without a person be erased."),
        "rectify": (f"{_HERE}:rectify", "Request that facts of a person be corrected."),
        "show": (f"{_HERE}:show", "Show a request with its status, manifest and receipt."),
        "restore": (f"{_HERE}:restore", "Restore erased data with the forensic key."),
        "purge": (f"{_HERE}:purge", "Request that the keys of an erasure be destroyed for good."),
        "verify-receipt": (f"{_HERE}:verify_receipt", "Check a receipt with the public key alone."),
    },
)
def dsr() -> None:
    """Export, correct and erase what belongs to a person."""


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
@click.option("-o", "--output", "exact", metavar="FILE", help="Write the exact bytes to this file (mode 0600).")
@click.option("--out", "readable", metavar="FILE", help="Write one readable file for the person (mode 0600).")
@click.pass_obj
def export(session: Session, person: str, code: str, exact: str | None, readable: str | None) -> None:
    """Export everything stored about USER, and what others wrote, decided and looked at about USER.

    Facts with history, consents, questions with answers, experience, logs with their reasoning, amendments, feedback,
    labels and tags, writes that wait, approvals, accounts, accesses, what was quarantined, evidence.

    The same state gives the same bytes, in either form. `-o -` writes them to standard output and nothing else.
    """
    from mace.core import canon

    if exact is not None and readable is not None:
        raise click.UsageError("Give one of --output and --out.")
    file = exact if readable is None else readable
    to_file = file is not None and file != "-"
    if to_file:
        options.must_be_outside(str(file), "an export", session.settings)
    with options.private_file(str(file)) if to_file else nullcontext() as target:
        with session.open("request_dsr") as mace:
            answer = mace.request_dsr(person, "export", code)
            if not answer["success"]:
                _refused(answer)
        package = answer["package"]
        plain = canon.dumps(package) if readable is None else _pretty(package) + b"\n"
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
    digest = canon.sha256_hex(plain)  # of the file; of the exact bytes it is `package_sha256`
    pairs = [("request", answer["dsr_id"]), ("file", file), ("sha256", digest)]
    told |= {"file": file, "bytes": len(plain), "sha256": digest}
    output.show(session, told, ["Exported.", *output.fields(pairs)])


@command("delete")
@click.argument("person", metavar="USER", type=options.stored_text)
@click.argument("keys", nargs=-1, metavar="[KEY]...", type=options.stored_text)
@_proof_option
@click.pass_obj
def delete(session: Session, person: str, keys: tuple[str, ...], code: str) -> None:
    """Request that what each KEY names, or without KEY everything of USER, be erased. Needs approval.

    KEY is a fact of USER, `turn/USER/NUMBER` for something that was said, as recall names it,
    `conversation/ID` for everything that was said in a conversation, or `experience/ID`.
    """
    _check_keys(keys, erasing=True)
    with session.open("request_dsr") as mace:
        answer = mace.request_dsr(person, "delete", code, list(keys) or None)
        if not answer["success"]:
            _refused(answer)
    what = _what(keys) if keys else "everything"
    pairs = [("request", answer["dsr_id"]), ("erases", what), ("status", answer["status"])]
    output.show(session, answer, output.fields(pairs, ""))
    output.note(session, f"To decide: mace approve vote {answer['request_id']} yes|no|abstain")


@command("delete-jobs")
@click.argument("job_ids", nargs=-1, required=True, metavar="JOB...", type=options.stored_text)
@click.pass_obj
def delete_jobs(session: Session, job_ids: tuple[str, ...]) -> None:
    """Request that these jobs, which belong to nobody, be erased. Needs approval."""
    with session.open("jobs.request_erasure") as mace:
        answer = mace.jobs.request_erasure(list(job_ids))
    pairs = [
        ("request", answer["dsr_id"]),
        ("erases", output.counted(len(job_ids), "job")),
        ("status", answer["status"]),
    ]
    output.show(session, answer, output.fields(pairs, ""))
    output.note(session, f"To decide: mace approve vote {answer['request_id']} yes|no|abstain")


@command("rectify")
@click.argument("person", metavar="USER", type=options.stored_text)
@click.argument("changes", nargs=-1, required=True, metavar="KEY=VALUE...", type=options.stored_text)
@click.option("--as-json", is_flag=True, help="The values are JSON, not plain text.")
@click.option(
    "--consent", "consent_id", metavar="ID", help="Id of a consent for personal values.", type=options.stored_text
)
@_proof_option
@click.pass_obj
def rectify(
    session: Session, person: str, changes: tuple[str, ...], as_json: bool, consent_id: str | None, code: str
) -> None:
    """Request that facts of USER be corrected, each to the value after the =. Needs approval by an admin.

    What stood before stays in the history; to have it erased, request a deletion.
    """
    wanted = dict(_change(number, text, as_json) for number, text in enumerate(changes, 1))
    _check_keys(tuple(wanted))
    with session.open("request_dsr") as mace:
        answer = mace.request_dsr(person, "rectify", code, changes=wanted, consent_id=consent_id)
        if not answer["success"]:
            _refused(answer)
    pairs = [
        ("request", answer["dsr_id"]),
        ("corrects", output.counted(len(wanted), "fact")),
        ("status", answer["status"]),
    ]
    output.show(session, answer, output.fields(pairs, ""))
    output.note(session, f"To decide: mace approve vote {answer['request_id']} yes|no|abstain")


@command("verify-receipt")
@click.argument("file", metavar="FILE|-")
@click.option("--public-key", required=True, metavar="FILE", help="The log's public key.")
@click.pass_obj
def verify_receipt(session: Session, file: str, public_key: str) -> None:
    """Check the receipt of a deletion or rectification with nothing but the public key.

    FILE is a receipt, or what `mace dsr show ID --json` printed; then the manifest in it is checked too.
    """
    from mace.interfaces.cli.errors import Refusal
    from mace.interfaces.cli.files import read_json, read_text
    from mace.wiring.doors import check_receipt, make_envelope

    held = read_json(file)
    receipt, manifest = _papers_in(held)
    verdict = check_receipt(receipt, read_text(public_key), manifest)
    if not verdict["ok"]:
        raise Refusal(make_envelope("INTEGRITY_FAILURE", {"reason": verdict["because"]}), verdict)
    text = [f"{output.style('OK', 'good')}  {verdict['because']}"]
    output.show(session, verdict, [*text, *receipt_text(verdict["receipt"])])


def _papers_in(held: Any) -> tuple[Any, Any]:
    """The receipt and, if it is there, the manifest in a file."""
    from mace.core.errors import InvalidInput

    if isinstance(held, dict) and isinstance(held.get("receipt"), dict):
        return held["receipt"], held.get("manifest") or held.get("rectification")
    if not isinstance(held, dict):
        raise InvalidInput("not a receipt")
    return held, None


def _change(number: int, text: str, as_json: bool) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign:
        raise click.UsageError(f"KEY=VALUE {number}: there is no = between a key and a value")
    if not as_json:
        return key, value
    from mace.core import canon

    try:
        return key, canon.loads_once(value)
    except ValueError as error:
        raise click.UsageError(f"KEY=VALUE {number}: the value is not JSON: {error}") from None


def _what(keys: tuple[str, ...]) -> str:
    """How much a deletion is about."""
    kinds = Counter(_KINDS.get(key.partition("/")[0], "fact") for key in keys)
    return ", ".join(output.counted(count, kind) for kind, count in kinds.items())


_KINDS = {"turn": "turn", "conversation": "conversation", "experience": "Megram"}


def _check_keys(keys: tuple[str, ...], *, erasing: bool = False) -> None:
    """A wrong key is wrong usage; it may be anything a person typed, so its place is named and not its text."""
    from mace.engine.offline.arguments import check_erasable, check_key

    check = check_erasable if erasing else check_key
    for number, key in enumerate(keys, 1):
        try:
            check(key)
        except ValueError as error:
            raise click.UsageError(f"KEY {number}: {error}") from None


def _refused(answer: "DsrAnswer") -> None:
    from mace.interfaces.cli.errors import Refusal

    raise Refusal(answer["error"], {name: value for name, value in answer.items() if name != "error"})


def _package_text(package: "ExportPackage") -> list[str]:
    return [output.clean(_pretty(package).decode(), newlines=True)]


def _pretty(package: "ExportPackage") -> bytes:
    import orjson

    return orjson.dumps(package, None, orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)


@command("show")
@click.argument("dsr_id", metavar="ID", type=options.stored_text)
@click.pass_obj
def show(session: Session, dsr_id: str) -> None:
    """Show a request with its status, manifest and receipt. Exported data is not shown again."""
    with session.open("dsr") as mace:
        held = mace.dsr(dsr_id)
    kept = held["package"] is not None
    told = {name: value for name, value in held.items() if name not in ("package", "changes")}
    output.show(session, {**told, "package_kept": kept}, _text(held, kept))


def _text(held: "DsrView", kept: bool) -> list[str]:
    pairs: list[tuple[str, Any]] = [
        ("kind", held["kind"]),
        ("status", held["status"]),
        ("person", held["person"] or "nobody"),
        ("asked", held["created_at"]),
    ]
    if held["expires_at"] is not None and held["status"] in ("awaiting approval", "expired"):
        late = " (nobody decided in time; a vote still counts)" if held["status"] == "expired" else ""
        pairs.append(("decide by", held["expires_at"] + late))
    if held["reasons"]:
        pairs.append(("reason", "\n".join(held["reasons"])))
    if held["kind"] == "export":
        pairs.append(("package", "kept, sealed under the person's key" if kept else "erased"))
    else:
        pairs.append(("about", "\n".join(held["jobs"]) if "jobs" in held else keys_text(held.get("keys"))))
        pairs += _standing(held)
    text = [output.style(f"Request {output.clean(held['dsr_id'])}", "title"), *output.fields(pairs)]
    if held["manifest"] is not None:
        text += paper_text(held["manifest"], held["receipt"], held["purged_at"])
    if held.get("rectification"):
        text += correction_text(held["rectification"], held["receipt"])
    return text


def _standing(held: "DsrView") -> list[tuple[str, Any]]:
    """What else is to be known about an erasure as it stands now."""
    if held["restored"] is not None:
        back = held["restored"]
        return [("restored", f"{back['at']} by {back['by']}: {output.counted(len(back['keys_restored']), 'key')}")]
    if held["status"] == "clearing":
        return [
            (
                "still there",
                "old bytes of the erased keys may lie in files of the store; it is tried again with every opening",
            )
        ]
    return []


def correction_text(manifest: "RectificationManifest | None", receipt: "DeletionReceipt | None") -> list[str]:
    """The papers of a rectification: what was corrected, never what it said."""
    if manifest is None:
        return []
    rows = [f"{item['key']} (version {item['former']} to {item['version']})" for item in manifest["corrected"]]
    pairs: list[tuple[str, Any]] = [("corrected", manifest["at"]), ("facts", "\n".join(rows))]
    return [output.style("Manifest", "title"), *output.fields(pairs), *_papers_receipt(receipt)]


def keys_text(keys: list[str] | None) -> str:
    """What a deletion is about."""
    return "\n".join(keys) if keys else "everything of the person"


def paper_text(
    manifest: "DeletionManifest", receipt: "DeletionReceipt | None", purged_at: str | None = None
) -> list[str]:
    """The papers of an erasure: what went, never what it said."""
    restorable = "with the forensic key" if manifest["restorable"] else "no: the keys are destroyed"
    if purged_at is not None:
        restorable = f"no: the keys in the forensic store were destroyed at {purged_at}"
    facts = [item["key"] for item in manifest["facts"]]
    pairs: list[tuple[str, Any]] = [
        ("erased", manifest["at"]),
        ("facts", "\n".join(facts) or "none"),
        ("jobs", len(manifest["jobs"])),
        ("turns", sum(last - first + 1 for first, last in manifest.get("turns", ()))),
        ("keys removed", len(manifest["keys_removed"])),
        ("restorable", restorable),
    ]
    return [output.style("Manifest", "title"), *output.fields(pairs), *_papers_receipt(receipt)]


def _papers_receipt(receipt: "DeletionReceipt | None") -> list[str]:
    return [] if receipt is None else [output.style("Receipt", "title"), *receipt_text(receipt)]


def receipt_text(receipt: "DeletionReceipt | None") -> list[str]:
    """A receipt: what is gone, what stays and why, and its proof."""
    if receipt is None:
        return []
    pairs: list[tuple[str, Any]] = []
    if receipt.get("gone") is not None:
        gone = [f"{item['count']} {item['what'].replace('_', ' ')}" for item in receipt.get("gone", ())]
        pairs.append(("gone", "\n".join(gone) or "nothing was there"))
    for item in receipt.get("stays", ()):
        count = f"{item['count']}: " if "count" in item else ""
        pairs.append((f"stays: {item['what'].replace('_', ' ')}", f"{count}{item['why']}"))
    pairs += [(name, value) for name, value in receipt.items() if name in _RECEIPT]
    return output.fields(pairs)


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
        ("turns", sum(last - first + 1 for first, last in done.get("turns_restored", ()))),
        ("keys", len(done["keys_restored"])),
        ("superseded", len(done["keys_superseded"])),
    ]
    output.show(session, done, [output.style("Restored.", "good"), *output.fields(pairs)])


@command("purge")
@click.argument("dsr_id", metavar="ID", type=options.stored_text)
@click.pass_obj
def purge(session: Session, dsr_id: str) -> None:
    """Request that the keys of an erasure be destroyed for good. It waits for approval.

    ID may also be that of evidence in the forensic store, or of something quarantined.
    """
    with session.open("forensics.request_purge") as mace:
        asked = mace.forensics.request_purge(dsr_id)
    output.show(session, asked, f"Requested: {asked['request_id']}.")
    output.note(session, f"To decide: mace approve vote {asked['request_id']} yes|no|abstain")
