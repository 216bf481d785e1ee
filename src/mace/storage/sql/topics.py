"""What each statement reads and what it changes, as topics: a row, or all rows of a name, that an answer was made of.

Whoever keeps an answer keeps it under the topics of the statements that made it, and lets it go when a commit has
changed one of them. What stands in neither table counts as the most there is: a read that any commit makes old, a
change that makes everything old.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

Topic = tuple[Any, ...]  # the kind, then which
Asked = tuple[str, tuple[Any, ...]]  # the name of a statement and its parameters
Rows = list[tuple[Any, ...]]
Found = tuple[str, tuple[Any, ...], Rows | None]  # the same and what it gave; None: asking again would not tell
MadeOf = tuple[str, tuple[Any, ...], Rows]  # one statement that asks for all of it, its parameters, and what it gives

ANY: Topic = ("any",)  # of what was read in a way that no topic describes: every commit changes it
APART_KEY = "apart_key"  # no statement: a key that is kept apart was asked for, or is changed

# By the statement: the kind of topic, how many of its first parameters say which, and how many columns it gives.
_READS: dict[str, tuple[str, int, int]] = {
    "fact_get": ("fact", 1, 7),
    "fact_history_at": ("fact", 1, 11),
    "fact_history": ("fact", 1, 11),
    "fact_newest": ("fact", 1, 8),
    "event_about": ("subject", 1, 8),
    "subject_any": ("subject", 1, 1),
    "vault_key": ("key", 1, 2),
    APART_KEY: ("key", 1, 0),
    "people_token": ("token", 0, 1),
    "record_get": ("record", 2, 5),
    "record_children": ("children", 2, 5),
}
_MOST_TERMS = 40  # of one statement; what was made of more is looked up anew

# By the statement: the kinds of topic, each with which of its parameters say which.
_CHANGES: dict[str, tuple[tuple[str, tuple[int, ...]], ...]] = {
    "fact_put": (("fact", (0,)),),
    "fact_add_history": (("fact", (0,)),),
    "vault_add_key": (("key", (0,)),),
    "vault_drop_key": (("key", (0,)),),
    APART_KEY: (("key", (0,)),),
    "people_set_token": (("token", ()),),
    "record_add": (("record", (0, 1)), ("children", (0, 2))),
}

# Their tables are read by no statement that has a topic of its own.
_ELSEWHERE = frozenset(
    {
        "alias_put",
        "change_clear",
        "change_put",
        "experience_move_cursor",
        "experience_no_cursor",
        "holder_put",
        "idempotency_add",
        "idempotency_drop",
        "job_add",
        "job_set_status",
        "job_take_up",
        "log_add",
        "megram_add",
        "megram_clear",
        "megram_forget",
        "megram_forget_recalls",
        "megram_forget_retirements",
        "megram_recall",
        "megram_remove",
        "megram_retire",
        "megram_unrecall",
        "megram_unretire",
        "note_put",
        "pair_clear",
        "pair_put",
        "pair_remove",
        "registry_add",
        "retirement_clear",
        "tile_clear",
        "tile_put",
        "vault_put_blob",
    }
)


def only_reads(statements: dict[str, str]) -> frozenset[str]:
    """The names of those that change nothing."""
    return frozenset(name for name, sql in statements.items() if sql.lstrip().startswith("select"))


def columns() -> dict[str, int]:
    """How many columns each statement gives that can be asked again."""
    return {name: width for name, (_, _, width) in _READS.items() if width}


def made_of(statements: dict[str, str], found: Iterable[Found]) -> MadeOf | None:
    """What an answer was made of, so that it can be asked for again at once; None where that cannot be.

    Whatever reads the same rows again gives the same answer again. A key that is kept apart stays as it is under its
    token, which is one of the rows; that there is none does not, and is looked up anew.
    """
    terms: dict[Asked, Rows] = {}
    for name, parameters, rows in found:
        if rows is None or name not in _READS:
            return None
        if name != APART_KEY:
            terms[name, parameters] = rows
    if not 0 < len(terms) <= _MOST_TERMS:
        return None
    names = tuple(name for name, _ in terms)
    width = max(_READS[name][2] for name in names)
    expected: Rows = []
    for at, ((name, _), rows) in enumerate(terms.items()):
        filler = (None,) * (width - _READS[name][2])
        expected += [(at, *row, *filler) for row in rows]
    values = tuple(value for _, parameters in terms for value in parameters)
    return _joined(tuple(statements[name] for name in names), names), values, expected


@lru_cache(maxsize=200)
def _joined(statements: tuple[str, ...], names: tuple[str, ...]) -> str:
    """One statement for several: one snapshot, and one call."""
    width = max(_READS[name][2] for name in names)
    terms = (
        f"select {at}, *{', null' * (width - _READS[name][2])} from ({sql})"  # noqa: S608 - our own statements
        for at, (name, sql) in enumerate(zip(names, statements, strict=True))
    )
    return " union all ".join(terms)


def read_by(found_by: Iterable[Found]) -> set[Topic]:
    """What an answer depends on that these statements made."""
    found: set[Topic] = set()
    for name, parameters, _ in found_by:
        known = _READS.get(name)
        found.add(ANY if known is None else (known[0], *parameters[: known[1]]))
    return found


def changed_by(asked: Iterable[Asked], subjects: Iterable[str]) -> set[Topic] | None:
    """What a commit with these statements, and with events about these subjects, has changed; None: everything."""
    found: set[Topic] = {("subject", subject) for subject in subjects}
    found.add(ANY)
    for name, parameters in asked:
        if name in _ELSEWHERE:
            continue
        known = _CHANGES.get(name)
        if known is None or not parameters:
            return None
        for kind, places in known:
            found.add((kind, *[parameters[at] for at in places]))
    return found
