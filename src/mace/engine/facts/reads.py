"""Reading facts: exactly, and linearizable in every process.

What was read is kept by the store, with everything that it was made of: rows, events, keys, consents. It is answered
for as long as none of that has changed, in whatever process. What is answered belongs to whoever asked: changing it
changes nothing here.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from mace.core import canon, seeds
from mace.core.answers import SemGet, VersionedFact
from mace.core.errors import IntegrityFailure, MaceError, PermissionDenied, ServiceUnavailable, StorageFull, envelope
from mace.core.times import iso_ms
from mace.engine.facts.names import FactNames
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.gate import ClosedGate, Gate, Stands
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.let_in import LetIn, told_before, told_by
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.standing import Standing, history, newest_applied, standing, written
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.memory import facts, keys
from mace.memory.aliases import Target
from mace.storage.ports import Fact, Kept, PastFact, Tx

ERASED = {"redaction_reason": "ERASED"}  # stands where a value was
CONSENT_ENDED = {"redaction_reason": "CONSENT_ENDED"}  # stands where only an ended consent covers a value

if TYPE_CHECKING:
    from mace.engine.kernel.failures import Failures

_MAX_KEPT_BYTES = 64 << 20  # about; then it starts anew
_MAX_STOOD = 1000
_AFTER_ALL = 1 << 62  # no event has such a position
_ENTRY_BYTES = 2000  # of an entry beside its content, which takes several times its length as Python objects

_Answer = tuple[dict[str, Any], datetime | None]  # and when time alone ends that it may be given


class FactReads(FactNames):
    """Reads facts by exact key or prefix, with their history."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        failures: "Callable[[], Failures]",
        packaged_aliases: Callable[[], dict[str, Target]],
        gate: Callable[[], Gate] = ClosedGate,
    ) -> None:
        super().__init__(world, recorder, failures, packaged_aliases)
        self._vault = vault
        self._bound = bound
        self._gate = gate  # what flagged data, and a module that writes, must pass; built when there is such a thing
        self._let_in: dict[tuple[str, int, str], LetIn | None] = {}  # by key, version and stream: never changes
        self._stood: dict[str, tuple[int, Standing]] = {}
        self._alarmed: set[str] = set()  # keys whose damage this process has put on the record
        self._kept: Kept[_Answer] = world.store.keep(_MAX_KEPT_BYTES)
        self._held = self._kept.get

    @property
    def gate(self) -> Gate:
        return self._gate()

    def get(self, key: str) -> SemGet:
        """Return `{exists, value, source, last_updated, meta}`; a missing key says so and nothing is guessed."""
        try:
            held = self._held(key)
            if held is not None and (held[1] is None or self._world.clock.now() < held[1]):
                own: SemGet = _own(held[0])
                return own
            keys.parse_key(key)
            answer = self._kept.read(key, lambda tx: self._to_keep(tx, key))[0]
        except (ServiceUnavailable, StorageFull) as error:
            return self._failed("DATA_UNAVAILABLE", key, error)
        except IntegrityFailure as error:
            return self._untrusted(key, error)
        fresh: SemGet = _own(answer)
        return fresh

    def _to_keep(self, tx: Tx, key: str) -> "tuple[_Answer, int]":
        answer, size, until = self._shown(tx, self.standing(tx, key))
        return (answer, until), size

    def get_versioned(self, key: str) -> VersionedFact:
        """The same with `version`, the number of its last write that counted; 0 when there was none."""
        keys.parse_key(key)

        def look(tx: Tx) -> dict[str, Any]:
            held = self.standing(tx, key)
            return {**self._shown(tx, held)[0], "version": held.version}

        try:
            return cast(VersionedFact, self._world.store.read(look))
        except (ServiceUnavailable, StorageFull) as error:
            return cast(VersionedFact, {**self._failed("DATA_UNAVAILABLE", key, error), "version": 0})
        except IntegrityFailure as error:
            return cast(VersionedFact, {**self._untrusted(key, error), "version": 0})

    def _failed(self, code: str, key: str, error: MaceError) -> SemGet:
        """What could not be read, or is not what was written, is not served and not said to be missing."""
        told = self._told(code, {"key": key, "reason": str(error)})
        return cast(SemGet, {**facts.missing(), **told})

    def _untrusted(self, key: str, error: MaceError) -> SemGet:
        """What is answered about a key whose rows are not what the ledger says; the first time it is put on record."""
        about = {"key": key, "reason": str(error)}
        if key not in self._alarmed:
            self._alarmed.add(key)
            with suppress(MaceError):  # a reader cannot write; the answer says it in any case
                self._failures.note(VerbJournal(self._recorder, "sem_get"), "INTEGRITY_FAILURE", **about)
        return self._failed("INTEGRITY_FAILURE", key, error)

    def standing(self, tx: Tx, key: str) -> Standing:
        """What stands under a key, held against the ledger; `IntegrityFailure` when it is not what the ledger says.

        Inside a unit it is looked up once for as long as only this process writes, and not the key.
        """
        generation = tx.generation
        if generation is None:
            return standing(self._bound, tx, key)
        held = self._stood.get(key)
        if held is not None and held[0] == generation:
            return held[1]
        found = standing(self._bound, tx, key)
        if len(self._stood) >= _MAX_STOOD:
            self._stood.clear()
        self._stood[key] = (generation, found)
        return found

    def look(self, tx: Tx, key: str) -> dict[str, Any]:
        """Read one fact inside a transaction."""
        return self._shown(tx, self.standing(tx, key))[0]

    def shown(self, tx: Tx, held: Standing) -> dict[str, Any]:
        """What stands, as a read answers it."""
        return self._shown(tx, held)[0]

    def _shown(self, tx: Tx, held: Standing) -> tuple[dict[str, Any], int, datetime | None]:
        """The answer, about how much memory it takes, and when time alone ends that it may be given."""
        fact = held.fact
        content = None if fact is None or fact.deleted else self._content(tx, fact)
        if fact is None or content is None:
            return facts.not_found(), _ENTRY_BYTES, None
        stands = self._stands(tx, held) if fact.key_ref else Stands.ALWAYS
        if not stands.served:
            return facts.no_longer_covered(), _ENTRY_BYTES, None
        answer = {
            "exists": True,
            "value": content["value"],
            "source": fact.source,
            "last_updated": fact.written_at,
            "meta": content["meta"] if content["notes"] is None else {**content["meta"], "notes": content["notes"]},
        }
        return answer, _ENTRY_BYTES + 8 * len(fact.content), stands.until

    # Consent

    def _stands(self, tx: Tx, held: Standing) -> Stands:
        """Whether what stands may be served: not when only an ended consent covers it."""
        past = held.past
        if past is None or held.put is None:
            return Stands.ALWAYS
        return self._may_be_served(tx, past, held.put)

    def _may_be_served(self, tx: Tx, past: PastFact, put: Mapping[str, Any]) -> Stands:
        person = keys.user_of_key(past.key)
        if person is None:
            return Stands.ALWAYS
        let_in = self.let_in(tx, person, past, put)
        return Stands.ALWAYS if let_in is None else self.gate.stands(tx, person, let_in)

    def let_in(self, tx: Tx, person: str, past: PastFact, put: Mapping[str, Any]) -> LetIn | None:
        """The consent that let a version of a person's fact in, as the event of its write says or, before that, its
        stream; None where there was none."""
        told = told_by(put)
        if told is not None:
            return told
        which = (past.key, past.version, past.stream)
        if which in self._let_in:
            return self._let_in[which]
        if len(self._let_in) >= _MAX_STOOD:
            self._let_in.clear()
        asks = tx.events.is_spoken_of(f"consents/{person}")  # else nobody ever asked this person
        found = told_before(self._bound, tx, past.key, past.version, past.stream) if asks else None
        self._let_in[which] = found
        return found

    def no_longer_served(self, tx: Tx, person: str) -> list[str]:
        """The live facts of a person that only ended consents cover, by key; what is damaged is verification's."""
        found = []
        for ref in tx.vault.keys_under(f"person/{person}"):
            if not ref.startswith("fact/"):
                continue
            key = ref.removeprefix("fact/")
            with suppress(IntegrityFailure):
                held = standing(self._bound, tx, key)
                if held.fact is not None and not held.fact.deleted and not self._stands(tx, held).served:
                    found.append(key)
        return found

    def of_person(self, tx: Tx, person: str) -> list[tuple[str, dict[str, Any]]]:
        """The facts of a person that may be served, by key; what is damaged is verification's."""
        found = []
        for ref in tx.vault.keys_under(f"person/{person}", "fact/"):
            key = ref.removeprefix("fact/")
            with suppress(IntegrityFailure):
                fact = self.look(tx, key)
                if fact["exists"]:
                    found.append((key, fact))
        return found

    def profile_attributes(self, tx: Tx, person: str) -> dict[str, str]:
        """The attributes that a person has or had in their profile, with their keys."""
        start = f"fact/user/profile/{person}/"
        return {
            ref.removeprefix(start): ref.removeprefix("fact/") for ref in tx.vault.keys_under(f"person/{person}", start)
        }

    def current(self, tx: Tx, key: str) -> dict[str, Any] | None:
        """What stands under a key, as `{meta, notes, value}`; None when there is nothing to read."""
        fact = self.standing(tx, key).fact
        return None if fact is None or fact.deleted else self._content(tx, fact)

    def _content(self, tx: Tx, fact: Fact) -> dict[str, Any] | None:
        """The fact's content, or None when its key was taken away."""
        plain: bytes | None = fact.content
        if fact.key_ref:
            plain = self._vault.unseal(tx, fact.key_ref, fact.content, sealed_as(fact.key, fact.version))
        return None if plain is None else canon.loads(plain)

    def history(self, key: str) -> list[dict[str, Any]]:
        """Every write under a key, oldest first: who, when, and what as far as it can still be read."""
        keys.parse_key(key)
        person = keys.user_of_key(key)

        def look(tx: Tx) -> list[dict[str, Any]]:
            rows = history(self._bound, tx, key)
            asked = person is not None and tx.events.is_spoken_of(f"consents/{person}")
            puts = written(self._bound, tx, key) if asked else {}
            return [self._past(tx, row, puts.get(row.version)) for row in rows]

        return self._world.store.read(look)

    def _past(self, tx: Tx, row: PastFact, put: Mapping[str, Any] | None) -> dict[str, Any]:
        content = _content_of(self._vault, tx, row)
        if put is not None and not row.deleted and content != ERASED:
            content = content if self._may_be_served(tx, row, put).served else CONSENT_ENDED
        return {
            "version": row.version,
            "written_at": row.written_at,
            "source": row.source,
            "actor": row.actor,
            "value_hash": row.value_hash,
            "applied": row.applied,
            "deleted": row.deleted,
            "value": content["value"] if content and "value" in content else content,
            "job_id": row.stream,
        }

    def listed(self, prefix: str, source: str | None) -> list[str]:
        """All live keys under whole leading components; for admins."""
        if source not in (None, "system_admin", "system"):
            raise PermissionDenied(actor=source, action="sem_list")
        plain = keys.check_prefix(prefix)
        return self._world.store.read(lambda tx: self._all_keys(tx, plain))

    def _all_keys(self, tx: Tx, prefix: str) -> list[str]:
        if prefix.count("/") == 3:  # a whole key
            held = self.standing(tx, prefix)
            is_there = held.fact is not None and not held.fact.deleted and self._stands(tx, held).served
            return [prefix] if is_there else []
        asked: dict[str, bool] = {}
        return [key for key in _keys_spoken_of(tx, prefix) if self._is_live(tx, key, asked)]

    def _is_live(self, tx: Tx, key: str, asked: dict[str, bool]) -> bool:
        """Whether the newest write that counted put something there that may be served; the ledger alone says so."""
        applied = newest_applied(self._bound, tx, key)[0]
        if applied is None or applied.is_deleted:
            return False
        person = keys.user_of_key(key)
        if person is None:
            return True
        if person not in asked:
            asked[person] = tx.events.is_spoken_of(f"consents/{person}")
        if not asked[person]:
            return True
        past = tx.facts.history_at(key, applied.version)
        return past is None or self._may_be_served(tx, past, applied.payload).served

    def attributes_of(self, tx: Tx, entity: str, most: int = 200) -> list[str]:
        """The attributes of `scope/entity_type/entity_id` that have a value, sorted; outside scope `user`."""
        under = f"sem_history/{entity}/"
        there = (subject.removeprefix("sem_history/") for subject in keys_below(tx, under, most))
        return [key.rsplit("/", 1)[1] for key in there if self._is_live(tx, key, {})]

    def forget_cached(self) -> None:
        """Let go of every value held in memory; after an erasure."""
        self._kept.clear()
        self._stood.clear()
        self._let_in.clear()

    def _told(self, code: str, details: dict[str, Any]) -> dict[str, Any]:
        """An answer about a failure that could not be put on the ledger because the store is down."""
        seed = self._recorder.fresh_seed()
        told = envelope(
            code,
            query_id=seeds.job_id(seed),
            trace_id=seeds.trace_id(seed),
            timestamp=iso_ms(self._recorder.now_ms()),
            details=details,
        )
        return {"error_code": code, "user_message": told["user_message"], "error": told}


def _keys_spoken_of(tx: Tx, prefix: str) -> Iterator[str]:
    """Every key under whole leading components that an event names, sorted; each once."""
    under = f"sem_history/{prefix}/" if prefix else "sem_history/"
    last, after = "", (under, -1)
    while page := tx.subjects.scan(after):
        for subject, _ in page:
            if not subject.startswith(under):
                return
            if subject != last:
                last = subject
                yield subject.removeprefix("sem_history/")
        after = page[-1]


def keys_below(tx: Tx, under: str, most: int) -> Iterator[str]:
    """The first subjects below one that ends in `/`, by one look at the index for each."""
    after = (under, -1)
    for _ in range(most):
        page = tx.subjects.scan(after, 1)
        if not page or not page[0][0].startswith(under):
            return
        yield page[0][0]
        after = (page[0][0], _AFTER_ALL)


def _own(answer: dict[str, Any]) -> Any:
    """A copy of an answer that shares nothing with it: whoever gets it may change it."""
    return {name: _copied(item) if type(item) in (dict, list) else item for name, item in answer.items()}


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {name: _copied(item) for name, item in value.items()}
    if type(value) is list:
        return [_copied(item) for item in value]
    return value


def sealed_as(key: str, version: int) -> str:
    """Return the reference under which a version of a fact is sealed."""
    return f"sem/{key}@{version}"


def read_past(vault: Vault, tx: Tx, past: PastFact) -> dict[str, Any] | None:
    """The content of a row of history; None for a tombstone and for what was erased."""
    content = None if past.deleted else _content_of(vault, tx, past)
    return None if content == ERASED else content


def _content_of(vault: Vault, tx: Tx, past: PastFact) -> Any:
    """What a row of history holds; a tombstone holds null, and what was erased says so."""
    if not past.key_ref:
        return canon.loads(past.content)
    try:
        plain = vault.unseal(tx, past.key_ref, past.content, sealed_as(past.key, past.version))
    except IntegrityFailure:
        upto = vault.erased_up_to(tx, past.key_ref)
        if upto is None or past.version > upto:
            raise
        plain = None  # sealed under an earlier key of this fact, which a manifest took away
    return ERASED if plain is None else canon.loads(plain)
