"""Consent as a verb and as the gate of every write: granted and revoked on the record, asked before data is stored.

The words of a consent lie sealed under the person's key; events name its id. Whether a consent covers is decided in
`governance.consent`, here it is looked up and held against its event; one that was taken back stays so. Flagged data
passes only to a key of the person who consented, because only there it is sealed under a key that can be taken away.

A consent that ended can be given again under its id: each time is a record of its own (`<id>`, `<id>/1`, ...) and
counts from then on. What an ended one let in is not served, and `system` asks once for its deletion.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from mace.core import canon, seeds
from mace.core.errors import FAILURES, Conflict, Erased, IntegrityFailure, InvalidInput, NotFound
from mace.core.events import NewEvent
from mace.core.times import iso_us, parse_instant
from mace.engine.governance.approvals import Approvals
from mace.engine.kernel.bound import Bound, Named
from mace.engine.kernel.cleaning import check_words, holds_personal
from mace.engine.kernel.gate import FlaggedWrite, PromotionNeeded, Stands, blocked
from mace.engine.kernel.joining import OWNER, Speaker, check_joining
from mace.engine.kernel.journal import Journal, SystemJournal, VerbJournal
from mace.engine.kernel.let_in import LetIn, uses_of_approval
from mace.engine.kernel.persons import enter_person, person_of
from mace.engine.kernel.privacy import Flag, flags_in_json, has_high
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance import consent
from mace.governance.approvals import Kind
from mace.governance.consent import Consent, Coverage, Moment, Repeated, Ruling, Seen
from mace.ledger import records
from mace.storage.ports import Tx

_BLOCKED = "PRIVACY_BLOCKED"
ENDED = "consent_ended"  # how a deletion that nobody asked for is known


class AsksDeletion(Protocol):
    """Port: opens a deletion request and returns its id."""

    def __call__(self, tx: Tx, journal: Journal, person: str, keys: list[str], identity: dict[str, Any]) -> str: ...


class Consents:
    """Grants, revokes and looks up consents, and decides whether one covers a write."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        approvals: Approvals,
        no_longer_served: Callable[[Tx, str], list[str]],  # the facts of a person that only ended consents cover
        ask_deletion: AsksDeletion,
        waiting: Callable[[Tx, str], Collection[str]],  # the facts whose deletion was asked for and is not decided
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._approvals = approvals
        self._no_longer_served = no_longer_served
        self._ask_deletion = ask_deletion
        self._waiting = waiting
        self._quiet_until: tuple[int, str] = (-1, "")  # how many events there were, and the next instant of expiry

    # Granting and revoking

    def grant(
        self,
        user_id: str,
        consent_text: str,
        scope: str = consent.JOB,
        job_seed: str | None = None,
        expires_at: str | datetime | None = None,
        data_types: Sequence[str] | None = None,
        purposes: Sequence[str] = (consent.STORE,),
    ) -> dict[str, Any]:
        """Record a consent: for the job of this seed, or until it expires. Without a seed it gets a fresh one."""
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        until = _instant(expires_at)
        now = self._world.clock.now()
        problem = consent.problem_with(scope, consent_text, until, now, data_types, purposes, tuple(_sensitivity()))
        if problem is not None:
            raise InvalidInput(problem)
        if holds_personal(consent_text):  # its hash, the consent's id, stands on the ledger for ever
            raise InvalidInput("consent_text must not contain personal data: name the kind of data, not the data")
        journal = VerbJournal(self._recorder, "grant_consent", seed)

        def unit(tx: Tx) -> dict[str, Any]:
            person = enter_person(self._world.slots, tx, journal, user_id)
            journal.join_for(tx, person)
            wanted = Consent(
                consent_id=consent.consent_id(user_id, seed, consent_text),
                person=person,
                scope=scope,
                job_seed=seed,
                expires_at=until,
                data_types=None if data_types is None else frozenset(data_types),
                purposes=frozenset(purposes),
            )
            tx.lock(f"consents/{person}")
            given = None if job_seed is None else self._in_other_spelling(tx, wanted, consent_text)
            given = given or wanted.consent_id
            tx.lock(f"consent/{given}")
            number = self._number(tx, given, wanted)
            return self._give(tx, journal, given, number, wanted, consent_text)

        return self._world.store.write(unit)

    def _in_other_spelling(self, tx: Tx, wanted: Consent, consent_text: str) -> str | None:
        """The id under which the same person gave the same words for the same job, their name spelled otherwise."""
        if self._bound.happened(tx, "consent", wanted.consent_id):
            return None
        for consent_id in self._of(tx, wanted.person):
            held = self.get(tx, consent_id)
            if held is None or held.job_seed != wanted.job_seed:
                continue
            words, _ = self._words(tx, _record_key(consent_id, self._latest(tx, consent_id)), naming_damage=True)
            if words == consent_text.encode():
                return consent_id
        return None

    def _number(self, tx: Tx, consent_id: str, wanted: Consent) -> int:
        """How often this consent was given before; raise `Conflict` where it may not be given now."""
        if not self._bound.happened(tx, "consent", consent_id):
            return 0
        held = self.get(tx, consent_id)
        if held is None:
            raise Conflict(
                "the stored consent with this consent_id is missing (run verify); give it with another job_seed or text"
            )
        ruling = consent.repeated(held, wanted, self._world.clock.now())
        if ruling is not Repeated.AGAIN:
            raise Conflict(ruling.value)
        return self._latest(tx, consent_id) + 1

    def _give(
        self, tx: Tx, journal: VerbJournal, consent_id: str, number: int, wanted: Consent, consent_text: str
    ) -> dict[str, Any]:
        key = _record_key(consent_id, number)
        self._vault.put_blob(tx, f"consent/{key}", f"consent/{key}", wanted.person, consent_text.encode())
        terms = {
            "scope": wanted.scope,
            "expires_at": None if wanted.expires_at is None else iso_us(wanted.expires_at),
            "data_types": None if wanted.data_types is None else sorted(wanted.data_types),
            "purposes": sorted(wanted.purposes),
        }
        content = {
            "consent_id": consent_id,
            "person": wanted.person,
            "job_seed": wanted.job_seed,
            "granted_at": iso_us(self._world.clock.now()),
            **terms,
        }
        record = records.make("consent", key, content, self._world.keys.sign, parent=wanted.person)
        self._bound.add(tx, record)
        payload = {
            "consent_id": consent_id,
            "person": wanted.person,
            "action": "granted",
            **terms,
            **({"grant": number} if number else {}),
            "record": records.reference(record),
        }
        event = self._event(tx, journal, "PII_CONSENT", payload, "user")
        shown = {name: value for name, value in content.items() if name != "person"}
        return {**shown, "event_id": event.event_id.hex()}

    def revoke(self, consent_id: str, actor: str = "user") -> dict[str, Any]:
        """Take a consent back; what only it covers is not served from now on, and its deletion is asked for.

        Idempotent.
        """
        check_words(actor, "actor", 64)
        journal = VerbJournal(self._recorder, "revoke_consent")

        def unit(tx: Tx) -> dict[str, Any]:
            tx.lock(f"consent/{consent_id}")
            key = _record_key(consent_id, self._latest(tx, consent_id))
            named = self._bound.named(tx, "consent", key)
            if named is None:
                raise NotFound(what="a consent with this consent_id")
            content = self._bound.if_intact(tx, "consent", named) or named.payload  # a damaged one can be taken back
            person = content.get("person", "")
            changed = self._revoke(tx, journal, consent_id, person, actor)
            # the stream is fresh: its beginning, then this event
            event_id = seeds.event_id(journal.job_seed, 1, "PII_CONSENT_REVOKE") if changed else None
            asked = self._ask_to_delete(tx, consent_id, person) if changed and person else None
            return {"consent_id": consent_id, "revoked": True, "event_id": event_id, "dsr_id": asked}

        return self._world.store.write(unit)

    def _revoke(self, tx: Tx, journal: Journal, consent_id: str, person: str, actor: str) -> bool:
        tx.lock(f"consent/{consent_id}")
        key = _record_key(consent_id, self._latest(tx, consent_id))
        if self._bound.happened(tx, "consent_revoke", key):
            return False
        content = {"consent_id": consent_id, "actor": actor, "at": iso_us(self._world.clock.now())}
        record = records.make("consent_revoke", key, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, record)
        payload = {"consent_id": consent_id, "at": content["at"], "record": records.reference(record)}
        journal.event(tx, "PII_CONSENT_REVOKE", payload, actor)
        return True

    def _latest(self, tx: Tx, consent_id: str) -> int:
        """The number of the last time a consent was given, from 0."""
        return len(self._bound.names(tx, "consent", consent_id))

    def _of(self, tx: Tx, person: str) -> list[str]:
        """The ids of a person's consents: what events say, and rows from before events named the person."""
        said = [told["payload"]["consent_id"] for _, told in self._bound.events(tx, f"consents/{person}")]
        rows = [row.key for row in tx.records.children("consent", person) if "/" not in row.key]
        return sorted(key for key in {*said, *rows} if self._bound.happened(tx, "consent", key))

    # What an ended consent leaves

    def stands(self, tx: Tx, person: str, let_in: LetIn) -> Stands:
        """Whether what a consent let in may still be served: not when only ended ones cover it."""
        try:
            held = self._given(tx, let_in.consent_id, let_in.grant)
        except IntegrityFailure:  # what was taken back stays so, whatever became of what was given
            if not self._bound.happened(tx, "consent_revoke", _record_key(let_in.consent_id, let_in.grant)):
                raise
            return Stands(served=False)
        if held is None or held.person != person:
            return Stands(served=False)  # nobody can say that it holds
        now = self._world.clock.now()
        others = () if not consent.has_ended(held, now) else self._all(tx, person)
        under = consent.stands_under(held, others, let_in.types, now)
        return Stands(served=False) if under is None else Stands(served=True, until=consent.ends_at(under))

    def _all(self, tx: Tx, person: str) -> list[Consent]:
        """A person's consents, each time they were given, as far as they can be read: a damaged one covers nothing."""
        found = []
        for consent_id in self._of(tx, person):
            for number in range(self._latest(tx, consent_id) + 1):
                with suppress(IntegrityFailure):
                    found.append(self._given(tx, consent_id, number))
        return [held for held in found if held is not None]

    def _ask_to_delete(self, tx: Tx, consent_id: str, person: str) -> str | None:
        """Ask, as `system`, for the deletion of what only ended consents cover now; None where there is nothing."""
        waiting = self._waiting(tx, person)
        keys = [key for key in self._no_longer_served(tx, person) if key not in waiting]
        if not keys:
            return None
        identity = {"method": ENDED, "consent_id": consent_id}
        return self._ask_deletion(tx, SystemJournal(self._recorder), person, keys, identity)

    def still_ended(self, tx: Tx, person: str, keys: list[str]) -> list[str]:
        """Those of these facts that only ended consents cover still; what was written since by right stays."""
        ended = set(self._no_longer_served(tx, person))
        return [key for key in keys if key in ended]

    def end_expired(self) -> int:
        """Note which persistent consents have expired, and ask for the deletion of what only they cover; for the sweep.

        Returns how many there were.
        """

        def expired(tx: Tx) -> list[Named]:
            now, size = iso_us(self._world.clock.now()), tx.events.size()
            if size == self._quiet_until[0] and now < self._quiet_until[1]:
                return []  # nothing was written since the last look, and nothing expires yet
            lasting = [
                named
                for named in self._bound.whole_names(tx, "consent")[0]
                if named.payload.get("scope") == consent.PERSISTENT
            ]
            found = [
                named
                for named in lasting
                if str(named.payload["expires_at"]) <= now
                and not self._bound.happened(tx, ENDED, named.key)
                and not self._bound.happened(tx, "consent_revoke", named.key)
            ]
            if not found:
                later = [str(named.payload["expires_at"]) for named in lasting if named.payload["expires_at"] > now]
                self._quiet_until = size, min(later, default="9999")
            return found

        def unit(tx: Tx) -> int:
            found = expired(tx)
            for named in found:
                self._note_expiry(tx, named)
            return len(found)

        return self._world.store.write(unit) if self._world.store.read(expired) else 0

    def _note_expiry(self, tx: Tx, named: Named) -> None:
        consent_id, person = named.payload["consent_id"], named.payload.get("person")
        if person is None:  # from before events named the person
            person = (self._bound.if_intact(tx, "consent", named) or {}).get("person", "")
        asked = self._ask_to_delete(tx, consent_id, person) if person else None
        content = {
            "consent_id": consent_id,
            "expired_at": named.payload["expires_at"],
            "dsr_id": asked,
            "at": iso_us(self._world.clock.now()),
        }
        record = records.make(ENDED, named.key, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, record)
        payload = {**content, "record": records.reference(record)}
        SystemJournal(self._recorder).event(tx, "PII_CONSENT_EXPIRED", payload)

    def end_all(self, tx: Tx, journal: Journal, person: str, actor: str) -> None:
        """Revoke every consent of a person: whoever was erased starts anew."""
        for consent_id in self._of(tx, person):
            self._revoke(tx, journal, consent_id, person, actor)

    def of_person(self, tx: Tx, person: str, *, naming_damage: bool = False) -> list[dict[str, Any]]:
        """All consents of a person with their words; damaged ones are refused, or named in an export."""
        found = []
        for consent_id in self._of(tx, person):
            for number in range(self._latest(tx, consent_id) + 1):
                key = _record_key(consent_id, number)
                content = self._bound.record(tx, "consent", key)
                if content is None:
                    continue  # it was lost, and set aside
                words, damaged = self._words(tx, key, naming_damage)
                found.append(
                    {
                        "consent_id": content["consent_id"],
                        "scope": content["scope"],
                        "text": None if words is None else words.decode(),
                        "data_types": content.get("data_types"),
                        "purposes": content.get("purposes", [consent.STORE]),
                        "granted_at": content["granted_at"],
                        "expires_at": content["expires_at"],
                        "revoked_at": self._revoked_at(tx, key),
                        **({"damaged": ["text"]} if damaged else {}),
                    }
                )
        return sorted(found, key=lambda item: (item["granted_at"], item["consent_id"]))

    def _revoked_at(self, tx: Tx, key: str) -> str | None:
        named = self._bound.named(tx, "consent_revoke", key)
        if named is None:
            return None
        content = self._bound.content(tx, "consent_revoke", named) or named.payload
        return str(content.get("at", named.at))

    def _words(self, tx: Tx, key: str, naming_damage: bool) -> tuple[bytes | None, bool]:
        """The words of a consent, and whether they are damaged; erased by right they are neither."""
        try:
            words = self._vault.blob(tx, f"consent/{key}")
        except (Erased, IntegrityFailure):
            if not naming_damage:
                raise
            return None, True
        return words, naming_damage and words is None and tx.vault.blob(f"consent/{key}") is None

    def listed(self, user_id: str) -> list[dict[str, Any]]:
        """Return all consents of a user with their texts."""
        return self._world.store.read(lambda tx: self.of_person(tx, person_of(self._world.slots, tx, user_id)))

    # Asking

    def get(self, tx: Tx, consent_id: str) -> Consent | None:
        """The consent of this id as it was given last; `IntegrityFailure` where its row is another."""
        return self._given(tx, consent_id, self._latest(tx, consent_id))

    def _given(self, tx: Tx, consent_id: str, number: int) -> Consent | None:
        """A consent as it was given one time, as far as the ledger knows it."""
        key = _record_key(consent_id, number)
        named = self._bound.named(tx, "consent", key)
        content = None if named is None else self._bound.content(tx, "consent", named)
        if named is None or content is None:
            return None
        types = content.get("data_types")
        taken_back = self._bound.named(tx, "consent_revoke", key)
        return Consent(
            consent_id=consent_id,
            person=content["person"],
            scope=content["scope"],
            job_seed=content["job_seed"],
            expires_at=_instant(content["expires_at"]),
            given=_moment(named, content["granted_at"]),
            revoked=None if taken_back is None else _moment(taken_back, taken_back.payload.get("at", taken_back.at)),
            data_types=None if types is None else frozenset(types),
            purposes=frozenset(content.get("purposes", (consent.STORE,))),
        )

    def given_in_job(self, tx: Tx, person: str | None, job_seed: str, types: Collection[str] = ()) -> str | None:
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
            if consent.covers(held, person, job_seed, now, types) is Coverage.COVERED:
                return consent_id
        if damaged is not None:
            raise damaged
        return None

    def coverage(
        self,
        tx: Tx,
        consent_id: str | None,
        person: str | None,
        job_seed: str,
        types: Collection[str] = (),
        purpose: str = consent.STORE,
    ) -> Coverage:
        """Return what a consent covers for a person in a job."""
        if consent_id is None:
            return Coverage.NONE_GIVEN
        held = self.get(tx, consent_id)
        return consent.covers(held, person, job_seed, self._world.clock.now(), types, purpose)

    def admit(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> LetIn:
        """The gate of a write: pass with the consent on the record and return it, or raise with nothing stored."""
        types = _types(wanted.flags)
        consent_id = wanted.consent_id
        if consent_id is None:
            consent_id = self.given_in_job(tx, wanted.person, journal.job_seed, types)
        if consent_id is not None:
            tx.lock(f"consent/{consent_id}")  # who takes it back finds what it let in
        coverage = self.coverage(tx, consent_id, wanted.person, journal.job_seed, types)
        approved: dict[str, str] = {}
        if coverage is Coverage.COVERED and has_high(list(wanted.flags)):
            approved = self._approved(tx, wanted.person, wanted.key, wanted.content)
        ruling = consent.rule(_seen(wanted.flags), coverage, approved)
        if ruling is Ruling.APPROVAL_REQUIRED:
            error = blocked(wanted, PromotionNeeded)
            error.details["person"] = wanted.person
            if isinstance(error, PromotionNeeded):
                error.value_hash = self._value_hash(tx, str(wanted.person), wanted.key, wanted.content)
            raise error
        if ruling is not Ruling.ALLOW_BY_CONSENT or consent_id is None:
            raise blocked(wanted, consent=_told(coverage))
        used = sorted({approved[flag.pii_type] for flag in wanted.flags if flag.pii_type in approved})
        journal.event(tx, "PII_CONSENT", {"key": wanted.key, **self._use(consent_id, wanted.flags, used)})
        return LetIn(consent_id, self._latest(tx, consent_id), types)

    def stays(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> frozenset[str]:
        """The types of data that a person's consent lets stay in what is redacted otherwise; never of high data."""
        stay = frozenset[str]()
        for pii_type in _types(wanted.flags):  # each for itself: what is not covered takes nothing else with it
            coverage = self.coverage(tx, wanted.consent_id, wanted.person, journal.job_seed, (pii_type,))
            stay |= consent.may_stay([item for item in _seen(wanted.flags) if item.pii_type == pii_type], coverage)
        used = tuple(flag for flag in wanted.flags if flag.pii_type in stay)
        if used:
            journal.event(tx, "PII_CONSENT", {"key": wanted.key, **self._use(wanted.consent_id, used, [])})
        return stay

    def let_stay(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> LetIn | None:
        """The types that consent lets stay and the consent that does: the one that was named, else one of the job."""
        consent_id = wanted.consent_id
        if consent_id is None:
            consent_id = self.given_in_job(tx, wanted.person, journal.job_seed)
        if consent_id is None:
            return None
        tx.lock(f"consent/{consent_id}")  # who takes it back finds what it let in
        stay = self.stays(tx, journal, replace(wanted, consent_id=consent_id))
        return LetIn(consent_id, self._latest(tx, consent_id), tuple(sorted(stay))) if stay else None

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

    def covering(
        self, tx: Tx, consent_id: str | None, person: str | None, job_seed: str, types: Collection[str]
    ) -> dict[str, tuple[str, ...]]:
        """The types that consent covers, by consent: the one that was named, else those given in the job."""
        found: dict[str, tuple[str, ...]] = {}
        whole = None if consent_id is not None else self.given_in_job(tx, person, job_seed, types)
        for pii_type in sorted(types):
            used = consent_id or whole or self.given_in_job(tx, person, job_seed, (pii_type,))
            if used and self.coverage(tx, used, person, job_seed, (pii_type,)) is Coverage.COVERED:
                found[used] = (*found.get(used, ()), pii_type)
        return found

    @staticmethod
    def medium_types() -> frozenset[str]:
        """The types of data that consent alone can let in."""
        return frozenset(name for name, level in _sensitivity().items() if level == "medium")

    def may_be_sent(self, tx: Tx, consent_id: str | None, person: str | None, job_seed: str) -> frozenset[str]:
        """The types of data that a consent lets out of this process; what is high is never."""
        held = None if consent_id is None else self.get(tx, consent_id)
        now = self._world.clock.now()
        if held is None or consent.covers(held, person, job_seed, now, (), consent.PROCESS) is not Coverage.COVERED:
            return frozenset()
        medium = {name for name, sensitivity in _sensitivity().items() if sensitivity != consent.HIGH}
        return frozenset(medium if held.data_types is None else medium & held.data_types)

    def _approved(self, tx: Tx, person: str | None, key: str, content: bytes) -> dict[str, str]:
        """By type of data: the request that approved storing this value of this person under this key."""
        found: dict[str, str] = {}
        gone = self._erased_at(tx, str(person), key)
        wanted = self._value_hash(tx, str(person), key, content)
        for held in self._approvals.approved(tx, Kind.PROMOTION, f"promotion/{person}/{key}"):
            if held["created_at"] <= gone:
                continue  # it was about what has been erased since
            bound_to = held["details"].get("value_hash")
            first, stored_as = (None, None) if bound_to else self._first_stored(tx, key, held["request_id"], content)
            if consent.binds(bound_to, wanted, first, stored_as):
                found |= dict.fromkeys(held["details"]["pii_types"], held["request_id"])
        return found

    def _value_hash(self, tx: Tx, person: str, key: str, content: bytes) -> str:
        """What an approval binds: keyed by the person, so that it says nothing after an erasure."""
        return self._vault.person_hash(tx, person, canon.dumps(["promotion", key]) + content)

    def _first_stored(self, tx: Tx, key: str, request_id: str, content: bytes) -> tuple[str | None, str | None]:
        """The hash of the first value stored by an approval from before it bound one, and that of this value."""
        if key.count("/") != 3:
            return "", None  # of anything but a fact nobody can tell: it is asked for anew
        first = uses_of_approval(self._bound, tx, key, request_id)
        if first is None or tx.vault.key(f"fact/{key}") is None:
            return first, None
        return first, self._world.keys.keyed_hash(self._vault.open_key(tx, f"fact/{key}"), content)

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
        person, key = error.details.pop("person"), error.details["key"]
        held = self._promotion(tx, journal, person, key, flags, error.value_hash, by)
        return {**error.details, "request_id": held["request_id"]}

    def _promotion(
        self,
        tx: Tx,
        journal: Journal,
        person: str | None,
        key: str,
        flags: list[dict[str, str]],
        value_hash: str,
        by: str = "user",
    ) -> dict[str, Any]:
        high = sorted({flag["pii_type"] for flag in flags if flag["sensitivity"] == "high"})
        details = {"person": person, "key": key, "pii_types": high, "value_hash": value_hash}
        about = f"promotion/{person}/{key}"
        return self._approvals.open(tx, journal, Kind.PROMOTION, by, about, details, "memory_promote_request")

    # The verb of the stage 1 text

    def detect_and_handle(
        self,
        payload: Any,
        user_id: str | None = None,
        job_seed: str | None = None,
        consent_id: str | None = None,
        speaker: Speaker = OWNER,
    ) -> dict[str, Any]:
        """Look for personal data and say what may be done: `allowed`, `consent_required` or `redacted`.

        Nothing of the payload is stored. What comes back has every flagged piece cut out unless it is allowed. Hashes
        with a seed of the caller's choice are shown to the owner alone: span and seed are joined without a mark, so a
        part of somebody else's seed would do to test guesses.
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
        hidden = {} if job_seed is None or speaker.is_owner else {"pii_hash": None}

        def unit(tx: Tx) -> dict[str, Any]:
            person = None if user_id is None else person_of(self._world.slots, tx, user_id)
            journal.join_for(tx, person)
            if job_seed is not None:
                check_joining(tx, self._recorder, journal, person, speaker)
            if user_id is not None:
                person = enter_person(self._world.slots, tx, journal, user_id)
            types, content = _types(flags), canon.dumps(payload)
            named = self.given_in_job(tx, person, seed, types) if consent_id is None else consent_id
            coverage = self.coverage(tx, named, person, seed, types)
            is_high = coverage is Coverage.COVERED and has_high(list(flags))
            approved = self._approved(tx, person, "", content) if is_high else {}
            ruling = consent.rule(_seen(flags), coverage, approved)
            answer: dict[str, Any] = {
                "status": _STATUS[ruling],
                "job_seed": seed,
                "findings": [{**flag.payload(), **hidden} for flag in flags],
                "consent": _told(coverage),
                "request_id": None,
                "error_code": None,
                "user_message": None,
            }
            events = self._record(tx, journal, ruling, flags, named, approved)
            if ruling is Ruling.APPROVAL_REQUIRED:
                value_hash = self._value_hash(tx, str(person), "", content)
                held = self._promotion(tx, journal, person, "", [flag.payload() for flag in flags], value_hash)
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


def _sensitivity() -> Mapping[str, str]:
    """The types of data that are detected; imported when a consent is given or something is sent."""
    from mace.governance.detectors import SENSITIVITY

    return SENSITIVITY


def _record_key(consent_id: str, number: int) -> str:
    """The key of the record of a consent that is given for the first time (0) or again."""
    return f"{consent_id}/{number}" if number else consent_id


def _types(flags: Sequence[Flag]) -> tuple[str, ...]:
    return tuple(sorted({flag.pii_type for flag in flags}))


def _seen(flags: tuple[Flag, ...]) -> list[Seen]:
    return [Seen(flag.pii_type, flag.sensitivity) for flag in flags]


def _moment(named: Named, at: str) -> Moment:
    return Moment(parse_instant(at), named.position)


def _instant(text: str | datetime | None) -> datetime | None:
    if text is None:
        return None
    try:
        return parse_instant(text if isinstance(text, str) else text.isoformat())
    except (ValueError, AttributeError):
        raise InvalidInput("expires_at must be an ISO 8601 time with a time zone") from None
