"""Which sealed parts events, records and logs imply: the whole table."""

from typing import Any

import pytest

from mace.core import canon
from mace.ledger import parts
from mace.ledger.parts import Hashed, Part

S = "0b9d4a5e-0000-4000-8000-000000000000"


def event(event_type: str, **payload: Any) -> tuple[str, bytes]:
    return event_type, canon.dumps({"payload": payload})


def of_job(name: str, digest: str) -> Part:
    return Part(f"{name}/{S}", f"job/{S}", digest, Hashed.KEYED)


@pytest.mark.parametrize(
    ("events", "named"),
    [
        ([event("JOB_OPENED", verb="ask"), event("router_decision", query_hash="h")], {}),
        ([event("INPUT_RECEIVED", input_hash="h", source="api")], {"input": "h"}),
        ([event("EFFECT_DONE", effect=4, result_hash="h")], {"effect/4": "h"}),
        ([event("EFFECT_DONE", observed="agent_ms", value=1)], {}),
        (
            [event("EFFECT_DONE", effect=0, result_hash="h", stacktrace_hash="s")],
            {"effect/0": "h", "effect/0/stacktrace": "s"},
        ),
        (
            [event("AGENT_OUTPUT", output_hash="a"), event("SEM_PUT"), event("AGENT_OUTPUT", output_hash="b")],
            {"output/0": "a", "output/1": "b"},
        ),
        (
            [event("COUNCIL_VERDICT", verdict_hash="a"), event("COUNCIL_VERDICT", verdict_hash="b")],
            {"verdict/1": "a", "verdict/2": "b"},
        ),
        (
            [event("AGENT_ERROR", exception="X"), event("AGENT_ERROR", stacktrace_hash="s")],  # the first has none
            {"stacktrace/0": "s"},
        ),
        ([event("JOB_CLOSED", result_hash="r", log_id="l")], {"result": "r"}),
        ([event("JOB_CLOSED", result_hash="r", kept={"expects": "e"})], {"result": "r", "expects": "e"}),
    ],
)
def test_what_a_stream_implies(events: list[tuple[str, bytes]], named: dict[str, str]):
    assert parts.of_stream(S, events) == {name: of_job(name, digest) for name, digest in named.items()}


@pytest.mark.parametrize(
    ("kind", "content", "part"),
    [
        ("consent", {}, Part("consent/k", "consent/k")),
        ("dsr_request", {"kind": "delete"}, None),
        (
            "dsr_request",
            {"kind": "export", "package_hash": "h"},
            Part("export/k", "export/k", "h", Hashed.KEYED),
        ),
        ("forensic_entry", {"sealed_sha256": "h"}, Part("forensic/k", "forensic/k", "h", Hashed.PLAIN)),
        ("quarantine", {"blob": None}, None),
        ("quarantine", {"blob": "quarantine/k"}, Part("quarantine/k", "")),
        ("second_factor", {"blob": "second_factor/k"}, Part("second_factor/k", "system/second_factor/k")),
        ("spilled", {"event_type": "STORAGE_FULL"}, None),
        ("spilled", {"event_type": "WRITE_QUEUED", "key": "a/b/c/d"}, Part("queued/k", "fact/a/b/c/d")),
        ("snapshot", {"kind": "job"}, None),
        ("account", {}, None),
    ],
)
def test_what_a_record_implies(kind: str, content: dict[str, Any], part: Part | None):
    assert parts.of_record(kind, "k", content) == part


def test_what_a_log_implies():
    digest = "d" * 64
    ref = f"artifact/{S}/{digest}"
    outputs = [{"text": "short"}, {"text": "cut", "artifact_url": f"mace:{ref}"}, {"artifact_url": "https://x"}, 7]
    assert parts.of_log(outputs) == {ref: Part(ref, f"job/{S}", digest, Hashed.PLAIN)}
