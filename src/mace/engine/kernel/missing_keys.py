"""Keys that are not there: taken away by right, or gone.

Erased means that a signed paper says so: a deletion manifest that names the key and was not undone since, or the purge
of a forensic entry or of what was quarantined. A key that is missing without one was destroyed by somebody: what it
sealed is lost, not erased, and reading it as erased would let a thief of keys pass for the council.

The other way round, a wrapped key that was taken away and is there again was put back by somebody: it opens nothing. It
is known by its hash, which the event of the erasure and its manifest name. A restore wraps keys anew.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.subjects import references
from mace.core.turn_ids import KIND as TURN_KIND
from mace.core.turn_ids import parse_turn_id
from mace.engine.kernel.bound import Bound, Checks, lenient
from mace.governance.erasure import EXPORT, FACT, JOB, TURN, evidence_refs, takes_talk, takes_write, turns_of
from mace.governance.spans import holds, without
from mace.ledger.findings import Finding, returned_key
from mace.ledger.reflective import SEALED_FIELDS, SEALED_KINDS
from mace.memory.keys import parse_key
from mace.storage.ports import PastFact, Record, Tx

WRAPPED_BYTES = 60  # of a wrapped key; behind it stands a mark: that nobody moved or changed it
_MOST_KEPT = 100  # people whose papers are held in memory
_PERSON, _CONSENT, _FORENSIC = "person/", "consent/", "forensic/"
_QUARANTINED = ("quarantine/", "system/quarantine/")  # of one payload each; before that one for many


def is_erased(tx: Tx, ref: str, keys: Checks) -> bool:
    """Say whether a paper says that this key was taken away."""
    return erased_up_to(tx, ref, keys) is not None


def erased_up_to(tx: Tx, ref: str, keys: Checks) -> int | None:
    """The last version of a fact that went with its key, 0 for other keys; None where no paper takes the key away."""
    bound = lenient(keys)
    if ref.startswith(_FORENSIC):
        return 0 if bound.happened(tx, "forensic_purge", ref.removeprefix(_FORENSIC)) else None
    if ref.startswith(_QUARANTINED):
        return 0 if bound.happened(tx, "quarantine_purge", ref) else _taken_by(tx, bound, None, ref)
    person = _person_of(tx, ref)
    if person is not None:
        found = _taken_by(tx, bound, person, ref)
        if found is not None or not ref.startswith(JOB):
            return found
    return _taken_by(tx, bound, None, ref)  # the row of a job is no proof of whose it was


class _Removed:
    """The keys that a manifest takes away and no restore brought back."""

    def __init__(self, refs: set[str], person: str, turns: Sequence[Sequence[int]]) -> None:
        self._refs = refs
        self._person = person
        self._turns = turns

    def __contains__(self, ref: str) -> bool:
        if not ref.startswith(TURN):
            return ref in self._refs
        parsed = parse_turn_id(ref)
        return parsed is not None and parsed[0] == self._person and holds(self._turns, parsed[1])


def _taken_by(tx: Tx, bound: Bound, person: str | None, ref: str) -> int | None:
    found = (paper for paper in _papers(tx, bound, person) if ref in _removed(tx, bound, paper))
    return max((_version(paper, ref) for paper in found), default=None)


def wrapped_hash(stored: bytes) -> str:
    """By what a wrapped key is known, whatever mark stands behind it."""
    return sha256(stored[:WRAPPED_BYTES]).hexdigest()


def is_returned(tx: Tx, ref: str, parent_ref: str, stored: bytes, bound: Bound) -> bool:
    """Say whether a wrapped key is one that was erased: somebody put it back."""
    if ref.startswith(_FORENSIC):
        return bound.happened(tx, "forensic_purge", ref.removeprefix(_FORENSIC))
    if ref.startswith(_QUARANTINED) and bound.happened(tx, "quarantine_purge", ref):
        return True
    owner = ref if ref.startswith(_PERSON) else parent_ref
    if not owner.startswith(_PERSON) and not ref.startswith(JOB):
        return False  # only what is somebody's is erased, and jobs of nobody
    person = owner.removeprefix(_PERSON)
    if ref.startswith(TURN):  # made once: no new one has the number of one that was taken
        return any(ref in taken for taken in _taken_from(tx, bound, person))
    digest = wrapped_hash(stored)
    for event in tx.events.about(f"erased/{person}"):
        said = bound.said(tx, event)
        if said is not None and digest in said["payload"].get("wrapped_sha256", ()):
            return True
    for paper in _papers(tx, bound, person):
        if "wrapped_sha256" in paper:
            if digest in paper["wrapped_sha256"].values():
                return True
        elif ref in _removed(tx, bound, paper) and not _made_anew(tx, paper, ref):
            return True
    return False


def _taken_from(tx: Tx, bound: Bound, person: str) -> list[_Removed]:
    """What each manifest about a person takes; read again only when the ledger says something new about erasures.

    One person may have very many turns, and each is asked about when its key is opened.
    """
    events = tx.events.about(f"erased/{person}")
    if not events:
        return []
    same = tuple((event.position, event.hash, event.signature) for event in events)

    def restored(dsr_ids: Iterable[str]) -> tuple[bool, ...]:
        return tuple(tx.events.is_spoken_of(f"erasure_restored/{dsr_id}") for dsr_id in dsr_ids)

    held = bound.kept_about.get(person)
    if held is None or held[0] != same or held[2] != restored(held[1]):
        papers = list(_papers(tx, bound, person))
        ids = tuple(str(paper["dsr_id"]) for paper in papers)
        if len(bound.kept_about) >= _MOST_KEPT:
            bound.kept_about.clear()
        taken = [_removed(tx, bound, paper) for paper in papers]
        for said in (bound.said(tx, event) for event in events):  # whatever became of the manifest
            payload = {} if said is None else said["payload"]
            if payload.get("dsr_id") not in ids and "turns" in payload:
                taken.append(_removed(tx, bound, {**payload, "keys_removed": ()}))
        held = (same, ids, restored(ids), taken)
        bound.kept_about[person] = held
    found: list[_Removed] = held[3]
    return found


def returned(tx: Tx, rows: Iterable[tuple[str, str, bytes]], keys: Checks) -> list[Finding]:
    """The findings about those of these wrapped keys (`ref, parent, stored`) that were erased and are there again."""
    bound = lenient(keys)
    return [returned_key(ref, stored) for ref, parent, stored in rows if is_returned(tx, ref, parent, stored, bound)]


def _made_anew(tx: Tx, paper: dict[str, Any], ref: str) -> bool:
    """Whether a key of this name may be a new one, for papers from before they named hashes.

    Whoever was erased may come back, and a fact may be written again; jobs, consents and exports are made once.
    """
    if ref.startswith(FACT):
        return tx.facts.newest(ref.removeprefix(FACT))[1] > _version(paper, ref) + 1  # the erasure itself wrote one
    return ref.startswith(_PERSON)


def answer_is_erased(tx: Tx, put: Mapping[str, Any], keys: Checks) -> bool:
    """Say whether the answer to a retried write went with its fact, or with one of its turns.

    `put` is what the event of the write says. An answer does not come back with turns that are restored.
    """
    turns = [f"{TURN}{held['key']}" for held in references(put) if held["kind"] == TURN_KIND]
    if turns:
        bound, person = lenient(keys), str(put.get("person"))
        papers = [_Removed(set(), person, turns_of(paper)) for paper in _papers(tx, bound, person)]
        return any(ref in paper for ref in turns for paper in papers)
    key, version = put.get("key"), put.get("version")
    if not isinstance(key, str) or not isinstance(version, int):
        return False
    upto = erased_up_to(tx, FACT + key, keys)
    return upto is not None and upto >= version


def queued_is_erased(tx: Tx, queued_id: str, key: str, keys: Checks) -> bool:
    """Say whether a write that waited was erased: a paper took the fact's key away after the write was taken in.

    Where the fact was written again since there is a key of that name, which never sealed what waited.
    """
    bound = lenient(keys)
    ref = FACT + key
    taken_in, person = bound.named(tx, "spilled", queued_id), _person_of(tx, ref)
    if taken_in is None or person is None:
        return False
    papers = _papers_of(tx, bound, person)
    return any(at > taken_in.position and ref in _removed(tx, bound, paper) for at, paper in papers)


def was_erased_since(tx: Tx, key: str, at: str, keys: Checks) -> bool:
    """Say whether a manifest that is not older than this instant took the fact or its whole person."""
    person = _person_of(tx, FACT + key)
    if person is None:
        return False
    bound = lenient(keys)
    return any(takes_write(paper, key, at) for paper in _papers(tx, bound, person))


def talk_was_erased_since(tx: Tx, person: str, conversation: str, at: str, keys: Checks) -> bool:
    """Say whether a manifest that is not older than this instant took a conversation, or its whole person."""
    return any(takes_talk(paper, conversation, at) for paper in _papers(tx, lenient(keys), person))


def missing(tx: Tx, refs: Iterable[str], keys: Checks) -> list[str]:
    """Those of these keys that are gone without a paper."""
    bound = lenient(keys)  # what it has read of papers serves all of these

    def is_taken(ref: str) -> bool:
        parsed = parse_turn_id(ref)
        if parsed is None:
            return is_erased(tx, ref, keys)
        return any(ref in taken for taken in _taken_from(tx, bound, parsed[0]))

    return [ref for ref in refs if tx.vault.key(ref) is None and not is_taken(ref)]


def keys_of_record(tx: Tx, record: Record) -> list[str]:
    """The keys that what stands beside a record is sealed under."""
    match record.kind:
        case "consent":
            return [_CONSENT + record.key]
    content = canon.loads(record.body)
    match record.kind:
        case "forensic_entry":
            return [_FORENSIC + record.key, *evidence_refs(record.key, content.get("people", ()))]
        case "dsr_request" if content["kind"] in ("export", "rectify"):
            return [EXPORT + record.key]
        case "vote" if isinstance(content.get("reason"), dict):
            return [str(content["reason"]["key"])]
        case kind if kind == TURN_KIND or (kind in SEALED_KINDS and content.get("sealed")):
            return [str(content["key"])]
        case "quarantine" | "second_factor" if content.get("blob"):
            held = tx.vault.blob(content["blob"])
            return [] if held is None else [held[0]]
    return []


def keys_of_log(columns: Mapping[str, Any]) -> list[str]:
    """The keys that the texts of a reflective log are sealed under."""
    return sorted({str(canon.loads(columns[name])["key"]) for name in SEALED_FIELDS})


def key_of_fact(tx: Tx, history: Sequence[PastFact], keys: Checks) -> list[str]:
    """The key of a fact, if it is gone without a paper, or with one that is older than what it sealed last."""
    sealed = [row for row in history if row.key_ref]
    if not sealed or tx.vault.key(sealed[-1].key_ref) is not None:
        return []
    upto = erased_up_to(tx, sealed[-1].key_ref, keys)
    return [sealed[-1].key_ref] if upto is None or upto < sealed[-1].version else []


def _person_of(tx: Tx, ref: str) -> str | None:
    """Whose key this was, as far as its name or a row beside it tells."""
    name = ref.partition("/")[2]
    if ref.startswith(_PERSON):
        return name
    if ref.startswith(TURN):
        return name.rpartition("/")[0]
    if ref.startswith(FACT):
        parts = parse_key(name)
        return parts.entity_id if parts.scope == "user" else None
    if ref.startswith(JOB):
        job = tx.jobs.get(name)
        return job.person or None if job is not None else None
    kind = {_CONSENT: "consent", EXPORT: "dsr_request"}.get(f"{ref.partition('/')[0]}/")
    record = None if kind is None else tx.records.get(kind, name)
    return None if record is None else record.parent


def _removed(tx: Tx, bound: Bound, paper: dict[str, Any]) -> _Removed:
    """The keys that a manifest takes away and no restore brought back."""
    removed, turns = set(paper["keys_removed"]), turns_of(paper)
    restored = bound.named(tx, "erasure_restored", paper["dsr_id"])
    content = None if restored is None else bound.if_intact(tx, "erasure_restored", restored)
    if content is not None:
        removed -= {*content["keys_restored"], f"{_PERSON}{paper['person']}"}
        turns = without(turns, content.get("turns_restored", ()))
    return _Removed(removed, paper["person"], turns)


def _version(paper: dict[str, Any], ref: str) -> int:
    return max((item["versions"] for item in paper["facts"] if FACT + item["key"] == ref), default=0)


def _papers(tx: Tx, bound: Bound, person: str | None) -> Iterator[dict[str, Any]]:
    """The manifests about a person, or all of them: those that are what an event names."""
    if person is None:
        yield from (content for _, content in bound.intact(tx, "deletion_manifest"))
        return
    yield from (content for _, content in _papers_of(tx, bound, person))


def _papers_of(tx: Tx, bound: Bound, person: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The manifests about a person, each with the place of the event that names it."""
    for row in tx.records.children("deletion_manifest", person):
        named = bound.named(tx, "deletion_manifest", row.key)
        content = None if named is None else bound.if_intact(tx, "deletion_manifest", named)
        if named is not None and content is not None:
            yield named.position, content
