"""What performs the effects that agents ask for: memory, the worker, the language engine.

Live only. Each result is JSON, goes onto the tape before it is used, and names failures by their code.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from mace.agents import health
from mace.agents.asking import Effect, wrong_effect
from mace.core.errors import (
    Erased,
    IntegrityFailure,
    InvalidInput,
    MaceError,
    PermissionDenied,
    ServiceUnavailable,
    StorageFull,
)
from mace.engine.facts.verbs import Blocked, FactVerbs
from mace.engine.governance.dsr import Deletions
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import is_personal
from mace.engine.kernel.gate import PromotionNeeded
from mace.engine.kernel.journal import Journal, TapeJournal
from mace.engine.kernel.privacy import NOBODY, screen
from mace.engine.kernel.stacks import stack_of
from mace.engine.kernel.tape import LiveTape, Outcome
from mace.engine.kernel.world import World
from mace.memory import facts
from mace.memory.keys import parse_key, user_of_key
from mace.providers.models.port import ModelDown, ModelRequest
from mace.providers.ports import Crashed, TimedOut
from mace.storage.ports import Tx


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

    def failed(self) -> None:
        self._observe(health.Failed(module_id=health.LANGUAGE_ENGINE, at_ms=self._at_ms, kind="unavailable"))

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
        passages: Callable[[str], list[dict[str, Any]]],
        consent_id: str | None = None,
        deletions: Deletions | None = None,
        keep_for_later: Callable[[dict[str, Any]], object] = lambda _write: None,
        started_ms: float = 0.0,
        watch: EngineWatch | None = None,
        may_be_sent: frozenset[str] = frozenset(),
        asked_by: Mapping[str, str] | None = None,
    ) -> None:
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
            "read_knowledge": self._read_knowledge,
            "read_fact": self._read_fact,
            "read_context": self._read_context,
            "compute": self._compute,
            "complete": self._complete,
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
            return self._found(tx, self._profile_key(tx, request))

        return self._world.store.read(look)

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
        """The key of a person's attribute: by alias if one of their own is meant, else by its name."""
        user_id = request["user_id"]
        slug = self._facts.user_slug(tx, user_id)
        key = self._facts.alias_for(tx, request["phrase"], slug)
        if key is not None and user_of_key(key) == slug:
            return key
        return self._facts.key_to_read(tx, "user", "profile", None, request["attribute"], user_id)

    def _read_knowledge(self, request: dict[str, Any], limit_ms: float) -> Outcome:
        def look(tx: Tx) -> Outcome:
            subject, attribute = request["subject"], request["attribute"]
            wanted = []
            alias = self._facts.resolve_alias(tx, subject, None)
            if alias is not None and parse_key(alias).scope == "world":
                wanted.append(str(parse_key(alias)._replace(attribute=attribute)))
                wanted.append(alias)
            for name in dict.fromkeys((attribute, "definition")):
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
        if not self._world.context_stores:
            return Outcome({"items": []}, whose="nobody")
        try:  # in a thread of its own: whatever holds a store or its cache must not hold the question
            found = self._world.runner.run(lambda: self._passages(request["query"]), limit_ms)
        except TimedOut:
            return Outcome({"key": "a store", "reason": "the look-up took too long"}, "DATA_UNAVAILABLE")
        return Outcome({"items": found})

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
            return Outcome({"reason": "no language engine is configured", "attempts": []}, "LLM_SERVICE_DOWN")
        if not self._watch.may_ask():
            reason = f"{health.LANGUAGE_ENGINE} is offline"
            return Outcome({"reason": reason, "attempts": [], "not_asked": True}, "LLM_SERVICE_DOWN")
        prompt, withheld = self._outward(request["prompt"])
        system, _ = self._outward(request["system"])
        wanted = ModelRequest(system=system, prompt=prompt, max_output_tokens=request["max_output_tokens"])
        try:
            answer = engine.complete(wanted, time_limit_s=limit_ms / 1000)
        except ModelDown as down:
            told = down.to_json()
            if told.get("api_key_status") != "missing":  # then it was not asked
                self._watch.failed()
            reasons = ", ".join(f"{item['provider']}: {item['kind']}" for item in told["attempts"])
            return Outcome({**told, "reason": reasons or "no provider"}, "LLM_SERVICE_DOWN")
        self._watch.worked()
        return Outcome({**answer.to_json(), "withheld": withheld} if withheld else answer.to_json())

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
        key = self._profile_key(tx, request)
        person = self._facts.user_slug(tx, request["user_id"])
        if not self._is_known(tx, key):  # a request names its keys in plain: what names nothing is only what was said
            return Outcome({"key": key}, "SEM_NOT_FOUND", whose="nobody")
        identity: dict[str, Any] = {"method": "session"}
        if self._asked_by is not None:
            identity["asked_by"] = dict(self._asked_by)
        opened = self._deletions.open(tx, self._journal, person, [key], identity)
        return Outcome({**opened, "key": key}, whose="nobody")


def _refused(reason: str) -> Outcome:
    """An effect that nobody performs: a mistake in the agent, told to it."""
    return Outcome({"exception": "UnknownEffect", "reason": reason}, "AGENT_ERROR")
