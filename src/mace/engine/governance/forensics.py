"""The forensic store and what goes into it: evidence of violations, keys of the erased.

An entry is sealed to a public key whose private half is elsewhere, and again under a vault key of its own, so that a
purge can destroy it although rows stay. Every look inside is an `admin_access_event`, written before anything is shown.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from mace.agents import health
from mace.core import canon, seeds
from mace.core.errors import InvalidInput, NotFound, PreconditionFailed, ServiceUnavailable, StorageFull
from mace.core.times import iso_us, to_ms
from mace.engine.governance.approvals import Approvals
from mace.engine.governance.asked import quarantined_with
from mace.engine.governance.consents import Consents
from mace.engine.kernel import evidence
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import check_words, is_personal
from mace.engine.kernel.gate import FlaggedWrite, PromotionNeeded, Stands
from mace.engine.kernel.joining import OWNER, Speaker, check_joining
from mace.engine.kernel.journal import Journal, SystemJournal, VerbJournal
from mace.engine.kernel.let_in import LetIn
from mace.engine.kernel.module_health import HEALTH, read_health, write_health
from mace.engine.kernel.privacy import screen
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.incidents import Incidents
from mace.governance import incidents as severities
from mace.governance.approvals import Kind
from mace.ledger import records
from mace.providers.ports import Box
from mace.storage.ports import Tx

_AGENT_PREFIX = "agent:"
_MODULE = re.compile(r"agent:([A-Za-z0-9_]{1,64})")


class Forensics:
    """The forensic store: seals evidence and keys of erasures to a public key, and records every read."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault, bound: Bound, box: Box) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._box = box

    def set_key(self, public: str, by: str) -> dict[str, Any]:
        """Name the public key that entries are sealed to from now on; earlier ones stay with theirs."""
        self._box.check_public(public)

        def unit(tx: Tx) -> dict[str, Any]:
            number = self._bound.next_number(tx, "forensic_key")
            content = {"public_key": public.strip(), "number": number, "by": by, "at": self._now()}
            record = records.make("forensic_key", f"{number:08d}", content, self._world.keys.sign)
            self._bound.add(tx, record)
            said = {"number": number, "public_key": content["public_key"]}
            self._note(tx, "FORENSIC_KEY_SET", {**said, "record": records.reference(record)}, by)
            return content

        return self._world.store.write(unit)

    def public_key(self, tx: Tx) -> tuple[int, str] | None:
        """The key in use; a row that is not what its event names stops everything rather than sealing to a stranger."""
        held = self._bound.names(tx, "forensic_key")
        if not held:
            return None
        content = self._bound.content(tx, "forensic_key", held[-1]) or held[-1].payload
        if "public_key" not in content:
            raise PreconditionFailed("the forensic key was lost; set it again (mace admin forensic-key)")
        return content["number"], content["public_key"]

    def put_evidence(self, tx: Tx, journal: Journal, about: str, kept: dict[str, Any], jobs: Sequence[str] = ()) -> str:
        """Keep evidence as the gate lets it pass: what is personal in it is cut out and flagged.

        It belongs to the people whose jobs it is about: that of the journal, and these.
        """
        people = self._whose(tx, [journal.stream, *jobs])
        passed = screen(self._world.keys, kept, journal.job_seed)
        for flag in passed.flags:
            journal.event(tx, "PII_FLAGGED", flag.payload())
        return self.put(tx, journal, "evidence", about, canon.dumps(passed.value), people)

    def _whose(self, tx: Tx, streams: Sequence[str]) -> list[str]:
        """The people whose words lie in these streams; those who were erased have no key left to keep it under."""
        found = {person for stream in streams if (person := self._recorder.jobs.speaks(tx, stream))}
        return sorted(person for person in found if tx.vault.key(f"person/{person}") is not None)

    def put(self, tx: Tx, journal: Journal, kind: str, about: str, plain: bytes, people: Sequence[str] = ()) -> str:
        """Keep something; without a forensic key it is sealed under this node's keys alone, and says so."""
        entry_id = self._fresh_id(tx, kind, about)
        ref = f"forensic/{entry_id}"
        key = self.public_key(tx)
        sealed = plain if key is None else self._box.seal(key[1], plain, ref)
        sealed = evidence.seal_for(tx, self._vault, entry_id, people, sealed)
        self._vault.put_blob(tx, ref, ref, None, sealed)
        content = {
            "entry_id": entry_id,
            "kind": kind,
            "about": about,
            "forensic_key": None if key is None else key[0],
            "sealed_sha256": sha256(sealed).hexdigest(),
            "at": self._now(),
            **({"people": [*people]} if people else {}),
        }
        record = records.make("forensic_entry", entry_id, content, self._world.keys.sign, parent=about)
        self._bound.add(tx, record)
        payload = {"entry_id": entry_id, "kind": kind, "record": records.reference(record)}
        journal.event(tx, "FORENSIC_STORED", payload)
        return entry_id

    def _fresh_id(self, tx: Tx, kind: str, about: str) -> str:
        """An id that neither an event nor a row has taken."""
        number = len(tx.records.children("forensic_entry", about))
        while True:
            entry_id = seeds.derived_uuid("forensic", f"{kind}/{about}/{number}")
            taken = tx.records.get("forensic_entry", entry_id) is not None
            if not taken and not self._bound.happened(tx, "forensic_entry", entry_id):
                return entry_id
            number += 1

    def entries(self) -> list[dict[str, Any]]:
        """What the store holds: names and times, not contents."""

        def look(tx: Tx) -> list[dict[str, Any]]:
            found = [content for _, content in self._bound.intact(tx, "forensic_entry")]
            shown = [{**item, "purged": self._purged(tx, item["entry_id"])} for item in found]
            return sorted(shown, key=lambda item: (item["at"], item["entry_id"]))

        return self._world.store.read(look)

    def left_out(self) -> int:
        """How many entries `entries` leaves out because their rows are not what was signed."""

        def look(tx: Tx) -> int:
            named, unread = self._bound.counted_names(tx, "forensic_entry")
            return unread + sum(self._bound.if_intact(tx, "forensic_entry", item) is None for item in named)

        return self._world.store.read(look)

    def read(
        self,
        entry_id: str,
        private_key: str | None,
        by: str,
        *,
        purpose: str,
    ) -> Any:
        """Show an entry. The private key is used and forgotten."""
        self.check_purpose(purpose)
        return canon.loads(self.take_out(entry_id, private_key, by, purpose))

    def take_out(self, entry_id: str, private_key: str | None, by: str, purpose: str) -> bytes:
        """Return the content of an entry; that somebody tried is on the record before the key is."""

        def unit(tx: Tx) -> tuple[bytes | None, int | None]:
            content = self._bound.record(tx, "forensic_entry", entry_id)
            if content is None:
                raise NotFound(what=f"forensic entry {entry_id}")
            self.accessed(tx, by, "forensic_entry", entry_id, purpose)
            sealed = None if self._purged(tx, entry_id) else evidence.opened(tx, self._vault, content)
            return sealed, content["forensic_key"]

        sealed, number = self._world.store.write(unit)
        if sealed is None:
            raise PreconditionFailed("the entry was purged, used up by a restore, or erased with a person it is about")
        if number is None:
            return sealed
        if private_key is None:
            raise InvalidInput("private_key is required: the entry is sealed with the forensic key")
        return self._box.unseal(private_key, sealed, f"forensic/{entry_id}")

    def purge(self, tx: Tx, journal: Journal, entry_id: str, by: str, *, restored: str | None = None) -> None:
        """Destroy an entry: its outer key goes, and with it everything, whoever has the forensic key.

        `restored` is the erasure whose keys it had, where a restore has brought them back and used the entry up.
        """
        if not self._bound.happened(tx, "forensic_entry", entry_id):
            raise NotFound(what=f"forensic entry {entry_id}")
        if self._purged(tx, entry_id):
            raise PreconditionFailed("the entry has already been purged")
        tx.vault.drop_key(f"forensic/{entry_id}")
        because = {} if restored is None else {"restored": restored}
        content = {"entry_id": entry_id, "by": by, "at": self._now(), **because}
        record = records.make("forensic_purge", entry_id, content, self._world.keys.sign, parent=entry_id)
        self._bound.add(tx, record)
        payload = {"entry_id": entry_id, **because, "record": records.reference(record)}
        journal.event(tx, "FORENSIC_PURGED", payload, by)

    def _purged(self, tx: Tx, entry_id: str) -> bool:
        return self._bound.happened(tx, "forensic_purge", entry_id)

    def to_purge(self, tx: Tx, entry_id: str) -> dict[str, Any] | None:
        """What a request to purge an entry, or something quarantined, is about; None where there is neither."""
        entry = self._bound.record(tx, "forensic_entry", entry_id)
        if entry is not None:
            if self._purged(tx, entry_id):
                raise PreconditionFailed("nothing to purge: this forensic entry was already purged")
            of_erasure = {"dsr_id": entry["about"]} if entry["kind"] == "erased_keys" else {}
            return {"action": "purge", **of_erasure, "forensic_id": entry_id, **_about(entry.get("people", ()))}
        quarantined = self._bound.record(tx, "quarantine", entry_id)
        if quarantined is not None:
            self._key_of_quarantined(tx, entry_id)
            whose = [quarantined["person"]] if "person" in quarantined else []
            return {"action": "purge", "quarantine_id": entry_id, **_about(whose)}
        return None

    def _key_of_quarantined(self, tx: Tx, quarantine_id: str) -> str:
        held = tx.vault.blob(f"quarantine/{quarantine_id}")
        if held is None:
            raise PreconditionFailed("nothing to purge: no payload of this quarantine entry was kept")
        if self._bound.happened(tx, "quarantine_purge", held[0]):
            raise PreconditionFailed("nothing to purge: the payload of this quarantine entry was already purged")
        return held[0]

    def purge_quarantined(self, tx: Tx, journal: Journal, quarantine_id: str, by: str) -> None:
        """Destroy what was quarantined; reasons and times stay. What older versions kept shares a key, and goes too."""
        key_ref = self._key_of_quarantined(tx, quarantine_id)
        together = quarantined_with(tx, self._bound, quarantine_id)
        tx.vault.drop_key(key_ref)
        content = {"key_ref": key_ref, "quarantine_ids": together, "by": by, "at": self._now()}
        record = records.make("quarantine_purge", key_ref, content, self._world.keys.sign, parent=quarantine_id)
        self._bound.add(tx, record)
        payload = {"quarantine_id": quarantine_id, "payloads": len(together), "record": records.reference(record)}
        journal.event(tx, "QUARANTINE_PURGED", payload, by)

    @staticmethod
    def check_purpose(purpose: str) -> None:
        """Raise `InvalidInput` unless a purpose may be stored unencrypted on the ledger."""
        check_words(purpose, "purpose", 256)

    def accessed(self, tx: Tx, actor: str, what: str, which: str, purpose: str) -> None:
        """Put an access on the record, with its purpose, before anything is shown."""
        self.check_purpose(purpose)
        payload = {"actor": actor, "what": what, "which": which, "purpose": purpose}
        self._note(tx, "admin_access_event", payload, actor)

    def _note(self, tx: Tx, event_type: str, payload: dict[str, Any], by: str) -> None:
        SystemJournal(self._recorder).event(tx, event_type, payload, by)

    def _now(self) -> str:
        return iso_us(self._world.clock.now())


def _about(people: Sequence[str]) -> dict[str, Any]:
    """How a request names whom it is about: one person, or several."""
    return {} if not people else {"person": people[0]} if len(people) == 1 else {"people": [*people]}


class Violations:
    """Modules that broke the policy: offline at once, their writes blocked, the evidence kept; quarantine by vote."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        bound: Bound,
        incidents: Incidents,
        forensics: Forensics,
        approvals: Approvals,
        knows: Callable[[Tx, str], bool],
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._bound = bound
        self._incidents = incidents
        self._forensics = forensics
        self._approvals = approvals
        self._knows = knows  # whether there is such a module

    def report(
        self,
        module_id: str,
        rule: str,
        evidence: dict[str, Any] | None = None,
        job_seed: str | None = None,
        speaker: Speaker = OWNER,
    ) -> dict[str, Any]:
        """Put a violation on the record and take the module offline. `rule` names what was broken, never the data."""
        check_words(module_id, "module_id", 64)
        check_words(rule, "rule", 200)
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        journal = VerbJournal(self._recorder, "policy_violation", seed)

        def unit(tx: Tx) -> dict[str, Any]:
            if job_seed is not None and not speaker.is_owner:  # into a person's job the owner alone puts evidence
                check_joining(tx, self._recorder, journal, None, speaker)
            seen = health.Violated(module_id=module_id, at_ms=to_ms(self._world.clock.now()), rule=rule)
            module = self._observe(tx, journal, seen)
            kept = {"module_id": module_id, "rule": rule, "evidence": evidence or {}, "stream": journal.stream}
            entry_id = self._forensics.put_evidence(tx, journal, module_id, kept)
            incident_id = self._incidents.open(
                tx,
                kind="POLICY_VIOLATION",
                severity=severities.severity("POLICY_VIOLATION"),
                summary=f"{module_id} broke {rule}",
                about=[entry_id],
                halts=[],
            )
            return {"module": module, "incident_id": incident_id, "evidence_id": entry_id, "job_seed": seed}

        return self._world.store.write(unit)

    def _observe(self, tx: Tx, journal: Journal, seen: health.Observation, by: str = "system") -> dict[str, Any]:
        tx.lock(HEALTH)
        before = read_health(tx, self._bound)
        state, events = health.observe(before, seen)
        for event in events:
            journal.event(tx, event.event_type, dict(event.payload), by)
        if state != before or events:
            write_health(tx, self._recorder, state)
        return state.of(seen.module_id).to_json()

    def may_write(self, tx: Tx, source: str) -> bool:
        """Return whether a source may write; modules reported for a violation may not."""
        module_id = source.removeprefix(_AGENT_PREFIX)
        return module_id == source or health.may_write(read_health(tx, self._bound), module_id)

    def forbidden(self, source: str, action: str) -> None:
        """A module tried what no module may; people and the runtime are refused, but are no modules."""
        said = _MODULE.fullmatch(source) if isinstance(source, str) else None
        if said is not None and not is_personal(source):
            with suppress(StorageFull, ServiceUnavailable):  # the refusal itself stands either way
                self.report(said[1], action, {"source": source, "action": action})

    def request_quarantine(self, module_id: str, by: str) -> dict[str, Any]:
        """Ask for a module to be quarantined; it never is without a vote."""
        return self._ask(Kind.QUARANTINE, module_id, by)

    def request_release(self, module_id: str, by: str) -> dict[str, Any]:
        """Ask for a module to be let out of quarantine."""
        return self._ask(Kind.RELEASE, module_id, by)

    def _ask(self, kind: Kind, module_id: str, by: str) -> dict[str, Any]:
        check_words(module_id, "a module's name", 64)
        if not self._world.store.read(lambda tx: self._knows(tx, module_id)):
            raise NotFound(what="a module of this name")
        details = {"module_id": module_id}
        return self._approvals.request(kind, f"{kind}/{module_id}", details, by)

    def quarantine(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Carry out an approved quarantine."""
        seen = health.Quarantined(
            module_id=held["details"]["module_id"],
            at_ms=to_ms(self._world.clock.now()),
            actor=by,
            approval_id=held["request_id"],
        )
        return {"module": self._observe(tx, journal, seen, by)}

    def release(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Carry out an approved release."""
        seen = health.Recovered(
            module_id=held["details"]["module_id"],
            at_ms=to_ms(self._world.clock.now()),
            actor=by,
            approval_id=held["request_id"],
        )
        return {"module": self._observe(tx, journal, seen, by)}


class WriteGate:
    """What every write passes: consent for what is personal, and standing for who writes."""

    def __init__(self, consents: Consents, violations: Violations) -> None:
        self._consents = consents
        self._violations = violations

    def admit(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> LetIn:
        """Admit a flagged write and return the consent it was let in by, or raise `Blocked`."""
        return self._consents.admit(tx, journal, wanted)

    def stands(self, tx: Tx, person: str, let_in: LetIn) -> Stands:
        """Return whether what a consent let in may still be served."""
        return self._consents.stands(tx, person, let_in)

    def stays(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> frozenset[str]:
        """The types of data that consent lets stay."""
        return self._consents.stays(tx, journal, wanted)

    def let_stay(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> LetIn | None:
        """The types of data that consent lets stay, and that consent."""
        return self._consents.let_stay(tx, journal, wanted)

    def ask_approval(self, tx: Tx, journal: Journal, error: PromotionNeeded) -> dict[str, Any]:
        """Open the approval request that a write of sensitive data needs."""
        return self._consents.ask_approval(tx, journal, error)

    def may_write(self, tx: Tx, source: str) -> bool:
        """Return whether a source may write at all."""
        return self._violations.may_write(tx, source)

    def forbidden(self, source: str, action: str) -> None:
        """Report a module that tried a forbidden action."""
        self._violations.forbidden(source, action)
