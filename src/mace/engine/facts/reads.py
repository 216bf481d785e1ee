"""Reading facts: exactly, and linearizable in every process.

A cached value is answered only if the store says that nobody has committed since it was read, in whatever process. What
is answered belongs to whoever asked: changing it changes nothing here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from mace.core import canon, seeds
from mace.core.answers import SemGet, VersionedFact
from mace.core.errors import Erased, MaceError, PermissionDenied, ServiceUnavailable, StorageFull, envelope
from mace.core.times import iso_ms
from mace.engine.facts.names import FactNames
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.memory import facts, keys
from mace.memory.aliases import Target
from mace.storage.ports import Fact, PastFact, Tx

ERASED = {"redaction_reason": "ERASED"}  # stands where a value was

if TYPE_CHECKING:
    from mace.engine.kernel.failures import Failures

_MAX_CACHED_BYTES = 64 << 20  # about; then the cache starts anew
_ENTRY_BYTES = 1000  # of an entry beside its content, which takes several times its length as Python objects


class FactReads(FactNames):
    """Reads facts by exact key or prefix, with their history."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        failures: "Callable[[], Failures]",
        packaged_aliases: Callable[[], dict[str, Target]],
    ) -> None:
        super().__init__(world, recorder, failures, packaged_aliases)
        self._vault = vault
        self._cache: dict[str, tuple[int, dict[str, Any]]] = {}
        self._cached_bytes = 0

    def get(self, key: str) -> SemGet:
        """Return `{exists, value, source, last_updated, meta}`; a missing key says so and nothing is guessed."""
        store = self._world.store
        try:
            version = store.version()  # before the read: what is committed in between makes the entry too old at once
            held = self._cache.get(key)
            if held is not None and held[0] == version:
                own: SemGet = _own(held[1])
                return own
            keys.parse_key(key)
            answer, size = store.read(lambda tx: self._look(tx, key))
        except (ServiceUnavailable, StorageFull) as error:
            return self._unavailable(key, error)
        if version is not None:
            self._cached_bytes += size
            if self._cached_bytes > _MAX_CACHED_BYTES:
                self.forget_cached()
            self._cache[key] = (version, answer)
        fresh: SemGet = _own(answer)
        return fresh

    def get_versioned(self, key: str) -> VersionedFact:
        """The same with `version`, the number of its last write that counted; 0 when there was none."""
        keys.parse_key(key)

        def look(tx: Tx) -> dict[str, Any]:
            fact = tx.facts.get(key)
            return {**self._look(tx, key)[0], "version": 0 if fact is None else fact.version}

        try:
            return cast(VersionedFact, self._world.store.read(look))
        except (ServiceUnavailable, StorageFull) as error:
            return cast(VersionedFact, {**self._unavailable(key, error), "version": 0})

    def _unavailable(self, key: str, error: MaceError) -> SemGet:
        told = self._told("DATA_UNAVAILABLE", {"key": key, "reason": str(error)})
        return cast(SemGet, {**facts.missing(), **told})

    def look(self, tx: Tx, key: str) -> dict[str, Any]:
        """Read one fact inside a transaction."""
        return self._look(tx, key)[0]

    def _look(self, tx: Tx, key: str) -> tuple[dict[str, Any], int]:
        """The answer, and about how much memory it takes."""
        fact = tx.facts.get(key)
        content = None if fact is None or fact.deleted else self._content(tx, fact)
        if fact is None or content is None:
            return facts.not_found(), _ENTRY_BYTES
        return {
            "exists": True,
            "value": content["value"],
            "source": fact.source,
            "last_updated": fact.written_at,
            "meta": content["meta"] if content["notes"] is None else {**content["meta"], "notes": content["notes"]},
        }, _ENTRY_BYTES + 8 * len(fact.content)

    def current(self, tx: Tx, key: str) -> dict[str, Any] | None:
        """What stands under a key, as `{meta, notes, value}`; None when there is nothing to read."""
        fact = tx.facts.get(key)
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
        return self._world.store.read(lambda tx: [self._past(tx, row) for row in tx.facts.history(key)])

    def _past(self, tx: Tx, row: PastFact) -> dict[str, Any]:
        content = _content_of(self._vault, tx, row)
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
        if prefix.count("/") == 3:  # a whole key
            fact = tx.facts.get(prefix)
            return [] if fact is None or fact.deleted else [prefix]
        found: list[str] = []
        while page := tx.facts.keys(prefix, found[-1] if found else ""):
            found += page
        return found

    def forget_cached(self) -> None:
        """Let go of every value held in memory; after an erasure."""
        self._cache.clear()
        self._cached_bytes = 0

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
    except Erased:  # sealed under an earlier key of this fact, which was taken away
        plain = None
    return ERASED if plain is None else canon.loads(plain)
