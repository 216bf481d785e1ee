"""Chapter: a log that can be proved. A directory is made, decisions are logged, and a stranger checks them."""

import json
import shutil
from contextlib import chdir
from typing import Any

import apsw

from mace.core import canon, seeds
from mace.interfaces.cli.demo.stage import Chapter, Stage, Step

_DECISIONS = (
    ("Approve the refund of order 1042?", "Yes: the return is within 30 days.", 0.93),
    ("Is the invoice of May paid?", "Yes, on 2 June.", 0.88),
    ("May the agent delete the staging database?", "No: that needs a person.", 0.97),
)


def decision(number: int, question: str, answer: str, confidence: float) -> dict[str, Any]:
    """A reflective log as any program may write one."""
    return {
        "log_id": seeds.derived_uuid("demo", str(number)),
        "created_at": f"2026-06-0{number}T09:30:00Z",
        "source": "api",
        "query_id": f"question-{number}",
        "query_text_hash": canon.sha256_hex(question),
        "qcp_summary": {"depth_level": 1, "intent_tags": ["demo"], "urgency": "low"},
        "agents_invoked": ["clerk_v1"],
        "agent_outputs": [
            {
                "agent_id": "clerk_v1",
                "text": answer,
                "confidence": confidence,
                "reasoning_trace": ["looked up the policy", "compared the dates"],
                "tokens": 120,
                "time_ms": 470,
            }
        ],
        "council_votes": [
            {"council_agent_id": "checker_v1", "scores": {"factuality": 0.9, "safety": 1}, "approve": True}
        ],
        "final_answer": answer,
        "final_confidence": confidence,
        "repair_loops": 0,
        "cache_hit": False,
        "sem_snapshot_hash": canon.sha256_hex("no facts were read"),
        "runtime_metrics": {"total_time_ms": 512},
        "system_version": "clerk-1.4",
    }


def _init(stage: Stage) -> None:
    stage.shell("export MACE_LOCATION=my-agent")
    made = stage.mace("init", "-q")
    stage.expect("a new log, its keys beside it, its checkpoints elsewhere", made.value["created"])
    again = stage.mace("init", "-q", show=False)
    stage.expect("running it again changes nothing", again.value["created"] is False)


def _decide(stage: Stage) -> None:
    stage.memo["logs"] = []
    for number, (question, answer, confidence) in enumerate(_DECISIONS, 1):
        file = stage.folder / f"decision-{number}.json"
        file.write_text(json.dumps(decision(number, question, answer, confidence), indent=2))
        stage.memo["logs"].append(stage.mace("log", "write", file.name).value["log_id"])
    shown = stage.mace("log", "show")
    stage.expect("three decisions are on the record", len(shown.value["logs"]) == len(_DECISIONS))


def _keep_immutable(stage: Stage) -> None:
    sql = "update reflective_log_stage0 set final_confidence = 1"
    stage.shell(f'sqlite3 my-agent/mace.db "{sql}"')
    database = apsw.Connection(str(stage.location / "mace.db"))
    try:
        database.execute(sql)
        refused = ""
    except apsw.ConstraintError as error:
        refused = str(error)
    finally:
        database.close()
    stage.lines(refused or "the row was changed")
    stage.expect("the database itself refuses to change a decision", "UPDATE refused" in refused)
    first = stage.memo["logs"][0]
    changes = '{"final_answer": "Yes, and the shop pays the postage."}'
    stage.mace("log", "amend", first, "--author", "ana", "--effect", "override_suggestion", "--changes", changes)
    shown = stage.mace("log", "show", first, show=False).value
    stage.expect(
        "a correction is added; the decision itself is unchanged",
        len(shown["amendments"]) == 1 and shown["final_answer"] == _DECISIONS[0][1],
    )


def _verify(stage: Stage) -> None:
    checked = stage.mace("log", "verify")
    stage.expect("every byte is as it was signed", checked.value["ok"] and not checked.value["findings"])
    note = stage.mace("log", "checkpoint", "-q")
    stage.expect("the signed head covers every event", note.value["size"] == checked.value["events"])


def _stranger(stage: Stage) -> None:
    stage.mace("log", "export", "log.jsonl", "-q")
    event = stage.mace("log", "show", "system", show=False).value["events"][0]["event_id"]
    stage.mace("log", "prove", event, "-o", "proof.json", "-q")
    away = stage.folder / "stranger"
    away.mkdir()
    for name in ("log.jsonl", "log.jsonl.checkpoint", "log.jsonl.pub", "proof.json"):
        shutil.copy(stage.folder / name, away)
    nothing = {"HOME": str(away / "home"), "MACE_LOCATION": str(away / "no-such-place")}
    stage.shell("cd stranger   # another machine: no keys, no database")
    with chdir(away):
        files = ["--checkpoint", "log.jsonl.checkpoint", "--public-key", "log.jsonl.pub"]
        checked = stage.mace("log", "verify", "log.jsonl", *files, environ=nothing)
        proof = stage.mace("log", "verify-proof", "proof.json", *files[2:], environ=nothing, show=False)
    stage.expect(
        "a stranger checks the whole log with a checkpoint and the public key",
        checked.value["ok"] and checked.value["covered_by_checkpoint"] == checked.value["events"],
    )
    stage.expect("and one event with a proof of a few hashes", proof.value["ok"])


_OPEN = Step("A new directory", "No server, no account, no key to apply for.", _init)
OPENED = Chapter("opened", "A new directory", [_OPEN])
CHAPTER = Chapter(
    "ledger",
    "A log that can be proved",
    [
        _OPEN,
        Step("Decisions are logged", "Texts of people are sealed; each log is signed and put on the ledger.", _decide),
        Step("Nothing is changed afterwards", "Corrections are written beside what they correct.", _keep_immutable),
        Step("The log verifies", "Hashes, signatures, chains, tree, checkpoints. The head is kept elsewhere.", _verify),
        Step("A stranger verifies it", "Three files are enough, on any machine.", _stranger),
    ],
)
