"""`mace context`: passages about a query, and why these; appending to JSONL stores, and checking them."""

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import LazyGroup, Table, command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ContextAppended, ContextCheck, ContextExplanation, ControllerVersion

_HERE = "mace.interfaces.cli.context"
_BAR_COLUMNS = 30
_BATCH_RECORDS = 500
_BATCH_BYTES = 500_000  # one append takes twice as much
_TABLE: Table = {
    "read": (f"{_HERE}:read", "Select passages about a query; this word may be left out."),
    "append": (f"{_HERE}:append", "Append texts or records to a JSONL store."),
    "check": (f"{_HERE}:check", "Check a JSONL store; each bad line is named by its number."),
}


class _Queries(LazyGroup):
    """What is no command is a query: `mace context QUERY` is `mace context read QUERY`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = self._first_of_its_own(args)
        if first is not None and first not in self._table and first not in ctx.help_option_names:
            args = ["read", *args]
        return super().parse_args(ctx, args)

    def _first_of_its_own(self, args: list[str]) -> str | None:
        """The first word that is no option of every command, and no value of one."""
        takes_value = {
            name: not option.is_flag
            for option in self._shared
            if isinstance(option, click.Option)
            for name in option.opts
        }
        words = iter(args)
        for word in words:
            name, equals, _ = word.partition("=")
            if name not in takes_value:
                return word
            if takes_value[name] and not equals:
                next(words, None)
        return None


@click.group("context", cls=_Queries, table=_TABLE)
def context() -> None:
    """Select passages from JSONL stores; append to stores, check them.

    \b
    mace context "what did Ivo order" --store notes.jsonl
    mace context append notes.jsonl "Ivo ordered tea."
    mace context check notes.jsonl

    What is no command is a query; for one that is spelled like a command write `mace context read QUERY`.
    """


@command("read")
@click.argument("query")
@click.option(
    "--store",
    "stores",
    metavar="FILE",
    multiple=True,
    help="JSONL file to search; may be repeated (default: setting context_stores).",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    help="Maximum tokens of all excerpts together (default: setting context_budget_tokens).",
)
@click.option(
    "--per-item",
    type=click.IntRange(1),
    help="Maximum tokens of one excerpt (default: setting context_per_item_tokens, a quarter of the budget).",
)
@click.option("--max-items", type=click.IntRange(1), help="Maximum number of items (default: setting).")
@click.option("--now", metavar="INSTANT", help="Prefer recent records, as of this time.")
@click.option("--trust", metavar="FILE", help="Trust snapshot (JSON file); records it denies are dropped.")
@click.option(
    "--scorer",
    type=click.Choice(["phase6-v1", "phase7-v1"]),
    help="Scoring version (default: setting context_scorer, phase7-v1).",
)
@click.option("--explain", "why", is_flag=True, help="Show how each score was made, and what was dropped and why.")
@click.pass_obj
def read(
    session: Session,
    query: str,
    stores: tuple[str, ...],
    budget: int | None,
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
    if not stores and not session.settings.context_stores:
        raise click.UsageError("Missing option '--store': the setting context_stores names none either.")
    with session.open("memory_read") as mace:
        request = mace.context.request(
            query,
            stores=stores or None,
            budget_tokens=budget,
            per_item_tokens=per_item,
            max_items=max_items,
            now=now,
            trust=trust,
            scorer=scorer,
        )
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


@command("append")
@click.argument("store")
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option(
    "--input",
    "kind",
    type=click.Choice(["jsonl", "json", "text"]),
    help="What standard input is, when no TEXT is given: a record per line (default), one document, or one text.",
)
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="Tag of each TEXT; may be repeated.")
@click.option("--at", metavar="INSTANT", help="Time of each TEXT (default: now).")
@click.option("--id", "memory_id", metavar="ID", help="Id of the one TEXT (default: a new one).")
@click.option(
    "--idempotency-key", metavar="TEXT", help="Key of this append; a retry with the same key returns the first answer."
)
@click.pass_obj
def append(
    session: Session,
    store: str,
    texts: tuple[str, ...],
    kind: str | None,
    tags: tuple[str, ...],
    at: str | None,
    memory_id: str | None,
    idempotency_key: str | None,
) -> None:
    """Append texts, or records from standard input, to a JSONL store.

    \b
    mace context append notes.jsonl "Ivo ordered tea." --tag orders
    mace context append notes.jsonl < more.jsonl
    mace context append notes.jsonl --input text < letter.txt

    A record is {"text", "memory_id", "ts_utc", "tags", "refs"}; only the text is required. A new store must be named
    *.jsonl. Personal data is cut out of what is written. Up to 500 records are written together, or none of them.
    """
    if texts and kind is not None:
        raise click.UsageError("--input is about standard input, which is not read when a TEXT is given.")
    if memory_id is not None and len(texts) > 1:
        raise click.UsageError("--id names one record; give one TEXT.")
    if (tags or at or memory_id) and not texts and kind != "text":
        raise click.UsageError("--tag, --at and --id are for a TEXT; records name their own.")
    shared = {"tags": list(tags) or None, "ts_utc": at, "memory_id": memory_id}
    given = [{"text": text, **shared} for text in texts] if texts else _given(kind or "jsonl", shared)
    done: list[ContextAppended] = []
    with session.open("context.append") as mace, output.Progress(session, "Appending") as progress:
        batches = list(_batches(given))
        for number, batch in enumerate(batches, 1):
            key = idempotency_key if len(batches) == 1 or idempotency_key is None else f"{idempotency_key}/{number}"
            answer = mace.context.append(store, batch, idempotency_key=key)
            if not answer["success"]:
                raise _refusal(answer["error"], {"appended": sum(len(item["memory_ids"]) for item in done)})
            done.append(answer)
            progress(number, len(batches))
    ids = [name for answer in done for name in answer["memory_ids"]]
    redacted = sorted({name for answer in done for name in answer["redacted"]})
    value = {"store_path": done[0]["store_path"], "appended": len(ids), "memory_ids": ids, "redacted": redacted}
    text = [f"Appended {output.counted(len(ids), 'record')} to {output.clean(done[0]['store_path'])}."]
    text += output.fields([("redacted", ", ".join(redacted))] if redacted else [])
    text += output.fields([("id", ids[0])] if len(ids) == 1 else [])
    output.show(session, value, text)


def _given(kind: str, shared: Mapping[str, Any]) -> list[Any]:
    """Standard input as records; what is no JSON is named by its line, and not repeated."""
    from mace.core.errors import InvalidInput
    from mace.interfaces.cli import files

    if kind == "text":
        return [{"text": files.read_text("-"), **shared}]
    if kind == "json":
        document = files.read_json("-")
        return document if isinstance(document, list) else [document]
    found = []
    for number, line in enumerate(files.read_bytes("-").split(b"\n"), 1):
        if line.strip():
            try:
                record = files.json_value(line.decode(), f"line {number} of standard input")
            except UnicodeDecodeError:
                raise InvalidInput(f"line {number} of standard input is not valid UTF-8") from None
            if not isinstance(record, dict):
                raise InvalidInput(f"line {number} of standard input is not a JSON object")
            found.append(record)
    if not found:
        raise InvalidInput("standard input has no records")
    return found


def _batches(records: list[Any]) -> Iterator[list[Any]]:
    """Records in the order given, as many together as one append takes; at least one."""
    import json

    batch: list[Any] = []
    size = 0
    for record in records:
        length = len(json.dumps(record, ensure_ascii=False))
        if batch and (len(batch) == _BATCH_RECORDS or size + length > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += length
    yield batch


@command("check")
@click.argument("store")
@click.option(
    "--limit", type=click.IntRange(0), default=100, show_default=True, help="Maximum number of problems listed."
)
@click.pass_obj
def check(session: Session, store: str, limit: int) -> None:
    """Check a JSONL store; each bad line is named by its number, and nothing of it is repeated.

    \b
    mace context check notes.jsonl
    mace context check notes.jsonl --limit 10 --json

    Exit code 1 when anything is wrong. Lines marked "dropped" are in no package; the others are read, but a wrong time
    does not count, and ids that stand twice cannot be told apart.
    """
    with session.open("context.check") as mace, output.Progress(session, "Checking") as progress:
        found = mace.context.check(store, limit=limit, progress=progress)
    if "error_code" in found:
        raise _refusal(found)
    text = _checked(found)
    if found["ok"]:
        output.show(session, found, text)
        return
    from mace.wiring.doors import make_envelope

    told = output.counted(sum(found["counts"].values()), "problem")
    raise _refusal(make_envelope("INVALID_INPUT", {"field": "store", "reason": f"the store has {told}"}), found, text)


def _checked(found: "ContextCheck") -> list[str]:
    text = [
        f"line {item['line']}: {item['message']}" + (" (dropped)" if item["dropped"] else "")
        for item in found["problems"]
    ]
    if found["more"]:
        text.append(f"... and {output.counted(found['more'], 'more problem')}: --limit shows more")
    counts = ", ".join(f"{count} {name}" for name, count in found["counts"].items())
    return [
        *text,
        *([""] if text else []),
        output.style(output.clean(found["store_path"]), "title"),
        *output.fields(
            [
                ("records", found["records"]),
                ("lines", found["lines"]),
                ("dropped", found["dropped"]),
                ("problems", counts or "none"),
            ]
        ),
    ]


def _refusal(envelope: Mapping[str, Any], value: Mapping[str, Any] | None = None, text: Any = ()) -> Exception:
    from mace.interfaces.cli.errors import Refusal

    return Refusal(envelope, value, text)


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
