"""Turns of a conversation, as they are given: read, checked, and put into the form in which they are kept.

Pure. A turn has a speaker, words and a time; what is wrong with one is said by its place, never by its words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mace.core import canon
from mace.core.errors import InvalidInput, WrongType
from mace.core.texts import is_encodable
from mace.core.times import iso_us, parse_instant

ROLES = ("user", "assistant", "system", "tool")
MAIN = "main"  # the conversation of turns that name none
MAX_TURNS = 1000  # in one call
MAX_TURN_BYTES = 1 << 20
MAX_CALL_BYTES = 8 << 20
MAX_NAME_CHARS = 64
MAX_CONVERSATION_CHARS = 256
_FIELDS = frozenset({"role", "content", "at", "name"})


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said."""

    role: str
    content: str
    at: str
    name: str | None = None
    conversation_id: str = MAIN

    @property
    def speaker(self) -> str:
        """Who is shown to have said it."""
        return self.name or self.role

    @property
    def read_as(self) -> str:
        """The text as a scorer of conversations reads it: who speaks stands before it, where there is a name."""
        return self.content if self.name is None else f"{self.name}: {self.content}"

    def plain(self) -> bytes:
        """What is sealed of it."""
        told = {"role": self.role, "content": self.content, "at": self.at, "conversation_id": self.conversation_id}
        return canon.dumps(told if self.name is None else {**told, "name": self.name})


def from_plain(plain: bytes) -> Turn:
    """A turn as it was sealed."""
    return Turn(**canon.loads(plain))


def check_conversation(conversation_id: Any) -> str:
    """The conversation that turns belong to, or `InvalidInput`."""
    if conversation_id is None:
        return MAIN
    if not isinstance(conversation_id, str):
        raise WrongType(f"conversation_id must be a str, got {type(conversation_id).__name__}")
    if not 0 < len(conversation_id.strip()) <= MAX_CONVERSATION_CHARS or not is_encodable(conversation_id):
        raise InvalidInput(
            f"conversation_id must have 1 to {MAX_CONVERSATION_CHARS} characters and no unpaired surrogates"
        )
    return conversation_id


def read_messages(messages: Any, conversation_id: str, now: datetime) -> list[Turn]:
    """The turns of a call, in their order; a text is one turn of the person."""
    if isinstance(messages, str):
        return [_turn({"role": "user", "content": messages}, "messages", conversation_id, now)]
    if not isinstance(messages, Sequence) or isinstance(messages, bytes | bytearray):
        raise WrongType(f"messages must be a str or a list of messages, got {type(messages).__name__}")
    if not 0 < len(messages) <= MAX_TURNS:
        raise InvalidInput(f"messages must have 1 to {MAX_TURNS} turns, got {len(messages)}")
    turns = [_turn(message, f"messages[{at}]", conversation_id, now) for at, message in enumerate(messages)]
    size = sum(len(turn.content.encode()) for turn in turns)
    if size > MAX_CALL_BYTES:
        raise InvalidInput(f"messages must have at most {MAX_CALL_BYTES} bytes together, got {size}")
    return turns


def request_of(messages: Any, conversation_id: str) -> bytes:
    """What a call asked for, as it was given: two calls with one idempotency key must be the same."""
    given = [{"role": "user", "content": messages}] if isinstance(messages, str) else list(map(dict, messages))
    return canon.dumps(
        [conversation_id, [{name: value for name, value in one.items() if value is not None} for one in given]]
    )


def _turn(message: Any, where: str, conversation_id: str, now: datetime) -> Turn:
    if not isinstance(message, Mapping) or not all(isinstance(field, str) for field in message):
        raise InvalidInput(f"{where} must be an object with role and content")
    unknown = len(message.keys() - _FIELDS)
    if unknown:
        raise InvalidInput(f"{where} has {unknown} unknown field(s); known are role, content, at, name")
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        raise InvalidInput(f"{where}.role must be one of {', '.join(ROLES)}")
    if content is None:
        raise InvalidInput(f"{where}.content is required")
    if not isinstance(content, str) or not is_encodable(content):
        raise InvalidInput(f"{where}.content must be a string without unpaired surrogates")
    size = len(content.encode())
    if not content.strip() or size > MAX_TURN_BYTES:
        raise InvalidInput(f"{where}.content must have words, and at most {MAX_TURN_BYTES} bytes; it has {size}")
    return Turn(role, content, _at(message.get("at"), where, now), _name(message.get("name"), where), conversation_id)


def _at(given: Any, where: str, now: datetime) -> str:
    if given is None:
        return iso_us(now)
    try:
        return iso_us(parse_instant(given))
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise InvalidInput(f"{where}.at must be an RFC 3339 time with a time zone") from None


def _name(given: Any, where: str) -> str | None:
    if given is None:
        return None
    fits = isinstance(given, str) and 0 < len(given.strip()) <= MAX_NAME_CHARS and is_encodable(given)
    if not fits or any(not letter.isprintable() for letter in given):
        raise InvalidInput(f"{where}.name must be one line of 1 to {MAX_NAME_CHARS} characters")
    name: str = given.strip()
    return name
