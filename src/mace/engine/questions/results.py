"""What a question has come to, in the three forms it takes: the answer, the reflective log, the closing event.

Pure functions of what was heard, so that a replay makes them again and compares.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mace.agents import router
from mace.core import seeds
from mace.engine.kernel.tape import Tape
from mace.engine.questions.turn import TurnState
from mace.ledger.reflective import MAX_TEXT_CHARS


def result_of(tape: Tape, received: Mapping[str, Any], heard: TurnState) -> dict[str, Any]:
    """The answer as `ask` gives it; a function of what was heard."""
    parts = list(dict.fromkeys(notice["user_message"] for notice in heard.notices if notice["user_message"]))
    if heard.answer is not None:
        parts.append(heard.answer)
    return {
        "job_id": tape.stream,
        "log_id": seeds.log_id(tape.job_seed),
        "query_id": received["query_id"],
        "text": "\n".join(parts),
        "answer": heard.answer,
        "agent_id": heard.agent_id,
        "route_reason": heard.route_reason,
        "route_trace": heard.route_trace,
        "confidence": heard.confidence,
        "evidence": [asdict(item) for item in heard.evidence],
        "error": heard.notices[0] if heard.notices else None,
        "notices": heard.notices,
    }


def log_payload(
    tape: Tape, received: Mapping[str, Any], heard: TurnState, total_ms: float, sem_hash: str, system_version: str
) -> dict[str, Any]:
    """The reflective log of a question; a function of what was heard."""
    answer = heard.answer
    cut = answer is not None and len(answer) > MAX_TEXT_CHARS  # whole it lies with the agent's output
    final = {"answer": answer[:MAX_TEXT_CHARS] if answer is not None else None, **({"cut": True} if cut else {})}
    return {
        "log_id": seeds.log_id(tape.job_seed),
        "created_at": tape.timestamp(),
        "source": received["source"],
        "query_id": received["query_id"],
        "query_text_hash": received["query_text_hash"],
        "qcp_summary": {
            "depth_level": router.DEPTH,
            "intent_tags": list(dict.fromkeys(entry["route_reason"] for entry in heard.route_trace)),
            "urgency": "normal",
        },
        "agents_invoked": heard.invoked,
        "agent_outputs": heard.outputs,
        "council_votes": heard.votes,
        "final_answer": {**final, "error_code": heard.notices[0]["error_code"] if heard.notices else None},
        "final_confidence": heard.confidence,
        "repair_loops": heard.repairs,
        "cache_hit": False,
        "sem_snapshot_hash": sem_hash,
        "runtime_metrics": {
            "total_time_ms": total_ms,
            "per_agent_time_ms": heard.per_agent_ms,
            "tokens_used": heard.tokens,
        },
        "system_version": system_version,
    }


def closing(tape: Tape, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload of the event that closes a job."""
    return {
        "log_id": result["log_id"],
        "error_code": None if result["error"] is None else result["error"]["error_code"],
        "result_hash": tape.keep("result", dict(result)),
    }
