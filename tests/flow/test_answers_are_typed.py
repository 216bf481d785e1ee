"""Every verb, in its success and in its main refusals, answers what its type says: no member more, none less.

`CALLS` is the list: verb, type of its answer, a call of it. When a verb moves, its call and its name move here.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

import mace
from answering import CARD, PHONE, Stage
from mace.core import answers as a
from mace.core import seeds
from mace.core.errors import Conflict, NotFound
from mace.engine.verbs import VERBS
from mace.providers.frozen import FrozenClock
from typed import conforms

pytestmark = pytest.mark.xdist_group("answers")  # one stage for all
AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FOOD = "user/profile/user_bob/favorite_food"
SPACE = "tool:shell"
TARGET = "user/profile/{user}/drink"

Call = tuple[str, Any, Callable[[Stage], Any]]

QUESTIONS: list[Call] = [
    ("ask", a.AskAnswer, lambda s: s.m.ask("What is 2 + 2?")),
    ("ask", a.AskAnswer, lambda s: s.m.ask("What is my shoe size?", "nobody_yet")),
    ("ask", a.AskAnswer, lambda s: s.m.ask("My favorite color is teal.", "ana")),
    ("ask", a.AskAnswer, lambda s: (s.m.ask("My city is Rome.", "ana"), s.m.ask("What is my city?", "ana"))[1]),
    ("ask", a.AskAnswer, lambda s: s.m.ask("Write a poem about rain")),  # no language engine
    ("ask", a.AskAnswer, lambda s: s.m.ask("x" * 9_000)),
    ("ask", a.AskAnswer, lambda s: s.m.ask(f"Is {CARD} a good card?")),
    ("ask", a.AskAnswer, lambda s: s.m.ask(f"Call {PHONE}", "ana")),
    ("ask", a.AskAnswer, lambda s: [s.m.ask("What is 1 + 1?", job_seed="taken") for _ in range(2)][1]),
    ("ask", a.AskAnswer, lambda s: s.closed.ask("What is 2 + 2?")),
    ("replay", a.ReplayAnswer, lambda s: s.m.replay(s.job())),
    ("replay", a.ReplayAnswer, lambda s: _halted(s)),
    ("replay", a.ReplayAnswer, lambda s: s.m.replay(_erased_job(s))),
    ("mace.route_query", a.Routed, lambda s: mace.route_query("What is 2 + 2?")),
    ("mace.route_query", a.NotRouted, lambda s: mace.route_query(f"Is {CARD} a good card?")),
    ("jobs.list", a.JobPage, lambda s: (s.job(), s.m.jobs.list())[1]),
    ("jobs.list", a.JobPage, lambda s: (s.job(), s.job(), s.m.jobs.list(limit=1))[2]),
    ("jobs.logs", a.LogPage, lambda s: (s.job(), s.job(), s.m.jobs.logs(limit=1))[2]),
    ("jobs.logs", a.LogPage, lambda s: (_erased_log(s), s.personal_log(), s.m.jobs.logs())[2]),
    ("jobs.logs", a.LogPage, lambda s: (s.m.ask("What is 2 + 2?", "bob"), s.bob.jobs.logs())[1]),
    ("jobs.log", a.LogView, lambda s: s.m.jobs.log(s.m.ask("What is 2 + 2?", "bob")["log_id"])),
    ("jobs.log", a.LogView, lambda s: s.m.jobs.log(s.long_log())),
]
PROGRAMS: list[Call] = [
    ("perform", a.ProgramAnswer, lambda s: s.m.perform(turns, {"do": "answer"}, "ana")),
    ("perform", a.ProgramAnswer, lambda s: s.m.perform(turns, {"do": "raise"}, "ana")),
    ("perform", a.ProgramAnswer, lambda s: s.m.perform(turns, {"do": f"call {PHONE}"}, "ana")),
    ("perform", a.ProgramAnswer, lambda s: [s.m.perform(turns, {"do": "x"}, None, "used") for _ in range(2)][1]),
    ("aperform", a.ProgramAnswer, lambda s: asyncio.run(_awaited(s))),
    ("resume", a.ProgramAnswer, lambda s: s.m.resume(_stopped(s))),
    ("resume", a.ProgramAnswer, lambda s: s.m.resume(_stopped(s), abandon=True)),
    ("cancel", a.JobView, lambda s: s.m.cancel(_stopped(s), "not needed")),
    ("job", a.JobView, lambda s: s.m.job(s.job())),
    ("job", a.JobView, lambda s: s.m.job(_stopped(s))),
    ("job", a.JobView, lambda s: s.m.job(s.m.perform(turns, {"do": "answer"}, "ana")["job_id"])),
    ("job", a.JobView, lambda s: s.m.job(_branch(s))),
    ("job", a.JobView, lambda s: _waiting(s, lambda job, question: s.m.job(job))),
    ("jobs.answer", a.JobView, lambda s: _waiting(s, lambda job, question: s.m.jobs.answer(job, question, "yes"))),
    ("jobs.list", a.JobPage, lambda s: (_stopped(s), s.m.jobs.list(kind="program", status="interrupted"))[1]),
    ("record", a.RecordAnswer, lambda s: s.m.record("Which way?", "Left.", "ana")),
    ("record", a.RecordAnswer, lambda s: s.m.record("Whom?", f"Call {PHONE}.", evidence=[], confidence=0.9)),
    ("replay", a.ReplayAnswer, lambda s: s.m.replay(s.m.perform(turns, {"do": "raise"}, "ana")["job_id"])),
    ("replay", a.ReplayAnswer, lambda s: s.m.replay(s.m.record("Which way?", "Left.")["job_id"])),
    ("jobs.log", a.LogView, lambda s: s.m.jobs.log(str(s.m.perform(turns, {"do": "raise"}, "ana")["log_id"]))),
    ("read_reflective_log", a.ReflectiveLog, lambda s: s.m.read_reflective_log(_performed_log(s))),
]
FACTS: list[Call] = [
    ("sem_put", a.SemPut, lambda s: s.m.sem_put(FOOD, {"first": ["tea"]}, "user", notes="said so", meta={"by": 1})),
    ("sem_put", a.SemPut, lambda s: _twice(s, lambda: s.m.sem_put(FOOD, "old", "user", "2020-01-01T00:00:00Z"))),
    ("sem_put", a.SemPut, lambda s: s.m.sem_put(FOOD, "tea")),  # no source
    ("sem_put", a.SemPut, lambda s: s.m.sem_put("world/fact/a/b", 1, "user")),
    ("sem_put", a.SemPut, lambda s: s.m.sem_put("world/fact/a/b", f"call {PHONE}", "system")),
    ("sem_put", a.SemPut, lambda s: s.m.sem_put("system/config/a/b", 1, "agent:math_agent")),
    ("sem_put", a.SemPut, lambda s: s.promotion()),
    ("sem_put", a.SemPut, lambda s: s.write_while_down()),
    ("sem_put", a.SemPut, lambda s: s.closed.sem_put(FOOD, "tea", "user")),
    ("sem_get", a.SemGet, lambda s: (s.m.sem_put(FOOD, "tea", "user", notes="n"), s.m.sem_get(FOOD))[1]),
    ("sem_get", a.SemGet, lambda s: s.m.sem_get("world/fact/no/thing")),
    ("sem_get", a.SemGet, lambda s: s.closed.sem_get(FOOD)),
    ("sem_get", a.SemGet, lambda s: (s.m.sem_put(FOOD, "tea", "user"), s.m.sem_get(FOOD, with_version=True))[1]),
    ("sem_get", a.SemGet, lambda s: s.m.sem_get("world/fact/no/thing", with_version=True)),
    ("sem_get", a.SemGet, lambda s: s.bob.sem_get("user/profile/user_eve/favorite_food")),
    ("sem_get", a.SemGet, lambda s: s.bob.sem_get("user/profile/user_eve/favorite_food", with_version=True)),
    ("sem_put", a.SemPut, lambda s: s.m.sem_put(FOOD, "soup", "user", if_version=999)),
    ("sem_put", a.SemPut, lambda s: s.bob.sem_put("user/profile/user_eve/favorite_food", "x")),
    ("sem_delete", a.SemDelete, lambda s: s.bob.sem_delete(FOOD)),
    ("sem_add_alias", a.AliasAdded, lambda s: s.bob.sem_add_alias("my drink", TARGET)),
    ("ask", a.AskAnswer, lambda s: s.bob.ask("What is 2 + 2?")),
    ("ask", a.AskAnswer, lambda s: s.bob.ask("What is 2 + 2?", "eve")),
    ("memory_read", a.Envelope, lambda s: s.viewer.memory_read(s.context())),
    ("request_dsr", a.DsrAnswer, lambda s: s.bob.request_dsr("eve", "export", "AAAA-BBBB-CCCC-DDDD")),
    ("experience.write", a.MegramAnswer, lambda s: s.bob.experience.write(s.megram())),
    ("experience.retract", a.RetractAnswer, lambda s: s.bob.experience.retract("0" * 33)),
    ("sem_delete", a.SemDelete, lambda s: _twice(s, lambda: s.m.sem_delete("world/fact/gone/b", "system_admin"))),
    ("sem_delete", a.SemDelete, lambda s: s.m.sem_delete("world/fact/no/thing", "system_admin")),
    ("sem_delete", a.SemDelete, lambda s: s.m.sem_delete(FOOD, "user")),
    ("sem_list", list[str], lambda s: s.m.sem_list("user")),
    ("sem_history", list[a.FactVersion], lambda s: _written_and_gone(s)),
    ("sem_history", list[a.FactVersion], lambda s: s.m.sem_history(_erased_key(s))),
    (
        "sem_add_alias",
        a.AliasAdded,
        lambda s: s.m.sem_add_alias("my drink", TARGET, "system"),
    ),
    ("sem_add_alias", a.AliasAdded, lambda s: s.m.sem_add_alias("my drink", TARGET, "user")),
    ("sem_add_alias", a.AliasAdded, lambda s: s.m.sem_add_alias(f"call {PHONE}", "world/fact/a/b", "system")),
    (
        "import_facts",
        a.FactImport,
        lambda s: s.m.import_facts(['{"key": "world/fact/i/j", "value": 1}', "{"], "system"),
    ),
    ("load_starter_facts", a.FactImport, lambda s: s.m.load_starter_facts()),
    ("modules.queued_writes", list[a.QueuedWrite], lambda s: s.queued().modules.queued_writes()),
    ("modules.retry_queued", list[a.RetriedWrite], lambda s: s.queued().modules.retry_queued()),
]
TURNS: list[Call] = [
    ("remember", a.RememberAnswer, lambda s: s.m.remember("ana", "The tram was late.")),
    ("remember", a.RememberAnswer, lambda s: s.m.remember("ana", f"call {PHONE}", conversation_id="t")),
    ("remember", a.RememberAnswer, lambda s: s.m.remember("ana", "")),
    ("remember", a.RememberAnswer, lambda s: s.bob.remember("eve", "The tram was late.")),
    ("recall", a.Recall, lambda s: (s.m.remember("ana", "The tram was late."), s.m.recall("ana", "tram"))[1]),
    ("recall", a.Recall, lambda s: s.m.recall("ana", "")),
    ("recalled", a.Recalled, lambda s: s.m.recalled("ana", s.m.recall("ana", "tram")["receipt"])),
    ("recall", a.Recall, lambda s: s.bob.recall("eve", "tram")),
]
CONTEXT: list[Call] = [
    ("memory_read", a.ContextPackage, lambda s: s.m.memory_read(s.context())),
    ("memory_read", a.ContextPackage, lambda s: s.m.memory_read(s.context(controller_version="phase7-v1"))),
    ("memory_read", a.Envelope, lambda s: s.m.memory_read(s.context(query=""))),
    ("memory_explain", a.ContextExplanation, lambda s: s.m.memory_explain(s.context())),
    ("memory_explain", a.ContextExplanation, lambda s: s.m.memory_explain(s.context(controller_version="phase7-v1"))),
    ("memory_explain", a.Envelope, lambda s: s.m.memory_explain(s.context(store_paths=["/no/such/store"]))),
    ("context.read", a.ContextPackage, lambda s: s.m.context.read("tea", stores=s.context()["store_paths"])),
    ("context.read", a.Envelope, lambda s: s.viewer.context.read("tea", stores=["notes.jsonl"])),
    ("context.read", a.Envelope, lambda s: s.m.context.read(" ", stores=["notes.jsonl"])),
    (
        "context.request",
        a.ContextRequest,
        lambda s: s.m.context.request("tea", stores=["notes.jsonl"], now="2035-01-01T00:00:00Z"),
    ),
    ("context.append", a.ContextAppended, lambda s: s.m.context.append(s.notes(), ["tea", {"text": f"or {PHONE}"}])),
    ("context.append", a.ContextAppended, lambda s: s.m.context.append(s.notes(), "tea", idempotency_key=PHONE)),
    ("context.append", a.ContextAppended, lambda s: s.m.context.append("/no/such/folder/a.jsonl", "tea")),
    ("context.append", a.ContextAppended, lambda s: s.closed.context.append(s.notes(), "tea")),
    ("context.append", a.ContextAppended, lambda s: s.viewer.context.append(s.notes(), "tea")),
    ("context.append", a.ContextAppended, lambda s: s.appended_while_down()),
    ("context.check", a.ContextCheck, lambda s: s.m.context.check(s.notes())),
    ("context.check", a.ContextCheck, lambda s: s.m.context.check(s.notes("{", '{"text": 1}', "[]"), limit=2)),
    ("context.check", a.Envelope, lambda s: s.m.context.check("/no/such/store")),
    ("context.check", a.Envelope, lambda s: s.viewer.context.check(s.notes())),
]
LEDGER: list[Call] = [
    ("read_reflective_log", a.ReflectiveLog, lambda s: s.m.read_reflective_log(s.log())),
    ("read_reflective_log", a.ReflectiveLog, lambda s: s.m.read_reflective_log(s.personal_log())),
    ("read_reflective_log", a.ReflectiveLog, lambda s: s.m.read_reflective_log(s.long_log())),
    ("read_reflective_log", a.ReflectiveLog, lambda s: s.m.read_reflective_log(_erased_log(s))),
    ("update_reflective_log", a.ReflectiveLog, lambda s: s.m.update_reflective_log(s.log(), {"audit_tags": ["ok"]})),
    ("amend", a.Amendment, lambda s: s.m.amend(s.log(), "owner", {"call": PHONE}, "note")),
    (
        "amendments",
        list[a.Amendment],
        lambda s: s.m.amendments(s.m.amend(s.log(), "o", 1, "revalidate")["target_log_id"]),
    ),
    ("left_out", a.LeftOut, lambda s: s.m.left_out("recent_logs")),
    ("left_out", a.LeftOut, lambda s: s.m.left_out("forensics.entries")),
    ("recent_logs", list[a.ReflectiveLog], lambda s: (s.log(), s.m.recent_logs())[1]),
    ("quarantine_read", a.QuarantineEntry, lambda s: s.m.quarantine_read(s.quarantined())),
    ("event", list[a.Event], lambda s: s.m.event(s.event_id())),
    ("events", list[a.Event], lambda s: s.m.events("system")),
    ("verify", a.VerifyReport, lambda s: s.m.verify()),
    ("prove_inclusion", a.InclusionProof, lambda s: s.m.prove_inclusion(s.event_id())),
    ("prove_consistency", a.ConsistencyProof, lambda s: s.m.prove_consistency(1, 2)),
    ("describe", a.Description, lambda s: s.m.describe()),
    ("sweep", a.SweepReport, lambda s: s.m.sweep()),
]
PEOPLE: list[Call] = [
    ("detect_and_handle", a.DetectAnswer, lambda s: s.m.detect_and_handle({"say": ["hello"]})),
    ("detect_and_handle", a.DetectAnswer, lambda s: s.m.detect_and_handle({"call": PHONE}, "bob")),
    ("detect_and_handle", a.DetectAnswer, lambda s: s.m.detect_and_handle(CARD)),
    ("detect_and_handle", a.DetectAnswer, lambda s: s.m.detect_and_handle(PHONE, "eve", None, s.consent("eve"))),
    ("detect_and_handle", a.DetectAnswer, lambda s: s.m.detect_and_handle(CARD, "eve", None, s.consent("eve"))),
    ("grant_consent", a.ConsentGrant, lambda s: s.m.grant_consent("bob", s.name("you may"))),
    ("revoke_consent", a.ConsentRevoked, lambda s: s.m.revoke_consent(s.consent("bob"))),
    ("revoke_consent", a.ConsentRevoked, lambda s: _revoked_twice(s)),
    ("consents", list[a.ConsentView], lambda s: (s.m.revoke_consent(s.consent("ada")), s.m.consents("ada"))[1]),
    ("accounts.issue_identity_proof", a.IdentityProof, lambda s: s.m.accounts.issue_identity_proof("bob")),
    ("request_dsr", a.DsrAnswer, lambda s: s.export()),
    ("request_dsr", a.DsrAnswer, lambda s: s.deletion()),
    ("request_dsr", a.DsrAnswer, lambda s: s.m.request_dsr("bob", "delete", "AAAA-BBBB-CCCC-DDDD")),
    ("dsr", a.DsrView, lambda s: s.m.dsr(s.export()["dsr_id"])),
    ("dsr", a.DsrView, lambda s: s.m.dsr(s.deletion()["dsr_id"])),
    ("dsr", a.DsrView, lambda s: s.m.dsr(s.erased())),
    ("dsr", a.DsrView, lambda s: s.m.dsr(_asked_in_words(s))),
    ("dsr", a.DsrView, lambda s: s.m.dsr(_restored(s))),
    ("jobs.request_erasure", a.DsrAnswer, lambda s: s.m.jobs.request_erasure([s.m.ask("what is 2+2?")["job_id"]])),
    ("dsr", a.DsrView, lambda s: s.m.dsr(_erased_without_person(s))),
    ("forensics.search", a.CanaryReport, lambda s: _searched(s)),
    ("forensics.restore", a.RestoreAnswer, lambda s: s.m.forensics.restore(s.erased(), s.private, purpose="x")),
]
APPROVALS: list[Call] = [
    ("request_review", a.ApprovalView, lambda s: s.m.request_review(s.job())),
    ("forensics.request_purge", a.ApprovalView, lambda s: s.m.forensics.request_purge(s.erased())),
    ("modules.request_quarantine", a.ApprovalView, lambda s: s.m.modules.request_quarantine("strategy_agent")),
    ("modules.request_release", a.ApprovalView, lambda s: s.m.modules.request_release("strategy_agent")),
    ("approvals.propose_policy", a.ApprovalView, lambda s: s.m.approvals.propose_policy(s.policy())),
    ("approvals.list", list[a.ApprovalView], lambda s: (s.promotion(), s.deletion(), s.m.approvals.list())[2]),
    ("approvals.request_review", a.ApprovalView, lambda s: s.m.approvals.request_review(s.job())),
    ("approvals.vote", a.VoteAnswer, lambda s: s.m.approvals.vote(s.review(), "reject", reason="no")),
    ("approvals.show", a.ApprovalView, lambda s: s.m.approvals.show(s.review())),
    ("vote", a.VoteAnswer, lambda s: s.m.vote(s.review(), "owner", "approve")),
    ("vote", a.VoteAnswer, lambda s: s.m.vote(s.review(), "owner", "reject")),
    ("vote", a.VoteAnswer, lambda s: s.m.vote(s.review(), "owner", "abstain")),
    ("vote", a.VoteAnswer, lambda s: s.m.vote(s.deletion()["request_id"], "owner", "approve")),
    ("vote", a.VoteAnswer, lambda s: _vote_on(s, s.m.forensics.request_purge(s.erased()))),
    ("vote", a.VoteAnswer, lambda s: _vote_on(s, s.m.modules.request_quarantine("strategy_agent"))),
    ("vote", a.VoteAnswer, lambda s: _vote_on(s, s.m.modules.request_release("strategy_agent"))),
    ("vote", a.VoteAnswer, lambda s: _vote_on(s, s.m.approvals.propose_policy(s.policy()))),
    ("vote", a.VoteAnswer, lambda s: s.m.vote(s.promotion()["error"]["meta"]["request_id"], "owner", "approve")),
    ("accounts.create", a.AccountView, lambda s: s.m.accounts.create(s.name("account"), ["user"], user_id="b")),
    (
        "accounts.change",
        a.AccountView,
        lambda s: s.m.accounts.change(s.account(), roles=["viewer"], active=False),
    ),
    ("accounts.list", list[a.AccountView], lambda s: (s.account(), s.m.accounts.list())[1]),
    ("accounts.enrol_second_factor", a.SecondFactorSecret, lambda s: s.m.accounts.enrol_second_factor(s.account())),
    ("accounts.issue_token", a.IssuedToken, lambda s: s.m.accounts.issue_token(s.account(), scopes=["sem_get"])),
    (
        "accounts.tokens",
        list[a.TokenView],
        lambda s: s.m.accounts.tokens(s.m.accounts.issue_token(s.account())["account"]),
    ),
    ("accounts.revoke_token", a.TokenRevoked, lambda s: _revoked(s)),
]
INCIDENTS: list[Call] = [
    ("incidents.report_violation", a.ViolationReported, lambda s: s.violation()),
    ("incidents.report", a.IncidentReported, lambda s: s.m.incidents.report("a door", jobs=[s.stream()])),
    ("incidents.list", list[a.IncidentView], lambda s: (s.violation(), s.incident(), s.m.incidents.list())[2]),
    ("incidents.show", a.IncidentView, lambda s: s.m.incidents.show(s.incident())),
    ("incidents.acknowledge", a.IncidentView, lambda s: s.m.incidents.acknowledge(s.incident())),
    ("incidents.lift_halt", a.LiftHaltAnswer, lambda s: s.m.incidents.lift_halt(s.incident(jobs=[s.job()]))),
    ("acknowledge_incident", a.IncidentView, lambda s: s.m.acknowledge_incident(s.incident(), "owner")),
    ("lift_replay_halt", a.LiftHaltAnswer, lambda s: s.m.lift_replay_halt(s.incident(jobs=[s.job()]), "owner")),
    ("forensics.set_key", a.ForensicKey, lambda s: s.m.forensics.set_key(s.public)),
    (
        "forensics.entries",
        list[a.ForensicEntry],
        lambda s: (_purged(s), s.erased(), s.violation(), s.m.forensics.entries())[3],
    ),
    ("forensics.read", a.ForensicContent, lambda s: _forensic(s, s.violation()["evidence_id"])),
    ("forensics.read", a.ForensicContent, lambda s: _forensic(s, s.m.incidents.report("x")["evidence_id"])),
    ("forensics.read", a.ForensicContent, lambda s: _forensic(s, s.m.dsr(s.erased())["manifest"]["forensic_id"])),
    ("forensics.read_log", a.ReflectiveLog, lambda s: s.m.forensics.read_log(s.personal_log(), purpose="x")),
    (
        "forensics.read_event",
        list[a.UnredactedEvent],
        lambda s: s.m.forensics.read_event(s.event_id(), purpose="x"),
    ),
    (
        "forensics.read_quarantine",
        a.QuarantineEntry,
        lambda s: s.m.forensics.read_quarantine(s.quarantined(), purpose="x"),
    ),
    ("modules.list", list[a.ModuleView], lambda s: (s.violation(), s.m.modules.list())[1]),
    ("modules.recover", a.ModuleView, lambda s: (s.violation(), s.m.modules.recover("creative_agent"))[1]),
]
EXPERIENCE: list[Call] = [
    ("experience.write", a.MegramAnswer, lambda s: s.m.experience.write(s.megram(), "solver")),
    ("experience.write", a.MegramAnswer, lambda s: s.m.experience.write(s.megram("no state"), "solver")),
    ("experience.write", a.MegramAnswer, lambda s: s.m.experience.write(s.megram(), "somebody")),
    ("experience.write", a.MegramAnswer, lambda s: s.m.experience.write(s.megram(content=f"call {PHONE}"), "solver")),
    ("experience.write", a.MegramAnswer, lambda s: s.closed.experience.write(s.megram(), "solver")),
    (
        "experience.record_negative_feedback",
        a.MegramAnswer,
        lambda s: s.m.experience.record_negative_feedback(s.rule(), "no"),
    ),
    (
        "experience.record_negative_feedback",
        a.MegramAnswer,
        lambda s: s.m.experience.record_negative_feedback("x", "no"),
    ),
    ("experience.query_mk", a.MkPotentials, lambda s: s.m.experience.query_mk(SPACE, s.lived())),
    ("experience.query_mk", a.MkPotentials, lambda s: s.m.experience.query_mk("nothing", "here")),
    ("experience.query_c", list[a.SopRecord], lambda s: s.m.experience.query_c(SPACE, s.ruled())),
    ("experience.rules", list[a.SopRecord], lambda s: (s.ruled(), s.m.experience.rules())[1]),
    ("experience.retract", a.RetractAnswer, lambda s: s.m.experience.retract(s.rule())),
    ("experience.retract", a.RetractAnswer, lambda s: s.m.experience.retract("0" * 33)),
    ("experience.change", a.ChangeDetails, lambda s: s.m.experience.change(_changed(s))),
    ("experience.query_recent", list[a.MegramView], lambda s: s.m.experience.query_recent(SPACE, s.ruled(), 20)),
    ("experience.dream", a.DreamReport, lambda s: (s.lived(), s.m.experience.dream())[1]),
    ("experience.dream", a.DreamReport, lambda s: (s.lived(), s.m.experience.dream(dry_run=True))[1]),
    ("experience.dream", a.DreamReport, lambda s: s.overruled()),
    ("experience.dream", a.DreamReport, lambda s: s.forgotten()),
    ("experience.changes", list[a.ChangeView], lambda s: (s.overruled(), s.forgotten(), s.m.experience.changes())[2]),
    ("experience.roll_back", a.ChangeView, lambda s: _rolled_back(s)),
    ("experience.pairs", list[a.PairView], lambda s: (s.ruled(), s.m.experience.pairs())[1]),
    ("experience.history", a.PairHistory, lambda s: s.m.experience.history(SPACE, s.lived())),
    ("experience.history", a.PairHistory, lambda s: s.m.experience.history("nothing", "here")),
    ("experience.import_lines", a.ExperienceImport, lambda s: _moved(s)),
    ("experience.rebuild", a.ExperienceRebuilt, lambda s: s.m.experience.rebuild()),
    ("experience.describe", a.ExperienceDescription, lambda s: (s.ruled(), s.m.experience.describe())[1]),
]
CALLS = [*QUESTIONS, *PROGRAMS, *FACTS, *TURNS, *CONTEXT, *LEDGER, *PEOPLE, *APPROVALS, *INCIDENTS, *EXPERIENCE]

# Verbs that answer with a text, a number, nothing or lines, that hand out parts; and one whose answer needs a broken
# log (`test_answers_when_broken.py`).
PLAIN = {
    "checkpoint", "experience.export", "experience.flush", "experience.persona", "export", "key", "public_key",
    "rotate_key", "rotate_master_key", "sem_resolve_alias", "write_reflective_log", "recording",
}  # fmt: skip
BROKEN = {"attest"}


_STOPPED: set[str] = set()


@mace.program("turns", version="2")
def turns(job: mace.Job, given: Any) -> Any:
    """Does what it is told to: answers, raises, is stopped once, asks."""
    do: str = given["do"]
    with job.branch("side") as side:
        side.call("look", given, lambda request: {"found": request}, idempotent=True)
    if do == "raise":
        raise ValueError("no luck")
    if do == "stop" and job.job_id not in _STOPPED:
        _STOPPED.add(job.job_id)
        raise KeyboardInterrupt
    if do == "ask":
        return {"said": job.ask_person("May I?")}
    found = job.call("find", given, lambda request: request)
    return job.answer(f"done {do}", evidence=[found], value=found)


async def _awaited(s: Stage) -> Any:
    return await s.m.aperform(turns, {"do": "answer"}, "ana")


def _stopped(s: Stage) -> str:
    seed = s.name("stopped")
    with suppress(KeyboardInterrupt):
        s.m.perform(turns, {"do": "stop"}, "ana", seed)
    return seeds.job_id(seed)


def _branch(s: Stage) -> str:
    return s.m.job(s.m.perform(turns, {"do": "answer"}, "ana")["job_id"])["branches"][0]


def _performed_log(s: Stage) -> str:
    return str(s.m.perform(turns, {"do": "answer"}, "ana")["log_id"])


def _waiting(s: Stage, call: Callable[[str, str], Any]) -> Any:
    """Call something while a job waits for an answer, then end the job."""
    seed = s.name("waiting")
    job_id = seeds.job_id(seed)
    thread = threading.Thread(target=s.m.perform, args=(turns, {"do": "ask"}, "ana", seed), daemon=True)
    thread.start()
    try:
        while True:
            with suppress(NotFound):
                if waiting := s.m.job(job_id)["waiting_for"]:
                    return call(job_id, waiting[0]["question_id"])
            thread.join(0.01)
            assert thread.is_alive()
    finally:
        with suppress(Conflict):
            s.m.cancel(job_id)
        thread.join()


def _twice(s: Stage, call: Callable[[], Any]) -> Any:
    s.m.sem_put("world/fact/gone/b", s.name("value"), "system")
    first = call()
    assert conforms(first, a.WriteAnswer) == []
    return call()


def _revoked_twice(s: Stage) -> Any:
    given = s.consent("bob")
    s.m.revoke_consent(given)
    return s.m.revoke_consent(given)


def _written_and_gone(s: Stage) -> Any:
    s.m.sem_put("world/fact/past/b", [1], "system")
    s.m.sem_delete("world/fact/past/b", "system_admin")
    return s.m.sem_history("world/fact/past/b")


def _halted(s: Stage) -> Any:
    job = s.job()
    incident = s.incident(jobs=[job])
    replayed = s.m.replay(job)
    s.m.lift_replay_halt(incident, "owner")
    return replayed


def _erased_question(s: Stage) -> dict[str, Any]:
    gone = s.m.dsr(s.erased())["manifest"]["jobs"]
    return next(item for item in s.m.jobs.list(limit=1000)["items"] if item["job_id"] in gone)


def _erased_job(s: Stage) -> str:
    return str(_erased_question(s)["job_id"])


def _erased_log(s: Stage) -> str:
    return str(_erased_question(s)["log_id"])


def _erased_key(s: Stage) -> str:
    return str(s.m.dsr(s.erased())["manifest"]["facts"][0]["key"])


def _asked_in_words(s: Stage) -> str:
    who = s.person()
    s.m.ask("forget my favorite food", who)
    return str(s.m.approvals.list(only_open=True)[-1]["request_id"])


def _restored(s: Stage) -> str:
    erased = s.erased()
    s.m.forensics.restore(erased, s.private, purpose="x")
    return erased


def _erased_without_person(s: Stage) -> str:
    asked = s.m.jobs.request_erasure([s.m.ask("what is 2+2?")["job_id"]])
    s.m.vote(str(asked["request_id"]), "owner", "approve")
    return str(asked["dsr_id"])


def _searched(s: Stage) -> a.CanaryReport:
    s.m.sem_put("user/profile/user_bob/diary", "a canaryword", "user")
    found = s.m.forensics.search(["canaryword"], purpose="x")
    assert found["findings"]
    return found


def _vote_on(s: Stage, asked: Any) -> Any:
    return s.m.vote(asked["request_id"], "owner", "approve")


def _purged(s: Stage) -> None:
    _vote_on(s, s.m.forensics.request_purge(s.erased()))


def _revoked(s: Stage) -> Any:
    issued = s.m.accounts.issue_token(s.account())
    return s.m.accounts.revoke_token(issued["account"], issued["token_id"])


def _forensic(s: Stage, entry_id: str) -> Any:
    return s.m.forensics.read(entry_id, s.private, purpose="to look")


def _rolled_back(s: Stage) -> Any:
    s.ruled()
    return s.m.experience.roll_back(s.m.experience.changes()[0]["change_id"])


def _changed(s: Stage) -> str:
    s.ruled()
    return str(s.m.experience.changes()[0]["change_id"])


def _moved(s: Stage) -> Any:
    s.lived()
    return s.m.experience.import_lines(list(s.m.experience.export()), "system_admin")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("stage"), FrozenClock(AT))
    yield made
    made.close()


@pytest.mark.parametrize(("verb", "hint", "call"), CALLS, ids=[f"{at}-{row[0]}" for at, row in enumerate(CALLS)])
def test_an_answer_is_what_its_type_says(stage: Stage, verb: str, hint: Any, call: Callable[[Stage], Any]) -> None:
    stage.clock.move(seconds=1)
    answer = call(stage)
    assert conforms(answer, hint) == []
    if get_args(hint) and get_args(hint)[0] is not str:
        assert answer, "an empty list shows nothing"


def test_every_verb_is_in_the_list() -> None:
    public = {row.name for row in VERBS if not row.planned}
    assert {row[0] for row in CALLS if not row[0].startswith("mace.")} | PLAIN | BROKEN == public


def test_what_callers_pass_is_typed_too(stage: Stage) -> None:
    scoring = {"enable_recency_weight": True, "recency_half_life_days": 3, "query_terms": ["a"]}
    request = stage.context(scoring=scoring, trust_filter={"deny_classifications": ["x"]}, now_utc=AT.isoformat())
    assert conforms(request, a.ContextRequest) == []
    assert conforms(stage.m.memory_read(request), a.ContextPackage) == []
    assert conforms(stage.megram(created_at=AT), a.NewMegram) == []
