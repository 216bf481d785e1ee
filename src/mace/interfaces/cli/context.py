"""`mace context`: a bounded package of what the stores say about a query, and why."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ContextExplanation, ContextRequest, ControllerVersion

_BAR_COLUMNS = 30


@command("context")
@click.argument("query")
@click.option(
    "--store", "stores", metavar="FILE", multiple=True, required=True, help="JSONL file to search; may be repeated."
)
@click.option(
    "--budget", type=click.IntRange(1), default=2000, show_default=True, help="Maximum tokens of all excerpts together."
)
@click.option("--per-item", type=click.IntRange(1), help="Maximum tokens of one excerpt (default: the budget).")
@click.option("--max-items", type=click.IntRange(1), help="Maximum number of items.")
@click.option("--now", metavar="INSTANT", help="Prefer recent records, as of this time.")
@click.option("--trust", metavar="FILE", help="Trust snapshot (JSON file); records it denies are dropped.")
@click.option("--scorer", type=click.Choice(["phase6-v1", "phase7-v1"]), help="Scoring version (default: phase6-v1).")
@click.option("--explain", "why", is_flag=True, help="Show how each score was made, and what was dropped and why.")
@click.pass_obj
def context(
    session: Session,
    query: str,
    stores: tuple[str, ...],
    budget: int,
    per_item: int | None,
    max_items: int | None,
    now: str | None,
    trust: str | None,
    scorer: "ControllerVersion | None",
    why: bool,
) -> None:
    """Select passages about a query from JSONL stores, within a token budget.

    With --json: the exact package with its hash and all that was dropped. The stores are only read; a receipt without
    content goes on the ledger.
    """
    request: ContextRequest = {
        "query": query,
        "store_paths": list(stores),
        "budget": {
            "max_excerpt_tokens": budget,
            "per_item_max_excerpt_tokens": per_item or budget,
            "max_items": max_items,
        },
        "scoring": {"enable_recency_weight": now is not None},
        "trust_filter": {"trust_snapshot_path": trust},
        "now_utc": now,
        "controller_version": scorer,
    }
    with session.open("memory_read") as mace:
        if why:
            with output.Progress(session, "Indexing") as progress:
                explained = mace.memory_explain(request, progress=progress)
            if "error_code" in explained:
                raise _refusal(explained)
            output.show(session, explained, _explained(explained))
            return
        with output.Progress(session, "Indexing") as progress:
            package: Any = mace.memory_read(request, progress=progress)  # a dict that can write itself
        if isinstance(package, dict) and "error_code" in package:
            raise _refusal(package)
        if session.json:
            package.write_json(sys.stdout.buffer.write)
            sys.stdout.buffer.write(b"\n")
            return
        output.show(session, None, _package(package))


def _refusal(envelope: Mapping[str, Any]) -> Exception:
    from mace.interfaces.cli.errors import Refusal

    return Refusal(envelope)


def _package(package: Any) -> list[str]:
    text = []
    for item in package.selected:
        text.append(
            f"{output.style(output.clean(item['memory_id']), 'title')}  score {item['score']:g}, "
            f"{output.counted(item['excerpt_tokens'], 'token')}, {output.clean(item['store_path'])}"
        )
        text += [f"  {line}" for line in output.clean(item["excerpt"], newlines=True).splitlines()]
    if not text:
        text.append("Nothing was selected.")
    budget = package.budget
    share = budget["used_excerpt_tokens"] / budget["max_excerpt_tokens"]
    filled = round(share * _BAR_COLUMNS)
    bar = "█" * filled + "░" * (_BAR_COLUMNS - filled)
    dropped = ", ".join(f"{count} {reason}" for reason, count in package.dropped_summary().items() if count)
    text += [
        "",
        f"{bar} {budget['used_excerpt_tokens']} of {budget['max_excerpt_tokens']} tokens",
        *output.fields([("dropped", dropped or "nothing"), ("hash", package.package_hash)]),
    ]
    return text


def _explained(explained: "ContextExplanation") -> list[str]:
    known = ("memory_id", "store_path", "score", "terms", "tags", "recency_bonus", "excerpt_tokens")
    text = [*output.fields([("scorer", explained["controller_version"]), ("terms", ", ".join(explained["terms"]))]), ""]
    for item in explained["selected"]:
        pairs = [
            ("terms", ", ".join(item["terms"])),
            ("tags", ", ".join(item["tags"])),
            ("recency", item["recency_bonus"]),
        ]
        pairs += [(name, value) for name, value in item.items() if name not in known]
        text.append(f"{output.style(output.clean(item['memory_id']), 'title')}  score {item['score']:g}")
        text += output.fields([(name, value) for name, value in pairs if value not in ("", 0, 0.0)])
    text += ["", *output.fields([(f"dropped: {reason}", count) for reason, count in explained["dropped"].items()])]
    return text
