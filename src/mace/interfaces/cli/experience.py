"""`mace experience`: all pairs at a glance, and everything out and in again."""

import sys
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any

import click

from mace.interfaces.cli import experience_export, health, options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

_HERE = "mace.interfaces.cli.experience"


@group(
    "experience",
    {
        "list": (f"{_HERE}:list_pairs", "The strongest pairs, and what is forgotten next."),
        "export": (f"{_HERE}:export", "Write everything to a file, lifecycle included."),
        "import": (f"{_HERE}:import_lines", "Take in what an export holds."),
    },
    invoke_without_command=True,
)
@click.pass_context
def experience(context: click.Context) -> None:
    """What was lived through, as a whole: list, export, import. Without a command: list."""
    if context.invoked_subcommand is None:
        context.invoke(list_pairs)


@command("list")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="At most so many of each.")
@experience_export.now_option
@click.pass_obj
def list_pairs(session: Session, limit: int, at: datetime | None) -> None:
    """The strongest pairs, and what is forgotten next.

    \b
    mace experience list --limit 5
    mace experience list --now 2027-01-01T00:00:00Z
    """
    from mace.core.times import iso_us

    now = experience_export.now_or(at)
    with experience_export.looked_at(session) as held:
        found = held.pairs(now=now)
        about = held.describe()
        persona = held.persona
    fading = sorted((item for item in found if item["fades_at"]), key=lambda item: item["fades_at"])
    value = {
        "now": iso_us(now),
        "pairs": len(found),
        "megrams": about["megrams"],
        "store": about["kind"],
        "persona": persona,
        "strongest": found[:limit],
        "fading": fading[:limit],
    }
    output.show(session, value, _list_text(value, now))


def _list_text(value: dict[str, Any], now: datetime) -> list[str]:
    pairs = [("pairs", value["pairs"]), ("megrams", health.levels(value["megrams"])), ("store", value["store"])]
    if value["persona"]:
        pairs.append(("persona (T)", value["persona"]))
    text = output.fields(pairs, "")
    if not value["pairs"]:
        return [*text, "", "Nothing was lived through yet."]
    rows = [
        (
            item["action"],
            f"{item['attention']:.2f}",
            experience_export.signed(item["decision"]),
            item["megrams"],
            item["rules"],
            experience_export.pair_text(item["space"], item["entity"]),
        )
        for item in value["strongest"]
    ]
    text += ["", output.style("Strongest", "title")]
    text += output.table(("ACTION", "ATTENTION", "DECISION", "MEGRAMS", "RULES", "PAIR"), rows)
    if value["fading"]:
        text += ["", output.style("Forgotten next", "title")]
        text += output.table(("WHEN", "ATTENTION", "PAIR"), [_fading_row(item, now) for item in value["fading"]])
    return text


def _fading_row(item: dict[str, Any], now: datetime) -> tuple[str, str, str]:
    from mace.core.times import parse_instant

    left = (parse_instant(item["fades_at"]) - now).total_seconds()
    when = "with the next dream" if left < 60 else f"in {experience_export.span(left)}"
    return when, f"{item['attention']:.2f}", experience_export.pair_text(item["space"], item["entity"])


@command("export")
@click.option("-o", "--output", "file", metavar="FILE", default="-", help="A file for its owner's eyes only.")
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@options.totp_option
@click.pass_obj
def export(session: Session, file: str, force: bool, totp: str | None) -> None:
    """Write everything, lifecycle included, as lines of JSON; for admins, on the record.

    \b
    mace experience export -o experience.jsonl
    mace experience export | gzip > experience.jsonl.gz

    The words stand in the clear: keep the file as you keep the keys. No erasure reaches it.
    """
    from mace.interfaces.cli import files

    session.must_be("export experience", "admin")
    if file != "-":
        options.must_be_outside(file, "an export", session.settings)
        files.must_be_free([file], force)
    counted = _Counted()
    with session.open() as mace:
        by = mace.prove_role(session.actor, totp)
        mace.experience.flush()
        counted.total = sum(mace.experience.describe()["megrams"].values())
        with output.Progress(session, "Exporting") as progress:
            lines = counted.through(mace.experience.export(by), progress)
            if file == "-" and sys.stdout.isatty():
                for line in lines:
                    output.line(output.clean(line.decode().rstrip("\n")))
            else:
                files.write_chunks(file, lines, private=True)
    value = {"export": file, "megrams": counted.megrams, "bytes": counted.size, "sha256": counted.digest.hexdigest()}
    if file == "-":
        session.shown.append(value)
        if session.json:
            output.print_json(value, err=True)
        return
    pairs = [("file", file), ("megrams", counted.megrams), ("sha256", value["sha256"])]
    output.show(session, value, ["Exported.", *output.fields(pairs)])
    output.note(session, "The words in it stand in the clear; no erasure reaches them.")


class _Counted:
    """What went through on its way to a file."""

    def __init__(self) -> None:
        self.total = self.megrams = self.size = 0
        self.digest = sha256()

    def through(self, lines: Iterator[bytes], progress: output.Progress) -> Iterator[bytes]:
        for at, line in enumerate(lines):
            if at % 500 == 0:
                progress(min(at, self.total), self.total)
            self.megrams = at  # the first line is the head
            self.size += len(line)
            self.digest.update(line)
            yield line


@command("import")
@click.argument("file", type=click.Path(dir_okay=False, exists=True, allow_dash=True))
@options.totp_option
@click.pass_obj
def import_lines(session: Session, file: str, totp: str | None) -> None:
    """Take in what an export holds, from here or elsewhere; for admins. `-` reads standard input.

    What is here already is left alone. One wrong line, and nothing is taken in. What is personal in the words is cut
    out: consent does not travel with them.

    \b
    mace experience import experience.jsonl
    """
    from mace.interfaces.cli import files

    session.must_be("import experience", "admin")
    lines = files.read_bytes(file).splitlines()
    with session.open() as mace, output.Progress(session, "Importing") as progress:
        mace.prove_role(session.actor, totp)
        done = mace.experience.import_lines(lines, "system_admin", progress)
    text = [f"{done['imported']} imported, {done['already_here']} already here."]
    if done["redacted"]:
        text.append(f"Personal data was cut out of the words of {done['redacted']}.")
    output.show(session, done, text)
