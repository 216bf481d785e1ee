"""Bring a database to this version's shape: numbered steps, each once, never edited afterwards.

The engine passes how to run a statement inside its transaction, and takes the lock that keeps others out.
"""

from collections.abc import Callable, Iterable
from typing import Any

from mace.core.errors import PreconditionFailed
from mace.storage.sql import statements

Execute = Callable[[str, tuple[Any, ...]], Iterable[tuple[Any, ...]]]

# Earlier wordings of a step, from before the first release, whose tables serve as well.
AS_GOOD = {"0002_facts.sql": frozenset({"039036f69fb2f7b5ffedb4287545501f8a8d8273dd8037e9250546b5bdea584b"})}

LEDGER_OF_STEPS = "create table if not exists schema_steps (number integer primary key, name text, sha256 text)"


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
    return [step for step in known if step[0] not in done]


def _done(execute: Execute) -> dict[int, tuple[str, str]]:
    rows = execute("select number, name, sha256 from schema_steps", ())
    return {number: (name, digest) for number, name, digest in rows}


def is_current(execute: Execute, package: str, table_exists: str) -> bool:
    """Say whether nothing is to be done; only reads."""
    return bool(list(execute(table_exists, ()))) and not missing_steps(_done(execute), package)


def refuse_unless_current(execute: Execute, package: str, table_exists: str) -> None:
    """For readers, who must not change anything: the database is of this version, or it is not read."""
    if not is_current(execute, package, table_exists):
        raise PreconditionFailed("the database is older than this version of MACE; open it once for writing")


def run(execute: Execute, package: str, placeholder: str) -> int:
    """Run what is missing; return how many steps ran. The caller holds a transaction and a lock."""
    execute(LEDGER_OF_STEPS, ())
    steps = missing_steps(_done(execute), package)
    for number, name, digest, text in steps:
        execute(text, ())
        marks = ", ".join([placeholder] * 3)
        execute(f"insert into schema_steps values ({marks})", (number, name, digest))  # noqa: S608 - only placeholders
    return len(steps)
