"""`mace dream`: let the Dreamer run now, see what it would do and why, what it did, and undo it."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import experience_export, options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import DreamedChange, DreamReport

_SOURCES = 4
_KINDS = {
    "promoted": ("+", "good"),
    "demoted": ("~", "warn"),
    "forgotten": ("-", "bad"),
}


@command("dream")
@click.option("--dry-run", is_flag=True, help="Show what would change and why; change nothing.")
@experience_export.now_option
@click.option("--changes", is_flag=True, help="List earlier changes, newest first.")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="Maximum number of --changes."
)
@click.option("--roll-back", "change_id", metavar="CHANGE", type=options.stored_text, help="Undo a change; for admins.")
@click.pass_obj
def dream(
    session: Session,
    dry_run: bool,
    at: datetime | None,
    changes: bool,
    limit: int,
    change_id: str | None,
) -> None:
    """Consolidate experience into rules, demote rules that are contradicted, and forget what has faded.

    \b
    mace dream --dry-run                 what would change, as a diff with its evidence
    mace dream                           change it; each change is an event
    mace dream --changes                 what was changed
    mace dream --roll-back CHANGE        undo the last change of a pair

    It also runs in the background after each task. Exit code 1 when every due change failed.
    """
    if dry_run + changes + (change_id is not None) > 1 or (at is not None and (changes or change_id is not None)):
        raise click.UsageError(
            "Choose one of --dry-run, --changes and --roll-back; --now cannot be used with --changes or --roll-back."
        )
    if changes:
        _list_changes(session, limit)
    elif change_id is not None:
        _roll_back(session, change_id)
    elif dry_run:
        with experience_export.looked_at(session, "experience.dream") as experience:
            report = experience.dream(experience_export.now_or(at), dry_run=True)
        output.show(session, _without_ids(report), _text(report))
        if any(changed for _, changed in _changed(report)):
            output.note(session, "\nNothing was changed. Run without --dry-run to apply.")
    else:
        _dream(session, at)


def _dream(session: Session, at: datetime | None) -> None:
    with session.open("experience.dream") as mace:
        report = mace.experience.dream(experience_export.now_or(at))
    text = _text(report)
    if report["failed"] and not any(changed for _, changed in _changed(report)):
        from mace.interfaces.cli.errors import Refusal
        from mace.wiring.doors import make_envelope

        reason = f"nothing could be distilled: {report['failed'][0]['reason']}"
        raise Refusal(make_envelope("SERVICE_UNAVAILABLE", {"reason": reason}), report, text)
    output.show(session, report, text)
    if any(changed for _, changed in _changed(report)):
        output.note(session, "\nUndo one with: mace dream --roll-back CHANGE")


def _changed(report: "DreamReport") -> "Iterator[tuple[str, list[DreamedChange]]]":
    yield "promoted", report["promoted"]
    yield "demoted", report["demoted"]
    yield "forgotten", report["forgotten"]


def _without_ids(report: "DreamReport") -> dict[str, Any]:
    """A dry run for programs: nothing was changed, so no change has an id."""
    told: dict[str, Any] = dict(report)
    for name, changed in _changed(report):
        told[name] = [{key: value for key, value in item.items() if key != "change_id"} for item in changed]
    return told


def _text(report: "DreamReport") -> list[str]:
    text = [f"{output.counted(report['looked_at'], 'pair')} looked at, as of {report['now'][:19]}Z."]
    for name, changed in _changed(report):
        sign, look = _KINDS[name]
        for item in changed:
            head = f"{sign} {_title(name, item)}  {experience_export.pair_text(item['space'], item['entity'])}"
            text += ["", output.style(head, look), *_change_text(item)]
    for failed in report["failed"]:
        head = f"! no rule  {experience_export.pair_text(failed['space'], failed['entity'])}"
        text += ["", output.style(head, "warn"), f"  {output.clean(failed['reason'])}; nothing was changed."]
    if len(text) == 1:
        text.append("Nothing is due." if not report["dry_run"] else "Nothing would change.")
    return text


def _title(name: str, item: "DreamedChange") -> str:
    if name != "promoted":
        return name
    return "rule exists already" if item.get("confirms") else "rule"


def _change_text(item: "DreamedChange") -> list[str]:
    pairs: list[tuple[str, Any]] = []
    if item.get("content"):
        pairs.append(("says", experience_export.words(item["content"])))
        pairs.append(("words by", "the language engine" if item["by"] == "engine" else "extract"))
    if "sigma" in item:
        pairs.append(("sigma", f"{item['sigma']:+.0f}"))
    pairs.append(
        ("potentials", f"attention {item['attention']:.2f}, decision {experience_export.signed(item['decision'])}")
    )
    pairs += [("because", item["why"]), ("megrams", item["megrams"])]
    if item.get("rule_id") or item.get("confirms"):
        pairs.append(("rule", item.get("rule_id") or item.get("confirms")))
    if item.get("change_id"):
        pairs.append(("change", item["change_id"]))
    sources = item["evidence"][:_SOURCES]
    told = [
        f"{s['weight']:.2f}  {s['created_at'][:10]}  {s['state']}  {experience_export.words(s['content'])}"
        for s in sources
    ]
    more = len(item["evidence"]) - len(sources)
    if more > 0:
        told.append(f"and {more} more")
    if told:
        pairs.append(("sources", "\n".join(told)))
    return output.fields([*pairs, ("evidence", item["evidence_hash"])])


def _list_changes(session: Session, limit: int) -> None:
    with experience_export.looked_at(session, "experience.changes") as experience:
        found = experience.changes(limit)
    rows = [
        (
            item["change_id"],
            item["at"][:19],
            item["kind"],
            "rolled back" if item["rolled_back_by"] else "in effect",
            experience_export.pair_text(item["space"], item["entity"]),
        )
        for item in found
    ]
    text = output.table(("CHANGE", "AT", "KIND", "STATE", "PAIR"), rows) if rows else ["No changes."]
    output.show(session, {"changes": found}, text)


def _roll_back(session: Session, change_id: str) -> None:
    with session.open("experience.roll_back") as mace:
        undone = mace.experience.roll_back(change_id)
    pair = experience_export.pair_text(undone["space"], undone["entity"])
    text = [f"{output.style('Rolled back', 'good')}: the {undone['kind']} of {pair}."]
    output.show(session, undone, text)
    output.note(session, "The Dreamer skips this pair until new experience is recorded for it.")
