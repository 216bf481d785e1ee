"""The verbs of the reflective log: write once, read, amend, annotate; never change.

A payload that breaks its schema is quarantined, sealed, before it is refused, and the refusal is on the ledger.
"""

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
from mace.core.events import Origin
from mace.core.reflective import IMMUTABLE_FIELDS
from mace.core.times import iso_us
from mace.engine.kernel.cleaning import CUT, check_words, cleaned
from mace.engine.kernel.journal import Journal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.ledger import records, reflective
from mace.storage.ports import Record, Tx

_ERASED = {"redaction_reason": "ERASED"}
_MESSAGE = "Cannot modify immutable fields. Create an Amendment instead."


class LogVerbs:
    """Writes, reads, amends and annotates reflective logs."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault

    def write(self, tx: Tx, journal: Journal, payload: dict[str, Any], person: str | None = None) -> str:
        """Store a valid payload under the job's key and put its hash on the ledger; return its id."""
        prepared = self._with_artifacts(tx, journal.stream, payload, person)
        log_id: str = prepared["log_id"]
        if tx.logs.get(log_id) is not None:
            raise LogExistsError(f"reflective log {log_id} already exists")
        key_ref = f"job/{journal.stream}"

        def seal(field: str, plain: bytes) -> tuple[str, bytes]:
            return key_ref, self._vault.seal(tx, key_ref, person, plain, f"log/{log_id}/{field}")

        columns = reflective.to_columns(prepared, seal, self._world.keys.sign)
        tx.logs.add(columns)
        digest = sha256(reflective.signed_bytes(columns)).hexdigest()
        reference = {"kind": "reflective_log", "key": log_id, "hash": digest}
        journal.event(tx, "REFLECTIVE_LOG_WRITTEN", {"log_id": log_id, "record": reference})
        return log_id

    def _with_artifacts(self, tx: Tx, stream: str, payload: dict[str, Any], person: str | None) -> dict[str, Any]:
        """Move agent texts beyond the limit into sealed artifacts; the log keeps their beginning and where they lie."""
        outputs = []
        for output in payload["agent_outputs"]:
            text = output["text"]
            if len(text) > reflective.MAX_TEXT_CHARS:
                ref = f"artifact/{stream}/{canon.sha256_hex(text)}"
                self._vault.put_blob(tx, ref, f"job/{stream}", person, text.encode())
                output = {**output, "text": text[: reflective.MAX_TEXT_CHARS], "artifact_url": f"mace:{ref}"}
            outputs.append(output)
        return {**payload, "agent_outputs": outputs}

    def problems(self, payload: Any) -> list[str]:
        """What is wrong with a payload, over-long agent texts aside: those become artifacts."""
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
        if not found:
            found = _personal(payload)
        if not found and payload.get("signature") is not None:
            found = self._signature_problem(payload)
        return found

    def _signature_problem(self, payload: dict[str, Any]) -> list[str]:
        """An incoming signature is over the canonical immutable fields as given."""
        subject = {name: payload[name] for name in IMMUTABLE_FIELDS if name != "signature"}
        digest = sha256(canon.dumps(subject)).digest()
        given = payload["signature"]
        good = isinstance(given, str) and self._world.keys.check(digest, given)
        return [] if good else ["the signature does not fit the payload"]

    def quarantine(self, tx: Tx, payload: Any, problems: list[str]) -> LogInvalid:
        """Keep a refused payload, sealed, for a person to look at; return the refusal to raise."""
        try:
            plain = canon.dumps(payload)
        except canon.NotCanonical:
            plain = repr(payload).encode("utf-8", "replace")
        quarantine_id = seeds.derived_uuid("quarantine", self._world.keys.mac(plain).hex())  # not to be guessed
        tx.lock(f"quarantine/{quarantine_id}")
        if tx.records.get("quarantine", quarantine_id) is None:
            ref = f"quarantine/{quarantine_id}"
            self._vault.put_blob(tx, ref, self._vault.quarantine_key(tx), None, plain)
            record = records.make(
                "quarantine",
                quarantine_id,
                {
                    "quarantine_id": quarantine_id,
                    "what": "reflective_log",
                    "problems": problems,
                    "blob": ref,
                    "at": iso_us(self._world.clock.now()),
                },
                self._world.keys.sign,
            )
            tx.records.add(record)
            origin = self._recorder.system(tx)
            payload_of_event = {
                "quarantine_id": quarantine_id,
                "problems": problems,
                "record": records.reference(record),
            }
            self._recorder.append(tx, origin, "LOG_QUARANTINED", payload_of_event)
            self._recorder.append(tx, origin, "ADMIN_ALERT", {"about": "LOG_INVALID", "quarantine_id": quarantine_id})
        return LogInvalid("; ".join(problems), quarantine_id)

    def shown(self, tx: Tx, log_id: str) -> dict[str, Any]:
        """A log as everybody may see it: each text with personal data in it became its hash, its reason and its type.

        What was written with consent is only read as it is by an admin, on the record (`read_log_unredacted`).
        """
        record = self.read(tx, log_id)
        for name in reflective.SEALED_FIELDS:
            if record[name] != _ERASED:
                record[name], _ = cleaned(self._world.keys, record[name], "", self._seed_of(tx, log_id, name))
        return record

    @staticmethod
    def _seed_of(tx: Tx, log_id: str, name: str) -> str:
        """The seed of the job that a log was written in; its sealed fields name the job by their key."""
        columns = tx.logs.get(log_id) or {}
        first = tx.events.at(canon.loads(columns[name])["key"].removeprefix("job/"), 0)
        return "" if first is None else str(canon.loads(first.body)["job_seed"])

    def read(self, tx: Tx, log_id: str) -> dict[str, Any]:
        """A log as it was written; whoever calls this has asked whether it may be seen."""
        columns = tx.logs.get(log_id)
        if columns is None:
            raise NotFound(what=f"reflective log {log_id}")

        def unseal(field: str, key_ref: str, sealed: bytes) -> bytes | None:
            return self._vault.unseal(tx, key_ref, sealed, f"log/{log_id}/{field}")

        try:
            record = reflective.from_columns(columns, unseal)
            record["amendments"] = [amendment["amendment_id"] for amendment in self.amendments(tx, log_id)]
            for name in reflective.APPENDABLE_FIELDS:
                record[name] = [canon.loads(row.body)["value"] for row in tx.records.children(name, log_id)]
        except (Erased, ValueError, LookupError, TypeError):  # not what was written: it cannot even be read
            raise IntegrityFailure(f"reflective log {log_id} was changed; run verify") from None
        return record

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
        self._hold(tx, log_id)
        seed = self._recorder.fresh_seed()
        origin = self._recorder.open(tx, seed, {"verb": "update_reflective_log"})
        for name in sorted(patch):
            value = self._clean(tx, origin, patch[name], name, seed)
            record = self._beside(tx, name, log_id, {"value": value, "at": iso_us(self._world.clock.now())})
            self._recorder.append(
                tx,
                origin,
                "LOG_ANNOTATED",
                {"log_id": log_id, "field": name, "record": records.reference(record)},
            )
        return self.shown(tx, log_id)

    def amend(self, tx: Tx, log_id: str, author: str, changes: Any, effect: str) -> dict[str, Any]:
        """Write a correction beside the log it corrects; the log itself stays as it is."""
        if effect not in reflective.EFFECTS:
            raise InvalidInput(f"effect must be one of {', '.join(reflective.EFFECTS)}")
        check_words(author, "author", 64)
        self._hold(tx, log_id)
        seed = self._recorder.fresh_seed()
        origin = self._recorder.open(tx, seed, {"verb": "amend"})
        key = _next_key(tx, "amendment", log_id)
        amendment = {
            "amendment_id": seeds.derived_uuid("amendment", key),
            "target_log_id": log_id,
            "created_at": iso_us(self._world.clock.now()),
            "author": author,
            "changes": self._clean(tx, origin, changes, "changes", seed),
            "effect": effect,
        }
        record = self._beside(tx, "amendment", log_id, amendment)
        self._recorder.append(
            tx,
            origin,
            "AMENDMENT_WRITTEN",
            {"log_id": log_id, "amendment_id": amendment["amendment_id"], "record": records.reference(record)},
        )
        return amendment

    def _clean(self, tx: Tx, origin: Origin, value: Any, field: str, seed: str) -> Any:
        """What may stand beside a log: each personal text becomes its redaction, and is flagged on the record."""
        try:
            clean, flags = cleaned(self._world.keys, value, field, seed)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"content must be JSON: {error}") from None
        for flag in flags:
            self._recorder.append(tx, origin, "PII_FLAGGED", flag.payload())
        return clean

    @staticmethod
    def must_be_there(tx: Tx, log_id: str) -> None:
        """Raise `NotFound` unless the log exists."""
        if tx.logs.get(log_id) is None:
            raise NotFound(what=f"reflective log {log_id}")

    def _hold(self, tx: Tx, log_id: str) -> None:
        """What is written beside a log is numbered, so one writes at a time."""
        self.must_be_there(tx, log_id)
        tx.lock(f"log/{log_id}")

    def _beside(self, tx: Tx, kind: str, log_id: str, content: dict[str, Any]) -> Record:
        """Add a document to a log under the next number; its key, which is signed, gives the order."""
        key = _next_key(tx, kind, log_id)
        try:
            record = records.make(kind, key, content, self._world.keys.sign, parent=log_id)
        except canon.NotCanonical as error:
            raise InvalidInput(f"content must be JSON: {error}") from None
        if len(record.body) >= reflective.MAX_ROW_BYTES:
            raise InvalidInput(f"content must be smaller than {reflective.MAX_ROW_BYTES} bytes, got {len(record.body)}")
        tx.records.add(record)
        return record

    def amendments(self, tx: Tx, log_id: str) -> list[dict[str, Any]]:
        """Return the amendments of a log, oldest first."""
        return [canon.loads(row.body) for row in tx.records.children("amendment", log_id)]

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
        record = tx.records.get("quarantine", quarantine_id)
        if record is None:
            raise NotFound(what=f"quarantine entry {quarantine_id}")
        entry: dict[str, Any] = canon.loads(record.body)
        plain = self._vault.blob(tx, entry["blob"]) if entry.get("blob") else None
        try:
            entry["payload"] = None if plain is None else canon.loads(plain)
        except ValueError:
            entry["payload"] = plain.decode("utf-8", "replace") if plain else None
        return entry


def _personal(payload: dict[str, Any]) -> list[str]:
    """Which fields hold personal data although they are stored unencrypted."""
    from mace.governance.detectors import LOW, detect_json

    ids = ("log_id", "query_text_hash", "sem_snapshot_hash", "signature")  # hashes, checked to be such or signed
    plain = [name for name in IMMUTABLE_FIELDS if name not in (*ids, *reflective.SEALED_FIELDS)]
    return [
        f"{name} holds personal data"
        for name in plain
        if any(item.finding.sensitivity != LOW for item in detect_json(payload[name], ""))
    ]


def _next_key(tx: Tx, kind: str, log_id: str) -> str:
    """The key after the last one; counting would meet a taken key once somebody took a row away."""
    numbers = [row.key.rpartition("/")[2] for row in tx.records.children(kind, log_id)]
    return f"{log_id}/{1 + max((int(number) for number in numbers if number.isdecimal()), default=-1):06d}"
