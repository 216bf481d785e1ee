"""`mace experience show`: past outcomes for one pair, what they suggest, how they came about."""

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import experience_export, output, plot
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import PairView
    from mace.engine.groups.experience import ExperienceGroup

_MEANING = {
    "Exploit": "it went well: do it this way again",
    "Avoid": "it went badly: do something else",
    "Caution": "outcomes were mixed: go on with care",
    "Ignore": "too little experience to suggest anything",
}
_LOOKS = {"Exploit": "good", "Avoid": "bad", "Caution": "warn", "Ignore": "dim"}
_WIDTH, _WIDEST = 72, 110
_LINES = 3
_POINTS = 60  # for programs; for people as many as there are dots
_NEAR, _COMPARED = 3, 2000


@command("show")
@click.argument("space")
@click.argument("entity")
@experience_export.now_option
@click.option(
    "-n", "count", type=click.IntRange(0, 1000), default=5, show_default=True, help="Show this many newest contents."
)
@click.pass_obj
def show(session: Session, space: str, entity: str, at: datetime | None, count: int) -> None:
    """Show past outcomes for a tool and target, and what they suggest.

    \b
    mace experience show tool:shell path:/srv/report.csv
    mace experience show intent:send_the_report env:local --now 2026-06-01T00:00:00Z

    Attention, decision and action, how they came about, the rules and the newest contents. Looking changes nothing. A
    pair without experience is answered with Ignore, and with pairs that are spelled alike.
    """
    _check_pair(space, entity)
    now = experience_export.now_or(at)
    points = _POINTS if session.json else plot.columns_of(_width()) * _ink().across
    with experience_export.looked_at(session) as experience:
        value = _gathered(experience, space, entity, now, count, points)
    output.show(session, value, _text(value, now) if value["known"] else _unknown_text(value))


def _check_pair(space: str, entity: str) -> None:
    """A wrong tag is wrong usage; it may be anything a person typed, so it is not repeated."""
    from mace.core.errors import InvalidInput
    from mace.engine.experience import arguments

    try:
        arguments.pair(space, entity)
    except InvalidInput as error:
        raise click.UsageError(str(error)) from None


def _gathered(
    experience: "ExperienceGroup", space: str, entity: str, now: datetime, count: int, points: int
) -> dict[str, Any]:
    from mace.core.times import iso_us

    live = experience.query_mk(space, entity, now)
    value: dict[str, Any] = {
        "space": space,
        "entity": entity,
        "now": iso_us(now),
        **live,
        "meaning": _MEANING[live["action"]],
        "history": experience.history(space, entity, now, points),
        "rules": _readable(experience.query_c(space, entity, now)),
        "recent": _readable(experience.query_recent(space, entity, count, now)),
        "near": [],
    }
    value["known"] = bool(value["history"]["megrams"] or value["rules"])
    if not value["known"]:
        value["space"], value["entity"] = (experience_export.without_personal_data(tag) for tag in (space, entity))
        value["near"] = _near(experience.pairs(now=now), space, entity)
    return value


def _readable(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**item, "content": experience_export.without_personal_data(item["content"])} for item in found]


def _near(pairs: "list[PairView]", space: str, entity: str) -> list[dict[str, str]]:
    """The pairs that look most like this one, among the strongest."""
    from difflib import get_close_matches

    known = {f"{item['space']} {item['entity']}"[:300]: item for item in reversed(pairs[:_COMPARED])}
    found = get_close_matches(f"{space} {entity}"[:300], list(reversed(known)), _NEAR)
    return [{"space": known[name]["space"], "entity": known[name]["entity"]} for name in found]


def _unknown_text(value: dict[str, Any]) -> list[str]:
    pair = experience_export.pair_text(value["space"], value["entity"])
    text = [f"No experience recorded for {pair}.", *output.fields([("action", f"Ignore: {value['meaning']}")])]
    if value["near"]:
        text += ["", "Did you mean:"]
        text += [
            f"  mace experience show {experience_export.pair_text(item['space'], item['entity'])}"
            for item in value["near"]
        ]
    return text


def _text(value: dict[str, Any], now: datetime) -> list[str]:
    action = output.style(value["action"], _LOOKS[value["action"]])
    history = value["history"]
    pairs = [
        ("attention", f"{value['attention']:.2f}"),
        ("decision", experience_export.signed(value["decision"])),
        ("megrams", history["megrams"]),
    ]
    text = [
        output.style(experience_export.pair_text(value["space"], value["entity"]), "title"),
        f"  {action}: {value['meaning']}",
        *output.fields(pairs),
    ]
    if history["points"]:
        text += ["", *_drawn(history["points"])]
        if history["cut"]:
            text.append(output.style("  the oldest are left out of the plot", "dim"))
    if value["rules"]:
        text += ["", output.style("Rules", "title"), *_rules_text(value["rules"])]
    if value["recent"]:
        text += ["", output.style("Newest", "title"), *_recent_text(value["recent"], now)]
    return text


def _drawn(points: list[dict[str, Any]]) -> list[str]:
    from mace.core.times import parse_instant

    width, ink = _width(), _ink()
    first, last = (parse_instant(points[end]["at"]) for end in (0, -1))
    return [
        *plot.curve("attention", [point["attention"] for point in points], width, _LINES, ink),
        *plot.curve("decision", [point["decision"] for point in points], width, _LINES, ink),
        *plot.time_axis(first, last, width, ink),
    ]


def _width() -> int:
    """The terminal's width within reason; a fixed one where there is none."""
    return min(output.screen_columns(), _WIDEST) if sys.stdout.isatty() else _WIDTH


def _ink() -> plot.Ink:
    terminal = os.environ.get("TERM") if sys.stdout.isatty() else None  # noqa: TID251 - what the terminal can show
    return plot.ink_for(getattr(sys.stdout, "encoding", None), terminal)


def _rules_text(rules: list[dict[str, Any]]) -> list[str]:
    text = []
    for rule in rules:
        sign, look = ("+", "good") if rule["sigma"] > 0 else ("-", "bad")
        text.append(f"  {output.style(sign, look)} {output.clean(experience_export.words(rule['content']))}")
        text.append(output.style(f"    {output.clean(rule['id'])}", "dim"))
    return text


def _recent_text(recent: list[dict[str, Any]], now: datetime) -> list[str]:
    from mace.core.times import parse_instant

    rows = [
        (
            experience_export.span((now - parse_instant(item["created_at"])).total_seconds()),
            f"{item['weight']:.2f}",
            item["level"],
            item["state"],
            experience_export.words(item["content"]),
        )
        for item in recent
    ]
    return [f"  {line}" for line in output.table(("AGE", "WEIGHT", "LEVEL", "STATE", "CONTENT"), rows, indent=2)]
