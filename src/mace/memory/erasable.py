"""What can be named to have it erased: a fact, a Megram, a turn, a conversation.

Pure.
"""

import re
from typing import Any

from mace.core.errors import InvalidInput
from mace.core.turn_ids import parse_turn_id
from mace.memory.keys import parse_key
from mace.memory.people.turns import check_conversation

EXPERIENCE, TURN, CONVERSATION = "experience/", "turn/", "conversation/"
_MEGRAM_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


def is_megram(key: object) -> bool:
    """Whether a key names a Megram by its id, as an export shows it: `experience/<id>`."""
    name = key.removeprefix(EXPERIENCE) if isinstance(key, str) and key.startswith(EXPERIENCE) else ""
    return _MEGRAM_ID.fullmatch(name) is not None


def read_erasable(key: Any) -> str:
    """The name of what is to be erased, or `InvalidInput`."""
    if is_megram(key):
        return str(key)
    if isinstance(key, str) and key.startswith(TURN):
        if parse_turn_id(key) is None:
            raise InvalidInput("key is not the id of a turn: turn/<user>/<8 digits>, as remember and recall name it")
        return key
    if isinstance(key, str) and key.startswith(CONVERSATION):
        return CONVERSATION + check_conversation(key.removeprefix(CONVERSATION))
    return str(parse_key(key))
