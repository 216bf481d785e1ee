"""`mace doctor`: look at everything a MACE stands on and say, line by line, ok, warn or fail, and what to do.

It opens the store read-only and changes nothing. Each line is judged by a function of `health`, which is where the
limits stand; this file only gathers.
"""

import platform
import shutil
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import health, location, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.health import Check
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.engine.runtime import Mace
    from mace.wiring.language import Probed

_PACKAGES = ("mace-runtime", "apsw", "cryptography", "orjson", "rfc8785", "click", "psycopg")


@command("doctor")
@click.option(
    "--canary",
    "canaries",
    multiple=True,
    metavar="WORD|-",
    help="Instead: say where this word stands in the place; others on this machine can see an argument, - asks for it.",
)
@click.option("--canary-file", metavar="FILE|-", help="File with such words, one in each line.")
@click.option("--probe", is_flag=True, help="Also ask every configured language engine one word; else nobody is asked.")
@click.pass_obj
def doctor(session: Session, canaries: tuple[str, ...], canary_file: str | None, probe: bool) -> None:
    """Check the settings, the store, the keys and the disk.

    Secrets in the settings are masked. Exit code 1 when a line fails, with --probe also when an engine does not answer.

    With --canary or --canary-file nothing of that is checked: words that you planted are looked for in every row and
    every file, sealed rows opened with the keys of the place, which leaves an admin_access_event.
    """
    if canaries or canary_file is not None:
        if probe:
            raise click.UsageError("--probe and --canary exclude each other")
        from mace.interfaces.cli import canary

        canary.search(session, canaries, canary_file)
        return
    checks = [health.python(sys.version_info[:3])]
    about: dict[str, Any] | None = None
    found = location.Found.MACE if session.settings.is_postgres else location.look(session.settings)
    if found is not location.Found.MACE:
        checks.append(health.nothing_there(found, session.place))
    else:
        about = _opened(session, checks)
    checks += _around(session, about)
    probed = _probed(session, checks) if probe else None
    _conclude(session, checks, about, probed)


def _probed(session: Session, checks: list[Check]) -> "list[Probed]":
    """Ask the engines of the settings; settings that contradict each other are one failed line."""
    from mace.core.errors import InvalidInput
    from mace.wiring.language import probe_engines

    try:
        probed = probe_engines(session.settings)
    except InvalidInput as error:
        checks.append(Check("engine", "fail", str(error)))
        return []
    checks += [health.engine(item) for item in probed] or [health.no_engine()]
    return probed


def _opened(session: Session, checks: list[Check]) -> dict[str, Any] | None:
    """Open the store and add what it says; a MACE that does not open is one failed line, not the end."""
    from mace.core.errors import MaceError

    if not session.settings.is_postgres:
        checks.append(_key_mode(location.keys_path(session.settings)))
        checks.append(health.folder(location.open_to_others(session.settings), session.place))
    try:
        with session.open("describe", read_only=True, of_the_node=True) as mace:
            about: dict[str, Any] = {**mace.describe(inspect=True)}
            incidents = _incidents(mace, about)
            experience = _experience(mace, about)
    except MaceError as error:
        checks.append(Check("store", "fail", str(error), health.hint_for(error.code)))
        checks += _verified(session)
        checks += _waiting(session)
        return None
    checks.append(health.store(about["store"]))
    checks.append(health.damage(about["damage"]))
    checks.append(health.spill(about["spilled_waiting"], about["spill_file"], about["outage"]))
    checks.append(health.names(about["unclear_names"]))
    checks.append(incidents)
    checks.append(experience)
    checks.append(health.forensic_key(about["forensic_key"], shared=session.settings.is_postgres))
    if session.settings.is_postgres:
        keys = session.settings.keys_file or str(Path(about["spill_file"]).parent / "keys.json")
        checks.append(_key_mode(Path(keys)))
    return about


def _verified(session: Session) -> list[Check]:
    """What is wrong with a store that does not open, by the same verification as `mace log verify`; nothing is written.

    Nothing can be said where it is not damaged: it cannot be reached, or is of another version.
    """
    from mace.core.errors import MaceError
    from mace.wiring import verifying

    if not session.owns_the_files:
        return []
    try:
        report = verifying.run(
            session.settings, lambda mace: mace.verify(read_only=True, quick=True), read_only=True, quick=True
        )
    except MaceError:
        return []
    return [] if report["ok"] else [health.damage([item["detail"] for item in report["findings"]])]


def _waiting(session: Session) -> list[Check]:
    """What waits for a store that does not open; nothing can be said where the keys do not open either."""
    from mace.core.errors import MaceError
    from mace.wiring import doors

    try:
        found = doors.waiting(session.settings)
    except (MaceError, OSError):
        return []
    return [health.spill(found["spilled_waiting"], found["spill_file"], found["outage"])]


def _incidents(mace: "Mace", about: dict[str, Any]) -> Check:
    from mace.core.errors import PermissionDenied

    try:
        about["open_incidents"] = sum(1 for item in mace.incidents.list() if item["halting"])
    except PermissionDenied as error:  # --as somebody who may look at less
        return Check("incidents", "warn", str(error))
    return health.incidents(about["open_incidents"])


def _experience(mace: "Mace", about: dict[str, Any]) -> Check:
    """Its store may be another one, which can be held by another process; the rest does not depend on it."""
    from mace.core.errors import MaceError

    try:
        about["experience"] = mace.experience.describe()
    except MaceError as error:
        return Check("experience", "warn", str(error), health.hint_for(error.code))
    return health.experience(about["experience"])


def _around(session: Session, about: dict[str, Any] | None) -> list[Check]:
    """What can be said without the store: the shelf, the disk and the clock."""
    from mace.wiring import doors

    checks = []
    shelf = Path(about["checkpoints_kept_in"] if about else session.settings.checkpoint_dir)
    data = None if session.settings.is_postgres else Path(session.settings.location)
    state, was_in = (about["shelf"], about["checkpoints_were_in"]) if about else ("here", None)
    events = about["events"] if about else None
    checks.append(health.shelf(shelf, _nearest(shelf), data, _newest_note(shelf), state, was_in, events))
    folder = _nearest(data or Path(session.settings.checkpoint_dir))
    checks.append(health.disk(shutil.disk_usage(folder).free, str(folder)))
    touched = (
        [item.stat().st_mtime for item in (data / "mace.db", data / "mace.db-wal") if item.exists()] if data else []
    )
    checks.append(health.clock(doors.now().timestamp(), max(touched, default=None)))
    return checks


def _key_mode(path: Path) -> Check:
    try:
        return health.key_mode(stat.S_IMODE(path.stat().st_mode), str(path))
    except OSError as error:
        return Check("keys", "fail", f"{path}: {error.strerror}", "restore the key file, or set keys_file to its path")


def _nearest(path: Path) -> Path:
    """The path itself, or the folder above it that exists."""
    return next(item for item in (path.absolute(), *path.absolute().parents) if item.exists())


def _newest_note(shelf: Path) -> int | None:
    """How many events the newest checkpoint on the shelf covers."""
    from mace.core.errors import InvalidInput
    from mace.engine.offline.proofs import read_note

    try:
        return read_note((shelf / "latest.note").read_text("utf-8")).size
    except (OSError, InvalidInput, UnicodeDecodeError):
        return None


def _versions() -> dict[str, str]:
    from importlib import metadata

    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _conclude(
    session: Session, checks: list[Check], about: dict[str, Any] | None, probed: "list[Probed] | None"
) -> None:
    from mace.interfaces.cli.errors import Refusal
    from mace.wiring.doors import make_envelope

    failed = [item.name for item in checks if item.state == "fail"]
    value = {
        "ok": not failed,
        "checks": [item.shown() for item in checks],
        "settings": session.settings.shown(),
        "versions": _versions(),
        "mace": about,
        **({} if probed is None else {"engines": probed}),
    }
    text = _text(value, checks)
    if failed:
        raise Refusal(make_envelope("PRECONDITION_FAILED", {"reason": f"failed: {', '.join(failed)}"}), value, text)
    output.show(session, value, text)


def _text(value: dict[str, Any], checks: list[Check]) -> list[str]:
    looks = {"ok": "good", "warn": "warn", "fail": "bad"}
    text = []
    width = max(len(item.name) for item in checks)
    for item in checks:
        state = output.style(item.state.ljust(4), looks[item.state])
        text.append(f"{state}  {item.name.ljust(width)}  {output.clean(item.detail)}")
        if item.hint:
            text.append(output.style(f"      {' ' * width}  {output.clean(item.hint)}", "dim"))
    about = value["mace"]
    if about:
        text += ["", output.style("MACE", "title")]
        text += output.fields(
            [
                ("version", about["system_version"]),
                ("log", about["log_name"]),
                ("events", about["events"]),
                ("store", f"{about['store']['place']} ({about['store']['durability']})"),
                ("checkpoints", about["checkpoints_kept_in"]),
                ("HMAC keys", ", ".join(about["hmac_keys"])),
                ("user ids", about["user_ids"] or "cannot be told any more"),
                ("fallbacks", f"{about['router_fallbacks']} questions that no rule of the router matched"),
            ]
        )
    text += ["", output.style("Settings", "title")]
    text += output.fields([(name, "-" if held == "" else held) for name, held in value["settings"].items()])
    text += ["", output.style("Versions", "title"), *output.fields(value["versions"].items())]
    return text
