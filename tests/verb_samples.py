"""Valid arguments for every verb of the table, by the names of its parameters: for tests that go through all of them.

`SAMPLES` has one entry per verb, which gives at least a value for each of its parameters; a verb or a parameter without
one fails `tests/fault/test_canaries_in_verbs.py`. What a call uses up is made anew for it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from inspect import isawaitable
from typing import Any

from access_stage import FACT, MEGRAM, MODULE, SPACE, Stage, adds
from payloads import log_payload

Sample = Callable[[Stage], dict[str, Any]]
EXPIRES = "2035-01-01T00:00:00Z"
POLICY = '@id("a")\npermit (principal, action, resource) when { principal.roles.containsAny(["admin", "council"]) };'


def _pair(s: Stage) -> dict[str, Any]:
    return {"space": SPACE, "entity": "env:local", "now": s.clock.now().isoformat()}


def _seed(s: Stage) -> str:
    return f"seed-{s.number()}"


def _perform(s: Stage) -> dict[str, Any]:
    return {
        "program": adds,
        "input": {"a": 2, "b": "two"},
        "user_id": "ana",
        "job_seed": _seed(s),
        "consent_id": s.consent("ana"),
        "deadline": EXPIRES,
        "conversation_id": "talk",
    }


def _block(s: Stage) -> dict[str, Any]:
    return {
        "question": "What is 2 + 2?",
        "user_id": "ana",
        "job_seed": _seed(s),
        "consent_id": s.consent("ana"),
    }


def used(answer: Any) -> Any:
    """What a verb answered, also where that comes when it is drawn, awaited or entered."""
    if isinstance(answer, Iterator):
        return list(answer)
    if isawaitable(answer):
        return asyncio.run(_awaited(answer))
    if isinstance(answer, AbstractContextManager):
        with answer as job:
            return job.answer("four")
    return answer


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer


def _report(*_: Any) -> None:
    """Progress is told to nobody."""


def _ask(s: Stage) -> dict[str, Any]:
    return {
        "text": "What is 2 + 2?",
        "user_id": "ana",
        "job_seed": _seed(s),
        "query_id": f"query-{s.number()}",
        "consent_id": s.consent("ana"),  # for another job: it covers nothing here
        "in_reply_to": s.things["o"].job,
        "conversation_id": f"talk {s.number()}",
        "source": "user_request",
    }


def _put(s: Stage) -> dict[str, Any]:
    return {
        "key": f"user/profile/user_ana/thing_{s.number()}",
        "value": {"colour": "blue", "list": [1, "two"]},
        "source": "user",
        "timestamp": None,
        "notes": "as told",
        "meta": {"origin": "chat"},
        "user_id": "ana",
        "job_seed": _seed(s),
        "consent_id": s.consent("ana"),
        "idempotency_key": f"once-{s.number()}",
        "if_version": 0,
    }


def _spare(s: Stage) -> str:
    key = f"world/fact/spare_{s.number()}/value"
    assert s.m.sem_put(key, "6.28", "system_admin")["success"]
    return key


def _log(s: Stage) -> str:
    told = s.m.ask("What is 2 + 2?", "ana")
    return str(told["log_id"])


def _vote(s: Stage) -> dict[str, Any]:
    asked = s.m.request_review(s.m.ask("What is 3 + 3?")["job_id"])["request_id"]
    return {"request_id": asked, "vote": "abstain", "job_seed": _seed(s)}


def _experience(s: Stage, **more: Any) -> dict[str, Any]:
    return {
        "source": "solver",
        "user_id": "ana",
        "job_seed": _seed(s),
        "consent_id": s.consent("ana"),
        **more,
    }


def _megram(s: Stage) -> str:
    made = s.m.experience.write({**MEGRAM, "space": f"tool:r{s.number()}"}, "solver")
    return str(made["megram_id"])


def _lines(s: Stage) -> list[str]:
    return [json.dumps({"key": f"world/fact/line_{s.number()}/value", "value": "2.7", "notes": "of a line"})]


def _query(s: Stage) -> dict[str, Any]:
    return {
        "query": "staging database",
        "stores": [str(s.store_file)],
        "budget_tokens": 20,
        "per_item_tokens": 10,
        "max_items": 3,
        "now": EXPIRES,
        "trust": None,
        "scorer": "phase6-v1",
    }


SAMPLES: dict[str, Sample] = {
    "ask": _ask,
    "replay": lambda s: {"job_id": s.things["o"].job},
    "perform": _perform,
    "aperform": _perform,
    "resume": lambda s: {"job_id": s.interrupted("ana"), "abandon": False},
    "cancel": lambda s: {"job_id": s.interrupted("ana"), "reason": "it is not needed any more"},
    "recording": lambda s: {**_block(s), "program": "block"},
    "record": lambda s: {**_block(s), "answer": "four", "evidence": [], "confidence": 0.5},
    "job": lambda s: {"job_id": s.things["o"].job},
    "jobs.answer": lambda s: {**dict(zip(("job_id", "question_id"), s.waiting("ana"), strict=True)), "value": "yes"},
    "jobs.list": lambda s: {
        "person": "ana",
        "kind": "ask",
        "status": "closed",
        "program": "support",
        "since": "2020-01-01T00:00:00Z",
        "conversation_id": "talk",
        "cursor": None,
        "limit": 5,
    },
    "jobs.logs": lambda s: {
        "person": "ana",
        "since": "2020-01-01T00:00:00Z",
        "until": EXPIRES,
        "program": "support",
        "error": "any",
        "cursor": None,
        "limit": 5,
    },
    "jobs.log": lambda s: {"log_id": s.things["o"].log},
    "jobs.request_erasure": lambda s: {"job_ids": [s.nobodys]},
    "key": lambda s: {
        "scope": "world",
        "entity_type": "fact",
        "entity_id_raw": "Ohm's law",
        "attribute_raw": "definition",
        "user_id": "ana",
    },
    "sem_get": lambda s: {"key": FACT["c"], "with_version": True},
    "sem_put": _put,
    "sem_delete": lambda s: {"key": _spare(s), "source": "system_admin"},
    "sem_list": lambda s: {"prefix": "world/fact", "source": "system_admin"},
    "sem_history": lambda s: {"key": FACT["c"]},
    "sem_resolve_alias": lambda s: {"text": "my birthday", "user_id": "ana"},
    "sem_add_alias": lambda s: {"text": f"alias {s.number()}", "key": FACT["c"], "source": "system_admin"},
    "import_facts": lambda s: {"lines": _lines(s), "source": "system_admin", "progress": _report},
    "load_starter_facts": lambda s: {},
    "remember": lambda s: {
        "user_id": "ana",
        "messages": [{"role": "user", "content": "The tram was late.", "at": EXPIRES, "name": "Ana"}],
        "conversation_id": f"talk {s.number()}",
        "consent_id": s.consent("ana"),
        "job_seed": _seed(s),
        "idempotency_key": f"once-{s.number()}",
    },
    "recalled": lambda s: {"user_id": "ana", "receipt": s.m.recall("ana", "trams")["receipt"]},
    "recall": lambda s: {
        "user_id": "ana",
        "query": "Was the tram late?",
        "budget_tokens": 500,
        "conversation_id": "talk",
        "kinds": ["fact", "turn", "rule"],
        "scorer": "phase7-v1",
    },
    "memory_read": lambda s: {"request": s.request(), "progress": _report},
    "memory_explain": lambda s: {"request": s.request(), "progress": _report},
    "context.read": lambda s: {**_query(s), "progress": _report},
    "context.request": lambda s: _query(s),
    "context.append": lambda s: {
        "store": str(s.store_file),
        "records": [
            {"memory_id": f"n-{s.number()}", "text": "a note", "ts_utc": EXPIRES, "tags": ["b"], "refs": [{"url": "c"}]}
        ],
        "idempotency_key": f"once-{s.number()}",
    },
    "context.check": lambda s: {"store": str(s.store_file), "limit": 5, "progress": _report},
    "write_reflective_log": lambda s: {
        "payload": log_payload(f"w{s.number()}"),
        "user_id": "ana",
        "consent_id": s.consent("ana"),
    },
    "read_reflective_log": lambda s: {"log_id": s.things["o"].log},
    "update_reflective_log": lambda s: {
        "log_id": _log(s),
        "patch": {"user_feedback": {"stars": 5}, "ground_truth_label": "right", "audit_tags": "checked"},
    },
    "amend": lambda s: {
        "log_id": _log(s),
        "author": s.m.caller.name,
        "changes": {"note": "checked"},
        "effect": "note",
    },
    "amendments": lambda s: {"log_id": s.things["o"].log},
    "left_out": lambda s: {"of": "recent_logs", "limit": 3},
    "recent_logs": lambda s: {"limit": 3},
    "quarantine_read": lambda s: {"quarantine_id": s.quarantine},
    "event": lambda s: {"event_id": s.things["o"].event, "job_seed": "seed"},
    "events": lambda s: {"stream": s.things["o"].job},
    "verify": lambda s: {"read_only": True, "quick": True, "progress": _report},
    "attest": lambda s: {"actor": s.m.caller.name, "statement": "restored from a backup"},
    "checkpoint": lambda s: {},
    "public_key": lambda s: {},
    "prove_inclusion": lambda s: {"event_id": s.things["c"].event},
    "prove_consistency": lambda s: {"old_size": 1, "new_size": 2},
    "export": lambda s: {},
    "rotate_key": lambda s: {},
    "rotate_master_key": lambda s: {},
    "detect_and_handle": lambda s: {
        "payload": {"said": "two and two"},
        "user_id": "ana",
        "job_seed": _seed(s),
        "consent_id": s.consent("ana"),
    },
    "grant_consent": lambda s: {
        "user_id": "ana",
        "consent_text": f"You may keep it, {s.number()}.",
        "scope": "persistent",
        "job_seed": _seed(s),
        "expires_at": EXPIRES,
        "data_types": ["phone"],
        "purposes": ["store"],
    },
    "revoke_consent": lambda s: {"consent_id": s.consent("ana")},
    "consents": lambda s: {"user_id": "ana"},
    "request_dsr": lambda s: {
        "user_id": "ana",
        "kind": "export",
        "proof": s.proof("ana"),
        "keys": None,
        "changes": None,
        "consent_id": None,
        "job_seed": _seed(s),
    },
    "dsr": lambda s: {"dsr_id": s.things["o"].dsr},
    "request_review": lambda s: {"job_id": s.things["o"].job},
    "vote": lambda s: {**_vote(s), "member": s.m.caller.name, "totp": None},
    "acknowledge_incident": lambda s: {"incident_id": s.incident, "actor": s.m.caller.name, "totp": None},
    "lift_replay_halt": lambda s: {"incident_id": s.incident, "actor": s.m.caller.name, "totp": None},
    "approvals.list": lambda s: {"only_open": True},
    "approvals.show": lambda s: {"request_id": s.review},
    "approvals.vote": lambda s: {**_vote(s), "reason": "as agreed"},
    "approvals.request_review": lambda s: {"job_id": s.things["o"].job},
    "approvals.propose_policy": lambda s: {"text": POLICY},
    "accounts.list": lambda s: {},
    "accounts.create": lambda s: {"name": f"extra{s.number()}", "roles": ["viewer"], "user_id": "ana"},
    "accounts.change": lambda s: {"name": "spare", "roles": ["viewer"], "active": True},
    "accounts.enrol_second_factor": lambda s: {"name": "spare", "sealed_to": None},
    "accounts.issue_token": lambda s: {
        "name": "spare",
        "life": timedelta(hours=1),
        "roles": ["viewer"],
        "scopes": ["health_read"],
    },
    "accounts.tokens": lambda s: {"name": "spare"},
    "accounts.revoke_token": lambda s: {"name": "spare", "token_id": s.m.accounts.issue_token("spare")["token_id"]},
    "accounts.issue_identity_proof": lambda s: {"user_id": "ana", "life": timedelta(hours=1)},
    "incidents.list": lambda s: {},
    "incidents.show": lambda s: {"incident_id": s.incident},
    "incidents.report": lambda s: {
        "reason": "a lost key",
        "jobs": [s.m.ask("What is 1 + 1?")["job_id"]],
        "evidence": {"seen": "it was gone"},
    },
    "incidents.report_violation": lambda s: {
        "module_id": MODULE,
        "rule": "wrote a key",
        "evidence": {"seen": "it wrote"},
        "job_seed": _seed(s),
    },
    "incidents.acknowledge": lambda s: {"incident_id": s.incident},
    "incidents.lift_halt": lambda s: {"incident_id": s.incident},
    "forensics.set_key": lambda s: {"public_key": _public_key()},
    "forensics.entries": lambda s: {},
    "forensics.read": lambda s: {"entry_id": s.entry, "private_key": s.private, "purpose": "case 7"},
    "forensics.restore": lambda s: {"dsr_id": s.erased, "private_key": s.private, "purpose": "case 7"},
    "forensics.request_purge": lambda s: {"id": s.quarantine},
    "forensics.search": lambda s: {"words": ["somebody's words"], "purpose": "case 7", "progress": _report},
    "forensics.read_log": lambda s: {"log_id": s.things["o"].log, "purpose": "case 7"},
    "forensics.read_event": lambda s: {"event_id": s.things["o"].event, "purpose": "case 7"},
    "forensics.read_quarantine": lambda s: {"quarantine_id": s.quarantine, "purpose": "case 7"},
    "modules.list": lambda s: {},
    "modules.recover": lambda s: {"module_id": MODULE},
    "modules.request_quarantine": lambda s: {"module_id": MODULE},
    "modules.request_release": lambda s: {"module_id": MODULE},
    "modules.queued_writes": lambda s: {},
    "modules.retry_queued": lambda s: {},
    "describe": lambda s: {"inspect": True},
    "sweep": lambda s: {},
    "experience.write": lambda s: _experience(s, megram={**MEGRAM, "space": f"tool:w{s.number()}"}),
    "experience.record_negative_feedback": lambda s: _experience(s, rule_id=s.rule, content="it failed"),
    "experience.retract": lambda s: {"megram_id": _megram(s), "source": "solver", "job_seed": _seed(s)},
    "experience.query_mk": _pair,
    "experience.query_c": lambda s: {**_pair(s), "limit": 5},
    "experience.query_recent": lambda s: {**_pair(s), "n": 5},
    "experience.rules": lambda s: {"search": "shell", "limit": 5, "after": None},
    "experience.pairs": lambda s: {"search": "shell", "now": s.clock.now().isoformat(), "limit": 5},
    "experience.history": lambda s: {**_pair(s), "points": 5},
    "experience.changes": lambda s: {"limit": 5},
    "experience.change": lambda s: {"change_id": s.change},
    "experience.persona": lambda s: {},
    "experience.describe": lambda s: {},
    "experience.flush": lambda s: {},
    "experience.dream": lambda s: {"now": s.clock.now().isoformat(), "dry_run": True},
    "experience.roll_back": lambda s: {"change_id": s.change, "source": "system_admin"},
    "experience.export": lambda s: {},
    "experience.import_lines": lambda s: {"lines": s.exported, "source": "system_admin", "progress": _report},
    "experience.rebuild": lambda s: {"progress": _report},
}


def _public_key() -> str:
    from mace.providers.forensic_box import HpkeBox

    return HpkeBox().generate()[1]
