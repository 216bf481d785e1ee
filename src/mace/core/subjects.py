"""What an event speaks of: the rows it names, as an index holds them.

Pure. A row that decides something is held against the event that names it; the index says where that event is. It is
derived from the events alone, so it can be built again, and verification builds it again to compare.
"""

from collections.abc import Iterator, Mapping
from typing import Any

_NAMED = ("record", "manifest")  # fields of a payload that name one row each; `records` names several
_ALL_NAMED = frozenset({*_NAMED, "records"})


def references(payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows that an event names, each as `{kind, key, hash}`."""
    for name in _NAMED:
        held = payload.get(name)
        if isinstance(held, dict) and is_reference(held):
            yield held
    several = payload.get("records")
    if isinstance(several, list):
        for held in several:
            if isinstance(held, dict) and is_reference(held):
                yield held


def is_reference(held: Mapping[str, Any]) -> bool:
    return type(held.get("kind")) is str and type(held.get("key")) is str and type(held.get("hash")) is str


def subject_of(kind: str, key: str) -> str:
    """How the index calls a row; all versions of a fact are one subject."""
    return f"sem_history/{key.rpartition('@')[0]}" if kind == "sem_history" else f"{kind}/{key}"


def subjects_of(event_type: str, payload: Mapping[str, Any]) -> tuple[str, ...]:
    """What the index holds of an event; most events name no row."""
    held = payload.get("record")
    if event_type == "SEM_PUT" and type(held) is dict and "records" not in payload and is_reference(held):
        return (subject_of(held["kind"], held["key"]),)  # the most frequent one
    if event_type in _OPENINGS:  # the next most frequent: one of them begins every stream
        talk = payload.get("talk")
        return (f"{TALK}/{talk}",) if type(talk) is str else ()
    if held is None and event_type not in _BY_TYPE and payload.keys().isdisjoint(_ALL_NAMED):
        return ()
    found = [subject_of(held["kind"], held["key"]) for held in references(payload)]
    of_type = _BY_TYPE.get(event_type)
    if of_type is not None:
        name = payload.get(of_type[1]) if of_type[1] else ""
        if type(name) is str:
            found.append(f"{of_type[0]}/{name}")
    return tuple(found) if len(found) < 2 else tuple(dict.fromkeys(found))


TALK = "talk"  # a conversation: whose it is, and the jobs that belong to it
_OPENINGS = frozenset({"JOB_OPENED", "JOB_BEGUN"})

# Events that change a state without naming a row: the state's name, and the field that says whose.
_BY_TYPE = {
    "ALIAS_ADDED": ("alias", "phrase"),
    "CONTEXT_APPENDED": ("context_store", "store_id"),
    "CONTEXT_APPEND_STARTED": ("context_store", "store_id"),
    "CONTEXT_APPEND_UNDONE": ("context_store", "store_id"),
    "DSR_ERASED": ("erased", "person"),
    "ERASURE_CLEARED": ("cleared", "dsr_id"),
    "JOB_CANCELLED": ("mailbox", "job_id"),
    "MEMORY_RECALLED": ("recalls", "job_id"),  # those that a program made
    "MODULES_OBSERVED": ("modules", ""),
    "PERSON_ANSWERED": ("mailbox", "job_id"),
    "PII_CONSENT": ("consents", "person"),
    "SECOND_FACTOR_ENROLLED": ("factor", "account"),
    "SECOND_FACTOR_REFUSED": ("factor", "account"),
    "SECOND_FACTOR_USED": ("factor", "account"),
    "NODE_OFFLINE": ("modules", ""),
    "NODE_DEGRADED": ("modules", ""),
    "NODE_PROBATION": ("modules", ""),
    "NODE_QUARANTINED": ("modules", ""),
    "NODE_RECOVERED": ("modules", ""),
    "KEYS_SEPARATED": ("keys", ""),
    "ROWS_ADOPTED": ("adoption", "table"),
    "KEY_ROTATED": ("keys", ""),
    "REGISTRY_REPAIRED": ("registry_repair", ""),
    "TURNS_REMEMBERED": (TALK, "talk"),
    "USER_IDS_CHOSEN": ("user_ids", ""),
}
