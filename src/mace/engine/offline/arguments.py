"""Arguments that a door may check before it opens a store; each raises `InvalidInput` and says why."""

from datetime import UTC, datetime
from typing import Any

from mace.core.errors import InvalidInput
from mace.memory.erasable import read_erasable
from mace.memory.experience import megrams
from mace.memory.keys import parse_key
from mace.memory.people.turns import MAIN, read_messages


def check_key(key: str) -> None:
    """Refuse what is not the key of a fact."""
    parse_key(key)


def check_erasable(key: str) -> None:
    """Refuse what names nothing that can be erased."""
    read_erasable(key)


def check_pair(space: str, entity: str) -> None:
    """Refuse what cannot name a pair of experience."""
    megrams.read_pair(space, entity)


def read_instant(text: str, name: str) -> datetime:
    """Return an instant with its zone, from 1970 on; `name` is how the complaint calls it."""
    return megrams.read_instant(text, name)


def check_message(message: Any) -> None:
    """Raise `InvalidInput`, which says what is wrong, for what cannot be remembered."""
    try:
        read_messages([message], MAIN, datetime.min.replace(tzinfo=UTC))
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("messages[0]", "the message").replace("the message.", "")) from None
