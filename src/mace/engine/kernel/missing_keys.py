"""Keys that are not there: taken away by right, or gone.

Erased means that a signed paper says so: a deletion manifest that names the key and was not undone since, or the purge
of a forensic entry. A key that is missing without one was destroyed by somebody: what it sealed is lost, not erased,
and reading it as erased would let a thief of keys pass for the council.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from mace.core import canon
from mace.governance.erasure import EXPORT, FACT, JOB
from mace.ledger import records
from mace.ledger.reflective import SEALED_FIELDS
from mace.memory.keys import parse_key
from mace.storage.ports import PastFact, Record, Tx

Check = Callable[[bytes, str], bool]
_PERSON, _CONSENT, _FORENSIC = "person/", "consent/", "forensic/"


def is_erased(tx: Tx, ref: str, check: Check) -> bool:
    """Say whether a paper says that this key was taken away."""
    return erased_up_to(tx, ref, check) is not None


def erased_up_to(tx: Tx, ref: str, check: Check) -> int | None:
    """The last version of a fact that went with its key, 0 for other keys; None where no paper takes the key away."""
    if ref.startswith(_FORENSIC):
        purge = tx.records.get("forensic_purge", ref.removeprefix(_FORENSIC))
        return 0 if purge is not None and records.is_signed(purge, check) else None
    person = _person_of(tx, ref)
    papers = _scan(tx) if person is None else iter(tx.records.children("deletion_manifest", person))
    return max((_version(paper, ref) for paper in papers if ref in _removed(tx, paper, check)), default=None)


def missing(tx: Tx, refs: Iterable[str], check: Check) -> list[str]:
    """Those of these keys that are gone without a paper."""
    return [ref for ref in refs if tx.vault.key(ref) is None and not is_erased(tx, ref, check)]


def keys_of_record(tx: Tx, record: Record) -> list[str]:
    """The keys that what stands beside a record is sealed under."""
    match record.kind:
        case "consent":
            return [_CONSENT + record.key]
        case "forensic_entry":
            return [_FORENSIC + record.key]
    content = canon.loads(record.body)
    match record.kind:
        case "dsr_request" if content["kind"] == "export":
            return [EXPORT + record.key]
        case "quarantine" | "second_factor" if content.get("blob"):
            held = tx.vault.blob(content["blob"])
            return [] if held is None else [held[0]]
    return []


def keys_of_log(columns: Mapping[str, Any]) -> list[str]:
    """The keys that the texts of a reflective log are sealed under."""
    return sorted({str(canon.loads(columns[name])["key"]) for name in SEALED_FIELDS})


def key_of_fact(tx: Tx, history: Sequence[PastFact], check: Check) -> list[str]:
    """The key of a fact, if it is gone without a paper, or with one that is older than what it sealed last."""
    sealed = [row for row in history if row.key_ref]
    if not sealed or tx.vault.key(sealed[-1].key_ref) is not None:
        return []
    upto = erased_up_to(tx, sealed[-1].key_ref, check)
    return [sealed[-1].key_ref] if upto is None or upto < sealed[-1].version else []


def _person_of(tx: Tx, ref: str) -> str | None:
    """Whose key this was, as far as its name or a row beside it tells."""
    name = ref.partition("/")[2]
    if ref.startswith(_PERSON):
        return name
    if ref.startswith(FACT):
        parts = parse_key(name)
        return parts.entity_id if parts.scope == "user" else None
    if ref.startswith(JOB):
        job = tx.jobs.get(name)
        return job.person or None if job is not None else None
    kind = {_CONSENT: "consent", EXPORT: "dsr_request"}.get(f"{ref.partition('/')[0]}/")
    record = None if kind is None else tx.records.get(kind, name)
    return None if record is None else record.parent


def _removed(tx: Tx, paper: Record, check: Check) -> set[str]:
    """The keys that a manifest takes away and no restore brought back; none where it is not what was signed."""
    if not records.is_signed(paper, check):
        return set()
    removed = set(canon.loads(paper.body)["keys_removed"])
    restored = tx.records.get("erasure_restored", paper.key)
    if restored is not None and records.is_signed(restored, check):
        content: dict[str, Any] = canon.loads(restored.body)
        removed -= {*content["keys_restored"], f"{_PERSON}{paper.parent}"}
    return removed


def _version(paper: Record, ref: str) -> int:
    facts = canon.loads(paper.body)["facts"]
    return max((item["versions"] for item in facts if FACT + item["key"] == ref), default=0)


def _scan(tx: Tx) -> Iterator[Record]:
    after = ""
    while page := tx.records.scan("deletion_manifest", after):
        yield from page
        after = page[-1].key
