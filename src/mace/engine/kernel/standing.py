"""What stands under a key, held against the ledger.

The newest event that was applied says which row of history stands, and with which hash; the current row must be that
one. A row that was forged, changed or taken away is never served: that is an integrity failure until an admin's word
has set the damage aside, and then the ledger's own row is served where it is whole.
"""

from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any

from mace.core.errors import IntegrityFailure
from mace.core.events import StoredEvent
from mace.core.subjects import references
from mace.engine.kernel.bound import Bound
from mace.ledger.findings import Finding
from mace.memory.facts import Current, row_hash
from mace.storage.ports import Fact, PastFact, Tx

_A_FEW = 4  # most keys were last written by a write that counted


@dataclass(slots=True)  # not frozen: one is made with every read, and freezing triples its price
class Standing:
    """The current row and its row of history; `named` is what the event says where the row itself is lost."""

    fact: Fact | None
    past: PastFact | None
    named: Current | None
    last: int  # the newest version that an event names
    put: dict[str, Any] | None = None  # what the event of the row of history says

    @property
    def version(self) -> int:
        return 0 if self.fact is None else self.fact.version


_NOTHING = Standing(None, None, None, 0)


def standing(bound: Bound, tx: Tx, key: str, *, lost_is_fatal: bool = True) -> Standing:
    """What stands under a key. With `lost_is_fatal=False` a lost row that was set aside gives its event's word only."""
    held = tx.facts.get(key)
    applied, last = newest_applied(bound, tx, key, to_write=not lost_is_fatal)
    if applied is None:
        if held is not None:
            _unless_set_aside(bound, tx, changed_fact(held), f"no event names what stands under {key}")
        return _NOTHING if last == 0 else Standing(None, None, None, last)
    version = applied.version
    named = Current(applied.payload["timestamp"], applied.payload["source"])
    past = tx.facts.history_at(key, version)
    if past is None or row_hash(past) != applied.hash:
        if lost_is_fatal:
            raise IntegrityFailure(f"fact {key} was changed; run verify")
        _unless_set_aside(bound, tx, lost_history(key, version, past), f"fact {key} was changed")
        return Standing(None, None, named, last)
    if held is None:
        _unless_set_aside(bound, tx, missing_fact(past), f"fact {key} is gone")
    elif same(held, past):
        return Standing(held, past, named, last, applied.payload)
    else:
        _unless_set_aside(bound, tx, changed_fact(held), f"fact {key} was changed")
    return Standing(as_fact(past), past, named, last, applied.payload)


@dataclass(slots=True)
class Applied:
    """The newest write that counted, as its event says."""

    version: int
    hash: str
    payload: dict[str, Any]
    is_deleted: bool


def newest_applied(bound: Bound, tx: Tx, key: str, *, to_write: bool = False) -> tuple[Applied | None, int]:
    """The newest write that counted, and the newest version that any event names; no row of the key is read.

    Who only reads gets the newest version up to that write: whoever writes needs a number that was never used.
    """
    subject = f"sem_history/{key}"
    if not to_write:  # most often the newest event says it
        found, last, _ = _among(bound, tx, key, tx.events.about(subject, 1), to_write=False)
        if found is not None:
            return found, last
    events = tx.events.about(subject, _A_FEW)
    found, last, is_falling = _among(bound, tx, key, events, to_write=to_write)
    if len(events) == _A_FEW and (found is None or not is_falling):
        found, last, _ = _among(bound, tx, key, tx.events.about(subject, 1_000_000), to_write=to_write)
    return found, last


def _among(
    bound: Bound, tx: Tx, key: str, events: list[StoredEvent], *, to_write: bool
) -> tuple[Applied | None, int, bool]:
    """The same of these events, newest first, and whether each names an older version than the one after it.

    Where that is not so, a key was taken away and began anew: its newest version is not in its newest event.
    """
    found: Applied | None = None
    versions: list[int] = []
    for event in events:
        if found is not None and not to_write:
            break
        said = bound.said(tx, event)
        if said is None:
            continue
        payload = said["payload"]
        for held in references(payload):
            name, _, version = held["key"].rpartition("@")
            if held["kind"] != "sem_history" or name != key or not version.isdecimal():
                continue
            versions.append(int(version))
            if found is None and payload.get("applied", True):
                found = Applied(int(version), held["hash"], payload, event.event_type == "sem_delete")
    is_falling = all(newer > older for newer, older in pairwise(versions))
    return found, max(versions, default=0), is_falling


def same(fact: Fact, past: PastFact) -> bool:
    """Say whether the current row repeats a row of history, column for column."""
    return (fact.version, fact.content, fact.key_ref, fact.source, fact.written_at, fact.deleted) == (
        past.version,
        past.content,
        past.key_ref,
        past.source,
        past.written_at,
        past.deleted,
    )


def as_fact(past: PastFact) -> Fact:
    """The current row that a row of history gives."""
    return Fact(past.key, past.version, past.content, past.key_ref, past.source, past.written_at, past.deleted)


def changed_fact(fact: Fact) -> Finding:
    evidence = {"sha256": sha256(repr(fact).encode()).hexdigest()}  # a copy would outlive an erasure
    return Finding("RECORD_CHANGED", _of_fact(fact.key), f"fact {fact.key} is not the last one written", evidence)


def missing_fact(past: PastFact) -> Finding:
    """The current row that this row of history gives is gone; a word about it covers no later one."""
    evidence = {"row_hash": row_hash(past)}
    return Finding("RECORD_MISSING", _of_fact(past.key), f"fact {past.key} is gone", evidence)


def lost_history(key: str, version: int, past: PastFact | None) -> Finding:
    where = {"table": "sem_history", "kind": "sem_history", "key": f"{key}@{version}"}
    if past is None:
        return Finding("RECORD_MISSING", where, f"sem_history {where['key']} is gone")
    evidence = {"row_hash": row_hash(past)}
    return Finding("RECORD_CHANGED", where, f"sem_history {where['key']} is not what was signed", evidence)


def unnamed_history(past: PastFact) -> Finding:
    where = {"table": "sem_history", "kind": "sem_history", "key": f"{past.key}@{past.version}"}
    return Finding("ROW_UNNAMED", where, f"no event names sem_history {where['key']}", {"row_hash": row_hash(past)})


def _of_fact(key: str) -> dict[str, Any]:
    return {"table": "facts", "kind": "fact", "key": key}


def _unless_set_aside(bound: Bound, tx: Tx, finding: Finding, reason: str) -> None:
    if finding.finding_id not in bound.set_aside(tx):
        raise IntegrityFailure(f"{reason}; run verify")


def history(bound: Bound, tx: Tx, key: str) -> list[PastFact]:
    """Every write under a key, oldest first; a row that no event names, or that is not what its event names, fails."""
    named: dict[int, str] = {}
    for event in tx.events.about(f"sem_history/{key}", 1_000_000):
        said = bound.said(tx, event)
        for held in [] if said is None else references(said["payload"]):
            name, _, version = held["key"].rpartition("@")
            if held["kind"] == "sem_history" and name == key and version.isdecimal():
                named[int(version)] = held["hash"]
    found: list[PastFact] = []
    for past in tx.facts.history(key):
        digest = named.pop(past.version, None)
        if digest == row_hash(past):
            found.append(past)
        elif digest is None:
            _unless_set_aside(bound, tx, unnamed_history(past), f"no event names version {past.version} of {key}")
        else:
            finding = lost_history(key, past.version, past)
            _unless_set_aside(bound, tx, finding, f"version {past.version} of {key} was changed")
    for version in named:
        _unless_set_aside(bound, tx, lost_history(key, version, None), f"version {version} of {key} is gone")
    return found


def written(bound: Bound, tx: Tx, key: str) -> dict[int, dict[str, Any]]:
    """What the event of each write under a key says, by version."""
    found: dict[int, dict[str, Any]] = {}
    for event in tx.events.about(f"sem_history/{key}", 1_000_000):
        said = bound.said(tx, event)
        for held in [] if said is None else references(said["payload"]):
            name, _, version = held["key"].rpartition("@")
            if said is not None and held["kind"] == "sem_history" and name == key and version.isdecimal():
                found[int(version)] = said["payload"]
    return found
