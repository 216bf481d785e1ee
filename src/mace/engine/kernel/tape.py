"""The tape of a job: its events in order, its effects with their results, ready to be played again.

The tape is the only way from a program to the ledger and to the world. There are two with the same face:

    call         live                                              on replay
    event        keeps it; linked with the unit that stores it     must be, byte for byte, the stored one
    keep         seals a content, gives its keyed hash             gives the hash the content has now
    effect       performs it, records what it came to              gives what was recorded; the request must hash alike
    writing      the same in one unit with the write, its start    the same; skips what the write itself left
                 recorded before
    observe      looks (a duration) and records the value          gives the recorded value
    agent_ended  never                                             says where an agent was stopped or raised
    asking       records that a language engine is asked, and      goes past it: what the engine said is the result of
    asked        stores that before the request leaves             the effect

Live nothing is stored before `store`, then everything at once; nobody else may write to the stream meanwhile. What an
effect came to passes the privacy gate and then its recorded form (canonical JSON) before anybody sees it, so that a
program is given the same live and on replay, and nobody's personal data gets into another person's job. A request that
hashes differently is a divergence, never a silent answer to another question.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeVar

from mace.core import canon
from mace.core.errors import Conflict, InvalidInput, MaceError, ServiceUnavailable, StorageFull
from mace.core.events import EVENT_TYPES, Head, Origin, StoredEvent
from mace.core.purposes import Purpose
from mace.core.seeds import seeded_timestamp
from mace.engine.kernel import retry
from mace.engine.kernel.privacy import Own, Screened, pii_hash, screen
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.spilling import again_if_taken
from mace.engine.kernel.stacks import stack_of
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.ledger import records
from mace.ledger.chain import link
from mace.storage.ports import Exists, Tx

T = TypeVar("T")

ATTEMPTS = frozenset({"ENGINE_ASKED", "ENGINE_DONE"})  # of an effect in which a language engine was asked
_FROM_OUTSIDE = frozenset({"JOB_INTERRUPTED", "JOB_RESUMED", "PERSON_ANSWERED", "PERSON_ASKED"})
_NAME = b"name\x00"  # no content that is kept begins so: the hash of a name is never the hash of a content


class Diverged(Exception):
    """Replay did something else than the record says."""

    def __init__(
        self,
        index: int,
        stored: dict[str, Any] | None,
        replayed: dict[str, Any] | None,
        *,
        call: dict[str, Any] | None = None,
        differs: str | None = None,
        after: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(f"event {index} differs")
        self.index = index
        self.stored = stored
        self.replayed = replayed
        self.call = call  # of a program: the call in which, or after which, it differs
        self.differs = differs  # where in the request
        self.after = after  # the call before that one


class Unreadable(Exception):
    """A recorded part is not there: erased with its person, or missing."""

    def __init__(self, what: str, erased: bool) -> None:
        super().__init__(what)
        self.what = what
        self.erased = erased


class RanOut(Diverged):
    """The record ends here: a replay that wants more differs from it, a job that is taken up again goes on."""


class JobErased(Conflict):
    """The job's key was taken away while it ran: what it came to is dropped."""


# Whose words an outcome holds: somebody's whom nobody knows (a passage, a model's text, a tool's), nobody's (a number
# that was computed, a fact about the world, which passed the gate when it was stored), or the job's own person's.
Whose = Literal["unknown", "nobody", "own"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an effect came to. `failed` names a failure code; `value` is JSON."""

    value: Any
    failed: str | None = None
    stack: dict[str, Any] | None = field(default=None, compare=False)  # where it was raised; only ever sealed
    whose: Whose = field(default="unknown", compare=False)
    flags: tuple[dict[str, str], ...] = ()  # what the gate cut out, as `PII_FLAGGED` says it
    plain: bytes | None = field(default=None, compare=False)  # of a value read from these bytes and held by nobody else

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as it is recorded."""
        return {"failed": self.failed, "value": self.value, **({"flags": list(self.flags)} if self.flags else {})}


def _not_yet(_purpose: Purpose, _digest: bytes) -> str:
    return ""


class Tape(Protocol):
    """What a job sees of its record, live or replayed."""

    job_seed: str
    stream: str
    replaying: bool

    def event(self, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> dict[str, Any]:
        """Record an event and return its payload."""

    def keep(self, name: str, content: Any) -> str:
        """Keep content sealed beside the ledger and return its keyed hash."""

    def effect(self, kind: str, request: Any, perform: Callable[[], Outcome]) -> Outcome:
        """Perform an effect and record its outcome; a replay returns the recorded one."""

    def writing(self, kind: str, request: dict[str, Any], perform: Callable[[Tx], Outcome]) -> Outcome:
        """Perform an effect that writes, in the same transaction as its record."""

    def observe(self, name: str, look: Callable[[], Any]) -> Any:
        """Record a small value from the world, such as a duration."""

    def timestamp(self) -> str:
        """Return the seeded timestamp of the next event."""

    def agent_ended(self, agent_id: str) -> dict[str, Any] | None:
        """Return the recorded timeout or error of an agent; None when live."""

    def screen(self, value: Any) -> Screened:
        """Return a text or JSON value as the privacy gate lets it into this job."""

    def pii_hash(self, span: str) -> str:
        """Return what is recorded of personal data instead of it."""

    def name_hash(self, name: str) -> str:
        """Return what is recorded of a name that somebody's words made: a hash whose key goes with the job's."""


class LiveTape:
    """The tape of a running job: performs effects and records their results."""

    replaying = False

    def __init__(
        self,
        world: World,
        vault: Vault,
        recorder: Recorder,
        origin: Origin,
        head: Head | None,
        person: str | None,
        root: str = "",
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._origin = origin
        self._head = head  # the last event that is stored
        self._pending: list[tuple[str, dict[str, Any], str]] = []  # linked when they are stored
        self._blobs: list[tuple[str, bytes]] = []
        self._documents: list[tuple[str, str, dict[str, Any]]] = []
        self._effects = 0
        self._data_key: bytes | None = None
        self.person = person
        self.own = Own()  # what of the person's own words may pass the gate; whoever opens the job tells
        self.job_seed = origin.job_seed
        self.stream = origin.stream
        self.key_ref = f"job/{root or origin.stream}"  # one key for the whole tree of a job

    def unlock(self, tx: Tx) -> None:
        """Make the job's data key; needed before anything is kept."""
        self._data_key = self._vault.data_key(tx, self.key_ref, self.person)

    @property
    def started_at(self) -> datetime:
        return self._origin.started_at

    @property
    def data_key(self) -> bytes:
        """The key that the job's data is sealed with."""
        if self._data_key is None:
            raise RuntimeError("the tape was not unlocked")
        return self._data_key

    def event(self, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> dict[str, Any]:
        """Record an event and return its payload."""
        if event_type not in EVENT_TYPES:
            raise ValueError(f"{event_type} is not an event type")
        self._pending.append((event_type, payload, signed_by))
        return payload

    def document(self, kind: str, key: str, content: dict[str, Any]) -> None:
        """Keep a document that a pending event names: it is stored with that event, and never without it."""
        self._documents.append((kind, key, content))

    def keep(self, name: str, content: Any) -> str:
        """Keep something sealed beside the ledger; return its keyed hash for an event."""
        return self._seal(name, canon.dumps(content))

    def _seal(self, name: str, plain: bytes) -> str:
        ref = f"{name}/{self.stream}"
        self._blobs.append((ref, self._world.keys.seal(self.data_key, plain, f"blob/{ref}")))
        return self._world.keys.keyed_hash(self.data_key, plain)

    def screen(self, value: Any) -> Screened:
        """Return a text or JSON value as the privacy gate lets it into this job."""
        return screen(self._world.keys, value, self.job_seed, own=self.own)

    def pii_hash(self, span: str) -> str:
        """Return what is recorded of personal data instead of it."""
        return pii_hash(self._world.keys, span, self.job_seed)

    def name_hash(self, name: str) -> str:
        """Return what is recorded of a name that somebody's words made: a hash whose key goes with the job's."""
        return self._world.keys.keyed_hash(self.data_key, _NAME + name.encode())

    def _let_in(self, outcome: Outcome) -> Outcome:
        """An outcome as the gate lets it into this job; what is not looked at here was looked at when it was stored."""
        value, stack, flags = outcome.value, outcome.stack, outcome.flags
        if outcome.whose == "own":
            self.own.add_stored(value)
            if stack is None:
                return outcome
        elif outcome.whose == "unknown":
            passed = self.screen(value)
            value, flags = passed.value, (*flags, *(flag.payload() for flag in passed.flags))
        if stack is not None:
            passed = self.screen(stack)
            stack, flags = passed.value, (*flags, *(flag.payload() for flag in passed.flags))
        return Outcome(value, outcome.failed, stack, outcome.whose, flags)

    def _done(self, number: int, kind: str, request_hash: str, outcome: Outcome) -> Outcome:
        """Record what an effect came to, and give back what was recorded: whoever asked sees what a replay will."""
        try:
            plain = canon.dumps(outcome.to_json())
            if outcome.whose != "nobody" or outcome.stack is not None:
                outcome = self._let_in(outcome)
                plain = canon.dumps(outcome.to_json()) if outcome.flags else plain
        except (canon.NotCanonical, InvalidInput):  # what cannot be recorded, or looked at, is not used
            outcome = Outcome({"exception": "NotCanonical"}, "AGENT_ERROR")
            plain = canon.dumps(outcome.to_json())
        result_hash = self._seal(f"effect/{number}", plain)
        payload = {
            "effect": number,
            "kind": kind,
            "request_hash": request_hash,
            "result_hash": result_hash,
            "failed": outcome.failed,
        }
        if outcome.stack is not None:
            payload["stacktrace_hash"] = self.keep(f"effect/{number}/stacktrace", outcome.stack)
        self.event("EFFECT_DONE", payload)
        for flag in outcome.flags:
            self.event("PII_FLAGGED", flag)
        return Outcome(canon.loads(plain)["value"], outcome.failed, outcome.stack, outcome.whose, outcome.flags)

    def _hash(self, request: Any) -> str:
        return self._world.keys.keyed_hash(self.data_key, canon.dumps(request))

    def effect(self, kind: str, request: Any, perform: Callable[[], Outcome]) -> Outcome:
        """Do something that changes nothing in memory, and record what it came to."""
        number, self._effects = self._effects, self._effects + 1
        return self._done(number, kind, self._hash(request), perform())

    def asking(self, said: dict[str, Any], effect: int | None = None) -> None:
        """Record that a language engine is asked now, and store that: the request leaves afterwards, or never."""
        self.event("ENGINE_ASKED", {"effect": self._effects - 1 if effect is None else effect, **said})
        self.store(lambda _tx: None)

    def asked(self, said: dict[str, Any], effect: int | None = None) -> None:
        """Record what that came to; stored with whatever is stored next."""
        self.event("ENGINE_DONE", {"effect": self._effects - 1 if effect is None else effect, **said})

    def writing(self, kind: str, request: dict[str, Any], perform: Callable[[Tx], Outcome]) -> Outcome:
        """Do something that writes: its start is recorded first, then the write and its result in one unit."""
        number, self._effects = self._effects, self._effects + 1
        request_hash = self._hash(request)
        self.event("EFFECT_STARTED", {"effect": number, "kind": kind, "request_hash": request_hash})

        def unit(tx: Tx) -> Outcome:
            return self._done(number, kind, request_hash, perform(tx))

        about = {"key": request.get("key", request.get("attribute"))}
        attempt = 1
        while True:
            try:
                return self.store(unit)
            except StorageFull as error:
                failed = Outcome({**about, "reason": str(error)}, "STORAGE_FULL")
                return self._done(number, kind, request_hash, failed)
            except (ServiceUnavailable, Exists) as error:
                code, reason = "SERVICE_UNAVAILABLE", str(error)
                self.event(code, {"effect": number, "reason": reason})
                once_more = retry.decide(retry.Failure("write", code), attempt, self.job_seed)
                if once_more is None:
                    failed = Outcome({**about, "reason": reason}, "SEM_WRITE_FAIL")
                    return self._done(number, kind, request_hash, failed)
                self._world.clock.pause_ms(once_more.delay_ms)
                tried = {"effect": number, "attempt_index": attempt, "delay_ms": once_more.delay_ms}
                self.event("RETRY_ATTEMPT", tried)
                attempt += 1
            except MaceError as error:
                failed = Outcome({**about, "reason": str(error)}, error.code)
                return self._done(number, kind, request_hash, failed)
            except Exception as error:  # rolled back; whoever asked for it hears that it was nothing that can be done
                failed = Outcome({**about, "exception": type(error).__name__}, "AGENT_ERROR", stack_of(error))
                return self._done(number, kind, request_hash, failed)

    def timestamp(self) -> str:
        """Return the seeded timestamp of the next event."""
        stored = 0 if self._head is None else self._head.sequence_index + 1
        return seeded_timestamp(self._origin.started_at, stored + len(self._pending))

    def agent_ended(self, agent_id: str) -> dict[str, Any] | None:
        """Return None: only a replay knows beforehand how an agent ends."""
        return None

    def observe(self, name: str, look: Callable[[], Any]) -> Any:
        """A small value from the world (a duration), recorded unencrypted."""
        value = look()
        self.event("EFFECT_DONE", {"observed": name, "value": value})
        return value

    def store(self, unit: Callable[[Tx], T]) -> T:
        """Store all events and contents so far together with what `unit` does; all or nothing."""
        pending, blobs, documents = list(self._pending), list(self._blobs), list(self._documents)
        head = self._head

        def whole(tx: Tx) -> T:
            nonlocal head
            self._must_have_key(tx)
            self._pending, self._blobs, self._documents = (
                list(pending),
                list(blobs),
                list(documents),
            )  # it may run again
            result = unit(tx)
            head = self._append(tx)
            for ref, sealed in self._blobs:
                tx.vault.put_blob(ref, self.key_ref, sealed)
            for kind, key, content in self._documents:
                self._add_once(tx, kind, key, content)
            return result

        try:
            result = again_if_taken(lambda: self._world.store.write(whole))
        except BaseException:
            self._pending, self._blobs, self._documents = pending, blobs, documents
            raise
        self._head, self._pending, self._blobs, self._documents = head, [], [], []
        return result

    def _add_once(self, tx: Tx, kind: str, key: str, content: dict[str, Any]) -> None:
        tx.lock(f"{kind}/{key}")  # another node may be keeping the same one
        if tx.records.get(kind, key) is None:
            tx.records.add(records.make(kind, key, content, self._world.keys.sign))

    def _must_have_key(self, tx: Tx) -> None:
        """Nothing is added to a job that was erased: it would come back under new keys."""
        if self._data_key is None:
            return
        if self.person:
            tx.lock(f"erasing/{self.person}")  # an erasure is before this unit or after it
        if tx.vault.key(self.key_ref) is None:
            raise JobErased("this was erased while it was being answered; nothing was kept")

    def _append(self, tx: Tx) -> Head | None:
        """Link what happened since the last unit, all at the time of this one; return the new head."""
        head, at = self._head, self._recorder.recorded_at(tx)
        for event_type, payload, signed_by in self._pending:
            event = link(head, self._origin, event_type, payload, signed_by, self._world.keys.sign, at)
            head = Head(event.sequence_index, event.hash)
            tx.events.append(event)
        return head


class ReplayTape:
    """The tape of a replayed job: returns recorded results and compares every event."""

    replaying = True

    def __init__(
        self,
        world: World,
        vault: Vault,
        origin: Origin,
        events: list[StoredEvent],
        start: int,
        data_key: bytes,
        blob: Callable[[str], bytes | None],
    ) -> None:
        self._world = world
        self._vault = vault
        self._origin = origin
        self._events = events
        self._at = start
        self._data_key = data_key
        self._blob = blob
        self._effects = 0
        self._peeked: tuple[int, dict[str, Any]] | None = None
        self.job_seed = origin.job_seed
        self.stream = origin.stream

    def _stored(self) -> StoredEvent | None:
        return self._events[self._at] if self._at < len(self._events) else None

    def peek(self) -> dict[str, Any] | None:
        """The next stored event, parsed, for reading only: it is asked for several times."""
        stored = self._stored()
        if stored is None:
            return None
        if self._peeked is None or self._peeked[0] != self._at:
            self._peeked = self._at, canon.loads(stored.body)
        return self._peeked[1]

    @property
    def index(self) -> int:
        """Where in the stream it stands."""
        return self._at

    def pass_by(self) -> None:
        """Go past what tells how the job stood and no program asks for: that it was interrupted, taken up, waited."""
        while self._at < len(self._events) and self._events[self._at].event_type in _FROM_OUTSIDE:
            self._at += 1

    def pass_attempts(self, effect: int) -> None:
        """Go past the attempts of this effect to ask a language engine, of earlier lives of the job, too."""
        while (stored := self.peek()) is not None:
            if stored["event_type"] not in ATTEMPTS or stored["payload"].get("effect") != effect:
                return
            self._at += 1
            self.pass_by()

    def event(self, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> dict[str, Any]:
        """Compare an event with the recorded one and return its payload."""
        self.pass_by()
        stored = self._stored()
        head = None if self._at == 0 else self._head_before()
        said = self.peek()
        at = None if said is None else said.get("recorded_at")  # the clock was read then
        again = link(head, self._origin, event_type, payload, signed_by, _not_yet, at)
        if stored is None:
            raise RanOut(self._at, None, canon.loads(again.body))
        if stored.body != again.body:
            raise Diverged(self._at, self.peek(), canon.loads(again.body))
        self._at += 1
        return payload

    def timestamp(self) -> str:
        """Return the seeded timestamp of the next event."""
        return seeded_timestamp(self._origin.started_at, self._at)

    def screen(self, value: Any) -> Screened:
        """As the live tape does, for what only a live job comes to."""
        return screen(self._world.keys, value, self.job_seed)

    def pii_hash(self, span: str) -> str:
        """Return what is recorded of personal data instead of it."""
        return pii_hash(self._world.keys, span, self.job_seed)

    def name_hash(self, name: str) -> str:
        """The same as the live tape gave: the job's key is the same."""
        return self._world.keys.keyed_hash(self._data_key, _NAME + name.encode())

    def agent_ended(self, agent_id: str) -> dict[str, Any] | None:
        """That an agent ran out of time or raised came from the world: the record says so after its time."""
        ahead = [canon.loads(event.body) for event in self._events[self._at : self._at + 2]]
        if len(ahead) == 2 and ahead[0]["payload"].get("observed") == "agent_ms":
            ended: dict[str, Any] = ahead[1]
            if ended["event_type"] in ("AGENT_TIMEOUT", "AGENT_ERROR") and ended["payload"]["agent_id"] == agent_id:
                return ended
        return None

    def _head_before(self) -> Head:
        before = self._events[self._at - 1]
        return Head(before.sequence_index, before.hash)

    def keep(self, name: str, content: Any) -> str:
        """Return the keyed hash of the content; nothing is stored."""
        return self._world.keys.keyed_hash(self._data_key, canon.dumps(content))

    def _hash(self, request: Any) -> str:
        return self._world.keys.keyed_hash(self._data_key, canon.dumps(request))

    def effect(self, kind: str, request: Any, perform: Callable[[], Outcome]) -> Outcome:
        """Return the recorded outcome of an effect."""
        number, self._effects = self._effects, self._effects + 1
        self.pass_attempts(number)
        return self._recorded(number, kind, self._hash(request))

    def writing(self, kind: str, request: dict[str, Any], perform: Callable[[Tx], Outcome]) -> Outcome:
        """Return the recorded outcome of a writing effect."""
        number, self._effects = self._effects, self._effects + 1
        request_hash = self._hash(request)
        self.event("EFFECT_STARTED", {"effect": number, "kind": kind, "request_hash": request_hash})
        # What the write itself left on the ledger belongs to it; go on at its result.
        while (stored := self.peek()) is not None and not (
            stored["event_type"] == "EFFECT_DONE" and stored["payload"].get("effect") == number
        ):
            self._at += 1
        return self._recorded(number, kind, request_hash)

    def _recorded(self, number: int, kind: str, request_hash: str) -> Outcome:
        stored = self.peek()
        ref = f"effect/{number}/{self.stream}"
        payload = stored["payload"] if stored and stored["event_type"] == "EFFECT_DONE" else None
        if payload is None or (payload.get("effect"), payload.get("kind"), payload.get("request_hash")) != (
            number,
            kind,
            request_hash,
        ):
            raise Diverged(self._at, stored, {"effect": number, "kind": kind, "request_hash": request_hash})
        plain = self._blob(ref)
        if plain is None:
            raise Unreadable(f"the result of effect {number} ({kind})", erased=False)
        if self._world.keys.keyed_hash(self._data_key, plain) != payload["result_hash"]:
            raise Diverged(self._at, stored, {"effect": number, "kind": kind, "result": "is not what was recorded"})
        recorded = canon.loads(plain)
        flags = tuple(recorded.get("flags", ()))
        self.event("EFFECT_DONE", payload)
        for flag in flags:
            self.event("PII_FLAGGED", flag)
        return Outcome(recorded["value"], recorded["failed"], flags=flags)

    def observe(self, name: str, look: Callable[[], Any]) -> Any:
        """Return the recorded observation."""
        self.pass_by()
        stored = self.peek()
        if stored is None:
            raise RanOut(self._at, None, {"observed": name})
        payload = stored["payload"] if stored["event_type"] == "EFFECT_DONE" else None
        if payload is None or payload.get("observed") != name:
            raise Diverged(self._at, stored, {"observed": name})
        self.event("EFFECT_DONE", payload)
        return payload["value"]
