"""`mace recall`: what matters now about a user, as a block for a prompt, and where each line comes from."""

import re
from typing import TYPE_CHECKING, Any, cast

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import Recall, RecallKind

_TAG = re.compile(r"[a-z][a-z0-9_]*:\S+")  # such as tool:shell, which experience is about


@command("recall")
@click.argument("query", nargs=-1, required=True, type=options.stored_text)
@click.option(
    "--budget",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    help="Maximum tokens of the whole block; a token is four bytes of UTF-8.",
)
@click.option(
    "--conversation", metavar="ID", type=options.stored_text, help="Only turns of this conversation (default: all)."
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(["fact", "turn", "rule"]),
    multiple=True,
    help="Only facts, turns or rules; may be repeated (default: all).",
)
@click.option("-v", "--verbose", is_flag=True, help="Also show where each line comes from and why it is there.")
@click.pass_obj
def recall(
    session: Session,
    query: tuple[str, ...],
    budget: int,
    conversation: str | None,
    kinds: tuple["RecallKind", ...],
    verbose: bool,
) -> None:
    """Show what matters now about a user, as a block for a prompt.

    Facts, rules that apply, and what was said, with the turns around it, within the budget. Standard output is the
    block and nothing else, so that it can be piped; nothing at all where nothing is known. What was put into it goes on
    the ledger by reference, and `mace log show RECEIPT` shows it.

    \b
    mace recall "Where did she move to?" --user ana
    mace recall "her tennis match" --user ana --budget 400 -v
    mace recall "what we agreed" --user ana --conversation day-1 --kind turn --json

    Past outcomes for a tool and target are shown by `mace experience show SPACE ENTITY`.
    """
    if len(query) == 2 and all(map(_TAG.fullmatch, query)):
        raise click.UsageError(
            "these look like the tags of experience: use `mace experience show SPACE ENTITY`, "
            "or put what you look for into quotes"
        )
    with session.open("recall") as mace:
        answer = mace.recall(
            cast(str, session.speaker(mace)),
            " ".join(query),
            budget,
            conversation_id=conversation,
            kinds=kinds or ("fact", "turn", "rule"),
        )
    if answer["error_code"] is not None:
        from mace.interfaces.cli.errors import Refusal

        raise Refusal(cast(dict[str, Any], answer["error"]))
    text = output.clean(answer["text"], newlines=True).splitlines()
    output.show(session, answer, text + (_sources(answer) if verbose else []))
    if not answer["items"]:
        output.note(session, "Nothing that is known fits.")


def _sources(answer: "Recall") -> list[str]:
    told = [("tokens", answer["tokens"]), ("hash", answer["package_hash"]), ("receipt", answer["receipt"])]
    rows = [
        (
            item["kind"],
            item["why"],
            f"{item['score']:.3f}",
            item["tokens"],
            (item["at"] or "")[:19].replace("T", " "),
            item["conversation_id"] or "",
            item["ref"],
        )
        for item in answer["items"]
    ]
    text = output.table(("KIND", "WHY", "SCORE", "TOKENS", "AT", "CONVERSATION", "REF"), rows) if rows else []
    return ["", *text, *output.fields([*told, ("scorer", answer["scorer"])])]
