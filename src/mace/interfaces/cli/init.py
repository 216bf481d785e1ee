"""`mace init`: make a MACE, say where everything lies and what to do next."""

from pathlib import Path
from typing import Any

import click

from mace.interfaces.cli import location, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session


@command("init")
@click.argument("where", metavar="[DIR|URL]", required=False)
@click.option("--bare", is_flag=True, help="Do not load the packaged facts about the world.")
@click.option(
    "--adopt",
    is_flag=True,
    help="Move settings that must not lie beside the data to your own settings file. Only if you wrote them.",
)
@click.option(
    "--user-ids",
    type=click.Choice(("names", "opaque")),
    help="How users are told apart: names (folded, the default) or opaque (every character counts). Fixed once the "
    "store has people.",
)
@click.option(
    "--forensic-key",
    metavar="FILE|PUBLIC",
    help="Make a forensic key pair, the private key goes to FILE, outside the store; or use a PUBLIC key you have.",
)
@click.option("--no-forensic-key", is_flag=True, help="Do without a forensic key, and do not ask for one.")
@click.pass_obj
def init(
    session: Session,
    where: str | None,
    bare: bool,
    adopt: bool,
    user_ids: str | None,
    forensic_key: str | None,
    no_forensic_key: bool,
) -> None:
    """Create a MACE store in a directory, or in a PostgreSQL database.

    Idempotent. Without DIR, the location comes from -C, MACE_LOCATION or the settings, else
    ~/.local/share/mace. On a terminal it offers to make a forensic key.
    """
    from dataclasses import replace

    from mace import wiring
    from mace.interfaces.cli import forensic_choice

    if where:
        session.location = where
    output.hear_warnings(session)
    adopted = _adopt(session) if adopt else []
    made = _may_be_made(session)
    output.warn_of(location.open_to_others(session.settings))  # one that was there already
    wanted = forensic_choice.chosen(session, forensic_key, no_forensic_key, asks=made)
    settings = session.settings if user_ids is None else replace(session.settings, user_ids=user_ids)
    with wiring.open_mace(settings=settings) as mace:
        forensic_choice.carry_out(session, mace, wanted)
        facts = mace.load_starter_facts()["imported"] if made and not bare else 0
        mace.checkpoint()  # from the first event on there is something to hold the log to
        about = mace.describe()
        node = Path(about["spill_file"]).parent
        value: dict[str, Any] = {
            "created": made,
            "location": session.place,
            "store": about["store"],
            "log_name": about["log_name"],
            "keys_file": session.settings.keys_file or str(node / "keys.json"),
            "person_keys": _person_keys(session),
            "checkpoints_kept_in": about["checkpoints_kept_in"],
            "spill_file": about["spill_file"],
            "public_key": mace.public_key(),
            "events": about["events"],
            "facts": facts,
            "adopted": adopted,
            "user_ids": about["user_ids"],
            "forensic_key": about["forensic_key"],
        }
    output.show(session, value, _text(value, shared=session.settings.is_postgres))
    for text in _next_steps(value):
        output.note(session, text)


def _adopt(session: Session) -> list[dict[str, Any]]:
    """Move what decides out of the files beside the data, and say what is in force from now on."""
    from dataclasses import asdict

    from mace.wiring.adopting import adopt

    moved = [asdict(item) for item in adopt(session.location, session.environ)]
    for item in moved:
        said = f"{item['name']} = {item['value']!r} was moved from {item['source']} to {item['target']}"
        output.note(session, output.clean(said))
    if not moved:
        output.note(session, "No setting had to be moved.")
    return moved


def _may_be_made(session: Session) -> bool:
    """Say whether a new one will be made; refuse what is not ours."""
    from mace.core.errors import Conflict, PreconditionFailed

    settings = session.settings
    if settings.is_postgres:
        return not _opens(session)
    found = location.look(settings)
    if found is location.Found.NOT_A_FOLDER:
        raise Conflict(f"{settings.location} is a file; choose a directory")
    if found is location.Found.FOREIGN:
        raise Conflict(f"{settings.location} contains other files; choose an empty or a new directory")
    if found is location.Found.KEYLESS:
        raise PreconditionFailed(location.missing_keys(settings))
    return found is location.Found.NOTHING


def _opens(session: Session) -> bool:
    """Ask a database itself; what is not there, or not yet a MACE, does not open for reading."""
    from mace import wiring
    from mace.core.errors import MaceError

    try:
        wiring.open_mace(settings=session.settings, read_only=True).close()
    except MaceError:
        return False
    return True


_USER_IDS = {
    "names": "names: ANA, ana! and user_ana are one person",
    "opaque": "opaque: every character counts",
    None: "cannot be told any more; run mace log verify",
}


def _person_keys(session: Session) -> str:
    """Where the keys of people lie, which are backed up by themselves."""
    if session.settings.is_postgres:
        return "schema mace_people"
    return session.settings.person_keys_file or str(Path(session.settings.location) / "people.db")


def _text(value: dict[str, Any], *, shared: bool) -> list[str]:
    from mace.interfaces.cli import forensic_choice

    if value["created"]:
        title = f"Created a MACE store at {value['location']}."
    else:
        unchanged = "only settings were moved" if value["adopted"] else "nothing was changed"
        title = f"A MACE store already exists at {value['location']}; {unchanged}."
    return [
        output.style(output.clean(title), "good"),
        *output.fields(
            [
                ("data", value["store"]["place"]),
                ("keys", f"{value['keys_file']}  (keep a copy, tell nobody)"),
                ("person keys", f"{value['person_keys']}  (copy it by itself, keep copies for days)"),
                ("checkpoints", f"{value['checkpoints_kept_in']}  (outside the data on purpose)"),
                ("public key", value["public_key"]),
                ("facts", f"{value['facts']} packaged ones about the world were loaded"),
                ("user ids", _USER_IDS[value["user_ids"]]),
                ("forensic key", forensic_choice.in_words(value["forensic_key"], shared=shared)),
            ]
        ),
    ]


def _next_steps(value: dict[str, Any]) -> list[str]:
    where = value["location"]
    steps = (
        (f"export MACE_LOCATION={where}", "saves you the -C,"),
        (f"mace -C {where} ask 'What is 7 * 6?'", "answers, and logs how,"),
        (f"mace -C {where} log verify", "checks every byte of the log,"),
        (f"mace -C {where} doctor", "says whether all is well."),
    )
    return ["", "Next:", *(f"  {output.style(command_line, 'command')}  {what}" for command_line, what in steps)]
