"""Consent as a verb and as the gate of every write: granted and revoked on the record, asked before data is stored.

The words of a consent lie sealed under the person's key; events name its id. Whether a consent covers is decided in
`governance.consent`, here it is looked up and held against its event; one that was taken back stays so. Flagged data
passes only to a key of the person who consented, because only there it is sealed under a key that can be taken away.
"""

from datetime import datetime
from typing import Any

from mace.core import seeds
from mace.core.errors import FAILURES, Conflict, Erased, IntegrityFailure, InvalidInput, NotFound
from mace.core.events import NewEvent
from mace.core.times import iso_us, parse_instant
from mace.engine.governance.approvals import Approvals
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.gate import FlaggedWrite, PromotionNeeded, blocked
from mace.engine.kernel.journal import Journal, VerbJournal
from mace.engine.kernel.persons import enter_person, person_of
from mace.engine.kernel.privacy import Flag, flags_in_json
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance import consent
from mace.governance.approvals import Kind
from mace.governance.consent import Consent, Coverage, Ruling, Seen
from mace.ledger import records
from mace.storage.ports import Tx

_BLOCKED = "PRIVACY_BLOCKED"


class Consents:
    """Grants, revokes and looks up consents, and decides whether one covers a write."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault, bound: Bound, approvals: Approvals) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._approvals = approvals

    # Granting and revoking

    def grant(
        self,
        user_id: str,
        consent_text: str,
        scope: str = consent.JOB,
        job_seed: str | None = None,
        expires_at: str | datetime | None = None,
    ) -> dict[str, Any]:
        """Record a consent: for the job of this seed, or until it expires. Without a seed it gets a fresh one."""
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        until = _instant(expires_at)
        problem = consent.problem_with(scope, consent_text, until, self._world.clock.now())
        if problem is not None:
            raise InvalidInput(problem)
        journal = VerbJournal(self._recorder, "grant_consent", seed)
        given = consent.consent_id(user_id, seed, consent_text)

        def unit(tx: Tx) -> dict[str, Any]:
            person = enter_person(self._world.slots, tx, journal, user_id)
            journal.join_for(tx, person)
            tx.lock(f"consent/{given}")
            if self._bound.happened(tx, "consent", given):
                raise Conflict("this consent was already given" + (" and revoked" if self._revoked(tx, given) else ""))
            self._vault.put_blob(tx, f"consent/{given}", f"consent/{given}", person, consent_text.encode())
            content = {
                "consent_id": given,
                "person": person,
                "scope": scope,
                "job_seed": seed,
                "granted_at": iso_us(self._world.clock.now()),
                "expires_at": None if until is None else iso_us(until),
            }
            record = records.make("consent", given, content, self._world.keys.sign, parent=person)
            self._bound.add(tx, record)
            payload = {
                "consent_id": given,
                "person": person,
                "action": "granted",
                "scope": scope,
                "expires_at": content["expires_at"],
                "record": records.reference(record),
            }
            event = self._event(tx, journal, "PII_CONSENT", payload, "user")
            shown = {name: value for name, value in content.items() if name != "person"}
            return {**shown, "event_id": event.event_id.hex()}

        return self._world.store.write(unit)

    def revoke(self, consent_id: str, actor: str = "user") -> dict[str, Any]:
        """Take a consent back, from now on; what was stored under it stays until it is deleted. Idempotent."""
        check_words(actor, "actor", 64)
        journal = VerbJournal(self._recorder, "revoke_consent")

        def unit(tx: Tx) -> dict[str, Any]:
            named = self._bound.named(tx, "consent", consent_id)
            if named is None:
                raise NotFound(what="a consent with this consent_id")
            content = self._bound.if_intact(tx, "consent", named) or named.payload  # a damaged one can be taken back
            changed = self._revoke(tx, journal, consent_id, content.get("person", ""), actor)
            # the stream is fresh: its beginning, then this event
            event_id = seeds.event_id(journal.job_seed, 1, "PII_CONSENT_REVOKE") if changed else None
            return {"consent_id": consent_id, "revoked": True, "event_id": event_id}

        return self._world.store.write(unit)

    def _revoke(self, tx: Tx, journal: Journal, consent_id: str, person: str, actor: str) -> bool:
        tx.lock(f"consent/{consent_id}")
        if self._revoked(tx, consent_id):
            return False
        content = {"consent_id": consent_id, "actor": actor, "at": iso_us(self._world.clock.now())}
        record = records.make("consent_revoke", consent_id, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, record)
        payload = {"consent_id": consent_id, "at": content["at"], "record": records.reference(record)}
        journal.event(tx, "PII_CONSENT_REVOKE", payload, actor)
        return True

    def _revoked(self, tx: Tx, consent_id: str) -> bool:
        return self._bound.happened(tx, "consent_revoke", consent_id)

    def _of(self, tx: Tx, person: str) -> list[str]:
        """The ids of a person's consents: what events say, and rows from before events named the person."""
        said = [told["payload"]["consent_id"] for _, told in self._bound.events(tx, f"consents/{person}")]
        rows = [row.key for row in tx.records.children("consent", person)]
        return sorted(key for key in {*said, *rows} if self._bound.happened(tx, "consent", key))

    def end_all(self, tx: Tx, journal: Journal, person: str, actor: str) -> None:
        """Revoke every consent of a person: whoever was erased starts anew."""
        for consent_id in self._of(tx, person):
            self._revoke(tx, journal, consent_id, person, actor)

    def of_person(self, tx: Tx, person: str, *, naming_damage: bool = False) -> list[dict[str, Any]]:
        """All consents of a person with their words; damaged ones are refused, or named in an export."""
        found = []
        for consent_id in self._of(tx, person):
            content = self._bound.record(tx, "consent", consent_id)
            if content is None:
                continue  # it was lost, and set aside
            words, damaged = self._words(tx, consent_id, naming_damage)
            found.append(
                {
                    "consent_id": content["consent_id"],
                    "scope": content["scope"],
                    "text": None if words is None else words.decode(),
                    "granted_at": content["granted_at"],
                    "expires_at": content["expires_at"],
                    "revoked_at": self._revoked_at(tx, consent_id),
                    **({"damaged": ["text"]} if damaged else {}),
                }
            )
        return sorted(found, key=lambda item: (item["granted_at"], item["consent_id"]))

    def _revoked_at(self, tx: Tx, consent_id: str) -> str | None:
        named = self._bound.named(tx, "consent_revoke", consent_id)
        if named is None:
            return None
        content = self._bound.content(tx, "consent_revoke", named) or named.payload
        return str(content.get("at", named.at))

    def _words(self, tx: Tx, consent_id: str, naming_damage: bool) -> tuple[bytes | None, bool]:
        """The words of a consent, and whether they are damaged; erased by right they are neither."""
        try:
            words = self._vault.blob(tx, f"consent/{consent_id}")
        except (Erased, IntegrityFailure):
            if not naming_damage:
                raise
            return None, True
        return words, naming_damage and words is None and tx.vault.blob(f"consent/{consent_id}") is None

    def listed(self, user_id: str) -> list[dict[str, Any]]:
        """Return all consents of a user with their texts."""
        return self._world.store.read(lambda tx: self.of_person(tx, person_of(self._world.slots, tx, user_id)))

    # Asking

    def get(self, tx: Tx, consent_id: str) -> Consent | None:
        """The consent of this id, as far as the ledger knows it; `IntegrityFailure` where its row is another."""
        content = self._bound.record(tx, "consent", consent_id)
        if content is None:
            return None
        return Consent(
            consent_id=consent_id,
            person=content["person"],
            scope=content["scope"],
            job_seed=content["job_seed"],
            expires_at=_instant(content["expires_at"]),
            revoked=self._revoked(tx, consent_id),
        )

    def given_in_job(self, tx: Tx, person: str | None, job_seed: str) -> str | None:
        """The consent that this person gave in this very job and that covers it, where nobody names one."""
        now = self._world.clock.now()
        damaged: IntegrityFailure | None = None
        for consent_id in [] if person is None else self._of(tx, person):
            try:
                held = self.get(tx, consent_id)
            except IntegrityFailure as error:
                damaged = error  # another one may do
                continue
            if held is None or held.job_seed != job_seed:
                continue  # a persistent one of another job must be named
            if consent.covers(held, person, job_seed, now) is Coverage.COVERED:
                return consent_id
        if damaged is not None:
            raise damaged
        return None

    def coverage(self, tx: Tx, consent_id: str | None, person: str | None, job_seed: str) -> Coverage:
        """Return what a consent covers for a person in a job."""
        if consent_id is None:
            return Coverage.NONE_GIVEN
        return consent.covers(self.get(tx, consent_id), person, job_seed, self._world.clock.now())

    def admit(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> None:
        """The gate of a write: pass with the consent on the record, or raise with nothing stored."""
        consent_id = wanted.consent_id
        if consent_id is None:
            consent_id = self.given_in_job(tx, wanted.person, journal.job_seed)
        coverage = self.coverage(tx, consent_id, wanted.person, journal.job_seed)
        approved = self._approved(tx, wanted.person, wanted.key) if coverage is Coverage.COVERED else {}
        ruling = consent.rule(_seen(wanted.flags), coverage, approved)
        if ruling is Ruling.APPROVAL_REQUIRED:
            error = blocked(wanted, PromotionNeeded)
            error.details["person"] = wanted.person
            raise error
        if ruling is not Ruling.ALLOW_BY_CONSENT:
            raise blocked(wanted, consent=_told(coverage))
        used = sorted({approved[flag.pii_type] for flag in wanted.flags if flag.pii_type in approved})
        journal.event(tx, "PII_CONSENT", {"key": wanted.key, **self._use(consent_id, wanted.flags, used)})

    @staticmethod
    def _use(consent_id: str | None, flags: tuple[Flag, ...], approvals_used: list[str]) -> dict[str, Any]:
        return {
            "consent_id": consent_id,
            "action": "used",
            "pii": [{"pii_type": flag.pii_type, "pii_hash": flag.pii_hash} for flag in flags],
            "approvals": approvals_used,
        }

    def use_in_question(self, consent_id: str, flags: list[Flag]) -> dict[str, Any]:
        """What a question records when it is read with its personal data, by consent."""
        return self._use(consent_id, tuple(flags), [])

    def _approved(self, tx: Tx, person: str | None, key: str) -> dict[str, str]:
        """By type of data: the request that approved storing it for this person under this key."""
        found: dict[str, str] = {}
        gone = self._erased_at(tx, str(person), key)
        for held in self._approvals.approved(tx, Kind.PROMOTION, f"promotion/{person}/{key}"):
            if held["created_at"] <= gone:
                continue  # it was about what has been erased since
            found |= dict.fromkeys(held["details"]["pii_types"], held["request_id"])
        return found

    def _erased_at(self, tx: Tx, person: str, key: str) -> str:
        """When this fact, or everything of this person, was last erased; nothing is earlier than the empty text."""
        said = [told["payload"]["dsr_id"] for _, told in self._bound.events(tx, f"erased/{person}")]
        rows = [row.key for row in tx.records.children("deletion_manifest", person)]
        at = ""
        for dsr_id in sorted({*said, *rows}):
            named = self._bound.named(tx, "deletion_manifest", dsr_id)
            paper = None if named is None else self._bound.content(tx, "deletion_manifest", named)
            if paper is None:  # where it was lost and set aside, it was about everything
                at = max(at, "" if named is None else str(named.payload.get("at", named.at)))
            elif paper["whole_person"] or any(fact["key"] == key for fact in paper["facts"]):
                at = max(at, paper["at"])
        return at

    def ask_approval(self, tx: Tx, journal: Journal, error: PromotionNeeded) -> dict[str, Any]:
        """Record the flags and the request to store them; return what the caller hears."""
        flags = error.details.pop("flags")
        for flag in flags:
            journal.event(tx, "PII_FLAGGED", flag)
        by = error.details.pop("requested_by", "user")
        held = self._promotion(tx, journal, error.details.pop("person"), error.details["key"], flags, by)
        return {**error.details, "request_id": held["request_id"]}

    def _promotion(
        self, tx: Tx, journal: Journal, person: str | None, key: str, flags: list[dict[str, str]], by: str = "user"
    ) -> dict[str, Any]:
        high = sorted({flag["pii_type"] for flag in flags if flag["sensitivity"] == "high"})
        details = {"person": person, "key": key, "pii_types": high}
        about = f"promotion/{person}/{key}"
        return self._approvals.open(tx, journal, Kind.PROMOTION, by, about, details, "memory_promote_request")

    # The verb of the stage 1 text

    def detect_and_handle(
        self,
        payload: Any,
        user_id: str | None = None,
        job_seed: str | None = None,
        consent_id: str | None = None,
    ) -> dict[str, Any]:
        """Look for personal data and say what may be done: `allowed`, `consent_required` or `redacted`.

        Nothing of the payload is stored. What comes back has every flagged piece cut out unless it is allowed.
        """
        from mace.governance.detectors import detect_json
        from mace.governance.redact import redact_json

        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        try:
            found = detect_json(payload, "")
            flags = tuple(flags_in_json(self._world.keys, payload, "", seed))
        except (TypeError, ValueError) as error:
            raise InvalidInput(str(error)) from None
        journal = VerbJournal(self._recorder, "detect_and_handle", seed)

        def unit(tx: Tx) -> dict[str, Any]:
            person = None if user_id is None else enter_person(self._world.slots, tx, journal, user_id)
            named = self.given_in_job(tx, person, seed) if consent_id is None else consent_id
            coverage = self.coverage(tx, named, person, seed)
            approved = self._approved(tx, person, "") if coverage is Coverage.COVERED else {}
            ruling = consent.rule(_seen(flags), coverage, approved)
            answer: dict[str, Any] = {
                "status": _STATUS[ruling],
                "job_seed": seed,
                "findings": [flag.payload() for flag in flags],
                "consent": _told(coverage),
                "request_id": None,
                "error_code": None,
                "user_message": None,
            }
            events = self._record(tx, journal, ruling, flags, named, approved)
            if ruling is Ruling.APPROVAL_REQUIRED:
                held = self._promotion(tx, journal, person, "", [flag.payload() for flag in flags])
                answer["request_id"] = held["request_id"]
            if ruling in (Ruling.BLOCK, Ruling.APPROVAL_REQUIRED):
                answer |= {"error_code": _BLOCKED, "user_message": FAILURES[_BLOCKED].user_message}
            answer["payload"] = payload if answer["status"] == "allowed" else redact_json(payload, found)
            answer["event_ids"] = [event.event_id.hex() for event in events]
            answer["event_id"] = answer["event_ids"][0]
            return answer

        return self._world.store.write(unit)

    def _record(
        self,
        tx: Tx,
        journal: VerbJournal,
        ruling: Ruling,
        flags: tuple[Flag, ...],
        consent_id: str | None,
        approved: dict[str, str],
    ) -> list[NewEvent]:
        if ruling is Ruling.ALLOW:
            return [self._event(tx, journal, "PII_CHECKED", {"status": "allowed", "flags": 0})]
        if ruling is Ruling.ALLOW_BY_CONSENT:
            used = sorted({approved[flag.pii_type] for flag in flags if flag.pii_type in approved})
            return [self._event(tx, journal, "PII_CONSENT", self._use(consent_id, flags, used))]
        return [self._event(tx, journal, "PII_FLAGGED", flag.payload()) for flag in flags]

    def _event(
        self, tx: Tx, journal: VerbJournal, event_type: str, payload: dict[str, Any], signed_by: str = "system"
    ) -> NewEvent:
        return self._recorder.append(tx, journal.origin(tx), event_type, payload, signed_by)


_STATUS = {
    Ruling.ALLOW: "allowed",
    Ruling.ALLOW_BY_CONSENT: "allowed",
    Ruling.CONSENT_REQUIRED: "consent_required",
    Ruling.BLOCK: "redacted",
    Ruling.APPROVAL_REQUIRED: "redacted",
}


def _told(coverage: Coverage) -> str:
    """How a consent stands, for whoever named it: that somebody else gave it is nobody's business."""
    return (Coverage.UNKNOWN if coverage is Coverage.OTHER_PERSON else coverage).value


def _seen(flags: tuple[Flag, ...]) -> list[Seen]:
    return [Seen(flag.pii_type, flag.sensitivity) for flag in flags]


def _instant(text: str | datetime | None) -> datetime | None:
    if text is None:
        return None
    try:
        return parse_instant(text if isinstance(text, str) else text.isoformat())
    except (ValueError, AttributeError):
        raise InvalidInput("expires_at must be an ISO 8601 time with a time zone") from None
