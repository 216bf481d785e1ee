"""The verbs. Each one is a job of its own or joins one; everything it does is on the ledger before it is answered."""

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput, PermissionDenied, WrongType
from mace.core.events import SYSTEM_STREAM
from mace.core.texts import is_storable
from mace.engine.checked import checked
from mace.engine.governance_verbs import GovernanceVerbs
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.world import World
from mace.engine.parts import LazyDeps
from mace.storage.ports import Tx, batches

if TYPE_CHECKING:
    from mace.engine.experience.service import ExperienceService
    from mace.engine.ledger.verification import Progress


@checked
class Mace(GovernanceVerbs):
    """An open MACE. Thread-safe; use it as a context manager or call `close`."""

    def __init__(
        self, world: World, on_close: Callable[[], None], choices: LazyDeps, *, read_only: bool = False
    ) -> None:
        super().__init__(world, choices)
        self._on_close = on_close
        self._closed = False
        self._read_only = read_only
        self._claim_log()

    def _claim_log(self) -> None:
        """Give a new database its name; refuse one that belongs to other keys."""
        name = self._world.keys.log_name
        held, first = self._world.store.read(lambda tx: (tx.notes.get("log_name"), tx.events.at(SYSTEM_STREAM, 0)))
        if held is None and first is None and not self._read_only:

            def unit(tx: Tx) -> str:
                tx.lock("log_name")  # another node may be claiming it
                claimed = tx.notes.get("log_name")
                if claimed is None:
                    tx.notes.put("log_name", name)
                    self._recorder.system(tx)
                return claimed or name

            held = self._spilling.write("open", unit)
        if held != name and (first is None or not self._world.keys.check(first.hash, first.signature)):
            raise IntegrityFailure("the database belongs to another log than the keys beside it")
        # With another name but a beginning that our key signed it is our log, and `verify` names the change.

    # Questions

    def ask(
        self,
        text: str,
        user_id: str | None = None,
        job_seed: str | None = None,
        *,
        query_id: str | None = None,
        consent_id: str | None = None,
        in_reply_to: str | None = None,
        source: str = "user_request",
    ) -> dict[str, Any]:
        """Answer a question; failures are part of the answer (`error`, `notices`), never exceptions."""
        return self._questions.ask(
            text,
            user_id,
            job_seed,
            query_id=query_id,
            consent_id=consent_id,
            in_reply_to=in_reply_to,
            source=source,
        )

    def replay(self, job_id: str) -> dict[str, Any]:
        """Decide a job again from its record: `{result, job_id, first_difference}`, `MATCH` when all is the same."""
        return self._replays.replay(job_id)

    def jobs(self, limit: int = 20) -> list[dict[str, Any]]:
        """The newest jobs, newest first."""
        rows = self._world.store.read(lambda tx: tx.jobs.recent(limit))
        return [
            {
                "job_id": row.stream,
                "kind": row.kind,
                "status": row.status,
                "opened_at": row.opened_at,
                "log_id": row.log_id,
            }
            for row in rows
        ]

    # Facts

    def key(
        self, scope: str, entity_type: str, entity_id_raw: str | None, attribute_raw: str, user_id: str | None = None
    ) -> str:
        """The canonical key of something named in raw words, kept apart from others that look the same."""
        return self._facts.key(scope, entity_type, entity_id_raw, attribute_raw, user_id)

    def sem_get(self, key: str) -> dict[str, Any]:
        """Read one fact by its exact key."""
        if not isinstance(key, str):
            raise WrongType("a key is a text")
        return self._facts.get(key)

    def sem_put(
        self,
        key: str,
        value: Any,
        source: str | None = None,
        timestamp: Any = None,
        notes: str | None = None,
        meta: dict[str, Any] | None = None,
        *,
        user_id: str | None = None,
        job_seed: str | None = None,
        consent_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Write one fact; the last write wins. Answers `{success, applied, error_code}`."""
        if not isinstance(key, str):
            raise WrongType("a key is a text")
        return self._facts.put(
            key,
            value,
            source,
            timestamp,
            notes,
            meta,
            user_id=user_id,
            job_seed=job_seed,
            consent_id=consent_id,
            idempotency_key=idempotency_key,
        )

    def sem_delete(self, key: str, source: str) -> dict[str, Any]:
        """Put a tombstone over a fact; for `system_admin`."""
        return self._facts.delete(key, source)

    def sem_list(self, prefix: str, source: str | None = None) -> Any:
        """All live keys under whole leading components of a key; for admins."""
        try:
            return self._facts.listed(prefix, source)
        except PermissionDenied as error:
            return self._refused("sem_list", error)

    def sem_history(self, key: str) -> list[dict[str, Any]]:
        """Every write under a key, oldest first: its history and its audit."""
        return self._facts.history(key)

    def sem_resolve_alias(self, text: str, user_id: str | None = None) -> str | None:
        """The key a common phrase stands for, or None."""
        if not isinstance(text, str):
            raise WrongType("a phrase is a text")
        if not is_storable(text):
            return None
        return self._world.store.read(lambda tx: self._facts.resolve_alias(tx, text, user_id))

    def sem_add_alias(self, text: str, key: str, source: str) -> dict[str, Any]:
        """Let a phrase stand for a key; for admins. It comes before the packaged ones."""
        try:
            return self._facts.add_alias(text, key, source)
        except PermissionDenied as error:
            return self._refused("sem_add_alias", error)

    def _refused(self, verb: str, error: PermissionDenied) -> dict[str, Any]:
        journal = VerbJournal(self._recorder, verb, self._recorder.fresh_seed())
        return self._failures.refuse(journal, error, {})

    def import_facts(
        self, lines: Iterable[str | bytes], source: str, progress: "Progress | None" = None
    ) -> dict[str, Any]:
        """Load many facts, a JSON object per line; what is stored already is left alone."""
        return self._imports.run(lines, source, progress)

    def load_starter_facts(self) -> dict[str, Any]:
        """Load the packaged facts about the world: constants, laws, definitions."""
        return self._imports.run(self._choices.starter_facts(), "system", only_new=True)

    # Context

    def memory_read(self, request: dict[str, Any], *, progress: "Progress | None" = None) -> Any:
        """Return the context package of a request: a dict whose large parts are built when they are looked at."""
        return self._contexts.read(request, progress)

    def memory_explain(self, request: dict[str, Any], *, progress: "Progress | None" = None) -> dict[str, Any]:
        """Return what made each score of a request's package, and how many were dropped for which reason."""
        return self._contexts.explain(request, progress)

    # Experience

    @property
    def experience(self) -> "ExperienceService":
        """What was lived through: `write`, `query_mk`, `query_c`, `query_recent`, `dream` and more."""
        return self._experience

    # Reflective log

    def write_reflective_log(self, payload: dict[str, Any]) -> str:
        """Write a reflective log once; raise `LogExistsError`, or `LogInvalid` after quarantining the payload."""
        problems = self._logs.problems(payload)
        if problems:
            raise self._spilling.write("write_reflective_log", lambda tx: self._logs.quarantine(tx, payload, problems))

        def unit(tx: Tx) -> str:
            journal = VerbJournal(self._recorder, "write_reflective_log", self._recorder.fresh_seed())
            return self._logs.write(tx, journal, payload)

        return self._spilling.write("write_reflective_log", unit)

    def read_reflective_log(self, log_id: str) -> dict[str, Any]:
        """Return a reflective log with its amendments and annotations, personal data redacted; raise `NotFound`."""
        return self._world.store.read(lambda tx: self._logs.shown(tx, log_id))

    def update_reflective_log(self, log_id: str, patch: dict[str, Any]) -> dict[str, Any]:
        """Append feedback, labels or tags; raise `ImmutableFieldError` for anything that is immutable."""
        return self._spilling.write("update_reflective_log", lambda tx: self._logs.annotate(tx, log_id, patch))

    def amend(self, log_id: str, author: str, changes: Any, effect: str) -> dict[str, Any]:
        """Write a correction beside a log; effect is `note`, `override_suggestion` or `revalidate`."""
        return self._spilling.write("amend", lambda tx: self._logs.amend(tx, log_id, author, changes, effect))

    def amendments(self, log_id: str) -> list[dict[str, Any]]:
        return self._world.store.read(lambda tx: self._logs.amendments(tx, log_id))

    def recent_logs(self, limit: int = 20) -> list[dict[str, Any]]:
        """The newest reflective logs, newest first."""
        return self._world.store.read(
            lambda tx: [self._logs.shown(tx, columns["log_id"]) for columns in tx.logs.recent(limit)]
        )

    def quarantine_read(self, quarantine_id: str) -> dict[str, Any]:
        """Return what was quarantined and why, personal data redacted."""
        return self._world.store.read(lambda tx: self._logs.quarantine_shown(tx, quarantine_id))

    # Ledger

    def event(self, event_id: str, job_seed: str | None = None) -> list[dict[str, Any]]:
        """Return every event with this id (plain concatenation can make two), or only those of one seed."""
        try:
            wanted = bytes.fromhex(event_id)
        except (TypeError, ValueError):
            raise InvalidInput("an event_id is 64 hex characters") from None
        rows = self._world.store.read(lambda tx: tx.events.by_id(wanted))
        found = [row.fields(canon.loads(row.body)) for row in rows]
        return [event for event in found if job_seed is None or event["job_seed"] == job_seed]

    def events(self, stream: str) -> list[dict[str, Any]]:
        """All events of a stream (a job's id, or `system`), in order."""
        rows = self._world.store.read(lambda tx: tx.events.of_stream(stream))
        return [row.fields(canon.loads(row.body)) for row in rows]

    def verify(self, *, read_only: bool = False, progress: "Progress | None" = None) -> dict[str, Any]:
        """Check every byte of the record; put what is found on the record, unless `read_only`."""
        return self._verification.run(read_only=read_only or self._read_only, progress=progress)

    def attest(self, actor: str, statement: str) -> dict[str, Any]:
        """After an integrity failure: an admin's signed word on all present findings; the log goes on from there."""
        self._attestation.check(actor, statement)
        found = self.verify()
        return self._attestation.attest(actor, [item for item in found["findings"] if not item["attested"]], statement)

    def checkpoint(self) -> str:
        """Sign the tree's head, keep it outside the database as well, and return the signed note."""
        return self._proofs.publish()

    def public_key(self) -> str:
        """The verifier key that a stranger needs to check checkpoints and proofs."""
        return self._proofs.public_key()

    def prove_inclusion(self, event_id: str) -> dict[str, Any]:
        return self._proofs.inclusion(event_id)

    def prove_consistency(self, old_size: int, new_size: int) -> dict[str, Any]:
        return self._proofs.consistency(old_size, new_size)

    def export(self) -> Iterator[bytes]:
        """The whole log as lines that `mace log verify` can check anywhere."""
        from mace.ledger.export import event_line, header_line

        size, words = self._world.store.read(lambda tx: (tx.events.size(), self._proofs.words(tx)))
        yield header_line(self._world.keys.log_name, size, words)
        read = self._world.store.read
        for rows in batches(lambda start, limit: read(lambda tx: tx.events.scan(start, limit)), size):
            for row in rows:
                yield event_line(row)

    def rotate_key(self) -> str:
        """Sign with a new HMAC key from now on; old signatures stay good."""
        key_id = self._world.keys.rotate()
        self._spilling.write(
            "rotate_key",
            lambda tx: self._recorder.append(tx, self._recorder.system(tx), "KEY_ROTATED", {"key_id": key_id}),
        )
        return key_id

    def queued_writes(self) -> list[dict[str, Any]]:
        """Writes that failed while the store was down and wait for an operator."""
        return self._queued.waiting()

    def retry_queued(self, actor: str) -> list[dict[str, Any]]:
        """Try each queued write once more; there is no second retry."""
        return self._queued.retry(actor)

    def modules(self) -> list[dict[str, Any]]:
        """Every module with its health."""
        return self._modules.all()

    def recover_module(self, module_id: str, actor: str) -> dict[str, Any]:
        """Bring an offline or degraded module back, on the record."""
        return self._modules.recover(module_id, actor)

    # Incidents

    def incidents(self) -> list[dict[str, Any]]:
        return self._world.store.read(self._incidents.all)

    # Life

    def sweep(self) -> dict[str, int]:
        """Do what time alone causes; wiring calls it now and then."""
        return {
            "abandoned_jobs": self._sweep.abandoned_jobs(),
            "expired_approvals": self._governance.approvals.expire(),
        }

    def describe(self) -> dict[str, Any]:
        """What this MACE stands on, for `doctor`; no secrets."""
        size = self._world.store.read(lambda tx: tx.events.size())
        return {
            "system_version": self._world.system_version,
            "store": self._world.store.describe(),
            "log_name": self._world.keys.log_name,
            "events": size,
            "checkpoints_kept_in": self._world.shelf.place(),
            "spill_file": self._world.spill.place(),
            "spilled_waiting": len(self._world.spill.entries()),
            "hmac_keys": self._world.keys.key_ids(),
        }

    def close(self) -> None:
        """Publish a last checkpoint and let go of everything; closing twice is closing once."""
        if not self._closed:
            self._closed = True
            self._on_close()

    def __enter__(self) -> "Mace":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
