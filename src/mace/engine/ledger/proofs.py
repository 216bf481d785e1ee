"""Checkpoints and proofs: the tree's head, signed and kept elsewhere, and paths through the tree.

A checkpoint that would deny an earlier one is never signed: then the log was cut, rolled back or rewritten, and
`verify` has to name it first. Kept subtree roots ("tiles") are believed only as far as the newest checkpoint vouches
for them; the rest is built again from the events.
"""

import heapq
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput, NotFound
from mace.engine.kernel.world import World
from mace.ledger import records
from mace.ledger.checkpoint import BadNote, Checkpoint, open_note, origin_of, sign, verifier_key
from mace.ledger.findings import Attested, attested_by, forged_checkpoint
from mace.ledger.tree import TILE_LEAVES, Tree, missing_tiles
from mace.storage.ports import Exists, Record, Tx

_TILES_PER_UNIT = 64
_MAX_ATTESTATIONS = 100_000


class Proofs:
    """Publishes checkpoints, and proves inclusion and consistency."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._held: tuple[list[str], Attested] = ([], Attested())

    def public_key(self) -> str:
        """Return the log's public key, as verifiers take it."""
        keys = self._world.keys
        return verifier_key(keys.log_name, keys.public_key())

    def attested(self, tx: Tx) -> Attested:
        """What admins said about findings so far; their signatures are checked once."""
        rows = tx.records.scan("attestation", "", _MAX_ATTESTATIONS)
        seen = [canon.sha256_hex(row.body) + row.key + row.signature for row in rows]
        if self._held[0] != seen:
            keys = self._world.keys
            word = attested_by(rows, keys.log_name, keys.public_key(), keys.check, self._world.check_ed25519)
            self._held = (seen, word)
        return self._held[1]

    def words(self, tx: Tx) -> list[dict[str, Any]]:
        """The attestations themselves, for whoever verifies an export: those that are what was signed."""
        rows = tx.records.scan("attestation", "", _MAX_ATTESTATIONS)
        return [canon.loads(row.body) for row in rows if records.is_signed(row, self._world.keys.check)]

    def tree(self, tx: Tx, lost: dict[int, bytes] | None = None) -> Tree:
        """Return the Merkle tree over all events."""
        stand_ins = self.attested(tx).lost_leaves if lost is None else lost
        return Tree(tx.events.size(), lambda start, stop: leaves(tx, start, stop, stand_ins), tx.tiles.get)

    def publish(self) -> str:
        """Sign the present head, keep it in the database and on the shelf, and return the note."""
        keys = self._world.keys
        attested = self._world.store.read(self.attested)
        newest = self._newest(attested)
        self._fill_tiles(newest[1].size if newest is not None and newest[1].epoch == attested.epoch else 0)

        def look(tx: Tx) -> Checkpoint:
            epoch = self.attested(tx).epoch
            tree = self.tree(tx)
            try:
                if newest is not None:
                    self._refuse_contradiction(tree, epoch, newest[1])
                return Checkpoint(origin_of(keys.log_name, epoch), tree.size, tree.root())
            except LookupError as error:
                raise IntegrityFailure(f"{error}; run verify") from None

        head = self._world.store.read(look)
        if newest is not None and newest[1].origin == head.origin and newest[1].size == head.size:
            return newest[0]
        note = sign(head, keys.public_key(), keys.sign_note)
        self._world.shelf.keep(note, self.is_good)
        record = records.make(
            "checkpoint",
            f"{head.epoch:06d}/{head.size:016d}",
            {"epoch": head.epoch, "size": head.size, "note": note},
            keys.sign,
        )
        with suppress(Exists):  # another process was as far as we are
            self._world.store.write(lambda tx: tx.records.add(record))
        return note

    @staticmethod
    def _refuse_contradiction(tree: Tree, epoch: int, newest: Checkpoint) -> None:
        if newest.epoch > epoch:
            raise IntegrityFailure("the newest saved checkpoint is from a later epoch than the log; run verify")
        if newest.epoch == epoch and newest.size > tree.size:
            raise IntegrityFailure("the log is shorter than its newest saved checkpoint; run verify")
        if newest.epoch == epoch and tree.root(newest.size) != newest.root:
            raise IntegrityFailure("the log contradicts its newest saved checkpoint; run verify")

    def _newest(self, attested: Attested) -> tuple[str, Checkpoint] | None:
        """The newest good note of the shelf; a bad one must have been attested before it is passed over."""
        for note in self._world.shelf.newest_first():
            try:
                return note, self.open(note)
            except BadNote as error:
                if forged_checkpoint(note, "").finding_id not in attested.findings:
                    raise IntegrityFailure(f"the newest saved checkpoint is not valid: {error}; run verify") from None
        return None

    def newest_epoch(self) -> int:
        """The epoch of the newest good note of the shelf."""
        good = (note for note in self._world.shelf.newest_first() if self.is_good(note))
        return next((self.open(note).epoch for note in good), 0)

    def open(self, note: str) -> Checkpoint:
        """Return a checkpoint from its note; raise `BadNote` unless this log's key signed it."""
        keys = self._world.keys
        return open_note(note, keys.log_name, keys.public_key(), self._world.check_ed25519)

    def is_good(self, note: str) -> bool:
        """Return whether a note is a checkpoint that this log's key signed."""
        try:
            self.open(note)
        except BadNote:
            return False
        return True

    def kept(self, attested: Attested, forged: Callable[[str, str], None]) -> Iterator[Checkpoint]:
        """Checkpoints of the shelf and of the database by size, without those that an attestation set aside."""

        def opened(notes: Iterator[str]) -> Iterator[tuple[int, bytes, Checkpoint]]:
            for note in notes:
                try:
                    checkpoint = self.open(note)
                except BadNote as error:
                    forged(note, str(error))
                    continue
                if attested.counts(checkpoint):
                    yield checkpoint.size, checkpoint.root, checkpoint

        seen: tuple[int, bytes] | None = None
        merged = heapq.merge(opened(self._world.shelf.notes()), opened(self._notes_in_database()))
        for size, root, checkpoint in merged:
            if (size, root) != seen:
                seen = (size, root)
                yield checkpoint

    def _notes_in_database(self) -> Iterator[str]:
        after = ""

        def look(tx: Tx) -> list[Record]:
            return tx.records.scan("checkpoint", after)

        while rows := self._world.store.read(look):
            for row in rows:
                if records.is_signed(row, self._world.keys.check):  # else it is a finding as a record
                    yield canon.loads(row.body)["note"]
            after = rows[-1].key

    def _fill_tiles(self, since: int) -> None:
        store = self._world.store
        lost = store.read(self.attested).lost_leaves
        waiting: list[tuple[int, int, bytes]] = []

        def flush() -> None:
            if waiting:
                held = list(waiting)
                waiting.clear()
                store.write(lambda tx: _put_tiles(tx, held))

        def roots(level: int, index: int) -> list[bytes]:
            flush()
            rows = store.read(lambda tx: tx.tiles.scan(level, index * TILE_LEAVES, TILE_LEAVES))
            return [root for at, root in rows if at // TILE_LEAVES == index]

        size = store.read(lambda tx: tx.events.size())
        for tile in missing_tiles(
            size, since, lambda start, stop: store.read(lambda tx: leaves(tx, start, stop, lost)), roots
        ):
            waiting.append(tile)
            if len(waiting) >= _TILES_PER_UNIT:
                flush()
        flush()

    def inclusion(self, event_id: str) -> dict[str, Any]:
        """Prove that an event is in the log of a checkpoint that covers it."""
        try:
            wanted = bytes.fromhex(event_id)
        except (TypeError, ValueError):
            raise InvalidInput("event_id must be 64 hex characters") from None
        note = self.publish()
        head = self.open(note)

        def look(tx: Tx) -> dict[str, Any]:
            found = [row for row in tx.events.by_id(wanted) if row.position < head.size]
            if not found:
                raise NotFound(what=f"event {event_id}")
            row = found[0]
            path = self.tree(tx).inclusion(row.position, head.size)
            return {
                "event": row.fields(canon.loads(row.body)),
                "body": row.body.decode(),
                "leaf_index": row.position,
                "tree_size": head.size,
                "proof": [step.hex() for step in path],
                "checkpoint": note,
                "others_with_this_id": [other.position for other in found[1:]],
            }

        return self._world.store.read(look)

    def consistency(self, old_size: int, new_size: int) -> dict[str, Any]:
        """Prove that the log of `new_size` events begins with the log of `old_size` events."""

        def look(tx: Tx) -> dict[str, Any]:
            tree = self.tree(tx)
            try:
                path = tree.consistency(old_size, new_size)
                old_root, new_root = tree.root(old_size), tree.root(new_size)
            except ValueError as error:
                raise InvalidInput(str(error)) from None
            except LookupError as error:
                raise IntegrityFailure(f"{error}; run verify") from None
            return {
                "old_size": old_size,
                "new_size": new_size,
                "old_root": old_root.hex(),
                "new_root": new_root.hex(),
                "proof": [step.hex() for step in path],
            }

        for size in (old_size, new_size):
            if not isinstance(size, int) or isinstance(size, bool):
                raise InvalidInput("old_size and new_size must be integers")
        return self._world.store.read(look)


def _put_tiles(tx: Tx, tiles: list[tuple[int, int, bytes]]) -> None:
    for level, index, root in tiles:
        tx.tiles.put(level, index, root)


def leaves(tx: Tx, start: int, stop: int, lost: dict[int, bytes]) -> list[bytes]:
    """Leaf data by position; a lost row is stood in for by the hash that its attestation gave it."""
    found = tx.events.hashes(start, stop)
    if len(found) == stop - start:
        return found
    held = {row.position: row.hash for row in tx.events.scan(start, stop - start)}
    held = {**{position: lost[position] for position in lost if start <= position < stop}, **held}
    if any(position not in held for position in range(start, stop)):
        return found  # a hole that nobody attested
    return [held[position] for position in range(start, stop)]
