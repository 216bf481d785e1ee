"""Everything the engine is given: its ports and its parameters. Wiring builds it once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mace.providers.ports import Clock, Computer, Entropy, Heart, Keys, Processes, Runner, Shelf, Spill
from mace.storage.ports import Store

if TYPE_CHECKING:
    from mace.engine.kernel.slots import Slots
    from mace.ledger.checkpoint import CheckEd25519
    from mace.providers.models.port import LanguageEngine


Mode = Literal["names", "opaque"]


@dataclass(slots=True)
class UserIds:
    """How the store tells users apart; None where that can no longer be told."""

    mode: Mode | None = "names"


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
    judge: "LanguageEngine | None" = None  # a second engine that votes on what the first one says
    context_stores_of: tuple[tuple[str, str], ...] = ()  # (user, store): quoted to that person alone
    context_roots: tuple[str, ...] = ()  # stores, and folders of stores, that callers who are not the owner may read
    user_ids: UserIds = field(default_factory=UserIds)  # how users are told apart; found out when it opens
    read_only: bool = False  # opened to be looked at: nothing can be written
