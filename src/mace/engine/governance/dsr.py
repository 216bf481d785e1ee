"""Subject requests: who asks is checked, exports are made, deletions are asked for and wait.

A proof of identity is a one-time code that an admin gave to the person; it is kept as a keyed hash, counts once and
for a while. A wrong one is refused in words that do not say why, and why is on the record.
"""

from datetime import timedelta
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import Erased, IntegrityFailure, InvalidInput, NotFound, PermissionDenied
from mace.core.times import iso_us, parse_instant
from mace.engine.experience.contents import Contents
from mace.engine.experience.export_rows import under
from mace.engine.facts.reads import read_past
from mace.engine.governance.approvals import Approvals
from mace.engine.governance.consents import Consents
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.journal import Journal, SystemJournal, VerbJournal
from mace.engine.kernel.persons import enter_person, person_of
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance import subjects, tokens
from mace.governance.approvals import Kind
from mace.governance.erasure import FACT, JOB
from mace.governance.tokens import Standing
from mace.ledger import records
from mace.memory.keys import parse_key, user_of_key
from mace.storage.ports import Tx

PROOF_LIFE = timedelta(hours=1)
MAX_KEYS = 1000


class Deletions:
    """Opens deletion requests; nothing is deleted before one is approved."""

    def __init__(self, world: World, bound: Bound, approvals: Approvals | None) -> None:
        self._world = world
        self._bound = bound
        self._approvals = approvals

    def open(
        self, tx: Tx, journal: Journal, person: str, keys: list[str] | None, identity: dict[str, Any]
    ) -> dict[str, Any]:
        """Record a deletion request for some facts, or for everything of a person when `keys` is None."""
        dsr_id = seeds.derived_uuid("dsr", f"{journal.job_seed}/delete/{person}/{'/'.join(keys or [])}")
        if self._bound.happened(tx, "dsr_request", dsr_id):  # asked for twice in one job
            return {"dsr_id": dsr_id, "request_id": dsr_id}
        content = {
            "dsr_id": dsr_id,
            "kind": subjects.DELETE,
            "person": person,
            "keys": keys,
            "identity": identity,
            "created_at": iso_us(self._world.clock.now()),
        }
        record = records.make("dsr_request", dsr_id, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, record)
        reference = records.reference(record)
        journal.event(
            tx, "DSR_REQUEST", {"dsr_id": dsr_id, "kind": "delete", "identity": identity, "record": reference}
        )
        journal.event(tx, "DSR_DELETE_REQUEST", {"dsr_id": dsr_id, "keys": keys, "whole_person": keys is None})
        if self._approvals is not None:  # one id for what is asked and for its approval: a person is told one
            details = {"action": "erase", "dsr_id": dsr_id}
            about = f"erasure/{dsr_id}"
            self._approvals.open(tx, journal, Kind.ERASURE, "user", about, details, request_id=dsr_id)
        return {"dsr_id": dsr_id, "request_id": dsr_id}


class SubjectRequests:
    """Requests of people about their own data: identity proofs, exports, deletions."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        failures: Failures,
        approvals: Approvals,
        consents: Consents,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._failures = failures
        self._approvals = approvals
        self._consents = consents
        self.deletions = Deletions(world, bound, approvals)

    # Identity

    def issue_proof(
        self,
        user_id: str,
        by: str,
        *,
        life: timedelta = PROOF_LIFE,
    ) -> dict[str, str]:
        """Make a one-time code for a person whom an admin has identified; it is shown this once."""
        if not timedelta(0) < life <= timedelta(days=7):
            raise InvalidInput("life must be between 1 second and 7 days")
        code = tokens.proof_text(self._world.entropy.token(tokens.PROOF_BYTES))

        def unit(tx: Tx) -> dict[str, str]:
            journal = SystemJournal(self._recorder)
            person = enter_person(self._world.slots, tx, journal, user_id)
            key = self._proof_key(person, code)
            until = iso_us(self._world.clock.now() + life)
            content = {"proof_id": key[:16], "person": person, "expires_at": until, "by": by}
            record = records.make("identity_proof", key, content, self._world.keys.sign, parent=person)
            self._bound.add(tx, record)
            payload = {"proof_id": key[:16], "person": person, "expires_at": until}
            journal.event(tx, "IDENTITY_PROOF_ISSUED", {**payload, "record": records.reference(record)}, by)
            return {"user_id": user_id, "proof": code, "expires_at": until}

        return self._world.store.write(unit)

    def _proof_key(self, person: str, code: str) -> str:
        return self._world.keys.tag("identity_proof", f"{person}/{tokens.proof_plain(code)}".encode())

    def _older_proof_key(self, person: str, code: str) -> str | None:
        """Where a proof lies that was issued before keys had purposes."""
        return self._world.keys.older_tag(f"identity_proof/{person}/{tokens.proof_plain(code)}".encode())

    def _identify(self, tx: Tx, person: str, proof: str) -> tuple[Standing, str]:
        """Take a proof: say how it stands, and use it up if it is good. That it was used stays so, by its event."""
        key = self._proof_key(person, proof)
        tx.lock(f"identity_proof/{key}")
        content = self._bound.record(tx, "identity_proof", key)
        older = None if content is not None else self._older_proof_key(person, proof)
        if older is not None:
            content, key = self._bound.record(tx, "identity_proof", older), older
        if content is None:
            return Standing.UNKNOWN, ""
        used = self._bound.happened(tx, "identity_proof_used", key)
        stands = tokens.standing(parse_instant(content["expires_at"]), self._world.clock.now(), used=used)
        if stands is Standing.GOOD:
            taken = {"proof_id": key[:16], "at": iso_us(self._world.clock.now())}
            record = records.make("identity_proof_used", key, taken, self._world.keys.sign, parent=person)
            self._bound.add(tx, record)
            said = {"proof_id": key[:16], "record": records.reference(record)}
            SystemJournal(self._recorder).event(tx, "IDENTITY_PROOF_USED", said)
        return stands, key[:16]

    # Requests

    def request(
        self,
        user_id: str,
        kind: str,
        proof: str,
        keys: list[str] | None = None,
        *,
        job_seed: str | None = None,
    ) -> dict[str, Any]:
        """Open a request of a person about their own data; `keys` narrows a deletion to some facts."""
        if kind not in subjects.KINDS:
            raise InvalidInput(f"kind must be one of {', '.join(subjects.KINDS)}")
        if not isinstance(proof, str):
            raise InvalidInput(f"proof must be a str, got {type(proof).__name__}")
        wanted = self._wanted(kind, keys)
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        journal = VerbJournal(self._recorder, "request_dsr", seed)

        def unit(tx: Tx) -> dict[str, Any]:
            person = person_of(self._world.slots, tx, user_id)
            stands, proof_id = self._identify(tx, person, proof)
            foreign = [key for key in wanted or [] if user_of_key(key) != person]
            if stands is not Standing.GOOD or foreign:
                because = "foreign_key" if stands is Standing.GOOD else stands.value
                return self._refuse(tx, journal, kind, person, because)
            identity = {"method": "proof", "proof_id": proof_id}
            if kind == subjects.DELETE:
                opened = self.deletions.open(tx, journal, person, wanted, identity)
                return {**_DONE, **opened, "kind": kind, "status": "awaiting approval"}
            return {**_DONE, **self._export(tx, journal, person, identity), "kind": kind, "status": "completed"}

        return self._failures.write("request_dsr", unit)

    @staticmethod
    def _wanted(kind: str, keys: list[str] | None) -> list[str] | None:
        if keys is None:
            return None
        if kind != subjects.DELETE:
            raise InvalidInput("keys may only be given for a deletion; an export covers everything")
        if not isinstance(keys, list) or not 0 < len(keys) <= MAX_KEYS:
            raise InvalidInput(f"keys must be a list of 1 to {MAX_KEYS} keys")
        return sorted({str(parse_key(key)) for key in keys})

    def _refuse(self, tx: Tx, journal: VerbJournal, kind: str, person: str, because: str) -> dict[str, Any]:
        """A refusal is part of the record; the caller is not told which part of the proof was wrong."""
        refused = {"kind": kind, "person": person, "identity": {"method": "proof", "refused": because}}
        journal.event(tx, "DSR_REQUEST", refused)
        error = PermissionDenied(actor="the caller", action="make a subject request without a valid proof of identity")
        journal.event(tx, error.code, {"code": error.code, "because": because})
        self._failures.occurred(tx, error.code, "request_dsr")
        answer = self._failures.answer(journal, error.code, error.details)
        return {**answer, "dsr_id": None, "request_id": None, "kind": kind, "status": "refused"}

    def get(self, dsr_id: str) -> dict[str, Any]:
        """How a request stands; an export with its package while it can be read, a deletion with its receipt."""

        def look(tx: Tx) -> dict[str, Any]:
            content = self._bound.record(tx, "dsr_request", dsr_id)
            if content is None:
                raise NotFound(what=f"subject request {dsr_id}")
            asked = self._asked(tx, dsr_id)
            kept = self._vault.blob(tx, f"export/{dsr_id}")
            done = self._bound.happened(tx, "deletion_receipt", dsr_id)
            return {
                **content,
                "status": subjects.status(content["kind"], None if asked is None else asked["status"], done),
                "request_id": None if asked is None else asked["request_id"],
                "manifest": self._bound.record(tx, "deletion_manifest", dsr_id),
                "receipt": self._bound.record(tx, "deletion_receipt", dsr_id),
                "package": None if kept is None else canon.loads(kept),
            }

        return self._world.store.read(look)

    def _asked(self, tx: Tx, dsr_id: str) -> dict[str, Any] | None:
        """The approval that a deletion waits or waited for: it has its id, in older stores one of its own."""
        held = self._bound.record(tx, "approval", dsr_id)
        if held is None:
            held = next((content for _, content in self._bound.children(tx, "approval", f"erasure/{dsr_id}")), None)
        return None if held is None else self._approvals.shown(tx, held)

    # Export

    def _export(self, tx: Tx, journal: Journal, person: str, identity: dict[str, Any]) -> dict[str, Any]:
        package = self.package(tx, person)
        plain = canon.dumps(package)
        dsr_id = seeds.derived_uuid("dsr", f"{journal.job_seed}/export/{person}")
        self._vault.put_blob(tx, f"export/{dsr_id}", f"export/{dsr_id}", person, plain)
        digest = canon.sha256_hex(plain)
        content = {
            "dsr_id": dsr_id,
            "kind": subjects.EXPORT,
            "person": person,
            "identity": identity,
            # keyed: a plain hash of what a person said could be guessed back after an erasure
            "package_hash": self._world.keys.keyed_hash(self._vault.data_key(tx, f"export/{dsr_id}", person), plain),
            "created_at": iso_us(self._world.clock.now()),
        }
        record = records.make("dsr_request", dsr_id, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, record)
        journal.event(
            tx,
            "DSR_REQUEST",
            {"dsr_id": dsr_id, "kind": "export", "identity": identity, "record": records.reference(record)},
        )
        journal.event(tx, "DSR_EXPORTED", {"dsr_id": dsr_id, "package_hash": content["package_hash"]})
        return {"dsr_id": dsr_id, "request_id": None, "package": package, "package_sha256": digest}

    def package(self, tx: Tx, person: str) -> dict[str, Any]:
        """Everything a person may take along, as it stands now."""
        refs = tx.vault.keys_under(f"person/{person}")
        facts = [row for ref in refs if ref.startswith(FACT) for row in self._facts(tx, ref.removeprefix(FACT))]
        jobs = [self._job(tx, ref.removeprefix(JOB)) for ref in refs if ref.startswith(JOB)]
        consents = self._consents.of_person(tx, person, naming_damage=True)
        contents = Contents(self._world.keys, self._vault)
        lived = {row["id"]: row for ref in refs for row in under(tx, contents, ref)}
        return subjects.package(person, facts, consents, [job for job in jobs if job is not None], lived.values())

    def _facts(self, tx: Tx, key: str) -> list[dict[str, Any]]:
        current = tx.facts.get(key)
        rows = []
        for past in tx.facts.history(key):
            content = read_past(self._vault, tx, past)
            if content is not None:
                live = current is not None and current.version == past.version and not current.deleted
                rows.append(
                    {
                        "key": key,
                        **content,
                        "source": past.source,
                        "written_at": past.written_at,
                        "version": past.version,
                        "current": live,
                    }
                )
        return rows

    def _job(self, tx: Tx, stream: str) -> dict[str, Any] | None:
        job = self._recorder.jobs.told(tx, stream)
        if job is None:
            return None
        heard, said = self._part(tx, f"input/{stream}"), self._part(tx, f"result/{stream}")
        if job.status != "closed" and heard is None:
            return None  # it had not come to keeping anything
        lost = [name for name, part in (("question", heard), ("answer", said)) if part is None]
        return {
            "job_id": stream,
            "opened_at": job.opened_at,
            "kind": job.kind,
            "question": None if heard is None else heard.get("text"),
            "answer": None if said is None else said.get("answer"),
            **({"damaged": lost} if lost and job.status == "closed" else {}),
        }

    def _part(self, tx: Tx, ref: str) -> dict[str, Any] | None:
        """A part of a job, or None where it is gone or not what was sealed: an export goes on and says so."""
        try:
            plain = self._vault.blob(tx, ref)
            part: dict[str, Any] | None = None if plain is None else canon.loads(plain)
        except (Erased, IntegrityFailure):
            return None
        return part


_DONE = {"success": True, "error_code": None}
