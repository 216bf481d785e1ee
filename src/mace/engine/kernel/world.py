"""Everything the engine is given: its ports and its parameters. Wiring builds it once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mace.providers.ports import Clock, Computer, Entropy, Heart, Keys, Processes, Runner, Shelf, Spill
from mace.storage.ports import Store

if TYPE_CHECKING:
    from mace.engine.kernel.slots import Slots
    from mace.ledger.checkpoint import CheckEd25519
    from mace.providers.models.port import LanguageEngine


@dataclass(frozen=True, slots=True)
class World:
    """The ports and parameters the engine runs with."""

    store: Store
    clock: Clock
    entropy: Entropy
    keys: Keys
    shelf: Shelf
    spill: Spill
    check_ed25519: "CheckEd25519"
    system_version: str
    runner: Runner
    processes: Processes
    heart: Heart
    computer: Callable[[], Computer]  # started when there is something to compute
    language: "LanguageEngine | None"
    context_stores: tuple[str, ...]  # JSONL stores that the knowledge agent may quote
    slots: "Slots"  # whose slot of the key space is whose
    location: str = ""  # as it may be shown
