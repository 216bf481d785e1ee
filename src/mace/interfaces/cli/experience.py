"""`mace experience`: all pairs and rules, taking a Megram back, everything out and in again, or made anew."""

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
        "list": (f"{_HERE}:list_pairs", "List the strongest pairs, and those forgotten next."),
        "show": (
            "mace.interfaces.cli.experience_show:show",
            "Show past outcomes for a tool and target, and what they suggest.",
        ),
        "rules": (f"{_HERE}:list_rules", "List all rules, or those of some pairs."),
        "retract": (f"{_HERE}:retract", "Take a Megram or a rule back."),
        "export": (f"{_HERE}:export", "Write everything to a file, lifecycle included."),
        "import": (f"{_HERE}:import_lines", "Import an exported file."),
        "rebuild": (f"{_HERE}:rebuild", "Make everything anew from the ledger."),
    },
    invoke_without_command=True,
)
@click.pass_context
def experience(context: click.Context) -> None:
    """Past outcomes of an agent's work, and the rules that were made of them. Without a command: list."""
    if context.invoked_subcommand is None:
        context.invoke(list_pairs)


@command("list")
@click.option(
    "--limit", type=click.IntRange(1), default=10, show_default=True, help="Maximum number of entries in each list."
)
@experience_export.search_option
@experience_export.now_option
@click.pass_obj
def list_pairs(session: Session, limit: int, search: str | None, at: datetime | None) -> None:
    """List the strongest pairs, and those forgotten next.

    \b
    mace experience list --limit 5
    mace experience list --search deploy
    mace experience list --now 2027-01-01T00:00:00Z
    """
    from mace.core.times import iso_us

    now = experience_export.now_or(at)
    with experience_export.looked_at(session) as held:
        found = held.pairs(search, now)
        about = experience_export.described(held)
        persona = held.persona()
    fading = sorted((item for item in found if item["fades_at"]), key=lambda item: item["fades_at"] or "")
    value = {
        "now": iso_us(now),
        "pairs": len(found),
        "megrams": None if about is None else about["megrams"],
        "store": None if about is None else about["kind"],
        "persona": persona,
        "strongest": found[:limit],
        "fading": fading[:limit],
    }
    output.show(session, value, _list_text(value, now))


def _list_text(value: dict[str, Any], now: datetime) -> list[str]:
    pairs = [("pairs", value["pairs"])]
    if value["store"] is not None:
        pairs += [("megrams", health.levels(value["megrams"])), ("store", value["store"])]
    if value["persona"]:
        pairs.append(("persona (T)", value["persona"]))
    text = output.fields(pairs, "")
    if not value["pairs"]:
        return [*text, "", "No pairs."]
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


@command("rules")
@experience_export.search_option
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Maximum number of rules."
)
@click.option(
    "--after", metavar="RULE", type=options.stored_text, help="Those that follow this one; for the next page."
)
@click.pass_obj
def list_rules(session: Session, search: str | None, limit: int, after: str | None) -> None:
    """List the rules that stand, by pair and newest first.

    \b
    mace experience rules --search deploy
    mace experience rules --limit 20 --after RULE
    """
    with experience_export.looked_at(session) as held:
        found = held.rules(search, limit, after)
    rules: list[dict[str, Any]] = [
        {**rule, "content": experience_export.without_personal_data(rule["content"])} for rule in found
    ]
    text: list[str] = []
    for rule in rules:
        sign, look = ("+", "good") if rule["sigma"] > 0 else ("-", "bad")
        words = output.clean(experience_export.words(rule["content"]))
        text.append(f"{output.style(sign, look)} {words}")
        pair = experience_export.pair_text(rule["space"], rule["entity"])
        text.append(output.style(f"  {output.clean(rule['id'])}  {pair}", "dim"))
    output.show(session, {"rules": rules}, text or ["No rules."])
    if len(rules) == limit:
        output.note(session, f"\nThe next ones: mace experience rules --after {rules[-1]['id']}")


@command("retract")
@click.argument("megram_id", metavar="ID", type=options.stored_text)
@click.pass_obj
def retract(session: Session, megram_id: str) -> None:
    """Take a Megram or a rule back, by its id, on the record; for admins, and for the agent that wrote it.

    \b
    mace experience retract 00064bf535af1000-cf3d0f375bc237ae

    It no longer counts. Rules that were made of it stay: they are named, and can be retracted too.
    """
    with session.open("experience.retract") as mace:
        done = mace.experience.retract(megram_id)
    if not done["success"]:
        from mace.interfaces.cli.errors import Refusal

        raise Refusal(done["error"], {"success": False})
    text = ["It was retracted before." if done.get("was_retracted") else output.style("Retracted.", "good")]
    if rules := done.get("rules"):
        text += ["", "Rules of its pair that stand:", *(f"  {output.clean(name)}" for name in rules)]
    output.show(session, done, text)


@command("export")
@click.option("-o", "--output", "file", metavar="FILE", default="-", help="Write to this file (mode 0600).")
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@click.pass_obj
def export(session: Session, file: str, force: bool) -> None:
    """Write everything, lifecycle included, as lines of JSON; for admins, on the record.

    \b
    mace experience export -o experience.jsonl
    mace experience export | gzip > experience.jsonl.gz

    The contents are not encrypted: protect the file like the keys. Later erasures do not reach it.
    """
    from mace.interfaces.cli import files

    if file != "-":
        options.must_be_outside(file, "an export", session.settings)
        files.must_be_free([file], force)
    counted = _Counted()
    with session.open("experience.export") as mace:
        mace.experience.flush()
        counted.total = sum(mace.experience.describe()["megrams"].values())
        with output.Progress(session, "Exporting") as progress:
            lines = counted.through(mace.experience.export(), progress)
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
    output.note(session, "The contents are not encrypted, and later erasures do not reach this file.")


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
@click.pass_obj
def import_lines(session: Session, file: str) -> None:
    """Import an exported file, from this store or another; for admins. `-` reads standard input.

    Entries that already exist are skipped. One invalid line, and nothing is imported. Personal data in contents is cut
    out: consent is not exported.

    \b
    mace experience import experience.jsonl
    """
    from mace.interfaces.cli import files

    lines = files.Lines(lambda: files.read_bytes(file).splitlines())
    with session.open("experience.import_lines") as mace, output.Progress(session, "Importing") as progress:
        done = mace.experience.import_lines(lines, "system_admin", progress)
    text = [f"{done['imported']} imported, {done['already_here']} already here."]
    if done["redacted"]:
        text.append(f"Personal data was cut out of {done['redacted']} contents.")
    output.show(session, done, text)


@command("rebuild")
@click.pass_obj
def rebuild(session: Session) -> None:
    """Make all Megrams, rules and sums anew from the ledger; for admins, on the record.

    For when `mace log verify` says PROJECTION_CHANGED. It can be interrupted: the next command goes on with it.

    \b
    mace experience rebuild
    """
    with session.open("experience.rebuild") as mace, output.Progress(session, "Rebuilding") as progress:
        done = mace.experience.rebuild(progress)
    pairs = [
        ("events", done["events"]),
        ("megrams", health.levels(done["megrams"])),
        ("pairs", done["pairs"]),
        ("changes", done["changes"]),
    ]
    output.show(session, done, ["Rebuilt.", *output.fields(pairs)])
