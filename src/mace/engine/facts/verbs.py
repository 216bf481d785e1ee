"""Writing facts: in one transaction, never lost or invented; with names (`fact_names`) and reading (`fact_reads`).

A put is value, history (which is the audit entry) and event, or nothing. What belongs to a person is sealed under a key
of that fact below that person's key. Refusals come before anything is written.
"""

import base64
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mace.core import canon
from mace.core.errors import (
    Conflict,
    FactNotFound,
    IntegrityFailure,
    InvalidInput,
    PermissionDenied,
    PreconditionFailed,
    WrongType,
)
from mace.core.subjects import references
from mace.core.times import iso_us
from mace.engine.facts.names import Name, entity_of
from mace.engine.facts.reads import FactReads, sealed_as
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import CUT, check_idempotency_key, flags_in_name, is_personal, is_personal_as_it_is
from mace.engine.kernel.gate import Blocked, ClosedGate, FlaggedWrite, Gate, PromotionNeeded, blocked
from mace.engine.kernel.journal import Journal, VerbJournal
from mace.engine.kernel.let_in import LetIn
from mace.engine.kernel.missing_keys import answer_is_erased, was_erased_since
from mace.engine.kernel.privacy import Flag, check_user_id, flags_in_json
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.slots import LOOKS
from mace.engine.kernel.standing import standing
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.ledger import rows
from mace.memory import facts, keys
from mace.memory.aliases import Target
from mace.memory.facts import Current, FactRules, Put, row_hash
from mace.storage.ports import Fact, PastFact, Tx

if TYPE_CHECKING:
    from mace.engine.kernel.failures import Failures

__all__ = ["Blocked", "FactVerbs"]

ALLOWED_WRITERS = "mace/config/agents/allowed_writes"
PROTECTED_SCOPES = ("mace", "system", "config")  # a module that tries to write here breaks the policy
_MAX_CLAIMS = 10_000
_TOKEN = b"idempotency\0"  # before what is hashed with a person's or a fact's key


class FactVerbs(FactReads):
    """Writes and deletes facts."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        failures: "Callable[[], Failures]",
        packaged_aliases: Callable[[], dict[str, Target]],
        rules: FactRules,
        gate: Callable[[], Gate] = ClosedGate,
    ) -> None:
        super().__init__(world, recorder, vault, bound, failures, packaged_aliases, gate)
        self._rules = rules
        self._claims: dict[str, keys.Registration | None] = {}  # what a key implies: a function of the key alone
        self._claimed: set[str] = set()  # slots seen taken in a transaction that stands; the registry only grows
        self._literal: set[str] = set()  # slots seen to be those of their own words: no name can take them any more
        self._written: dict[str, tuple[int, int, int]] = {}  # by key: as this process left it, see `_newest`

    def put(
        self,
        key: str,
        value: Any,
        source: str | None,
        timestamp: Any,
        notes: str | None,
        meta: dict[str, Any] | None,
        *,
        user_id: str | None,
        job_seed: str | None,
        consent_id: str | None,
        idempotency_key: str | None,
        if_version: int | None = None,
        retried: bool = False,
        actor: str | None = None,
        guard: Callable[[Tx], None] | None = None,
    ) -> dict[str, Any]:
        """Write a fact as a verb of its own; refusals and failures are answers with their envelope.

        What was `retried` for an operator is not kept for another retry. `guard` runs first in the unit of the write,
        and raises where it must not be made any more.
        """
        journal = VerbJournal(self._recorder, "sem_put", None if job_seed is None else check_seed(job_seed))
        asked_for = self.asked_for(key)
        if _is_personal_key(key):
            return self._refuse_key(journal, key)
        try:
            begun = self._world.clock.now()
            put = facts.read_put(key, value, source, timestamp, notes, meta, begun, self._rules)
            if user_id is not None:
                check_user_id(user_id)
            if idempotency_key is not None:
                check_idempotency_key(idempotency_key)
            if if_version is not None and (type(if_version) is not int or if_version < 0):
                raise InvalidInput("if_version must be a whole number from 0 on")
            flags = self.flags(put, journal.job_seed)
        except WrongType:
            raise
        except InvalidInput as error:
            return self._failures.refuse(journal, error, {"key": key})
        tried: list[PastFact] = []
        is_again = False

        def unit(tx: Tx) -> dict[str, Any]:
            nonlocal is_again
            if tried and tx.facts.history_at(key, tried[-1].version) == tried[-1]:
                return _done(tried[-1].applied)  # the attempt that seemed to fail had gone through
            tried.clear()
            if guard is not None:
                guard(tx)
            if is_again:  # a second try: what was erased meanwhile is not written again under fresh keys
                self._must_not_be_erased(tx, key, begun)
            is_again = True
            journal.join_for(tx, keys.user_of_key(key))
            try:
                return self.put_in(
                    tx,
                    journal,
                    put,
                    user_id=user_id,
                    idempotency_key=idempotency_key,
                    consent_id=consent_id,
                    flags=flags,
                    tried=tried,
                    if_version=if_version,
                    by=actor,
                    asked_for=asked_for,
                )
            except PromotionNeeded as error:  # nothing was written: what is, is the request
                error.details["requested_by"] = actor or "user"
                return self._promote(tx, journal, error)

        queue = None if flags or retried else lambda: self.for_later(put, user_id)  # what was flagged waits nowhere
        answer = self._failures.put_answer(journal, key, unit, queue)
        if answer["success"]:
            if (claim := self._claims.get(key)) is not None:
                self._claimed.add(claim.slot)
            elif asked_for is None and "meta" not in answer and put.key.scope != "user":
                self._keep_literal(key.rpartition("/")[0])
            canonical = self.canonical_of(key)
            if canonical is None:
                return answer
            return {**answer, "meta": {**answer.get("meta", {}), "canonical_key": canonical}}
        is_agent = put.source.startswith(facts.AGENT_PREFIX)
        if answer["error_code"] == "PERMISSION_DENIED" and is_agent and put.key.scope in PROTECTED_SCOPES:
            self.gate.forbidden(put.source, f"write {put.key.scope}/{put.key.entity_type}")
        return answer

    def _must_not_be_erased(self, tx: Tx, key: str, since: datetime) -> None:
        if keys.user_of_key(key) is not None and was_erased_since(tx, key, iso_us(since), self._world.keys):
            raise Conflict("this was erased while it was being written; nothing was kept")

    def _refuse_key(self, journal: VerbJournal, key: str) -> dict[str, Any]:
        """Refuse a key with personal data; keys are stored unencrypted, so the refusal does not repeat it."""
        flags = flags_in_name(self._world.keys, key, journal.job_seed)
        wanted = FlaggedWrite(key=CUT, person=None, flags=tuple(flags), consent_id=None)
        return self._failures.refuse(journal, blocked(wanted), {"key": CUT})

    def _promote(self, tx: Tx, journal: VerbJournal, error: PromotionNeeded) -> dict[str, Any]:
        details = self.gate.ask_approval(tx, journal, error)
        journal.event(tx, error.code, {"code": error.code, **details})
        self._failures.occurred(tx, error.code, details["key"])
        return self._failures.answer(journal, error.code, details)

    def flags(self, put: Put, job_seed: str) -> list[Flag]:
        """What is personal above low in a write; that its key is not was seen before."""
        flags = flags_in_json(self._world.keys, put.value, put.key.attribute, job_seed)
        for name, said in (("notes", put.notes), ("meta", put.meta)):
            if said:
                flags += flags_in_json(self._world.keys, said, name, job_seed)
        return flags

    def for_later(self, put: Put, user_id: str | None) -> dict[str, Any]:
        """A write that failed twice, as it may wait for an operator: sealed."""
        queued_id = self._world.entropy.token(16).hex()
        write = {
            "key": str(put.key),
            "content": canon.loads(put.content),
            "source": put.source,
            "timestamp": iso_us(put.timestamp or self._world.clock.now()),
            "user_id": user_id,
        }
        sealed = self._world.keys.seal_here(canon.dumps(write), f"queued_write/{queued_id}")
        return {"spill_id": queued_id, "sealed": base64.b64encode(sealed).decode()}

    def put_in(
        self,
        tx: Tx,
        journal: Journal,
        put: Put,
        *,
        user_id: str | None,
        idempotency_key: str | None = None,
        consent_id: str | None = None,
        flags: list[Flag] | None = None,
        tried: list[PastFact] | None = None,
        if_version: int | None = None,
        by: str | None = None,
        asked_for: Name | None = None,
    ) -> dict[str, Any]:
        """Write inside a unit; raise `PermissionDenied`, `Blocked` or `Conflict` with nothing stored.

        `tried` is told which row was written: if the outcome stays open, whoever tries again looks for it first.
        """
        key = str(put.key)
        seat = self.authorise(tx, put, user_id)
        actor = put.key.entity_id if put.source == "user" else put.source  # a user who may write it is the one it names
        if put.source == "system_admin" and by is not None:
            actor = by
        name: str | None = None
        if idempotency_key is not None:  # everybody has their own: two users may number their writes alike
            name = f"{put.source}/{actor}/{idempotency_key}"
            if self._was_made(tx, put, name):
                return self._again(tx, key, put)
        if if_version is not None:
            self._check_version(tx, key, if_version)
        found = self.flags(put, journal.job_seed) if flags is None else flags
        let_in = None
        if found:
            wanted = FlaggedWrite(
                key=key,
                person=keys.user_of_key(key),
                flags=tuple(found),
                consent_id=consent_id,
                content=put.content,
            )
            let_in = self.gate.admit(tx, journal, wanted)
        if seat is not None and seat.register:
            self.register(tx, seat, journal, key)
        claim = self._claim_of(key)
        if claim is not None and claim.slot not in self._claimed:
            self._slots.claim(tx, journal, claim)
        is_named_otherwise = False
        if put.key.scope != "user" and (asked_for is not None or key.rpartition("/")[0] not in self._literal):
            self._enter(tx, journal, key, asked_for)
            is_named_otherwise = asked_for is None and self._is_named_otherwise(tx, put.key)
        row = self._store(tx, journal, key, put, actor, name, let_in)
        if tried is not None:
            tried.append(row)
        done = _done(row.applied)
        return {**done, "meta": {"named_otherwise": True}} if is_named_otherwise else done

    def _is_named_otherwise(self, tx: Tx, key: keys.Key) -> bool:
        """Say whether a key that is written as it stands is that of a name with other words: "C++" may have `c`."""
        return "-" not in key.entity_id and self._slots.is_named_otherwise(tx, f"{key[0]}/{key[1]}/{key[2]}")

    def _keep_literal(self, slot: str) -> None:
        if len(self._literal) >= _MAX_CLAIMS:
            self._literal.clear()
        self._literal.add(slot)

    def _was_made(self, tx: Tx, put: Put, name: str) -> bool:
        """Say whether the write of this idempotency key was made before; `Conflict` when that was another one."""
        request = canon.dumps([str(put.key), put.source]) + put.content
        known = [self._world.keys.tag("idempotency", request), self._world.keys.older_tag(request)]
        tokens = [canon.sha256_hex(name)]  # as it was named before names were keyed
        if put.key.scope != "user":
            tokens.append(self._named(tx, put, name)[0])
        elif tx.vault.key(f"person/{put.key.entity_id}") is not None:  # else nothing was ever named with it
            person = self._vault.person_key(tx, put.key.entity_id)
            tokens.append(self._world.keys.keyed_hash(person, _TOKEN + name.encode()))
            if tx.vault.key(f"fact/{put.key}") is not None:
                known.append(self._named(tx, put, name)[1])
        for token in tokens:
            first = self._first_answer(tx, token)
            if first is not None:
                if first[0] not in known:
                    raise Conflict("idempotency_key was already used for a different write")
                return True
        return False

    def _named(self, tx: Tx, put: Put, name: str) -> tuple[str, str]:
        """The token of an idempotency key, and the hash of its write.

        Of a person's fact they are keyed with that person's and that fact's key: once these are gone nobody can test a
        guess against what stays on the ledger.
        """
        own = self._world.keys
        request = canon.dumps([str(put.key), put.source]) + put.content
        if put.key.scope != "user":
            return own.tag("idempotency-token", name.encode()), own.tag("idempotency", request)
        person, data_key = put.key.entity_id, self._vault.data_key(tx, f"fact/{put.key}", put.key.entity_id)
        token = own.keyed_hash(self._vault.person_key(tx, person), _TOKEN + name.encode())
        return token, own.keyed_hash(data_key, _TOKEN + request)

    def _first_answer(self, tx: Tx, token: str) -> tuple[str, bytes] | None:
        """What a key was first used for, and its answer, as the event of that write names them.

        Nothing else is believed: with a row that is gone or changed the same key could write twice, and a row without
        an event was never an answer. No word sets that aside: the write can be made under another key.
        """
        held = tx.idempotency.get(token)
        for _ in range(LOOKS):
            named = self._slots.bound.named(tx, rows.IDEMPOTENCY, token)
            if held is None and (named is None or answer_is_erased(tx, named.payload, self._world.keys)):
                return None
            if held is not None and named is not None and rows.idempotency_hash(token, *held) == named.hash:
                return held
            held = tx.idempotency.get(token)
        raise IntegrityFailure("what is kept of this idempotency_key was changed; run verify, and use another key")

    def _check_version(self, tx: Tx, key: str, if_version: int) -> None:
        tx.facts.lock(key)
        current = self.standing(tx, key).version
        if current != if_version:
            raise PreconditionFailed(f"the fact has version {current}, not {if_version}", version=current)

    def _claim_of(self, key: str) -> keys.Registration | None:
        try:
            return self._claims[key]
        except KeyError:
            if len(self._claims) >= _MAX_CLAIMS:
                self._claims.clear()
                self._claimed.clear()
            claim = self._claims[key] = keys.claim_of(key)
            return claim

    def authorise(self, tx: Tx, put: Put, user_id: str | None) -> keys.SlugClaim | None:
        """Return the seat of the user who writes, if there is one; raise `PermissionDenied`."""
        seat = None
        if put.source == "user" and user_id is not None:
            seat = keys.place_entity(entity_of(user_id), self._slots.of(tx))
        listed: list[str] = []
        if put.source.startswith(facts.AGENT_PREFIX):
            listed = self.agents_that_write(tx)
        allowed = facts.may_write(put.source, put.key, seat.slug if seat else None, listed)
        is_agent = put.source.startswith(facts.AGENT_PREFIX)
        if not allowed or (is_agent and not self.gate.may_write(tx, put.source)):
            raise PermissionDenied(actor=put.source, action=f"write {put.key.scope}/{put.key.entity_type}")
        return seat

    def agents_that_write(self, tx: Tx) -> list[str]:
        """The agents that are listed to write, as the list is now."""
        return facts.agents_listed(self.look(tx, ALLOWED_WRITERS)["value"])

    def _again(self, tx: Tx, key: str, put: Put) -> dict[str, Any]:
        """Answer a write that was made before: by what is in the history, never by what was answered then."""
        digest = self._hash_of_written(tx, key, put)
        history = tx.facts.history(key)
        same = [row for row in history if row.value_hash == digest and row.source == put.source and not row.deleted]
        if not same or any(row.deleted and row.version > same[-1].version for row in history):
            raise Conflict("the fact of this idempotency_key was deleted since; use a new idempotency_key")
        return _done(same[-1].applied)

    def _hash_of_written(self, tx: Tx, key: str, put: Put) -> str | None:
        """The hash that a row with this content has; None where its key is gone."""
        if put.key.scope != "user":
            return sha256(put.content).hexdigest()
        if tx.vault.key(f"fact/{key}") is None:
            return None
        return self._world.keys.keyed_hash(self._vault.open_key(tx, f"fact/{key}"), put.content)

    def forget_answers(self, tx: Tx, key: str) -> int:
        """Drop what was answered to retried writes of a fact that is erased; return how many."""
        dropped = 0
        for event in tx.events.about(f"sem_history/{key}", 1_000_000):
            for held in references(canon.loads(event.body)["payload"]):
                if held["kind"] == rows.IDEMPOTENCY:
                    dropped += tx.idempotency.drop(held["key"])
        return dropped

    def _store(
        self,
        tx: Tx,
        journal: Journal,
        key: str,
        put: Put,
        actor: str,
        name: str | None = None,
        let_in: LetIn | None = None,
    ) -> PastFact:
        """Store a row with its event, which names the consent it was `let_in` by.

        `name` is what an idempotency key is called by.
        """
        tx.facts.lock(key)
        _, current, last = self._newest(tx, key)
        written_at = facts.placed_at(put, current, self._world.clock.now())
        applied = facts.wins(written_at, put.source, current)
        version = last + 1
        content, key_ref = put.content, ""
        if put.key.scope == "user":
            key_ref = f"fact/{key}"
            data_key = self._vault.data_key(tx, key_ref, put.key.entity_id)
            content = self._world.keys.seal(data_key, put.content, sealed_as(key, version))
            value_hash = self._world.keys.keyed_hash(data_key, put.content)
        else:
            value_hash = sha256(content).hexdigest()
        row = PastFact(
            key, version, content, key_ref, put.source, actor, written_at, value_hash, applied, False, journal.stream
        )
        tx.facts.add_history(row)
        if applied:
            tx.facts.put(Fact(key, version, content, key_ref, put.source, written_at, False))
        self._leave(tx, key, version, version if applied else None)
        payload = {
            "key": key,
            "version": version,
            "source": put.source,
            "timestamp": written_at,
            "value_hash": value_hash,
            "applied": applied,
            "record": {"kind": "sem_history", "key": f"{key}@{version}", "hash": row_hash(row)},
        }
        if let_in is not None:
            payload |= let_in.payload()
        if name is not None:
            token = self._named(tx, put, name)
            answer = canon.dumps(_done(applied))
            tx.idempotency.add(*token, answer)
            payload["records"] = [
                rows.reference(rows.IDEMPOTENCY, token[0], rows.idempotency_hash(*token, answer)),
            ]
        journal.event(tx, "SEM_PUT", payload, signed_by=actor if put.source == "system_admin" else put.source)
        return row

    def _newest(self, tx: Tx, key: str) -> tuple[bool, Current | None, int]:
        """Whether something live stands, what was written last that counted, and the last version there is.

        All of it is held against the ledger before anything is written on top. Where nobody else has written since
        this process wrote the key, its rows are as they were left.
        """
        held, last = tx.facts.newest(key)
        generation = tx.generation
        if generation is not None and held is not None and self._written.get(key) == (generation, held.version, last):
            return not held.deleted, Current(held.written_at, held.source), last
        is_new = held is None and last == 0 and not tx.events.is_spoken_of(f"sem_history/{key}")
        if is_new and tx.facts.get(key) is None:  # `newest` begins with the history, and a forged one may have none
            return False, None, 0
        stands = standing(self._bound, tx, key, lost_is_fatal=False)
        live = stands.named is not None and (stands.fact is None or not stands.fact.deleted)
        return live, stands.named, max(last, stands.last)

    def _leave(self, tx: Tx, key: str, last: int, standing_version: int | None) -> None:
        """Remember how this process leaves a key; counts only while the rows say the same and nobody else wrote."""
        self._stood.pop(key, None)
        generation = tx.generation
        if generation is None:
            return
        if standing_version is None:  # what stood stands: remembered only if it was
            before = self._written.get(key)
            standing_version = -1 if before is None else before[1]
        if len(self._written) >= _MAX_CLAIMS:
            self._written.clear()
        self._written[key] = (generation, standing_version, last)

    def delete(self, key: str, source: str, *, actor: str | None = None) -> dict[str, Any]:
        """Delete a fact (its history is kept until it is erased); admins only."""
        journal = VerbJournal(self._recorder, "sem_delete")
        keys.parse_key(key)
        if is_personal_as_it_is(key):  # one that older versions let in can be taken away
            return self._refuse_key(journal, key)

        def unit(tx: Tx) -> dict[str, Any]:
            if source != "system_admin":
                raise PermissionDenied(actor=source, action="sem_delete")
            if self.tombstone(tx, journal, key, source, actor) is None:
                raise FactNotFound(key=key)
            return _done(True)

        answer = self._failures.put_answer(journal, key, unit)
        if answer["error_code"] == "PERMISSION_DENIED" and str(source).startswith(facts.AGENT_PREFIX):
            self.gate.forbidden(source, "sem_delete")
        return answer

    def tombstone(
        self, tx: Tx, journal: Journal, key: str, source: str, actor: str | None = None, **about: Any
    ) -> int | None:
        """Delete a live fact and return the version of its tombstone; None when there is no live fact."""
        tx.facts.lock(key)
        live, current, last = self._newest(tx, key)
        if not live:
            return None
        version = last + 1
        blank = Put(keys.parse_key(key), None, source, None, None, {}, b"null")
        written_at = facts.placed_at(blank, current, self._world.clock.now())
        digest = sha256(b"null").hexdigest()
        by = actor or source
        row = PastFact(key, version, b"null", "", source, by, written_at, digest, True, True, journal.stream)
        tx.facts.add_history(row)
        tx.facts.put(Fact(key, version, b"null", "", source, written_at, True))
        self._leave(tx, key, version, version)
        record = {"kind": "sem_history", "key": f"{key}@{version}", "hash": row_hash(row)}
        payload = {"key": key, "version": version, "source": source, "timestamp": written_at, **about}
        journal.event(tx, "sem_delete", {**payload, "record": record}, signed_by=by)
        return version

    def rewrite(self, tx: Tx, journal: Journal, put: Put) -> bool:
        """Store once more what was admitted before, for a restored fact; say whether it stands now."""
        return self._store(tx, journal, str(put.key), put, put.source).applied

    def correct(self, tx: Tx, journal: Journal, put: Put, actor: str, let_in: LetIn | None) -> int:
        """Store what was admitted when its correction was asked for; return its version."""
        return self._store(tx, journal, str(put.key), put, actor, None, let_in).version


@lru_cache(maxsize=10_000)
def _is_personal_key(key: str) -> bool:
    keys.parse_key(key)
    return is_personal(key)


def _done(applied: bool) -> dict[str, Any]:
    return {"success": True, "applied": applied, "error_code": None}
