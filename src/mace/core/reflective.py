"""The names of a reflective log's immutable fields: the ledger signs them, the stores have a column for each.

Pure. They are the names of the stage 0 text, in its order, and never change.
"""

IMMUTABLE_FIELDS = (
    "log_id",
    "created_at",
    "source",
    "query_id",
    "query_text_hash",
    "qcp_summary",
    "agents_invoked",
    "agent_outputs",
    "council_votes",
    "final_answer",
    "final_confidence",
    "repair_loops",
    "cache_hit",
    "sem_snapshot_hash",
    "runtime_metrics",
    "system_version",
    "signature",
)
