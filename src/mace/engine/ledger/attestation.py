"""After an integrity failure: an admin looks, and says on the record what is known and how the log goes on.

Nothing is repaired in place. An attestation names the findings it covers; where rows are lost, it gives their leaves
the hash their successor names (or zeros), so that the tree can go on; where the log denies a checkpoint, a new epoch
starts, named in the origin of every checkpoint from then on. What is derived is made again: subtree roots here, the
index of what events speak of by the verification that found it changed.
"""

from typing import Any

from mace.core import canon, seeds
from mace.core.errors import InvalidInput, PreconditionFailed
from mace.core.times import iso_us
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.engine.ledger.proofs import Proofs
from mace.ledger import records
from mace.ledger.findings import CONTRADICTIONS, Attested, attestation_message
from mace.ledger.tree import Tree
from mace.storage.ports import Tx

MAX_STATED = 4_000  # characters of a statement
MAX_LOST = 100_000  # leaves that one attestation stands in for; beyond that a backup is the better answer
MAX_ATTESTED = 100_000  # findings that one attestation covers, each by its id
_TOLD = 1000  # of them in the event; the record that it names has them all
_LOOK_AHEAD = 5000


class Attestation:
    """Signs off findings of verification so that the log can continue."""

    def __init__(self, world: World, recorder: Recorder, proofs: Proofs) -> None:
        self._world = world
        self._recorder = recorder
        self._proofs = proofs

    @staticmethod
    def check(actor: str, statement: str) -> None:
        """Refuse words that may not stand on the ledger, before anything is looked at."""
        check_words(actor, "actor", 64)
        check_words(statement, "statement", MAX_STATED)

    def attest(self, actor: str, findings: list[dict[str, Any]], statement: str) -> dict[str, Any]:
        """Put an admin's word over these findings, and over all that were recorded before, on the ledger."""
        self.check(actor, statement)

        def unit(tx: Tx) -> dict[str, Any]:
            origin = self._recorder.system(tx)
            tx.lock("attestation")
            word = self._proofs.attested(tx)
            ids = sorted(({item["finding_id"] for item in findings} | self._recorded(tx)) - word.said)
            if not ids:
                raise InvalidInput("nothing to attest: verification finds nothing new")
            if len(ids) > MAX_ATTESTED:
                raise PreconditionFailed(f"{len(ids)} findings: restore a backup instead of attesting them")
            tx.tiles.clear()
            lost = self._stand_ins(tx, [item["where"] for item in findings if item["kind"] == "ROW_MISSING"])
            leaves = {**word.lost_leaves, **{leaf["position"]: bytes.fromhex(leaf["hash"]) for leaf in lost}}
            matched = self._last_matching_size(self._proofs.tree(tx, leaves), word)
            content: dict[str, Any] = {
                "attestation_id": seeds.derived_uuid("attestation", self._recorder.fresh_seed()),
                "actor": actor,
                "statement": statement,
                "finding_ids": ids,
                "lost_leaves": lost,
                "at": iso_us(self._world.clock.now()),
                "epoch": None,
                "continued_from": None,
            }
            if matched is not None or any(item["kind"] in CONTRADICTIONS for item in findings):
                # A copy from before an earlier attestation does not know the epoch that this one began.
                content["epoch"] = 1 + max(word.epoch, self._proofs.newest_epoch())
                content["continued_from"] = matched or 0
            message = attestation_message(self._world.keys.log_name, content)
            content["seal"] = self._world.keys.sign_note(message).hex()
            record = records.make("attestation", content["attestation_id"], content, self._world.keys.sign)
            tx.records.add(record)
            self._recorder.append(
                tx,
                origin,
                "INTEGRITY_ATTESTED",
                {**told(ids), "actor": actor, "record": records.reference(record)},
                signed_by=actor,
            )
            if content["epoch"] is not None:
                started = {"epoch": content["epoch"], "continued_from": content["continued_from"]}
                self._recorder.append(tx, origin, "EPOCH_STARTED", started, signed_by=actor)
            return content

        return self._world.store.write(unit)

    def _stand_ins(self, tx: Tx, places: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """A leaf for each lost position; its true hash where the next event of its stream names it."""
        ranges = [range(where["position"], where["position"] + where["count"]) for where in places if "count" in where]
        held = self._proofs.attested(tx).lost_leaves
        count = sum(len(lost) for lost in ranges)
        if count > MAX_LOST:
            raise PreconditionFailed(f"{count} events are missing: restore a backup instead of attesting them")
        lost = [position for positions in ranges for position in positions if position not in held]
        named = self._named_by_successor(tx, lost[0]) if len(lost) == 1 else None  # of several, who names which?
        found = {position: named or self._still_there(tx, position) for position in lost}
        return [
            {"position": position, "hash": leaf or "00" * 32, "recovered": leaf is not None}
            for position, leaf in found.items()
        ]

    @staticmethod
    def _still_there(tx: Tx, position: int) -> str | None:
        """The hash of a row that cannot be read as a whole; kept checkpoints say whether it is the true one."""
        held = tx.events.hashes(position, position + 1)
        return held[0].hex() if len(held) == 1 and isinstance(held[0], bytes) and len(held[0]) == 32 else None

    @staticmethod
    def _named_by_successor(tx: Tx, position: int) -> str | None:
        """Look a little way on for an event whose predecessor in its stream is not there."""
        for row in tx.events.scan(position + 1, _LOOK_AHEAD):
            if row.sequence_index and tx.events.at(row.stream, row.sequence_index - 1) is None:
                try:
                    named = bytes.fromhex(canon.loads(row.body)["prev_hash"])
                except (ValueError, LookupError, TypeError):
                    continue
                if len(named) == 32:
                    return named.hex()
        return None

    def _last_matching_size(self, tree: Tree, word: Attested) -> int | None:
        """The newest kept checkpoint that the log still agrees with; None when it agrees with all of them."""
        best = 0
        for checkpoint in self._proofs.kept(word, lambda note, why: None):
            try:
                agrees = checkpoint.size <= tree.size and tree.root(checkpoint.size) == checkpoint.root
            except LookupError:
                agrees = False
            if not agrees:
                return best  # whatever begins with these events is denied too
            best = max(best, checkpoint.size)
        return None

    def _recorded(self, tx: Tx) -> set[str]:
        """Findings on the record: one that is not found any more (the bytes were put back) still needs a word."""
        found: set[str] = set()
        after = ""
        while rows := tx.records.scan("quarantine", after):  # by signature alone: events may be what is damaged
            for row in rows:
                if records.is_signed(row, self._world.keys.check) and canon.loads(row.body)["what"] == "finding":
                    found.add(row.key)
            after = rows[-1].key
        return found


def told(ids: list[str]) -> dict[str, Any]:
    """Findings as an event tells of them."""
    return {"finding_ids": ids} if len(ids) <= _TOLD else {"finding_ids": ids[:_TOLD], "findings_in_all": len(ids)}
