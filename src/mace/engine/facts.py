"""The verbs of facts: read exactly, write in one transaction, never lose or invent.

A put is value, history (which is the audit entry) and event, or nothing. What belongs to a person is sealed under a key
of that fact below that person's key. Reads are linearizable in every process: a cached value is answered only if the
store says that nobody committed since it was read.
"""

import base64
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mace.core import canon, seeds
from mace.core.errors import (
    FAILURES,
    Conflict,
    InvalidInput,
    MaceError,
    PermissionDenied,
    ServiceUnavailable,
    StorageFull,
    envelope,
)
from mace.core.times import iso_ms, iso_us
from mace.engine.journal import Journal, VerbJournal
from mace.engine.privacy import check_user_id, flags_in_json
from mace.engine.recorder import Recorder, check_seed
from mace.engine.spilling import again_if_taken
from mace.engine.vault import Vault
from mace.engine.world import World
from mace.memory import aliases, facts, keys
from mace.memory.aliases import Target
from mace.memory.facts import Current, FactRules, Put
from mace.storage.ports import Fact, PastFact, Tx

if TYPE_CHECKING:
    from mace.engine.failures import Failures

ALLOWED_WRITERS = "mace/config/agents/allowed_writes"
_MOST_CACHED = 20_000


class Blocked(MaceError):
    """Personal data without consent: nothing was stored, the flags are on the record."""

    code = "PRIVACY_BLOCKED"


class FactVerbs:
    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        failures: "Callable[[], Failures]",
        packaged_aliases: Callable[[], dict[str, Target]],
        rules: FactRules,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._get_failures = failures  # both are made when they are needed: a read needs neither
        self._get_packaged = packaged_aliases
        self._rules = rules
        self._cache: dict[str, tuple[int, dict[str, Any]]] = {}

    @cached_property
    def _failures(self) -> "Failures":
        return self._get_failures()

    @cached_property
    def _packaged(self) -> dict[str, Target]:
        return self._get_packaged()

    # Reading

    def get(self, key: str) -> dict[str, Any]:
        """Return `{exists, value, source, last_updated, meta}`; a missing key says so and nothing is guessed."""
        store = self._world.store
        try:
            version = store.version()
            held = self._cache.get(key)
            if held is not None and held[0] == version:
                return dict(held[1])
            keys.parse_key(key)
            answer = store.read(lambda tx: self.look(tx, key))
        except (ServiceUnavailable, StorageFull) as error:
            return {**facts.missing(), **self._told("DATA_UNAVAILABLE", {"key": key, "reason": str(error)})}
        if version is not None:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            self._cache[key] = (version, answer)
        return dict(answer)

    def look(self, tx: Tx, key: str) -> dict[str, Any]:
        """Read one fact inside a transaction."""
        fact = tx.facts.get(key)
        content = None if fact is None or fact.deleted else self._content(tx, fact)
        if fact is None or content is None:
            code = "SEM_NOT_FOUND"
            return {**facts.missing(), "error_code": code, "user_message": FAILURES[code].user_message}
        return {
            "exists": True,
            "value": content["value"],
            "source": fact.source,
            "last_updated": fact.written_at,
            "meta": content["meta"] if content["notes"] is None else {**content["meta"], "notes": content["notes"]},
        }

    def _content(self, tx: Tx, fact: Fact) -> dict[str, Any] | None:
        """The fact's content, or None when its key was taken away."""
        plain: bytes | None = fact.content
        if fact.key_ref:
            plain = self._vault.unseal(tx, fact.key_ref, fact.content, _context(fact.key, fact.version))
        return None if plain is None else canon.loads(plain)

    def history(self, key: str) -> list[dict[str, Any]]:
        """Every write under a key, oldest first: who, when, and what as far as it can still be read."""
        keys.parse_key(key)
        return self._world.store.read(lambda tx: [self._past(tx, row) for row in tx.facts.history(key)])

    def _past(self, tx: Tx, row: PastFact) -> dict[str, Any]:
        plain: bytes | None = row.content
        if row.key_ref:
            plain = self._vault.unseal(tx, row.key_ref, row.content, _context(row.key, row.version))
        content = {"redaction_reason": "ERASED"} if plain is None else canon.loads(plain)
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

    @staticmethod
    def _all_keys(tx: Tx, prefix: str) -> list[str]:
        found: list[str] = []
        while page := tx.facts.keys(prefix, found[-1] if found else ""):
            found += page
        return found

    # Names

    def key(
        self, scope: str, entity_type: str, entity_id_raw: str | None, attribute_raw: str, user_id: str | None = None
    ) -> str:
        """The canonical key with the registry asked: different identities never share one."""

        def look(tx: Tx) -> keys.Placement:
            return keys.place(scope, entity_type, entity_id_raw, attribute_raw, user_id, tx.registry.get)

        placement = self._world.store.read(look)
        if not placement.register:
            return placement.key

        def unit(tx: Tx) -> str:
            placed = look(tx)
            journal = VerbJournal(self._recorder, "key", self._recorder.fresh_seed())
            self._register(tx, placed, journal)
            return placed.key

        return again_if_taken(lambda: self._world.store.write(unit))

    def key_to_read(
        self, tx: Tx, scope: str, entity_type: str, entity_id_raw: str | None, attribute: str, user_id: str | None
    ) -> str:
        return keys.key_to_read(scope, entity_type, entity_id_raw, attribute, user_id, tx.registry.get)

    def user_slug(self, tx: Tx, user_id: str) -> str:
        return keys.place_user(user_id, tx.registry.get).slug

    @staticmethod
    def _register(tx: Tx, seat: keys.Seat, journal: Journal) -> None:
        for entry in seat.register:
            if tx.registry.get(entry.slot) is None:
                tx.registry.add(entry.slot, entry.identity)
        if seat.newly_collided:
            payload = {"slug": seat.slug, "identity_hash": seat.identity, "slots": [e.slot for e in seat.register]}
            journal.event(tx, "collision_event", payload)

    def resolve_alias(self, tx: Tx, text: str, user_id: str | None) -> str | None:
        slug = self.user_slug(tx, user_id) if user_id else None
        phrase = aliases.normalise_phrase(text)
        added = tx.aliases.get(phrase)
        return aliases.resolve(text, slug, {} if added is None else {phrase: added}, self._packaged)

    def add_alias(self, text: str, key: str, source: str) -> dict[str, Any]:
        if source not in ("system_admin", "system"):
            raise PermissionDenied(actor=source, action="sem_add_alias")
        phrase, target = aliases.check_entry(text, key)

        def unit(tx: Tx) -> None:
            tx.aliases.put(phrase, target, source, iso_us(self._world.clock.now()))
            journal = VerbJournal(self._recorder, "sem_add_alias", self._recorder.fresh_seed())
            journal.event(tx, "ALIAS_ADDED", {"phrase": phrase, "target": target, "source": source})

        self._failures.write("sem_add_alias", unit)
        return {"success": True, "error_code": None}

    # Writing

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
    ) -> dict[str, Any]:
        """Write a fact as a verb of its own; refusals and failures are answers with their envelope."""
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        journal = VerbJournal(self._recorder, "sem_put", seed)
        keys.parse_key(key)
        try:
            put = facts.read_put(key, value, source, timestamp, notes, meta, self._world.clock.now(), self._rules)
            if user_id is not None:
                check_user_id(user_id)
        except InvalidInput as error:
            return self._failures.refuse(journal, error, {"key": key, "applied": False})
        token = None if idempotency_key is None else canon.sha256_hex(f"{put.source}/{idempotency_key}")
        return self._failures.put_answer(
            journal,
            key,
            lambda tx: self.put_in(tx, journal, put, user_id=user_id, token=token),
            lambda: self._queued(put, user_id),
        )

    def _queued(self, put: Put, user_id: str | None) -> dict[str, Any]:
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
        self, tx: Tx, journal: Journal, put: Put, *, user_id: str | None, token: str | None = None
    ) -> dict[str, Any]:
        """Write inside a unit; raise `PermissionDenied`, `Blocked` or `Conflict` with nothing stored."""
        key = str(put.key)
        request_hash = ""
        if token is not None:
            request_hash = self._world.keys.mac(canon.dumps([key, put.source]) + put.content).hex()
            first = tx.idempotency.get(token)
            if first is not None:
                if first[0] != request_hash:
                    raise Conflict("this idempotency key was used for another write")
                answer: dict[str, Any] = canon.loads(first[1])
                return answer
        seat = self._authorise(tx, put, user_id)
        flags = flags_in_json(self._world.keys, put.value, put.key.attribute, journal.job_seed)
        for name, said in (("notes", put.notes), ("meta", put.meta)):
            if said:
                flags += flags_in_json(self._world.keys, said, name, journal.job_seed)
        if flags:
            error = Blocked(pii_type=flags[0].pii_type, key=key)
            error.details["flags"] = [flag.payload() for flag in flags]
            raise error
        if seat is not None:
            self._register(tx, seat, journal)
        claim = keys.claim_of(key)
        if claim is not None and tx.registry.get(claim.slot) is None:
            tx.registry.add(claim.slot, claim.identity)
        applied = self._store(tx, journal, put, user_id)
        answer = {"success": True, "applied": applied, "error_code": None}
        if token is not None:
            tx.idempotency.add(token, request_hash, canon.dumps(answer))
        return answer

    def _authorise(self, tx: Tx, put: Put, user_id: str | None) -> keys.Seat | None:
        seat = None
        if put.source == "user" and user_id is not None:
            seat = keys.place_user(user_id, tx.registry.get)
        listed: list[str] = []
        if put.source.startswith(facts.AGENT_PREFIX):
            listed = facts.agents_listed(self.look(tx, ALLOWED_WRITERS)["value"])
        if not facts.may_write(put.source, put.key, seat.slug if seat else None, listed):
            raise PermissionDenied(actor=put.source, action=f"write {put.key.scope}/{put.key.entity_type}")
        return seat

    def _store(self, tx: Tx, journal: Journal, put: Put, user_id: str | None) -> bool:
        key = str(put.key)
        tx.facts.lock(key)
        held = tx.facts.get(key)
        current = None if held is None else Current(held.written_at, held.source)
        written_at = facts.placed_at(put, current, self._world.clock.now())
        applied = facts.wins(written_at, put.source, current)
        version = tx.facts.last_version(key) + 1
        person = put.key.entity_id if put.key.scope == "user" else None
        content, key_ref = put.content, ""
        value_hash = sha256(content).hexdigest()
        if person:
            key_ref = f"fact/{key}"
            data_key = self._vault.data_key(tx, key_ref, person)
            content = self._world.keys.seal(data_key, put.content, _context(key, version))
            value_hash = self._world.keys.keyed_hash(data_key, put.content)
        row = PastFact(
            key,
            version,
            content,
            key_ref,
            put.source,
            user_id or put.source,
            written_at,
            value_hash,
            applied,
            False,
            journal.stream,
        )
        tx.facts.add_history(row)
        if applied:
            tx.facts.put(Fact(key, version, content, key_ref, put.source, written_at, False))
        journal.event(
            tx,
            "SEM_PUT",
            {
                "key": key,
                "version": version,
                "source": put.source,
                "timestamp": written_at,
                "value_hash": value_hash,
                "applied": applied,
                "record": {"kind": "sem_history", "key": f"{key}@{version}", "hash": row_hash(row)},
            },
            signed_by=put.source,
        )
        return applied

    def delete(self, key: str, source: str) -> dict[str, Any]:
        """Put a tombstone over a fact; admins only. What was there stays in the history until it is erased."""
        keys.parse_key(key)
        journal = VerbJournal(self._recorder, "sem_delete", self._recorder.fresh_seed())

        def unit(tx: Tx) -> dict[str, Any]:
            if source != "system_admin":
                raise PermissionDenied(actor=source, action="sem_delete")
            tx.facts.lock(key)
            held = tx.facts.get(key)
            if held is None or held.deleted:
                code = "SEM_NOT_FOUND"
                return {"success": False, "applied": False, "error_code": code, **_message(code)}
            version = tx.facts.last_version(key) + 1
            current = Current(held.written_at, held.source)
            blank = Put(keys.parse_key(key), None, source, None, None, {}, b"null")
            written_at = facts.placed_at(blank, current, self._world.clock.now())
            digest = sha256(b"null").hexdigest()
            row = PastFact(key, version, b"null", "", source, source, written_at, digest, True, True, journal.stream)
            tx.facts.add_history(row)
            tx.facts.put(Fact(key, version, b"null", "", source, written_at, True))
            journal.event(
                tx,
                "sem_delete",
                {
                    "key": key,
                    "version": version,
                    "source": source,
                    "timestamp": written_at,
                    "record": {"kind": "sem_history", "key": f"{key}@{version}", "hash": row_hash(row)},
                },
                signed_by=source,
            )
            return {"success": True, "applied": True, "error_code": None}

        return self._failures.put_answer(journal, key, unit)

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


def _message(code: str) -> dict[str, str]:
    return {"user_message": FAILURES[code].user_message}


def _context(key: str, version: int) -> str:
    return f"sem/{key}@{version}"


def row_hash(row: PastFact) -> str:
    """What an event commits to of a history row: every column, the content by its hash."""
    return canon.hash_of(
        {
            "actor": row.actor,
            "applied": row.applied,
            "content": sha256(row.content).hexdigest(),
            "deleted": row.deleted,
            "key": row.key,
            "key_ref": row.key_ref,
            "source": row.source,
            "stream": row.stream,
            "value_hash": row.value_hash,
            "version": row.version,
            "written_at": row.written_at,
        }
    )
