"""`ask`: opens a job, lets a turn run on its tape, closes the job with its reflective log.

Two units of work frame a question: one claims the seed and takes the snapshot, one stores everything that happened
together with the log. If the second cannot be stored the question is not answered: what is not on the record did not
happen.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mace.agents import health, router
from mace.agents.asking import Agent
from mace.core import canon, seeds
from mace.core.errors import Conflict, MaceError, ServiceUnavailable, StorageFull, envelope
from mace.core.times import iso_ms, to_ms
from mace.engine.facts import FactVerbs
from mace.engine.failures import Failures
from mace.engine.hands import LiveHands, TapeJournal
from mace.engine.logs import LogVerbs
from mace.engine.privacy import check_user_id, flags_in_text
from mace.engine.recorder import Recorder, check_seed
from mace.engine.spilling import Spilling
from mace.engine.tape import LiveTape
from mace.engine.turn import Heard, Turn, TurnRules, sem_snapshot, snapshot_hash
from mace.engine.vault import Vault
from mace.engine.world import World
from mace.governance.detectors import RULES, SENSITIVITY
from mace.governance.redact import redact
from mace.ledger import records
from mace.memory.facts import FactRules
from mace.storage.ports import JobRow, Tx

HEALTH = "health"
FALLBACKS = "router_fallback_count"


class Questions:
    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        logs: LogVerbs,
        facts: FactVerbs,
        failures: Failures,
        spilling: Spilling,
        rules: TurnRules,
        fact_rules: FactRules,
        agents: Mapping[str, Agent],
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._logs = logs
        self._facts = facts
        self._failures = failures
        self._spilling = spilling
        self._rules = rules
        self._fact_rules = fact_rules
        self.agents = agents

    def ask(
        self,
        text: str,
        user_id: str | None,
        job_seed: str | None,
        *,
        query_id: str | None,
        consent_id: str | None,
        in_reply_to: str | None,
        source: str,
    ) -> dict[str, Any]:
        if not isinstance(text, str):
            raise TypeError("a question is a text")
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        try:
            tape, received, snapshot, started = self._open(text, user_id, seed, query_id, in_reply_to, source)
        except (StorageFull, ServiceUnavailable) as error:
            self._spilling.keep("ROUTER_NO_SNAPSHOT", {"reason": str(error)}, seed)
            return self._unrecorded("ROUTER_NO_SNAPSHOT", seed, query_id, str(error))
        except Conflict as error:
            return self._unrecorded("CONFLICT", seed, query_id, str(error))
        hands = LiveHands(self._world, self._facts, tape, self._fact_rules)
        turn = Turn(
            tape,
            received,
            snapshot,
            self._rules,
            self.agents,
            hands,
            self._world.runner.run,
            self._world.clock.monotonic_ms,
        )
        try:
            heard = turn.run()
            return self._close(tape, received, heard, started)
        except (StorageFull, ServiceUnavailable) as error:
            self._spilling.spill("ask", error)
            return self._unrecorded(error.code, seed, query_id, str(error))

    # Opening

    def _open(
        self, text: str, user_id: str | None, seed: str, query_id: str | None, in_reply_to: str | None, source: str
    ) -> tuple[LiveTape, dict[str, Any], dict[str, Any], float]:
        started = self._world.clock.monotonic_ms()
        refused = self._refusal(text, user_id)
        if refused is not None:
            user_id = None if refused["details"]["reason"].startswith("a user_id") else user_id
            text = text[: self._rules.max_query_length]
        findings, flags = flags_in_text(self._world.keys, _encodable(text), seed)
        seen = redact(_encodable(text), findings)

        def unit(tx: Tx) -> tuple[LiveTape, dict[str, Any], dict[str, Any]]:
            stream = seeds.job_id(seed)
            if tx.jobs.get(stream) is not None:
                raise Conflict("this job_seed was used by an earlier question or goal")
            person = self._facts.user_slug(tx, user_id) if user_id else None
            origin = self._recorder.open(tx, seed, {"verb": "ask"})
            tx.jobs.add(JobRow(stream, "ask", "running", iso_ms(origin.started_at), person or "", seeds.log_id(seed)))
            tape = LiveTape(self._world, self._vault, origin, tx.events.head(stream), person)
            tape.unlock(tx)
            snapshot = self._snapshot(tx)
            digest = snapshot_hash(snapshot)
            record = tx.records.get("snapshot", digest)
            if record is None:
                record = records.make("snapshot", digest, snapshot, self._world.keys.sign)
                tx.records.add(record)
            tape.event("SNAPSHOT_TAKEN", {"snapshot": digest, "record": records.reference(record)})
            received = {
                "text": seen,
                "user_id": user_id,
                "query_id": query_id or stream,
                "query_text_hash": self._text_hash(tape, seen, user_id),
                "flags": [flag.payload() for flag in flags],
                "refused": refused,
                "expected_key": self._expected(tx, in_reply_to, user_id),
                "source": source,
                "at_ms": to_ms(origin.started_at),
            }
            return tape, received, snapshot

        tape, received, snapshot = self._spilling.write("ask", unit)
        return tape, received, snapshot, started

    def _text_hash(self, tape: LiveTape, seen: str, user_id: str | None) -> str:
        """Of a person's question the hash is keyed, so that nobody can guess it after an erasure."""
        if user_id is None:
            return canon.sha256_hex(seen)
        return self._world.keys.keyed_hash(tape.data_key, seen.encode())

    def _refusal(self, text: str, user_id: str | None) -> dict[str, Any] | None:
        reason = None
        if not text.strip():
            reason = "the question is empty"
        elif len(text) > self._rules.max_query_length:
            reason = f"the question has {len(text)} characters, at most {self._rules.max_query_length} are read"
        elif _encodable(text) != text:
            reason = "the question is not valid Unicode"
        elif user_id is not None:
            try:
                check_user_id(user_id)
                self._world.store.read(lambda tx: self._facts.user_slug(tx, user_id))
            except MaceError as error:
                reason = str(error)
            except ValueError:
                reason = "a user_id must name somebody"
        return None if reason is None else {"code": "INVALID_INPUT", "details": {"reason": reason}}

    def _snapshot(self, tx: Tx) -> dict[str, Any]:
        switches = {}
        for key in router.TOGGLE_KEYS.values():
            found = self._facts.look(tx, key)
            if found["exists"]:
                switches[key] = found["value"]
        held = tx.notes.get(HEALTH)
        return {
            "kind": "job",
            "constants": asdict(self._rules),
            "health": health.Health().to_json() if held is None else canon.loads(held),
            "has_engine": self._world.language is not None,
            "privacy_policy": {
                "sensitivity": dict(sorted(SENSITIVITY.items())),
                "rules": {name: rule.version for name, rule in sorted(RULES.items())},
            },
            "switches": switches,
            "system_version": self._world.system_version,
        }

    def _expected(self, tx: Tx, in_reply_to: str | None, user_id: str | None) -> str | None:
        """Where the reply to a miss belongs: the key that the earlier question of the same user asked for."""
        if in_reply_to is None:
            return None
        job = tx.jobs.get(in_reply_to)
        kept = self._vault.blob(tx, f"expects/{in_reply_to}")
        if job is None or kept is None or user_id is None:
            return None
        if job.person != self._facts.user_slug(tx, user_id):
            return None
        key: str = canon.loads(kept)["key"]
        return key

    # Closing

    def _close(self, tape: LiveTape, received: dict[str, Any], heard: Heard, started: float) -> dict[str, Any]:
        clock = self._world.clock.monotonic_ms
        total = tape.observe("total_ms", lambda: round(clock() - started, 3))
        snapshot = sem_snapshot(heard.facts_read)
        payload = log_payload(tape, received, heard, total, snapshot_hash(snapshot), self._world.system_version)
        result = result_of(tape, received, heard)
        journal = TapeJournal(tape)
        if heard.expects_key is not None:
            tape.keep("expects", {"key": heard.expects_key})

        def unit(tx: Tx) -> None:
            record = tx.records.get("snapshot", snapshot_hash(snapshot))
            if record is None:
                record = records.make("snapshot", snapshot_hash(snapshot), snapshot, self._world.keys.sign)
                tx.records.add(record)
            tape.event("SNAPSHOT_TAKEN", {"snapshot": record.key, "record": records.reference(record)})
            self._logs.write(tx, journal, payload, tape.person)
            tape.event("JOB_CLOSED", closing(tape, result))
            tx.jobs.set_status(tape.stream, "closed")
            self._after(tx, heard)

        tape.store(unit)
        return result

    def _after(self, tx: Tx, heard: Heard) -> None:
        """What a question leaves for the next one: module states, alerts, the count of fallbacks."""
        if heard.observed:
            held = tx.notes.get(HEALTH)
            state = health.Health() if held is None else health.Health.from_json(canon.loads(held))
            before = state
            for seen in heard.observed:
                state, _ = health.observe(state, seen, self._rules.health)
            if state != before:
                tx.notes.put(HEALTH, canon.dumps(state.to_json()).decode())
        for notice in heard.notices:
            if notice["severity"] != "info":
                self._failures.occurred(tx, notice["error_code"], notice["meta"].get("agent_id", "ask"))
        if any(entry["route_reason"] == "fallback" for entry in heard.route_trace):
            tx.notes.put(FALLBACKS, str(int(tx.notes.get(FALLBACKS) or "0") + 1))

    def _unrecorded(self, code: str, seed: str, query_id: str | None, reason: str) -> dict[str, Any]:
        """An answer that says why there is none; nothing of it is in the log."""
        told = envelope(
            code,
            query_id=query_id or seeds.job_id(seed),
            trace_id=seeds.trace_id(seed),
            timestamp=iso_ms(self._recorder.now_ms()),
            details={"reason": reason},
        )
        return {
            "job_id": seeds.job_id(seed),
            "log_id": None,
            "query_id": query_id or seeds.job_id(seed),
            "text": told["user_message"],
            "answer": None,
            "agent_id": None,
            "route_reason": None,
            "route_trace": [],
            "confidence": 0.0,
            "evidence": [],
            "error": told,
            "notices": [told],
        }


def _encodable(text: str) -> str:
    """Without lone surrogates, which no store and no log can hold."""
    return text.encode("utf-8", "replace").decode()


def result_of(tape: Any, received: Mapping[str, Any], heard: Heard) -> dict[str, Any]:
    """The answer as `ask` gives it; a function of what was heard."""
    parts = [notice["user_message"] for notice in heard.notices if notice["user_message"]]
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
    tape: Any, received: Mapping[str, Any], heard: Heard, total_ms: float, sem_hash: str, system_version: str
) -> dict[str, Any]:
    """The reflective log of a question; a function of what was heard."""
    return {
        "log_id": seeds.log_id(tape.job_seed),
        "created_at": tape.timestamp(),
        "source": received["source"],
        "query_id": received["query_id"],
        "query_text_hash": received["query_text_hash"],
        "qcp_summary": {
            "depth_level": router.DEPTH,
            "intent_tags": [heard.route_reason] if heard.route_reason else [],
            "urgency": "normal",
        },
        "agents_invoked": heard.invoked,
        "agent_outputs": heard.outputs,
        "council_votes": heard.votes,
        "final_answer": {
            "answer": heard.answer,
            "error_code": heard.notices[0]["error_code"] if heard.notices else None,
        },
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


def closing(tape: Any, result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "log_id": result["log_id"],
        "error_code": None if result["error"] is None else result["error"]["error_code"],
        "result_hash": tape.keep("result", dict(result)),
    }
