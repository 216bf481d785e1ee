"""Everything the engine is given: its ports and its parameters. Wiring builds it once."""

from dataclasses import dataclass

from mace.ledger.checkpoint import CheckEd25519
from mace.providers.ports import Clock, Entropy, Keys, Shelf, Spill
from mace.storage.ports import Store


@dataclass(frozen=True, slots=True)
class World:
    store: Store
    clock: Clock
    entropy: Entropy
    keys: Keys
    shelf: Shelf
    spill: Spill
    check_ed25519: CheckEd25519
    system_version: str
