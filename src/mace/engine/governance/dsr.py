"""Subject requests: who asks is checked, exports are made, deletions and corrections are asked for and wait.

A proof of identity is a one-time code that an admin gave to the person; it is kept as a keyed hash, counts once and
for a while. A wrong one is refused in words that do not say why, and why is on the record.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import FactNotFound, InvalidInput, NotFound, PermissionDenied
from mace.core.times import iso_us, parse_instant
from mace.core.turn_ids import parse_turn_id
from mace.engine.governance.approvals import Approvals
from mace.engine.governance.consents import ENDED
from mace.engine.governance.exporting import Exports
from mace.engine.governance.rectifying import MANIFEST, RECEIPT, Rectifying
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.gate import Blocked
from mace.engine.kernel.joining import OWNER, Speaker, check_joining
from mace.engine.kernel.journal import Journal, SystemJournal, VerbJournal
from mace.engine.kernel.persons import enter_person, person_of
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.people.turns import Turns
from mace.governance import rectification, subjects, tokens
from mace.governance.approvals import Kind
from mace.governance.erasure import CONVERSATION, JOB, TURN, is_followed
from mace.governance.tokens import Standing
from mace.ledger import records
from mace.memory.erasable import is_megram, read_erasable
from mace.memory.keys import user_of_key
from mace.storage.ports import Tx

PROOF_LIFE = timedelta(hours=1)
MAX_KEYS = 1000


class Deletions:
    """Opens deletion requests; nothing is deleted before one is approved."""

    def __init__(self, world: World, bound: Bound, approvals: Approvals | None) -> None:
        self._world = world
        self._bound = bound
        self._approvals = approvals

    def open_jobs(self, tx: Tx, journal: Journal, jobs: list[str], by: str) -> dict[str, Any]:
        """Record a deletion request for jobs that are nobody's; it is decided as a person's is."""
        dsr_id = seeds.derived_uuid("dsr", f"{journal.job_seed}/delete-jobs/{'/'.join(jobs)}")
        content = {
            "dsr_id": dsr_id,
            "kind": subjects.DELETE,
            "person": "",
            "keys": None,
            "jobs": jobs,
            "identity": {"method": "operator"},
            "created_at": iso_us(self._world.clock.now()),
        }
        record = records.make("dsr_request", dsr_id, content, self._world.keys.sign, parent="")
        self._bound.add(tx, record)
        told = {"dsr_id": dsr_id, "kind": "delete", "identity": content["identity"]}
        journal.event(tx, "DSR_REQUEST", {**told, "record": records.reference(record)}, by)
        journal.event(tx, "DSR_DELETE_REQUEST", {"dsr_id": dsr_id, "jobs": jobs, "whole_person": False}, by)
        if self._approvals is not None:
            details = {"action": "erase", "dsr_id": dsr_id}
            self._approvals.open(tx, journal, Kind.ERASURE, by, f"erasure/{dsr_id}", details, request_id=dsr_id)
        return {"dsr_id": dsr_id, "request_id": dsr_id}

    def open(
        self,
        tx: Tx,
        journal: Journal,
        person: str,
        keys: list[str] | None,
        identity: dict[str, Any],
        *,
        by: str = "user",
        seed: str | None = None,
    ) -> dict[str, Any]:
        """Record a deletion request for some facts, or for everything of a person when `keys` is None.

        `seed` is what its id is derived from, where that is not the journal's.
        """
        asked = None if keys is None else self._asked_already(tx, person, keys)
        if asked is not None:
            return {"dsr_id": asked, "request_id": asked}
        seed = journal.job_seed if seed is None else seed
        dsr_id = seeds.derived_uuid("dsr", f"{seed}/delete/{person}/{'/'.join(keys or [])}")
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
            self._approvals.open(tx, journal, Kind.ERASURE, by, about, details, request_id=dsr_id)
        return {"dsr_id": dsr_id, "request_id": dsr_id}

    def after_consent(self, tx: Tx, journal: Journal, person: str, keys: list[str], identity: dict[str, Any]) -> str:
        """Ask, as `system`, for the deletion of what only an ended consent covers; return the request's id."""
        number = len(tx.records.children("dsr_request", person))
        seed = f"{identity['method']}/{identity['consent_id']}/{number}"
        opened = self.open(tx, journal, person, keys, identity, by="system", seed=seed)
        return str(opened["dsr_id"])

    def waiting(self, tx: Tx, person: str) -> set[str]:
        """The facts of a person whose deletion was asked for, by whomever, and is not decided yet."""
        return {key for content in self._undecided(tx, person) for key in content["keys"] or ()}

    def _undecided(self, tx: Tx, person: str) -> list[dict[str, Any]]:
        """The deletions of a person that nobody has decided; a damaged request is verification's."""
        found = []
        for row in tx.records.children("dsr_request", person):
            named = self._bound.named(tx, "dsr_request", row.key)
            content = None if named is None else self._bound.if_intact(tx, "dsr_request", named)
            if content is None or content["kind"] != subjects.DELETE:
                continue
            if not self._bound.happened(tx, "approval_decision", row.key):
                found.append(content)
        return found

    def _asked_already(self, tx: Tx, person: str, keys: list[str]) -> str | None:
        """The request by which `system` asked for exactly this when a consent ended, while it is not decided."""
        for content in self._undecided(tx, person):
            if content["identity"]["method"] == ENDED and content["keys"] == sorted(keys):
                return str(content["dsr_id"])
        return None


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
        exports: Exports,
        rectifying: Rectifying,
        turns: Turns,
        is_clearing: Callable[[Tx, str], bool] = lambda _tx, _dsr_id: False,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._failures = failures
        self._approvals = approvals
        self._exports = exports
        self._is_clearing = is_clearing
        self._rectifying = rectifying
        self._turns = turns
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
            now = self._world.clock.now()
            until = iso_us(now + life)
            content = {"proof_id": key[:16], "person": person, "expires_at": until, "by": by, "issued_at": iso_us(now)}
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
        changes: Mapping[str, Any] | None = None,
        consent_id: str | None = None,
        job_seed: str | None = None,
        speaker: Speaker = OWNER,
    ) -> dict[str, Any]:
        """Open a request of a person about their own data.

        `keys` narrows a deletion to some facts, turns (`turn/<user>/<number>`) and conversations
        (`conversation/<conversation_id>`); `changes` has the new values of a rectification, by key, and
        `consent_id` the consent for those that are personal.
        """
        if kind not in subjects.KINDS:
            raise InvalidInput(f"kind must be one of {', '.join(subjects.KINDS)}")
        if not isinstance(proof, str):
            raise InvalidInput(f"proof must be a str, got {type(proof).__name__}")
        problem = rectification.problem_with(kind, keys, changes)
        if problem is not None:
            raise InvalidInput(problem)
        if any(isinstance(key, str) and key.startswith((TURN, CONVERSATION)) for key in changes or ()):
            raise InvalidInput("turns say what was said and are not corrected; request their deletion instead")
        puts = self._rectifying.puts(changes or {})
        wanted = [str(put.key) for put in puts] if changes else self._wanted(kind, keys)
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        journal = VerbJournal(self._recorder, "request_dsr", seed)

        def unit(tx: Tx) -> dict[str, Any]:
            person = person_of(self._world.slots, tx, user_id)
            journal.join_for(tx, person)
            if job_seed is not None:
                check_joining(tx, self._recorder, journal, person, speaker)
            if not all(_may_be_named(kind, key, person) for key in wanted or []):  # before the proof is used up
                return self._refuse(tx, journal, kind, person, "foreign_key")
            stands, proof_id = self._identify(tx, person, proof)
            if stands is not Standing.GOOD:
                return self._refuse(tx, journal, kind, person, stands.value)
            identity = {"method": "proof", "proof_id": proof_id}
            if kind == subjects.DELETE:
                opened = self.deletions.open(tx, journal, person, self._on_record(tx, person, wanted), identity)
                return {**_DONE, **opened, "kind": kind, "status": "awaiting approval"}
            if kind == subjects.RECTIFY:
                opened = self._rectifying.open(tx, journal, person, puts, identity, consent_id)
                return {**_DONE, **opened, "kind": kind, "status": "awaiting approval"}
            return {**_DONE, **self._export(tx, journal, person, identity), "kind": kind, "status": "completed"}

        try:
            return self._failures.write("request_dsr", unit)
        except (Blocked, FactNotFound) as error:
            # nothing was kept, and the proof was not used up; what was found is on the record
            error.details.pop("person", None)
            answer = self._failures.refuse(journal, error, {"key": error.details.get("key", "")})
            return {**answer, "dsr_id": None, "request_id": None, "kind": kind, "status": "refused"}

    def request_jobs(self, job_ids: list[str], by: str, *, job_seed: str | None = None) -> dict[str, Any]:
        """Ask that jobs without a person be erased; `NotFound` for one that is somebody's or not there."""
        if not 0 < len(job_ids) <= MAX_KEYS:
            raise InvalidInput(f"job_ids must be a list of 1 to {MAX_KEYS} job ids")
        wanted = sorted(set(job_ids))
        journal = VerbJournal(self._recorder, "request_erasure", None if job_seed is None else check_seed(job_seed))

        def unit(tx: Tx) -> dict[str, Any]:
            for job_id in wanted:
                held = tx.vault.key(f"{JOB}{job_id}")
                if held is None or held[0] != "":
                    raise NotFound(what=f"a job without a person of the id {job_id}")
            opened = self.deletions.open_jobs(tx, journal, wanted, by)
            return {**_DONE, **opened, "kind": subjects.DELETE, "status": "awaiting approval"}

        return self._failures.write("request_erasure", unit)

    @staticmethod
    def _wanted(kind: str, keys: list[str] | None) -> list[str] | None:
        if keys is None:
            return None
        if kind != subjects.DELETE:
            raise InvalidInput("keys may only be given for a deletion; an export covers everything")
        if not isinstance(keys, list) or not 0 < len(keys) <= MAX_KEYS:
            raise InvalidInput(f"keys must be a list of 1 to {MAX_KEYS} keys")
        return sorted({read_erasable(key) for key in keys})

    def _on_record(self, tx: Tx, person: str, wanted: list[str] | None) -> list[str] | None:
        """What a request names, as it is recorded: a conversation may be called anything, so by its keyed name."""
        if wanted is None:
            return None

        def named(key: str) -> str:
            if not key.startswith(CONVERSATION):
                return key
            return CONVERSATION + self._turns.conversation(tx, person, key.removeprefix(CONVERSATION))

        return sorted(set(map(named, wanted)))

    def _refuse(self, tx: Tx, journal: VerbJournal, kind: str, person: str, because: str) -> dict[str, Any]:
        """A refusal is part of the record; the caller is not told which part of a proof was wrong."""
        refused = {"kind": kind, "person": person, "identity": {"method": "proof", "refused": because}}
        journal.event(tx, "DSR_REQUEST", refused)
        action = _REFUSED.get(because, "make a subject request without a valid proof of identity")
        error = PermissionDenied(actor="the caller", action=action)
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
            is_rectify = content["kind"] == subjects.RECTIFY
            kept = None if is_rectify else self._vault.blob(tx, f"export/{dsr_id}")
            kind_of_receipt = RECEIPT if is_rectify else "deletion_receipt"
            receipt = self._bound.record(tx, kind_of_receipt, dsr_id)
            restored = self._bound.record(tx, "erasure_restored", dsr_id)
            standing = subjects.status(
                content["kind"],
                None if asked is None else asked["status"],
                self._bound.happened(tx, kind_of_receipt, dsr_id),
                restored=self._bound.happened(tx, "erasure_restored", dsr_id),
                clearing=not is_rectify and is_followed(receipt) and self._is_clearing(tx, dsr_id),
            )
            manifest = self._bound.record(tx, "deletion_manifest", dsr_id)
            shown = {
                **content,
                "status": standing,
                "request_id": None if asked is None else asked["request_id"],
                "expires_at": None if asked is None else asked["expires_at"],
                "reasons": [] if asked is None else subjects.reasons(asked["status"], asked["votes"]),
                "manifest": manifest,
                "receipt": receipt,
                "restored": restored,
                "purged_at": self._purged_at(tx, manifest),
                "package": None if kept is None else canon.loads(kept),
            }
            if is_rectify:
                shown["changes"] = self._changes(tx, dsr_id)
                shown["rectification"] = self._bound.record(tx, MANIFEST, dsr_id)
            return shown

        return self._world.store.read(look)

    def _purged_at(self, tx: Tx, manifest: Mapping[str, Any] | None) -> str | None:
        """When the keys of an erasure were destroyed in the forensic store; None where they lie there, or never did."""
        entry_id = None if manifest is None else manifest["forensic_id"]
        named = None if entry_id is None else self._bound.named(tx, "forensic_purge", entry_id)
        if named is None:
            return None
        content = self._bound.if_intact(tx, "forensic_purge", named)
        return str(named.at if content is None else content["at"])

    def _changes(self, tx: Tx, dsr_id: str) -> dict[str, Any] | None:
        """What a rectification is to put in place of what stands, by key; None after an erasure."""
        found = self._rectifying.changes(tx, dsr_id)
        return None if found is None else {item["key"]: item["value"] for item in found}

    def _asked(self, tx: Tx, dsr_id: str) -> dict[str, Any] | None:
        """The approval that a deletion waits or waited for: it has its id, in older stores one of its own."""
        held = self._bound.record(tx, "approval", dsr_id)
        if held is None:
            held = next((content for _, content in self._bound.children(tx, "approval", f"erasure/{dsr_id}")), None)
        return None if held is None else self._approvals.shown(tx, held)

    # Export

    def _export(self, tx: Tx, journal: Journal, person: str, identity: dict[str, Any]) -> dict[str, Any]:
        package = self._exports.package(tx, person)
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


def _may_be_named(kind: str, key: str, person: str) -> bool:
    """Whether a person may ask this of a key: of what is theirs, and erasure also of world facts that speak of them."""
    if kind == subjects.DELETE and (is_megram(key) or key.startswith("world/")):
        return True
    if kind == subjects.DELETE and key.startswith(CONVERSATION):
        return True  # of this person: another one's conversation of the same name has another name on record
    if key.startswith(TURN):
        parsed = parse_turn_id(key)
        return kind == subjects.DELETE and parsed is not None and parsed[0] == person
    return user_of_key(key) == person


_DONE = {"success": True, "error_code": None}
_REFUSED = {
    "foreign_key": "name facts or turns of somebody else in a subject request; the proof of identity was not used"
}
