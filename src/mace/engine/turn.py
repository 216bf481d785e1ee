"""One question, from what was received to what is answered; the same code live and on replay.

It decides by what is on the tape and nothing else. Agents are driven step by step; each effect goes through the tape.
Failures are answers: every one becomes its envelope in `notices`, its event and its mitigation.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from mace.agents import council, evaluators, health, router
from mace.agents.asking import Agent, Decline, Effect, Reply, Result, Task
from mace.agents.council import CouncilRules
from mace.agents.directory import TRUST
from mace.agents.health import HealthRules
from mace.agents.verification import verify_answer
from mace.core import canon, seeds
from mace.core.errors import envelope
from mace.engine.tape import Outcome, Tape, Unreadable
from mace.governance.detectors import LOW, detect
from mace.providers.ports import TimedOut
from mace.storage.ports import Tx

# Ends the question; everything else lets another agent try.
_FALL_BACK = ("AGENT_TIMEOUT", "AGENT_ERROR")
_TRANSIENT = ("server", "network", "timeout", "rate")


class Hands(Protocol):
    """What performs effects; on replay nobody has hands."""

    def perform(self, effect: Effect, limit_ms: float) -> Outcome: ...
    def write(self, tx: Tx, effect: Effect) -> Outcome: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRules:
    """The constants of a question; part of the job's snapshot."""

    agent_timeout_ms: int = 10_000
    max_query_length: int = 8_000
    council: CouncilRules = field(default_factory=CouncilRules)
    health: HealthRules = field(default_factory=HealthRules)


@dataclass(slots=True)
class Heard:
    """What a question has come to so far."""

    notices: list[dict[str, Any]] = field(default_factory=list)
    route_trace: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    votes: list[dict[str, Any]] = field(default_factory=list)
    invoked: list[str] = field(default_factory=list)
    per_agent_ms: dict[str, float] = field(default_factory=dict)
    facts_read: dict[str, dict[str, Any]] = field(default_factory=dict)
    observed: list[health.Observation] = field(default_factory=list)
    tokens: int = 0
    repairs: int = 0
    answer: str | None = None
    agent_id: str | None = None
    route_reason: str | None = None
    confidence: float = 0.0
    evidence: tuple[evaluators.Evidence, ...] = ()
    expects_key: str | None = None


class Turn:
    def __init__(
        self,
        tape: Tape,
        received: Mapping[str, Any],
        snapshot: Mapping[str, Any],
        rules: TurnRules,
        agents: Mapping[str, Agent],
        hands: Hands | None,
        run_step: Callable[[Callable[[], Any], float], Any],
        clock_ms: Callable[[], float],
    ) -> None:
        self._tape = tape
        self._received = received
        self._rules = rules
        self._agents = agents
        self._hands = hands
        self._run_step = run_step
        self._clock_ms = clock_ms
        self._snapshot = snapshot
        self._health = health.Health.from_json(snapshot["health"])
        self._verdicts = 0
        self.heard = Heard()

    @property
    def _text(self) -> str:
        text: str = self._received["text"]
        return text

    @property
    def _user_id(self) -> str | None:
        user_id: str | None = self._received["user_id"]
        return user_id

    def run(self) -> Heard:
        tape, received = self._tape, self._received
        tape.event("INPUT_RECEIVED", {"input_hash": tape.keep("input", dict(received)), "source": received["source"]})
        for flag in received["flags"]:
            tape.event("PII_FLAGGED", flag)
        if received["refused"] is not None:
            self._fail(received["refused"]["code"], received["refused"]["details"])
            return self.heard
        if any(flag["sensitivity"] == "high" for flag in received["flags"]):
            self._fail("PRIVACY_BLOCKED", {"pii_type": received["flags"][0]["pii_type"]})
            return self.heard
        self._route()
        return self.heard

    # Routing

    def _route(self) -> None:
        removed = [name for name in sorted(self._agents) if self._unusable(name)]
        enabled = router.switches(self._snapshot["switches"])
        iteration = 0
        while True:
            iteration += 1
            decision = self._decide(enabled, removed)
            self.heard.route_trace.append(decision.trace_entry(iteration))
            record = router.router_decision_record(decision, self._text, self._user_id, self._tape.timestamp())
            self._tape.event("router_decision", {**record, "query_hash": self._received["query_text_hash"]})
            if decision.agent_id is None:
                self._fail("ROUTER_NO_MATCH", {"query_hash": self._received["query_text_hash"]})
                return
            self.heard.agent_id = decision.agent_id
            self.heard.route_reason = self.heard.route_reason or decision.route_reason
            if self._ask(decision.agent_id):
                return
            removed.append(decision.agent_id)

    def _decide(self, enabled: dict[str, bool], removed: list[str]) -> router.Decision:
        if self._received["expected_key"] is not None and "profile_agent" not in removed:
            candidate = router.Candidate("profile_agent", "reply_to_miss")
            return router.Decision((candidate,), tuple(removed), None)
        return router.decide(self._text, self._user_id, enabled=enabled, removed=removed)

    def _unusable(self, agent_id: str) -> bool:
        """Whether a module is out; one whose time has passed is tried again."""
        at_ms: int = self._received["at_ms"]
        use = health.usability(self._health, agent_id, at_ms, self._rules.health)
        if use is health.Usability.PROBATION:
            self._observe(health.TriedAgain(module_id=agent_id, at_ms=at_ms))
        return use is health.Usability.NO

    def _observe(self, seen: health.Observation) -> None:
        self.heard.observed.append(seen)
        self._health, events = health.observe(self._health, seen, self._rules.health)
        for event in events:
            self._tape.event(event.event_type, dict(event.payload))

    # Agents

    def _ask(self, agent_id: str) -> bool:
        """Let an agent answer; say whether the question is settled."""
        task = Task(
            text=self._text,
            user_id=self._user_id,
            expected_key=self._received["expected_key"],
            has_engine=self._snapshot["has_engine"],
        )
        reply = self._reply(agent_id, task)
        if isinstance(reply, Decline):
            self._tape.event("AGENT_DECLINED", {"agent_id": agent_id, "reason": reply.reason})
            return False
        if reply.failed in _FALL_BACK:
            return False  # told already
        if reply.failed is not None:
            self.heard.expects_key = reply.expects_key
            self._fail(reply.failed, dict(reply.details))
            if reply.text is None:
                return True
        self._deliberate(agent_id, task, reply)
        return True

    def _reply(self, agent_id: str, task: Task) -> Reply | Decline:
        """Drive an agent, once more if it failed in passing and the seed says so."""
        retry = seeds.seeded_yes(self._tape.job_seed)
        for attempt in (1, 2):
            reply = self._drive(agent_id, task, attempt)
            passing = isinstance(reply, Reply) and (reply.failed == "AGENT_TIMEOUT" or _transient(reply))
            if not passing or not retry or attempt == 2:
                break
            self._tape.event("RETRY_ATTEMPT", {"agent_id": agent_id, "attempt_index": attempt})
        if isinstance(reply, Reply) and reply.failed not in _FALL_BACK:
            self._observe(health.Succeeded(module_id=agent_id, at_ms=self._received["at_ms"]))
        return reply

    def _drive(self, agent_id: str, task: Task, attempt: int) -> Reply | Decline:
        tape = self._tape
        tape.event("AGENT_INVOKED", {"agent_id": agent_id, "attempt": attempt})
        self.heard.invoked.append(agent_id)
        started = self._clock_ms()
        reply = self._steps(agent_id, task, started)
        took = tape.observe("agent_ms", lambda: round(self._clock_ms() - started, 3))
        self.heard.per_agent_ms[agent_id] = round(self.heard.per_agent_ms.get(agent_id, 0) + took, 3)
        if isinstance(reply, Reply) and reply.failed in _FALL_BACK:
            self._module_failed(agent_id, reply)
        elif isinstance(reply, Reply):
            self._output(agent_id, reply, took)
        return reply

    def _steps(self, agent_id: str, task: Task, started: float) -> Reply | Decline:
        """Run an agent; its own code under the time limit, its effects through the tape."""
        limit = self._rules.agent_timeout_ms
        result: Result | None = None
        running = _Running(self._agents.get(agent_id), task)
        while True:
            ended = self._tape.agent_ended(agent_id)
            if ended is not None:
                return Reply(text=None, confidence=0.0, failed=ended["event_type"], details=ended["payload"])
            left = limit - (self._clock_ms() - started)
            try:
                effect = self._run_step(running.step(result), left)
            except TimedOut:
                details = {"agent_id": agent_id, "timeout_ms": limit}
                return Reply(text=None, confidence=0.0, failed="AGENT_TIMEOUT", details=details)
            except Exception as error:
                details = {"agent_id": agent_id, "exception": type(error).__name__}
                return Reply(text=None, confidence=0.0, failed="AGENT_ERROR", details=details)
            if isinstance(effect, Reply | Decline):
                return effect
            outcome = self._effect(effect, max(limit - (self._clock_ms() - started), 1))
            result = Result(outcome.value, outcome.failed)

    def _effect(self, effect: Effect, limit_ms: float) -> Outcome:
        hands = self._hands
        if effect.writes:
            outcome = self._tape.writing(effect.kind, effect.request, lambda tx: _of(hands).write(tx, effect))
        else:
            outcome = self._tape.effect(effect.kind, effect.request, lambda: _of(hands).perform(effect, limit_ms))
        self._note_read(effect, outcome)
        return outcome

    def _note_read(self, effect: Effect, outcome: Outcome) -> None:
        if effect.kind in ("read_profile", "read_knowledge", "read_fact") and not outcome.failed:
            value = outcome.value
            self.heard.facts_read[value["key"]] = {"version": value["version"], "value_hash": value["value_hash"]}

    def _module_failed(self, agent_id: str, reply: Reply) -> None:
        details = {"agent_id": agent_id, **reply.details}
        self._fail(str(reply.failed), details, once=True)
        kind: Any = "timeout" if reply.failed == "AGENT_TIMEOUT" else "error"
        self._observe(health.Failed(module_id=agent_id, at_ms=self._received["at_ms"], kind=kind))

    def _output(self, agent_id: str, reply: Reply, took: float) -> None:
        output = {
            "agent_id": agent_id,
            "text": reply.text or "",
            "confidence": reply.confidence,
            "reasoning_trace": list(reply.trace),
            "tokens": reply.tokens,
            "time_ms": took,
        }
        self.heard.tokens += reply.tokens
        number = len(self.heard.outputs)
        self.heard.outputs.append(output)
        self._tape.event(
            "AGENT_OUTPUT", {"agent_id": agent_id, "output_hash": self._tape.keep(f"output/{number}", output)}
        )

    # Council

    def _deliberate(self, agent_id: str, task: Task, reply: Reply) -> None:
        state = council.CouncilState()
        texts: dict[str, Reply] = {}
        checked: evaluators.Evidence | None = None
        while True:
            candidate_id = f"{agent_id}/{state.repairs}"
            texts[candidate_id] = reply
            candidate = self._candidate(candidate_id, agent_id, reply, checked)
            ballot = evaluators.hear(candidate)
            verdict = council.deliberate(state, [ballot], evaluators.MEMBERS, self._rules.council)
            self.heard.votes = [vote.to_json() for vote in ballot.votes]
            self._record_verdict(verdict)
            state = verdict.state
            match verdict.outcome:
                case council.Outcome.REPAIR:
                    self.heard.repairs += 1
                    again = self._reply(
                        agent_id, replace(task, suggestions=verdict.suggestions, previous=reply.text or "")
                    )
                    if isinstance(again, Reply) and again.text is not None and again.failed is None:
                        reply = again
                case council.Outcome.TIE_BREAK if verdict.step == 2:
                    checked = self._verify(reply)
                case council.Outcome.TIE_BREAK:
                    pass
                case _:
                    self._conclude(verdict, texts)
                    return

    def _candidate(
        self, candidate_id: str, agent_id: str, reply: Reply, checked: evaluators.Evidence | None
    ) -> evaluators.Candidate:
        own = any(item.kind in ("fact", "operation") for item in reply.evidence)
        findings = tuple(
            evaluators.Finding(pii_type=item.type, sensitivity=item.sensitivity, covered=own)  # type: ignore[arg-type]
            for item in detect(reply.text or "")
            if item.sensitivity != LOW
        )
        return evaluators.Candidate(
            candidate_id=candidate_id,
            question=self._text,
            text=reply.text or "",
            confidence=reply.confidence,
            agent_id=agent_id,
            trust=TRUST.get(agent_id, 0.5),
            evidence=reply.evidence if checked is None else (*reply.evidence, checked),
            findings=findings,
        )

    def _record_verdict(self, verdict: council.Verdict) -> None:
        """The whole verdict may quote the answer: it lies sealed, its numbers in sight."""
        self._verdicts += 1
        self._tape.event(
            "COUNCIL_VERDICT",
            {
                "outcome": verdict.outcome.value,
                "step": verdict.step,
                "score": verdict.score,
                "confidence": verdict.confidence,
                "verdict_hash": self._tape.keep(f"verdict/{self._verdicts}", verdict.to_json()),
            },
        )

    def _verify(self, reply: Reply) -> evaluators.Evidence | None:
        """Tie-break 2: one look by the verification agent."""
        self._tape.event("AGENT_INVOKED", {"agent_id": "verification_agent", "attempt": 1})
        self.heard.invoked.append("verification_agent")
        steps = verify_answer(self._text, reply.text or "", reply.evidence, self._snapshot["has_engine"])
        result: Result | None = None
        while True:
            try:
                effect = steps.send(result)  # type: ignore[arg-type]  # None starts it
            except StopIteration as stop:
                found: evaluators.Evidence | None = stop.value
                return found
            outcome = self._effect(effect, self._rules.agent_timeout_ms)
            result = Result(outcome.value, outcome.failed)

    def _conclude(self, verdict: council.Verdict, texts: dict[str, Reply]) -> None:
        heard = self.heard
        if verdict.error_code is not None:
            self._fail(
                verdict.error_code,
                {
                    "score": verdict.score,
                    "confidence": verdict.confidence,
                    "loops": heard.repairs,
                    "threshold": self._rules.council.min_confidence
                    if verdict.error_code == "LOW_CONFIDENCE"
                    else self._rules.council.credential_threshold,
                },
            )
        heard.confidence = verdict.confidence
        if verdict.candidate_id is not None and verdict.candidate_id in texts:
            chosen = texts[verdict.candidate_id]
            heard.answer = chosen.text
            heard.evidence = chosen.evidence

    # Failures

    def _fail(self, code: str, details: dict[str, Any], once: bool = False) -> None:
        """Tell a failure: its event, and its envelope among the notices."""
        known = {name: value for name, value in details.items() if isinstance(value, str | int | float | bool)}
        self._tape.event(_EVENT_OF.get(code, code), {**known, **self._about(code)})
        if once and any(notice["error_code"] == code for notice in self.heard.notices):
            return
        self.heard.notices.append(
            envelope(
                code,
                query_id=self._received["query_id"],
                trace_id=seeds.trace_id(self._tape.job_seed),
                timestamp=self._tape.timestamp(),
                details=known,
            )
        )

    def _about(self, code: str) -> dict[str, Any]:
        if code in ("SEM_NOT_FOUND", "ROUTER_NO_MATCH"):
            return {"query_id": self._received["query_id"], "user_id": self._user_id}
        return {}


# The events of the stage 0 text for what it names otherwise than the code.
_EVENT_OF = {"SEM_NOT_FOUND": "sem_miss", "ROUTER_NO_MATCH": "router_miss", "SEM_WRITE_FAIL": "MEMORY_WRITE_FAIL"}


class _Running:
    """An agent between two effects. A plain function that returns a reply will do as an agent, too."""

    def __init__(self, agent: Agent | None, task: Task) -> None:
        self._agent = agent
        self._task = task
        self._steps: Generator[Effect, Result, Any] | None = None

    def step(self, result: Result | None) -> Callable[[], Any]:
        if self._agent is None:
            raise Unreadable("the code of the agent that answered", erased=False)
        agent = self._agent

        def run() -> Any:
            try:
                if self._steps is None:
                    started = agent(self._task)
                    if not isinstance(started, Generator):
                        return started
                    self._steps = started
                    return next(self._steps)
                return self._steps.send(result)  # type: ignore[arg-type]  # set after the first
            except StopIteration as stop:
                return stop.value

        return run


def _of(hands: Hands | None) -> Hands:
    if hands is None:
        raise RuntimeError("a replay performs nothing")
    return hands


def _transient(reply: Reply) -> bool:
    """Whether a language engine failed in passing: not for want of a key."""
    if reply.failed != "LLM_SERVICE_DOWN":
        return False
    attempts = reply.details.get("attempts") or []
    return any(attempt.get("kind") in _TRANSIENT for attempt in attempts)


def sem_snapshot(facts_read: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What was known when the question was decided: each key that was read, with its version."""
    return {"kind": "sem", "keys": {key: dict(facts_read[key]) for key in sorted(facts_read)}}


def snapshot_hash(snapshot: Mapping[str, Any]) -> str:
    return canon.hash_of(dict(snapshot))
