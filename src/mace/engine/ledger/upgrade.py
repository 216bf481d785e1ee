"""What the first opening by a newer version does to a store, in order, each step once.

Everything is one unit: a process that dies in it leaves the store as it was, and the next opening does it whole.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from mace.core.errors import IntegrityFailure
from mace.storage.ports import Tx

if TYPE_CHECKING:
    from mace.engine.kernel.keyring import Keyring
    from mace.engine.kernel.spilling import Spilling
    from mace.engine.kernel.vault import Vault
    from mace.engine.kernel.world import World

Step = Callable[[Tx], None]


def open_keys(
    world: "World",
    keyring: "Keyring",
    spilling: "Spilling",
    vault: "Vault",
    before_separation: Sequence[Step] = (),
    *,
    read_only: bool,
) -> None:
    """Learn how keys were changed elsewhere; in an older store let each purpose have a key of its own from now on.

    A store whose records cannot be read is opened with what the key file and the rows that are left tell, so that it
    can be verified; units that would need a newer key than that are refused when they begin.
    """
    try:
        keyring.look()
    except IntegrityFailure:
        if not read_only and not world.keys.is_separated:
            raise
        keyring.look_at_what_is_left()
    if read_only:
        with suppress(IntegrityFailure):
            keyring.see_older_copy()
        return
    if world.keys.is_separated:
        with suppress(IntegrityFailure):  # then the store can be verified, and units are refused when they begin
            # first of all: an older copy must not grow, by what waits in the spill file, before it is told the key
            keyring.announce(lambda unit: spilling.write("open", unit, merge_first=False))
        return
    spilling.merge()  # what waits is signed by the key as it stands in the file: it counts up to here

    def unit(tx: Tx) -> None:
        tx.lock("signing_key")
        keyring.take_up(tx)
        if world.keys.is_separated:
            return  # another process was quicker
        for step in before_separation:
            step(tx)
        keyring.change(tx, fresh=False)
        vault.mark_again(tx)

    spilling.write("open", unit)
    keyring.settle()
