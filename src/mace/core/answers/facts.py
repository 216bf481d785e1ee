"""Answers about facts."""

from typing import NotRequired, TypedDict

from mace.core.answers.choices import ErrorCode, Json, JsonObject, Source
from mace.core.answers.failures import Envelope, WriteAnswer


class FactRead(TypedDict):
    """One fact; where there is none `exists` is false and `error_code` says whether it is missing or out of reach."""

    exists: bool
    value: Json
    source: Source | None
    last_updated: str | None
    meta: JsonObject
    error_code: NotRequired[ErrorCode]
    user_message: NotRequired[str]
    error: NotRequired[Envelope]


class SemGet(FactRead):
    """What reading a fact answers."""

    version: NotRequired[int]


class VersionedFact(FactRead):
    """A fact with the number of its last write that counted; 0 when there was none."""

    version: int


class PutMeta(TypedDict, total=False):
    """What to know of the key that was written; the fact stands under that key all the same."""

    canonical_key: str  # what `ask` and the packaged aliases call the same thing
    named_otherwise: bool  # the key is that of a name with other words, such as "C++" for `c`: that name has the fact


class SemPut(WriteAnswer):
    """What `sem_put` came to; `applied` is false for a write that came later but is older than what stands."""

    meta: NotRequired[PutMeta]


class SemDelete(WriteAnswer):
    """What `sem_delete` came to."""


class AliasAdded(WriteAnswer):
    """What `sem_add_alias` came to."""


class FactVersion(TypedDict):
    """One write under a key; what was erased reads `{"redaction_reason": "ERASED"}`, a tombstone's value is None."""

    version: int
    written_at: str
    source: Source
    actor: str
    value_hash: str
    applied: bool
    deleted: bool
    value: Json
    job_id: str


class RefusedLine(TypedDict):
    """A line of an import that was not taken, counted from 1."""

    line: int
    error_code: ErrorCode
    reason: str


class FactImport(TypedDict):
    """What an import of facts came to."""

    imported: int
    unchanged: int
    refused: list[RefusedLine]


class QueuedWrite(TypedDict):
    """A write that waits for an operator; what it says is sealed."""

    queued_id: str
    key: str
    at: str


class RetriedWrite(TypedDict):
    """What the one retry of a queued write came to."""

    queued_id: str
    key: str
    actor: str
    error_code: ErrorCode | None
    applied: bool
