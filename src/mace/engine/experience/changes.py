"""A change of the Dreamer as the ledger holds it, and as people read it.

What is decided comes in; here it gets its words sealed and its shape. A rule is sealed under the keys of everybody
whose words went in; the successor of a demoted rule keeps its words, its strength and its sign.
"""

import base64
from dataclasses import asdict, dataclass, field
from typing import Any

from mace.core import canon
from mace.engine.experience import rows
from mace.engine.experience.contents import Contents
from mace.memory.experience import megrams
from mace.memory.experience.dreaming import Rule, Verdict
from mace.memory.experience.pairs import Pair
from mace.storage.experience_ports import MegramRow
from mace.storage.ports import Tx


@dataclass(frozen=True, slots=True)
class Asked:
    """What a language engine was asked for a rule and what it answered; neither holds personal data."""

    system: str
    prompt: str
    answer: str
    model: str
    provider: str


@dataclass(slots=True)
class Planned:
    """One change, ready for the ledger but for its sealed words."""

    pair: Pair
    verdict: Verdict
    change_id: str
    after: str
    words: str = ""
    by: str = ""  # who found the words of a rule: engine or extract
    asked: Asked | None = None
    sources: list[MegramRow] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    whose: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the people whose words a source holds, by its id
    rule: MegramRow | None = None  # the one that is demoted
    confirms: str = ""


class ChangeRecords:
    """Writes the Dreamer's changes as event payloads."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def payload(self, tx: Tx, change: Planned, now_us: int) -> dict[str, Any]:
        """Return the event payload of a planned change."""
        pair, verdict = change.pair, change.verdict
        payload: dict[str, Any] = {
            "change_id": change.change_id,
            "kind": verdict.kind,
            "space": pair.space,
            "entity": pair.entity,
            "after": change.after,
            "through": pair.last_written,
            "at": megrams.iso_of(now_us),
            "attention": verdict.attention,
            "decision": verdict.decision,
            "why": verdict.why,
            "megrams": pair.count,
            "evidence_hash": pair.evidence.hex(),
        }
        if verdict.kind == "promotion":
            payload["sources"] = [row.megram_id for row in change.sources]
            payload["confirms"] = change.confirms
            payload |= self.origin_of_words(tx, change)
            payload["rule"] = None if change.confirms else rows.to_json(self._rule(tx, change, now_us))
        elif change.rule is not None and verdict.rule is not None:
            payload["rule_id"] = change.rule.megram_id
            payload["successor"] = rows.to_json(self._successor(tx, change.rule, verdict.rule, change.change_id))
        return payload

    def origin_of_words(self, tx: Tx, change: Planned) -> dict[str, Any]:
        """Who found a rule's words and, sealed, what an engine was asked and answered; `Erased` if somebody is gone.

        The prompt quotes the sources, so it lies under the keys of everybody quoted and goes with the first of them.
        """
        found: dict[str, Any] = {"by": change.by} if change.by else {}
        if change.asked is not None:
            also = self._contents.personal_refs(tx, change.sources)
            text, ref = canon.dumps(asdict(change.asked)).decode(), f"experience/{change.change_id}"
            sealed, refs = self._contents.seal(tx, text, asked_name(change.change_id), ref, None, also)
            found["asked"] = {"sealed": base64.b64encode(sealed).decode(), "key_refs": list(refs)}
        return found

    def asked(self, tx: Tx, payload: dict[str, Any]) -> dict[str, Any] | None:
        """What an engine was asked for this change and answered; None where none was, or after an erasure."""
        held = payload.get("asked")
        if held is None:
            return None
        sealed = base64.b64decode(held["sealed"])
        text = self._contents.unseal(tx, sealed, held["key_refs"], asked_name(payload["change_id"]))
        found: dict[str, Any] | None = None if text is None else canon.loads(text)
        return found

    def _rule(self, tx: Tx, change: Planned, now_us: int) -> MegramRow:
        """Level C: strength one, no decay. Its words are sealed under the keys of everybody whose words went in."""
        verdict = change.verdict
        megram_id = megrams.megram_id(now_us, change.change_id)
        also = self._contents.personal_refs(tx, change.sources)
        sealed, refs = self._contents.seal(tx, change.words, megram_id, f"experience/{megram_id}", None, also)
        space, entity = change.pair.space, change.pair.entity
        return MegramRow(
            megram_id,
            megrams.RULE,
            now_us,
            space,
            entity,
            sealed,
            refs,
            verdict.state,
            1.0,
            verdict.sigma,
            0.0,
            -1,
            False,
        )

    def _successor(self, tx: Tx, row: MegramRow, rule: Rule, change_id: str) -> MegramRow:
        """Level K: the rule's words, strength and sign, decaying from when it was last made or asked for."""
        megram_id = megrams.megram_id(rule.origin_us, change_id)
        sealed: bytes = b""
        refs: tuple[str, ...] = ()
        words = self._contents.open(tx, row)
        if words is not None:
            own, *others = reversed(row.key_refs)
            sealed, refs = self._contents.seal(tx, words, megram_id, own, None, others)
        return MegramRow(
            megram_id,
            megrams.KNOWLEDGE,
            rule.origin_us,
            row.space,
            row.entity,
            sealed,
            refs,
            row.state,
            row.f,
            row.sigma,
            megrams.SLOWEST,
            -1,
            False,
        )


def asked_name(change_id: str) -> str:
    """What the words of an engine for one change are sealed as."""
    return f"asked/{change_id}"


def told(change: Planned) -> dict[str, Any]:
    """Return a planned change as a report for people shows it."""
    verdict = change.verdict
    shown: dict[str, Any] = {
        "change_id": change.change_id,
        "kind": verdict.kind,
        "space": change.pair.space,
        "entity": change.pair.entity,
        "attention": verdict.attention,
        "decision": verdict.decision,
        "why": verdict.why,
        "megrams": change.pair.count,
        "evidence_hash": change.pair.evidence.hex(),
        "evidence": change.told,
    }
    if verdict.kind == "promotion":
        shown |= {
            "state": verdict.state,
            "sigma": verdict.sigma,
            "content": change.words,
            "by": change.by,
            "confirms": change.confirms,
        }
    if verdict.rule is not None:
        shown |= {"rule_id": None if change.rule is None else change.rule.megram_id, "sigma": verdict.sigma}
    return shown
