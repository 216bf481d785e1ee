"""`ask`: opens a job of kind `ask` and lets its program be played.

Two units of work frame a question: one claims the seed and takes the snapshot, one stores everything that happened
together with the log. If the second cannot be stored the question is not answered: what is not on the record did not
happen. What is decided in between is the program's (`program`, `turn`), how a job ends the kernel's (`job.play`).
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from mace.agents import health, router
from mace.agents.expecting import may_be_value
from mace.agents.profile import corrects, spoken_of
from mace.core import canon, seeds
from mace.core.errors import (
    Closed,
    Conflict,
    Erased,
    IntegrityFailure,
    InvalidInput,
    NotFound,
    ServiceUnavailable,
    StorageFull,
    WrongType,
    envelope,
)
from mace.core.texts import is_encodable, is_storable
from mace.core.times import iso_ms, iso_us, to_ms
from mace.core.traces import read_traceparent
from mace.engine.facts.verbs import FactVerbs
from mace.engine.governance.consents import Consents
from mace.engine.governance.dsr import Deletions
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.fallbacks import count_fallback
from mace.engine.kernel.holding import Holding
from mace.engine.kernel.job import Ending, Jobs, Program, abandon, play
from mace.engine.kernel.journal import TapeJournal
from mace.engine.kernel.module_health import HEALTH, read_health, write_health
from mace.engine.kernel.privacy import Flag, Own, check_user_id, flags_in_text, has_high
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.spilling import Spilling
from mace.engine.kernel.tape import JobErased, LiveTape
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.logs import LogVerbs
from mace.engine.people.conversations import Conversations, read_conversation
from mace.engine.questions.effects import EffectRunner, EngineWatch, RecallOf
from mace.engine.questions.results import unrecorded
from mace.engine.questions.turn import TurnRules, TurnState
from mace.governance.detectors import LOW, RULES, SENSITIVITY, Finding, detect
from mace.governance.redact import redact
from mace.ledger.reflective import SOURCES
from mace.memory.facts import FactRules
from mace.memory.keys import parse_key
from mace.memory.people.turns import Turn
from mace.storage.ports import Exists, Tx

if TYPE_CHECKING:  # only conversations and engines need them
    from mace.engine.people.recalling import Recalling
    from mace.engine.people.remembering import Remembering

MAX_QUERY_ID_CHARS = 256
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
SPEAKER = "mace"  # who answers, in the turns of a conversation


@cache
def _privacy_policy() -> dict[str, dict[str, Any]]:
    """What the detectors look for, and by which versions of their rules; the same while the process lives."""
    return {
        "sensitivity": dict(sorted(SENSITIVITY.items())),
        "rules": {name: rule.version for name, rule in sorted(RULES.items())},
    }


class _NoTalk(Exception):
    """There can be no such conversation."""


class _NoSeat(Exception):
    """Every slot that a user id could have is another identity's."""


class Questions:
    """Answers questions: one job, tape and reflective log each."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        logs: LogVerbs,
        facts: FactVerbs,
        failures: Failures,
        spilling: Spilling,
        rules: TurnRules,
        fact_rules: FactRules,
        program: Program,
        passages: Callable[[str, str | None], list[dict[str, Any]]],
        consents: Consents,
        deletions: Deletions,
        holding: Holding,
        conversations: Conversations,
        remembering: "Callable[[], Remembering]",
        recalling: "Callable[[], Recalling]",
    ) -> None:
        self._conversations = conversations
        self._remembering = remembering
        self._recalling = recalling
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._facts = facts
        self._failures = failures
        self._spilling = spilling
        self._rules = rules
        self._constants = asdict(rules)
        self._fact_rules = fact_rules
        self._program = program
        self._jobs = Jobs(world, recorder, vault, logs.write, holding)
        self._holding = holding
        self._passages = passages
        self._consents = consents  # who says what consent covers
        self._deletions = deletions

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
        conversation_id: str | None = None,
        traceparent: str | None = None,
        asked_by: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Answer a question. `traceparent` (W3C) is recorded when it is well-formed, and decides nothing.

        In a conversation of the person question and answer are remembered as turns, in the unit that stores the answer.
        `asked_by` is told to those who decide about a deletion that the question asks for.
        """
        if not isinstance(text, str):
            raise WrongType(f"text must be a str, got {type(text).__name__}")
        if source not in SOURCES:
            raise InvalidInput(f"source must be one of {', '.join(SOURCES)}")
        if query_id is not None:
            _check_query_id(query_id)
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        try:
            talk = None if conversation_id is None else _conversation_of(conversation_id, user_id)
            tape, received, snapshot, started = self._open(
                text, user_id, seed, query_id, in_reply_to, source, consent_id, read_traceparent(traceparent), talk
            )
        except WrongType:
            raise
        except _NoTalk as error:
            return self._unrecorded("INVALID_INPUT", seed, query_id, str(error))
        except NotFound as error:
            return self._unrecorded(error.code, seed, query_id, str(error), error.details)
        except StorageFull as error:
            return self._unrecorded(error.code, seed, query_id, str(error))
        except ServiceUnavailable as error:
            if not isinstance(error, Closed):
                self._spilling.keep("ROUTER_NO_SNAPSHOT", {"reason": str(error)}, seed)
            return self._unrecorded("ROUTER_NO_SNAPSHOT", seed, query_id, str(error))
        except Conflict as error:
            return self._unrecorded("CONFLICT", seed, query_id, str(error))
        except IntegrityFailure as error:
            return self._distrusted(seed, query_id, error)
        hands = EffectRunner(
            self._world,
            self._facts,
            tape,
            self._fact_rules,
            self._passages,
            consent_id,
            self._deletions,
            # Not into the job's stream: whoever merges it would write there while the job still runs.
            lambda write: self._spilling.keep("WRITE_QUEUED", write, None),
            started,
            EngineWatch(snapshot["health"], received["at_ms"], self._rules.health),
            frozenset(received.get("may_be_sent", ())),
            asked_by,
            self._rules.second_tokens,
            self._recall_of(received, tape.stream),
        )
        record = self._jobs.record(tape, lambda tx, ending: self._after(tx, ending, tape, received))
        self._holding.begin(tape.stream)
        try:
            return play(self._program, tape, received, snapshot, hands, record).result
        except (StorageFull, ServiceUnavailable) as error:
            self._spilling.spill("ask", error)
            return self._unrecorded(error.code, seed, query_id, str(error))
        except JobErased as error:
            self._drop(tape.stream)
            return self._unrecorded("CONFLICT", seed, query_id, str(error))
        except Conflict as error:  # somebody wrote to this job's stream
            return self._unrecorded("CONFLICT", seed, query_id, str(error))
        except IntegrityFailure as error:
            return self._distrusted(seed, query_id, error)
        finally:
            self._holding.end(tape.stream)

    def _drop(self, stream: str) -> None:
        """What a job came to whose person was erased meanwhile is kept nowhere; its seed stays used."""
        with suppress(StorageFull, ServiceUnavailable, Exists):  # then a sweep gives it up
            self._world.store.write(lambda tx: abandon(tx, self._recorder, stream))

    # Opening

    def _open(
        self,
        text: str,
        user_id: str | None,
        seed: str,
        query_id: str | None,
        in_reply_to: str | None,
        source: str,
        consent_id: str | None,
        traceparent: str | None,
        talk: str | None,
    ) -> tuple[LiveTape, dict[str, Any], dict[str, Any], float]:
        started = self._world.clock.monotonic_ms()
        nobody = None if user_id is None else _no_user(user_id)
        given = (seed, query_id, in_reply_to, source, consent_id, traceparent)
        if nobody is None:
            try:
                return *self._claim(text, user_id, *given, None, talk), started
            except _NoSeat as error:
                nobody = str(error)
        return *self._claim(text, None, *given, nobody, None), started

    def _claim(
        self,
        text: str,
        user_id: str | None,
        seed: str,
        query_id: str | None,
        in_reply_to: str | None,
        source: str,
        consent_id: str | None,
        traceparent: str | None,
        nobody: str | None,
        talk: str | None,
    ) -> tuple[LiveTape, dict[str, Any], dict[str, Any]]:
        """Claim the seed and take the snapshot; with `nobody` to ask the question, it is refused for that reason."""
        reason = nobody or self._unreadable(text)
        refused = None if reason is None else {"code": "INVALID_INPUT", "details": {"reason": reason}}
        if refused is not None:
            text = ""  # what is not read is not kept either
        expected = None
        if in_reply_to is not None and user_id is not None:
            expected = self._world.store.read(lambda tx: self._expected(tx, in_reply_to, user_id))
        elif talk is not None and user_id is not None and may_be_value(text):
            expected = self._world.store.read(lambda tx: self._expected_in(tx, talk, user_id))
        about = self._spoken_of(text, in_reply_to, talk, user_id)
        is_lost = in_reply_to is not None and self._world.store.read(lambda tx: self._is_lost(tx, in_reply_to, user_id))
        # A bare number is what it was asked for as: the name it would stand under is a cue.
        field = None if expected is None else parse_key(expected).attribute
        findings, flags = flags_in_text(self._world.keys, text, seed, field)

        def unit(tx: Tx) -> tuple[LiveTape, dict[str, Any], dict[str, Any]]:
            person = self._seat(tx, user_id) if user_id else None
            caused_by = {} if traceparent is None else {"traceparent": traceparent}
            if talk is not None and person is not None:
                caused_by |= self._conversations.join(tx, person, talk)
            tape = self._jobs.claim(tx, seed, "ask", person, caused_by)
            covering = {} if has_high(flags) else self._covering(tx, consent_id, person, seed, flags)
            covered = {pii_type for types in covering.values() for pii_type in types}
            consents = [
                self._consents.use_in_question(used, [flag for flag in flags if flag.pii_type in types])
                for used, types in covering.items()
            ]
            withheld = [flag for flag in flags if flag.pii_type not in covered]
            seen = redact(text, findings, covered)
            outward = self._outward(tx, covering, person, seed, text, findings) if covering else {}
            snapshot = self._jobs.take(tx, tape, self._snapshot(tx))
            received = {
                "text": seen,
                "user_id": user_id,
                "person": person,  # who that is on the ledger
                "query_id": query_id or tape.stream,
                "query_text_hash": self._text_hash(tape, seen, user_id),
                "flags": [flag.payload() for flag in withheld],
                "withheld": sorted({flag.pii_type for flag in withheld}),
                "consent": consents[0] if consents else None,
                **({"more_consents": consents[1:]} if consents[1:] else {}),
                **outward,
                "refused": refused,
                "expected_key": expected,
                **({} if talk is None else {"conversation_id": talk}),
                **({} if about is None else {"spoken_of": about}),
                **({"lost_reply": True} if is_lost else {}),
                "source": source,
                "at_ms": to_ms(tape.started_at),
            }
            tape.own = Own(seen)
            return tape, canon.loads(canon.dumps(received)), snapshot  # as a replay will read it

        return self._spilling.write("ask", unit)

    def _covering(
        self, tx: Tx, consent_id: str | None, person: str | None, seed: str, flags: list[Flag]
    ) -> dict[str, tuple[str, ...]]:
        """The types of what was found that may be read as it is, by the consent that says so."""
        types = {flag.pii_type for flag in flags}
        return self._consents.covering(tx, consent_id, person, seed, types) if types else {}

    def _outward(
        self,
        tx: Tx,
        covering: dict[str, tuple[str, ...]],
        person: str | None,
        seed: str,
        text: str,
        findings: list[Finding],
    ) -> dict[str, Any]:
        """What of a question that is read by consent may leave this process: the types, and the text without the rest.

        Packaged agents are given what may be read; a language engine and agents that somebody brought are not.
        """
        sent: set[str] = set()
        for used, types in covering.items():
            sent |= self._consents.may_be_sent(tx, used, person, seed) & set(types)
        kept_back = sorted({item.type for item in findings} - sent)
        if not kept_back:
            return {"may_be_sent": sorted(sent)}
        return {
            "may_be_sent": sorted(sent),
            "outward_text": redact(text, findings, sent),
            "outward_withheld": kept_back,
        }

    def _text_hash(self, tape: LiveTape, seen: str, user_id: str | None) -> str:
        """Of a person's question the hash is keyed, so that nobody can guess it after an erasure."""
        if user_id is None:
            return canon.sha256_hex(seen)
        return self._world.keys.keyed_hash(tape.data_key, seen.encode())

    def _unreadable(self, text: str) -> str | None:
        """Why a text is not read, or None."""
        if not text.strip():
            return "the question is empty"
        if len(text) > self._rules.max_query_length:
            return f"the question has {len(text)} characters, at most {self._rules.max_query_length} are read"
        if not is_encodable(text):
            return "the question is not valid Unicode"
        return None

    def _seat(self, tx: Tx, user_id: str) -> str:
        """What a user is called in keys; `_NoSeat` when all that they could be called is taken."""
        try:
            return self._facts.user_slug(tx, user_id)
        except InvalidInput as error:
            raise _NoSeat(str(error)) from None

    def _snapshot(self, tx: Tx) -> dict[str, Any]:
        switches = {}
        for key in router.TOGGLE_KEYS.values():
            found = self._facts.look(tx, key)
            if found["exists"]:
                switches[key] = found["value"]
        return {
            "kind": "job",
            "constants": self._constants,
            "health": read_health(tx, self._bound).to_json(),
            "has_engine": self._world.language is not None,
            **({} if self._world.judge is None else {"has_judge": True}),
            "rules": self._program.rules(),
            "privacy_policy": _privacy_policy(),
            "switches": switches,
            "system_version": self._world.system_version,
        }

    def _expected(self, tx: Tx, in_reply_to: str, user_id: str) -> str | None:
        """Where the reply to a miss belongs: the key that the earlier question of the same user asked for."""
        job = self._recorder.jobs.look(tx, in_reply_to)
        kept = self._vault.blob(tx, f"expects/{in_reply_to}")
        if job is None or kept is None:
            return None
        if job.person != self._seat(tx, user_id):
            return None
        key: str = canon.loads(kept)["key"]
        return key

    def _expected_in(self, tx: Tx, talk: str, user_id: str) -> str | None:
        """The same where the conversation says which question that is: its last one."""

        with suppress(Erased):
            return self._conversations.expected_key(tx, self._seat(tx, user_id), talk, self._is_answered)
        return None

    def _is_answered(self, tx: Tx, stream: str) -> bool:
        job = self._recorder.jobs.look(tx, stream)
        return job is not None and job.status == "closed"

    def _is_lost(self, tx: Tx, in_reply_to: str, user_id: str | None) -> bool:
        """Whether what is replied to is no question of this user."""
        job = self._recorder.jobs.look(tx, in_reply_to)
        return job is None or job.person != (None if user_id is None else self._seat(tx, user_id))

    def _spoken_of(
        self, text: str, in_reply_to: str | None, talk: str | None, user_id: str | None
    ) -> dict[str, Any] | None:
        """What a text that only corrects ("no, it's elm") is about: what was spoken of in the question before it."""
        if user_id is None or (in_reply_to is None and talk is None) or not corrects(text):
            return None

        def look(tx: Tx) -> dict[str, Any] | None:
            person = self._seat(tx, user_id)
            if in_reply_to is not None:
                last = None if self._is_lost(tx, in_reply_to, user_id) else in_reply_to
            else:
                last = self._conversations.last_question(tx, person, str(talk), self._is_answered)
            kept = None if last is None else self._vault.blob(tx, f"input/{last}")
            if kept is None:
                return None
            heard = canon.loads(kept)
            return heard.get("spoken_of") or spoken_of(heard["text"])

        with suppress(Erased):
            return self._world.store.read(look)
        return None

    def _recall_of(self, received: Mapping[str, Any], job_id: str) -> RecallOf | None:
        """How the agents of a job are told what is known about its person, and about nobody else."""
        user_id, talk = received["user_id"], received.get("conversation_id")
        if user_id is None:
            return None

        def recall(request: dict[str, Any]) -> dict[str, Any]:
            if request.get("conversation_id") not in (None, talk):
                raise NotFound(what="this conversation")
            return self._recalling().for_question(
                user_id,
                request["query"],
                request["budget_tokens"],
                conversation_id=request.get("conversation_id"),
                others=request["others"],
                job_id=job_id,
            )

        return recall

    # Afterwards

    def _after(self, tx: Tx, ending: Ending, tape: LiveTape, received: Mapping[str, Any]) -> None:
        """What a question leaves behind: module states, alerts, the count of fallbacks; turns of its conversation."""
        heard: TurnState = ending.state
        if heard.observed:
            before = read_health(tx, self._bound)
            if self._observed(before, heard) != before:  # the rule is that nothing changed
                tx.lock(HEALTH)  # another question may have seen something too
                write_health(tx, self._recorder, self._observed(read_health(tx, self._bound), heard))
        for notice in heard.notices:
            if notice["severity"] != "info":
                self._failures.occurred(tx, notice["error_code"], notice["meta"].get("agent_id", "ask"))
        if any(entry["route_reason"] == "fallback" for entry in heard.route_trace):
            count_fallback(tx)
        if "conversation_id" in received and tape.person is not None:
            self._keep_turns(tx, tape, received, ending.result)

    def _keep_turns(self, tx: Tx, tape: LiveTape, received: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Remember question and answer as what was said; of a question that was not read nothing is.

        Both passed the gate of the question. What consent let pass there stays only if it covers what is stored.
        """
        codes = {notice["error_code"] for notice in result["notices"]}
        answer = result["text"] if result["answer"] is None else result["answer"]
        if received["refused"] is not None or "PRIVACY_BLOCKED" in codes or not answer.strip():
            return
        remembering, consent = self._remembering(), received["consent"]
        at = iso_us(self._world.clock.now())
        said = (Turn("user", received["text"], at), Turn("assistant", answer, at, SPEAKER))
        turns = [replace(turn, conversation_id=received["conversation_id"]) for turn in said]
        remembering.keep(
            tx,
            TapeJournal(tape),
            tape.person or "",
            remembering.flagged(turns, tape.job_seed),
            b"",
            consent_id=None if consent is None else consent["consent_id"],
            on_tape=True,
        )

    def _observed(self, state: health.Health, heard: TurnState) -> health.Health:
        for seen in heard.observed:
            state, _ = health.observe(state, seen, self._rules.health)
        return state

    def _distrusted(self, seed: str, query_id: str | None, error: IntegrityFailure) -> dict[str, Any]:
        """What is needed to answer is not what was stored: that goes onto the ledger instead of an answer."""

        def unit(tx: Tx) -> None:
            payload = {"job_id": seeds.job_id(seed), "reason": str(error)}
            self._recorder.append(tx, self._recorder.system(tx), error.code, payload)
            self._failures.occurred(tx, error.code, "ask")

        with suppress(StorageFull, ServiceUnavailable):  # then it waits in the spill file
            self._spilling.write("ask", unit)
        return self._unrecorded(error.code, seed, query_id, str(error))

    def _unrecorded(
        self, code: str, seed: str, query_id: str | None, reason: str, details: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """An answer that says why there is none; nothing of it is in the log."""
        told = envelope(
            code,
            query_id=query_id or seeds.job_id(seed),
            trace_id=seeds.trace_id(seed),
            timestamp=iso_ms(self._recorder.now_ms()),
            details={"reason": reason} if details is None else dict(details),
        )
        return unrecorded(seeds.job_id(seed), told["meta"]["query_id"], told)


def _conversation_of(conversation_id: Any, user_id: str | None) -> str:
    """The conversation that a question belongs to; only somebody can have one."""
    try:
        talk = read_conversation(conversation_id)
    except WrongType:
        raise
    except InvalidInput as error:
        raise _NoTalk(str(error)) from None
    if user_id is None:
        raise _NoTalk("a conversation belongs to a person: conversation_id needs a user_id")
    return talk


def _no_user(user_id: str) -> str | None:
    """Why a user_id cannot be somebody's, or None."""
    try:
        check_user_id(user_id)
    except InvalidInput as error:
        return str(error)
    except ValueError:
        return "user_id is not a valid user id"
    return None


def _check_query_id(query_id: str) -> None:
    if not isinstance(query_id, str) or not 0 < len(query_id) <= MAX_QUERY_ID_CHARS:
        raise InvalidInput(f"query_id must be a string of 1 to {MAX_QUERY_ID_CHARS} characters")
    if not is_storable(query_id):
        raise InvalidInput("query_id must not contain NUL or unpaired surrogates")
    if not _UUID.fullmatch(query_id) and any(found.sensitivity != LOW for found in detect(query_id)):
        raise InvalidInput("query_id must not be personal data: it is stored unencrypted on the ledger")
