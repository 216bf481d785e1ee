"""Checkpoints and proofs: the tree's head, signed and kept elsewhere, and paths through the tree.

A checkpoint that would deny an earlier one is never signed: then the log was cut, rolled back or rewritten, and
`verify` has to name it first.
"""

from contextlib import suppress
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput, NotFound
from mace.engine.world import World
from mace.ledger import records
from mace.ledger.checkpoint import BadNote, Checkpoint, open_note, origin_of, sign, verifier_key
from mace.ledger.tree import TILE_LEAVES, Tree, missing_tiles
from mace.storage.ports import Exists, Tx

_TILES_PER_UNIT = 64


class Proofs:
    def __init__(self, world: World) -> None:
        self._world = world

    def public_key(self) -> str:
        keys = self._world.keys
        return verifier_key(keys.log_name, keys.public_key())

    def epoch(self, tx: Tx) -> int:
        return int(tx.notes.get("epoch") or "0")

    def tree(self, tx: Tx) -> Tree:
        return Tree(tx.events.size(), lambda start, stop: leaves(tx, start, stop), tx.tiles.get)

    def publish(self) -> str:
        """Sign the present head, keep it in the database and on the shelf, and return the note."""
        self._fill_tiles()
        keys = self._world.keys

        def look(tx: Tx) -> tuple[Checkpoint, Checkpoint | None]:
            tree = self.tree(tx)
            epoch = self.epoch(tx)
            try:
                head = Checkpoint(origin_of(keys.log_name, epoch), tree.size, tree.root())
                newest = self._newest()
                if newest is not None and newest.epoch == epoch and newest.size <= tree.size:
                    if tree.root(newest.size) != newest.root:
                        raise IntegrityFailure("the log denies the newest checkpoint kept of it; run verify")
                elif newest is not None and newest.epoch >= epoch:
                    raise IntegrityFailure("the log is shorter than the newest checkpoint kept of it; run verify")
            except LookupError as error:
                raise IntegrityFailure(f"{error}; run verify") from None
            return head, newest

        head, newest = self._world.store.read(look)
        latest = self._world.shelf.latest()
        if latest is not None and newest is not None and newest.origin == head.origin and newest.size == head.size:
            return latest
        note = sign(head, keys.public_key(), keys.sign_note)
        self._world.shelf.keep(note)
        record = records.make(
            "checkpoint",
            f"{head.epoch}/{head.size}",
            {"epoch": head.epoch, "size": head.size, "note": note},
            keys.sign,
        )
        with suppress(Exists):  # another process was as far as we are
            self._world.store.write(lambda tx: tx.records.add(record))
        return note

    def _newest(self) -> Checkpoint | None:
        latest = self._world.shelf.latest()
        if latest is None:
            return None
        try:
            return self.open(latest)
        except BadNote as error:
            raise IntegrityFailure(f"the newest kept checkpoint is not good: {error}; run verify") from None

    def open(self, note: str) -> Checkpoint:
        keys = self._world.keys
        return open_note(note, keys.log_name, keys.public_key(), self._world.check_ed25519)

    def _fill_tiles(self) -> None:
        store = self._world.store
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

        size, counts = store.read(lambda tx: (tx.events.size(), {n: tx.tiles.count(n) for n in range(1, 6)}))
        for tile in missing_tiles(
            size,
            lambda level: counts.get(level, 0),
            lambda start, stop: store.read(lambda tx: leaves(tx, start, stop)),
            roots,
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
            raise InvalidInput("an event_id is 64 hex characters") from None
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
            except ValueError as error:
                raise InvalidInput(str(error)) from None
            return {
                "old_size": old_size,
                "new_size": new_size,
                "old_root": tree.root(old_size).hex(),
                "new_root": tree.root(new_size).hex(),
                "proof": [step.hex() for step in path],
            }

        for size in (old_size, new_size):
            if not isinstance(size, int) or isinstance(size, bool):
                raise InvalidInput("sizes are whole numbers")
        return self._world.store.read(look)


def _put_tiles(tx: Tx, tiles: list[tuple[int, int, bytes]]) -> None:
    for level, index, root in tiles:
        tx.tiles.put(level, index, root)


def leaves(tx: Tx, start: int, stop: int) -> list[bytes]:
    """Leaf data by position; an attested lost row stands for itself with the hash its attestation gave it."""
    found = tx.events.hashes(start, stop)
    if len(found) == stop - start:
        return found
    rows = {row.position: row.hash for row in tx.events.scan(start, stop - start)}
    for position in range(start, stop):
        if position not in rows:
            lost = tx.records.get("lost_leaf", str(position))
            if lost is None:
                return found
            rows[position] = bytes.fromhex(canon.loads(lost.body)["hash"])
    return [rows[position] for position in range(start, stop)]
