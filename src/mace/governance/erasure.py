"""Erasure: what goes with a person or a fact, and the papers that prove that it went.

Pure. Keys are not seen here, only their names; signing is passed in. A manifest says what was taken, never what it
said. A receipt can be checked by the person with the log's public key alone; its first line keeps it apart from
checkpoints, which the same key signs. It says what is gone and what stays, each with its reason.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.turn_ids import parse_turn_id, turn_id_of
from mace.governance.spans import Spans, meet, numbers_in, spans_of

FORMATS = ("mace-deletion-receipt/1", "mace-deletion-receipt/2")  # the last one is written, each can be checked
RECEIPT_FORMAT = FORMATS[-1]
FACT, JOB, EXPORT, EXPERIENCE = "fact/", "job/", "export/", "experience/"
QUARANTINE, EVIDENCE, VOTE = "quarantine/", "evidence/", "vote/"
TURN, CONVERSATION = "turn/", "conversation/"
INDEX = "index/"  # over somebody's turns: follows from them, and is made again of those that stay
_MAY_QUOTE = (JOB, EXPERIENCE, QUARANTINE, EVIDENCE)  # goes with a fact if it touched it or quotes it

# What keys are called in a receipt, by the beginning of their names.
_WHAT = {
    "consent": "consents",
    "evidence": "evidence",
    "experience": "experience",
    "export": "exports",
    "fact": "facts",
    "job": "jobs",
    "quarantine": "quarantined",
    "turn": "turns",
    "vote": "vote_reasons",
}
_NOT_NAMED = (
    "the request names single facts or turns, and this is not one of them nor a job that is known to have touched one"
)

# What stays after every erasure, and why.
STAYS = {
    "ledger": (
        "events with their times, kinds and hashes stay, so that the log can be verified; what they sealed cannot be "
        "read any more"
    ),
    "names": (
        "the user's slug and the names of facts, turns, jobs and consents are part of events and stand there "
        "unencrypted"
    ),
    "hashes": (
        "pii_hash and the hash of a conversation's id are keyed with the server's key, consent_id is the SHA-256 of "
        "user, seed and text, and the hash of a question without a person and of a query of memory_read that of its "
        "redacted text, as their formulas say; whoever has that key, or knows the rest of the text, can test a guess"
    ),
    "papers": (
        "the request, its approval, the manifest and this receipt prove the erasure; they say what went, not what it "
        "said"
    ),
    "free_text": (
        "reasons of incidents, rules that modules broke, purposes of looks, statements, and reasons of votes on purges "
        "and on what is nobody's are text by operators and stand on the ledger unencrypted; what is recognized as "
        "personal data is refused there"
    ),
    "old_bytes": (
        "old bytes of erased keys may lie in free pages or in a write-ahead log of the store until the status of the "
        "request is `completed`"
    ),
    "copies": (
        "backups, downloaded exports, files of context stores, and what a database server, a file system or a language "
        "engine keeps by itself are out of reach"
    ),
}
_FORENSIC = (
    "the erased keys lie in the forensic store, sealed to a key that this node does not have, until they are purged"
)
_OWNED = ("user/", EXPERIENCE)
_WORLD = (
    "a fact outside user/ is stored unencrypted: it is deleted and no longer served, its history stays on the record"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an erasure takes: names of vault keys, the facts and jobs behind them, and whether the person goes whole.

    `left` are the keys of the person that stay; of a whole person there are none. There may be very many turns, so
    they are no `refs` and have numbers instead.
    """

    person: str
    whole: bool
    refs: tuple[str, ...]
    facts: tuple[str, ...]
    jobs: tuple[str, ...]
    left: tuple[str, ...] = ()
    unsealed: tuple[str, ...] = ()  # facts that are nobody's and lie under no key
    turns: tuple[int, ...] = ()

    @property
    def turn_refs(self) -> list[str]:
        """The keys of the turns that go."""
        return [turn_id_of(self.person, number) for number in self.turns]


def plan(person: str, keys: Iterable[str] | None, held: Iterable[str], touching: Callable[[str], bool]) -> Plan:
    """Choose what goes: everything of the person, or some facts and turns with what touched them.

    Exports hold facts and turns too, so they go with any. `touching` says whether what lies under the key of a job, of
    imported experience, of something quarantined or of evidence touched what is erased.
    """
    every = sorted(held)
    wanted = None if keys is None else {key if key.startswith(TURN) else FACT + key for key in keys}
    turns = [ref for ref in every if ref.startswith(TURN) and (wanted is None or ref in wanted)]
    refs = [ref for ref in every if not ref.startswith(TURN)]
    unsealed: list[str] = []
    if keys is not None and wanted is not None:
        refs = [
            ref
            for ref in refs
            if ref in wanted
            or ref.startswith(EXPORT)
            or (ref.startswith(INDEX) and turns)
            or (ref.startswith(_MAY_QUOTE) and touching(ref))
        ]
        unsealed = sorted(key for key in keys if not key.startswith((*_OWNED, TURN, CONVERSATION)))
    taken = {*refs, *turns}
    return Plan(
        person=person,
        whole=keys is None,
        refs=tuple(refs),
        facts=tuple(ref.removeprefix(FACT) for ref in refs if ref.startswith(FACT)),
        jobs=tuple(ref.removeprefix(JOB) for ref in refs if ref.startswith(JOB)),
        left=tuple(ref for ref in every if ref not in taken),
        unsealed=tuple(unsealed),
        turns=tuple(parsed[1] for parsed in map(parse_turn_id, turns) if parsed is not None),
    )


def evidence_refs(entry_id: str, people: Sequence[str]) -> list[str]:
    """The keys of the people that evidence is about, one for each."""
    return [f"{EVIDENCE}{entry_id}/{number}" for number, _ in enumerate(people)]


def plan_jobs(held: Iterable[str]) -> Plan:
    """What goes with jobs that are nobody's: the key of each."""
    refs = sorted(held)
    return Plan(
        person="",
        whole=False,
        refs=tuple(refs),
        facts=(),
        jobs=tuple(ref.removeprefix(JOB) for ref in refs),
    )


def counted(refs: Iterable[str]) -> dict[str, int]:
    """How many keys there are of each kind, by the words that a receipt uses; an index is nothing by itself."""
    kinds = (ref.partition("/")[0] for ref in refs if not ref.startswith(INDEX))
    return dict(sorted(Counter(_WHAT.get(kind, "other") for kind in kinds).items()))


def manifest(
    done: Plan,
    *,
    dsr_id: str,
    approval_id: str | None,
    forensic_id: str | None,
    versions: Mapping[str, int],
    wrapped: Mapping[str, str],
    at: str,
    requested: Iterable[str] | None = None,
) -> dict[str, Any]:
    """What was removed, for the record; `turns` are the spans of the numbers of those that lost their keys.

    `versions` are the last ones of each fact that lost their key, `wrapped` the SHA-256 of each wrapped key: one that
    is put back is known by it. `requested` are the keys that were named, also those that nothing was stored under: a
    write of one of them that waits elsewhere is dropped when it arrives.
    """
    return {
        "dsr_id": dsr_id,
        "approval_id": approval_id,
        "person": done.person,
        "whole_person": done.whole,
        "facts": [{"key": key, "versions": versions[key]} for key in done.facts],
        "jobs": list(done.jobs),
        "turns": spans_of(done.turns),
        "keys_removed": list(done.refs) + ([f"person/{done.person}"] if done.whole else []),
        "keys_requested": None if requested is None else sorted(requested),
        "not_touched": counted(done.left),
        "wrapped_sha256": dict(sorted(wrapped.items())),
        "forensic_id": forensic_id,
        "restorable": forensic_id is not None,
        "at": at,
    }


def takes_write(paper: Mapping[str, Any], key: str, queued_at: str) -> bool:
    """Say whether a manifest takes a write of the same person with it that was queued then and arrives only now.

    Equal times count as before: what might have been said before the erasure does not come back.
    """
    named = paper.get("keys_requested")
    removed = FACT + key in paper["keys_removed"] or (named is not None and key in named)
    return bool((paper["whole_person"] or removed) and queued_at <= paper["at"])


def turns_of(paper: Mapping[str, Any]) -> Spans:
    """The numbers of the turns that a manifest took; one from before there were turns took none."""
    return list(paper.get("turns", ()))


def removed_by(paper: Mapping[str, Any]) -> list[str]:
    """The names of all keys that a manifest took."""
    turns = (turn_id_of(paper["person"], number) for number in numbers_in(turns_of(paper)))
    return [*paper["keys_removed"], *turns]


def takes_talk(paper: Mapping[str, Any], conversation: str, begun_at: str) -> bool:
    """Say whether a manifest takes turns of a conversation with it that were given then and arrive only now."""
    named = paper.get("keys_requested") or ()
    return bool((paper["whole_person"] or CONVERSATION + conversation in named) and begun_at <= paper["at"])


def share_keys(paper: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether two manifests took keys of the same names: after a restore they are the same keys."""
    made_again = {INDEX + paper["person"]}
    if not (set(paper["keys_removed"]) - made_again).isdisjoint(other["keys_removed"]):
        return True
    return paper["person"] == other["person"] and meet(turns_of(paper), turns_of(other))


def put_back_by(done: Plan, wrapped: Mapping[str, str]) -> list[str]:
    """The hashes of wrapped keys by which the event itself knows what is put back, whatever becomes of the manifest.

    Whoever goes whole loses the key that all others are wrapped in, so that one is enough.
    """
    wanted = [f"person/{done.person}"] if done.whole else done.refs
    return sorted({wrapped[ref] for ref in wanted if ref in wrapped})


def gone(done: Plan, also: Mapping[str, int]) -> list[dict[str, Any]]:
    """What can no longer be read, by kind; `also` counts what lay under no key of its own."""
    found = counted((*done.refs, *done.turn_refs))
    for what, count in also.items():
        found[what] = found.get(what, 0) + count
    return [{"what": what, "count": count} for what, count in sorted(found.items()) if count]


def stays(done: Plan, *, restorable: bool) -> list[dict[str, Any]]:
    """What is left, and why: what a part of a person leaves of them first, then what every erasure leaves."""
    found: list[dict[str, Any]] = [
        {"what": what, "count": count, "why": _NOT_NAMED} for what, count in counted(done.left).items()
    ]
    if done.unsealed:
        found.append({"what": "unsealed_facts", "count": len(done.unsealed), "why": _WORLD})
    if restorable:
        found.append({"what": "forensic_keys", "why": _FORENSIC})
    return found + [{"what": what, "why": why} for what, why in STAYS.items()]


def receipt(
    dsr_id: str,
    manifest_body: bytes,
    log_name: str,
    at: str,
    gone: Sequence[Mapping[str, Any]] = (),
    stays: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What the person is given: what is gone, what stays and why, and the hash of the manifest."""
    return {
        "format": RECEIPT_FORMAT,
        "dsr_id": dsr_id,
        "log_name": log_name,
        "manifest_sha256": sha256(manifest_body).hexdigest(),
        "gone": [dict(item) for item in gone],
        "stays": [dict(item) for item in stays],
        "at": at,
    }


def is_followed(receipt: Mapping[str, Any] | None) -> bool:
    """Say whether the ledger says when the old bytes of this erasure went; of the first ones it says nothing."""
    return receipt is not None and receipt["format"] != FORMATS[0]


def receipt_message(content: Mapping[str, Any]) -> bytes:
    """The bytes that are signed; their first line is the format, whatever else stands in the receipt."""
    held = content.get("format", RECEIPT_FORMAT)
    name = held if held in FORMATS else RECEIPT_FORMAT
    return name.encode() + b"\n" + canon.dumps(dict(content))


def check_receipt(
    signed: Mapping[str, Any],
    manifest_body: bytes | None,
    public_key: bytes,
    check: Callable[[bytes, bytes, bytes], bool],
) -> bool:
    """Say whether a receipt is the log's word about this manifest; without one, whether it is the log's word at all."""
    try:
        content = {name: value for name, value in signed.items() if name != "signature"}
        if content["format"] not in FORMATS:
            return False
        good = check(public_key, bytes.fromhex(signed["signature"]), receipt_message(content))
        return good and (manifest_body is None or content["manifest_sha256"] == sha256(manifest_body).hexdigest())
    except (KeyError, TypeError, ValueError):
        return False
