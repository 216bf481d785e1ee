"""Checkpoints and proofs: the tree's head, signed and kept elsewhere, and paths through the tree.

A checkpoint that would deny an earlier one is never signed: then the log was cut, rolled back or rewritten, and
`verify` has to name it first. Kept subtree roots ("tiles") are believed only as far as the newest checkpoint vouches
for them; the rest is built again from the events.
"""

import heapq
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b, sha256
from typing import Any

from mace.core import canon
from mace.core.answers.choices import ShelfState
from mace.core.errors import IntegrityFailure, InvalidInput, NotFound, ServiceUnavailable
from mace.engine.kernel.world import World
from mace.ledger import records, shelves
from mace.ledger.checkpoint import BadNote, Checkpoint, open_note, origin_of, parse, sign, verifier_key
from mace.ledger.findings import Attested, Finding, attested_by, forged_checkpoint
from mace.ledger.tree import TILE_LEAVES, Tree, missing_tiles
from mace.providers.ports import Shelf
from mace.storage.ports import Exists, Record, Tx

SETTLEMENT = "settlement"  # records of attested findings that were found no more
_TILES_PER_UNIT = 64
_MAX_ATTESTATIONS = 100_000
_MAX_GOOD = 200_000


class Proofs:
    """Publishes checkpoints, and proves inclusion and consistency."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._held: tuple[list[str], Attested] = ([], Attested())
        self._good: set[bytes] = set()  # hashes of notes whose signatures were seen to be good

    @cached_property
    def _public_key(self) -> bytes:
        return self._world.keys.public_key()

    def public_key(self) -> str:
        """Return the log's public key, as verifiers take it."""
        keys = self._world.keys
        return verifier_key(keys.log_name, keys.public_key())

    def attested(self, tx: Tx) -> Attested:
        """What admins said about findings so far; their signatures are checked once."""
        rows = tx.records.scan("attestation", "", _MAX_ATTESTATIONS)
        settlements = tx.records.scan(SETTLEMENT, "", _MAX_ATTESTATIONS) if rows else []
        seen = [canon.sha256_hex(row.body) + row.key + row.signature for row in (*rows, *settlements)]
        if self._held[0] != seen:
            keys = self._world.keys
            word = attested_by(
                rows, keys.log_name, keys.public_key(), keys.check, self._world.check_ed25519, settlements
            )
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
        keys, shelf = self._world.keys, self._world.shelf
        attested = self._world.store.read(self.attested)
        state = self.shelf_state()
        self._refuse_lost(state, attested)
        newest = self._newest(shelf, attested)
        followed = shelf.former() if state == "followed" else None
        before = None if followed is None else self._newest(followed, attested)
        self._fill_tiles(newest[1].size if newest is not None and newest[1].epoch == attested.epoch else 0)

        def look(tx: Tx) -> Checkpoint:
            epoch = self.attested(tx).epoch
            tree = self.tree(tx)
            try:
                for held in (newest, before):
                    if held is not None:
                        self._refuse_contradiction(tree, epoch, held[1])
                return Checkpoint(origin_of(keys.log_name, epoch), tree.size, tree.root())
            except LookupError as error:
                raise IntegrityFailure(f"{error}; run verify") from None

        head = self._world.store.read(look)
        if newest is not None and newest[1].origin == head.origin and newest[1].size == head.size:
            shelf.settle()
            return newest[0]
        note = sign(head, keys.public_key(), keys.sign_note)
        with suppress(Exists):  # another process was as far as we are
            self._world.store.write(lambda tx: self._enter(tx, head, note))
        shelf.keep(note, self.is_good)  # after the record: what the shelf holds, the database held before
        shelf.settle()
        return note

    def _enter(self, tx: Tx, head: Checkpoint, note: str) -> None:
        """Keep a note in the database, with the name of the one before it: a missing one is missed."""
        tx.lock("checkpoint")
        last = tx.records.last("checkpoint")
        before = None if last is None else {"key": last.key, "hash": sha256(last.body).hexdigest()}
        content = {"epoch": head.epoch, "size": head.size, "note": note, "before": before}
        tx.records.add(records.make("checkpoint", key_of(head), content, self._world.keys.sign))

    @staticmethod
    def _refuse_contradiction(tree: Tree, epoch: int, newest: Checkpoint) -> None:
        if newest.epoch > epoch:
            raise IntegrityFailure("the newest saved checkpoint is from a later epoch than the log; run verify")
        if newest.epoch == epoch and newest.size > tree.size:
            raise IntegrityFailure("the log is shorter than its newest saved checkpoint; run verify")
        if newest.epoch == epoch and tree.root(newest.size) != newest.root:
            raise IntegrityFailure("the log contradicts its newest saved checkpoint; run verify")

    def shelf_state(self) -> ShelfState:
        """What became of the shelf since notes were kept last."""
        shelf = self._world.shelf
        former = shelf.former()
        return shelves.judge(
            place=shelf.place(),
            was_in=shelf.was_in(),
            has_notes=shelf.latest() is not None,
            former_has_notes=former is not None and self._has_good(former),
        )

    def _has_good(self, shelf: Shelf) -> bool:
        try:
            return any(map(self.is_good, shelf.newest_first()))
        except ServiceUnavailable:
            return False  # what cannot be read tells nothing

    def shelf_findings(self, state: ShelfState) -> list[Finding]:
        """What verification says of the shelf."""
        shelf = self._world.shelf
        newest = self._world.store.read(_newest_recorded) if state in shelves.LOST else ""
        found = shelves.finding(state, place=shelf.place(), was_in=shelf.was_in(), newest=newest)
        return [] if found is None else [found]

    def _refuse_lost(self, state: ShelfState, attested: Attested) -> None:
        """Begin no new shelf in the place of one that is gone, before somebody has answered for that."""
        for found in self.shelf_findings(state):
            if found.finding_id not in attested.findings:
                raise IntegrityFailure(f"{found.detail}; bring it back, set checkpoint_dir to its place, or run verify")

    def _newest(self, shelf: Shelf, attested: Attested) -> tuple[str, Checkpoint] | None:
        """The newest good note of a shelf; a bad one must have been attested before it is passed over."""
        for note in shelf.newest_first():
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
        digest = blake2b(note.encode(), digest_size=16).digest()
        if digest in self._good:
            return parse(note)[0]
        keys = self._world.keys
        checkpoint = open_note(note, keys.log_name, self._public_key, self._world.check_ed25519)
        if len(self._good) >= _MAX_GOOD:
            self._good.clear()
        self._good.add(digest)
        return checkpoint

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
        former = self._world.shelf.former() if self.shelf_state() == "followed" else None
        before = former.notes() if former is not None else iter(())
        merged = heapq.merge(opened(self._world.shelf.notes()), opened(before), opened(self._notes_in_database()))
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


def _newest_recorded(tx: Tx) -> str:
    """The name of the newest checkpoint in the database; they sort by epoch and size."""
    newest = ""
    while rows := tx.records.scan("checkpoint", newest):
        newest = rows[-1].key
    return newest


def key_of(checkpoint: Checkpoint) -> str:
    """The key of a checkpoint's record; the greatest is the newest."""
    return f"{checkpoint.epoch:06d}/{checkpoint.size:016d}"


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
