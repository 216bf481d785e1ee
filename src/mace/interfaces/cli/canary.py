"""`mace doctor --canary`: where words went that somebody planted to see that.

Nothing here repeats a word or what stands around it: a word is called by its number.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import CanaryFinding

_PURPOSE = "mace doctor --canary"


def search(session: Session, given: Sequence[str], file: str | None) -> None:
    """Look for the words in the rows and the files of the place, and show where they are."""
    from mace.wiring import canary_files

    words = _words(given, file)
    besides = None if file is None or file == "-" else Path(file)
    with output.Progress(session, "rows") as told, session.open("forensics.search") as mace:
        rows = mace.forensics.search(words, purpose=_PURPOSE, progress=told)
    with output.Progress(session, "files") as told:
        files = canary_files.search(session.settings, words, told, besides)
    findings: list[CanaryFinding] = [*rows["findings"], *files["findings"]]
    value = {
        "words": len(words),
        "findings": findings,
        "rows": rows["rows"],
        "unopened": rows["unopened"],
        "files": files["files"],
        "bytes": files["bytes"],
        "unread": files["unread"],
    }
    output.show(session, value, _text(value, findings))


def _words(given: Sequence[str], file: str | None) -> list[str]:
    from mace.interfaces.cli import files, secret

    words = [secret.asked("Word to look for") if word == "-" else word for word in given]
    if file is not None:
        words += files.read_text(file).splitlines()
    found = [word.strip() for word in words if word.strip()]
    if not found:
        raise click.UsageError("--canary: no word was given")
    return found


def _text(value: dict[str, Any], findings: "list[CanaryFinding]") -> list[str]:
    looked = f"{output.counted(value['rows'], 'row')}, {output.counted(value['files'], 'file')}"
    if value["unopened"]:
        looked += f"; {output.counted(value['unopened'], 'sealed row')} could not be opened (erased, or another's key)"
    if value["unread"]:
        looked += f"; {output.counted(len(value['unread']), 'file')} could not be read"
    if not findings:
        return [f"{output.style('Not found', 'good')} in {looked}."]
    rows = [
        (
            str(item["word"]),
            item["form"],
            "sealed" if item["sealed"] else "plain",
            item["person"] or "-",
            " ".join(item["where"].values()),
        )
        for item in findings
    ]
    return [*output.table(("WORD", "FORM", "LIES", "PERSON", "WHERE"), rows), "", f"Looked at {looked}."]
