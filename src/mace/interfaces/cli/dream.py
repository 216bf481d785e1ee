"""`mace dream`: let the Dreamer run now, see what it would do and why, what it did, and undo it."""

from datetime import datetime
from typing import Any

import click

from mace.interfaces.cli import experience_export, options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

_SOURCES = 4
_KINDS = {
    "promoted": ("+", "good"),
    "demoted": ("~", "warn"),
    "forgotten": ("-", "bad"),
}


@command("dream")
@click.option("--dry-run", is_flag=True, help="Only say what would change, and why.")
@experience_export.now_option
@click.option("--changes", is_flag=True, help="What was changed before, newest first.")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="At most so many of --changes."
)
@click.option("--roll-back", "change_id", metavar="CHANGE", type=options.stored_text, help="Undo a change; for admins.")
@options.totp_option
@click.pass_obj
def dream(
    session: Session,
    dry_run: bool,
    at: datetime | None,
    changes: bool,
    limit: int,
    change_id: str | None,
    totp: str | None,
) -> None:
    """Consolidate, demote and forget what is due: rules from what was lived through, and room for more.

    \b
    mace dream --dry-run                 what would change, as a diff with its evidence
    mace dream                           change it; each change is an event
    mace dream --changes                 what was changed
    mace dream --roll-back CHANGE        undo the last change of a pair

    It also runs by itself, a while after each task. Exit code 1 when all there was to do failed.
    """
    if dry_run + changes + (change_id is not None) > 1 or (at is not None and (changes or change_id is not None)):
        raise click.UsageError("Choose one of --dry-run, --changes and --roll-back; --now goes with a dream.")
    if changes:
        _list_changes(session, limit)
    elif change_id is not None:
        _roll_back(session, change_id, totp)
    elif dry_run:
        with experience_export.looked_at(session) as experience:
            report = experience.dream(experience_export.now_or(at), dry_run=True)
        for item in (item for name in _KINDS for item in report[name]):
            del item["change_id"]  # nothing was changed
        output.show(session, report, _text(report))
        if any(report[name] for name in _KINDS):
            output.note(session, "\nNothing was changed. Without --dry-run it is.")
    else:
        _dream(session, at)


def _dream(session: Session, at: datetime | None) -> None:
    session.must_be("let the Dreamer run", "operator", "admin")
    with session.open() as mace:
        report = mace.experience.dream(experience_export.now_or(at))
    text = _text(report)
    if report["failed"] and not any(report[name] for name in _KINDS):
        from mace.interfaces.cli.errors import Refusal, make_envelope

        reason = f"nothing could be distilled: {report['failed'][0]['reason']}"
        raise Refusal(make_envelope("SERVICE_UNAVAILABLE", {"reason": reason}), report, text)
    output.show(session, report, text)
    if any(report[name] for name in _KINDS):
        output.note(session, "\nUndo one with: mace dream --roll-back CHANGE")


def _text(report: dict[str, Any]) -> list[str]:
    text = [f"{output.counted(report['looked_at'], 'pair')} looked at, as of {report['now'][:19]}Z."]
    for name, (sign, look) in _KINDS.items():
        for item in report[name]:
            head = f"{sign} {_title(name, item)}  {experience_export.pair_text(item['space'], item['entity'])}"
            text += ["", output.style(head, look), *_change_text(item)]
    for item in report["failed"]:
        head = f"! no rule  {experience_export.pair_text(item['space'], item['entity'])}"
        text += ["", output.style(head, "warn"), f"  {output.clean(item['reason'])}; it stays as it is."]
    if len(text) == 1:
        text.append("Nothing is due." if not report["dry_run"] else "Nothing would change.")
    return text


def _title(name: str, item: dict[str, Any]) -> str:
    if name != "promoted":
        return name
    return "rule stands already" if item["confirms"] else "rule"


def _change_text(item: dict[str, Any]) -> list[str]:
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
        pairs.append(("rule", item.get("rule_id") or item["confirms"]))
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
    with experience_export.looked_at(session) as experience:
        found = experience.changes(limit)
    rows = [
        (
            item["change_id"],
            item["at"][:19],
            item["kind"],
            "rolled back" if item["rolled_back_by"] else "stands",
            experience_export.pair_text(item["space"], item["entity"]),
        )
        for item in found
    ]
    text = output.table(("CHANGE", "AT", "KIND", "STATE", "PAIR"), rows) if rows else ["No changes."]
    output.show(session, {"changes": found}, text)


def _roll_back(session: Session, change_id: str, totp: str | None) -> None:
    session.must_be("roll back a dream", "admin")
    with session.open() as mace:
        mace.prove_role(session.actor, totp)
        undone = mace.experience.roll_back(change_id)
    pair = experience_export.pair_text(undone["space"], undone["entity"])
    text = [f"{output.style('Rolled back', 'good')}: the {undone['kind']} of {pair}."]
    output.show(session, undone, text)
    output.note(session, "The Dreamer leaves this pair alone until something new happens to it.")
