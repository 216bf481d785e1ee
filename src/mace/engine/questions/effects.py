"""What performs the effects that agents ask for: memory, the worker, the language engine.

Live only. Each result is JSON, goes onto the tape before it is used, and names failures by their code.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from mace.agents import health
from mace.agents.asking import Effect, wrong_effect
from mace.agents.reading import attributes
from mace.core.errors import (
    Conflict,
    Erased,
    IntegrityFailure,
    InvalidInput,
    MaceError,
    NotFound,
    PermissionDenied,
    ServiceUnavailable,
    StorageFull,
)
from mace.engine.facts.verbs import Blocked, FactVerbs
from mace.engine.governance.dsr import Deletions
from mace.engine.kernel.attempts import TapeWatch
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import is_personal
from mace.engine.kernel.gate import PromotionNeeded
from mace.engine.kernel.journal import Journal, TapeJournal
from mace.engine.kernel.privacy import NOBODY, screen
from mace.engine.kernel.stacks import stack_of
from mace.engine.kernel.tape import LiveTape, Outcome
from mace.engine.kernel.world import World
from mace.engine.questions.knowledge_look import MAX_SUBJECTS, KnowledgeLook
from mace.memory import facts
from mace.memory.keys import MAX_COMPONENT, normalise, parse_key, user_of_key
from mace.memory.spelling import one_spelling, spellings
from mace.providers.models.port import (
    NOT_CONFIGURED,
    NOT_DOWN,
    REMEDY_NOT_CONFIGURED,
    SAID_NOT_CONFIGURED,
    SAID_OFFLINE,
    Attempt,
    LanguageEngine,
    ModelAnswer,
    ModelDown,
    ModelRequest,
    complete_watched,
    own_words,
    said_of,
    without_open_thought,
)
from mace.providers.ports import Crashed, TimedOut
from mace.storage.ports import Tx

_MOST_FOUND = 5  # facts that one question about a person is answered with
_MOST_LISTED = 50  # facts that are listed when everything is asked for
RecallOf = Callable[[dict[str, Any]], dict[str, Any]]


class EngineWatch:
    """Whether the language engine may be asked during one question: not while it is offline, until its rule lets it.

    It follows what is observed as the turn does, so that a third failure in the middle of a question counts, too. What
    it says is not recorded: an engine that was not asked is an outcome on the tape.
    """

    def __init__(self, known: Mapping[str, Any], at_ms: int, rules: health.HealthRules) -> None:
        self._known = known  # the states of modules as the snapshot has them; read when an engine is wanted
        self._at_ms = at_ms
        self._rules = rules

    @cached_property
    def _state(self) -> health.Health:
        return health.Health.from_json(self._known)

    def may_ask(self) -> bool:
        """Say whether it may be asked now; a module whose time has passed is on probation as soon as it is used."""
        usable = health.usability(self._state, health.LANGUAGE_ENGINE, self._at_ms, self._rules)
        if usable is health.Usability.PROBATION:
            self._observe(health.TriedAgain(module_id=health.LANGUAGE_ENGINE, at_ms=self._at_ms))
        return usable is not health.Usability.NO

    def failed(self) -> bool:
        """Note that it failed; say whether it is offline now, for everybody."""
        self._observe(health.Failed(module_id=health.LANGUAGE_ENGINE, at_ms=self._at_ms, kind="unavailable"))
        return self._state.of(health.LANGUAGE_ENGINE).status is health.Status.OFFLINE

    def resting(self) -> str:
        """Say why it is not asked, and until when."""
        failures = self._state.of(health.LANGUAGE_ENGINE).consecutive_failures
        rest_s = self._rules.probation_ms / 1000
        return (
            f"after {failures} failures in a row it is not asked, for anybody, for {rest_s:g} s (probation_ms); "
            f'm.modules.recover("{health.LANGUAGE_ENGINE}") ends that at once'
        )

    def worked(self) -> None:
        self._observe(health.Succeeded(module_id=health.LANGUAGE_ENGINE, at_ms=self._at_ms))

    def _observe(self, seen: health.Observation) -> None:
        self._state, _ = health.observe(self._state, seen, self._rules)


class EffectRunner:
    """Performs the effects that agents ask for: memory, computing, the language engine."""

    def __init__(
        self,
        world: World,
        facts_: FactVerbs,
        tape: LiveTape,
        rules: facts.FactRules,
        passages: Callable[[str, str | None], list[dict[str, Any]]],
        consent_id: str | None = None,
        deletions: Deletions | None = None,
        keep_for_later: Callable[[dict[str, Any]], object] = lambda _write: None,
        started_ms: float = 0.0,
        watch: EngineWatch | None = None,
        may_be_sent: frozenset[str] = frozenset(),
        asked_by: Mapping[str, str] | None = None,
        second_tokens: int = 0,
        recall_of: RecallOf | None = None,
    ) -> None:
        self._second_tokens = second_tokens
        self._recall_of = recall_of  # what is known about the job's person; None where it is nobody's
        self._asked_by = asked_by  # who called, for those who decide about what was asked for here
        self._may_be_sent = may_be_sent  # the types of personal data above low that may leave this process
        self._world = world
        self._facts = facts_
        self._journal: Journal = TapeJournal(tape)
        self._person = tape.person
        self._tape = tape
        self._rules = rules
        self._passages = passages
        self._consent_id = consent_id
        self._bound = Bound(world.keys)
        self._deletions = deletions or Deletions(world, self._bound, None)
        self._keep_for_later = keep_for_later
        self._started_ms = started_ms
        self._watch = watch or EngineWatch(health.Health().to_json(), 0, health.HealthRules())
        self._meant: tuple[Effect, str] | None = None  # the write that was last begun, and its key

    # Time

    def run(self, step: Callable[[], Any], limit_ms: float) -> Any:
        return self._world.runner.run(step, limit_ms)

    def elapsed_ms(self) -> float:
        return self._world.clock.monotonic_ms() - self._started_ms

    # What only looks

    def perform(self, effect: Effect, limit_ms: float) -> Outcome:
        """Perform an effect that writes nothing, within a time limit."""
        wrong = wrong_effect(effect)
        if wrong is not None:
            return _refused(wrong)
        handlers: dict[str, Callable[[dict[str, Any], float], Outcome]] = {
            "read_profile": self._read_profile,
            "find_profile": self._find_profile,
            "list_profile": self._list_profile,
            "read_knowledge": self._read_knowledge,
            "find_knowledge": self._find_knowledge,
            "read_fact": self._read_fact,
            "read_context": self._read_context,
            "recall": self._recall,
            "compute": self._compute,
            "complete": self._complete,
            "judge": self._judge,
        }
        try:
            return handlers[effect.kind](effect.request, limit_ms)
        except PermissionDenied as error:  # to the agent it is not there
            return Outcome({**error.details, "exists": False, "value": None}, error.code, whose="nobody")
        except (ServiceUnavailable, StorageFull) as error:
            return Outcome({"key": effect.request.get("key"), "reason": str(error)}, "DATA_UNAVAILABLE")
        except (IntegrityFailure, Erased) as error:  # what was erased by right is only missing, and never comes here
            return Outcome({"key": effect.request.get("key"), "reason": str(error)}, "INTEGRITY_FAILURE")
        except Exception as error:  # an agent asked for what cannot be done; the text may quote what it asked for
            return Outcome({"exception": type(error).__name__}, "AGENT_ERROR", stack_of(error))

    def _read_profile(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        def look(tx: Tx) -> Outcome:
            self._must_be_own(tx, request["user_id"], "read facts of another person")
            return self._newest_of(tx, self._profile_keys(tx, request))

        return self._world.store.read(look)

    def _find_profile(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        """What is stored of a person under names that mean one thing; else of what answers instead."""

        def look(tx: Tx) -> Outcome:
            self._must_be_own(tx, request["user_id"], "read facts of another person")
            stored = self._facts.profile_attributes(tx, self._facts.user_slug(tx, request["user_id"]))
            key = self._meant_key(tx, request, stored)
            nearest = self._stored_as(tx, request, request["same"], stored)
            if key in stored.values() and key not in nearest:
                nearest.insert(0, key)
            found = [item for item in (self._found(tx, name).value for name in nearest) if item["exists"]]
            near = bool(found)
            if not found:
                others = self._stored_as(tx, request, request["also"], stored)
                found = [item for item in (self._found(tx, name).value for name in others) if item["exists"]]
            if not found:
                alike = [stored[name] for name in attributes.resembling(request["attribute"], tuple(stored))]
                found = [item for item in (self._found(tx, name).value for name in alike) if item["exists"]]
            is_known = self._facts.is_in_vocabulary(key) or self._facts.standing(tx, key).last > 0
            value = {"key": key, "exists": bool(found), "known": is_known, "same": near, "found": found[:_MOST_FOUND]}
            return Outcome(value, whose="own")

        return self._world.store.read(look)

    def _list_profile(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        def look(tx: Tx) -> Outcome:
            self._must_be_own(tx, request["user_id"], "read facts of another person")
            stored = self._facts.profile_attributes(tx, self._facts.user_slug(tx, request["user_id"]))
            found = []
            for name in sorted(stored):
                item = self._found(tx, stored[name]).value
                if item["exists"]:
                    found.append(item)
            return Outcome({"found": found[:_MOST_LISTED], "more": max(0, len(found) - _MOST_LISTED)}, whose="own")

        return self._world.store.read(look)

    def _stored_as(self, tx: Tx, request: dict[str, Any], names: list[str], stored: Mapping[str, str]) -> list[str]:
        return [stored[attribute] for attribute in attributes.matching(names, tuple(stored))]

    def _meant_key(self, tx: Tx, request: dict[str, Any], stored: Mapping[str, str]) -> str:
        """Where something told belongs: where it is stored under any of its names, else by alias, else by its name."""
        for key in self._stored_as(tx, request, request["same"], stored):
            if self._facts.look(tx, key)["exists"]:
                return key
        slug = self._facts.user_slug(tx, request["user_id"])
        alias = self._facts.alias_for(tx, request["phrase"], slug)
        if alias is None:
            alias = self._facts.alias_for(tx, request["attribute"].replace("_", " "), slug)
        if alias is not None and user_of_key(alias) == slug and _is_no_other(request, parse_key(alias).attribute):
            return alias
        return self._facts.key_to_read(tx, "user", "profile", None, request["attribute"], request["user_id"])

    def _must_be_own(self, tx: Tx, user_id: str | None, action: str) -> None:
        """Refuse an effect for somebody else than the job's own person; in a job of nobody, for everybody."""
        if user_id is None or self._facts.user_slug(tx, user_id) != self._person:
            raise PermissionDenied(actor=self._actor, action=action)

    def _must_not_be_another_s(self, key: str, action: str) -> None:
        parts = parse_key(key)
        if parts.scope == "user" and parts.entity_id != self._person:
            raise PermissionDenied(actor=self._actor, action=action)

    @property
    def _actor(self) -> str:
        return "an agent" if self._person is None else f"an agent of {self._person}"

    def _profile_key(self, tx: Tx, request: dict[str, Any]) -> str:
        """The key of a person's attribute: by alias if one of their own is meant, else by its name in one spelling."""
        user_id = request["user_id"]
        slug = self._facts.user_slug(tx, user_id)
        if request.get("same"):
            return self._meant_key(tx, request, self._facts.profile_attributes(tx, slug))
        key = self._facts.alias_for(tx, request["phrase"], slug)
        if key is not None and user_of_key(key) == slug:
            return key
        attribute = one_spelling(request["attribute"])
        return self._facts.key_to_read(tx, "user", "profile", None, attribute, user_id)

    def _profile_keys(self, tx: Tx, request: dict[str, Any]) -> list[str]:
        """Every key that an attribute of a person may stand under; first the one that it is written to.

        Whoever stores a fact by its key, and earlier versions, may have spelled it otherwise, or by a synonym.
        """
        first = self._profile_key(tx, request)
        parts = parse_key(first)
        said = normalise(request["attribute"])[:MAX_COMPONENT]
        names = dict.fromkeys((*spellings(parts.attribute), *spellings(said), said))
        others = [str(parts._replace(attribute=name)) for name in names if name and name != parts.attribute]
        if not others:
            return [first]
        known = tx.subjects.known([f"sem_history/{key}" for key in others])
        return [first, *(key for key in others if f"sem_history/{key}" in known)]

    def _newest_of(self, tx: Tx, wanted: list[str]) -> Outcome:
        """What was written last of several keys that mean the same; the first one where nothing is."""
        if len(wanted) == 1:
            return self._found(tx, wanted[0])
        shown = [(self._facts.shown(tx, self._facts.standing(tx, key)), key) for key in wanted]
        there = [(answer["last_updated"], -at, key) for at, (answer, key) in enumerate(shown) if answer["exists"]]
        return self._found(tx, max(there)[2] if there else wanted[0])

    def _read_knowledge(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        def look(tx: Tx) -> Outcome:
            subject, attribute = request["subject"], request["attribute"]
            wanted = []
            names = spellings(attribute)
            alias = self._facts.resolve_alias(tx, subject, None)
            if alias is not None and parse_key(alias).scope == "world":
                wanted += [str(parse_key(alias)._replace(attribute=name)) for name in names]
                wanted.append(alias)
            for name in dict.fromkeys((*names, "definition")):
                try:
                    wanted.append(self._facts.key_to_read(tx, "world", "fact", subject, name, None))
                except ValueError:
                    continue
            for key in wanted:
                found = self._found(tx, key)
                if found.value["exists"]:
                    return found
            first = wanted[-1] if wanted else "world/fact/unknown/definition"
            return self._found(tx, first)

        return self._world.store.read(look)

    def _find_knowledge(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        """Which names are stored, under which entity and with which attributes; facts of people are not looked at."""
        subjects = [name for name in request["subjects"] if isinstance(name, str)][:MAX_SUBJECTS]

        def look(tx: Tx) -> Outcome:
            knows = KnowledgeLook(self._facts, tx, self._person)
            return Outcome({"found": [item for name in subjects for item in knows.of(name)]}, whose="nobody")

        return self._world.store.read(look)

    def _read_fact(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        self._must_not_be_another_s(request["key"], "read facts of another person")
        return self._world.store.read(lambda tx: self._found(tx, request["key"]))

    def _found(self, tx: Tx, key: str) -> Outcome:
        held = self._facts.standing(tx, key)
        answer = self._facts.shown(tx, held)
        return Outcome(
            {
                "key": key,
                "exists": answer["exists"],
                "value": answer["value"],
                "version": held.version,
                "value_hash": None if held.past is None else held.past.value_hash,
                "known": held.last > 0 or self._facts.is_in_vocabulary(key),  # else it is only what somebody said
            },
            whose="nobody" if user_of_key(key) is None else "own",  # of others nothing is read
        )

    def _read_context(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        if not (self._world.context_stores or (self._world.context_stores_of and self._person)):
            return Outcome({"items": []}, whose="nobody")
        try:  # in a thread of its own: whatever holds a store or its cache must not hold the question
            found = self._world.runner.run(lambda: self._passages(request["query"], self._person), limit_ms)
        except TimedOut:
            return Outcome({"key": "a store", "reason": "the look-up took too long"}, "DATA_UNAVAILABLE")
        return Outcome({"items": found})

    def _recall(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        """What is known about the job's own person; nobody else's is within reach."""
        recall = self._recall_of
        if recall is None:
            raise PermissionDenied(actor=self._actor, action="recall what is known about a person")
        try:
            answer = recall(request)
        except (Conflict, NotFound) as error:  # being erased
            return Outcome({"reason": str(error)}, "DATA_UNAVAILABLE", whose="nobody")
        if answer["error_code"] is not None:
            return Outcome({"reason": answer["user_message"]}, answer["error_code"], whose="nobody")
        return Outcome(answer, whose="own")

    def _compute(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        about = {"agent_id": "math_agent", "timeout_ms": int(limit_ms)}
        try:
            result = self._world.computer().compute(request["function"], request["arguments"], int(limit_ms))
            return Outcome(result, whose="nobody")
        except TimedOut:  # it would take as long again
            return Outcome({**about, "retriable": False}, "AGENT_TIMEOUT")
        except Crashed:
            return Outcome({**about, "exception": "WorkerCrashed"}, "AGENT_ERROR")

    def _complete(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        engine = self._world.language
        if engine is None:
            told = {"reason": NOT_CONFIGURED, "said": SAID_NOT_CONFIGURED, "remedy": REMEDY_NOT_CONFIGURED}
            return Outcome({**told, "attempts": []}, "LLM_SERVICE_DOWN")
        if not self._watch.may_ask():
            told = {
                "reason": f"{health.LANGUAGE_ENGINE} is offline",
                "said": SAID_OFFLINE,
                "remedy": self._watch.resting(),
            }
            return Outcome({**told, "attempts": [], "not_asked": True}, "LLM_SERVICE_DOWN")
        prompt, withheld = self._outward(request["prompt"])
        system, _ = self._outward(request["system"])
        wanted = ModelRequest(system=system, prompt=prompt, max_output_tokens=request["max_output_tokens"])
        try:
            answer = self._answered(engine, wanted, limit_ms)
        except ModelDown as down:
            return Outcome(self._down(down), "LLM_SERVICE_DOWN")
        self._watch.worked()
        return Outcome({**answer, "withheld": withheld} if withheld else answer)

    def _answered(self, engine: LanguageEngine, wanted: ModelRequest, limit_ms: float) -> dict[str, Any]:
        """What the engine answers; once more with more room, where an answer was cut off and the settings allow it."""
        began = self.elapsed_ms()
        watch = TapeWatch(self._world, self._tape, "language")
        first = _shown(complete_watched(engine, wanted, watch, time_limit_s=limit_ms / 1000))
        left_ms = limit_ms - (self.elapsed_ms() - began)
        if first["finish_reason"] != "length" or self._second_tokens <= wanted.max_output_tokens or left_ms <= 0:
            return first
        try:
            roomier = replace(wanted, max_output_tokens=self._second_tokens)
            second = _shown(complete_watched(engine, roomier, watch, time_limit_s=left_ms / 1000))
        except ModelDown as down:  # the part is better than nothing, and is marked as one
            return {**first, "failed": [*first["failed"], *(attempt.to_json() for attempt in down.attempts)]}
        both = {name: first[name] + second[name] for name in ("failed", "input_tokens", "output_tokens", "time_ms")}
        return {**second, **both, "second_tokens": self._second_tokens}

    def _down(self, down: ModelDown) -> dict[str, Any]:
        """What is told when no engine gave an answer: why, in our own words, and what to do about it."""
        kinds = [attempt.kind for attempt in down.attempts]
        told: dict[str, Any] = {
            **down.to_json(),
            "reason": ", ".join(_in_short(attempt) for attempt in down.attempts) or "no provider",
        }
        told_by = ((attempt.provider, own_words(attempt.reason, attempt.hint)[1]) for attempt in down.attempts)
        hints = {provider: hint for provider, hint in told_by if hint}
        remedy = "; ".join(hints.values() if len(hints) == 1 else (f"{name}: {hint}" for name, hint in hints.items()))
        said = said_of(kinds)
        if said is not None:
            told["said"] = said
        if kinds and all(kind in NOT_DOWN for kind in kinds):
            told["reached"] = True
        elif down.api_key_status != "missing" and self._watch.failed():  # without a key it was not asked
            told["offline"] = True
            remedy = f"{remedy}; {self._watch.resting()}" if remedy else self._watch.resting()
        return {**told, "remedy": remedy} if remedy else told

    def _judge(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        """Ask the judge engine; one that cannot be reached is no failure of the question."""
        engine = self._world.judge
        if engine is None:
            return Outcome({"reason": "no judge engine is configured", "attempts": []}, "LLM_SERVICE_DOWN")
        prompt, withheld = self._outward(request["prompt"])
        system, _ = self._outward(request["system"])
        wanted = ModelRequest(system=system, prompt=prompt, max_output_tokens=request["max_output_tokens"])
        try:
            watch = TapeWatch(self._world, self._tape, "judge")
            answer = _shown(complete_watched(engine, wanted, watch, time_limit_s=limit_ms / 1000))
        except ModelDown as down:
            return Outcome(down.to_json(), "LLM_SERVICE_DOWN")
        return Outcome({**answer, "withheld": withheld} if withheld else answer)

    def _outward(self, text: str) -> tuple[str, list[str]]:
        """A text as it may leave this process, and the types of what was taken out.

        What stays is the person's own, of a type that their consent lets out. What an agent asked for stays on the tape
        as it asked for it, by its hash.
        """
        own = self._tape.own.only(self._may_be_sent) if self._may_be_sent else NOBODY
        passed = screen(self._world.keys, text, self._journal.job_seed, own=own)
        return passed.value, list(passed.withheld)

    # What writes

    def write(self, tx: Tx, effect: Effect) -> Outcome:
        """Perform an effect that writes, inside a transaction."""
        request = effect.request
        wrong = wrong_effect(effect)
        if wrong is not None:
            return _refused(wrong)
        try:
            if effect.kind == "request_deletion":
                self._must_be_own(tx, request["user_id"], "ask for a deletion for another person")
                return self._request_deletion(tx, request)
            if effect.kind == "write_profile" or request["user_id"] is not None:
                self._must_be_own(tx, request["user_id"], "write facts of another person")
            if effect.kind == "write_fact":
                self._must_not_be_another_s(request["key"], "write facts of another person")
                return self._put(tx, request["key"], request["value"], request["user_id"])
            key = self._new_profile_key(tx, request)
            self._meant = effect, key
            return self._put(tx, key, request["value"], request["user_id"])
        except PromotionNeeded as error:
            return Outcome(self._facts.gate.ask_approval(tx, self._journal, error), error.code)
        except (Blocked, InvalidInput, PermissionDenied) as error:  # refused before anything was written
            for flag in error.details.pop("flags", []):
                self._journal.event(tx, "PII_FLAGGED", flag)
            return Outcome(dict(error.details), error.code)

    def queue(self, effect: Effect) -> None:
        """Keep a write of a fact that failed twice for an operator, sealed; what was flagged waits nowhere."""
        request = effect.request
        try:
            key = self._key_of_failed(effect)
            if key is None or is_personal(key):
                return
            self._must_not_be_another_s(key, "write facts of another person")
            put = facts.read_put(key, request["value"], "user", None, None, None, self._world.clock.now(), self._rules)
            if not self._facts.flags(put, self._journal.job_seed):
                write = self._facts.for_later(put, request["user_id"])
                self._keep_for_later({"key": key, "job_id": self._journal.stream, **write})
        except (MaceError, LookupError, TypeError, ValueError):
            return  # an agent asked for what could not have been stored either, or for another person

    def _key_of_failed(self, effect: Effect) -> str | None:
        """Where a write was to go: as it was begun, else as the store says, else as it would without one."""
        request = effect.request
        if effect.kind == "write_fact":
            return str(request["key"])
        if effect.kind != "write_profile":
            return None
        if self._meant is not None and self._meant[0] is effect:
            return self._meant[1]
        try:
            return self._world.store.read(lambda tx: self._new_profile_key(tx, request))
        except (ServiceUnavailable, StorageFull):
            return self._facts.key_unasked(request["phrase"], request["attribute"], request["user_id"])

    def _new_profile_key(self, tx: Tx, request: dict[str, Any]) -> str:
        key = self._profile_key(tx, request)
        if not request["attribute"]:
            raise InvalidInput("the attribute has no name that can be stored")
        return key

    def _put(self, tx: Tx, key: str, value: Any, user_id: str | None) -> Outcome:
        now = self._world.clock.now()
        put = facts.read_put(key, value, "user", None, None, None, now, self._rules)
        answer = self._facts.put_in(tx, self._journal, put, user_id=user_id, consent_id=self._consent_id)
        return Outcome({"key": key, "applied": answer["applied"]}, whose="nobody")

    def _is_known(self, tx: Tx, key: str) -> bool:
        """Say whether a key is the name of a fact: one that was ever stored, that waits to be, or of the vocabulary."""
        if self._facts.is_in_vocabulary(key) or self._facts.standing(tx, key).last > 0:
            return True
        waiting = [*self._world.spill.entries(), *(entry for _, entry in self._bound.intact(tx, "spilled"))]
        return any(entry.get("key") == key for entry in waiting)

    def _request_deletion(self, tx: Tx, request: dict[str, Any]) -> Outcome:
        """Open a deletion request; nothing is deleted before it is approved."""
        wanted = self._profile_keys(tx, request)
        person = self._facts.user_slug(tx, request["user_id"])
        # a request names its keys in plain: what names nothing is only what was said
        known = [key for key in wanted if self._is_known(tx, key)]
        if not known:
            return Outcome({"key": wanted[0]}, "SEM_NOT_FOUND", whose="nobody")
        key = known[0]
        identity: dict[str, Any] = {"method": "session"}
        if self._asked_by is not None:
            identity["asked_by"] = dict(self._asked_by)
        opened = self._deletions.open(tx, self._journal, person, known, identity)
        return Outcome({**opened, "key": key}, whose="nobody")


def _is_no_other(request: dict[str, Any], attribute: str) -> bool:
    """Whether an alias means the thing that was said: the map calls a hometown a city, which is another thing."""
    if attributes.matching([attribute], request["same"]):
        return True
    said, meant = attributes.family_of(request["attribute"]), attributes.family_of(attribute)
    return said is None or meant is None


def _shown(answer: ModelAnswer) -> dict[str, Any]:
    """An answer as it is recorded: a thought that was begun and never ended is for nobody."""
    return {**answer.to_json(), "text": without_open_thought(answer.text)}


def _in_short(attempt: Attempt) -> str:
    status = "" if attempt.status is None else f" {attempt.status}"
    return f"{attempt.provider}: {attempt.kind}{status} ({own_words(attempt.reason, '')[0]})"


def _refused(reason: str) -> Outcome:
    """An effect that nobody performs: a mistake in the agent, told to it."""
    return Outcome({"exception": "UnknownEffect", "reason": reason}, "AGENT_ERROR")
