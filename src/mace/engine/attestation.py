"""After an integrity failure: an admin looks, and says on the record what is known and how the log goes on.

Nothing is repaired in place. An attestation names the findings it covers; where rows are lost, it gives their leaves
the hash their successors name (or zeros), so that the tree can go on; where the log denies a checkpoint, a new epoch
starts, named in the origin of every checkpoint from then on.
"""

from typing import Any

from mace.core import canon, seeds
from mace.core.errors import InvalidInput
from mace.core.times import iso_us
from mace.engine.proofs import Proofs
from mace.engine.recorder import Recorder
from mace.engine.world import World
from mace.ledger import records
from mace.ledger.checkpoint import BadNote
from mace.ledger.findings import CONTRADICTIONS
from mace.storage.ports import Tx


class Attestation:
    def __init__(self, world: World, recorder: Recorder, proofs: Proofs) -> None:
        self._world = world
        self._recorder = recorder
        self._proofs = proofs

    def attest(self, actor: str, findings: list[dict[str, Any]], statement: str) -> dict[str, Any]:
        """Put an admin's word over these findings on the ledger."""
        if not findings:
            raise InvalidInput("there is nothing to attest: verification finds nothing new")
        if not statement.strip():
            raise InvalidInput("an attestation needs a statement: what happened, what was checked")
        ids = sorted(item["finding_id"] for item in findings)

        def unit(tx: Tx) -> dict[str, Any]:
            for item in findings:
                if item["kind"] == "ROW_MISSING" and "position" in item["where"]:
                    self._stand_in(tx, item["where"])
            attestation_id = seeds.derived_uuid("attestation", canon.hash_of(ids))
            content: dict[str, Any] = {
                "attestation_id": attestation_id,
                "actor": actor,
                "statement": statement,
                "finding_ids": ids,
                "at": iso_us(self._world.clock.now()),
            }
            record = records.make("attestation", attestation_id, content, self._world.keys.sign)
            tx.records.add(record)
            origin = self._recorder.system(tx)
            self._recorder.append(
                tx,
                origin,
                "INTEGRITY_ATTESTED",
                {"finding_ids": ids, "actor": actor, "record": records.reference(record)},
                signed_by=actor,
            )
            matched = self._last_matching_size(tx)
            if matched is not None or any(item["kind"] in CONTRADICTIONS for item in findings):
                epoch = self._proofs.epoch(tx) + 1
                tx.notes.put("epoch", str(epoch))
                self._recorder.append(
                    tx,
                    origin,
                    "EPOCH_STARTED",
                    {"epoch": epoch, "continued_from": matched or 0},
                    signed_by=actor,
                )
                content["epoch"] = epoch
            return content

        return self._world.store.write(unit)

    def _stand_in(self, tx: Tx, where: dict[str, Any]) -> None:
        """Give each lost row's leaf the hash that the next event of its stream commits to, where there is one."""
        for position in range(where["position"], where["position"] + where["count"]):
            if tx.records.get("lost_leaf", str(position)) is None:
                digest = self._named_by_successor(tx, position)
                content = {"position": position, "hash": digest or "00" * 32, "recovered": digest is not None}
                tx.records.add(records.make("lost_leaf", str(position), content, self._world.keys.sign))

    @staticmethod
    def _named_by_successor(tx: Tx, position: int) -> str | None:
        """Look a little way on for an event whose predecessor in its stream is not there."""
        for row in tx.events.scan(position + 1, 5000):
            if row.sequence_index and tx.events.at(row.stream, row.sequence_index - 1) is None:
                try:
                    return str(canon.loads(row.body)["prev_hash"])
                except (ValueError, KeyError):
                    continue
        return None

    def _last_matching_size(self, tx: Tx) -> int | None:
        """The newest kept checkpoint that the log still agrees with; None when it agrees with all of them."""
        tree = self._proofs.tree(tx)
        best, denied = 0, False
        for note in self._world.shelf.notes():
            try:
                checkpoint = self._proofs.open(note)
            except BadNote:
                continue
            if checkpoint.epoch != self._proofs.epoch(tx):
                continue
            try:
                agrees = checkpoint.size <= tree.size and tree.root(checkpoint.size) == checkpoint.root
            except LookupError:
                agrees = False
            if agrees:
                best = max(best, checkpoint.size)
            else:
                denied = True
        return best if denied else None
