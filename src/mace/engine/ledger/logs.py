"""The verbs of the reflective log: write once, read, amend, annotate; never change.

A log, and whatever is written beside it, belongs to the person it is about and is sealed under the key of its job.
Personal data that no consent covers is redacted in place, on the record, and the log is written. A payload that breaks
its schema is quarantined, sealed, before it is refused, and the refusal is on the ledger.
"""

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import (
    Erased,
    ImmutableFieldError,
    IntegrityFailure,
    InvalidInput,
    LogExistsError,
    LogInvalid,
    NotFound,
)
from mace.core.purposes import Purpose
from mace.core.reflective import IMMUTABLE_FIELDS
from mace.core.subjects import references, subject_of
from mace.core.times import iso_us
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import CUT, check_words, cleaned
from mace.engine.kernel.gate import ClosedGate, FlaggedWrite, Gate
from mace.engine.kernel.journal import Journal, SystemJournal, VerbJournal
from mace.engine.kernel.persons import enter_person
from mace.engine.kernel.privacy import Flag, flags_in_json, screen
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.beside_logs import BesideLogs, is_author
from mace.ledger import records, reflective
from mace.ledger.reflective import ERASED
from mace.storage.ports import Tx

MAX_GIVEN_BYTES = 8 * 1024 * 1024  # of a whole payload, before long texts become artifacts
MAX_GIVEN_VALUES = 10_000  # each is looked at for personal data
_KEY = "reflective_log"  # under which consent to what stays in a log is recorded
_MESSAGE = "Cannot modify immutable fields. Create an Amendment instead."


class LogVerbs:
    """Writes, reads, amends and annotates reflective logs."""

    def __init__(
        self, world: World, recorder: Recorder, vault: Vault, bound: Bound, gate: Callable[[], Gate] = ClosedGate
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._gate = gate
        self.beside = BesideLogs(world, vault, bound)

    def write_given(self, tx: Tx, payload: dict[str, Any], user_id: str | None, consent_id: str | None) -> str:
        """Store a valid payload that a program gave, about a person or nobody; return its id.

        What is personal and not covered by the person's consent becomes its redaction; high data always does.
        """
        journal = VerbJournal(self._recorder, "write_reflective_log")
        if tx.logs.get(payload["log_id"]) is not None:
            raise LogExistsError(f"reflective log {payload['log_id']} already exists")
        person = None if user_id is None else enter_person(self._world.slots, tx, journal, user_id)
        given = ((name, payload[name]) for name in reflective.GIVEN_FIELDS)
        words = {name: value for name, value in given if not reflective.is_identifier(value)}
        kept = self._screened(tx, journal, words, "", person, consent_id)
        return self._write(tx, journal, {**payload, **kept}, person, given=True)

    def _screened(
        self, tx: Tx, journal: Journal, value: Any, field: str, person: str | None, consent_id: str | None = None
    ) -> Any:
        """What may be kept of a value: each text above what consent covers becomes its redaction, and is flagged."""
        keys, seed = self._world.keys, journal.job_seed
        try:
            flags = flags_in_json(keys, value, field, seed)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"content must be JSON: {error}") from None
        if not flags:
            return value
        wanted = FlaggedWrite(key=_KEY, person=person, flags=tuple(flags), consent_id=consent_id)
        stay = self._gate().stays(tx, journal, wanted)
        clean, _ = cleaned(keys, value, field, seed, stay)
        for flag in flags:
            if flag.pii_type not in stay:
                journal.event(tx, "PII_FLAGGED", flag.payload())
        return clean

    def write(self, tx: Tx, journal: Journal, payload: dict[str, Any], person: str | None = None) -> str:
        """Store the log of a job under the job's key and put its hash on the ledger; return its id."""
        return self._write(tx, journal, payload, person, given=False)

    def _write(self, tx: Tx, journal: Journal, payload: dict[str, Any], person: str | None, *, given: bool) -> str:
        prepared = self._with_artifacts(tx, journal.stream, payload, person)
        log_id: str = prepared["log_id"]
        if tx.logs.get(log_id) is not None:
            raise LogExistsError(f"reflective log {log_id} already exists")
        key_ref = f"job/{journal.stream}"

        key = self._vault.data_key(tx, key_ref, person)

        def seal(field: str, plain: bytes) -> tuple[str, bytes]:
            return key_ref, self._world.keys.seal(key, plain, f"log/{log_id}/{field}")

        columns, digest = reflective.to_columns(prepared, seal, self._world.keys.sign, given=given)
        tx.logs.add(columns)
        reference = {"kind": "reflective_log", "key": log_id, "hash": digest}
        journal.event(tx, "REFLECTIVE_LOG_WRITTEN", {"log_id": log_id, "record": reference})
        return log_id

    def _with_artifacts(self, tx: Tx, stream: str, payload: dict[str, Any], person: str | None) -> dict[str, Any]:
        """Move agent texts beyond the limit into sealed artifacts; the log keeps their beginning and where they lie."""
        outputs = []
        for output in payload["agent_outputs"]:
            text = output["text"]
            if isinstance(text, str) and len(text) > reflective.MAX_TEXT_CHARS:
                ref = f"artifact/{stream}/{canon.sha256_hex(text)}"
                self._vault.put_blob(tx, ref, f"job/{stream}", person, text.encode())
                output = {**output, "text": text[: reflective.MAX_TEXT_CHARS], "artifact_url": f"mace:{ref}"}
            outputs.append(output)
        return {**payload, "agent_outputs": outputs}

    def problems(self, payload: Any) -> list[str]:
        """What is wrong with a payload, over-long agent texts aside: those become artifacts.

        One that is too large to be looked at, or kept, raises `InvalidInput`.
        """
        _as_bytes(payload)
        if not isinstance(payload, dict):
            return ["the payload must be an object"]
        outputs = payload.get("agent_outputs")
        cut = payload
        if isinstance(outputs, list):
            shortened = [
                {**item, "text": item["text"][: reflective.MAX_TEXT_CHARS]}
                if isinstance(item, dict) and isinstance(item.get("text"), str)
                else item
                for item in outputs
            ]
            cut = {**payload, "agent_outputs": shortened}
        found = reflective.problems_of(cut)
        if not found and payload.get("signature") is not None:
            found = self._signature_problem(payload)
        return found

    def _signature_problem(self, payload: dict[str, Any]) -> list[str]:
        """An incoming signature is over the canonical immutable fields as given."""
        subject = {name: payload[name] for name in IMMUTABLE_FIELDS if name != "signature"}
        digest = sha256(canon.dumps(subject)).digest()
        given = payload["signature"]
        good = isinstance(given, str) and self._world.keys.check(Purpose.LOG, digest, given)
        return [] if good else ["the signature does not fit the payload"]

    def _quarantine_id(self, tx: Tx, plain: bytes) -> str:
        """Not to be guessed, and the same for the same payload."""
        older = self._world.keys.older_tag(plain)
        if older is not None:
            held = seeds.derived_uuid("quarantine", older)
            if tx.records.get("quarantine", held) is not None:
                return held
        return seeds.derived_uuid("quarantine", self._world.keys.tag("quarantine", plain))

    def _quarantine_id_of(self, tx: Tx, plain: bytes, person: str) -> str:
        """The same for the same payload of the same person, and telling nothing once they are erased."""
        return seeds.derived_uuid("quarantine", self._vault.person_hash(tx, person, b"quarantine/" + plain))

    def _for_quarantine(self, given: bytes, job_seed: str) -> tuple[bytes, tuple[Flag, ...]]:
        """A refused payload as it may be kept, and what was cut; one that is no JSON is the text it is."""
        try:
            value = canon.loads(given)
        except ValueError:
            passed = screen(self._world.keys, given.decode("utf-8", "replace"), job_seed)
            return passed.value.encode(), passed.flags
        passed = screen(self._world.keys, value, job_seed)
        return canon.dumps(passed.value), passed.flags

    def quarantine(self, tx: Tx, payload: Any, problems: list[str], user_id: str | None = None) -> LogInvalid:
        """Keep a refused payload, redacted and sealed, for somebody to look at; return the refusal to raise.

        It belongs to whom the log is about, as the log would.
        """
        plain, flags = self._for_quarantine(_as_bytes(payload), self._recorder.system(tx).job_seed)
        person = None
        if user_id is not None:
            person = enter_person(self._world.slots, tx, SystemJournal(self._recorder), user_id)
        quarantine_id = self._quarantine_id(tx, plain) if person is None else self._quarantine_id_of(tx, plain, person)
        tx.lock(f"quarantine/{quarantine_id}")
        if not self._bound.happened(tx, "quarantine", quarantine_id):
            ref = f"quarantine/{quarantine_id}"
            self._vault.put_blob(tx, ref, ref, person, plain)  # under a key of its own: it can be purged
            record = records.make(
                "quarantine",
                quarantine_id,
                {
                    "quarantine_id": quarantine_id,
                    "what": "reflective_log",
                    "problems": problems,
                    "blob": ref,
                    "at": iso_us(self._world.clock.now()),
                    **({} if person is None else {"person": person}),
                },
                self._world.keys.sign,
                parent=person or "",
            )
            self._bound.add(tx, record)
            origin = self._recorder.system(tx)
            payload_of_event = {
                "quarantine_id": quarantine_id,
                "problems": problems,
                "record": records.reference(record),
            }
            for flag in flags:
                self._recorder.append(tx, origin, "PII_FLAGGED", flag.payload())
            self._recorder.append(tx, origin, "LOG_QUARANTINED", payload_of_event)
            self._recorder.append(tx, origin, "ADMIN_ALERT", {"about": "LOG_INVALID", "quarantine_id": quarantine_id})
        return LogInvalid("; ".join(problems), quarantine_id)

    def shown(self, tx: Tx, log_id: str) -> dict[str, Any]:
        """A log as everybody may see it: each text with personal data in it became its hash, its reason and its type.

        What was written with consent is only read as it is by an admin, on the record (`read_log_unredacted`).
        """
        record = self.read(tx, log_id)
        seed = self._seed_of(tx, log_id)
        for name in reflective.sealed_fields(tx.logs.get(log_id) or {}):
            if record[name] != ERASED and not reflective.is_identifier(record[name]):
                record[name], _ = cleaned(self._world.keys, record[name], "", seed)
        return {**record, "job_id": self.job_of(tx, log_id)}

    def recent(self, tx: Tx, limit: int) -> list[dict[str, Any]]:
        """The newest logs as everybody may see them; what is damaged is left out, and `left_out` counts it.

        Where nothing else is left that is an `IntegrityFailure`: an empty list would say that there never was any.
        """
        found = []
        for columns in tx.logs.recent(limit):
            with suppress(IntegrityFailure, NotFound):
                found.append(self.shown(tx, columns["log_id"]))
        if not found and (damaged := self.left_out(tx, limit)):
            raise IntegrityFailure(f"{damaged} reflective log(s) are not what was signed, no other is left; run verify")
        return found

    def left_out(self, tx: Tx, limit: int) -> int:
        """How many of the newest logs `recent` leaves out: rows that are not what was signed, and those that are gone.

        The newest are those that events name, whatever became of their rows.
        """
        damaged = {columns["log_id"] for columns in tx.logs.recent(limit) if not self._is_whole(tx, columns["log_id"])}
        return len(damaged | self.gone(tx, limit))

    def gone(self, tx: Tx, limit: int) -> set[str]:
        """Which logs, of those that the newest events name, are not what was written, or not there at all."""
        damaged = set()
        for event in tx.events.of_type("REFLECTIVE_LOG_WRITTEN", limit):
            try:
                log_id = canon.loads(event.body)["payload"]["log_id"]
            except (ValueError, LookupError, TypeError):
                continue  # no event at all, which is a finding
            if not self._is_whole(tx, log_id):
                damaged.add(log_id)
        return damaged

    def _is_whole(self, tx: Tx, log_id: str) -> bool:
        try:
            self.read(tx, log_id)
        except (IntegrityFailure, NotFound):
            return False
        return True

    def key_of(self, tx: Tx, log_id: str) -> str:
        """The key that a log is sealed under; `NotFound` or `IntegrityFailure` where it is not what was written."""
        return str(canon.loads(self._columns(tx, log_id)["final_answer"])["key"])

    @staticmethod
    def _seed_of(tx: Tx, log_id: str) -> str:
        """The seed of the job that a log was written in."""
        first = tx.events.at(LogVerbs.job_of(tx, log_id), 0)
        return "" if first is None else str(canon.loads(first.body)["job_seed"])

    @staticmethod
    def job_of(tx: Tx, log_id: str) -> str:
        """The id of the job that a log was written in; its sealed fields name the job by their key."""
        columns = tx.logs.get(log_id) or {}
        return str(canon.loads(columns["final_answer"])["key"]).removeprefix("job/")

    def read(self, tx: Tx, log_id: str) -> dict[str, Any]:
        """A log as it was written; whoever calls this has asked whether it may be seen."""
        columns = self._columns(tx, log_id)

        def unseal(field: str, key_ref: str, sealed: bytes) -> bytes | None:
            return self._vault.unseal(tx, key_ref, sealed, f"log/{log_id}/{field}")

        try:
            record = reflective.from_columns(columns, unseal)
        except (Erased, ValueError, LookupError, TypeError):  # not what was written: it cannot even be read
            raise IntegrityFailure(f"reflective log {log_id} was changed; run verify") from None
        record["amendments"] = [amendment["amendment_id"] for amendment in self.amendments(tx, log_id)]
        for name in reflective.APPENDABLE_FIELDS:
            record[name] = [content["value"] for content in self.beside.all(tx, name, log_id)]
        return record

    def _columns(self, tx: Tx, log_id: str) -> dict[str, Any]:
        """The row of a log, if it is what its event names; else `IntegrityFailure`, or `NotFound` without an event."""
        columns = tx.logs.get(log_id)
        named = self._bound.named(tx, "reflective_log", log_id)
        if columns is None:
            if named is None:
                raise NotFound(what=f"reflective log {log_id}")
            raise IntegrityFailure(f"reflective log {log_id} is gone; run verify")
        try:
            digest = sha256(reflective.signed_bytes(columns)).hexdigest()
        except (ValueError, LookupError, TypeError):
            digest = ""
        # An event that lost its signature, and was set aside, still names what it named: the content is that.
        hashes = [named.hash] if named is not None else self._named_unsigned(tx, log_id)
        if not hashes:
            raise NotFound(what=f"reflective log {log_id}")  # nobody wrote that row
        if digest not in hashes:
            raise IntegrityFailure(f"reflective log {log_id} was changed; run verify")
        return columns

    @staticmethod
    def _named_unsigned(tx: Tx, log_id: str) -> list[str]:
        subject = subject_of("reflective_log", log_id)
        bodies = [event.body for event in tx.events.about(subject) if sha256(event.body).digest() == event.hash]
        held = [found for body in bodies for found in references(canon.loads(body)["payload"])]
        return [found["hash"] for found in held if subject_of(found["kind"], found["key"]) == subject]

    def annotate(self, tx: Tx, log_id: str, patch: dict[str, Any]) -> dict[str, Any]:
        """Append feedback, labels and tags; anything else is refused."""
        if not isinstance(patch, dict) or not patch:
            raise InvalidInput("patch must be a non-empty object")
        if set(patch) & set(IMMUTABLE_FIELDS):
            raise ImmutableFieldError(_MESSAGE)
        unknown = sorted(map(str, set(patch) - set(reflective.APPENDABLE_FIELDS)))
        if unknown:
            fields = ", ".join(reflective.APPENDABLE_FIELDS)
            raise InvalidInput(f"patch has {len(unknown)} other field(s); only {fields} can be appended")
        key_ref, person = self._hold(tx, log_id)
        journal = VerbJournal(self._recorder, "update_reflective_log")
        for name in sorted(patch):
            value = self._screened(tx, journal, patch[name], name, person)
            content = {"value": value, "at": iso_us(self._world.clock.now())}
            record = self.beside.add(tx, name, log_id, key_ref, content)
            said = {"log_id": log_id, "field": name, "record": records.reference(record)}
            journal.event(tx, "LOG_ANNOTATED", said)
        return self.shown(tx, log_id)

    def amend(self, tx: Tx, log_id: str, author: str, changes: Any, effect: str) -> dict[str, Any]:
        """Write a correction beside the log it corrects; the log itself stays as it is."""
        if effect not in reflective.EFFECTS:
            raise InvalidInput(f"effect must be one of {', '.join(reflective.EFFECTS)}")
        check_words(author, "author", 64)
        if not is_author(author):
            raise InvalidInput("author must be an id of 1 to 64 letters, digits, '_', '.', ':' and '-', not a name")
        key_ref, person = self._hold(tx, log_id)
        journal = VerbJournal(self._recorder, "amend")
        amendment = {
            "amendment_id": seeds.derived_uuid("amendment", self.beside.next_key(tx, "amendment", log_id)),
            "target_log_id": log_id,
            "created_at": iso_us(self._world.clock.now()),
            "author": author,
            "changes": self._screened(tx, journal, changes, "changes", person),
            "effect": effect,
        }
        record = self.beside.add(tx, "amendment", log_id, key_ref, amendment)
        said = {"log_id": log_id, "amendment_id": amendment["amendment_id"], "record": records.reference(record)}
        journal.event(tx, "AMENDMENT_WRITTEN", said, author)
        return amendment

    def must_be_there(self, tx: Tx, log_id: str) -> None:
        """Raise `NotFound` unless the log exists, and `IntegrityFailure` where it is not what was written."""
        self._columns(tx, log_id)

    def _hold(self, tx: Tx, log_id: str) -> tuple[str, str | None]:
        """The key of a log and whose it is; what is written beside a log is numbered, so one writes at a time."""
        key_ref = self.key_of(tx, log_id)
        tx.lock(f"log/{log_id}")
        held = tx.vault.key(key_ref)
        return key_ref, None if held is None else held[0].removeprefix("person/") or None

    def amendments(self, tx: Tx, log_id: str) -> list[dict[str, Any]]:
        """Return the amendments of a log, oldest first."""
        return self.beside.all(tx, "amendment", log_id)

    def quarantine_shown(self, tx: Tx, quarantine_id: str) -> dict[str, Any]:
        """A quarantine entry as everybody may see it; what is personal in it is redacted."""
        entry = self.quarantined(tx, quarantine_id)
        try:
            entry["payload"], _ = cleaned(self._world.keys, entry["payload"], "", quarantine_id)
        except (TypeError, ValueError):  # nothing that the detectors can read: only an admin sees it
            entry["payload"] = CUT
        return entry

    def quarantined(self, tx: Tx, quarantine_id: str) -> dict[str, Any]:
        """Return a quarantine entry with what was quarantined, as it was found."""
        entry = self._bound.record(tx, "quarantine", quarantine_id)
        if entry is None:
            raise NotFound(what=f"quarantine entry {quarantine_id}")
        plain = self._vault.blob(tx, entry["blob"]) if entry.get("blob") else None
        try:
            entry["payload"] = None if plain is None else canon.loads(plain)
        except ValueError:
            entry["payload"] = plain.decode("utf-8", "replace") if plain else None
        return entry


def _as_bytes(payload: Any) -> bytes:
    """A payload as it is kept in quarantine; `InvalidInput` for one that is not taken at all."""
    if canon.nests_deeper(payload, canon.MAX_NESTING):
        raise InvalidInput(f"payload must not be nested deeper than {canon.MAX_NESTING}")
    try:
        plain = canon.dumps(payload)
    except canon.NotCanonical:
        plain = repr(payload).encode("utf-8", "replace")
    if len(plain) > MAX_GIVEN_BYTES:
        raise InvalidInput(f"payload has {len(plain)} bytes, at most {MAX_GIVEN_BYTES} are allowed")
    if plain.count(b",") >= MAX_GIVEN_VALUES and canon.values_in(payload) > MAX_GIVEN_VALUES:
        raise InvalidInput(f"payload has more than {MAX_GIVEN_VALUES} values")
    return plain
