"""One question, from what was received to what is answered; the same code live and on replay.

The turn is the middle of a question's job (`kernel.job`): the program makes one, runs it, and builds the ending from
the `TurnState` it leaves. It goes once through these steps, each leaving its events on the tape:

    received -> privacy gate -> router -> agent -> council -> concluded
                                  ^         |         |
                                  |         |         +-- repair: the same agent once more, with suggestions
                                  +---------+------------ declined, failed or out of time: the next candidate

It decides by what is on the tape, in the snapshot and in the rules of the job's versions, and by nothing else. Failures
are answers: every one becomes its envelope in `notices`, its event and its mitigation. Agents are driven by
`agent_driver`. What decides (who is asked, what the evaluators and the council say) is taken from `rules` by name
(`agents.rules`), never imported, so that a job is decided again by the versions that decided it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mace.agents import council, evaluators, gate, health, naming, outputs, router
from mace.agents.asking import Agent, Decline, Effect, Reply, Task
from mace.agents.council import CouncilRules
from mace.agents.evidence import Evidence
from mace.agents.gate import Gate
from mace.agents.health import LANGUAGE_ENGINE, SEMANTIC_MEMORY, HealthRules
from mace.core import seeds
from mace.core.errors import envelope
from mace.engine.kernel import retry
from mace.engine.kernel.job import Hands
from mace.engine.kernel.privacy import Flag, Own
from mace.engine.kernel.tape import Outcome, Tape
from mace.engine.questions.agent_driver import ABOUT_THE_JOB, FALL_BACK, FLAGGED, Driver, Ended
from mace.governance.detectors import LOW

_STORE_FAILED = ("DATA_UNAVAILABLE", "SEM_WRITE_FAIL", "STORAGE_FULL")
_READ_EFFECTS = ("read_profile", "find_profile", "list_profile", "read_knowledge", "read_fact")
_MEMORY_EFFECTS = (*_READ_EFFECTS, "find_knowledge", "write_profile", "write_fact", "request_deletion")
# What these give passed the gate when it was stored, or was made here: a number, the id of a request.
_OWN_EFFECTS = (*_MEMORY_EFFECTS, "compute", "recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRules:
    """The constants of a question; part of the job's snapshot."""

    agent_timeout_ms: int = 10_000
    max_query_length: int = 8_000
    prompt_memory_tokens: int = 2_000
    council: CouncilRules = field(default_factory=CouncilRules)
    health: HealthRules = field(default_factory=HealthRules)
    engine_timeout_ms: int = 60_000  # how long a language engine may take, all attempts together
    tokens: outputs.OutputTokens = field(default_factory=outputs.OutputTokens)
    second_tokens: int = 0  # of a second attempt after an answer that was cut off; 0: there is none


@dataclass(slots=True)
class TurnState:
    """What a question has come to so far."""

    notices: list[dict[str, Any]] = field(default_factory=list)
    route_trace: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    turns: list[dict[str, Any]] = field(default_factory=list)  # the outputs, and of whoever gave none, why
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
    evidence: tuple[Evidence, ...] = ()
    expects_key: str | None = None


class Turn:
    """Decides by the tape alone. A failure is an answer: its envelope in `notices`, its event, its mitigation."""

    def __init__(
        self,
        tape: Tape,
        received: Mapping[str, Any],
        snapshot: Mapping[str, Any],
        constants: TurnRules,
        rules: Mapping[str, Any],
        agents: Mapping[str, Agent],
        hands: Hands,
        brought: Collection[str] = (),
    ) -> None:
        self._brought = brought  # agents that are not ours: what they are given may leave this process
        self._tape = tape
        self._received = received
        self._constants = constants
        self._rules = rules
        self._agents = agents
        self._driver = Driver(
            tape, agents, hands, constants.agent_timeout_ms, self._note_effect, constants.engine_timeout_ms, self._asks
        )
        self._snapshot = snapshot
        self._health = health.Health.from_json(snapshot["health"])
        self._text: str = received["text"]
        self._user_id: str | None = received["user_id"]
        self._verdicts = 0
        self._spent = 0  # tokens, by effects
        self._gate: Gate = rules["gate"]
        self._names: naming.Naming = rules["names"]
        self._known: set[str] = set()  # keys that are names of something, whoever asks
        self._own = Own(received["text"])
        self._done: set[str] = set()  # the effects that wrote something
        self._looked = False  # the world's facts were looked at
        self._judged_before: list[tuple[Reply, council.CouncilVote | None]] = []
        self._cut: list[evaluators.Finding] = []  # of what an engine said to the agent that is driven
        self._short: list[dict[str, Any]] = []  # of what an engine said last to the agent that is driven: it is cut off
        self._not_whole: list[tuple[Reply, dict[str, Any]]] = []
        self._driven = ""
        self._screened: list[tuple[Reply, tuple[evaluators.Finding, ...]]] = []  # replies, and what was cut out of them
        self._out: tuple[str, ...] = ()  # agents that are offline
        self.heard = TurnState()

    def run(self) -> TurnState:
        """Run the turn to its end and return its state."""
        tape, received = self._tape, self._received
        tape.event("INPUT_RECEIVED", {"input_hash": tape.keep("input", dict(received)), "source": received["source"]})
        for flag in received["flags"]:
            tape.event("PII_FLAGGED", flag)
        if received.get("consent"):
            tape.event("PII_CONSENT", received["consent"])
        for used in received.get("more_consents", ()):
            tape.event("PII_CONSENT", used)
        if received["refused"] is not None:
            self._fail(received["refused"]["code"], received["refused"]["details"])
            return self.heard
        if received.get("lost_reply"):
            self._fail("NOT_FOUND", {"what": "the question that this replies to"})
        high = [flag for flag in received["flags"] if flag["sensitivity"] == "high"]
        if high:
            self._fail("PRIVACY_BLOCKED", {"pii_type": high[0]["pii_type"]})
            return self.heard
        self._route()
        return self.heard

    # Routing

    def _route(self) -> None:
        removed = [name for name in sorted(self._agents) if self._usability(name) is health.Usability.NO]
        self._out = tuple(removed)
        enabled = router.switches(self._snapshot["switches"])
        iteration = 0
        while True:
            iteration += 1
            decision = self._decide(enabled, removed)
            unable = set(self._rules["orders"](self._text, removed)).difference(self._brought)
            unasked = [candidate.agent_id for candidate in decision.candidates if candidate.agent_id in unable]
            if unasked:
                removed += unasked
                decision = self._decide(enabled, removed)
            self.heard.route_trace.append(decision.trace_entry(iteration))
            record = router.router_decision_record(decision, self._text, self._named, self._tape.timestamp())
            self._tape.event("router_decision", {**record, "query_hash": self._received["query_text_hash"]})
            if decision.agent_id is None:
                self._no_answer("ROUTER_NO_MATCH", {})
                return
            self.heard.agent_id, self.heard.route_reason = decision.agent_id, decision.route_reason
            self._try_again(decision.agent_id)
            if self._ask(decision.agent_id):
                return
            removed.append(decision.agent_id)

    def _no_answer(self, code: str, details: dict[str, Any]) -> None:
        """Tell why there is no answer; where whoever it is for is offline, that."""
        if self._out:
            enabled = router.switches(self._snapshot["switches"])
            wanted = [candidate.agent_id for candidate in self._decide(enabled, []).candidates]
            missed: str | None = self._rules["absent"](code, wanted, self._out)
            if missed is not None:
                code, details = "SERVICE_UNAVAILABLE", {"reason": f"{missed} is offline", "agent_id": missed}
        self._fail(code, details)

    @property
    def _named(self) -> str | None:
        """Who asked: the slug alone, as in keys; in older jobs as it was typed."""
        person: str | None = self._received.get("person", self._user_id)
        return None if person is None else person.removeprefix("user_") if "person" in self._received else person

    def _decide(self, enabled: dict[str, bool], removed: list[str]) -> router.Decision:
        key = self._received["expected_key"]
        waits = key is not None and self._user_id is not None
        if waits and "profile_agent" not in removed and self._rules["reply_to_miss"](self._text, key):
            candidate = router.Candidate("profile_agent", "reply_to_miss")
            return router.Decision((candidate,), tuple(removed), None)
        decided: router.Decision = self._rules["router"](self._text, self._user_id, enabled=enabled, removed=removed)
        return decided

    # Health

    def _usability(self, module_id: str) -> health.Usability:
        return health.usability(self._health, module_id, self._received["at_ms"], self._constants.health)

    def _try_again(self, module_id: str) -> None:
        """A module that is out and whose time has passed is on probation as soon as it is used, and not before."""
        if self._usability(module_id) is health.Usability.PROBATION:
            self._observe(health.TriedAgain(module_id=module_id, at_ms=self._received["at_ms"]))

    def _observe(self, seen: health.Observation) -> None:
        self.heard.observed.append(seen)
        self._health, events = health.observe(self._health, seen, self._constants.health)
        for event in events:
            self._tape.event(event.event_type, dict(event.payload))

    def _went_well(self, module_id: str) -> None:
        if self._health.of(module_id).status is not health.Status.HEALTHY:
            self._observe(health.Succeeded(module_id=module_id, at_ms=self._received["at_ms"]))

    def _note_effect(self, effect: Effect, outcome: Outcome) -> None:
        """What an effect showed: facts that were read, tokens that were spent, how the services behind it are."""
        value, at_ms = outcome.value, self._received["at_ms"]
        if effect.writes and not outcome.failed:
            self._done.add(effect.kind)
        self._looked = self._looked or effect.kind in ("read_knowledge", "find_knowledge")
        if effect.kind in _READ_EFFECTS and not outcome.failed:
            for fact in value.get("found", (value,)):
                self._note_fact(fact)
            if value.get("known"):
                self._known.add(value["key"])
        if effect.kind == "complete" and not outcome.failed:
            self._spent += value["input_tokens"] + value["output_tokens"]
            self._cut = [_finding(flag["pii_type"], flag["sensitivity"]) for flag in outcome.flags]
            short = self._rules["cut"](self._driven, effect, value)
            self._short = [] if short is None else [short]
        if effect.kind in _OWN_EFFECTS and not outcome.failed:
            self._own.add_stored(value)
        service, down = None, False
        if effect.kind == "complete" and self._snapshot["has_engine"]:
            service, down = LANGUAGE_ENGINE, outcome.failed == "LLM_SERVICE_DOWN"
            if outcome.failed and (not down or value.get("api_key_status") == "missing" or value.get("not_asked")):
                return  # it was not asked
            if down and value.get("reached"):
                return  # it works, and gave nothing for this question
        elif effect.kind in _MEMORY_EFFECTS:
            service, down = SEMANTIC_MEMORY, outcome.failed in _STORE_FAILED
        if service is not None:
            self._try_again(service)
            if down:
                self._observe(health.Failed(module_id=service, at_ms=at_ms, kind="unavailable"))
            else:
                self._went_well(service)

    def _note_fact(self, fact: Mapping[str, Any]) -> None:
        if fact.get("known"):
            self._known.add(fact["key"])
        key = self._names(fact["key"], self._known, self._tape.name_hash)
        self.heard.facts_read[key] = {"version": fact["version"], "value_hash": fact["value_hash"]}

    # Agents

    def _ask(self, agent_id: str) -> bool:
        """Let an agent answer; say whether the question is settled."""
        received = self._received
        is_outward = agent_id in self._brought and "outward_text" in received
        withheld = received.get("outward_withheld" if is_outward else "withheld")
        task = Task(
            text=received["outward_text"] if is_outward else self._text,
            user_id=self._user_id,
            expected_key=received["expected_key"],
            has_engine=self._snapshot["has_engine"]
            and (agent_id in self._brought or self._rules["engine_offered"](self._text)),
            withheld=None if withheld is None else tuple(withheld),
            spoken_of=None if is_outward else received.get("spoken_of"),
            conversation_id=received.get("conversation_id"),
            memory_tokens=self._constants.prompt_memory_tokens,
        )
        reply = self._reply(agent_id, task)
        if isinstance(reply, Decline):
            self._tape.event("AGENT_DECLINED", {"agent_id": agent_id, "reason": reply.reason})
            return False
        if reply.failed in FALL_BACK:
            return False  # told already
        if reply.failed is not None:
            self.heard.expects_key = reply.expects_key
            if reply.text is None:
                self._no_answer(reply.failed, dict(reply.details))
                return True
            self._fail(reply.failed, dict(reply.details))
        judged = self._stored_first(agent_id, reply)
        if isinstance(judged, Decline):
            self._tape.event("AGENT_DECLINED", {"agent_id": agent_id, "reason": judged.reason})
            return False
        self._deliberate(agent_id, task, judged)
        return True

    def _reply(self, agent_id: str, task: Task) -> Reply | Decline:
        """Drive an agent, once more if it failed in passing and the seed says so."""
        attempt = 1
        while True:
            reply = self._drive(agent_id, task, attempt)
            if isinstance(reply, Decline):
                return reply
            failure = retry.agent_failure(reply.failed, reply.details)
            if retry.decide(failure, attempt, self._tape.job_seed) is None:
                break
            self._tape.event("RETRY_ATTEMPT", {"agent_id": agent_id, "attempt_index": attempt})
            attempt += 1
        if reply.failed not in FALL_BACK:
            self._went_well(agent_id)
        return reply

    def _drive(self, agent_id: str, task: Task, attempt: int) -> Reply | Decline:
        self._tape.event("AGENT_INVOKED", {"agent_id": agent_id, "attempt": attempt})
        self.heard.invoked.append(agent_id)
        before = self._spent
        self._cut, self._short, self._driven = [], [], agent_id
        said, took = self._driver.timed(lambda: self._driver.run(agent_id, task))
        self._took(agent_id, took)
        spent = self._spent - before
        reply = self._let_pass(agent_id, said)
        if isinstance(reply, Decline):
            self.heard.turns.append(_silent(agent_id, f"declined: {reply.reason}", took, spent))
        elif reply.failed in FALL_BACK:
            self.heard.turns.append(_silent(agent_id, f"failed: {reply.failed}", took, spent))
        if isinstance(reply, Reply) and reply.failed in FALL_BACK:
            self.heard.tokens += spent
            self._module_failed(agent_id, reply)
        elif isinstance(reply, Reply):
            self._not_whole += [(reply, told) for told in self._short]
            self._output(agent_id, reply, took, max(spent, reply.tokens))
        return reply

    def _let_pass(self, agent_id: str, said: Reply | Decline) -> Reply | Decline:
        """What an agent said, as the gate lets it onto the record; what was cut is told to the council."""
        if self._gate.screen is None or isinstance(said, Ended):
            return said
        is_foreign = agent_id in self._brought
        reply, cut = self._gate.screen(said, self._rules["detectors"], self._own.covers, is_foreign)
        for item in cut:
            flag = Flag(item.pii_type, item.sensitivity, item.rule, self._tape.pii_hash(item.span))
            self._tape.event("PII_FLAGGED", flag.payload())
        if isinstance(reply, Reply):
            found = [_finding(item.pii_type, item.sensitivity) for item in cut]
            found += self._cut if gate.holds_placeholder(reply) else []
            self._screened.append((reply, tuple(dict.fromkeys(found))))
        return reply

    def _asks(self, agent_id: str, effect: Effect) -> Effect:
        """An effect as it is performed for an agent; what somebody brought asks for what it says."""
        if agent_id in self._brought:
            return effect
        asked: Effect = self._rules["tokens"](agent_id, effect, self._constants.tokens)
        return asked

    def _took(self, agent_id: str, milliseconds: float) -> None:
        so_far = self.heard.per_agent_ms.get(agent_id, 0)
        self.heard.per_agent_ms[agent_id] = round(so_far + milliseconds, 3)

    def _module_failed(self, agent_id: str, reply: Reply) -> None:
        self._fail(str(reply.failed), {**reply.details, "agent_id": agent_id})
        for flag in reply.details.get(FLAGGED, ()):
            self._tape.event("PII_FLAGGED", flag)
        kind: Any = "timeout" if reply.failed == "AGENT_TIMEOUT" else "error"
        self._observe(health.Failed(module_id=agent_id, at_ms=self._received["at_ms"], kind=kind))

    def _output(self, agent_id: str, reply: Reply, took: float, tokens: int) -> None:
        output = {
            "agent_id": agent_id,
            "text": reply.text or "",
            "confidence": reply.confidence,
            "reasoning_trace": list(reply.trace),
            "tokens": tokens,
            "time_ms": took,
        }
        self.heard.tokens += tokens
        number = len(self.heard.outputs)
        self.heard.outputs.append(output)
        self.heard.turns.append(output)
        self._tape.event(
            "AGENT_OUTPUT", {"agent_id": agent_id, "output_hash": self._tape.keep(f"output/{number}", output)}
        )

    # Council

    def _deliberate(self, agent_id: str, task: Task, reply: Reply) -> None:
        state = council.CouncilState()
        panel = self._rules["evaluators"]
        texts: dict[str, Reply] = {}
        checked: Evidence | None = None
        before: str | None = None  # the text that the last repair began with
        while True:
            candidate_id = f"{agent_id}/{state.repairs}"
            texts[candidate_id] = reply
            candidate = self._candidate(candidate_id, agent_id, reply, checked)
            ballot: council.Ballot = panel.hear(candidate, self._done, self._judged(reply))
            limits = self._limits(agent_id, state, before, reply)
            verdict: council.Verdict = self._rules["council"](state, [ballot], panel.members, limits)
            self.heard.votes = [vote.to_json() for vote in ballot.votes]
            self._record_verdict(verdict)
            state = verdict.state
            match verdict.outcome:
                case council.Outcome.REPAIR:
                    self.heard.repairs += 1
                    before = reply.text
                    again = self._reply(
                        agent_id, replace(task, suggestions=verdict.suggestions, previous=reply.text or "")
                    )
                    if isinstance(again, Reply) and again.failed is None and again.text is not None:
                        reply = again
                    elif isinstance(again, Reply) and again.failed is not None and again.failed not in FALL_BACK:
                        self._fail(again.failed, dict(again.details))
                case council.Outcome.TIE_BREAK if verdict.step == 2:
                    checked = self._verify(reply)
                case council.Outcome.TIE_BREAK:
                    pass
                case _:
                    self._conclude(verdict, texts, [found for found in candidate.findings if not found.covered])
                    return

    def _stored_first(self, agent_id: str, reply: Reply) -> Reply | Decline:
        """A stored fact stands before what only an engine says: as the answer, or instead of a text that denies it."""
        kinds = {item.kind for item in reply.evidence}
        if agent_id in self._brought or agent_id in council.WRITES_FREELY or kinds != {"model"}:
            return reply
        found: Reply | Decline | None
        found = self._driver.look(self._rules["stored"](self._text, reply.text or "", self._looked))
        return reply if found is None else found

    def _limits(self, agent_id: str, state: council.CouncilState, before: str | None, reply: Reply) -> CouncilRules:
        """The council's numbers; no more repairs where one cannot change anything."""
        has_model = any(item.kind == "model" for item in reply.evidence)
        if self._rules["repair"](before, reply.text, has_model, agent_id in self._brought):
            return self._constants.council
        return replace(self._constants.council, max_repair_loops=state.repairs)

    def _judged(self, reply: Reply) -> council.CouncilVote | None:
        """The vote of a judge engine on what an engine wrote, where one is configured and answers."""
        if not self._snapshot.get("has_judge") or not any(item.kind == "model" for item in reply.evidence):
            return None
        for known, vote in self._judged_before:
            if known is reply:
                return vote  # a tie-break hears the same text again
        given: council.CouncilVote | None
        given = self._driver.look(self._rules["judge"](self._text, reply.text or "", reply.evidence))
        self._judged_before.append((reply, given))
        return given

    def _candidate(
        self, candidate_id: str, agent_id: str, reply: Reply, checked: Evidence | None
    ) -> evaluators.Candidate:
        findings = self._findings(reply)
        return evaluators.Candidate(
            candidate_id=candidate_id,
            question=self._text,
            text=reply.text or "",
            confidence=reply.confidence,
            agent_id=agent_id,
            trust=self._rules["trust"].get(agent_id, 0.5),
            evidence=reply.evidence if checked is None else (*reply.evidence, checked),
            findings=findings,
        )

    def _findings(self, reply: Reply) -> tuple[evaluators.Finding, ...]:
        """What is personal in an answer; by the second gate it was cut out when the agent gave it."""
        for known, found in self._screened:
            if known is reply:
                return found
        own = any(item.kind in ("fact", "operation") for item in reply.evidence)
        return tuple(
            evaluators.Finding(pii_type=item.type, sensitivity=item.sensitivity, covered=own)
            for item in self._rules["detectors"](reply.text or "")
            if item.sensitivity != LOW
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

    def _verify(self, reply: Reply) -> Evidence | None:
        """Tie-break 2: one look by the verification agent."""
        agent_id = "verification_agent"
        self._tape.event("AGENT_INVOKED", {"agent_id": agent_id, "attempt": 1})
        self.heard.invoked.append(agent_id)
        before = self._spent
        check = self._rules[agent_id]
        steps = check(self._text, reply.text or "", reply.evidence, self._snapshot["has_engine"])
        found: Evidence | None
        found, took = self._driver.timed(lambda: self._driver.look(steps))
        self._took(agent_id, took)
        self.heard.tokens += self._spent - before
        return found

    def _conclude(
        self, verdict: council.Verdict, texts: dict[str, Reply], findings: Sequence[evaluators.Finding]
    ) -> None:
        heard = self.heard
        if verdict.error_code is not None and self._gate.code(verdict.error_code, findings) == "PRIVACY_BLOCKED":
            worst = next((found for found in findings if found.sensitivity == "high"), findings[0])
            self._fail("PRIVACY_BLOCKED", {"pii_type": worst.pii_type})
            return
        confidence, least = verdict.confidence, self._constants.council.min_confidence
        chosen = texts.get(verdict.candidate_id or "")
        part = next((told for reply, told in self._not_whole if reply is chosen), None)
        if part is not None:
            confidence = outputs.confidence_of_part(confidence, least)
        if verdict.error_code is not None:
            low = verdict.error_code == "LOW_CONFIDENCE"
            self._fail(
                verdict.error_code,
                {
                    "score": verdict.score,
                    "confidence": confidence,
                    "loops": heard.repairs,
                    "threshold": least if low else self._constants.council.credential_threshold,
                    **(part if part is not None and low else {}),
                },
            )
        if part is not None and verdict.error_code != "LOW_CONFIDENCE":
            self._fail("LOW_CONFIDENCE", {"confidence": confidence, "threshold": least, **part})
        heard.confidence = confidence
        if verdict.candidate_id is not None and verdict.candidate_id in texts:
            chosen = texts[verdict.candidate_id]
            heard.answer = chosen.text
            heard.evidence = chosen.evidence

    # Failures

    def _fail(self, code: str, details: dict[str, Any]) -> None:
        """Tell a failure: its event, and its envelope among the notices, once for each module."""
        if code == "ROUTER_NO_MATCH":
            details = {"query_hash": self._received["query_text_hash"]}
        known = {
            name: value
            for name, value in details.items()
            if isinstance(value, str | int | float | bool) and name not in ABOUT_THE_JOB
        }
        flags = details.get(FLAGGED)
        flagged = {} if flags is None else {FLAGGED: flags}  # a replay reads there what the stack had cut out of it
        shown = naming.details(known, self._names, self._known, self._tape.name_hash)
        self._tape.event(_EVENT_OF.get(code, code), {**shown, **self._about(code), **flagged})
        told = (code, known.get("agent_id"))
        if told in [(notice["error_code"], notice["meta"].get("agent_id")) for notice in self.heard.notices]:
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
        about: dict[str, Any] = {"query_id": self._received["query_id"]}
        if code in ("SEM_NOT_FOUND", "ROUTER_NO_MATCH"):
            about["user_id"] = self._named
        if code == "ROUTER_NO_MATCH":
            about["intent_tags"] = list(dict.fromkeys(entry["route_reason"] for entry in self.heard.route_trace))
        return about


def _silent(agent_id: str, why: str, took: float, tokens: int) -> dict[str, Any]:
    """What the log has of an agent that was asked and gave no answer."""
    said = {"agent_id": agent_id, "text": "", "confidence": 0.0, "reasoning_trace": [why]}
    return {**said, "tokens": tokens, "time_ms": took}


def _finding(pii_type: str, sensitivity: Any) -> evaluators.Finding:
    return evaluators.Finding(pii_type=pii_type, sensitivity=sensitivity)


# The events of the stage 0 text for what it names otherwise than the code.
_EVENT_OF = {"SEM_NOT_FOUND": "sem_miss", "ROUTER_NO_MATCH": "router_miss", "SEM_WRITE_FAIL": "MEMORY_WRITE_FAIL"}
