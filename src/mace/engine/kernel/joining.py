"""Whose seed a caller may name: one of a stream that is not there yet, or of one that is theirs alone.

What is found in a text is hashed with the job's seed. Whoever could have texts hashed with the seed of somebody else
could hold the hashes against those on the ledger, and so test a guess without the server's key.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mace.core import canon
from mace.core.errors import Conflict
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.recorder import Recorder
from mace.memory.keys import USER_PREFIX
from mace.storage.ports import Tx


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who names a seed: the owner, who holds the server's key and speaks for anybody, or one person (None: nobody)."""

    is_owner: bool
    person: str | None = None


OWNER = Speaker(is_owner=True)


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream that is there: the people that its events name, and whether it is a job's."""

    persons: frozenset[str]
    is_job: bool


def may_name(held: Stream | None, person: str | None, speaker: Speaker) -> bool:
    """Say whether a seed may be named for a person (None: nobody) by this speaker; `held` is its stream.

    Nobody's stream is the owner's, and that of a job of nobody takes no person in.
    """
    if held is None:
        return True
    if held.persons:
        return held.persons == {person} and (speaker.is_owner or speaker.person == person)
    return speaker.is_owner and not (held.is_job and person is not None)


def persons_in(payloads: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The people that events name: as their person, as their job's, or by a key that is about them."""
    found: set[str] = set()
    for payload in payloads:
        job, keys = payload.get("job"), payload.get("keys")
        named = [payload.get("person"), job.get("person") if isinstance(job, dict) else None]
        found.update(name for name in named if isinstance(name, str))
        about = [payload.get("key"), *(keys if isinstance(keys, list) else ())]
        found.update(_user_of(key) for key in about if isinstance(key, str))
    return frozenset(name for name in found if name)


def _user_of(key: str) -> str:
    """Whose key it is; events also name keys that are none of a fact's."""
    parts = key.split("/")
    return parts[2] if parts[0] == "user" and len(parts) == 4 and parts[2].startswith(USER_PREFIX) else ""


def check_joining(tx: Tx, recorder: Recorder, journal: VerbJournal, person: str | None, speaker: Speaker) -> None:
    """Refuse a seed that is somebody else's, and note whose the stream is if this opens it."""
    stream = journal.stream
    held = None
    if tx.events.head(stream) is not None:
        spoken = recorder.jobs.speaks(tx, stream)  # older jobs: their events name nobody
        persons = persons_of(tx, stream) | ({spoken} if spoken else set())
        held = Stream(persons, recorder.jobs.told(tx, stream) is not None)
    if not may_name(held, person, speaker):
        raise Conflict("job_seed belongs to somebody else's job; use a new job_seed")
    journal.opened_for(person)


def persons_of(tx: Tx, stream: str) -> frozenset[str]:
    """The people that the events of a stream name."""
    said = (_said(event.body) for event in tx.events.of_stream(stream))
    return persons_in(payload for payload in said if payload is not None)


def _said(body: bytes) -> dict[str, Any] | None:
    """What an event says; None where it was damaged, which is verification's."""
    try:
        payload = canon.loads(body)["payload"]
    except (ValueError, LookupError, TypeError):
        return None
    return payload if isinstance(payload, dict) else None
