"""`mace fact`: exact facts by their keys."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import FactVersion, KeyScope
    from mace.engine.runtime import Mace

_HERE = "mace.interfaces.cli.fact"


@group(
    "fact",
    {
        "get": (f"{_HERE}:get", "Read a fact by its exact key."),
        "put": (f"{_HERE}:put", "Write a fact; the last write wins."),
        "delete": (f"{_HERE}:delete", "Delete a fact (its history is kept)."),
        "list": (f"{_HERE}:list_keys", "List the keys under a prefix."),
        "history": (f"{_HERE}:history", "Show all writes of a key."),
        "key": (f"{_HERE}:key", "Show the canonical key for a scope, type, entity and attribute."),
        "alias": (f"{_HERE}:alias", "Show or set the key that a phrase is an alias for."),
        "import": (f"{_HERE}:import_facts", "Load facts from a JSONL file."),
    },
)
def fact() -> None:
    """Read, write, list and import exact facts."""


def _source(session: Session, mace: "Mace") -> tuple[str | None, str | None]:
    """Who writes: the owner as an admin or for a user; of everybody else it follows from who they are."""
    if not session.owns(mace):
        return None, None
    return ("system_admin", None) if session.role == "admin" else ("user", session.actor)


def _refused(answer: Mapping[str, Any]) -> None:
    from mace.interfaces.cli.errors import Refusal
    from mace.wiring.doors import make_envelope

    told = answer.get("error") or make_envelope(answer["error_code"], {"key": answer.get("key", "")})
    if told["error_code"] == "PRIVACY_BLOCKED":
        told = _about_consent(told, is_read="exists" in answer)
    # A fact's own `meta` is no part of an envelope, whose `meta` says which question this was and when.
    raise Refusal(told, {name: value for name, value in answer.items() if name != "error" and name not in told})


def _about_consent(told: dict[str, Any], *, is_read: bool) -> dict[str, Any]:
    """A refusal for want of consent, with what is to be done about it."""
    if is_read:
        why = "The consent that let this value in has ended (revoked or expired); it is no longer shown."
        hint = "a new consent lets it be stored again: mace consent grant USER TEXT, then mace fact put --consent ID"
        return {**told, "developer_message": why, "meta": {**told["meta"], "hint": hint}}
    if told["meta"].get("request_id"):
        return told  # it waits for a vote, and says so
    hint = (
        "personal data needs the person's consent: mace consent grant USER TEXT --persistent --expires INSTANT "
        "prints an id; give it with --consent ID"
    )
    return {**told, "meta": {**told["meta"], "hint": hint}}


def _check_key(key: str) -> None:
    """A wrong key is wrong usage of this command."""
    from mace.engine.offline.arguments import check_key

    try:
        check_key(key)
    except ValueError as error:
        raise click.UsageError(f"{key!r} is {error}") from None


@command("get")
@click.argument("key")
@click.pass_obj
def get(session: Session, key: str) -> None:
    """Read a fact by its exact key."""
    _check_key(key)
    with session.open("sem_get", read_only=True) as mace:
        found = mace.sem_get(key, with_version=True)
    if not found["exists"]:
        _refused({**found, "key": key})
    pairs = [("source", found["source"]), ("updated", found["last_updated"]), *found["meta"].items()]
    output.show(session, {"key": key, **found}, [output.clean(found["value"], newlines=True), *output.fields(pairs)])


@command("put")
@click.argument("key")
@click.argument("value")
@click.option("--as-json", is_flag=True, help="The value is JSON, not plain text.")
@click.option("--notes", metavar="TEXT", help="A short note, up to 512 characters.")
@click.option("--timestamp", metavar="INSTANT", help="Time the fact became true (default: now).")
@click.option("--consent", "consent_id", metavar="ID", help="Id of the consent that covers personal data in the value.")
@click.option(
    "--idempotency-key", metavar="TEXT", help="Key of this write; a retry with the same key returns the first answer."
)
@click.option(
    "--if-version", type=click.IntRange(0), metavar="N", help="Write only over this version (0: only a new fact)."
)
@click.option("--seed", metavar="TEXT", help="Seed of the job it belongs to, for a consent that is for one job.")
@click.pass_obj
def put(
    session: Session,
    key: str,
    value: str,
    as_json: bool,
    notes: str | None,
    timestamp: str | None,
    consent_id: str | None,
    idempotency_key: str | None,
    if_version: int | None,
    seed: str | None,
) -> None:
    """Write a fact; the last write wins. Acts for --user, or as an admin with `--as admin`."""
    _check_key(key)
    parsed: Any = value
    if as_json:
        from mace.core import canon

        try:
            parsed = canon.loads_once(value)
        except ValueError as error:
            raise click.UsageError(f"the value is not JSON: {error}") from None
    with session.open("sem_put") as mace:
        source, user = _source(session, mace)
        answer = mace.sem_put(
            key,
            parsed,
            source,
            timestamp,
            notes,
            user_id=user,
            job_seed=seed,
            consent_id=consent_id,
            idempotency_key=idempotency_key,
            if_version=if_version,
        )
        if not answer["success"]:
            _refused(answer)
    told = "Stored." if answer["applied"] else "Not stored: the stored fact is newer."
    output.show(session, {"key": key, **answer}, told)


@command("delete")
@click.argument("key")
@click.pass_obj
def delete(session: Session, key: str) -> None:
    """Delete a fact (its history is kept until it is erased); for admins, the owner with `--as admin`."""
    _check_key(key)
    with session.open("sem_delete") as mace:
        answer = mace.sem_delete(key, _source(session, mace)[0])
        if not answer["success"]:
            _refused(answer)
    output.show(session, {"key": key, **answer}, "Deleted.")


@command("list")
@click.argument("prefix", default="")
@click.pass_obj
def list_keys(session: Session, prefix: str) -> None:
    """List the keys under a prefix of whole components, such as `world/fact`; for admins."""
    with session.open("sem_list", read_only=True) as mace:
        try:
            found = mace.sem_list(prefix, "system_admin")
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    output.show(session, {"prefix": prefix, "keys": found}, found or ["No facts under this prefix."])


@command("history")
@click.argument("key")
@click.pass_obj
def history(session: Session, key: str) -> None:
    """Show all writes of a key: when, by whom, and what."""
    _check_key(key)
    with session.open("sem_history") as mace:
        rows = mace.sem_history(key)
    table = [
        (row["version"], row["written_at"], row["source"], row["actor"], _became(row), row["value"]) for row in rows
    ]
    text = output.table(("VERSION", "WRITTEN", "SOURCE", "ACTOR", "BECAME", "VALUE"), table) if rows else ["No writes."]
    output.show(session, {"key": key, "history": rows}, text)


def _became(row: "FactVersion") -> str:
    if row["deleted"]:
        return "tombstone"
    return "current" if row["applied"] else "too late"


@command("key")
@click.argument("scope")
@click.argument("entity_type")
@click.argument("entity")
@click.argument("attribute")
@click.pass_obj
def key(session: Session, scope: "KeyScope", entity_type: str, entity: str, attribute: str) -> None:
    """Show the canonical key for a scope, type, entity and attribute; different entities get different keys."""
    with session.open("key") as mace:
        try:
            found = mace.key(scope, entity_type, entity, attribute)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    output.show(session, {"key": found}, found)


@command("alias")
@click.argument("phrase")
@click.argument("key", required=False)
@click.pass_obj
def alias(session: Session, phrase: str, key: str | None) -> None:
    """Show the key that PHRASE is an alias for; with KEY, set it (for admins; `{user}` is whoever asks)."""
    if key is None:
        with session.open("sem_resolve_alias", read_only=True) as mace:
            found = mace.sem_resolve_alias(phrase, session.speaker(mace))
        output.show(session, {"phrase": phrase, "key": found}, found or "No key is registered for this phrase.")
        return
    with session.open("sem_add_alias") as mace:
        try:
            answer = mace.sem_add_alias(phrase, key, "system_admin")
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if not answer["success"]:
            _refused({**answer, "key": key})
    output.show(
        session, {"phrase": phrase, "key": key, **answer}, f"“{output.clean(phrase)}” is now an alias for {key}."
    )


@command("import")
@click.argument("file", type=click.Path(dir_okay=False, exists=True, allow_dash=True))
@click.pass_obj
def import_facts(session: Session, file: str) -> None:
    """Load facts from a JSONL file: `{"key": ..., "value": ...}` or `{"scope", "entity_type", "entity_id", ...}`.

    What says the same as the fact that stands is left alone, another value becomes its next version. Lines that
    cannot be stored are listed and the rest is imported.
    """
    from mace.interfaces.cli.files import Lines

    lines = Lines(lambda: sys.stdin.buffer.readlines() if file == "-" else Path(file).read_bytes().splitlines())
    with session.open("import_facts") as mace, output.Progress(session, "importing") as progress:
        done = mace.import_facts(lines, "system_admin", progress)
    text = [f"{done['imported']} stored, {done['unchanged']} unchanged, {len(done['refused'])} refused."]
    text += [f"  line {item['line']}: {item['error_code']}: {item['reason']}" for item in done["refused"]]
    if done["refused"]:
        from mace.interfaces.cli.errors import Refusal
        from mace.wiring.doors import make_envelope

        reason = f"{len(done['refused'])} of the lines could not be stored"
        raise Refusal(make_envelope("INVALID_INPUT", {"reason": reason}), done, text)
    output.show(session, done, text)
