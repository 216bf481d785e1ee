"""Bring a database to this version's shape: numbered steps, each once, never edited afterwards.

The engine passes how to run a statement inside its transaction, and takes the lock that keeps others out.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, PreconditionFailed
from mace.core.subjects import subjects_of
from mace.storage.sql import statements

Execute = Callable[[str, tuple[Any, ...]], Iterable[tuple[Any, ...]]]
Exists = Callable[[str], str]  # a query that finds something if there is a table of this name

# Earlier wordings of a step, from before the first release, whose tables serve as well until step 7.
AS_GOOD = {"0002_facts.sql": frozenset({"039036f69fb2f7b5ffedb4287545501f8a8d8273dd8037e9250546b5bdea584b"})}

_ONE_SHAPE = 7  # from this step on all stores have tables of the same words

LEDGER_OF_STEPS = "create table if not exists schema_steps (number integer primary key, name text, sha256 text)"


_SUBJECTS = "0006_subjects.sql"


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


def missing_steps(done: dict[int, tuple[str, str]], package: str) -> list[tuple[int, str, str, str]]:
    """Say which steps are still to run; refuse a database that was changed otherwise or is newer than this code."""
    known = statements.migrations(package)
    for number, name, digest, _ in known:
        if number in done and done[number][1] not in {digest, *AS_GOOD.get(name, ())}:
            raise PreconditionFailed(f"migration {name} differs from the one this database was built with")
    newest = max((number for number, *_ in known), default=0)
    ahead = [name for number, (name, _) in sorted(done.items()) if number > newest]
    if ahead:
        raise PreconditionFailed(f"the database is newer than this version of MACE (it has {ahead[-1]})")
    missing = [step for step in known if step[0] not in done]
    if missing and missing[0][0] < max(done, default=0):
        raise IntegrityFailure(
            f"the database does not list step {missing[0][1]}, but later ones: somebody changed it; restore a backup"
        )
    return missing


def _done(execute: Execute) -> dict[int, tuple[str, str]]:
    try:
        rows = list(execute("select number, name, sha256 from schema_steps", ()))
    except UnicodeDecodeError:
        raise _changed("cannot be read") from None
    return {number: (name, digest) for number, name, digest in rows}


def _changed(how: str) -> IntegrityFailure:
    return IntegrityFailure(f"the database's own list of steps {how}: somebody changed it; restore a backup")


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
            "the database's tables do not fit its own list of steps: somebody changed it; restore a backup"
        ) from None
    return len(steps)


def _bring_to_one_shape(execute: Execute, done: dict[int, tuple[str, str]], package: str) -> None:
    for name, wording in done.values():
        shape = statements.shape_of_today(package, name) if wording in AS_GOOD.get(name, ()) else ""
        if shape:
            execute(shape, ())
