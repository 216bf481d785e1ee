"""What follows from a job's seed: ids, seeded time, seeded choices.

Pure. These rules enter every event id, so a change here makes every old log unreplayable.
Concatenation is plain, as the texts say; two seeds may therefore give one event id (`"job-1", 15` and
`"job-11", 5`), which is why rows are keyed by stream and index and never by event id.
"""

import hashlib
from datetime import datetime, timedelta
from functools import lru_cache

from mace.core.times import iso_ms

_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}  # RFC 9562: the two bits 10


def event_id(job_seed: str, sequence_index: int, event_type: str) -> str:
    return hashlib.sha256(f"{job_seed}{sequence_index}{event_type}".encode()).hexdigest()


def derived_uuid(label: str, job_seed: str) -> str:
    """A UUID that anyone can derive again; it carries the version 4 bits because clients expect them."""
    digest = hashlib.sha256(f"{label}{job_seed}".encode()).hexdigest()
    variant = _VARIANTS[digest[16]]
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


def job_id(job_seed: str) -> str:
    return derived_uuid("job_id", job_seed)


def log_id(job_seed: str) -> str:
    return derived_uuid("log_id", job_seed)


def trace_id(job_seed: str) -> str:
    return hashlib.sha256(f"trace_id{job_seed}".encode()).hexdigest()[:32]


def subtask_seed(job_seed: str, round_number: int, index: int) -> str:
    return hashlib.sha256(f"{job_seed}/{round_number}/{index}".encode()).hexdigest()


def subtask_id(seed: str) -> str:
    return derived_uuid("subtask_id", seed)


def seeded_timestamp(started_at: datetime, sequence_index: int) -> str:
    """The job's recorded start plus one millisecond per event."""
    text = started_text(started_at)
    milliseconds = int(text[20:23]) + sequence_index
    if milliseconds >= 1000:  # most streams are over before their second is
        seconds, milliseconds = divmod(milliseconds, 1000)
        text = _text_after(started_at, seconds)
    return f"{text[:20]}{milliseconds:03}Z"  # all else of the text stays within a second


@lru_cache(maxsize=64)
def started_text(started_at: datetime) -> str:
    """The start of a job as its events tell it; every one of them begins from there."""
    return iso_ms(started_at)


@lru_cache(maxsize=64)
def _text_after(started_at: datetime, seconds: int) -> str:
    return iso_ms(started_at + timedelta(seconds=seconds))


def seeded_yes(job_seed: str) -> bool:
    """The seeded choice (retry or not)."""
    return int(hashlib.sha256(job_seed.encode()).hexdigest(), 16) % 2 == 0


def seeded_delay_ms(job_seed: str) -> int:
    """The fixed offset after which a failed write is tried once more."""
    return int(hashlib.sha256(job_seed.encode()).hexdigest(), 16) % 100
