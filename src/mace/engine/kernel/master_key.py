"""The master key, and the keys of people that it wraps: moved out of an older store's database, and wrapped anew.

A rotation is one unit. The new master key is in the key file, beside the one in use, before anything is wrapped by it;
which of the two counts is what the store says the keys are wrapped by, so a process that dies anywhere leaves a store
that opens with one of them. Then the older one is overwritten. Only the keys that are kept apart change: those of facts
and jobs are wrapped by them, and everything that was sealed stays as it is.
"""

from collections.abc import Callable
from contextlib import suppress

from mace.core.errors import MaceError, ServiceUnavailable
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import PEOPLE, Vault
from mace.engine.kernel.world import World
from mace.storage.ports import Tx

MOVED, ROTATED = "PERSON_KEYS_MOVED", "MASTER_KEY_ROTATED"

Write = Callable[[Callable[[Tx], str]], str]


class MasterKey:
    """Rotates the master key, and settles what an earlier process left undone."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault) -> None:
        self._world = world
        self._keys = world.keys
        self._recorder = recorder
        self._vault = vault
        self._has_moved = False  # with the first opening of an older store

    def settle(self, write: Write) -> None:
        """When a store is opened for writing: keys leave an older database, and of two master keys one goes."""
        if self._world.store.read(lambda tx: tx.vault.must_move()):
            write(self._move)
            self._has_moved = True
        if self._has_moved:
            self._has_moved = False
            with suppress(ServiceUnavailable):  # somebody is reading; the next erasure or rotation does it again
                self._world.store.scrub()
        if self._keys.is_master_changing:
            self._world.store.write(self._settle_key)

    def move_with(self, tx: Tx) -> None:
        """Move the keys in a unit that is about to change each of them; what is left in free pages goes by `settle`."""
        if tx.vault.must_move():
            self._move(tx)
            self._has_moved = True

    def _move(self, tx: Tx) -> str:
        tx.lock(PEOPLE)
        if not tx.vault.must_move():
            return ""  # another process was quicker
        before = tx.vault.master()
        moved, dropped = tx.vault.move_apart()
        if not before:
            tx.vault.set_master(self._keys.master_id)
        payload = {"moved": moved, "dropped": dropped, "master_id": before or self._keys.master_id}
        self._recorder.append(tx, self._recorder.system(tx), MOVED, payload)
        return ""

    def _settle_key(self, tx: Tx) -> None:
        """Under the lock of a rotation: whoever rotates at this moment has not come so far, or is done."""
        tx.lock(PEOPLE)
        self._keys.settle_master(tx.vault.master() or self._keys.master_id)

    def rotate(self, write: Write) -> str:
        """Wrap the keys of people by a new master key and destroy the old one; return the new one's id."""
        master_id = write(self._rotate)
        self._vault.forget_opened()
        self._keys.settle_master(master_id)
        try:
            self._world.store.scrub()
        except MaceError as error:  # it is rotated; that keys as they were wrapped before may be left must be known
            alert = {"about": ROTATED, "reason": f"free pages were not cleared: {error.code}"}
            self._world.store.write(
                lambda tx: self._recorder.append(tx, self._recorder.system(tx), "ADMIN_ALERT", alert)
            )
        return master_id

    def _rotate(self, tx: Tx) -> str:
        tx.lock(PEOPLE)
        before = self._vault.use_master(tx)
        self._keys.settle_master(before)  # of a rotation that was not brought to its end
        master_id = self._keys.begin_master()
        wrapped = self._vault.wrap_people_anew(tx)
        tx.vault.set_master(master_id)
        payload = {"before": before, "keys": wrapped, "master_id": master_id}
        self._recorder.append(tx, self._recorder.system(tx), ROTATED, payload)
        return master_id
