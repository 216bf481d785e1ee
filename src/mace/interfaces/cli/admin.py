"""`mace admin`: what only an admin does."""

from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import QuarantineEntry

_HERE = "mace.interfaces.cli.admin"


@group(
    "admin",
    {
        "rotate-key": (f"{_HERE}:rotate_key", "Start signing with a new HMAC key."),
        "rotate-master-key": (f"{_HERE}:rotate_master_key", "Wrap the keys of people by a new master key."),
        "modules": (f"{_HERE}:modules", "List modules with their health."),
        "recover": (f"{_HERE}:recover", "Mark a module as healthy again."),
        "queued": (f"{_HERE}:queued", "List queued writes, or retry them."),
        "quarantine": (f"{_HERE}:quarantine", "Show what was quarantined, and why."),
        "forensic-key": ("mace.interfaces.cli.forensics:forensic_key", "Make the key pair of the forensic store."),
        "forensics": ("mace.interfaces.cli.forensics:forensics", "Look into the forensic store."),
    },
)
def admin() -> None:
    """Keys, modules, queued writes, quarantine and the forensic store; for admins and operators."""


@command("rotate-key")
@click.pass_obj
def rotate_key(session: Session) -> None:
    """Start signing with a new HMAC key; old signatures stay valid."""
    with session.open("rotate_key") as mace:
        key_id = mace.rotate_key()
        keys = mace.describe()["hmac_keys"]
    output.show(
        session, {"key_id": key_id, "hmac_keys": keys}, f"New events are signed with {key_id} (all: {', '.join(keys)})."
    )
    output.note(session, "The key file has changed: update your backup of it.")


@command("rotate-master-key")
@click.pass_obj
def rotate_master_key(session: Session) -> None:
    """Wrap the keys of people by a new master key and destroy the old one.

    Backups of people's keys from before open with no key file of today. Signatures and sealed data stay as they are.
    """
    with session.open("rotate_master_key") as mace:
        master_id = mace.rotate_master_key()
        is_shared = mace.describe()["store"]["kind"] == "postgres"
    output.show(session, {"master_id": master_id}, f"The keys of people are wrapped by master key {master_id}.")
    output.note(session, "The key file has changed: update your backup of it, and destroy older ones.")
    if is_shared:
        output.note(session, "Other nodes cannot read people's data before they have it: mace join --invite.")


@command("modules")
@click.pass_obj
def modules(session: Session) -> None:
    """List modules with their health."""
    with session.open("modules.list", read_only=True) as mace:
        found = mace.modules.list()
    rows = [
        (
            item["module_id"],
            item["status"],
            item["consecutive_failures"],
            "yes" if item["dependency_unhealthy"] else "no",
            item["degraded_reason"] or "",
        )
        for item in found
    ]
    header = ("MODULE", "STATUS", "FAILURES", "NEEDS SOMETHING DOWN", "WHY")
    output.show(session, {"modules": found}, output.table(header, rows))


@command("recover")
@click.argument("module_id", metavar="MODULE", type=options.stored_text)
@click.pass_obj
def recover(session: Session, module_id: str) -> None:
    """Mark a module as healthy again; a quarantined one needs `mace approve release`."""
    with session.open("modules.recover") as mace:
        after = mace.modules.recover(module_id)
    output.show(session, after, f"{output.clean(module_id)} is {after['status']}.")


@command("queued")
@click.option("--retry", is_flag=True, help="Retry each write; a write can be retried only once.")
@click.pass_obj
def queued(session: Session, retry: bool) -> None:
    """List writes that failed while the store was down, or retry them."""
    if not retry:
        with session.open("modules.queued_writes", read_only=True) as mace:
            found = mace.modules.queued_writes()
        rows = [(item["queued_id"], item["at"], item["key"]) for item in found]
        text = output.table(("QUEUED", "AT", "KEY"), rows) if rows else ["No queued writes."]
        output.show(session, {"queued": found}, text)
        return
    with session.open("modules.retry_queued") as mace:
        done = mace.modules.retry_queued()
    rows = [
        (item["queued_id"], item["key"], item["error_code"] or ("stored" if item["applied"] else "too late"))
        for item in done
    ]
    text = output.table(("QUEUED", "KEY", "CAME TO"), rows) if rows else ["No queued writes."]
    output.show(session, {"retried": done}, text)


@command("quarantine")
@click.argument("quarantine_id", metavar="ID", type=options.stored_text)
@options.unredacted_options
@click.pass_obj
def quarantine(session: Session, quarantine_id: str, unredacted: bool, purpose: str | None) -> None:
    """Show what was quarantined, and why; personal data in it is redacted unless an admin asks for it."""
    why = options.check_unredacted(unredacted, purpose)
    if unredacted:
        with session.open("forensics.read_quarantine") as mace:
            entry = mace.forensics.read_quarantine(quarantine_id, purpose=why)
    else:
        with session.open("quarantine_read", read_only=True) as mace:
            entry = mace.quarantine_read(quarantine_id)
    output.show(session, entry, _text(entry))


def _text(entry: "QuarantineEntry") -> list[str]:
    pairs: list[tuple[str, Any]] = [("what", entry["what"])]
    finding = entry.get("finding")
    if finding:
        pairs += [("kind", f"{finding['kind']}: {finding['meaning']}"), ("where", finding["detail"])]
        pairs += [(name, value) for name, value in finding["where"].items()]
    if entry.get("problems"):
        pairs.append(("problems", "\n".join(entry["problems"])))
    if entry.get("at"):
        pairs.append(("at", entry["at"]))
    pairs.append(("as found", _as_found(entry.get("payload"))))
    return [output.style(f"Quarantine {output.clean(entry['quarantine_id'])}", "title"), *output.fields(pairs)]


def _as_found(payload: Any) -> str:
    """What was quarantined; bytes of a row that are text are shown as text."""
    if payload is None:
        return "nothing was left of it"
    if isinstance(payload, dict) and isinstance(payload.get("body"), str):
        body = bytes.fromhex(payload["body"]).decode("utf-8", "backslashreplace")
        rest = {name: value for name, value in payload.items() if name != "body"}
        return "\n".join([body, *(f"{name}: {output.clean(value)}" for name, value in rest.items())])
    return output.clean(payload)
