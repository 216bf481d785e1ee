"""Where the states of modules are kept between jobs: one note, read and replaced whole."""

from mace.agents.health import Health
from mace.core import canon
from mace.storage.ports import Tx

HEALTH = "health"  # the note's name, and the name of its lock


def read_health(tx: Tx) -> Health:
    """The states of all modules; one that never failed is healthy and not listed."""
    note = tx.notes.get(HEALTH)
    return Health() if note is None else Health.from_json(canon.loads(note))


def write_health(tx: Tx, state: Health) -> None:
    tx.notes.put(HEALTH, canon.dumps(state.to_json()).decode())
