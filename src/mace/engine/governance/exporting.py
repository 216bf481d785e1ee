"""An export put together: everything of one person, from wherever it lies, and nothing of anybody else.

Read from the ledger and the vault, under the person's own keys, and from the spill file, which all processes of a
directory share. What is damaged is named and the export goes on. It is a function of what is stored: neither the clock
nor where a queued write waits at the moment changes a byte. Hashes of tokens and secrets of second factors stay out.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure, InvalidInput, NotFound
from mace.core.turn_ids import turn_id_of
from mace.engine.experience.contents import Contents
from mace.engine.experience.export_rows import under
from mace.engine.facts.queued import KIND as QUEUED
from mace.engine.facts.reads import read_past
from mace.engine.governance.accounts import Accounts
from mace.engine.governance.approvals import Approvals
from mace.engine.governance.consents import Consents
from mace.engine.kernel import evidence, trees
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.missing_keys import missing
from mace.engine.kernel.persons import person_of
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.logs import LogVerbs
from mace.engine.people.turns import Turns
from mace.governance import subjects
from mace.governance.erasure import EVIDENCE, FACT, JOB, QUARANTINE
from mace.ledger.jobs import DURABLE, JobTold
from mace.memory.keys import user_of_key
from mace.memory.people.turns import Turn
from mace.storage.ports import Tx

_ARTIFACT = "mace:artifact/"
_ALL_EVENTS = 10_000_000
# As a look at what is not one person's alone is recorded.
_EVERYBODYS = ("everybody's", "None", "others' words", "all keys of the server")
_OPENS_EVERYTHING = "canary_search"


class Exports:
    """Puts exports together."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        *,
        consents: Consents,
        approvals: Approvals,
        accounts: Accounts,
        logs: LogVerbs,
        turns: Turns,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._consents = consents
        self._approvals = approvals
        self._accounts = accounts
        self._logs = logs
        self._turns = turns

    def package(self, tx: Tx, person: str) -> dict[str, Any]:
        """Everything a person may take along, as it stands now."""
        refs = tx.vault.keys_under(f"person/{person}")
        streams = [ref.removeprefix(JOB) for ref in refs if ref.startswith(JOB)]
        jobs = [job for job in (self._job(tx, stream) for stream in streams) if job is not None]
        logs = [log for stream in streams for log in self._logs_of(tx, stream)]
        consents = self._consents.of_person(tx, person, naming_damage=True)
        contents = Contents(self._world.keys, self._vault)
        lived = {row["id"]: row for ref in refs for row in under(tx, contents, ref)}
        approvals = self._approvals.of_person(tx, person)
        quarantined, entries = list(self._quarantined(tx, refs)), list(self._evidence(tx, refs))
        ids = {
            *(item for stream in streams for item in trees.streams(tx, stream)),
            *(log["log_id"] for log in logs),
            *(item["consent_id"] for item in consents),
            *(item["request_id"] for item in approvals),
            *(row.key for row in tx.records.children("dsr_request", person)),
            *(item["quarantine_id"] for item in quarantined),
            *(item["entry_id"] for item in entries),
        }
        return subjects.package(
            person,
            [row for ref in refs if ref.startswith(FACT) for row in self._facts(tx, ref.removeprefix(FACT))],
            consents,
            jobs,
            lived.values(),
            logs=logs,
            queued_writes=self._queued(tx, person),
            approvals=approvals,
            accounts=self._accounts.of_person(tx, person),
            accesses=self._accesses(tx, person, frozenset(ids)),
            quarantined=quarantined,
            evidence=entries,
            turns=self._said(tx, person),
            recalls=self._recalls(tx, person),
        )

    # Facts, and what waits to become one

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

    def _queued(self, tx: Tx, person: str) -> list[dict[str, Any]]:
        """Writes that the store could not take: those it holds by now, and those in the spill file of this place."""
        entries = {entry["spill_id"]: entry for entry in self._world.spill.entries()}
        entries |= {content["spill_id"]: content for _, content in self._bound.intact(tx, "spilled")}
        found = []
        for queued_id, entry in entries.items():
            if entry["event_type"] == QUEUED and user_of_key(entry["key"]) == person:
                plain, is_damaged = self._waiting(tx, entry)
                if plain is None and not is_damaged:
                    continue  # it was erased
                write = {} if plain is None else canon.loads(plain)
                content = write.get("content", {})
                found.append(
                    {
                        "queued_id": queued_id,
                        "key": entry["key"],
                        "at": entry["at"],
                        **{name: content.get(name) for name in ("value", "notes", "meta")},
                        "source": write.get("source"),
                        "retried": self._bound.happened(tx, "queued_done", queued_id),
                        **({"damaged": ["value"]} if is_damaged else {}),
                    }
                )
        return found

    def _waiting(self, tx: Tx, entry: dict[str, Any]) -> tuple[bytes | None, bool]:
        """What a queued write says, and whether that can no longer be read although nobody erased it."""
        queued_id = entry["spill_id"]
        try:
            if "sealed" in entry:
                sealed = base64.b64decode(entry["sealed"])
                return self._world.keys.unseal_here(sealed, f"queued_write/{queued_id}"), False
            plain = self._vault.blob(tx, f"queued/{queued_id}")
        except (Erased, IntegrityFailure):
            return None, not self._vault_erased(tx, entry)
        return plain, plain is None and tx.vault.blob(f"queued/{queued_id}") is None

    def _vault_erased(self, tx: Tx, entry: dict[str, Any]) -> bool:
        from mace.engine.kernel.missing_keys import queued_is_erased

        return queued_is_erased(tx, entry["spill_id"], entry["key"], self._world.keys)

    # What was said, and what of it was put into prompts

    def _said(self, tx: Tx, person: str) -> Iterator[dict[str, Any]]:
        """The turns of a person, with those whose key is gone although nobody erased them."""
        stop = self._turns.count(tx, person)
        there: set[str] = set()
        for kept in self._turns.between(tx, person, 0, stop):
            there.add(kept.turn_id)
            yield _turn(kept.turn_id, kept.turn)
        absent = (turn_id_of(person, number) for number in range(stop))
        for turn_id in missing(tx, (ref for ref in absent if ref not in there), self._world.keys):
            if self._turns.exists(tx, turn_id):
                yield _turn(turn_id, None)

    def _recalls(self, tx: Tx, person: str) -> Iterator[dict[str, Any]]:
        """When something of a person was recalled for a prompt, and what."""
        for event in tx.events.of_type("MEMORY_RECALLED", _ALL_EVENTS):
            try:
                said = self._bound.said(tx, event)
            except IntegrityFailure:
                continue  # it was changed, which verification names: it tells nothing
            if said is not None and said["payload"].get("person") == person:
                payload = said["payload"]
                at = said.get("recorded_at") or said["timestamp_seeded"]
                refs = [item["ref"] for item in payload["items"]]
                yield {"event_id": event.event_id.hex(), "at": at, "refs": refs, "tokens": payload["tokens"]}

    # Jobs and logs

    def _job(self, tx: Tx, stream: str) -> dict[str, Any] | None:
        job = self._recorder.jobs.told(tx, stream)
        if job is None:
            return None
        heard, said = self._part(tx, f"input/{stream}"), self._part(tx, f"result/{stream}")
        if heard is None and not _is_closed(tx, stream):
            return None  # it had not come to keeping anything
        if job.kind in DURABLE:
            return self._program(tx, job, heard, said)
        lost = [name for name, part in (("question", heard), ("answer", said)) if part is None]
        return {
            "job_id": stream,
            "opened_at": job.opened_at,
            "kind": job.kind,
            "question": None if heard is None else heard.get("text"),
            "answer": None if said is None else said.get("answer"),
            **({"damaged": lost} if lost and job.status == "closed" else {}),
        }

    def _program(
        self, tx: Tx, job: JobTold, heard: dict[str, Any] | None, said: dict[str, Any] | None
    ) -> dict[str, Any]:
        """The job of a program: what it received and answered, and every call of it and of its branches."""
        given = None if heard is None else heard.get("input")
        lost = [name for name, part in (("question", heard), ("answer", said)) if part is None]
        ended = _is_closed(tx, job.stream)
        return {
            "job_id": job.stream,
            "opened_at": job.opened_at,
            "kind": job.kind,
            "question": given if given is None or isinstance(given, str) else canon.dumps(given).decode(),
            "answer": None if said is None else said.get("text"),
            "program": str((job.said or {}).get("program", "")),
            "value": None if said is None else said.get("answer"),
            "calls": [call for stream in trees.streams(tx, job.stream) for call in self._calls(tx, stream)],
            "branches": self._branches(tx, job.stream),
            **({"damaged": lost} if lost and ended else {}),
        }

    def _branches(self, tx: Tx, root: str) -> list[dict[str, Any]]:
        """What the branches of a job returned or raised; those that have not ended have no result yet."""
        told = (self._recorder.jobs.told(tx, stream) for stream in trees.streams(tx, root)[1:])
        tree = {branch.stream: branch for branch in told if branch is not None}
        found = []
        for stream, branch in tree.items():
            result, is_readable = self._kept(tx, f"result/{stream}")
            found.append(
                {
                    "branch": stream,
                    "name": _path(branch, tree),
                    "status": branch.status,
                    "result": result,
                    **({"damaged": ["result"]} if not is_readable and _is_closed(tx, stream) else {}),
                }
            )
        return found

    def _calls(self, tx: Tx, stream: str) -> Iterator[dict[str, Any]]:
        names: dict[int, str] = {}
        for row in tx.events.of_stream(stream):
            if row.event_type not in ("EFFECT_STARTED", "EFFECT_DONE"):
                continue
            payload = canon.loads(row.body)["payload"]
            number = payload.get("effect")
            if row.event_type == "EFFECT_STARTED" and "sent_hash" in payload:
                names[number] = payload["name"]
            elif number in names:
                sent = self._part(tx, f"request/{number}/{stream}")
                came_to = self._part(tx, f"effect/{number}/{stream}")
                yield {
                    "branch": stream,
                    "number": number,
                    "name": names.pop(number),
                    "request": None if sent is None else sent["request"],
                    "result": None if came_to is None else came_to["value"],
                    "error": payload["failed"],
                }
        for number, name in names.items():  # begun, and never ended
            sent = self._part(tx, f"request/{number}/{stream}")
            request = None if sent is None else sent["request"]
            yield {"branch": stream, "number": number, "name": name, "request": request, "result": None, "error": None}

    def _part(self, tx: Tx, ref: str) -> dict[str, Any] | None:
        """A part of a job, or None where it is gone or not what was sealed: an export goes on and says so."""
        part: dict[str, Any] | None = self._kept(tx, ref)[0]
        return part

    def _kept(self, tx: Tx, ref: str) -> tuple[Any, bool]:
        """What lies sealed there, and whether it can be read."""
        try:
            plain = self._vault.blob(tx, ref)
            return (None, False) if plain is None else (canon.loads(plain), True)
        except (Erased, IntegrityFailure):
            return None, False

    def _logs_of(self, tx: Tx, stream: str) -> Iterator[dict[str, Any]]:
        """The reflective logs of a stream with what stands beside them; long texts whole."""
        for event in tx.events.of_stream(stream):
            if event.event_type == "REFLECTIVE_LOG_WRITTEN":
                log_id = canon.loads(event.body)["payload"]["log_id"]
                try:
                    log = self._logs.read(tx, log_id)
                    amendments = self._logs.amendments(tx, log_id)
                except (IntegrityFailure, NotFound):
                    yield {**dict.fromkeys(subjects.LOG_FIELDS), "log_id": log_id, "damaged": ["log"]}
                    continue
                outputs = log["agent_outputs"]
                if isinstance(outputs, list):
                    outputs = [self._whole(tx, output) for output in outputs]
                yield {**log, "agent_outputs": outputs, "amendments": amendments}

    def _whole(self, tx: Tx, output: dict[str, Any]) -> dict[str, Any]:
        url = output.get("artifact_url")
        if not isinstance(url, str) or not url.startswith(_ARTIFACT):
            return output
        with suppress(Erased, IntegrityFailure):
            plain = self._vault.blob(tx, url.removeprefix("mace:"))
            if plain is not None:
                return {**output, "text": plain.decode()}
        return {**output, "damaged": ["text"]}

    # What was set aside, and what is kept as evidence

    def _quarantined(self, tx: Tx, refs: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Refused logs about the person; what was purged lies under no key any more."""
        for quarantine_id in (ref.removeprefix(QUARANTINE) for ref in refs if ref.startswith(QUARANTINE)):
            try:
                found = self._logs.quarantined(tx, quarantine_id)
                damaged = {} if found["payload"] is not None else {"damaged": ["payload"]}
            except (Erased, IntegrityFailure, NotFound):
                found, damaged = {"payload": None}, {"damaged": ["payload"]}
            told = {"quarantine_id": quarantine_id, "payload": found["payload"], **damaged}
            yield {**told, "at": found.get("at", ""), "problems": found.get("problems", [])}

    def _evidence(self, tx: Tx, refs: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Evidence about the person; what was purged is left out."""
        for entry_id in (ref.split("/")[1] for ref in refs if ref.startswith(EVIDENCE)):
            if self._bound.happened(tx, "forensic_purge", entry_id):
                continue
            told: dict[str, Any] = {"entry_id": entry_id, "at": "", "about": "", "is_readable": False, "content": None}
            try:
                entry = self._bound.record(tx, "forensic_entry", entry_id)
                if entry is None:
                    continue
                told |= {"at": entry["at"], "about": entry["about"], "is_readable": entry["forensic_key"] is None}
                plain = evidence.opened(tx, self._vault, entry) if told["is_readable"] else None
                if told["is_readable"] and plain is None:
                    continue  # it went with somebody else whom it was about
                yield {**told, "content": None if plain is None else canon.loads(plain)}
            except (Erased, IntegrityFailure, ValueError):
                yield {**told, "damaged": ["content"]}

    # Who looked

    def _accesses(self, tx: Tx, person: str, ids: frozenset[str]) -> Iterator[dict[str, Any]]:
        """The looks of others at what is the person's, or at everybody's."""
        for event in tx.events.of_type("admin_access_event", _ALL_EVENTS):
            try:
                said = self._bound.said(tx, event)
            except IntegrityFailure:
                continue  # it was changed, which verification names: it tells nothing
            if said is None:
                continue
            payload = said["payload"]
            is_everybodys = payload.get("what") == _OPENS_EVERYTHING
            if (
                is_everybodys
                or payload.get("person") == person
                or self._concerns(tx, person, ids, str(payload.get("which")))
            ):
                at = said.get("recorded_at") or said["timestamp_seeded"]
                yield {"event_id": event.event_id.hex(), "at": at, **payload}

    def _concerns(self, tx: Tx, person: str, ids: Iterable[str], which: str) -> bool:
        """Say whether what somebody looked at is this person's, or everybody's."""
        if which in ids or which in _EVERYBODYS:
            return True
        scope, *rest = which.split("/")  # a key, or the beginning of keys
        if rest or scope in ("", "user"):
            return scope in ("", "user") and (len(rest) < 2 or rest[1] == person)
        with suppress(InvalidInput):
            if person_of(self._world.slots, tx, which) == person:
                return True
        with suppress(ValueError):
            return any(event.stream in ids for event in tx.events.by_id(bytes.fromhex(which)))
        return False


def _turn(turn_id: str, turn: Turn | None) -> dict[str, Any]:
    if turn is None:
        return {**dict.fromkeys(subjects.TURN_FIELDS), "turn_id": turn_id, "damaged": ["content"]}
    told = {name: getattr(turn, name) for name in subjects.TURN_FIELDS if name != "turn_id"}
    return {"turn_id": turn_id, **told}


def _is_closed(tx: Tx, stream: str) -> bool:
    """Whether a job or branch ended with a result; one that was cancelled while nobody played it has none."""
    return any(row.event_type == "JOB_CLOSED" for row in tx.events.of_stream(stream))


def _path(branch: JobTold, tree: Mapping[str, JobTold]) -> str:
    """How a branch is called, with those it branched off."""
    names: list[str] = []
    at: JobTold | None = branch
    while at is not None:
        said = at.said or {}
        number = said.get("n", 0)
        names.append(f"{said.get('name', '')}[{number}]" if number else str(said.get("name", "")))
        at = tree.get(at.parent)
    return "/".join(reversed(names))
