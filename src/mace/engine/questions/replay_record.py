"""What a replay reads of a stored job, each part checked, and the record that compares the ending with it.

A part that is not what was signed or sealed stops the replay with its finding; a part that is gone is named. What was
erased by right is neither.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure
from mace.core.events import StoredEvent
from mace.core.purposes import Purpose
from mace.engine.kernel.job import Ending, snapshot_hash
from mace.engine.kernel.tape import Diverged, ReplayTape, Unreadable
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.logs import LogVerbs
from mace.engine.ledger.proofs import Proofs
from mace.ledger import parts, records, reflective
from mace.ledger.findings import Finding, missing_key
from mace.storage.ports import Record as Row
from mace.storage.ports import Tx

_MAX_KEPT_BYTES = 64 * 1024 * 1024  # of opened parts of one job that are held until it is played


class Stopped(Exception):
    """Replay cannot go on; `result` is one of `replay.RESULTS`."""

    def __init__(self, result: str, difference: Any = None, findings: list[Finding] | None = None) -> None:
        super().__init__(result)
        self.result = result
        self.difference = difference
        self.findings = findings or []


class Mismatch(Exception):
    """Every step was the same, and yet the record tells another result."""

    def __init__(
        self, index: int, stored: dict[str, Any] | None, replayed: dict[str, Any] | None, about: dict[str, Any]
    ) -> None:
        super().__init__("another result")
        self.index = index
        self.stored = stored
        self.replayed = replayed
        self.about = about


class Kept:
    """Parts of a job that were opened, held until it is played, as far as they are not too much."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read  # for the others
        self._plain: dict[str, bytes] = {}
        self._bytes = 0

    def add(self, ref: str, plain: bytes) -> None:
        """Hold a part, if there is room."""
        if self._bytes + len(plain) <= _MAX_KEPT_BYTES:
            self._plain[ref] = plain
            self._bytes += len(plain)

    def blob(self, ref: str) -> bytes | None:
        """Return a part, from memory if it is there."""
        plain = self._plain.get(ref)
        return self._read(ref) if plain is None else plain


class StoredParts:
    """The snapshots, keys, sealed contents and logs of stored jobs."""

    def __init__(self, world: World, vault: Vault, logs: LogVerbs) -> None:
        self._world = world
        self._vault = vault
        self._logs = logs

    def snapshot(self, tx: Tx, digest: str, named: str) -> Row:
        """A snapshot by its hash; `named` is the hash of its row, as the event has it."""
        row = tx.records.get("snapshot", digest)
        if row is None:
            raise Stopped("MISSING_SNAPSHOT", {"snapshot": digest})
        is_named = sha256(row.body).hexdigest() == named
        if not (is_named and records.is_signed(row, self._world.keys.check)):
            finding = Finding(
                "RECORD_CHANGED",
                {"table": "records", "kind": "snapshot", "key": row.key},
                f"snapshot {row.key} is not what was signed",
                {"body": row.body.hex(), "parent": row.parent, "signature": row.signature},
            )
            if not (is_named and self.is_attested(tx, finding)):
                raise _broken(finding)
        return row

    def is_attested(self, tx: Tx, finding: Finding) -> bool:
        """An admin's word stands in for a lost signature, never for lost content."""
        return finding.finding_id in Proofs(self._world).attested(tx).findings

    def data_key(self, tx: Tx, job_id: str) -> bytes:
        ref = f"job/{job_id}"
        try:
            return self._vault.open_key(tx, ref)
        except IntegrityFailure:
            raise _broken(self._changed_key(tx, ref)) from None
        except Erased:
            raise Unreadable("the key of the job", erased=True) from None

    def _changed_key(self, tx: Tx, ref: str) -> Finding:
        """The row of keys that was changed or is gone: this one, or the one above it."""
        row = tx.vault.key(ref)
        if row is None:
            return missing_key(ref)
        parent, stored = row
        if self._vault.is_intact(ref, parent, stored) and parent:
            return self._changed_key(tx, parent)
        evidence = {"parent": parent, "sha256": sha256(stored).hexdigest()}
        where = {"table": "vault_keys", "ref": ref}
        return Finding("KEY_UNREADABLE", where, f"key {ref} is not as it was made", evidence)

    def blob(self, ref: str) -> bytes | None:
        """A sealed content, in a transaction of its own: the tape asks for one when it comes to it."""
        return self._world.store.read(lambda tx: self._blob_in(tx, ref))

    def _blob_in(self, tx: Tx, ref: str) -> bytes | None:
        try:
            return self._vault.blob(tx, ref)
        except (Erased, IntegrityFailure):
            raise _unsealed(ref) from None

    def _open_with(self, tx: Tx, ref: str, key_ref: str, data_key: bytes) -> bytes | None:
        """Open a part with the key of its job, which was checked; what lies under another key is opened by that."""
        held = tx.vault.blob(ref)
        if held is None or held[0] != key_ref:
            return self._blob_in(tx, ref)
        try:
            return self._world.keys.unseal(data_key, held[1], f"blob/{ref}")
        except IntegrityFailure:
            raise _unsealed(ref) from None

    def open_all(
        self, job_id: str, events: list[StoredEvent], data_key: bytes, kept: Kept
    ) -> tuple[bytes, list[Finding]]:
        """Open every part that a job kept; return its input, and those that are not what their event says.

        Each must be there. Which of the two was changed, the part or its event, is told by playing the job; the input
        must be right for that. `kept` is told what was opened, as far as that is not too much, for who asks again.
        """
        opened, others = self._open_parts(job_id, events, data_key, "", kept)
        if any(finding.where["ref"] == f"input/{job_id}" for finding in others):  # nothing can be played on it
            raise _broken(next(finding for finding in others if finding.where["ref"] == f"input/{job_id}"))
        received = opened.get("input")
        if received is None:
            raise Unreadable("input", erased=False)
        return received, others

    def open_branch(
        self, stream: str, events: list[StoredEvent], data_key: bytes, root: str, kept: Kept
    ) -> list[Finding]:
        """Open every part that a branch of a job kept; those that are not what their event says."""
        return self._open_parts(stream, events, data_key, root, kept)[1]

    def _open_parts(
        self, stream: str, events: list[StoredEvent], data_key: bytes, root: str, kept: Kept
    ) -> tuple[dict[str, bytes], list[Finding]]:
        """The input, where there is one, and the parts that are not what their event says."""
        named = parts.of_stream(stream, ((row.event_type, row.body) for row in events), root)
        found: dict[str, bytes] = {}
        others: list[Finding] = []
        key_ref = f"job/{root or stream}"

        def look(tx: Tx) -> None:
            for name, part in named.items():
                plain = self._open_with(tx, part.ref, key_ref, data_key)
                if plain is None:
                    raise Unreadable(f"{name} of branch {stream}" if root else name, erased=False)
                if self._world.keys.keyed_hash(data_key, plain) != part.digest:
                    where = {"table": "vault_blobs", "ref": part.ref, "stream": root or stream}
                    others.append(Finding("RECORD_CHANGED", where, f"{part.ref} is not what its event says"))
                if name == "input":
                    found[name] = plain
                kept.add(part.ref, plain)

        self._world.store.read(look)
        return found, others

    def artifact(self, job_id: str, text: str) -> None:
        """A text that was too long for the log must lie whole beside it."""
        ref = f"artifact/{job_id}/{canon.sha256_hex(text)}"
        if self.blob(ref) is None:
            raise Unreadable(ref, erased=False)

    def log(self, tx: Tx, log_id: str, named: str) -> dict[str, Any]:
        columns = tx.logs.get(log_id)
        if columns is None:
            raise Unreadable(f"reflective log {log_id}", erased=False)
        digest = sha256(reflective.signed_bytes(columns))
        is_named = digest.hexdigest() == named
        if not (is_named and self._world.keys.check(Purpose.LOG, digest.digest(), columns["signature"])):
            where = {"table": "reflective_log_stage0", "kind": "reflective_log", "key": log_id}
            evidence = {"row": {name: str(value) for name, value in columns.items()}}
            finding = Finding("RECORD_CHANGED", where, f"reflective_log {log_id} is not what was signed", evidence)
            if not (is_named and self.is_attested(tx, finding)):
                raise _broken(finding)
        return self._logs.read(tx, log_id)


class ReplayRecord:
    """Compares an ending with the stored one (`kernel.job.Record`)."""

    def __init__(self, world: World, stored: StoredParts, tape: ReplayTape) -> None:
        self._world = world
        self._stored = stored
        self._tape = tape

    def whole(self, unit: Callable[[Tx], None]) -> None:
        self._world.store.read(unit)

    def facts(self, tx: Tx, snapshot: dict[str, Any]) -> None:
        tape, digest = self._tape, snapshot_hash(snapshot)
        event = tape.peek()
        if event is None or event["event_type"] != "SNAPSHOT_TAKEN" or event["payload"]["snapshot"] != digest:
            raise Diverged(tape.index, event, {"event_type": "SNAPSHOT_TAKEN", "snapshot": digest})
        row = self._stored.snapshot(tx, digest, digest)
        tape.event("SNAPSHOT_TAKEN", {"snapshot": digest, "record": records.reference(row)})

    def log(self, tx: Tx, payload: dict[str, Any]) -> None:
        """The log's texts are sealed with fresh nonces: compare what they say, then take the stored hash."""
        tape, log_id = self._tape, payload["log_id"]
        event = tape.peek()
        if event is None or event["event_type"] != "REFLECTIVE_LOG_WRITTEN":
            raise Diverged(tape.index, event, {"event_type": "REFLECTIVE_LOG_WRITTEN"})
        stored = self._stored.log(tx, log_id, event["payload"]["record"]["hash"])
        differing = [name for name in payload if canon.dumps(stored[name]) != canon.dumps(payload[name])]
        long_texts = [name for name in differing if name == "agent_outputs" and _same_beginnings(stored, payload)]
        if set(differing) - set(long_texts):
            raise Mismatch(tape.index, event, None, {"fields": differing, "log_id": log_id})
        if long_texts:
            for output in payload["agent_outputs"]:
                if len(output["text"]) > reflective.MAX_TEXT_CHARS:
                    self._stored.artifact(tape.stream, output["text"])
        tape.event("REFLECTIVE_LOG_WRITTEN", {"log_id": log_id, "record": event["payload"]["record"]})

    def close(self, tx: Tx, payload: dict[str, Any], ending: Ending) -> None:
        """All that led to it was the same; now the result must be, too."""
        tape, event = self._tape, self._tape.peek()
        if "kept" in payload and event is not None and "kept" not in event["payload"]:
            payload = {name: value for name, value in payload.items() if name != "kept"}
            self._compare_kept(ending)
        if event is not None and event["event_type"] == "JOB_CLOSED" and event["payload"] != payload:
            raise Mismatch(tape.index, event, {"event_type": "JOB_CLOSED", "payload": payload}, {})
        tape.event("JOB_CLOSED", payload)

    def _compare_kept(self, ending: Ending) -> None:
        """Of what else a job kept no older event has a hash: compare the content itself."""
        for name, content in ending.kept.items():
            plain = self._stored.blob(f"{name}/{self._tape.stream}")
            if plain is None:
                raise Unreadable(name, erased=False)
            if plain != canon.dumps(content):
                raise Mismatch(self._tape.index, None, None, {"fields": [name]})


def _unsealed(ref: str) -> Stopped:
    where = {"table": "vault_blobs", "ref": ref, "stream": ref.rpartition("/")[2]}
    return _broken(Finding("RECORD_CHANGED", where, f"{ref} is not what was sealed"))


def _broken(finding: Finding) -> Stopped:
    return Stopped("INTEGRITY_FAILURE", finding.shown(), [finding])


def _same_beginnings(stored: Mapping[str, Any], payload: Mapping[str, Any]) -> bool:
    """Over-long texts lie in artifacts; the log has their beginning."""
    pairs = zip(stored["agent_outputs"], payload["agent_outputs"], strict=False)
    return len(stored["agent_outputs"]) == len(payload["agent_outputs"]) and all(
        again["text"].startswith(kept["text"]) for kept, again in pairs
    )
