"""Payloads of reflective logs, with every field of the text."""

from hashlib import sha256
from typing import Any

from mace.core import seeds


def log_payload(name: str = "a", **changes: Any) -> dict[str, Any]:
    """A whole payload; equal names give equal payloads."""
    payload: dict[str, Any] = {
        "log_id": seeds.log_id(name),
        "created_at": "2025-11-29T12:00:00Z",
        "source": "user_request",
        "query_id": seeds.derived_uuid("query", name),
        "query_text_hash": sha256(f"query {name}".encode()).hexdigest(),
        "qcp_summary": {"depth_level": 1, "intent_tags": ["math", "größe"], "urgency": "normal"},
        "agents_invoked": ["logic_v1", "creative_v2"],
        "agent_outputs": [
            {
                "agent_id": "logic_v1",
                "text": f"Final step of {name} … ✓",
                "confidence": 0.91,
                "reasoning_trace": ["step1", "step2"],
                "tokens": 120,
                "time_ms": 470,
            }
        ],
        "council_votes": [
            {
                "council_agent_id": "council_eval_v1",
                "scores": {"factuality": 0.92, "coherence": 0.88, "safety": 0.99},
                "approve": True,
                "suggested_changes": "Shorten intro",
                "note": "missing numeric check",
            }
        ],
        "final_answer": {"text": f"The answer to {name} is 42", "parts": [1, 2.5, None]},
        "final_confidence": 0.87,
        "repair_loops": 1,
        "cache_hit": False,
        "sem_snapshot_hash": sha256(f"snapshot {name}".encode()).hexdigest(),
        "runtime_metrics": {"total_time_ms": 12.5, "per_agent_time_ms": {"logic_v1": 470}, "tokens_used": 120},
        "system_version": "mace-0.1.0",
    }
    return {**payload, **changes}
