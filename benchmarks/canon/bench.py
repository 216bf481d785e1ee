"""`canon.dumps` beside orjson with sorted keys, on everyday records.

orjson alone is not canonical (RFC 8785); it is what one would use who does not need that. The target is for the first
record; the others show what few long fields cost, and where the fast road ends.
"""

from collections.abc import Callable, Iterable
from typing import Any

import orjson
import rfc8785

from benchmarks.measure import Row, in_turns
from mace.core import canon

EVERYDAY: dict[str, Any] = {  # a request as a service writes it down: many small fields, in no special order
    "request_id": "req-20260601-000417",
    "received_at": "2026-06-01T09:30:00.007Z",
    "user_id": "user_ana",
    "tenant": "north",
    "channel": "chat",
    "locale": "en-GB",
    "agent_id": "profile_agent",
    "route_reason": "profile_rule",
    "route": ["profile_agent", "knowledge_agent"],
    "confidence": 0.91,
    "council_score": 0.87,
    "approved": True,
    "cached": False,
    "repair_loops": 0,
    "tokens_in": 143,
    "tokens_out": 58,
    "duration_ms": 412,
    "queue_ms": 3,
    "error_code": None,
    "facts_read": 2,
    "usage": {"cpu_ms": 9, "rows": 4, "kilobytes": 12},
    "answer": "Your favourite food is pizza.",
    "answer_hash": "fcde2b2edba56bf4",
    "version": "mace-0.1.0",
    "node": "node-3",
    "attempt": 1,
}
EVENT: dict[str, Any] = {  # the body of an event: few fields, long hashes
    "event_id": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "job_seed": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "stream": "6b3a55e0-2611-4d00-a2f7-4e0a2f8f3c0a",
    "sequence_index": 7,
    "event_type": "AGENT_OUTPUT",
    "trace_id": "4355a46b19d348dc2f57c046f8ef63d4",
    "signed_by": "system",
    "timestamp_seeded": "2026-06-01T09:30:00.007Z",
    "payload": {
        "agent_id": "profile_agent",
        "route": ["profile_agent", "knowledge_agent"],
        "output_hash": "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
        "confidence": 0.91,
        "cached": False,
        "duration_ms": 12,
    },
    "prev_hash": "baa5a0964d3320fbc0c6a922140453c8513ea24ab8fd0577034804a967248096",
}


def _ours(value: Any, calls: int) -> Callable[[], None]:
    def work() -> None:
        for _ in range(calls):
            canon.dumps(value)

    return work


def _orjson(value: Any, calls: int) -> Callable[[], None]:
    def work() -> None:
        for _ in range(calls):
            orjson.dumps(value, None, orjson.OPT_SORT_KEYS)

    return work


def _rfc8785(value: Any, calls: int) -> Callable[[], None]:
    def work() -> None:
        for _ in range(calls):
            rfc8785.dumps(value)

    return work


def run(full: bool) -> Iterable[Row]:
    rounds = 41 if full else 15
    whole = {**EVERYDAY, "confidence": 1.0}  # orjson would write 1.0 where RFC 8785 says 1
    for what, record, other, name, calls, target in (
        ("everyday record", EVERYDAY, _orjson, "orjson", 4000, 3),
        ("body of an event, mostly hashes", EVENT, _orjson, "orjson", 4000, None),
        ("everyday record, against an exact encoder", EVERYDAY, _rfc8785, "rfc8785", 400, None),
        ("the same with 1.0 in it: the exact road", whole, _rfc8785, "rfc8785", 400, None),
    ):
        ours, theirs, ratio = in_turns(_ours(record, calls), other(record, calls), rounds)
        times = f"{ours / calls * 1e6:.2f} us against {theirs / calls * 1e6:.2f} us of {name}"
        yield Row(f"{what} ({len(canon.dumps(record))} bytes)", ratio, "x CPU", target, note=times)
