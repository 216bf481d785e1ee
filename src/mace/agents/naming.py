"""How the key of a fact stands on the record of a question: events and snapshots lie in plain sight.

Pure. A question makes keys from whatever a person says ("Who is ...?"), most of which are keys of nothing. By the first
version all of them stood on the record as they were made. By the second only names that are known do: those of facts
that were ever stored, and those of the vocabulary. Of any other the parts that were made from words are a hash whose
key goes with the job's.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

HASH_CHARS = 16
NONE = "none"  # nothing was looked for


def as_made(key: str, known: Collection[str], hashed: Callable[[str], str]) -> str:
    """The key as it is."""
    return key


def unless_known(key: str, known: Collection[str], hashed: Callable[[str], str]) -> str:
    """The key if it is a known name; else its scope, its type and a person's slug, and of the rest a hash."""
    if key in known or key == NONE:
        return key
    name = f"x-{hashed(key)[:HASH_CHARS]}"
    parts = key.split("/")
    if len(parts) != 4 or (parts[0], parts[1]) not in (("user", "profile"), ("world", "fact")):
        return name
    owner = [parts[2]] if parts[0] == "user" else []
    return "/".join([*parts[:2], *owner, name])


Naming = Callable[[str, Collection[str], Callable[[str], str]], str]


def details(
    told: Mapping[str, Any], naming: Naming, known: Collection[str], hashed: Callable[[str], str]
) -> dict[str, Any]:
    """The details of a failure as they stand on the record: the key by the rule, also where the reason quotes it."""
    key, reason = told.get("key"), told.get("reason")
    if not isinstance(key, str) or not key:
        return dict(told)
    shown = naming(key, known, hashed)
    quoted = {"reason": reason.replace(key, shown)} if isinstance(reason, str) else {}
    return {**told, "key": shown, **quoted}
