"""Conversations: whose each is, and which questions belong to it.

A conversation that somebody names belongs to one person: whoever uses its id first. The events that say so (the
beginning of a question's job, and turns that were remembered) name it by a keyed hash, so nothing on the ledger says
what it is called. `main` is the conversation of turns that name none; everybody has one of their own.
"""

from collections.abc import Callable
from typing import Any

from mace.core import canon
from mace.core.errors import InvalidInput, NotFound
from mace.core.events import StoredEvent
from mace.core.subjects import TALK
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import is_personal
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.memory.people.turns import MAIN, check_conversation
from mace.storage.ports import Tx

_TAG_CHARS = 32
_MOST_LOOKED_AT = 50  # jobs of a conversation, for the last one that was answered
_MOST_JOBS = 100_000


def read_conversation(conversation_id: Any) -> str:
    """The name of a conversation; `InvalidInput` says what is wrong with it."""
    talk = check_conversation(conversation_id)
    if is_personal(talk):
        raise InvalidInput("conversation_id must not contain personal data")
    return talk


class Conversations:
    """Knows whose a conversation is."""

    def __init__(self, world: World, vault: Vault, bound: Bound) -> None:
        self._world = world
        self._vault = vault
        self._bound = bound

    def tag(self, person: str, conversation_id: str) -> str:
        """What the ledger calls a conversation; the same whoever asks, but for `main`, which everybody has."""
        name = f"{person}\0{conversation_id}" if conversation_id == MAIN else f"\0{conversation_id}"
        return self._world.keys.tag("conversation", name.encode())[:_TAG_CHARS]

    def owner(self, tx: Tx, tag: str) -> str | None:
        """Whose it is; None while nobody has used it."""
        newest = self._bound.newest(tx, f"{TALK}/{tag}")
        return None if newest is None else _person_in(newest[1]["payload"])

    def join(self, tx: Tx, person: str, conversation_id: str) -> dict[str, str]:
        """What an event says that goes on with a conversation, or begins it; `NotFound` for somebody else's."""
        tag = self.tag(person, conversation_id)
        tx.lock(f"{TALK}/{tag}")  # two people may begin it at once
        if self.owner(tx, tag) not in (None, person):
            raise NotFound(what="this conversation")
        return {"talk": tag}

    def join_if_free(self, tx: Tx, person: str, conversation_id: str) -> dict[str, str]:
        """The same for turns that are only remembered: those of two people never meet, whatever they call them."""
        try:
            return self.join(tx, person, conversation_id)
        except NotFound:
            return {}

    def expected_key(
        self, tx: Tx, person: str, conversation_id: str, is_answered: Callable[[Tx, str], bool]
    ) -> str | None:
        """The key whose value the last answer of a conversation asked for; None once something else was said."""
        last = self.last_question(tx, person, conversation_id, is_answered)
        kept = None if last is None else self._vault.blob(tx, f"expects/{last}")
        return None if kept is None else str(canon.loads(kept)["key"])

    def last_question(
        self, tx: Tx, person: str, conversation_id: str, is_answered: Callable[[Tx, str], bool]
    ) -> str | None:
        """The last question of a conversation that was answered; None once something else was said."""
        for event in tx.events.about(f"{TALK}/{self.tag(person, conversation_id)}", _MOST_LOOKED_AT):
            said = self._bound.said(tx, event)
            if said is None or _person_in(said["payload"]) != person:
                continue
            if not _begins_a_question(event, said["payload"]):
                return None  # turns that somebody else kept: another exchange
            if is_answered(tx, event.stream):
                return event.stream
        return None

    def jobs(self, tx: Tx, person: str, conversation_id: str) -> list[str]:
        """The questions of a conversation, oldest first."""
        found = []
        for event in tx.events.about(f"{TALK}/{self.tag(person, conversation_id)}", _MOST_JOBS):
            said = self._bound.said(tx, event)
            if said is not None and _person_in(said["payload"]) == person:
                found += [event.stream] if _begins_a_question(event, said["payload"]) else []
        return found[::-1]


def _begins_a_question(event: StoredEvent, payload: dict[str, Any]) -> bool:
    return event.event_type != "TURNS_REMEMBERED" and payload.get("verb") == "ask"


def _person_in(payload: dict[str, Any]) -> str | None:
    job = payload.get("job")
    found = job.get("person") if isinstance(job, dict) else payload.get("person")
    return found if isinstance(found, str) else None
