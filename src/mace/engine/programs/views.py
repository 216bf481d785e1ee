"""A job as it is shown: what its events tell of it, of its branches and of their calls."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, cast

from mace.core import canon
from mace.core.answers import CallError, CallState, CallView, Cancellation, JobKind, JobStatus, JobView, Question
from mace.core.errors import Erased, IntegrityFailure, NotFound
from mace.core.events import StoredEvent
from mace.core.times import iso_ms, parse_instant
from mace.engine.kernel import trees
from mace.engine.kernel.holding import Holding
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.programs.handle import tokens_in
from mace.engine.programs.mailbox import Mailbox
from mace.ledger.jobs import DURABLE, OPEN, OVER, JobTold
from mace.storage.ports import JobRow, Tx

_SHOWN = frozenset({"call", "complete", "fact", "person", "recall", "remember"})  # what people would call a call
_LOST_OR_WAITING = frozenset({"running", "waiting", "interrupted", "abandoned"})
_ENDS = frozenset({"JOB_CLOSED", "JOB_CANCELLED", "JOB_ABANDONED"})


class JobViews:
    """Shows jobs."""

    def __init__(
        self,
        recorder: Recorder,
        vault: Vault,
        holding: Holding,
        mailbox: Callable[[], Mailbox],
        read_log: Callable[[Tx, str], Mapping[str, Any]],
    ) -> None:
        self._recorder = recorder
        self._holding = holding
        self._vault = vault
        self._mailbox = mailbox
        self._read_log = read_log

    def view(self, tx: Tx, job_id: str) -> JobView:
        """A job with its branches and calls, or one branch of it with its own."""
        told = self._recorder.jobs.told(tx, job_id)
        row = None if told is None else self._recorder.jobs.look(tx, job_id)
        if told is None or row is None:
            raise NotFound(what=f"job {job_id}")
        tree = [item for item in self._tree(tx, told) if item.stream == job_id or self._is_below(tx, item, job_id)]
        paths = self._paths(tx, tree, told)
        events = {item.stream: tx.events.of_stream(item.stream) for item in tree}
        calls = [call for item in tree for call in _calls(events[item.stream], paths[item.stream])]
        root = told if not told.root else self._recorder.jobs.told(tx, told.root) or told
        said = root.said or {}
        waiting = self._mailbox().waiting(tx, [item.stream for item in tree]) if row.status in OPEN else []
        held = tx.jobs.get(told.tree)
        status = self._shown(tx, root.kind, row.status, bool(waiting), held)
        log_id = row.log_id if _is_logged(events[job_id], row.log_id) else None
        return {
            "job_id": job_id,
            "kind": cast(JobKind, root.kind),
            "program": said.get("program"),
            "version": said.get("version") or None,
            "status": cast(JobStatus, status),
            "person": row.person or None,
            "opened_at": told.opened_at,
            "closed_at": _closed_at(events[job_id]) if row.status in OVER else None,
            "log_id": log_id,
            "parent": told.parent or None,
            "branches": [item.stream for item in tree if item.parent == job_id],
            "calls": calls,
            "waiting_for": [self._question(tx, item) for item in waiting],
            "holder": held.holder or None if held is not None and status in ("running", "waiting") else None,
            "life": told.life,
            "tokens": self._tokens(tx, events, log_id),
            "cost": None,
            "cancelled": self._cancelled(tx, told.tree, status),
            "recalls": self._recalls(tx, root),
        }

    @staticmethod
    def _recalls(tx: Tx, root: JobTold) -> list[str]:
        if root.kind not in DURABLE and root.kind != "ask":
            return []
        return [event.event_id.hex() for event in reversed(tx.events.about(f"recalls/{root.stream}"))]

    def status(self, tx: Tx, row: JobRow) -> str:
        """How a whole job stands, as its view says it."""
        if row.status not in ("running", "waiting"):
            return row.status
        waits = row.kind in DURABLE and bool(self._mailbox().waiting(tx, trees.streams(tx, row.stream)))
        return self._shown(tx, row.kind, row.status, waits, tx.jobs.get(row.stream))

    def _shown(self, tx: Tx, kind: str, status: str, waits: bool, held: JobRow | None) -> str:
        return self.as_it_stands(tx, kind, "waiting" if waits and status == "running" else status, held)

    def as_it_stands(self, tx: Tx, kind: str, status: str, held: JobRow | None) -> str:
        """How a job stands: one whose holder is lost does not run, also before that was put on the record."""
        if status not in ("running", "waiting") or held is None or not self._holding.is_given_up(tx, held):
            return status
        return "interrupted" if kind in DURABLE else "abandoned"

    def whole(self, tx: Tx, job_id: str) -> tuple[JobTold, list[str]]:
        """The whole job that an id belongs to, and its streams."""
        told = self._recorder.jobs.told(tx, job_id)
        root = None if told is None else self._recorder.jobs.told(tx, told.tree)
        if root is None:
            raise NotFound(what=f"job {job_id}")
        return root, trees.streams(tx, root.stream)

    def _tree(self, tx: Tx, told: JobTold) -> list[JobTold]:
        found = (self._recorder.jobs.told(tx, stream) for stream in trees.streams(tx, told.tree))
        return [item for item in found if item is not None]

    def _is_below(self, tx: Tx, item: JobTold, job_id: str) -> bool:
        at: JobTold | None = item
        while at is not None and at.parent:
            if at.parent == job_id:
                return True
            at = self._recorder.jobs.told(tx, at.parent)
        return False

    def _paths(self, tx: Tx, tree: list[JobTold], top: JobTold) -> dict[str, str]:
        """How each branch is called, with those it branched off, below the one that is shown."""
        by_stream = {item.stream: item for item in tree}
        found: dict[str, str] = {}
        for item in tree:
            names: list[str] = []
            at: JobTold | None = item
            while at is not None and at.stream != top.stream:
                said = at.said or {}
                number = said.get("n", 0)
                names.append(f"{said.get('name', '')}[{number}]" if number else str(said.get("name", "")))
                at = by_stream.get(at.parent)
            found[item.stream] = "/".join(reversed(names))
        return found

    def _question(self, tx: Tx, asked: Any) -> Question:
        try:
            text = self._mailbox().text_of(tx, asked)
        except (Erased, IntegrityFailure):
            text = ""
        return {
            "question_id": asked.question_id,
            "kind": "question",
            "text": text,
            "asked_at": asked.asked_at,
            "expires_at": asked.expires_at,
        }

    def _cancelled(self, tx: Tx, root: str, status: str) -> Cancellation | None:
        """Who told a job to stop, where it did or still may."""
        return self._mailbox().cancellation(tx, root) if status == "cancelled" or status in OPEN else None

    def _tokens(self, tx: Tx, events: dict[str, list[StoredEvent]], log_id: str | None) -> int:
        """The tokens that the log tells; without one those that results of calls tell, as far as they can be read."""
        if log_id is not None:
            with suppress(IntegrityFailure, NotFound):
                used = self._read_log(tx, log_id)["runtime_metrics"].get("tokens_used")
                if isinstance(used, int):
                    return used
        total = 0
        for stream, rows in events.items():
            for row in rows:
                if row.event_type != "EFFECT_DONE":
                    continue
                said = canon.loads(row.body)["payload"]
                if said.get("kind") not in ("call", "complete"):
                    continue
                try:
                    plain = self._vault.blob(tx, f"effect/{said['effect']}/{stream}")
                except (Erased, IntegrityFailure):
                    continue
                total += 0 if plain is None else tokens_in(canon.loads(plain)["value"])
        return total


def may_stand_as(stored: str, shown: str) -> bool:
    """Whether a job that is stored in one state may be shown in another: what runs may wait, or be lost by now."""
    return stored == shown or (stored in ("running", "waiting") and shown in _LOST_OR_WAITING)


def _is_logged(rows: list[StoredEvent], log_id: str) -> bool:
    """Whether the log of a job was written: only a job that came to its end has one, and no branch."""
    written = (row for row in reversed(rows) if row.event_type == "REFLECTIVE_LOG_WRITTEN")
    return any(canon.loads(row.body)["payload"].get("log_id") == log_id for row in written)


def _closed_at(rows: list[StoredEvent]) -> str | None:
    for row in reversed(rows):
        if row.event_type in _ENDS:
            at = canon.loads(row.body).get("recorded_at")
            return at if isinstance(at, str) else None
    return None


def _told_at(body: Mapping[str, Any]) -> str:
    return body.get("recorded_at") or str(body["timestamp_seeded"])


def begun_at(recorded_at: str, elapsed_ms: float) -> str:
    """When a call began whose beginning was stored together with its end: that was when it ended."""
    return iso_ms(parse_instant(recorded_at) - timedelta(milliseconds=elapsed_ms))


def _calls(rows: list[StoredEvent], branch: str) -> list[CallView]:
    """The calls of one stream, in their order."""
    found: dict[int, CallView] = {}
    for row in rows:
        if row.event_type not in ("EFFECT_STARTED", "EFFECT_DONE"):
            continue
        body = canon.loads(row.body)
        said = body["payload"]
        if said.get("kind") not in _SHOWN:
            continue
        number = said["effect"]
        if row.event_type == "EFFECT_STARTED":
            found[number] = {
                "number": number,
                "branch": branch,
                "name": said["name"],
                "state": "started",
                "idempotent": bool(said.get("idempotent")),
                "attempts": 1,
                "started_at": _told_at(body),
                "elapsed_ms": None,
                "error": None,
            }
        elif number in found:
            failed = said["failed"]
            state: CallState = "done" if failed is None else "unknown" if failed == "unknown_result" else "failed"
            found[number]["state"] = state
            if _told_at(body) == found[number]["started_at"]:
                found[number]["started_at"] = begun_at(_told_at(body), said.get("elapsed_ms") or 0)
            found[number]["attempts"] = int(said.get("attempt", 1))
            found[number]["elapsed_ms"] = int(said.get("elapsed_ms") or 0)
            found[number]["error"] = cast(CallError | None, failed)
    return [found[number] for number in sorted(found)]
