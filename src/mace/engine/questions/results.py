"""What a question has come to, in the forms it takes: the answer and the reflective log.

Pure functions of what was heard, so that a replay makes them again and compares. The answer has versions: each is what
`ask` gave at its time, and questions that were answered so replay so.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mace.agents import router
from mace.core import seeds
from mace.engine.kernel.tape import Tape
from mace.engine.questions.turn import TurnState
from mace.ledger.reflective import MAX_TEXT_CHARS


def answer_1(tape: Tape, received: Mapping[str, Any], heard: TurnState) -> dict[str, Any]:
    parts = list(dict.fromkeys(word for notice in heard.notices for word in _words(notice)))
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


def _words(notice: Mapping[str, Any]) -> list[str]:
    """What a person hears of a failure; what an engine did is told in words of its own, where its notice has some."""
    said = notice["meta"].get("said")
    usual = [] if said and notice["error_code"] == "LLM_SERVICE_DOWN" else [notice["user_message"]]
    return [word for word in (*usual, said) if word]


def answer_2(tape: Tape, received: Mapping[str, Any], heard: TurnState) -> dict[str, Any]:
    """With `handoff`: null, or the goal that the question is to become."""
    return {**answer_1(tape, received, heard), "handoff": None}


ANSWERS = {1: answer_1, 2: answer_2}


# Whose words stand in the log: of those who answered, or of everybody who was asked.
LOGGED = {1: lambda heard: heard.outputs, 2: lambda heard: heard.turns}


def unrecorded(job_id: str, query_id: str, told: dict[str, Any]) -> dict[str, Any]:
    """An answer that says why there is none; nothing of it is in the log."""
    return {
        "job_id": job_id,
        "log_id": None,
        "query_id": query_id,
        "text": told["user_message"],
        "answer": None,
        "agent_id": None,
        "route_reason": None,
        "route_trace": [],
        "confidence": 0.0,
        "evidence": [],
        "error": told,
        "notices": [told],
        "handoff": None,
    }


def log_payload(
    tape: Tape,
    received: Mapping[str, Any],
    heard: TurnState,
    outputs: list[dict[str, Any]],
    total_ms: float,
    sem_hash: str,
    system_version: str,
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
        "agent_outputs": outputs,
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


def sem_snapshot(facts_read: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What was known when the question was decided: each key that was read, with its version."""
    return {"kind": "sem", "keys": {key: dict(facts_read[key]) for key in sorted(facts_read)}}
