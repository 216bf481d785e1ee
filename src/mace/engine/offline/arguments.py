"""Arguments that a door may check before it opens a store; each raises `InvalidInput` and says why."""

from datetime import datetime

from mace.memory.experience import megrams
from mace.memory.keys import parse_key


def check_key(key: str) -> None:
    """Refuse what is not the key of a fact."""
    parse_key(key)


def check_pair(space: str, entity: str) -> None:
    """Refuse what cannot name a pair of experience."""
    megrams.read_pair(space, entity)


def read_instant(text: str, name: str) -> datetime:
    """Return an instant with its zone, from 1970 on; `name` is how the complaint calls it."""
    return megrams.read_instant(text, name)
