"""Bring a database to this version's shape: numbered steps, each once, never edited afterwards.

The engine passes how to run a statement inside its transaction, and takes the lock that keeps others out.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Literal

from mace.core import canon
from mace.core.errors import IntegrityFailure, PreconditionFailed
from mace.core.subjects import subjects_of
from mace.storage.sql import statements

Execute = Callable[[str, tuple[Any, ...]], Iterable[tuple[Any, ...]]]
Exists = Callable[[str], str]  # a query that finds something if there is a table of this name
Version = Literal["this", "older", "newer", "changed"]

# Earlier wordings of a step, from before the first release, whose tables serve as well until step 7.
AS_GOOD = {"0002_facts.sql": frozenset({"039036f69fb2f7b5ffedb4287545501f8a8d8273dd8037e9250546b5bdea584b"})}

_ONE_SHAPE = 7  # from this step on all stores have tables of the same words

LEDGER_OF_STEPS = "create table if not exists schema_steps (number integer primary key, name text, sha256 text)"


_SUBJECTS = "0006_subjects.sql"
_TO_VERIFY = "mace log verify (mace.verify) tells more"


class OtherVersion(PreconditionFailed):
    """The database is whole, as far as its list of steps tells, and of an older or newer version than this code."""


def _fill_subjects(execute: Execute, mark: str) -> None:
    """Index the events that are there already; a body that cannot be read names nothing, and verification says so."""
    scan = f"select position, event_type, body from events where position > {mark} order by position limit 2000"  # noqa: S608 - only placeholders
    add = f"insert into event_subjects (subject, position) values ({mark}, {mark})"  # noqa: S608 - only placeholders
    after = -(2**63)
    while rows := list(execute(scan, (after,))):
        for position, event_type, body in rows:
            with suppress(ValueError, LookupError, TypeError):
                for subject in subjects_of(event_type, canon.loads(bytes(body))["payload"]):
                    execute(add, (subject, position))
        after = rows[-1][0]


def version_of(done: dict[int, tuple[Any, Any]], known: list[tuple[int, str, str]]) -> Version:
    """What a list of steps says: this version, the beginning of it, more than it, or something nobody wrote.

    `known` are number, name and digest of the steps there are; a newer version goes on with numbers, names and
    digests of its own.
    """
    held = sorted(done)
    newest = max((number for number, *_ in known), default=0)
    for number, name, digest in known:
        if number in done and (done[number][0] != name or done[number][1] not in {digest, *AS_GOOD.get(name, ())}):
            return "changed"
    if held != list(range(1, len(held) + 1)) or not held:
        return "changed"
    digests = {digest for _, _, digest in known}
    for number in held[newest:]:
        name, digest = done[number]
        is_step = type(name) is str and name.startswith(f"{number:04d}_") and type(digest) is str
        if not is_step or digest in digests or len(digest) != 64:
            return "changed"
    return "this" if len(held) == newest else "older" if len(held) < newest else "newer"


def _known(package: str) -> list[tuple[int, str, str]]:
    return [(number, name, digest) for number, name, digest, _ in statements.migrations(package)]


def refuse_other_version(done: dict[int, tuple[Any, Any]], package: str, held: Callable[[str], bool]) -> None:
    """For whoever verifies whatever is there: a whole database of another version is not damaged, and is not read.

    `held` says whether there is an object of this name: a list that only lost its end has what its end made.
    """
    match version_of(done, _known(package)):
        case "newer":
            raise OtherVersion(f"the database is newer than this version of MACE (it has {done[max(done)][0]})")
        case "older" if not any(map(held, made_after(package, max(done)))):
            raise OtherVersion("the database is older than this version of MACE; open it once for writing")


def made_after(package: str, number: int) -> set[str]:
    """The names of what the later steps make."""
    later = "\n".join(text for at, _, _, text in statements.migrations(package) if at > number)
    return set(_MADE.findall(later)) - set(
        _MADE.findall("\n".join(text for at, _, _, text in statements.migrations(package) if at <= number))
    )


_MADE = re.compile(r"^create (?:unique )?(?:table|index|trigger|view) (?:if not exists )?(\w+)", re.MULTILINE | re.I)


def missing_steps(done: dict[int, tuple[str, str]], package: str) -> list[tuple[int, str, str, str]]:
    """Say which steps are still to run; refuse a database that was changed otherwise or is newer than this code."""
    known = statements.migrations(package)
    for number, name, digest, _ in known:
        if number in done and done[number][1] not in {digest, *AS_GOOD.get(name, ())}:
            raise PreconditionFailed(
                f"migration {name} differs from the one this database was built with; {_TO_VERIFY}"
            )
    newest = max((number for number, *_ in known), default=0)
    ahead = [name for number, (name, _) in sorted(done.items()) if number > newest]
    if ahead:
        raise PreconditionFailed(f"the database is newer than this version of MACE (it has {ahead[-1]}); {_TO_VERIFY}")
    missing = [step for step in known if step[0] not in done]
    if missing and missing[0][0] < max(done, default=0):
        raise IntegrityFailure(
            f"the database does not list step {missing[0][1]}, but later ones: somebody changed it; "
            f"{_TO_VERIFY}; restore a backup"
        )
    return missing


def _done(execute: Execute) -> dict[int, tuple[str, str]]:
    try:
        rows = list(execute("select number, name, sha256 from schema_steps", ()))
    except UnicodeDecodeError:
        raise _changed("cannot be read") from None
    if not all(type(row[0]) is int and type(row[1]) is str and type(row[2]) is str for row in rows):
        raise _changed("holds what is no text")
    return {number: (name, digest) for number, name, digest in rows}


def _changed(how: str) -> IntegrityFailure:
    return IntegrityFailure(
        f"the database's own list of steps {how}: somebody changed it; {_TO_VERIFY}; restore a backup"
    )


def is_current(execute: Execute, package: str, exists: Exists) -> bool:
    """Say whether nothing is to be done; only reads."""
    has_tables = bool(list(execute(exists("events"), ())))  # first: others may be making both at this moment
    done = _done(execute) if list(execute(exists("schema_steps"), ())) else {}
    if has_tables and not done:
        raise _changed("is empty, but its tables are there")
    return bool(done) and not missing_steps(done, package)


def refuse_unless_current(execute: Execute, package: str, exists: Exists) -> None:
    """For readers, who must not change anything: the database is of this version, or it is not read."""
    if not is_current(execute, package, exists):
        raise PreconditionFailed("the database is older than this version of MACE; open it once for writing")


def run(execute: Execute, package: str, placeholder: str, misfit: type[Exception] | tuple[type[Exception], ...]) -> int:
    """Run what is missing; return how many steps ran. The caller holds a transaction and a lock.

    `misfit` is what the engine raises when what a step makes is there already, or what it changes is not.
    """
    execute(LEDGER_OF_STEPS, ())
    done = _done(execute)
    steps = missing_steps(done, package)
    try:
        for number, name, digest, text in steps:
            if number == _ONE_SHAPE:
                _bring_to_one_shape(execute, done, package)
            execute(text, ())
            if name == _SUBJECTS:
                _fill_subjects(execute, placeholder)
            marks = ", ".join([placeholder] * 3)
            execute(f"insert into schema_steps values ({marks})", (number, name, digest))  # noqa: S608 - placeholders
    except misfit:
        if not done:
            raise
        raise IntegrityFailure(
            "the database's tables do not fit its own list of steps: somebody changed it; "
            f"{_TO_VERIFY}; restore a backup"
        ) from None
    return len(steps)


def _bring_to_one_shape(execute: Execute, done: dict[int, tuple[str, str]], package: str) -> None:
    for name, wording in done.values():
        shape = statements.shape_of_today(package, name) if wording in AS_GOOD.get(name, ()) else ""
        if shape:
            execute(shape, ())
