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
    value = _looked_over(given, field, structured)
    output.show(session, value, _text(value))


def _looked_over(text: str, field: str | None, structured: bool) -> dict[str, Any]:
    from mace.engine.offline import personal_data
    from mace.interfaces.cli import files

    if structured:
        return personal_data.in_json(files.json_value(text, "the text"), field)
    return personal_data.in_text(text, field)


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
