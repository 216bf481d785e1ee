"""`mace detect`: what of a text is personal data, and how it reads without it. Opens no MACE and stores nothing."""

from typing import Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session


@command("detect")
@click.argument("text", required=False, type=options.stored_text)
@click.option("--file", metavar="FILE", help="Read the text from FILE (`-`: standard input).")
@click.option(
    "--field", metavar="NAME", type=options.stored_text, help="Name of the field the text is from; it helps detection."
)
@click.option("--structured", is_flag=True, help="Parse the text as JSON and check each member and its name.")
@click.pass_obj
def detect(session: Session, text: str | None, file: str | None, field: str | None, structured: bool) -> None:
    """Find personal data in TEXT (`-`: standard input): types, sensitivity, position and the rule that matched.

    Offsets count characters of the text that was given. What was found is not repeated; `reads` is the text as agents
    and logs would see it. No MACE store and no network are needed; nothing is stored.
    """
    from mace.interfaces.cli import files

    if (text is None) == (file is None):
        raise click.UsageError("give either TEXT or --file")
    given = options.words(str(text)) if file is None else files.read_text(file)
    value = _structured(given, field) if structured else _plain(given, field)
    output.show(session, value, _text(value))


def _plain(text: str, field: str | None) -> dict[str, Any]:
    from mace.governance.detectors import detect as find
    from mace.governance.redact import redact

    found = find(text, field)
    return {"findings": [item._asdict() for item in found], "reads": redact(text, found)}


def _structured(text: str, field: str | None) -> dict[str, Any]:
    from mace.core.errors import InvalidInput
    from mace.governance.detectors import detect_json
    from mace.governance.redact import redact_json
    from mace.interfaces.cli import files

    given = files.json_value(text, "the text")
    try:
        found = detect_json(given, field)
    except ValueError:
        raise InvalidInput("the text is nested too deeply") from None
    shown = [{**item.finding._asdict(), "path": _path(item.path, given), "in_key": item.in_key} for item in found]
    return {"findings": shown, "reads": redact_json(given, found)}


def _path(path: tuple[str | int, ...], given: Any) -> list[str | int]:
    """Where a finding stands; a name that is personal itself is told by its place among its neighbours."""
    from mace.engine.kernel.cleaning import is_personal

    shown: list[str | int] = []
    for step in path:
        is_name = isinstance(step, str)
        shown.append(list(given).index(step) if is_name and is_personal(str(step)) else step)
        given = given[step]
    return shown


def _text(value: dict[str, Any]) -> list[str]:
    found = value["findings"]
    if not found:
        return ["Nothing personal was found."]
    rows = [
        (
            item["type"],
            item["sensitivity"],
            f"{item['start']}-{item['end']}",
            "/".join(str(step) for step in item["path"]) + (" (name)" if item["in_key"] else "")
            if "path" in item
            else "",
            f"{item['rule']} v{item['version']}",
        )
        for item in found
    ]
    header = ("TYPE", "SENSITIVITY", "PLACE", "UNDER", "RULE")
    return [*output.table(header, rows), "", *output.fields([("reads", value["reads"])], "")]
